//! Server-sent events, from bytes that come in any pieces. It reads no socket: whoever has bytes feeds them.

use handover_core::limits::{MODEL_EVENT_BYTES_MAX, MODEL_LINE_BYTES_MAX};

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Event {
    /// Its name; empty when it has none.
    pub name: String,
    /// Its data; the lines of it are joined.
    pub data: String,
}

/// Why a stream is not read on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Overlong {
    /// A line has no end.
    #[error("a line of the answer is longer than {MODEL_LINE_BYTES_MAX} bytes (MODEL_LINE_BYTES_MAX)")]
    Line,
    /// An event has no end.
    #[error("a piece of the answer is larger than {MODEL_EVENT_BYTES_MAX} bytes (MODEL_EVENT_BYTES_MAX)")]
    Event,
}

/// Reads events. Lines are put together as bytes, so that a character may be cut anywhere.
#[derive(Debug, Default)]
pub struct Parser {
    line: Vec<u8>,
    after_return: bool,
    begun: bool,
    event: Event,
    has_data: bool,
}

impl Parser {
    /// Reads some more, and gives the events that are complete by now.
    ///
    /// # Errors
    /// When a line or an event is too long to be kept.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Event>, Overlong> {
        let mut events = Vec::new();
        for &byte in bytes {
            let joined = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if joined => {} // The line ended with the byte before.
                b'\n' | b'\r' => events.extend(self.end_line()?),
                _ if self.line.len() >= MODEL_LINE_BYTES_MAX => return Err(Overlong::Line),
                _ => self.line.push(byte),
            }
        }
        Ok(events)
    }

    /// What is left when no more comes: an event whose last line was not ended, as some servers do it.
    #[must_use]
    pub fn rest(mut self) -> Option<Event> {
        if !self.line.is_empty() {
            let _ = self.end_line();
        }
        self.has_data.then_some(self.event)
    }

    fn end_line(&mut self) -> Result<Option<Event>, Overlong> {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let line = if self.begun { &*text } else { text.trim_start_matches('\u{feff}') };
        self.begun = true;
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return Ok(std::mem::take(&mut self.has_data).then_some(event));
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event.name),
            "data" => self.add(value)?,
            // A comment has no name; ids and times to wait mean nothing for an answer that is read once.
            _ => {}
        }
        Ok(None)
    }

    fn add(&mut self, value: &str) -> Result<(), Overlong> {
        if self.event.data.len() + value.len() >= MODEL_EVENT_BYTES_MAX {
            return Err(Overlong::Event);
        }
        if std::mem::replace(&mut self.has_data, true) {
            self.event.data.push('\n');
        }
        self.event.data.push_str(value);
        Ok(())
    }
}
