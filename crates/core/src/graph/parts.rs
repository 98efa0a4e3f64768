//! The parts of a drawing: boxes, arrows, and what they say.

use super::measure::clean;

/// What a box stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NodeKind {
    /// An agent.
    #[default]
    Agent,
    /// A person.
    Person,
    /// A state of a workflow.
    State,
    /// Where it begins.
    Start,
    /// Where it ends.
    End {
        /// Whether that is what was hoped for.
        good: bool,
    },
    /// Several that are asked together.
    Group,
}

/// How a box or an arrow stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mark {
    /// Nothing to say.
    #[default]
    Usual,
    /// Something happens here now.
    Active,
    /// It went well.
    Good,
    /// It went wrong.
    Bad,
    /// Somebody waits here.
    Waiting,
}

impl Mark {
    /// Its sign before a name; empty for the usual.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Usual => "",
            Self::Active => "● ",
            Self::Good => "✓ ",
            Self::Bad => "✗ ",
            Self::Waiting => "◌ ",
        }
    }
}

/// What an arrow stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum EdgeKind {
    /// The work goes on.
    #[default]
    Usual,
    /// The work goes back to an earlier place.
    Back,
    /// It is tried again.
    Retry,
    /// Where it goes when it fails.
    Error,
    /// The work goes there, and its result comes back.
    Delegation,
    /// A result comes back.
    Return,
    /// Up, to somebody who may decide.
    Escalation,
    /// To several at once.
    Broadcast,
}

impl EdgeKind {
    /// Its word; empty for the usual.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Usual => "",
            Self::Back => "back",
            Self::Retry => "retry",
            Self::Error => "error",
            Self::Delegation => "delegation",
            Self::Return => "return",
            Self::Escalation => "escalation",
            Self::Broadcast => "broadcast",
        }
    }

    /// Whether it leads against the flow by its nature, so that its target belongs above its source.
    pub(super) fn goes_back(self) -> bool {
        match self {
            Self::Back | Self::Retry | Self::Return => true,
            Self::Usual | Self::Error | Self::Delegation | Self::Escalation | Self::Broadcast => false,
        }
    }
}

/// A box.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    /// What arrows call it.
    pub id: String,
    /// What is written in it; its id where this is empty.
    pub label: String,
    /// A second, smaller line.
    pub detail: String,
    /// What it stands for.
    pub kind: NodeKind,
    /// How it stands.
    pub mark: Mark,
    /// Where it leads to in a page; nowhere where this is empty.
    pub link: String,
}

impl Node {
    /// A box with this id, labelled with it.
    #[must_use]
    pub fn new(id: &str, kind: NodeKind) -> Self {
        Self { id: id.to_owned(), kind, ..Self::default() }
    }

    /// An agent.
    #[must_use]
    pub fn agent(id: &str) -> Self {
        Self::new(id, NodeKind::Agent)
    }

    /// A person.
    #[must_use]
    pub fn person(id: &str) -> Self {
        Self::new(id, NodeKind::Person)
    }

    /// A state.
    #[must_use]
    pub fn state(id: &str) -> Self {
        Self::new(id, NodeKind::State)
    }

    /// With this written in it.
    #[must_use]
    pub fn label(self, label: &str) -> Self {
        Self { label: label.to_owned(), ..self }
    }

    /// With this second line.
    #[must_use]
    pub fn detail(self, detail: &str) -> Self {
        Self { detail: detail.to_owned(), ..self }
    }

    /// Standing for this.
    #[must_use]
    pub fn kind(self, kind: NodeKind) -> Self {
        Self { kind, ..self }
    }

    /// Standing so.
    #[must_use]
    pub fn mark(self, mark: Mark) -> Self {
        Self { mark, ..self }
    }

    /// Leading to this address in a page.
    #[must_use]
    pub fn link(self, link: &str) -> Self {
        Self { link: link.to_owned(), ..self }
    }

    /// How it stands, as it is shown: an end stands well or badly by its kind.
    pub(super) fn standing(&self) -> Mark {
        match (self.mark, self.kind) {
            (Mark::Usual, NodeKind::End { good: true }) => Mark::Good,
            (Mark::Usual, NodeKind::End { good: false }) => Mark::Bad,
            (mark, _) => mark,
        }
    }

    pub(super) fn clean(self) -> Self {
        let label = Some(clean(&self.label)).filter(|label| !label.is_empty());
        let label = label.or_else(|| Some(clean(&self.id)).filter(|id| !id.is_empty()));
        Self { label: label.unwrap_or_else(|| "(no name)".to_owned()), detail: clean(&self.detail), ..self }
    }
}

/// An arrow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edge {
    /// The id of the box where it begins.
    pub from: String,
    /// The id of the box where it ends.
    pub to: String,
    /// What is written beside it.
    pub label: String,
    /// More about it, smaller.
    pub detail: String,
    /// What it stands for.
    pub kind: EdgeKind,
    /// How often; shown from 2 on.
    pub count: u64,
    /// How it stands.
    pub mark: Mark,
    /// How thick it is in a picture, from 1 to 5; by its kind where this is 0.
    pub width: u8,
    /// Where it leads to in a page; nowhere where this is empty.
    pub link: String,
}

impl Edge {
    /// An arrow that was gone once.
    #[must_use]
    pub fn new(from: &str, to: &str) -> Self {
        Self { from: from.to_owned(), to: to.to_owned(), count: 1, ..Self::default() }
    }

    /// With this written beside it.
    #[must_use]
    pub fn label(self, label: &str) -> Self {
        Self { label: label.to_owned(), ..self }
    }

    /// With this second line.
    #[must_use]
    pub fn detail(self, detail: &str) -> Self {
        Self { detail: detail.to_owned(), ..self }
    }

    /// Standing for this.
    #[must_use]
    pub fn kind(self, kind: EdgeKind) -> Self {
        Self { kind, ..self }
    }

    /// Gone so often.
    #[must_use]
    pub fn count(self, count: u64) -> Self {
        Self { count, ..self }
    }

    /// Standing so.
    #[must_use]
    pub fn mark(self, mark: Mark) -> Self {
        Self { mark, ..self }
    }

    /// So thick, from 1 to 5.
    #[must_use]
    pub fn width(self, width: u8) -> Self {
        Self { width: width.min(5), ..self }
    }

    /// Leading to this address in a page.
    #[must_use]
    pub fn link(self, link: &str) -> Self {
        Self { link: link.to_owned(), ..self }
    }

    pub(super) fn clean(self) -> Self {
        Self { label: clean(&self.label), detail: clean(&self.detail), ..self }
    }

    /// How it stands, as it is shown: some kinds stand badly, or wait, by their nature.
    pub(super) fn standing(&self) -> Mark {
        match (self.mark, self.kind) {
            (Mark::Usual, EdgeKind::Error) => Mark::Bad,
            (Mark::Usual, EdgeKind::Retry | EdgeKind::Back) => Mark::Waiting,
            (mark, _) => mark,
        }
    }

    /// How often, where that is worth a word.
    pub(super) fn times(&self, sign: char) -> String {
        if self.count > 1 { format!("{sign}{}", self.count) } else { String::new() }
    }

    /// How often, and what is written beside it.
    pub(super) fn words(&self, sign: char) -> String {
        format!("{} {}", self.times(sign), self.label).trim().to_owned()
    }
}
