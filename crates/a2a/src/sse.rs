//! Streams of updates as server-sent events.

use crate::{desk::Streamed, follow::Follow, wrong::Wrong};
use axum::{
    body::Body,
    http::{HeaderValue, Response, header},
};
use bytes::Bytes;
use futures_util::stream;
use handover_core::limits::LISTENER_BEAT_MS;
use serde_json::Value;
use std::{convert::Infallible, time::Duration};

/// How one update is written.
pub(crate) type Written = Box<dyn Fn(Result<Value, &Wrong>) -> Value + Send + Sync>;

struct Stream {
    first: Option<Value>,
    then: Option<Follow>,
    until_rest: bool,
    written: Written,
}

impl Stream {
    /// The next text to send; nothing when it is over.
    async fn next(&mut self) -> Option<String> {
        if let Some(first) = self.first.take() {
            return Some(event(&(self.written)(Ok(first))));
        }
        let follow = self.then.as_mut()?;
        // A beat does not stop the look at the feed in the middle: nothing is lost by it.
        let told = tokio::select! {
            biased;
            told = follow.next() => told,
            () = tokio::time::sleep(Duration::from_millis(LISTENER_BEAT_MS)) => return Some(": alive\n\n".to_owned()),
        };
        match told {
            Ok(Some(told)) => {
                if told.ends || (told.rests && self.until_rest) {
                    self.then = None;
                }
                Some(event(&(self.written)(Ok(told.update))))
            }
            Ok(None) => None,
            Err(wrong) => {
                self.then = None;
                Some(event(&(self.written)(Err(&wrong))))
            }
        }
    }
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// A stream as an answer.
pub(crate) fn answer(streamed: Streamed, written: Written) -> Response<Body> {
    let Streamed { first, then, until_rest } = streamed;
    let begun = Stream { first: Some(first), then, until_rest, written };
    let events = stream::unfold(begun, |mut stream| async move {
        let text = stream.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(text)), stream))
    });
    let mut response = Response::new(Body::from_stream(events));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Proxies must not gather what is to be heard at once.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}
