//! The audit trail: asking it, sealing it, verifying it, exporting it, and removing what was kept long enough.

use crate::engine::Engine;
use handover_core::{
    digest::Digest,
    event::{Event, SealedHead},
    ids::SessionId,
    limits::{CHECKPOINT_RECORDS_MAX, PAGE_MAX},
    message::Mark,
    record::{self, Record},
    refusal::{Code, HandoffError, Refusal},
    session::Session,
};
use handover_store::{ChainEnds, Commit, RecordQuery, StoredRecord};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{
    collections::BTreeMap,
    io::{BufRead, Write as _},
    path::{Path, PathBuf},
};

/// What a verification found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Chains looked at.
    pub sessions: u64,
    /// Records looked at.
    pub records: u64,
    /// Messages looked at.
    pub messages: u64,
    /// Checkpoints looked at.
    pub checkpoints: u64,
}

/// A line of an export: the record to the letter, with its place in the chain.
#[derive(Debug, Serialize, Deserialize)]
struct Line<'a> {
    position: u64,
    hash: Digest,
    #[serde(borrow)]
    record: &'a RawValue,
}

impl Engine {
    /// Records of the audit trail that fit a query.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn audit(&self, mut query: RecordQuery) -> Result<Vec<StoredRecord>, HandoffError> {
        query.tenant = Some(self.caller.tenant.clone());
        Ok(self.inner.store.records(&query).await?)
    }

    /// Writes checkpoints over everything that is not sealed yet.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub async fn seal(&self) -> Result<(), HandoffError> {
        loop {
            let sealed = self.sealed_through().await?;
            let query =
                RecordQuery { after: sealed, limit: CHECKPOINT_RECORDS_MAX.min(PAGE_MAX), ..RecordQuery::default() };
            let page = self.inner.store.records(&query).await?;
            let Some(last) = page.last().map(|stored| stored.position) else { return Ok(()) };
            let full = page.len() == query.limit;
            let mut heads: BTreeMap<SessionId, SealedHead> = BTreeMap::new();
            // The book of the house seals itself: the checkpoint is its own next link.
            for stored in page.into_iter().filter(|stored| !stored.session_id.is_house()) {
                let head = SealedHead { session_id: stored.session_id.clone(), seq: stored.seq, hash: stored.hash };
                heads.insert(stored.session_id, head);
            }
            if !heads.is_empty() {
                let heads = heads.into_values().collect();
                self.write_house(vec![Event::Sealed { through: last, heads }], Vec::new()).await?;
            }
            if !full {
                return Ok(());
            }
        }
    }

    async fn sealed_through(&self) -> Result<u64, HandoffError> {
        let cell = self.house().await?;
        let through = cell.session.as_ref().and_then(|book| book.workflow_state["sealed_through"].as_u64());
        Ok(through.unwrap_or(0))
    }

    /// Verifies every chain, every checkpoint, every message, and that what is stored follows from the records.
    ///
    /// # Errors
    /// `HO0901` with the first record that does not fit.
    pub async fn verify(&self) -> Result<Verified, HandoffError> {
        let mut found = Verified::default();
        // The book of the house comes first: it says how far each of the others must reach.
        let mut seals = self.verify_house(&mut found).await?;
        let mut after: Option<SessionId> = None;
        loop {
            let page = self.inner.store.chains(after.as_ref(), PAGE_MAX).await?;
            for ends in page.iter().filter(|ends| !ends.session.is_house()) {
                let seal = seals.remove(&ends.session);
                self.verify_chain(ends, seal, &mut found, &mut BTreeMap::new()).await?;
            }
            match page.last() {
                Some(last) => after = Some(last.session.clone()),
                None => break,
            }
        }
        match seals.into_values().next() {
            Some(seal) => {
                Err(broken(&seal.session_id, seal.seq, "a checkpoint has sealed it, and the session is gone"))
            }
            None => Ok(found),
        }
    }

    /// The latest seal of each session.
    async fn verify_house(&self, found: &mut Verified) -> Result<BTreeMap<SessionId, SealedHead>, HandoffError> {
        let mut seals = BTreeMap::new();
        if let Some(ends) = self.inner.store.chain(&SessionId::house()).await? {
            self.verify_chain(&ends, None, found, &mut seals).await?;
        }
        Ok(seals)
    }

    /// One chain from its beginning to its end, with the record that a checkpoint has sealed in it.
    async fn verify_chain(
        &self,
        ends: &ChainEnds,
        seal: Option<SealedHead>,
        found: &mut Verified,
        seals: &mut BTreeMap<SessionId, SealedHead>,
    ) -> Result<(), HandoffError> {
        let mut link = Link { seq: ends.pruned.0, hash: ends.pruned.1 };
        let mut replayed: Option<Session> = None;
        let mut query = RecordQuery { session: Some(ends.session.clone()), limit: PAGE_MAX, ..RecordQuery::default() };
        loop {
            let page = self.inner.store.records(&query).await?;
            for stored in &page {
                query.after = stored.position;
                let record = link.follow(stored)?;
                found.records += 1;
                if let Some(seal) = seal.as_ref().filter(|seal| seal.seq == stored.seq && seal.hash != stored.hash) {
                    return Err(broken(&seal.session_id, seal.seq, "a checkpoint has sealed another record here"));
                }
                if let Event::Sealed { heads, .. } = &record.event {
                    found.checkpoints += 1;
                    seals.extend(heads.iter().map(|head| (head.session_id.clone(), head.clone())));
                }
                if ends.pruned.0 == 0 {
                    replayed = Session::follow(replayed, &record, stored.hash);
                }
            }
            if page.len() < PAGE_MAX {
                break;
            }
        }
        if (link.seq, link.hash) != ends.head {
            let message = format!("its last record is {} where {} is expected", link.seq, ends.head.0);
            return Err(broken(&ends.session, ends.head.0, &message));
        }
        if let Some(seal) = seal.filter(|seal| seal.seq > link.seq) {
            return Err(broken(&seal.session_id, seal.seq, "a checkpoint has sealed it, and it is not there"));
        }
        found.sessions += 1;
        if ends.pruned.0 == 0 {
            self.verify_state(ends, replayed, found).await?;
        }
        Ok(())
    }

    /// What is stored beside the records follows from them.
    async fn verify_state(
        &self,
        ends: &ChainEnds,
        replayed: Option<Session>,
        found: &mut Verified,
    ) -> Result<(), HandoffError> {
        let Some(mut replayed) = replayed else {
            return Err(broken(&ends.session, 1, "it does not begin with an opening"));
        };
        let Some(stored) = self.inner.store.session(&ends.session).await? else {
            return Err(broken(&ends.session, ends.head.0, "the session is gone"));
        };
        replayed.version = stored.version;
        if replayed != stored {
            return Err(broken(&ends.session, ends.head.0, "the stored session is not what its records say"));
        }
        let mut mark = Mark::default();
        while mark.messages < stored.mark.messages {
            let page =
                self.inner.store.messages(&ends.session, mark.messages + 1, mark.messages + PAGE_MAX as u64).await?;
            if page.is_empty() {
                break;
            }
            for message in &page {
                mark.push(&message.said, message.tokens);
                found.messages += 1;
            }
        }
        if mark != stored.mark {
            return Err(broken(&ends.session, ends.head.0, "the conversation is not what its records say"));
        }
        Ok(())
    }

    /// Writes records as JSON lines into `<folder>/<project>/handoff-audit/`, one file for all that fits the query.
    /// Gives the file and how many records it has.
    ///
    /// # Errors
    /// When the store cannot be read or the file cannot be written.
    pub async fn export(
        &self,
        folder: &Path,
        project: &str,
        query: RecordQuery,
    ) -> Result<(PathBuf, u64), HandoffError> {
        let folder = folder.join(project).join("handoff-audit");
        let trouble = |error: std::io::Error| {
            HandoffError::from(handover_store::StoreError::Failed(format!("{}: {error}", folder.display())))
        };
        std::fs::create_dir_all(&folder).map_err(trouble)?;
        let mut file = tempfile_in(&folder).map_err(trouble)?;
        let mut query = RecordQuery { limit: PAGE_MAX, ..query };
        let (mut first, mut count) = (0, 0);
        loop {
            let page = self.audit(query.clone()).await?;
            for stored in &page {
                query.after = stored.position;
                first = if first == 0 { stored.position } else { first };
                count += 1;
                let line = line(stored)?;
                writeln!(file.1, "{line}").map_err(trouble)?;
            }
            if page.len() < PAGE_MAX {
                break;
            }
        }
        let path = folder.join(format!("records-{first:012}-{:012}.jsonl", query.after));
        file.1.flush().map_err(trouble)?;
        file.1.get_ref().sync_all().map_err(trouble)?;
        std::fs::rename(&file.0, &path).map_err(trouble)?;
        Ok((path, count))
    }

    /// Removes what was kept long enough, and records that. Gives how many sessions lost records.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub async fn enforce_retention(&self) -> Result<usize, HandoffError> {
        let mut total = 0;
        loop {
            let now = self.inner.clock.now();
            let parts = self.inner.store.prunable(self.inner.retention, now, PAGE_MAX).await?;
            if parts.is_empty() {
                return Ok(total);
            }
            total += parts.len();
            let heads = parts
                .iter()
                .map(|part| SealedHead { session_id: part.session.clone(), seq: part.through, hash: part.hash })
                .collect();
            let records = parts.iter().map(|part| part.through).sum();
            let mut cell = self.house().await?;
            let before = cell.session.clone();
            let decided = self.decide_house(before.as_deref(), vec![Event::Pruned { heads, records }]);
            let commit = Commit::of(before.as_deref(), &decided, None, Vec::new());
            cell.loaded = false;
            self.inner.store.prune(parts, commit).await?;
            cell.session = Some(std::sync::Arc::new(decided.session));
            cell.loaded = true;
        }
    }
}

