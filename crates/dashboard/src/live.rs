//! What happens, told to pages that are open: which session and which handoff it is about, and nothing more. The page is
//! then asked for again, by whoever looks at it.

use crate::ask::{Answer, Ask};
use axum::{
    body::Body,
    http::{HeaderValue, Response, header},
};
use bytes::Bytes;
use futures_util::stream;
use handover_core::{
    ids::SessionId,
    limits::{KEY_LOOK_MS, LIVE_BEAT_MS},
};
use handover_engine::{BusMessage, Filter, Notice, Subscription};
use serde_json::json;
use std::{convert::Infallible, time::Duration};
use tokio::time::{Instant, sleep_until};

struct Listener {
    ask: Ask,
    feed: Subscription,
    beat: Instant,
    over: bool,
}

pub(crate) async fn listen(ask: Ask) -> Answer {
    let session = ask.query.some("session").and_then(|text| SessionId::new(text).ok());
    if let Some(session) = &session {
        ask.engine.session(session).await?;
    }
    let last = ask.headers.get("last-event-id").and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let after = last.or(ask.query.number("after")).unwrap_or(ask.position);
    let feed = ask.engine.subscribe(Filter { session, ..Filter::default() }, Some(after));
    // Said at once, so that the page knows that it is heard.
    let hello = format!("retry: 1000\nid: {}\nevent: hello\ndata: {{}}\n\n", feed.position());
    let listener = Listener { ask, feed, beat: next_beat(), over: false };
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
            if self.over || !self.may_stay() {
                return None;
            }
            let look = Instant::now() + Duration::from_millis(KEY_LOOK_MS);
            tokio::select! {
                notice = self.feed.next() => match notice {
                    Ok(Some(Notice::Event(message))) if self.may_stay() => return Some(told(&message)),
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

    /// Whoever signed out, or whose key was taken back, hears nothing more.
    fn may_stay(&self) -> bool {
        let (house, ask) = (&self.ask.house, &self.ask);
        match &ask.seat {
            Some(seat) => house.seats.counts(&house.engine, seat),
            None => !house.engine.is_closing(),
        }
    }
}

fn told(message: &BusMessage) -> String {
    let data = json!({
        "type": message.kind,
        "session": message.context.session_id,
        "handoff": message.payload.handoff(),
        "from": message.source_agent,
        "to": message.target_agent,
    });
    format!("id: {}\ndata: {data}\n\n", message.position)
}
