//! The manifest of a handoff: what crossed, what was withheld and why, in numbers that add up.

use super::{Include, TransferMode};
use crate::{
    digest::Digest,
    message::{Class, Mark, Message, Tally},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Why messages were not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Instructions were not asked for.
    SystemExcluded,
    /// Tool calls were not asked for.
    ToolCallsExcluded,
    /// Results of tools were not asked for.
    ToolResultsExcluded,
    /// Thinking was not asked for.
    ReasoningExcluded,
    /// What was said within delegated work was not asked for.
    AsidesExcluded,
    /// There were more messages than asked for.
    OverMaxMessages,
    /// They are older than what a view looks back on.
    OutsideWindow,
    /// They do not bear on the task.
    NotRelevant,
    /// The summary stands for them.
    Summarised,
}

impl Why {
    /// The reason for leaving out a class; nothing for what is always shown.
    fn excluded(class: Class) -> Option<Self> {
        match class {
            Class::Talk => None,
            Class::System => Some(Self::SystemExcluded),
            Class::ToolCall => Some(Self::ToolCallsExcluded),
            Class::ToolResult => Some(Self::ToolResultsExcluded),
            Class::Reasoning => Some(Self::ReasoningExcluded),
            Class::Aside => Some(Self::AsidesExcluded),
        }
    }
}

/// Messages that were not shown, for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Withheld {
    /// The reason.
    pub why: Why,
    /// How many.
    pub messages: u64,
    /// Their tokens.
    pub tokens: u64,
}

/// What crossed with a handoff. Messages and tokens that were shown and withheld add up to the totals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Manifest {
    /// How the view was made.
    pub mode: TransferMode,
    /// The last message of the conversation when it was made.
    pub watermark: u64,
    /// Numbers of the messages shown, as ranges with both ends.
    pub shown: Vec<(u64, u64)>,
    /// Classes that are left out inside these ranges. Only a full view has them: it is made without reading a message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Class>,
    /// How many messages were shown.
    pub shown_messages: u64,
    /// Their tokens, as they are stored.
    pub shown_tokens: u64,
    /// What was not shown, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<Withheld>,
    /// Messages of the conversation.
    pub total_messages: u64,
    /// Tokens of the conversation.
    pub total_tokens: u64,
    /// Tokens of the summary; they come on top of those shown.
    #[serde(default)]
    pub summary_tokens: u64,
    /// What made the summary: `extractive`, or the name of a model, or `extractive` with the reason why no model did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summarised_by: Option<String>,
    /// The summary, where a model made it: asked again, it would say something else. An extractive one is made anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Stands for what was shown: the digest of the conversation when all of it was.
    pub digest: Digest,
}

impl Manifest {
    /// The manifest of a full view, from the mark alone: it costs the same for 20 messages and for 20,000.
    pub(super) fn whole(mark: &Mark, include: Include) -> Self {
        let excluded = excluded(mark, include);
        let left_out: Vec<Class> = excluded.iter().map(|(class, _)| *class).collect();
        let shown = subtract(total(mark), excluded.iter().map(|(_, tally)| *tally));
        let digest = if left_out.is_empty() {
            mark.digest
        } else {
            Digest::of_json(&json!({"conversation": mark.digest, "left_out": left_out}))
        };
        Self {
            shown: if shown.messages > 0 { vec![(1, mark.messages)] } else { Vec::new() },
            left_out: if shown.messages > 0 { left_out } else { Vec::new() },
            withheld: excluded.iter().filter_map(|(class, tally)| withheld(Why::excluded(*class)?, *tally)).collect(),
            ..Self::new(TransferMode::Full, mark, shown, digest)
        }
    }

