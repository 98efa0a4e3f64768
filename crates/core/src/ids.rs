//! Names of things. Each has its own type, so that one cannot be passed for another.

use crate::limits::{AGENT_ID_CHARS_MAX, PREFIX_CHARS_MIN, SESSION_ID_CHARS_MAX};
use serde::{Deserialize, Serialize};
use std::{borrow::Borrow, fmt, str::FromStr, sync::Arc};
use uuid::Uuid;

/// Why a text is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// Nothing was given.
    #[error("it is empty")]
    Empty,
    /// Too many characters.
    #[error("it has {chars} characters, at most {max} are allowed")]
    TooLong {
        /// How many there are.
        chars: usize,
        /// How many there may be.
        max: usize,
    },
    /// A character that a name cannot have.
    #[error("it contains {0:?}; letters, digits, '-', '_', '.', ':' and '/' are allowed")]
    BadCharacter(char),
}

fn check_name(text: &str, max: usize) -> Result<(), BadName> {
    if text.is_empty() {
        return Err(BadName::Empty);
    }
    let chars = text.chars().count();
    if chars > max {
        return Err(BadName::TooLong { chars, max });
    }
    let allowed = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/');
    match text.chars().find(|c| !allowed(c)) {
        Some(c) => Err(BadName::BadCharacter(c)),
        None => Ok(()),
    }
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $max:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks and takes a name.
            ///
            /// # Errors
            /// When the text is empty, too long or has a character that names cannot have.
            pub fn new(text: impl AsRef<str>) -> Result<Self, BadName> {
                check_name(text.as_ref(), $max)?;
                Ok(Self(Arc::from(text.as_ref())))
            }

            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = BadName;
            fn from_str(text: &str) -> Result<Self, BadName> {
                Self::new(text)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Self::new(text.as_ref()).map_err(serde::de::Error::custom)
            }
        }
    };
}

name!(
    /// Names an agent: an LLM, a program, a remote service, a person.
    AgentId,
    AGENT_ID_CHARS_MAX
);
name!(
    /// Names a session: one conversation or request from start to end.
    SessionId,
    SESSION_ID_CHARS_MAX
);

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                text.parse().map(Self)
            }
        }
    };
}

number!(
    /// Names a handoff (a random UUID, version 4).
    HandoffId
);
number!(
    /// Names the members of one broadcast as a group.
    GroupId
);
number!(
    /// Fences the writes of whoever accepted a handoff.
    LeaseId
);
number!(
    /// Names an artifact.
    ArtifactId
);

impl HandoffId {
    /// The first and the last id that begin so; nothing where it is no beginning of an id of `PREFIX_CHARS_MIN` characters.
    #[must_use]
    pub fn between(beginning: &str) -> Option<(Self, Self)> {
        const SHAPE: &str = "00000000-0000-0000-0000-000000000000";
        let fits = |(c, place): (char, char)| if place == '-' { c == '-' } else { c.is_ascii_hexdigit() };
        let is_beginning = beginning.len() <= SHAPE.len() && beginning.chars().zip(SHAPE.chars()).all(fits);
        if !is_beginning || beginning.len() < PREFIX_CHARS_MIN {
            return None;
        }
        let rest = &SHAPE[beginning.len()..];
        let whole = |rest: &str| format!("{beginning}{rest}").parse().ok();
        Some((whole(rest)?, whole(&rest.replace('0', "f"))?))
    }
}

impl SessionId {
    /// The book of the house: agents, checkpoints and pruning are recorded here.
    #[must_use]
    pub fn house() -> Self {
        Self(Arc::from(HOUSE))
    }

    /// Whether this is the book of the house.
    #[must_use]
    pub fn is_house(&self) -> bool {
        self.as_str() == HOUSE
    }
}

/// The id of the book of the house, and the name of the tenant that it belongs to.
pub(crate) const HOUSE: &str = "handover:house";

/// Where new ids come from. An argument of every decision, so that a decision can be repeated to the letter.
pub trait Ids {
    /// The next id: a UUID of version 4.
    fn next(&mut self) -> Uuid;
}

/// Random ids, for everything but tests.
#[derive(Debug, Default, Clone, Copy)]
pub struct RandomIds;

impl Ids for RandomIds {
    fn next(&mut self) -> Uuid {
        Uuid::new_v4()
    }
}

/// Counted ids that look like UUIDs of version 4, for tests that compare text.
#[derive(Debug, Default, Clone, Copy)]
pub struct CountedIds(pub u64);

impl Ids for CountedIds {
    fn next(&mut self) -> Uuid {
        self.0 += 1;
        uuid::Builder::from_random_bytes(u128::from(self.0).to_be_bytes()).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_stands_for_a_range() {
        let range = |first: &str, last: &str| Some((first.parse().unwrap(), last.parse().unwrap()));
        let one = "3f2a0000-1234-4000-8000-00000000000a";
        let cases = [
            ("3f2a", range("3f2a0000-0000-0000-0000-000000000000", "3f2affff-ffff-ffff-ffff-ffffffffffff")),
            ("3f2a0000-", range("3f2a0000-0000-0000-0000-000000000000", "3f2a0000-ffff-ffff-ffff-ffffffffffff")),
            ("3f2a0000-12", range("3f2a0000-1200-0000-0000-000000000000", "3f2a0000-12ff-ffff-ffff-ffffffffffff")),
            (one, range(one, one)),
            ("3f2", None),
            ("3f2g", None),
            ("3f2a-", None),
            ("3f2a00001", None),
            ("3f2aé000", None),
            ("3f2a0000-0000-0000-0000-0000000000000", None),
        ];
        for (text, expected) in cases {
            assert_eq!(HandoffId::between(text), expected, "{text}");
        }
    }
}
