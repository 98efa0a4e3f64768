//! A shelf of Markdown documents: its passages, and which of them speak of something.

use crate::{folder, words::folded};
use handover_core::limits::QUERY_TERMS_MAX;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
};

/// How much more a word counts in the heading than in the text.
const HEADING_WEIGHT: f64 = 3.0;
/// How quickly more of the same word stops to count.
const SATURATION: f64 = 1.2;
/// Words that say nothing about what is asked for.
const SILENT: [&str; 50] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how", "i", "if", "in",
    "into", "is", "it", "its", "me", "my", "not", "of", "on", "or", "our", "should", "so", "than", "that", "the",
    "their", "them", "then", "there", "this", "to", "us", "was", "we", "what", "when", "which", "who", "why", "will",
    "with", "you",
];

/// A section of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Passage {
    /// Its name for those who cite it: the document and the number of the section.
    pub(crate) id: String,
    /// The document.
    pub(crate) source: String,
    /// The heading.
    pub(crate) heading: String,
    /// The text below, with its code.
    pub(crate) text: String,
}

impl Passage {
    /// All words that count, of the heading and the text.
    pub(crate) fn terms(&self) -> BTreeSet<String> {
        terms(&format!("{} {}", self.heading, self.text)).into_iter().collect()
    }

    /// The text without its code, in sentences.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let mut prose = String::new();
        let mut code = false;
        for line in self.text.lines() {
            if line.trim_start().starts_with("```") {
                code = !code;
            } else if !code {
                prose.push_str(line.trim().trim_start_matches("- "));
                prose.push(' ');
            }
        }
        // The point in 7.2 ends no sentence: a sentence ends where a space follows.
        let sentences = prose.split_inclusive(['.', '!', '?']).fold(vec![String::new()], |mut all, part| {
            match all.last_mut() {
                Some(last) if last.is_empty() || !part.starts_with(' ') => last.push_str(part),
                _ => all.push(part.to_owned()),
            }
            all
        });
        let trimmed = sentences.into_iter().map(|sentence| sentence.split_whitespace().collect::<Vec<_>>().join(" "));
        trimmed.filter(|sentence| !sentence.is_empty()).collect()
    }

    /// The pieces of code in it, each with its language.
    pub(crate) fn code(&self) -> Vec<(String, String)> {
        let mut pieces = Vec::new();
        let mut open: Option<(String, String)> = None;
        for line in self.text.lines() {
            match (line.trim().strip_prefix("```"), &mut open) {
                (Some(language), None) => open = Some((language.trim().to_owned(), String::new())),
                (Some(_), Some(_)) => pieces.extend(open.take()),
                (None, Some((_, code))) => {
                    code.push_str(line);
                    code.push('\n');
                }
                (None, None) => {}
            }
        }
        pieces
    }
}

/// All passages of a folder of Markdown documents, in the order of their names.
pub(crate) fn read(folder: &Path) -> io::Result<Vec<Passage>> {
    let files = folder::read(folder)?;
    let documents = files.iter().filter(|file| file.path.ends_with(".md"));
    Ok(documents.flat_map(|file| sections(&file.path, &file.text)).collect())
}

