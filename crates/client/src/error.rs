//! What can go wrong: the server refuses, or the way to it is troubled.

use handover_core::refusal::{Code, HandoffError, Refusal};
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;

/// Why a request was not granted.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address of the server, or its key, cannot be one.
    #[error("{0}")]
    Address(String),
    /// The server refused it. Nothing has changed.
    #[error("{error}")]
    Refused {
        /// The status of the answer.
        status: u16,
        /// All that is wrong.
        error: HandoffError,
        /// The id of the request, as the log of the server has it.
        request_id: String,
    },
    /// Somebody answered, and not as a server of ours does.
    #[error("the answer is not of a Handover server that this client knows: status {status}: {text}")]
    Strange {
        /// The status of the answer.
        status: u16,
        /// The beginning of what was said.
        text: String,
    },
    /// The server was not reached, or broke off, as often as it was tried.
    #[error("{0}")]
    Way(String),
    /// The server does not show that it is who it says.
    #[error("the server cannot be trusted: {0}")]
    Trust(String),
    /// The answer is larger than the client reads.
    #[error("the answer has more than {max} bytes ({name})")]
    TooLarge {
        /// At most so many bytes.
        max: usize,
        /// The name of the bound.
        name: &'static str,
    },
}

impl Error {
    /// Whether the same request may be granted a while later, with nothing mended.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Way(_) => true,
            Self::Refused { status, .. } | Self::Strange { status, .. } => is_passing(*status),
            Self::Address(_) | Self::Trust(_) | Self::TooLarge { .. } => false,
        }
    }

    /// What the server refused, where it did.
    #[must_use]
    pub fn refusal(&self) -> Option<&HandoffError> {
        match self {
            Self::Refused { error, .. } => Some(error),
            Self::Address(_) | Self::Strange { .. } | Self::Way(_) | Self::Trust(_) | Self::TooLarge { .. } => None,
        }
    }

    /// Whether the server refused with this code.
    #[must_use]
    pub fn has(&self, code: Code) -> bool {
        self.refusal().is_some_and(|error| error.has(code))
    }
}

impl From<HandoffError> for Error {
    fn from(error: HandoffError) -> Self {
        Self::Refused { status: 0, error, request_id: String::new() }
    }
}

/// Whether a status says that it may go better another time.
pub(crate) fn is_passing(status: u16) -> bool {
    matches!(status, 429 | 502..=504)
}

/// What is refused, as the server writes it.
#[derive(Deserialize)]
struct Problem {
    #[serde(default)]
    instance: String,
    errors: Vec<Wrong>,
}

#[derive(Deserialize)]
struct Wrong {
    code: Code,
    message: String,
    #[serde(default)]
    field: String,
    #[serde(default)]
    hint: String,
    #[serde(default)]
    details: Value,
}

/// Longest part of a strange answer that is told, in characters.
const SHOWN: usize = 200;

/// The error that an answer with this status and body stands for.
pub(crate) fn of_answer(status: StatusCode, body: &[u8]) -> Error {
    let status = status.as_u16();
    match serde_json::from_slice::<Problem>(body) {
        Ok(problem) if !problem.errors.is_empty() => {
            let refusals = problem.errors.into_iter().map(refusal).collect();
            let error = HandoffError { refusals, agents: String::new(), cause: None };
            Error::Refused { status, error, request_id: problem.instance }
        }
        Ok(_) | Err(_) => Error::Strange { status, text: shown(body) },
    }
}

fn refusal(wrong: Wrong) -> Refusal {
    Refusal::new(wrong.code, wrong.message).at(wrong.field).hint(wrong.hint).details(wrong.details)
}

/// The beginning of a text from elsewhere, on one line and without signs that steer a terminal.
pub(crate) fn shown(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let line: String = text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).take(SHOWN).collect();
    line.trim().to_owned()
}

/// Why a connection failed, with what lies behind it: the outer words alone say nothing.
pub(crate) fn of_way(error: &reqwest::Error) -> Error {
    let mut words: Vec<String> = Vec::new();
    let mut next: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        // The address may hold what nobody should read, and everybody knows which one was asked.
        if !text.contains("://") && !words.contains(&text) {
            words.push(text);
        }
        next = error.source();
    }
    let said = if words.is_empty() { "it was not reached".to_owned() } else { words.join(": ") };
    let lower = said.to_ascii_lowercase();
    let distrust = ["certificate", "invalid peer", "unknownissuer"].iter().any(|word| lower.contains(word));
    if distrust { Error::Trust(said) } else { Error::Way(said) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_keeps_all_that_it_says() {
        let body = br#"{"type": "/errors/HO0202", "status": 422, "instance": "abc", "errors":
            [{"code": "HO0202", "message": "who?", "field": "to_agent", "hint": "ask", "details": {"near": "x"}}]}"#;
        let Error::Refused { status, error, request_id } = of_answer(StatusCode::UNPROCESSABLE_ENTITY, body) else {
            panic!("it is a refusal")
        };
        let first = &error.refusals[0];
        assert_eq!((status, request_id.as_str(), first.code), (422, "abc", Code::UnknownTarget));
        assert_eq!((first.field.as_str(), first.hint.as_str()), ("to_agent", "ask"));
    }

    #[test]
    fn what_is_not_ours_is_told_apart() {
        for body in ["<html>\u{1b}[2J", "{}", r#"{"errors": []}"#, r#"{"errors": [{"code": "HO9999", "message": ""}]}"#]
        {
            let error = of_answer(StatusCode::BAD_GATEWAY, body.as_bytes());
            let Error::Strange { status: 502, text } = &error else { panic!("{body}: {error:?}") };
            assert!(!text.contains('\u{1b}') && error.is_passing());
        }
    }
}
