//! Terms: the words of a text in a form that can be compared, in any language and without lists of words.

use crate::{handoff::Request, limits, message::NewMessage};
use serde_json::Value;
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// A term as a number: a hash is all that a comparison needs, and it costs no memory of its own. Its last bit says
/// whether the word is short.
pub(super) type Term = u64;

/// The terms of something, each once, in order. A sorted list is smaller and quicker than a tree at this size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Terms(Vec<Term>);

impl Terms {
    pub(super) fn of(mut terms: Vec<Term>) -> Self {
        terms.sort_unstable();
        terms.dedup();
        Self(terms)
    }

    pub(super) fn contains(&self, term: Term) -> bool {
        self.0.binary_search(&term).is_ok()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Term> {
        self.0.iter().copied()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// How many terms are in both.
    pub(super) fn shared_with(&self, other: &Self) -> usize {
        let (mut shared, mut rest) = (0, other.0.iter().peekable());
        for term in &self.0 {
            while rest.next_if(|next| *next < term).is_some() {}
            shared += usize::from(rest.next_if_eq(&term).is_some());
        }
        shared
    }
}

/// Counts by term. A term is a hash already and need not be hashed again.
pub(super) type Counts = HashMap<Term, f64, BuildHasherDefault<AsItIs>>;

#[derive(Default)]
pub(super) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, term: u64) {
        // The table takes its bits from both ends; the lowest bit of a term is only a mark.
        self.0 = term.rotate_right(7);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Words up to this length are mostly grammar, in all languages that have short words.
const SHORT_CHARS: usize = 3;
/// What a short word counts.
const SHORT_WEIGHT: f64 = 0.2;

/// Words count as equal when they begin with so many equal characters: "refund", "refunds" and "refunded" are one term.
const STEM_CHARS: usize = 6;

/// How much a term says.
pub(super) fn weight(term: Term) -> f64 {
    if term & 1 == 1 { SHORT_WEIGHT } else { 1.0 }
}

/// The terms of a text, in order.
pub(super) fn of_text(text: &str) -> Vec<Term> {
    let text = &text[..text.floor_char_boundary(limits::VIEW_BYTES_PER_MESSAGE)];
    let mut terms = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        push_word(word, &mut terms);
    }
    terms
}

/// The terms of a message: what is said, and the tools that are asked for.
pub(super) fn of_message(said: &NewMessage) -> Vec<Term> {
    let mut terms = of_text(&said.content);
    for call in &said.tool_calls {
        terms.extend(of_text(&call.name));
        of_value(&call.arguments, limits::JSON_DEPTH_MAX, &mut terms);
    }
    terms
}

/// The terms that say what a handoff is about.
pub(super) fn of_request(request: &Request) -> Terms {
    let task = &request.task;
    let mut terms = Vec::new();
    for text in [&task.description, &task.kind, &request.reason, &request.user_intent] {
        terms.extend(of_text(text));
    }
    for capability in &request.validation.required_capabilities {
        terms.extend(of_text(&capability.capability_id));
    }
    terms.extend(request.capability.iter().flat_map(|name| of_text(name)));
    of_value(&task.payload, limits::JSON_DEPTH_MAX, &mut terms);
    Terms::of(terms)
}

fn of_value(value: &Value, depth: usize, terms: &mut Vec<Term>) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => terms.extend(of_text(&number.to_string())),
        Value::String(text) => terms.extend(of_text(text)),
        Value::Array(_) | Value::Object(_) if depth == 0 => {}
        Value::Array(items) => items.iter().for_each(|item| of_value(item, depth - 1, terms)),
        Value::Object(fields) => {
            for (key, value) in fields {
                terms.extend(of_text(key));
                of_value(value, depth - 1, terms);
            }
        }
    }
}

fn push_word(word: &str, terms: &mut Vec<Term>) {
    if word.is_ascii() {
        // The same as below for most words there are, at a fraction of the time.
        let digits = word.bytes().any(|b| b.is_ascii_digit());
        let stem = if digits { word.len() } else { word.len().min(STEM_CHARS) };
        if digits || word.len() > 1 {
            let lower = word.as_bytes()[..stem].iter().map(|b| char::from(b.to_ascii_lowercase()));
            terms.push(hash(lower) | u64::from(!digits && word.len() <= SHORT_CHARS));
        }
    } else if word.chars().any(is_unspaced) {
        // Scripts without spaces: every two neighbours are a term.
        let characters: Vec<char> = word.chars().collect();
        terms.extend(characters.windows(2.min(characters.len())).map(|pair| hash(pair.iter().copied())));
    } else if word.bytes().any(|b| b.is_ascii_digit()) {
        // A number has no stem: 20261 is not 20262.
        terms.push(hash(word.chars().flat_map(char::to_lowercase)));
    } else if word.len() > 1 {
        let short = word.chars().nth(SHORT_CHARS).is_none();
        terms.push(hash(word.chars().flat_map(char::to_lowercase).take(STEM_CHARS)) | u64::from(short));
    }
}

/// Thai, Lao, Khmer and Burmese; Chinese and Japanese.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// FNV-1a over characters: the same on every machine and in every build.
fn hash(characters: impl Iterator<Item = char>) -> Term {
    let mix = |hash: u64, c: char| (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3);
    characters.fold(0xcbf2_9ce4_8422_2325, mix) & !1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_share_terms() {
        for (one, other, shared) in [
            ("Refund the order", "two refunds, refunded", 1),
            ("invoice 20261", "invoice 20262", 1),
            ("contract_review", "Review the CONTRACT!", 2),
            ("退款申请", "我要退款", 1),
            ("Straße prüfen", "die straße", 1),
            ("возврат денег", "про возврат", 1),
            ("a b c", "a b c", 0),
            ("apples", "pears", 0),
        ] {
            let (one, other) = (Terms::of(of_text(one)), Terms::of(of_text(other)));
            assert_eq!((one.shared_with(&other), other.shared_with(&one)), (shared, shared), "{other:?}");
            assert_eq!(one.iter().filter(|term| other.contains(*term)).count(), shared, "{other:?}");
        }
    }
}
