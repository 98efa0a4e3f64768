//! What statistics are made of: every handoff in a few numbers.

use handover_core::{handoff::Status, ids::SessionId, time::Timestamp};

/// Which handoffs are counted. Everything that is given must fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FiguresQuery {
    /// Of this tenant's sessions.
    pub tenant: String,
    /// Of this session.
    pub session: Option<SessionId>,
    /// Of sessions that follow this workflow.
    pub workflow: Option<String>,
    /// Initiated not before.
    pub since: Option<Timestamp>,
    /// Whether sessions fall back where they do not say otherwise.
    pub falls_back: bool,
    /// At most so many, the latest ones.
    pub limit: usize,
}

/// Handoffs in numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures {
    /// The names that rows and sessions speak of by number.
    pub names: Vec<String>,
    /// The handoffs, the earliest first.
    pub rows: Vec<FigureRow>,
    /// The sessions that they belong to.
    pub sessions: Vec<SessionFigures>,
    /// Whether there are earlier ones that were not looked at.
    pub cut: bool,
}

/// One handoff in numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureRow {
    /// Its session, by its place among them.
    pub session: usize,
    /// Who hands over, by the number of the name.
    pub from: usize,
    /// Who has or had it last, by the number of the name.
    pub to: usize,
    /// Where it stands.
    pub status: Status,
    /// Milliseconds from its initiation to its end, where it has one.
    pub took_ms: Option<u64>,
    /// Tokens that it used.
    pub tokens: u64,
    /// Money that it used.
    pub cost: f64,
    /// Whether a person was asked, and what came of it.
    pub approval: Option<Word>,
}

/// What came of asking a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// Nothing yet.
    Awaited,
    /// Yes.
    Granted,
    /// No.
    Denied,
    /// It ended before anybody decided.
    Void,
}

/// One session in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFigures {
    /// Its id.
    pub id: String,
    /// The workflow that it follows, by the number of the name.
    pub workflow: Option<usize>,
    /// Why its workflow could not go on; empty where it could.
    pub trouble: String,
    /// The codes for which it fell back.
    pub fell_back: Vec<String>,
}
