//! Refusals: the right answer to a bad ask. Each has a stable code, says what, where and how to mend it, and changes nothing.

mod codes;

pub use codes::{Code, Family};

use crate::ids::{AgentId, BadName};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

impl Code {
    /// Whether it passes by: the same ask may be granted a while later, and nobody has to mend anything.
    #[must_use]
    pub fn is_temporary(self) -> bool {
        matches!(self, Self::TargetUnavailable | Self::AtCapacity | Self::TooFast | Self::BreakerOpen)
    }
}

/// One thing that is wrong with an ask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refusal {
    /// The stable code.
    pub code: Code,
    /// What is wrong, with the values at hand.
    pub message: String,
    /// Where in the request, as a path.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub field: String,
    /// What to do in this very case, where there is more to say than the code does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// Figures and names for programs.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
}

impl Refusal {
    /// A refusal with a message.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), field: String::new(), hint: String::new(), details: Value::Null }
    }

    /// The same, with the place in the request.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.field = field.into();
        self
    }

    /// The same, with a hint for this very case.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The same, with figures and names for programs.
    #[must_use]
    pub fn details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.code)?;
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.message)?;
        if !self.hint.is_empty() {
            write!(f, " ({})", self.hint)?;
        }
        Ok(())
    }
}

/// Why an ask was refused: everything that is wrong with it, and between whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HandoffError {
    /// All that is wrong, in the order of the checks; never empty.
    pub refusals: Vec<Refusal>,
    /// `from->to`, where the ask was about a handoff.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agents: String,
    /// What lies behind it, where it is our own trouble.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

impl HandoffError {
    /// An error of one refusal.
    #[must_use]
    pub fn one(refusal: Refusal) -> Self {
        Self { refusals: vec![refusal], agents: String::new(), cause: None }
    }

    /// The same, with the agents it is about.
    #[must_use]
    pub fn between(mut self, from: &AgentId, to: Option<&AgentId>) -> Self {
        self.agents = format!("{from}->{}", to.map_or("?", AgentId::as_str));
        self
    }

    /// The same, with what lies behind it.
    #[must_use]
    pub fn because(mut self, cause: impl fmt::Display) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    /// The first and weightiest code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.refusals.first().map_or(Code::StoreFailed, |refusal| refusal.code)
    }

    /// Whether a refusal has this code.
    #[must_use]
    pub fn has(&self, code: Code) -> bool {
        self.refusals.iter().any(|refusal| refusal.code == code)
    }
}

impl From<Refusal> for HandoffError {
    fn from(refusal: Refusal) -> Self {
        Self::one(refusal)
    }
}

impl From<BadName> for HandoffError {
    fn from(bad: BadName) -> Self {
        let code = match bad {
            BadName::Empty => Code::EmptyField,
            BadName::TooLong { .. } => Code::TooLarge,
            BadName::BadCharacter(_) => Code::BadText,
        };
        Self::one(Refusal::new(code, format!("not a name: {bad}")))
    }
}

impl fmt::Display for HandoffError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.agents.is_empty() {
            write!(f, "{}: ", self.agents)?;
        }
        for (i, refusal) in self.refusals.iter().enumerate() {
            let comma = if i > 0 { "; " } else { "" };
            write!(f, "{comma}{refusal}")?;
        }
        match &self.cause {
            Some(cause) => write!(f, ": {cause}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for HandoffError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_in_order() {
        let texts: Vec<&str> = Code::ALL.iter().map(|code| code.text()).collect();
        assert!(texts.windows(2).all(|pair| pair[0] < pair[1]), "{texts:?}");
        for code in Code::ALL {
            assert_eq!(code.text().parse::<Code>().unwrap(), *code);
            assert!(code.mend().ends_with('.') && code.meaning().ends_with('.'), "{code}");
        }
    }

    #[test]
    fn says_between_whom_what_and_how_to_mend_it() {
        let from = AgentId::new("dojo").unwrap();
        let refusal = Refusal::new(Code::UnknownTarget, "\"libarian\" is not registered").at("to_agent");
        let error = HandoffError::one(refusal.hint("did you mean \"librarian\"?")).between(&from, None);
        assert_eq!(
            error.to_string(),
            "dojo->?: HO0202 to_agent: \"libarian\" is not registered (did you mean \"librarian\"?)"
        );
    }
}