fn line(stored: &StoredRecord) -> Result<String, HandoffError> {
    let damaged = |error: serde_json::Error| {
        HandoffError::from(handover_store::StoreError::Damaged(format!("record {}: {error}", stored.position)))
    };
    let record: &RawValue = serde_json::from_str(&stored.text).map_err(damaged)?;
    serde_json::to_string(&Line { position: stored.position, hash: stored.hash, record }).map_err(damaged)
}

/// Where a chain has come to.
struct Link {
    seq: u64,
    hash: Digest,
}

impl Link {
    fn follow(&mut self, stored: &StoredRecord) -> Result<Record, HandoffError> {
        let bad = |why: &str| Err(broken(&stored.session_id, stored.seq, why));
        if stored.seq != self.seq + 1 {
            let why = format!("record {} is missing or out of order", self.seq + 1);
            return Err(broken(&stored.session_id, self.seq + 1, &why));
        }
        if record::hash(&stored.text) != stored.hash {
            return bad("its text does not match its hash");
        }
        let Ok(record) = serde_json::from_str::<Record>(&stored.text) else { return bad("it cannot be read") };
        if record.prev != self.hash {
            return bad("it does not follow the record before it");
        }
        if record.seq != stored.seq || record.session_id != stored.session_id {
            return bad("it belongs elsewhere");
        }
        self.seq = stored.seq;
        self.hash = stored.hash;
        Ok(record)
    }
}

