//! The text of a key, the id in it, and why a text lets nobody in.

use crate::{
    limits::{KEY_ID_CHARS, KEY_SECRET_BYTES},
    refusal::{Code, HandoffError, Refusal},
};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

const PREFIX: &str = "ho_";
const ID_LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
const SECRET_LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// Six bits are one letter.
const SECRET_CHARS: usize = (KEY_SECRET_BYTES * 8).div_ceil(6);

/// Names a key: 12 lower-case letters and digits. It is no secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct KeyId(String);

impl KeyId {
    /// The id that this number stands for.
    #[must_use]
    pub fn of_number(mut number: u128) -> Self {
        let mut letter = || {
            let at = usize::try_from(number % 36).unwrap_or(0);
            number /= 36;
            char::from(ID_LETTERS[at])
        };
        Self((0..KEY_ID_CHARS).map(|_| letter()).collect())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyId {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text.len() == KEY_ID_CHARS && text.bytes().all(|byte| ID_LETTERS.contains(&byte)) {
            return Ok(Self(text.to_owned()));
        }
        Err(format!("the id of a key has {KEY_ID_CHARS} lower-case letters and digits"))
    }
}

impl<'de> Deserialize<'de> for KeyId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text of a key: what a caller shows. It is given out once and kept nowhere.
#[must_use]
pub fn token(id: &KeyId, secret: &[u8; KEY_SECRET_BYTES]) -> String {
    let mut text = format!("{PREFIX}{id}_");
    for part in secret.chunks(3) {
        let bits = part.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        let letters = (0..=part.len()).map(|i| bits >> (18 - 6 * i) & 63);
        text.extend(letters.map(|at| char::from(SECRET_LETTERS[at as usize])));
    }
    text
}

/// The id in the text of a key; nothing where the text cannot be one.
#[must_use]
pub fn id_of(text: &str) -> Option<KeyId> {
    let rest = text.strip_prefix(PREFIX)?;
    let (id, rest) = rest.split_at_checked(KEY_ID_CHARS)?;
    let secret = rest.strip_prefix('_')?;
    let fits = secret.len() == SECRET_CHARS && secret.bytes().all(|byte| SECRET_LETTERS.contains(&byte));
    id.parse().ok().filter(|_| fits)
}

/// Why a key lets nobody in. Whoever shows it is told the same in all cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Denial {
    /// It is not the text of a key.
    Malformed,
    /// No such key was made.
    Unknown,
    /// Its time is over.
    Expired,
    /// It was taken back.
    Revoked,
}

impl Denial {
    /// Its word, for the record and for nobody outside.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Unknown => "unknown",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the key is not valid")
    }
}

impl std::error::Error for Denial {}

impl From<Denial> for HandoffError {
    fn from(denial: Denial) -> Self {
        Refusal::new(Code::BadKey, denial.to_string()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_back_and_others_are_none() {
        let id = KeyId::of_number(u128::MAX);
        let text = token(&id, &[0xfb; 32]);
        assert_eq!(text.len(), 3 + 12 + 1 + 43);
        assert_eq!(token(&id, &[0; 32]).len(), text.len());
        assert_eq!(id_of(&text), Some(id));
        assert!(text.ends_with("-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s"), "{text}");
        let short = &text[..text.len() - 1];
        let long = format!("{text}a");
        for bad in ["", "ho_", "ho__", short, long.as_str(), &text.to_uppercase(), "ho_abcdefghijkä_x", &text[1..]] {
            assert_eq!(id_of(bad), None, "{bad}");
        }
    }
}
