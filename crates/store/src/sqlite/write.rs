//! Rows to SQL: the statements of a commit, in the order in which they must run. No thread, no batching, no policy;
//! the writer and the benchmark's bare loop both call this.

use super::{
    fault::Fault,
    flow, read,
    tally::{self, Tally},
};
use crate::rows::{AgentRow, Commit, HandoffRow, Item, KeyRow, MessageRow, RecordRow, ReturnRow, SessionRow};
use handover_core::{
    handoff::Kind,
    ids::HandoffId,
    ledger::{Account, Entry, Posting},
};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;

/// Writes one commit inside the caller's transaction, and gives the positions of its records.
///
/// # Errors
/// `Fault::Conflict` when the session is not at the expected version: nothing was written then. After any other
/// failure the caller rolls back.
pub fn write_commit(conn: &Connection, commit: &Commit) -> Result<Vec<u64>, Fault> {
    let mut batch = Batch::begin(conn)?;
    let positions = batch.write(commit)?;
    batch.finish()?;
    Ok(positions)
}

/// The commits of one transaction. What counts several of them together is written once, at the end.
pub struct Batch<'c> {
    conn: &'c Connection,
    next_position: i64,
    tally: Tally,
    /// Accounts as they are after what was written so far.
    ledger: HashMap<Account, Entry>,
}

