//! Rows to the arrays of one statement. No connection, no batching, no policy.

use super::postings::{self, Postings};
use crate::{
    Prunable,
    rows::{AgentRow, Commit, HandoffRow, Item, KeyRow, MessageRow, RecordRow, ReturnRow, SessionRow},
};
use handover_core::{
    handoff::{Kind, Status},
    ids::SessionId,
    time::Timestamp,
};
use std::collections::HashSet;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

/// The statement of a batch, with as many parameters as there are.
pub(super) fn statement() -> String {
    let params: Vec<String> = (1..=PARAMS).map(|n| format!("${n}")).collect();
    format!("SELECT commit_v1({})", params.join(", "))
}

/// Arrays of one table, in the order of the statement's parameters.
macro_rules! arrays {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Default)]
        struct $name<'a> { $($field: Vec<$type>,)* mark: std::marker::PhantomData<&'a ()> }

        impl $name<'_> {
            const COUNT: usize = [$(stringify!($field)),*].len();

            fn params<'p>(&'p self, into: &mut Vec<&'p (dyn ToSql + Sync)>) {
                $(into.push(&self.$field);)*
            }
        }
    };
}

arrays!(Sessions {
    id: &'a str, tenant: &'a str, expected: i64, version: i64, head_seq: i64, head_hash: &'a [u8], opened_at: i64,
    ended_at: Option<i64>, workflow: Option<&'a str>, flow_state: Option<&'a str>, state: &'a str, records: i32,
    place: Option<&'a str>, most: Option<i64>,
});
arrays!(Records {
    commit: i32, record: i32, seq: i64, at: i64, period: i32, event_type: &'a str, handoff: i32, handoff_id: Option<Uuid>,
    hash: &'a [u8], text: &'a str,
});
arrays!(Handoffs {
    commit: i32, id: Uuid, n: i64, initiated: i32, closed: i32, from: &'a str, to: &'a str, kind: &'a str, status: &'a str,
    level: i16, task: Option<&'a str>, offered_since: Option<i64>, in_process: bool, due_at: Option<i64>, opened_at: i64,
    closed_at: Option<i64>, ended_badly: Option<&'a str>, state: &'a str,
});
arrays!(Items { commit: i32, kind: i16, key: &'a str, body: Option<&'a str> });
arrays!(Messages { commit: i32, n: i64, at: i64, period: i32, tokens: i64, body: &'a str });
arrays!(Given { commit: i32, of: Uuid, to: &'a str, record: i32, seq: i64 });
arrays!(Taken { commit: i32, of: Uuid });
arrays!(Keys { commit: i32, key: &'a str, digest: &'a [u8], answer: &'a str });
arrays!(Agents { commit: i32, id: &'a str, profile: Option<String>, standing: Option<String> });
arrays!(Parts { session: &'a str, through: i64, hash: &'a [u8] });

const PARAMS: usize = 2
    + Sessions::COUNT
    + Records::COUNT
    + Handoffs::COUNT
    + Items::COUNT
    + Messages::COUNT
    + Given::COUNT
    + Taken::COUNT
    + Keys::COUNT
    + Agents::COUNT
    + postings::COUNT
    + Parts::COUNT;

/// A batch, as arrays.
#[derive(Default)]
pub(super) struct Batch<'a> {
    sessions: Sessions<'a>,
    records: Records<'a>,
    handoffs: Handoffs<'a>,
    items: Items<'a>,
    messages: Messages<'a>,
    given: Given<'a>,
    taken: Taken<'a>,
    keys: Keys<'a>,
    agents: Agents<'a>,
    postings: Postings<'a>,
    parts: Parts<'a>,
}

impl<'a> Batch<'a> {
    /// The rows of these commits, and what is to be removed with the first.
    pub(super) fn of(commits: impl Iterator<Item = &'a Commit> + Clone, parts: &'a [Prunable]) -> Self {
        let mut batch = Self::default();
        for (commit, i) in commits.clone().zip(1..) {
            batch.add(commit, i);
        }
        batch.postings = Postings::of(commits.map(|commit| commit.postings.as_slice()));
        for part in parts {
            batch.parts.session.push(part.session.as_str());
            batch.parts.through.push(int(part.through));
            batch.parts.hash.push(&part.hash.0);
        }
        batch
    }

    /// The periods for which there must be partitions.
    pub(super) fn periods(&self) -> Vec<i32> {
        let mut periods: Vec<i32> = self.records.period.iter().chain(&self.messages.period).copied().collect();
        periods.retain(|period| *period != KEPT);
        periods.sort_unstable();
        periods.dedup();
        periods
    }

    /// The account that stands behind an outcome.
    pub(super) fn account(&self, place: usize) -> Option<&'a str> {
        self.postings.name(place)
    }

    /// What the statement is given.
    pub(super) fn params<'p>(&'p self, node: &'p Uuid, number: &'p i64) -> Vec<&'p (dyn ToSql + Sync)> {
        let mut params: Vec<&'p (dyn ToSql + Sync)> = Vec::with_capacity(PARAMS);
        params.push(node);
        params.push(number);
        self.sessions.params(&mut params);
        self.records.params(&mut params);
        self.handoffs.params(&mut params);
        self.items.params(&mut params);
        self.messages.params(&mut params);
        self.given.params(&mut params);
        self.taken.params(&mut params);
        self.keys.params(&mut params);
        self.agents.params(&mut params);
        self.postings.params(&mut params);
        self.parts.params(&mut params);
        params
    }

    fn add(&mut self, commit: &'a Commit, c: i32) {
        self.session(&commit.session, commit);
        let before = self.handoffs.id.len();
        for row in &commit.handoffs {
            self.handoff(row, c, commit);
        }
        for (row, n) in commit.records.iter().zip(1..) {
            self.record(row, (c, n), before, &commit.session.id);
        }
        // A part that changed twice is as it was last.
        let mut seen = HashSet::new();
        for row in commit.items.iter().rev().filter(|row| seen.insert((row.kind.number(), &row.key))) {
            self.item(row, c);
        }
        for row in &commit.messages {
            self.message(row, c, &commit.session.id);
        }
        for row in &commit.returns {
            self.give_or_take(row, c, commit);
        }
        if let Some(row) = &commit.key {
            self.key(row, c);
        }
        for row in &commit.agents {
            self.agent(row, c);
        }
    }

    fn session(&mut self, row: &'a SessionRow, commit: &'a Commit) {
        let to = &mut self.sessions;
        to.id.push(row.id.as_str());
        to.tenant.push(&row.tenant);
        to.expected.push(int(row.expected_version));
        to.version.push(int(row.version));
        to.head_seq.push(int(row.head_seq));
        to.head_hash.push(&row.head_hash.0);
        to.opened_at.push(row.opened_at.0);
        to.ended_at.push(row.ended_at.map(|at| at.0));
        to.workflow.push(row.flow.as_ref().map(|flow| flow.workflow.as_str()));
        to.flow_state.push(row.flow.as_ref().map(|flow| flow.state.as_str()));
        to.state.push(&row.state);
        to.records.push(count(commit.records.len()));
        to.place.push(commit.place.as_ref().map(|place| place.agent.as_str()));
        to.most.push(commit.place.as_ref().map(|place| i64::from(place.most)));
    }

    fn record(&mut self, row: &'a RecordRow, (c, n): (i32, i32), before: usize, session: &SessionId) {
        let own =
            self.handoffs.id.iter().skip(before).position(|id| row.handoff.is_some_and(|handoff| handoff.0 == *id));
        let to = &mut self.records;
        to.commit.push(c);
        to.record.push(n);
        to.seq.push(int(row.seq));
        to.at.push(row.at.0);
        to.period.push(period(row.at, session));
        to.event_type.push(row.event_type);
        to.handoff.push(own.map_or(0, |place| count(before + place + 1)));
        to.handoff_id.push(if own.is_some() { None } else { row.handoff.map(|handoff| handoff.0) });
        to.hash.push(&row.hash.0);
        to.text.push(&row.text);
    }

    fn handoff(&mut self, row: &'a HandoffRow, c: i32, commit: &Commit) {
        let to = &mut self.handoffs;
        to.commit.push(c);
        to.id.push(row.id.0);
        to.n.push(int(row.n));
        to.initiated.push(place_of(commit, row.initiated_seq));
        to.closed.push(place_of(commit, row.closed_seq));
        to.from.push(row.from.as_str());
        to.to.push(row.to.as_str());
        to.kind.push(kind_word(row.kind));
        to.status.push(row.status.word());
        to.level.push(i16::from(row.level));
        to.task.push(own_task(row));
        to.offered_since.push(row.offered_since.map(|at| at.0));
        to.in_process.push(row.in_process);
        to.due_at.push(row.due_at.map(|at| at.0));
        to.opened_at.push(row.opened_at.0);
        to.closed_at.push(row.closed_at.map(|at| at.0));
        to.ended_badly.push(ended_badly(row.status));
        to.state.push(&row.state);
    }

    fn item(&mut self, row: &'a Item, c: i32) {
        self.items.commit.push(c);
        self.items.kind.push(i16::try_from(row.kind.number()).unwrap_or_default());
        self.items.key.push(&row.key);
        self.items.body.push(row.body.as_deref());
    }

    fn message(&mut self, row: &'a MessageRow, c: i32, session: &SessionId) {
        self.messages.commit.push(c);
        self.messages.n.push(int(row.n));
        self.messages.at.push(row.at.0);
        self.messages.period.push(period(row.at, session));
        self.messages.tokens.push(int(row.tokens));
        self.messages.body.push(&row.body);
    }

    fn give_or_take(&mut self, row: &'a ReturnRow, c: i32, commit: &Commit) {
        if row.taken {
            self.taken.commit.push(c);
            self.taken.of.push(row.of);
            return;
        }
        self.given.commit.push(c);
        self.given.of.push(row.of);
        self.given.to.push(row.to.as_str());
        self.given.record.push(place_of(commit, Some(row.seq)));
        self.given.seq.push(int(row.seq));
    }

    fn key(&mut self, row: &'a KeyRow, c: i32) {
        self.keys.commit.push(c);
        self.keys.key.push(&row.key);
        self.keys.digest.push(&row.digest.0);
        self.keys.answer.push(&row.answer);
    }

    fn agent(&mut self, row: &'a AgentRow, c: i32) {
        self.agents.commit.push(c);
        self.agents.id.push(row.id.as_str());
        let entry = row.entry.as_ref();
        // The types of the core have string keys only and no serializer that fails.
        self.agents.profile.push(entry.and_then(|(profile, _)| serde_json::to_string(profile).ok()));
        self.agents.standing.push(entry.and_then(|(_, standing)| serde_json::to_string(standing).ok()));
    }
}

/// What outlives its month.
const KEPT: i32 = 0;

/// The year and the month of a time, such as 202611. The book of the house is kept.
fn period(at: Timestamp, session: &SessionId) -> i32 {
    if session.is_house() {
        return KEPT;
    }
    month(at)
}

/// The year and the month of a time, such as 202611. What is before 1970 or after 9999 counts as the last month on that side.
pub(super) fn month(at: Timestamp) -> i32 {
    let days = at.0.div_euclid(24 * 60 * 60 * 1_000).clamp(0, 2_932_896);
    // Days are counted from the first of March of the year 0, so that a leap day is the last of its year.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    i32::try_from((era * 400 + year + next) * 100 + month).unwrap_or(KEPT)
}

/// The place of the record with this number in its commit, from 1; 0 where it is not there.
fn place_of(commit: &Commit, seq: Option<u64>) -> i32 {
    let at = seq.and_then(|seq| commit.records.iter().position(|record| record.seq == seq));
    at.map_or(0, |i| count(i + 1))
}

/// The task's id, where it is not the handoff's own: that one is found without an index for it.
fn own_task(row: &HandoffRow) -> Option<&str> {
    let mut buffer = Uuid::encode_buffer();
    let own = row.id.0.hyphenated().encode_lower(&mut buffer);
    (row.task_id != *own).then_some(row.task_id.as_str())
}

fn ended_badly(status: Status) -> Option<&'static str> {
    match status {
        Status::Failed | Status::TimedOut | Status::Escalated | Status::Cancelled => Some(status.word()),
        _ => None,
    }
}

fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Sequential => "sequential",
        Kind::Delegation => "delegation",
        Kind::Broadcast => "broadcast",
        Kind::Escalation => "escalation",
    }
}

/// A number as PostgreSQL has it. Nothing that we count comes near the end of the range.
pub(super) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_begin_where_the_calendar_says() {
        for (text, expected) in [
            ("1970-01-01T00:00:00.000Z", 197_001),
            ("2024-02-29T23:59:59.999Z", 202_402),
            ("2024-03-01T00:00:00.000Z", 202_403),
            ("2026-11-30T23:59:59.999Z", 202_611),
            ("2026-12-01T00:00:00.000Z", 202_612),
            ("2100-02-28T23:59:59.999Z", 210_002),
            ("2100-03-01T00:00:00.000Z", 210_003),
        ] {
            let at: Timestamp = serde_json::from_value(text.into()).unwrap();
            assert_eq!(month(at), expected, "{text}");
        }
        assert_eq!(month(Timestamp(i64::MIN)), 197_001);
        assert_eq!(month(Timestamp(i64::MAX)), 999_912);
    }
}
