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
enum Source {
    Line {
        response: Response,
        parser: Parser,
        speaks: Speaks,
        id: Option<String>,
    },
    /// Nothing more comes.
    Ended,
}

/// A stream of events.
pub(super) struct Events {
    source: Source,
    waiting: VecDeque<Result<StreamResponse, Trouble>>,
}

fn unreadable(why: &str) -> Trouble {
    Trouble::Lasting(format!("what it says cannot be read: {why}"))
}

impl Events {
    pub(super) fn of(response: Response, speaks: Speaks, id: Option<String>) -> Self {
        let source = Source::Line { response, parser: Parser::default(), speaks, id };
        Self { source, waiting: VecDeque::new() }
    }

    /// A stream of one event.
    pub(super) fn only(value: Value) -> Self {
        let event = read::told(value).map_err(|why| unreadable(&why));
        Self { source: Source::Ended, waiting: [event].into() }
    }

    /// The next event; nothing when the stream has ended.
    pub(super) async fn next(&mut self, meter: &mut Meter) -> Option<Result<StreamResponse, Trouble>> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            let Source::Line { response, parser, speaks, id } = &mut self.source else { return None };
            let chunk = match response.chunk().await {
                Ok(chunk) => chunk,
                Err(error) => {
                    let why = format!("the stream of {} broke off: {}", host(response.url()), causes(error));
                    self.source = Source::Ended;
                    return Some(Err(Trouble::Passing(why, None)));
                }
            };
            let (speaks, id) = (*speaks, id.clone());
            let events = match &chunk {
                Some(chunk) => parser.feed(chunk).map_err(|error| Trouble::Lasting(error.to_string())),
                None => Ok(std::mem::take(parser).rest().into_iter().collect()),
            };
            if chunk.is_none() || events.is_err() {
                self.source = Source::Ended;
            }
            let bytes = chunk.map_or(0, |chunk| chunk.len());
            match events.and_then(|events| meter.add(bytes, events.len()).map(|()| events)) {
                Ok(events) => {
                    self.waiting.extend(events.iter().map(|event| event_of(speaks, &event.data, id.as_deref())))
                }
                Err(trouble) => return Some(Err(trouble)),
            }
        }
    }
}

fn event_of(speaks: Speaks, data: &str, id: Option<&str>) -> Result<StreamResponse, Trouble> {
    let value: Value = serde_json::from_str(data).map_err(|error| unreadable(&error.to_string()))?;
    let value = speak::unwrapped(speaks, value, id)?;
    read::told(value).map_err(|why| unreadable(&why))
}