fn broken(session: &SessionId, seq: u64, why: &str) -> HandoffError {
    Refusal::new(Code::BrokenChain, format!("session {session}, record {seq}: {why}"))
        .details(serde_json::json!({"session_id": session, "seq": seq}))
        .into()
}

fn tempfile_in(folder: &Path) -> std::io::Result<(PathBuf, std::io::BufWriter<std::fs::File>)> {
    let path = folder.join(format!(".writing-{}", uuid::Uuid::new_v4()));
    let file = std::fs::File::create_new(&path)?;
    Ok((path, std::io::BufWriter::new(file)))
}

/// What the verification of an export found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ExportVerified {
    /// Records.
    pub records: u64,
    /// Places where records of a session are left out. None in a whole export; some in one that was filtered.
    pub gaps: u64,
}

/// Verifies an exported file without any database: each record's hash, and that those of one session follow each other.
///
/// # Errors
/// `HO0901` with the first line that does not fit.
pub fn verify_export(lines: impl BufRead) -> Result<ExportVerified, HandoffError> {
    let mut last: BTreeMap<SessionId, (u64, Digest)> = BTreeMap::new();
    let mut found = ExportVerified::default();
    for (i, text) in lines.lines().enumerate() {
        let bad = |why: &str| HandoffError::from(Refusal::new(Code::BrokenChain, format!("line {}: {why}", i + 1)));
        let text = text.map_err(|error| bad(&error.to_string()))?;
        let line: Line<'_> =
            serde_json::from_str(&text).map_err(|error| bad(&format!("it cannot be read: {error}")))?;
        if record::hash(line.record.get()) != line.hash {
            return Err(bad("its record does not match its hash"));
        }
        let read = serde_json::from_str::<Record>(line.record.get());
        let record = read.map_err(|error| bad(&format!("its record cannot be read: {error}")))?;
        let (seq, hash) = last.get(&record.session_id).copied().unwrap_or_default();
        if record.seq <= seq {
            return Err(bad("it is out of order"));
        }
        if record.seq > seq + 1 {
            found.gaps += 1;
        } else if record.prev != hash {
            return Err(bad("it does not follow the record before it of the same session"));
        }
        last.insert(record.session_id, (record.seq, line.hash));
        found.records += 1;
    }
    Ok(found)
}
