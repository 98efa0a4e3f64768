//! One value of the input and where it stands. Each reader takes the value, or leaves a mistake and gives nothing.

use super::{
    fields::Fields,
    mistakes::{Mistakes, quoted, step},
    words::Word,
};
use crate::decide::validate::{deeper_than, json_len};
use crate::{
    ids::{AgentId, BadName},
    limits,
    nearest::nearest,
    refusal::{Code, Refusal},
    time::Timestamp,
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// A bound and its name in `limits.rs`.
pub(super) type Limit = (usize, &'static str);

const TEXT: Limit = (limits::TEXT_BYTES_MAX, "TEXT_BYTES_MAX");
const PAYLOAD: Limit = (limits::PAYLOAD_BYTES_MAX, "PAYLOAD_BYTES_MAX");
const CONTENT: Limit = (limits::MESSAGE_BYTES_MAX, "MESSAGE_BYTES_MAX");
const VARIABLES: Limit = (limits::VARIABLES_MAX, "VARIABLES_MAX");
const VARIABLE_NAME: Limit = (limits::VARIABLE_NAME_CHARS_MAX, "VARIABLE_NAME_CHARS_MAX");

pub(super) struct Place<'m> {
    value: Value,
    path: String,
    mistakes: &'m Mistakes,
}

impl<'m> Place<'m> {
    pub(super) fn new(value: Value, path: String, mistakes: &'m Mistakes) -> Self {
        Self { value, path, mistakes }
    }

    pub(super) fn value(&self) -> &Value {
        &self.value
    }

    /// Leaves a mistake at this place.
    pub(super) fn wrong(&self, code: Code, message: impl Into<String>) {
        self.refuse(Refusal::new(code, message));
    }

    /// The same, with a hint where there is one.
    pub(super) fn refuse(&self, refusal: Refusal) {
        self.mistakes.add(refusal.at(&self.path));
    }

    pub(super) fn wrong_type(&self, expected: &str) {
        self.wrong(Code::WrongType, format!("expected {expected}, found {}", sort(&self.value)));
    }

    /// A field that says what another one says already.
    pub(super) fn twice(&self, other: &str) {
        self.refuse(Refusal::new(Code::UnknownField, format!("`{other}` says the same")).hint("give one of the two"));
    }

    fn string(mut self) -> Option<(String, Self)> {
        match std::mem::take(&mut self.value) {
            Value::String(text) => Some((text, self)),
            other => {
                self.value = other;
                self.wrong_type("a text");
                None
            }
        }
    }

    fn bounded(&self, actual: usize, unit: &str, (max, limit): Limit) -> bool {
        if actual > max {
            let message = format!("it has {actual} {unit}; at most {max} are allowed ({limit})");
            let details = json!({"limit": limit, "max": max, "actual": actual});
            self.refuse(Refusal::new(Code::TooLarge, message).details(details));
        }
        actual <= max
    }

    fn clean(&self, text: &str) -> bool {
        let bad = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r'));
        if let Some(bad) = bad {
            self.wrong(Code::BadText, format!("it contains {bad:?}"));
        }
        bad.is_none()
    }

    /// A text that says something.
    pub(super) fn text(self) -> Option<String> {
        let (text, place) = self.string()?;
        if text.trim().is_empty() {
            place.wrong(Code::EmptyField, "it is empty");
            return None;
        }
        (place.bounded(text.len(), "bytes", TEXT) & place.clean(&text)).then_some(text)
    }

    /// A text that says something in a few characters.
    pub(super) fn short_text(self, limit: Limit) -> Option<String> {
        let (path, mistakes) = (self.path.clone(), self.mistakes);
        let text = self.text()?;
        Self::new(Value::Null, path, mistakes).bounded(text.chars().count(), "characters", limit).then_some(text)
    }

    /// A text that may be empty.
    pub(super) fn free_text(self) -> Option<String> {
        let (text, place) = self.string()?;
        (place.bounded(text.len(), "bytes", TEXT) & place.clean(&text)).then_some(text)
    }

    /// What a message says: any characters, because it is cleaned before it is stored.
    pub(super) fn content(self) -> Option<String> {
        let (text, place) = self.string()?;
        place.bounded(text.len(), "bytes", CONTENT).then_some(text)
    }

    /// One of a fixed set of words.
    pub(super) fn word<T: Word>(self) -> Option<T> {
        let (text, place) = self.string()?;
        let found = T::WORDS.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let words: Vec<&str> = T::WORDS.iter().map(|(word, _)| *word).collect();
            place.unknown_value(&text, &words);
        }
        found
    }

    pub(super) fn unknown_value(&self, text: &str, words: &[&str]) {
        let refusal = Refusal::new(Code::UnknownValue, format!("{} is not one of {}", quoted(text), words.join(", ")));
        self.refuse(did_you_mean(refusal, text, words));
    }

    pub(super) fn boolean(self) -> Option<bool> {
        let found = self.value.as_bool();
        if found.is_none() {
            self.wrong_type("true or false");
        }
        found
    }

    pub(super) fn is_number(&self) -> bool {
        self.value().is_number()
    }

    /// Whether it is an object.
    pub(super) fn is_object(&self) -> bool {
        self.value.is_object()
    }

    /// A number between these two.
    pub(super) fn number(self, min: f64, max: f64) -> Option<f64> {
        let Some(number) = self.value.as_f64() else {
            self.wrong_type("a number");
            return None;
        };
        let fits = (min..=max).contains(&number);
        if !fits && max == f64::MAX {
            self.wrong(Code::OutOfRange, format!("{} is below {min}", self.value));
        } else if !fits {
            self.wrong(Code::OutOfRange, format!("{} is not between {min} and {max}", self.value));
        }
        fits.then_some(number)
    }

    /// A whole number between these two. `30.0` is one: JSON has no other numbers.
    pub(super) fn whole(self, min: u64, max: u64) -> Option<u64> {
        let Some(number) = self.value.as_f64() else {
            self.wrong_type("a whole number");
            return None;
        };
        if number.fract() != 0.0 {
            self.wrong(Code::WrongType, format!("expected a whole number, found {}", self.value));
            return None;
        }
        let exact = || (0.0..=9_007_199_254_740_992.0).contains(&number).then_some(number as u64);
        let found = self.value.as_u64().or_else(exact).filter(|number| (min..=max).contains(number));
        if found.is_none() {
            let most = if max == u64::MAX { "2^64 - 1".to_owned() } else { max.to_string() };
            self.wrong(Code::OutOfRange, format!("{} is not between {min} and {most}", self.value));
        }
        found
    }

    pub(super) fn agent(self) -> Option<AgentId> {
        let (text, place) = self.string()?;
        match AgentId::new(&text) {
            Ok(agent) => return Some(agent),
            Err(BadName::Empty) => place.wrong(Code::EmptyField, "it is empty"),
            Err(bad @ BadName::TooLong { .. }) => place.wrong(Code::TooLarge, format!("{bad} (AGENT_ID_CHARS_MAX)")),
            Err(bad @ BadName::BadCharacter(_)) => place.wrong(Code::BadText, format!("{}: {bad}", quoted(&text))),
        }
        None
    }

    pub(super) fn uuid(self) -> Option<Uuid> {
        let (text, place) = self.string()?;
        let found = text.parse().ok();
        if found.is_none() {
            place.wrong(Code::WrongType, format!("expected a UUID, found {}", quoted(&text)));
        }
        found
    }

    pub(super) fn time(self) -> Option<Timestamp> {
        let (text, place) = self.string()?;
        let found = text.parse().ok();
        if found.is_none() {
            let refusal = Refusal::new(Code::WrongType, format!("expected a time, found {}", quoted(&text)));
            place.refuse(refusal.hint("write it as 2030-01-31T12:00:00Z"));
        }
        found
    }

    /// Data of the caller's own: not too large, not too deep.
    pub(super) fn payload(self) -> Option<Value> {
        if deeper_than(&self.value, limits::JSON_DEPTH_MAX) {
            let max = limits::JSON_DEPTH_MAX;
            self.wrong(Code::TooDeep, format!("it is nested more than {max} levels deep (JSON_DEPTH_MAX)"));
            return None;
        }
        self.bounded(json_len(&self.value), "bytes of JSON", PAYLOAD).then_some(self.value)
    }

    /// Variables by their names.
    pub(super) fn variables(self) -> Option<Map<String, Value>> {
        let Self { value: Value::Object(map), path, mistakes } = self else {
            self.wrong_type("an object");
            return None;
        };
        if !Self::new(Value::Null, path.clone(), mistakes).bounded(map.len(), "entries", VARIABLES) {
            return None;
        }
        let read = |(name, value): (String, Value)| {
            let at = format!("{path}.{}", step(&name));
            let named = Self::new(Value::String(name), at.clone(), mistakes).short_text(VARIABLE_NAME);
            let value = Self::new(value, at, mistakes).payload();
            Some((named?, value?))
        };
        Some(map.into_iter().filter_map(read).collect())
    }

    /// Every entry of a list that can be read.
    pub(super) fn list<T>(self, limit: Option<Limit>, read: impl FnMut(Self) -> Option<T>) -> Option<Vec<T>> {
        let Self { value: Value::Array(items), path, mistakes } = self else {
            self.wrong_type("a list");
            return None;
        };
        if let Some(limit) = limit
            && !Self::new(Value::Null, path.clone(), mistakes).bounded(items.len(), "entries", limit)
        {
            return None;
        }
        let placed = items.into_iter().enumerate();
        let placed = placed.map(|(i, item)| Self::new(item, format!("{path}[{i}]"), mistakes));
        Some(placed.filter_map(read).collect())
    }

    /// A text as the short form of an object.
    pub(super) fn text_or_object<T>(
        self,
        text: impl FnOnce(Self) -> Option<T>,
        read: impl FnOnce(&mut Fields<'m>) -> T,
    ) -> Option<T> {
        match &self.value {
            Value::String(_) => text(self),
            Value::Object(_) => self.object(read),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                self.wrong_type("a text or an object");
                None
            }
        }
    }

    /// An object, by its fields; those that nobody asked for are mistakes.
    pub(super) fn object<T>(self, read: impl FnOnce(&mut Fields<'m>) -> T) -> Option<T> {
        let Self { value: Value::Object(map), path, mistakes } = self else {
            self.wrong_type("an object");
            return None;
        };
        let mut fields = Fields::new(map, path, mistakes);
        let found = read(&mut fields);
        fields.finish();
        Some(found)
    }
}

/// The same refusal, with the word that was perhaps meant.
pub(super) fn did_you_mean(refusal: Refusal, wanted: &str, words: &[&str]) -> Refusal {
    if wanted.len() > limits::SLIP_BYTES_MAX {
        return refusal;
    }
    match nearest(wanted, words.iter().map(|word| (*word, *word))) {
        Some(near) => refusal.hint(format!("did you mean \"{near}\"?")),
        None => refusal,
    }
}

fn sort(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
