//! An answer that grows piece by piece: its text, and the tools that it asks for.

use super::{Arguments, Ask, Call, Line, Piece, Reply, StopReason, TokensUsed, Trouble, troubles::Failed};
use handover_core::limits::MODEL_CALLS_MAX;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A call whose arguments are still being written.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Its place among the calls, as the provider counts.
    pub(super) index: Option<u64>,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

impl Part {
    /// Whether nothing is missing.
    pub(super) fn is_whole(&self) -> bool {
        !self.name.is_empty() && serde_json::from_str::<Map<String, Value>>(&self.arguments).is_ok()
    }
}

/// What was heard of an answer so far.
#[derive(Debug)]
pub(super) struct Growing {
    pub(super) text: String,
    pub(super) calls: Vec<Part>,
    pub(super) model: String,
    pub(super) used: Option<TokensUsed>,
    pub(super) stop: Option<StopReason>,
    /// The length of the conversation: it makes ids that no other answer of it has.
    line: usize,
    taken: BTreeSet<String>,
}

impl Growing {
    pub(super) fn new(ask: &Ask) -> Self {
        let calls = ask.lines.iter().flat_map(|line| match line {
            Line::Model { calls, .. } => calls.as_slice(),
            Line::User(_) | Line::Results(_) => &[],
        });
        Self {
            text: String::new(),
            calls: Vec::new(),
            model: ask.model.clone(),
            used: None,
            stop: None,
            line: ask.lines.len(),
            taken: calls.map(|call| call.id.clone()).collect(),
        }
    }

    pub(super) fn say(&mut self, text: &str, heard: &mut Vec<Piece>) {
        if !text.is_empty() {
            self.text.push_str(text);
            heard.push(Piece::Text(text.to_owned()));
        }
    }

    /// A call begins.
    pub(super) fn begin(&mut self, index: Option<u64>) -> Result<usize, Failed> {
        if self.calls.len() >= MODEL_CALLS_MAX {
            let message = format!("the model asks for more than {MODEL_CALLS_MAX} tools at once (MODEL_CALLS_MAX)");
            return Err(Failed::new(Trouble::Answer, message));
        }
        self.calls.push(Part { index, ..Part::default() });
        Ok(self.calls.len() - 1)
    }

    /// A call has a name. It is said once; what comes again is a repetition.
    pub(super) fn name(&mut self, place: usize, name: &str, heard: &mut Vec<Piece>) {
        if let Some(part) = self.calls.get_mut(place)
            && part.name.is_empty()
            && !name.is_empty()
        {
            name.clone_into(&mut part.name);
            heard.push(Piece::Tool(name.to_owned()));
        }
    }

    /// The model that answers, as the provider says.
    pub(super) fn answered_by(&mut self, model: Option<&Value>) {
        if let Some(name) = model.and_then(Value::as_str).filter(|name| !name.is_empty()) {
            name.clone_into(&mut self.model);
        }
    }

    /// The whole of it. Tools that are asked for are waited for, whatever the provider calls it.
    pub(super) fn reply(mut self) -> Reply {
        let parts = std::mem::take(&mut self.calls);
        let calls: Vec<Call> = parts.into_iter().enumerate().map(|(place, part)| self.call(place, part)).collect();
        let stop = match self.stop {
            Some(StopReason::Length) => StopReason::Length,
            Some(StopReason::Refused) => StopReason::Refused,
            Some(StopReason::Done | StopReason::Tools) | None if calls.is_empty() => StopReason::Done,
            Some(StopReason::Done | StopReason::Tools) | None => StopReason::Tools,
        };
        Reply { text: self.text, calls, stop, used: self.used, model: self.model }
    }

    fn call(&mut self, place: usize, part: Part) -> Call {
        let mut id = part.id;
        let mut more = 0;
        // Some providers give no ids, some give the same one twice; the result of a call must find its call.
        while id.is_empty() || self.taken.contains(&id) {
            id = if more == 0 {
                format!("call_{}_{place}", self.line)
            } else {
                format!("call_{}_{place}_{more}", self.line)
            };
            more += 1;
        }
        self.taken.insert(id.clone());
        Call { id, name: part.name, arguments: read_arguments(&part.arguments) }
    }
}

/// The arguments as an object, or why they are none. No arguments are an empty object.
pub(super) fn read_arguments(text: &str) -> Arguments {
    let broken = |why: String| Arguments::Broken { text: text.to_owned(), why };
    if text.trim().is_empty() {
        return Arguments::Read(Value::Object(Map::new()));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Null) => Arguments::Read(Value::Object(Map::new())),
        Ok(Value::Object(fields)) => Arguments::Read(Value::Object(fields)),
        Ok(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            broken("the arguments are JSON, but no object".into())
        }
        Err(error) => broken(format!("the arguments are no JSON: {error}")),
    }
}

/// The arguments as they are told to a provider. What was no object is told as one: providers refuse anything else.
pub(super) fn told_arguments(arguments: &Arguments) -> Value {
    match arguments {
        Arguments::Read(value) => value.clone(),
        Arguments::Broken { text, why: _ } => serde_json::json!({ "unreadable": text }),
    }
}

/// An answer that ended before it was whole.
pub(super) fn broke_off() -> Failed {
    Failed::new(Trouble::Connection, "the answer broke off")
}

/// An answer that cannot be read.
pub(super) fn unreadable(what: &str, error: &dyn std::fmt::Display) -> Failed {
    Failed::new(Trouble::Answer, format!("{what} cannot be read: {error}"))
}
