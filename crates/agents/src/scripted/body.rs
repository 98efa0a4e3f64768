//! How an answer leaves: at once or piece by piece, slowly, cut off, or not to its end.

use super::{api::Event, script::Broken};
use axum::body::{Body, Bytes};
use std::{io, time::Duration};
use tokio::sync::watch;

/// Says when the server stops, so that nobody waits longer.
pub(super) type Stopping = watch::Receiver<bool>;

/// What is left to send.
struct Rest {
    events: std::vec::IntoIter<String>,
    slow: Duration,
    end: End,
    stopping: Stopping,
}

/// How a body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Whole,
    Cut,
    Stall,
    /// It is over.
    Over,
}

/// Waits, unless the server stops before.
pub(super) async fn wait(duration: Duration, stopping: &mut Stopping) {
    if !duration.is_zero() {
        let _ = tokio::time::timeout(duration, stopped(stopping)).await;
    }
}

/// Waits until the server stops.
pub(super) async fn stopped(stopping: &mut Stopping) {
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// A stream of events.
pub(super) fn stream(events: Vec<Event>, slow: Duration, broken: Option<Broken>, stopping: Stopping) -> Body {
    let (most, end) = match broken {
        None => (usize::MAX, End::Whole),
        Some(Broken::Cut(most)) => (most, End::Cut),
        Some(Broken::Stall(most)) => (most, End::Stall),
    };
    let mut texts = Vec::new();
    let pieces = events.iter().filter(|event| event.piece).count();
    let mut left = if end == End::Whole { usize::MAX } else { most.min(pieces) };
    for event in events {
        // The frame after the last piece is what says that all was said.
        if left == 0 && (event.piece || most > 0) {
            break;
        }
        left -= usize::from(event.piece);
        texts.push(event.text);
    }
    send(texts, slow, end, stopping)
}

/// An answer that comes at once; one that is cut breaks off in its middle.
pub(super) fn whole(text: String, broken: Option<Broken>, stopping: Stopping) -> Body {
    match broken {
        None => Body::from(text),
        Some(_) => {
            let half = text[..text.floor_char_boundary(text.len() / 2)].to_owned();
            send(vec![half], Duration::ZERO, End::Cut, stopping)
        }
    }
}

fn send(texts: Vec<String>, slow: Duration, end: End, stopping: Stopping) -> Body {
    let rest = Rest { events: texts.into_iter(), slow, end, stopping };
    Body::from_stream(futures_util::stream::unfold(rest, next))
}

async fn next(mut rest: Rest) -> Option<(io::Result<Bytes>, Rest)> {
    if let Some(text) = rest.events.next() {
        wait(rest.slow, &mut rest.stopping).await;
        return Some((Ok(Bytes::from(text)), rest));
    }
    match std::mem::replace(&mut rest.end, End::Over) {
        End::Whole | End::Over => None,
        End::Cut => {
            // Whoever serves this sends what it has when it has to wait, and throws it away when the body fails first.
            tokio::task::yield_now().await;
            Some((Err(io::Error::other("the script cuts the answer here")), rest))
        }
        End::Stall => {
            stopped(&mut rest.stopping).await;
            Some((Err(io::Error::other("the server stops")), rest))
        }
    }
}