    /// The manifest of a view that was made of messages that were read. `left` are those that it does not show, with the
    /// reason; `unread` is the reason for the others.
    pub(super) fn of(
        mode: TransferMode,
        mark: &Mark,
        include: Include,
        shown: &[&Message],
        left: (Why, Tally),
        unread: Why,
    ) -> Self {
        let excluded = excluded(mark, include);
        let seen = tally(shown);
        let known = excluded.iter().map(|(_, tally)| *tally).chain([seen, left.1]);
        let rest = subtract(total(mark), known);
        let by_class = excluded.iter().filter_map(|(class, tally)| withheld(Why::excluded(*class)?, *tally));
        let digest = Digest::of_json(
            &shown.iter().map(|message| json!({"n": message.n, "said": message.said})).collect::<Vec<_>>(),
        );
        Self {
            shown: ranges(shown.iter().map(|message| message.n)),
            withheld: by_class.chain(withheld(left.0, left.1)).chain(withheld(unread, rest)).collect(),
            ..Self::new(mode, mark, seen, digest)
        }
    }

    fn new(mode: TransferMode, mark: &Mark, shown: Tally, digest: Digest) -> Self {
        Self {
            mode,
            watermark: mark.messages,
            shown: Vec::new(),
            left_out: Vec::new(),
            shown_messages: shown.messages,
            shown_tokens: shown.tokens,
            withheld: Vec::new(),
            total_messages: mark.messages,
            total_tokens: mark.tokens(),
            summary_tokens: 0,
            summarised_by: None,
            summary: None,
            digest,
        }
    }

    /// Adds a summary to what crossed.
    pub(super) fn summarised(mut self, summary: &str, tokens: u64, by: &str) -> Self {
        self.digest = Digest::of_json(&json!({"messages": self.digest, "summary": summary}));
        self.summary_tokens = tokens;
        self.summarised_by = Some(by.to_owned());
        self
    }

    /// Whether a message of this number and class was shown.
    #[must_use]
    pub fn shows(&self, n: u64, class: Class) -> bool {
        self.covers(n) && !self.left_out.contains(&class)
    }

    fn covers(&self, n: u64) -> bool {
        self.shown.iter().any(|(first, last)| (*first..=*last).contains(&n))
    }
}

/// Whether the receiver may ask for this message: it was there at the handoff, and was not surely shown.
#[must_use]
pub fn recallable(manifest: &Manifest, n: u64) -> bool {
    (1..=manifest.watermark).contains(&n) && (!manifest.left_out.is_empty() || !manifest.covers(n))
}

/// Ranges, with both ends, that hold every message that was not shown. Where classes were left out, the ranges hold
/// shown messages too: [`Manifest::shows`] tells them apart.
#[must_use]
pub fn withheld_ranges(manifest: &Manifest) -> Vec<(u64, u64)> {
    if !manifest.left_out.is_empty() {
        return vec![(1, manifest.watermark)];
    }
    let mut gaps = Vec::new();
    let mut next = 1;
    for (first, last) in manifest.shown.iter().copied().chain([(manifest.watermark + 1, manifest.watermark + 1)]) {
        if next < first {
            gaps.push((next, first - 1));
        }
        next = last + 1;
    }
    gaps
}

/// Numbers in order as ranges with both ends.
fn ranges(numbers: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for n in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            Some(_) | None => ranges.push((n, n)),
        }
    }
    ranges
}

pub(super) fn tally(messages: &[&Message]) -> Tally {
    Tally { messages: messages.len() as u64, tokens: messages.iter().map(|message| message.tokens).sum() }
}

fn total(mark: &Mark) -> Tally {
    Tally { messages: mark.messages, tokens: mark.tokens() }
}

/// The classes of the conversation that are not asked for.
pub(super) fn excluded(mark: &Mark, include: Include) -> Vec<(Class, Tally)> {
    mark.tallies.iter().filter(|(class, _)| !include.admits(**class)).map(|(class, tally)| (*class, *tally)).collect()
}

fn subtract(from: Tally, parts: impl IntoIterator<Item = Tally>) -> Tally {
    parts.into_iter().fold(from, |rest, part| Tally {
        messages: rest.messages.saturating_sub(part.messages),
        tokens: rest.tokens.saturating_sub(part.tokens),
    })
}

fn withheld(why: Why, tally: Tally) -> Option<Withheld> {
    (tally.messages > 0).then_some(Withheld { why, messages: tally.messages, tokens: tally.tokens })
}
