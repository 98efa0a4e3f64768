//! The patterns of schemas, each compiled once and kept. A file must not be able to make a check slow or large, so their
//! text, their size and their number are bounded.

use crate::limits;
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use std::collections::BTreeMap;

/// Different patterns by their text, ready to run, or why one is not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Patterns {
    all: BTreeMap<String, Result<Regex, &'static str>>,
}

impl Patterns {
    /// How many different ones there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// A pattern that is among them.
    pub(super) fn get(&self, text: &str) -> Option<&Regex> {
        self.all.get(text)?.as_ref().ok()
    }

    /// Why a pattern cannot be.
    pub(super) fn mistake(&self, text: &str) -> Option<&'static str> {
        match self.all.get(text) {
            Some(Ok(_)) => None,
            Some(Err(why)) => Some(why),
            None => Some("the schemas have more different patterns than SCHEMA_PATTERNS_MAX"),
        }
    }

    /// Those of a schema. What is known already is not compiled again, and what is new is known afterwards.
    pub(super) fn of(schema: &Value, known: &mut Self) -> Self {
        let mut own = Self::default();
        visit(schema, 0, &mut |text| {
            let room = known.all.len() < limits::SCHEMA_PATTERNS_MAX;
            if !own.all.contains_key(text) && (room || known.all.contains_key(text)) {
                let done = known.all.entry(text.to_owned()).or_insert_with(|| compile(text));
                own.all.insert(text.to_owned(), done.clone());
            }
        });
        own
    }
}

/// Every pattern of a schema and of the schemas in it.
fn visit(schema: &Value, depth: usize, each: &mut impl FnMut(&str)) {
    let Some(map) = schema.as_object().filter(|_| depth < limits::JSON_DEPTH_MAX) else { return };
    for (keyword, value) in map {
        match (keyword.as_str(), value) {
            ("pattern", Value::String(text)) => each(text),
            ("properties", Value::Object(fields)) => fields.values().for_each(|one| visit(one, depth + 1, each)),
            ("anyOf" | "allOf", Value::Array(all)) => all.iter().for_each(|one| visit(one, depth + 1, each)),
            ("items" | "additionalProperties" | "not", one) => visit(one, depth + 1, each),
            _ => {}
        }
    }
}

fn compile(text: &str) -> Result<Regex, &'static str> {
    // Long texts cost much before their size is known.
    if text.len() > limits::SCHEMA_PATTERN_TEXT_BYTES_MAX {
        return Err("it is longer than SCHEMA_PATTERN_TEXT_BYTES_MAX");
    }
    let max = limits::SCHEMA_PATTERN_BYTES_MAX;
    let built = RegexBuilder::new(text).size_limit(max).dfa_size_limit(max).build();
    built.map_err(|_| "it is no regular expression, or takes more than SCHEMA_PATTERN_BYTES_MAX")
}
