//! What a remote agent tells while it works, from its stream: with a bound on what is read of all streams of one piece of
//! work together.

use super::{
    card::Speaks,
    peer::{Trouble, causes, host},
    read, speak,
};
use crate::model::sse::Parser;
use a2a::StreamResponse;
use handover_core::limits::{REMOTE_EVENTS_MAX, REMOTE_STREAM_BYTES_MAX};
use reqwest::Response;
use serde_json::Value;
use std::collections::VecDeque;

/// What was read of all streams of one piece of work.
#[derive(Debug, Default)]
pub(super) struct Meter {
    bytes: usize,
    events: usize,
}

impl Meter {
    fn add(&mut self, bytes: usize, events: usize) -> Result<(), Trouble> {
        self.bytes = self.bytes.saturating_add(bytes);
        self.events = self.events.saturating_add(events);
        let bounds = [
            (self.bytes, REMOTE_STREAM_BYTES_MAX, "bytes (REMOTE_STREAM_BYTES_MAX)"),
            (self.events, REMOTE_EVENTS_MAX, "events (REMOTE_EVENTS_MAX)"),
        ];
        match bounds.iter().find(|(read, most, _)| read > most) {
            Some((_, most, what)) => Err(Trouble::Lasting(format!("its streams have no end: more than {most} {what}"))),
            None => Ok(()),
        }
    }
}

/// Where events come from.
struct Line {
    response: Response,
    parser: Parser,
    speaks: Speaks,
    id: Option<String>,
}

/// A stream of events.
pub(super) struct Events {
    /// Nothing where nothing more comes.
    line: Option<Box<Line>>,
    waiting: VecDeque<Result<StreamResponse, Trouble>>,
}

fn unreadable(why: &str) -> Trouble {
    Trouble::Lasting(format!("what it says cannot be read: {why}"))
}

impl Events {
    pub(super) fn of(response: Response, speaks: Speaks, id: Option<String>) -> Self {
        let line = Line { response, parser: Parser::default(), speaks, id };
        Self { line: Some(Box::new(line)), waiting: VecDeque::new() }
    }

    /// A stream of one event.
    pub(super) fn only(value: Value) -> Self {
        let event = read::told(value).map_err(|why| unreadable(&why));
        Self { line: None, waiting: [event].into() }
    }

    /// The next event; nothing when the stream has ended.
    pub(super) async fn next(&mut self, meter: &mut Meter) -> Option<Result<StreamResponse, Trouble>> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            let Line { response, parser, speaks, id } = &mut **self.line.as_mut()?;
            let chunk = match response.chunk().await {
                Ok(chunk) => chunk,
                Err(error) => {
                    let why = format!("the stream of {} broke off: {}", host(response.url()), causes(error));
                    self.line = None;
                    return Some(Err(Trouble::Passing(why, None)));
                }
            };
            let read = match &chunk {
                Some(chunk) => parser.feed(chunk).map_err(|error| Trouble::Lasting(error.to_string())),
                None => Ok(std::mem::take(parser).rest().into_iter().collect()),
            };
            let bytes = chunk.as_ref().map_or(0, |chunk| chunk.len());
            match read.and_then(|events| meter.add(bytes, events.len()).map(|()| events)) {
                Ok(events) => {
                    let events = events.iter().map(|event| event_of(*speaks, &event.data, id.as_deref()));
                    self.waiting.extend(events);
                }
                Err(trouble) => {
                    self.line = None;
                    return Some(Err(trouble));
                }
            }
            if chunk.is_none() {
                self.line = None;
            }
        }
    }
}

fn event_of(speaks: Speaks, data: &str, id: Option<&str>) -> Result<StreamResponse, Trouble> {
    let value: Value = serde_json::from_str(data).map_err(|error| unreadable(&error.to_string()))?;
    let value = speak::unwrapped(speaks, value, id)?;
    read::told(value).map_err(|why| unreadable(&why))
}
