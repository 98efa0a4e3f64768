//! The research pack: passages that bear on a question, and the document that people read.

use crate::shelf::{Passage, rank};
use handover_core::limits::{PACK_PASSAGES_MAX, PASSAGE_CHARS_MAX, PASSAGES_PER_GAP};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write as _;

/// How much the question itself counts when something is looked for that is missing.
const QUESTION_SHARE: f64 = 0.5;

/// Something that a pack lacks, and the words to find it by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Gap {
    /// What is missing, as the analyzer names it.
    pub(super) criterion: String,
    /// Words to look for.
    pub(super) look_for: String,
}

/// The passages of a payload; none where it has none that can be read.
pub(super) fn passages(payload: &Value) -> Vec<Passage> {
    payload.get("passages").and_then(|all| serde_json::from_value(all.clone()).ok()).unwrap_or_default()
}

/// What an analyzer found missing.
pub(super) fn gaps(payload: &Value) -> Vec<Gap> {
    payload.get("missing").and_then(|all| serde_json::from_value(all.clone()).ok()).unwrap_or_default()
}

/// The passages for a question: those of before, or the best of the shelf, and what closes the gaps.
pub(super) fn collect(
    shelf: &[Passage],
    question: &str,
    most: usize,
    before: Vec<Passage>,
    gaps: &[Gap],
) -> Vec<Passage> {
    let mut pack = before;
    if pack.is_empty() {
        pack.extend(rank(shelf, question).into_iter().take(most).map(|(_, passage)| shortened(passage)));
    }
    for gap in gaps {
        let found = closing(shelf, question, gap);
        let new = found.into_iter().filter(|passage| pack.iter().all(|known| known.id != passage.id));
        let new: Vec<Passage> = new.take(PASSAGES_PER_GAP).map(shortened).collect();
        pack.extend(new);
    }
    pack.truncate(PACK_PASSAGES_MAX);
    pack
}

/// Passages that close a gap, those first that bear on the question too.
fn closing<'a>(shelf: &'a [Passage], question: &str, gap: &Gap) -> Vec<&'a Passage> {
    let about = rank(shelf, question);
    let of =
        |passage: &Passage| about.iter().find(|(_, known)| known.id == passage.id).map_or(0.0, |(score, _)| *score);
    let found = rank(shelf, &gap.look_for).into_iter();
    let mut found: Vec<(f64, &Passage)> =
        found.map(|(score, passage)| (QUESTION_SHARE.mul_add(of(passage), score), passage)).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|(_, passage)| passage).collect()
}

fn shortened(passage: &Passage) -> Passage {
    Passage { text: crate::words::shortened(&passage.text, PASSAGE_CHARS_MAX), ..passage.clone() }
}

/// How many documents the passages come from.
pub(super) fn sources(passages: &[Passage]) -> usize {
    passages.iter().map(|passage| passage.source.as_str()).collect::<std::collections::BTreeSet<_>>().len()
}

/// The pack as a document.
pub(super) fn document(question: &str, passages: &[Passage], gaps: &[Gap]) -> String {
    let mut out = format!("# Research pack\n\nQuestion: {question}\n");
    if !gaps.is_empty() {
        let asked: Vec<&str> = gaps.iter().map(|gap| gap.criterion.as_str()).collect();
        let _ = writeln!(out, "\nAdded because it was missing: {}.", asked.join(", "));
    }
    for passage in passages {
        let _ = write!(out, "\n## [{}] {}\n\n{}\n", passage.id, passage.heading, passage.text);
    }
    out
}