impl<'c> Batch<'c> {
    /// Begins; the caller has begun the transaction.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn begin(conn: &'c Connection) -> Result<Self, Fault> {
        let last: i64 =
            conn.prepare_cached("SELECT coalesce(max(position), 0) FROM records")?.query_row([], |row| row.get(0))?;
        Ok(Self { conn, next_position: last + 1, tally: Tally::default(), ledger: HashMap::new() })
    }

    /// Writes one commit, and gives the positions of its records.
    ///
    /// # Errors
    /// As [`write_commit`].
    pub fn write(&mut self, commit: &Commit) -> Result<Vec<u64>, Fault> {
        for row in commit.returns.iter().filter(|row| row.taken) {
            self.still_waits(row)?;
        }
        let session_no = self.session(&commit.session)?;
        let first = self.next_position;
        let numbers = self.handoffs(session_no, first, commit)?;
        for row in &commit.records {
            self.record(session_no, row, &commit.session, &numbers)?;
        }
        for row in &commit.items {
            self.item(session_no, row)?;
        }
        for row in &commit.messages {
            self.message(session_no, row)?;
        }
        for row in &commit.returns {
            self.give_or_take(session_no, row, position_of(commit, first, row.seq))?;
        }
        if let Some(row) = &commit.key {
            self.key(session_no, row, &commit.session)?;
        }
        for row in &commit.agents {
            self.agent(row)?;
        }
        // Last, because it stays in memory until the end: what fails before leaves no trace here.
        self.post(&commit.postings)?;
        Ok((first..self.next_position).map(|position| position.unsigned_abs()).collect())
    }

    /// Writes what was counted. The caller commits.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self) -> Result<(), Fault> {
        tally::write_accounts(self.conn, &self.ledger)?;
        self.tally.write(self.conn)
    }

    /// Whoever decided has checked the limits against what it knew; here everything is counted, in the order of commits.
    fn post(&mut self, postings: &[Posting]) -> Result<(), Fault> {
        for posting in postings {
            if !self.ledger.contains_key(&posting.account) {
                let stored = read::ledger::entry(self.conn, &posting.account)?;
                self.ledger.insert(posting.account.clone(), stored);
            }
            if let Some(entry) = self.ledger.get_mut(&posting.account) {
                entry.apply(&posting.change);
            }
        }
        Ok(())
    }

    /// Comes before everything else that writes: a commit that is too late leaves no trace.
    fn session(&mut self, row: &SessionRow) -> Result<i64, Fault> {
        if row.expected_version == 0 {
            return self.new_session(row);
        }
        let found: Option<(i64, i64)> = self
            .conn
            .prepare_cached("SELECT no, version FROM sessions WHERE id = ?1")?
            .query_row([row.id.as_str()], |found| Ok((found.get(0)?, found.get(1)?)))
            .optional()?;
        let Some((no, _)) = found.filter(|(_, version)| *version == int(row.expected_version)) else {
            return Err(Fault::Conflict);
        };
        self.conn
            .prepare_cached(
                "UPDATE sessions SET version = ?2, head_seq = ?3, head_hash = ?4, ended_at = ?5, state = ?6 WHERE no = ?1",
            )?
            .execute(params![
                no,
                int(row.version),
                int(row.head_seq),
                row.head_hash.0,
                row.ended_at.map(|at| at.0),
                row.state
            ])?;
        flow::write(self.conn, no, row.flow.as_ref())?;
        Ok(no)
    }

    fn new_session(&mut self, row: &SessionRow) -> Result<i64, Fault> {
        let inserted = self
            .conn
            .prepare_cached(
                "INSERT INTO sessions (id, tenant, version, head_seq, head_hash, pruned_seq, pruned_hash, opened_at, \
                 ended_at, state) VALUES (?1, ?2, ?3, ?4, ?5, 0, zeroblob(32), ?6, ?7, ?8) ON CONFLICT (id) DO NOTHING",
            )?
            .execute(params![
                row.id.as_str(),
                row.tenant,
                int(row.version),
                int(row.head_seq),
                row.head_hash.0,
                row.opened_at.0,
                row.ended_at.map(|at| at.0),
                row.state
            ])?;
        if inserted == 0 {
            return Err(Fault::Conflict);
        }
        let no = self.conn.last_insert_rowid();
        flow::write(self.conn, no, row.flow.as_ref())?;
        self.tally.tenant(&row.tenant).sessions += 1;
        Ok(no)
    }

    /// Writes the handoffs and gives their numbers. A new one goes by the position of the record that initiated it.
    fn handoffs(&mut self, session_no: i64, first: i64, commit: &Commit) -> Result<Vec<(HandoffId, i64)>, Fault> {
        let position = |seq: u64| position_of(commit, first, seq);
        let mut numbers = Vec::with_capacity(commit.handoffs.len());
        for row in &commit.handoffs {
            let closed = row.closed_seq.and_then(position);
            let no = match row.initiated_seq.and_then(position) {
                Some(no) => self.new_handoff(no, session_no, closed, row, &commit.session)?,
                None => self.changed_handoff(session_no, closed, row, &commit.session)?,
            };
            numbers.push((row.id, no));
        }
        Ok(numbers)
    }

    fn new_handoff(
        &mut self,
        no: i64,
        session_no: i64,
        closed_position: Option<i64>,
        row: &HandoffRow,
        session: &SessionRow,
    ) -> Result<i64, Fault> {
        self.conn
            .prepare_cached(
                "INSERT INTO handoffs (no, id, session_no, n, from_agent, to_agent, type, status, level, task_id, \
                 offered_since, in_process, due_at, opened_at, closed_at, closed_position, state, tenant) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
            )?
            .execute(params![
                no,
                row.id.0.as_bytes(),
                session_no,
                int(row.n),
                row.from.as_str(),
                row.to.as_str(),
                kind_word(row.kind),
                row.status.word(),
                row.level,
                own_task(row),
                row.offered_since.map(|at| at.0),
                row.in_process,
                row.due_at.map(|at| at.0),
                row.opened_at.0,
                row.closed_at.map(|at| at.0),
                closed_position,
                row.state,
                session.tenant
            ])?;
        self.tally.pair(session_no, &session.tenant, &row.from, &row.to, 1);
        self.tally.tenant(&session.tenant).status(row.status, 1);
        Ok(no)
    }

    fn changed_handoff(
        &mut self,
        session_no: i64,
        closed_position: Option<i64>,
        row: &HandoffRow,
        session: &SessionRow,
    ) -> Result<i64, Fault> {
        let mut find = self.conn.prepare_cached("SELECT no, to_agent, status, level FROM handoffs WHERE id = ?1")?;
        let mut rows = find.query([row.id.0.as_bytes()])?;
        let Some(found) = rows.next()? else {
            return Err(Fault::Bad(format!("handoff {} is not there", row.id)));
        };
        let no: i64 = found.get(0)?;
        let was_to = found.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
        if was_to != row.to.as_str() {
            // Received counts who has it now.
            self.tally.moved(session_no, &session.tenant, &row.from, was_to, &row.to);
            // The target has an index of its own, which only a reroute has to touch.
            self.conn
                .prepare_cached("UPDATE handoffs SET to_agent = ?2 WHERE no = ?1")?
                .execute(params![no, row.to.as_str()])?;
        }
        let was_level: u8 = found.get(3)?;
        if was_level != row.level {
            // It is in the index of the queue, and only a change while it waits for approval has to touch it.
            self.conn
                .prepare_cached("UPDATE handoffs SET level = ?2 WHERE no = ?1")?
                .execute(params![no, row.level])?;
        }
        let was = found.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
        if was != row.status.word() {
            self.tally.tenant(&session.tenant).moved(was, row.status);
        }
        drop(rows);
        self.conn
            .prepare_cached(
                "UPDATE handoffs SET status = ?2, offered_since = ?3, in_process = ?4, due_at = ?5, closed_at = ?6, \
                 closed_position = coalesce(?7, closed_position), state = ?8 WHERE no = ?1",
            )?
            .execute(params![
                no,
                row.status.word(),
                row.offered_since.map(|at| at.0),
                row.in_process,
                row.due_at.map(|at| at.0),
                row.closed_at.map(|at| at.0),
                closed_position,
                row.state
            ])?;
        Ok(no)
    }

    fn record(
        &mut self,
        session_no: i64,
        row: &RecordRow,
        session: &SessionRow,
        numbers: &[(HandoffId, i64)],
    ) -> Result<(), Fault> {
        let handoff_no = match row.handoff {
            Some(id) => match numbers.iter().find(|(known, _)| *known == id) {
                Some((_, no)) => Some(*no),
                None => self.handoff_no(id)?,
            },
            None => None,
        };
        let position = self.next_position;
        self.conn
            .prepare_cached(
                "INSERT INTO records (position, session_no, seq, at, event_type, handoff_no, hash, text) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                position,
                session_no,
                int(row.seq),
                row.at.0,
                row.event_type,
                handoff_no,
                row.hash.0,
                row.text
            ])?;
        self.next_position += 1;
        self.tally.record(&session.tenant, row.at, position);
        Ok(())
    }

    fn handoff_no(&self, id: HandoffId) -> Result<Option<i64>, Fault> {
        let mut find = self.conn.prepare_cached("SELECT no FROM handoffs WHERE id = ?1")?;
        Ok(find.query_row([id.0.as_bytes()], |row| row.get(0)).optional()?)
    }

    fn item(&self, session_no: i64, row: &Item) -> Result<(), Fault> {
        match &row.body {
            Some(body) => self
                .conn
                .prepare_cached(
                    "INSERT INTO items (session_no, kind, key, body) VALUES (?1, ?2, ?3, ?4) \
                     ON CONFLICT DO UPDATE SET body = excluded.body",
                )?
                .execute(params![session_no, row.kind.number(), row.key, body])?,
            None => self
                .conn
                .prepare_cached("DELETE FROM items WHERE session_no = ?1 AND kind = ?2 AND key = ?3")?
                .execute(params![session_no, row.kind.number(), row.key])?,
        };
        Ok(())
    }

    fn message(&self, session_no: i64, row: &MessageRow) -> Result<(), Fault> {
        self.conn
            .prepare_cached("INSERT INTO messages (session_no, n, at, tokens, body) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![session_no, int(row.n), row.at.0, int(row.tokens), row.body])?;
        Ok(())
    }

    /// A return that is to be taken and is not there was taken before: the commit came too late.
    fn still_waits(&self, row: &ReturnRow) -> Result<(), Fault> {
        let mut find = self.conn.prepare_cached("SELECT 1 FROM returns WHERE of = ?1")?;
        if find.exists([row.of.as_bytes()])? { Ok(()) } else { Err(Fault::Conflict) }
    }

    fn give_or_take(&self, session_no: i64, row: &ReturnRow, position: Option<i64>) -> Result<(), Fault> {
        if row.taken {
            self.conn.prepare_cached("DELETE FROM returns WHERE of = ?1")?.execute([row.of.as_bytes()])?;
            return Ok(());
        }
        self.conn
            .prepare_cached(
                "INSERT INTO returns (of, session_no, to_agent, position, seq) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![row.of.as_bytes(), session_no, row.to.as_str(), position, int(row.seq)])?;
        Ok(())
    }

    fn key(&self, session_no: i64, row: &KeyRow, session: &SessionRow) -> Result<(), Fault> {
        self.conn
            .prepare_cached("INSERT INTO keys (session_no, key, digest, answer, seq) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![session_no, row.key, row.digest.0, row.answer, int(session.head_seq)])?;
        Ok(())
    }

    fn agent(&self, row: &AgentRow) -> Result<(), Fault> {
        match &row.entry {
            Some((profile, standing)) => self
                .conn
                .prepare_cached(
                    "INSERT INTO agents (id, profile, standing) VALUES (?1, ?2, ?3) \
                     ON CONFLICT DO UPDATE SET profile = excluded.profile, standing = excluded.standing",
                )?
                .execute(params![row.id.as_str(), serde_json::to_string(profile)?, serde_json::to_string(standing)?])?,
            None => self.conn.prepare_cached("DELETE FROM agents WHERE id = ?1")?.execute([row.id.as_str()])?,
        };
        Ok(())
    }
}

/// The position of the record with this number in the session, where this commit writes it.
fn position_of(commit: &Commit, first: i64, seq: u64) -> Option<i64> {
    let at = commit.records.iter().position(|record| record.seq == seq);
    at.and_then(|i| i64::try_from(i).ok()).map(|i| first + i)
}

/// The task's id, where it is not the handoff's own: that one is found without an index for it.
fn own_task(row: &HandoffRow) -> Option<&str> {
    let mut buffer = uuid::Uuid::encode_buffer();
    let own = row.id.0.hyphenated().encode_lower(&mut buffer);
    (row.task_id != *own).then_some(row.task_id.as_str())
}

fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Sequential => "sequential",
        Kind::Delegation => "delegation",
        Kind::Broadcast => "broadcast",
        Kind::Escalation => "escalation",
    }
}

/// A number as SQLite has it. Nothing that we count comes near the end of the range.
pub(super) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