/// The sections of a document. A section without a word is none.
fn sections(source: &str, text: &str) -> Vec<Passage> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut code = false;
    for line in text.lines() {
        code ^= line.trim_start().starts_with("```");
        match line.strip_prefix('#') {
            Some(heading) if !code => all.push((heading.trim_start_matches('#').trim().to_owned(), String::new())),
            _ => {
                if all.is_empty() {
                    all.push((source.to_owned(), String::new()));
                }
                if let Some((_, text)) = all.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    let said = all.into_iter().filter(|(_, text)| !text.trim().is_empty()).enumerate();
    let passage = |(n, (heading, text)): (usize, (String, String))| Passage {
        id: format!("{source}#{}", n + 1),
        source: source.to_owned(),
        heading,
        text: text.trim().to_owned(),
    };
    said.map(passage).collect()
}

/// The words of a text that count, each brought to its stem, in the order of the text.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let folded = folded(text);
    let words = folded.split(' ').filter(|word| word.len() > 1 && !SILENT.contains(word));
    words.map(stem).collect()
}

/// A word without its ending, so that caching finds cache.
fn stem(word: &str) -> String {
    let endings = ["ing", "ed", "es", "s", "e"];
    let cut = endings.iter().filter_map(|ending| word.strip_suffix(ending)).find(|left| left.len() >= 3);
    cut.unwrap_or(word).to_owned()
}

/// The passages that speak of a query, the best first. A rare word counts more than a common one; the number of words of
/// the query that are met counts most.
pub(crate) fn rank<'a>(passages: &'a [Passage], query: &str) -> Vec<(f64, &'a Passage)> {
    let wanted: BTreeSet<String> = terms(query).into_iter().take(QUERY_TERMS_MAX).collect();
    let counted: Vec<(&Passage, BTreeMap<String, f64>)> = passages.iter().map(|it| (it, counts(it))).collect();
    let total = number(counted.len());
    let weight = |term: &String| {
        let having = counted.iter().filter(|(_, counts)| counts.contains_key(term)).count();
        (1.0 + total / (1.0 + number(having))).ln()
    };
    let weights: Vec<(&String, f64)> = wanted.iter().map(|term| (term, weight(term))).collect();
    let score = |counts: &BTreeMap<String, f64>| -> f64 {
        let of = |(term, weight): &(&String, f64)| counts.get(*term).map_or(0.0, |n| weight * n / (n + SATURATION));
        weights.iter().map(of).sum()
    };
    let mut ranked: Vec<(f64, &Passage)> = counted.iter().map(|(passage, counts)| (score(counts), *passage)).collect();
    ranked.retain(|(score, _)| *score > 0.0);
    // The sort keeps the order of the shelf among equals.
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked
}

fn counts(passage: &Passage) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    terms(&passage.text).into_iter().for_each(|term| *counts.entry(term).or_insert(0.0) += 1.0);
    terms(&passage.heading).into_iter().for_each(|term| *counts.entry(term).or_insert(0.0) += HEADING_WEIGHT);
    counts
}

/// A count as a number to weigh with.
fn number(count: usize) -> f64 {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    const DOCUMENT: &str = "# Tea\nTea is warm. Use 1.5 spoons!\n\n## Green tea\n- Pour at 80 degrees.\n\n```sh\n# no heading\nboil\n```\n\n## Empty\n\n## Milk\nMilk goes\nin last.\n";

    #[test]
    fn a_document_has_sections_sentences_and_code() {
        let found = sections("tea.md", DOCUMENT);
        let told: Vec<String> =
            found.iter().map(|p| format!("{} {}: {:?} {:?}", p.id, p.heading, p.sentences(), p.code())).collect();
        expect![[r##"
            tea.md#1 Tea: ["Tea is warm.", "Use 1.5 spoons!"] []
            tea.md#2 Green tea: ["Pour at 80 degrees."] [("sh", "# no heading\nboil\n")]
            tea.md#3 Milk: ["Milk goes in last."] []"##]]
        .assert_eq(&told.join("\n"));
    }

    #[test]
    fn the_passage_that_speaks_of_it_comes_first() {
        let found = sections("tea.md", DOCUMENT);
        for (query, expected) in [
            ("How do I make green tea?", vec!["tea.md#2", "tea.md#1"]),
            ("pouring", vec!["tea.md#2"]),
            ("the milk", vec!["tea.md#3"]),
            ("coffee", vec![]),
            ("", vec![]),
        ] {
            let ranked: Vec<&str> = rank(&found, query).into_iter().map(|(_, p)| p.id.as_str()).collect();
            assert_eq!(ranked, expected, "{query}");
        }
    }

    #[test]
    fn words_are_brought_to_one_form() {
        assert_eq!(terms("Caching the caches: cached, cache"), ["cach"; 4]);
        assert_eq!(terms("Why is it so? Keys expire"), ["key", "expir"]);
    }
}
