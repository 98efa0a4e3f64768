//! How much a request asks for: simple, medium or complex. Given by whoever opens the session, or derived from its words.
//!
//! The rule is plain, so that anybody can foresee what comes out. Points are added up:
//! - one for every 30 words, at most 3;
//! - one for every step: a line that begins with a number or a dash, or a word such as `then`, `after`, `finally`;
//! - one for every further kind of work beyond the first: research, plan, write, build, test, deploy, review, …
//!
//! 0 and 1 are simple, 2 to 4 are medium, more is complex.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How much a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
    /// One agent does it alone.
    Simple,
    /// A few take part.
    Medium,
    /// A team works on it.
    Complex,
}

impl Complexity {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Medium => "medium",
            Self::Complex => "complex",
        }
    }
}

/// Words that begin a further step.
const STEPS: [&str; 10] =
    ["then", "after", "afterwards", "finally", "next", "also", "before", "once", "subsequently", "lastly"];

/// Kinds of work, each by the beginnings of its words.
const WORK: [&[&str]; 14] = [
    &["research", "investigat", "find", "search", "look"],
    &["plan", "design", "architect", "outline"],
    &["write", "draft", "document", "summari"],
    &["build", "implement", "develop", "creat", "code", "add"],
    &["test", "verif", "validat", "check"],
    &["deploy", "release", "ship", "roll"],
    &["review", "audit", "inspect"],
    &["analy", "measur", "compar", "evaluat"],
    &["fix", "debug", "repair", "refactor"],
    &["migrat", "convert", "import", "export"],
    &["translat", "locali"],
    &["book", "order", "buy", "quote"],
    &["notify", "send", "email", "contact", "call"],
    &["approv", "decid", "negotiat"],
];

/// Words that are looked at; whoever writes more asks for a lot anyway.
const WORDS_MAX: usize = 400;

/// Derives the complexity of a request from its words.
#[must_use]
pub fn derive(request: &str) -> Complexity {
    let words: Vec<String> = request
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(WORDS_MAX)
        .map(str::to_lowercase)
        .collect();
    let length = (words.len() / 30).min(3);
    let listed = request.lines().take(WORDS_MAX).filter(|line| is_item(line)).count();
    let said = words.iter().filter(|word| STEPS.contains(&word.as_str())).count();
    let kinds: BTreeSet<usize> = words.iter().filter_map(|word| kind_of(word)).collect();
    match length + listed + said + kinds.len().saturating_sub(1) {
        0 | 1 => Complexity::Simple,
        2..=4 => Complexity::Medium,
        _ => Complexity::Complex,
    }
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("- ") || line.starts_with("* ") || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < line.len() && (rest.starts_with(". ") || rest.starts_with(") "))
    }
}

fn kind_of(word: &str) -> Option<usize> {
    WORK.iter().position(|beginnings| beginnings.iter().any(|beginning| word.starts_with(beginning)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_can_foresee_the_class() {
        for (request, class) in [
            ("What time is it in Tokyo?", Complexity::Simple),
            ("Translate this sentence to French.", Complexity::Simple),
            ("", Complexity::Simple),
            ("Find the slow query, then fix it.", Complexity::Medium),
            ("Review the contract and draft an answer, then send it.", Complexity::Medium),
            ("1. research the market\n2. plan the launch\n3. write the copy\n4. review it", Complexity::Complex),
            (
                "Research the options, design an architecture, implement it, test it and deploy it; then notify us.",
                Complexity::Complex,
            ),
        ] {
            assert_eq!(derive(request), class, "{request}");
        }
    }
}
