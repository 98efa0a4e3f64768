//! What a text of a question is compared with. Case never counts.

use handover_core::limits::SCRIPT_PATTERN_BYTES_MAX;
use regex::{Captures, Regex, RegexBuilder};

/// A text to look for, or a regular expression.
#[derive(Debug, Clone)]
pub(super) struct Pattern(Regex);

/// How a text that is no regular expression is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fit {
    /// Anywhere.
    Within,
    /// It is all there is.
    Whole,
    /// It is how the other text begins, up to the end of a word.
    Start,
}

impl Pattern {
    /// Reads `/…/` as a regular expression and anything else as the text that it is.
    pub(super) fn parse(text: &str, fit: Fit) -> Result<Self, String> {
        let inner = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        let source = match inner {
            Some("") => return Err("the regular expression is empty".to_owned()),
            Some(inner) => inner.to_owned(),
            None => plain(text, fit),
        };
        let built = RegexBuilder::new(&source).case_insensitive(true).size_limit(SCRIPT_PATTERN_BYTES_MAX).build();
        built.map(Self).map_err(|error| match error {
            regex::Error::CompiledTooBig(limit) => {
                format!("the regular expression takes more than {limit} bytes (SCRIPT_PATTERN_BYTES_MAX)")
            }
            other => {
                let text = other.to_string();
                let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                format!("this is no regular expression: {why}")
            }
        })
    }

    pub(super) fn fits(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// The groups of a regular expression.
    pub(super) fn groups<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.0.captures(text)
    }

    /// How many groups it has.
    pub(super) fn group_count(&self) -> usize {
        self.0.captures_len() - 1
    }
}

/// A space fits any space: a line break in the question is none of the script's business.
fn plain(text: &str, fit: Fit) -> String {
    let words: Vec<String> = text.split_whitespace().map(regex::escape).collect();
    let words = words.join(r"\s+");
    match fit {
        Fit::Within => words,
        Fit::Whole => format!("^(?:{words})$"),
        Fit::Start => format!(r"^(?:{words})(?:[^\w-]|$)"),
    }
}
