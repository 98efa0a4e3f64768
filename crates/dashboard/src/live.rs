//! Open pages are told that something happened, and nothing more. The page is then asked for again, by whoever looks at it.

use crate::ask::{Answer, Ask};
use axum::{
    body::Body,
    http::{HeaderValue, Response, header},
};
use bytes::Bytes;
use futures_util::stream;
use handover_core::{
    ids::SessionId,
    limits::{KEY_LOOK_MS, LIVE_BEAT_MS, LIVE_BEHIND_MAX, LIVE_PER_KEY_MAX},
    refusal::{Code, Refusal},
};
use handover_engine::{Filter, Notice, Subscription};
use parking_lot::Mutex;
use std::{collections::HashMap, convert::Infallible, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep_until};

struct Listener {
    ask: Ask,
    feed: Subscription,
    beat: Instant,
    over: bool,
    _place: Place,
}

/// How many pages listen, by key.
#[derive(Default)]
pub(crate) struct Listening(Mutex<HashMap<String, usize>>);

impl Listening {
    fn take(self: Arc<Self>, who: String) -> Option<Place> {
        let mut counts = self.0.lock();
        let count = counts.entry(who.clone()).or_default();
        if *count >= LIVE_PER_KEY_MAX {
            return None;
        }
        *count += 1;
        drop(counts);
        Some(Place { who, all: self })
    }
}

/// The place of one that listens.
struct Place {
    who: String,
    all: Arc<Listening>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.all.0.lock();
        if let Some(count) = counts.get_mut(&self.who) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.who);
            }
        }
    }
}

pub(crate) async fn listen(ask: Ask) -> Answer {
    let session = ask.query.some("session").and_then(|text| SessionId::new(text).ok());
    if let Some(session) = &session {
        ask.engine.session(session).await?;
    }
    let last = ask.headers.get("last-event-id").and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let after = last.or(ask.query.number("after")).unwrap_or(ask.position);
    let Some(place) = ask.house.listening.clone().take(ask.counted_as()) else {
        let message = format!("{LIVE_PER_KEY_MAX} pages of this key listen already (LIVE_PER_KEY_MAX)");
        return Err(Refusal::new(Code::Overloaded, message).into());
    };
    // Whoever was away for long is told once that much happened; so is whoever speaks of another feed.
    let near = after <= ask.position && ask.position - after <= LIVE_BEHIND_MAX;
    let after = if near { after } else { ask.position };
    let feed = ask.engine.subscribe(Filter { session, ..Filter::default() }, Some(after));
    // Said at once, so that the page knows that it is heard.
    let again = if near { "" } else { "event: again\ndata: {}\n\n" };
    let hello = format!("retry: 1000\nid: {}\nevent: hello\ndata: {{}}\n\n{again}", feed.position());
    let listener = Listener { ask, feed, beat: next_beat(), over: false, _place: place };
    let events = stream::unfold((Some(hello), listener), |(hello, mut listener)| async move {
        let text = match hello {
            Some(hello) => hello,
            None => listener.next().await?,
        };
        Some((Ok::<_, Infallible>(Bytes::from(text)), (None, listener)))
    });
    let mut response = Response::new(Body::from_stream(events));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // Proxies must not gather what is to be heard at once.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

fn next_beat() -> Instant {
    Instant::now() + Duration::from_millis(LIVE_BEAT_MS)
}

impl Listener {
    /// The next text to send; nothing when it is over.
    async fn next(&mut self) -> Option<String> {
        loop {
            if self.over || !self.ask.may_stay() {
                return None;
            }
            let look = Instant::now() + Duration::from_millis(KEY_LOOK_MS);
            tokio::select! {
                notice = self.feed.next() => match notice {
                    Ok(Some(Notice::Event(message))) if self.ask.may_stay() => return Some(format!("id: {}\ndata: {{}}\n\n", message.position)),
                    Ok(Some(Notice::Event(_))) => return None,
                    // The browser comes back by itself, from where it was.
                    Ok(Some(Notice::Dropped { .. })) | Ok(None) | Err(_) => {
                        self.over = true;
                        return None;
                    }
                },
                () = sleep_until(look.min(self.beat)) => {
                    if Instant::now() >= self.beat {
                        self.beat = next_beat();
                        return Some(format!("id: {}\nevent: beat\ndata: {{}}\n\n", self.feed.position()));
                    }
                }
            }
        }
    }
}
