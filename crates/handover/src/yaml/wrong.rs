//! Why a value cannot be read, in the words of refusals.

use super::{
    notes::{did_you_mean, quoted},
    tree::NodeId,
};
use handover_core::refusal::{Code, Refusal};
use serde::de::{Error, Expected, Unexpected};
use std::fmt;

/// What serde says of a value, and the value that it says it of.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) kind: Kind,
    pub(super) at: Option<NodeId>,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// A mistake of its own.
    Is(Box<Refusal>),
    /// A field is missing. That is no news when its value was left out for a mistake.
    Missing(&'static str),
    /// There are too few entries. That is no news when one was left out for a mistake.
    Length(String),
    /// The type itself says no.
    Custom(String),
    /// It was left out for a mistake that is noted already.
    Noted,
}

impl Wrong {
    pub(super) fn is(refusal: Refusal) -> Self {
        Self::of(Kind::Is(Box::new(refusal)))
    }

    pub(super) fn of(kind: Kind) -> Self {
        Self { kind, at: None }
    }

    /// The innermost value is the one that is wrong.
    pub(super) fn at(mut self, node: NodeId) -> Self {
        self.at.get_or_insert(node);
        self
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Is(refusal) => f.write_str(&refusal.message),
            Kind::Missing(name) => write!(f, "`{name}` is missing"),
            Kind::Length(text) | Kind::Custom(text) => f.write_str(text),
            Kind::Noted => f.write_str("it cannot be read"),
        }
    }
}

impl std::error::Error for Wrong {}

impl Error for Wrong {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::of(Kind::Custom(message.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::is(Refusal::new(Code::WrongType, format!("expected {expected}, found {found}")))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let code = match found {
            Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => Code::OutOfRange,
            _ => Code::UnknownValue,
        };
        Self::is(Refusal::new(code, format!("expected {expected}, found {found}")))
    }

    fn invalid_length(count: usize, expected: &dyn Expected) -> Self {
        Self::of(Kind::Length(format!("expected {expected}, found {count} entries")))
    }

    fn unknown_variant(word: &str, words: &'static [&'static str]) -> Self {
        Self::is(unknown_value(word, words))
    }

    fn unknown_field(name: &str, names: &'static [&'static str]) -> Self {
        Self::is(unknown_field(name, names))
    }

    fn missing_field(name: &'static str) -> Self {
        Self::of(Kind::Missing(name))
    }

    fn duplicate_field(name: &'static str) -> Self {
        let refusal = Refusal::new(Code::NotYaml, format!("{} is given twice", quoted(name)));
        Self::is(refusal.hint("give it once; another name may stand for the same field"))
    }
}

/// A word that is none of the allowed ones.
pub(super) fn unknown_value(word: &str, words: &[&str]) -> Refusal {
    let listed = words.join(", ");
    let refusal = Refusal::new(Code::UnknownValue, format!("{} is not one of {listed}", quoted(word)));
    refusal.hint(did_you_mean(word, words.iter().copied()).unwrap_or_else(|| format!("use one of {listed}")))
}

/// A field that nothing reads.
pub(crate) fn unknown_field(name: &str, names: &[&str]) -> Refusal {
    let refusal = Refusal::new(Code::UnknownField, format!("there is no field {}", quoted(name)));
    let listed = || match names {
        [] => "there are no fields here".to_owned(),
        names => format!("the fields are {}", names.join(", ")),
    };
    match name {
        "<<" => refusal.hint("merging is not read; use an alias for a whole value, or give the fields here"),
        name => refusal.hint(did_you_mean(name, names.iter().copied()).unwrap_or_else(listed)),
    }
}
