//! Summaries of others than the extractive one: what a model is asked, and its answer as it is kept.

use super::{Manifest, TransferMode, described::described, sanitize, summary::speaker};
use crate::{handoff::Request, limits, message::Message};
use serde::{Deserialize, Serialize};

const EXTRACTIVE: &str = "extractive";

/// What a model is asked to summarise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SummaryQuestion {
    /// What the user asked for in the beginning.
    pub original_request: String,
    /// The task of whoever reads the summary.
    pub task: String,
    /// What the summary stands for.
    pub messages: Vec<SummaryLine>,
}

/// A message that a summary stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SummaryLine {
    /// Its number in the session.
    pub n: u64,
    /// Who said it.
    pub who: String,
    /// What was said; the end of a long one is left out.
    pub text: String,
}

impl SummaryQuestion {
    pub(super) fn of(request: &Request, left: &[&Message]) -> Option<Self> {
        let each = (limits::SUMMARY_READ_BYTES_MAX / left.len().max(1)).min(limits::VIEW_BYTES_PER_MESSAGE);
        let line = |message: &&Message| {
            let text = described(message);
            let cut = text.floor_char_boundary(each);
            let text = if cut < text.len() { format!("{}…", &text[..cut]) } else { text };
            SummaryLine { n: message.n, who: speaker(message), text }
        };
        let messages: Vec<SummaryLine> = left.iter().map(line).filter(|line| !line.text.trim().is_empty()).collect();
        let short = |text: &str| text[..text.floor_char_boundary(limits::VIEW_BYTES_PER_MESSAGE)].to_owned();
        let (original_request, task) = (short(&request.original_request), short(&request.task.description));
        (!messages.is_empty()).then_some(Self { original_request, task, messages })
    }
}

/// How the summary of a view is made, and who makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summarised {
    /// The summary; nothing where the extractive one is used.
    pub(super) text: Option<String>,
    /// What the manifest says of it.
    pub(super) by: String,
}

impl Default for Summarised {
    fn default() -> Self {
        Self { text: None, by: EXTRACTIVE.to_owned() }
    }
}

impl Summarised {
    /// By a model, in its words, which are cleaned like those of everybody. Empty words are none.
    #[must_use]
    pub fn by_model(model: &str, text: String) -> Self {
        let clean = sanitize::clean_text(text, &mut sanitize::Redacted::new());
        let mut kept: String = clean.trim().chars().take(limits::SUMMARY_CHARS_MAX).collect();
        if kept.is_empty() {
            return Self::failed("the model answered nothing");
        }
        if kept.len() < clean.trim().len() {
            kept.push('…');
        }
        Self { text: Some(kept), by: one_line(model) }
    }

    /// Without the model that was asked, for this reason.
    #[must_use]
    pub fn failed(why: &str) -> Self {
        Self { text: None, by: one_line(&format!("{EXTRACTIVE}: {why}")) }
    }

    /// As it was made before, for the same messages.
    #[must_use]
    pub fn recorded(manifest: &Manifest, watermark: u64) -> Option<Self> {
        let by = manifest.summarised_by.clone()?;
        let same = manifest.mode == TransferMode::Summary && manifest.watermark == watermark;
        same.then(|| Self { text: manifest.summary.clone(), by })
    }
}

fn one_line(text: &str) -> String {
    let clean = sanitize::clean_text(text.to_owned(), &mut sanitize::Redacted::new());
    clean.chars().map(|c| if c.is_control() { ' ' } else { c }).take(limits::SUMMARY_BY_CHARS_MAX).collect()
}
