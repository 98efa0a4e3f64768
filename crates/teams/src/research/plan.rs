//! The implementation plan: steps that say where they come from, and what is known of versions, risks and tests.

use super::scout::Touched;
use crate::shelf::{Passage, terms};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Words by which a sentence speaks of a risk.
const RISKS: [&str; 5] = ["risk", "beware", "danger", "stampede", "stale"];
/// Words by which a sentence speaks of a test.
const TESTS: [&str; 2] = ["test", "assert"];

/// A step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Step {
    /// What to do.
    #[serde(rename = "do")]
    pub(super) text: String,
    /// The passages that say so, or the place in the code.
    pub(super) cites: Vec<String>,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Plan {
    /// What to do, in order.
    pub(super) steps: Vec<Step>,
    /// What it was written for, such as `Redis 7.2`.
    pub(super) versions: Vec<String>,
    /// What can go wrong.
    pub(super) risks: Vec<String>,
    /// How it is tested.
    pub(super) tests: Vec<String>,
}

impl Plan {
    /// A plan by these passages, and by the code that it touches.
    pub(super) fn by(passages: &[Passage], touched: &[Touched]) -> Self {
        let mut plan = Self::default();
        for touched in touched {
            let text = format!("Change {}, which asks for it each time", touched.function);
            plan.steps.push(Step { text, cites: vec![format!("{}:{}", touched.file, touched.line)] });
        }
        for passage in passages {
            let sentences = passage.sentences();
            let text = format!("{}: {}", passage.heading, sentences.first().map_or("see the code", String::as_str));
            plan.steps.push(Step { text, cites: vec![passage.id.clone()] });
            plan.versions.extend(sentences.iter().flat_map(|sentence| versions(sentence)));
            plan.risks.extend(speaking(&sentences, &RISKS, &passage.id));
            plan.tests.extend(speaking(&sentences, &TESTS, &passage.id));
        }
        plan.versions.sort_unstable();
        plan.versions.dedup();
        plan
    }

    /// Everything that the steps cite.
    pub(super) fn cites(&self, id: &str) -> bool {
        self.steps.iter().any(|step| step.cites.iter().any(|cited| cited == id))
    }

    /// The plan as a document.
    pub(super) fn document(&self, question: &str, pack: &str) -> String {
        let mut out = format!("# Implementation plan\n\nQuestion: {question}\n\nBased on: {pack}\n\n## Steps\n\n");
        for (n, step) in self.steps.iter().enumerate() {
            let _ = writeln!(out, "{}. {} [{}]", n + 1, step.text, step.cites.join(", "));
        }
        for (heading, entries) in [("Versions", &self.versions), ("Risks", &self.risks), ("Tests", &self.tests)] {
            let _ = write!(out, "\n## {heading}\n\n");
            let none = if entries.is_empty() { "Nothing is known.\n" } else { "" };
            out.push_str(none);
            for entry in entries {
                let _ = writeln!(out, "- {entry}");
            }
        }
        out
    }
}

/// Sentences with one of these words, each with its passage.
fn speaking(sentences: &[String], words: &[&str], id: &str) -> Vec<String> {
    let speaks =
        |sentence: &&String| terms(sentence).iter().any(|term| words.iter().any(|word| terms(word).contains(term)));
    sentences.iter().filter(speaks).map(|sentence| format!("{sentence} [{id}]")).collect()
}

/// Versions in a sentence: a name, and after it a number with a point, as in `Redis 7.2`.
fn versions(sentence: &str) -> Vec<String> {
    let words: Vec<&str> =
        sentence.split_whitespace().map(|word| word.trim_matches([',', '.', ';', '(', ')', ':'])).collect();
    let number = |word: &str| {
        word.contains('.') && word.split('.').all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
    };
    // A name has a capital letter or a dash; what joins words has neither.
    let named = |name: &str| {
        name.chars().next().is_some_and(char::is_alphabetic) && name.contains(|c: char| c.is_uppercase() || c == '-')
    };
    let pairs = words.windows(2).filter(|pair| named(pair[0]) && number(pair[1]));
    pairs.map(|pair| format!("{} {}", pair[0], pair[1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_a_name_and_a_number() {
        for (sentence, expected) in [
            ("Use Redis 7.2 or redis-py 5.0.1.", vec!["Redis 7.2", "redis-py 5.0.1"]),
            ("Wait 300 seconds, or 1.5 of them.", vec![]),
            ("Nothing here.", vec![]),
        ] {
            assert_eq!(versions(sentence), expected, "{sentence}");
        }
    }

    #[test]
    fn a_sentence_speaks_of_a_risk_in_any_form() {
        let sentences = ["There are risks.".to_owned(), "All is well.".to_owned(), "Testing helps.".to_owned()];
        assert_eq!(speaking(&sentences, &RISKS, "a#1"), ["There are risks. [a#1]"]);
        assert_eq!(speaking(&sentences, &TESTS, "a#1"), ["Testing helps. [a#1]"]);
    }
}
