//! The mistakes of one input, collected while it is read.

use crate::{
    ids::AgentId,
    limits,
    refusal::{Code, HandoffError, Refusal},
};
use serde_json::json;
use std::cell::{Cell, RefCell};

/// Shared by everything that reads one input.
pub(super) struct Mistakes {
    found: RefCell<Vec<Refusal>>,
    beyond: Cell<usize>,
    /// Stands in for an agent that cannot be read.
    pub(super) nobody: AgentId,
}

impl Mistakes {
    pub(super) fn new() -> Result<Self, HandoffError> {
        let nobody = AgentId::new("nobody").map_err(|bad| Refusal::new(Code::BadText, bad.to_string()))?;
        Ok(Self { found: RefCell::default(), beyond: Cell::new(0), nobody })
    }

    pub(super) fn add(&self, refusal: Refusal) {
        let mut found = self.found.borrow_mut();
        if found.len() < limits::MISTAKES_MAX {
            found.push(refusal);
        } else {
            self.beyond.set(self.beyond.get() + 1);
        }
    }

    /// Whether a further mistake is only counted, so that nothing need be said about it.
    pub(super) fn is_full(&self) -> bool {
        self.found.borrow().len() == limits::MISTAKES_MAX
    }

    /// What was read, if nothing was wrong with it.
    pub(super) fn verdict<T>(self, read: Option<T>) -> Result<T, HandoffError> {
        let mut refusals = self.found.into_inner();
        match read {
            Some(read) if refusals.is_empty() => return Ok(read),
            // Whatever cannot be read has left a mistake; should one be forgotten, the answer is still a refusal.
            None if refusals.is_empty() => refusals.push(Refusal::new(Code::WrongType, "it cannot be read")),
            Some(_) | None => {}
        }
        // The codes are in the order of the specification. The sort is stable: equal ones stay as they were read.
        refusals.sort_by_key(|refusal| refusal.code);
        let beyond = self.beyond.get();
        if beyond > 0 {
            let message = format!("{beyond} further mistakes are not listed");
            refusals.push(Refusal::new(Code::TooLarge, message).details(json!({"further": beyond})));
        }
        Err(HandoffError { refusals, agents: String::new(), cause: None })
    }
}

/// A piece of the input as a message may repeat it: quoted, and not too long.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", short(text))
}

/// A name of the input as a path shows it.
pub(super) fn step(name: &str) -> String {
    short(name).replace(char::is_control, "\u{fffd}")
}

/// The beginning of a text, marked where it was cut.
fn short(text: &str) -> String {
    match text.char_indices().nth(limits::QUOTE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
