//! The audit trail: asking it, sealing it, exporting it, and removing what was kept long enough.

use crate::{engine::Engine, finish::finish, shared::Leaf};
use handover_core::{
    access::Right,
    digest::Digest,
    event::{Event, SealedHead},
    ids::SessionId,
    limits::{CHECKPOINT_RECORDS_MAX, CONFLICT_TRIES_MAX, PAGE_MAX, PRUNED_AT_ONCE},
    record::{self, Record},
    refusal::{Code, HandoffError, Refusal},
    session::Session,
};
use handover_store::{Commit, Prunable, RecordQuery, StoreError, StoredRecord};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{
    collections::BTreeMap,
    io::{BufRead, Write as _},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

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
        if self.caller.is_restricted() {
            return self.records_seen(query).await;
        }
        Ok(self.inner.store.records(&query).await?)
    }

    /// The same, where what fits may be rare: no index leads to it, so it is looked for among so many positions at the most,
    /// from where the page begins. With the position from which the next page goes on: `before` it with the latest first,
    /// else `after` it; nothing at the end.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn audit_page(
        &self,
        mut query: RecordQuery,
        look: u64,
    ) -> Result<(Vec<StoredRecord>, Option<u64>), HandoffError> {
        query.limit = query.limit.clamp(1, PAGE_MAX);
        let limit = query.limit;
        let indexed = query.session.is_some() || query.handoff.is_some() || query.task.is_some();
        let further = if indexed { None } else { self.look_near(&mut query, look).await? };
        let found = self.audit(query).await?;
        let next = match found.last().filter(|_| found.len() == limit) {
            Some(last) => Some(last.position),
            None => further,
        };
        Ok((found, next))
    }

    /// Keeps a query to so many positions. Gives where to look next; nothing where there is nothing more.
    async fn look_near(&self, query: &mut RecordQuery, look: u64) -> Result<Option<u64>, HandoffError> {
        let first = match query.since {
            Some(since) => self.edge(RecordQuery { since: Some(since), ..RecordQuery::default() }).await?,
            None => Some(1),
        };
        let last = match query.until {
            Some(until) => {
                self.edge(RecordQuery { until: Some(until), latest_first: true, ..RecordQuery::default() }).await?
            }
            None => Some(self.feed_position()),
        };
        // Nothing is in this time: the store finds that at once.
        let Some((first, last)) = first.zip(last) else { return Ok(None) };
        if query.latest_first {
            let top = if query.before == 0 { last + 1 } else { query.before.min(last + 1) };
            let bottom = top.saturating_sub(look).max(1);
            query.after = query.after.max(bottom - 1);
            query.before = top;
            return Ok((bottom > first).then_some(bottom));
        }
        let bottom = query.after.max(first - 1);
        let top = bottom.saturating_add(look);
        query.after = bottom;
        let over = top.saturating_add(1);
        query.before = if query.before == 0 { over } else { query.before.min(over) };
        Ok((top < last).then_some(top))
    }

    /// The position of the first record that fits, whoever it belongs to: it bounds where others look.
    async fn edge(&self, query: RecordQuery) -> Result<Option<u64>, HandoffError> {
        let found = self.inner.store.records(&RecordQuery { limit: 1, ..query }).await?;
        Ok(found.first().map(|record| record.position))
    }

    /// Writes checkpoints over everything that is not sealed yet.
    ///
    /// # Errors
    /// When the store cannot be read or written, or this caller is no administrator of the house.
    pub async fn seal(&self) -> Result<(), HandoffError> {
        self.operator()?;
        self.seal_all().await
    }

    pub(crate) async fn seal_all(&self) -> Result<(), HandoffError> {
        let mut after = self.sealed_through().await?;
        loop {
            let query = RecordQuery { after, limit: CHECKPOINT_RECORDS_MAX.min(PAGE_MAX), ..RecordQuery::default() };
            let page = self.inner.store.records(&query).await?;
            let Some(last) = page.last().map(|stored| stored.position) else { return Ok(()) };
            let full = page.len() == query.limit;
            after = last;
            let mut heads: BTreeMap<SessionId, SealedHead> = BTreeMap::new();
            // The book of the house seals itself: the checkpoint is its own next link.
            for stored in page.into_iter().filter(|stored| !stored.session_id.is_house()) {
                let head = SealedHead { session_id: stored.session_id.clone(), seq: stored.seq, hash: stored.hash };
                heads.insert(stored.session_id, head);
            }
            if !heads.is_empty() {
                let event = Event::Sealed { through: last, heads: heads.into_values().collect() };
                self.write_leaf(|book| {
                    // Another process may have sealed as much meanwhile.
                    let known = sealed(book) >= last;
                    Ok((!known).then(|| Leaf { events: vec![event.clone()], ..Leaf::default() }))
                })
                .await?;
            }
            if !full {
                return Ok(());
            }
        }
    }

    async fn sealed_through(&self) -> Result<u64, HandoffError> {
        Ok(sealed(self.house().await?.session.as_deref()))
    }

    /// Writes what is not sealed yet before it is closed; where others go on, whoever has that chore does.
    pub(crate) async fn seal_at_end(&self) -> Result<(), HandoffError> {
        let last = self.inner.store.nodes().await?.len() <= 1;
        if last { self.seal_all().await } else { Ok(()) }
    }

    /// Writes records as JSON lines into `<folder>/<project>/handoff-audit/`, one file for all that fits the query.
    /// Gives the file and how many records it has.
    ///
    /// # Errors
    /// When the store cannot be read, the file cannot be written, or this caller is no administrator.
    pub async fn export(
        &self,
        folder: &Path,
        project: &str,
        query: RecordQuery,
    ) -> Result<(PathBuf, u64), HandoffError> {
        self.caller.may(Right::Administer)?;
        let one_name = Path::new(project).components().collect::<Vec<_>>();
        if !matches!(one_name.as_slice(), [Component::Normal(_)]) {
            let message = format!("{project:?} is not the name of one folder");
            return Err(Refusal::new(Code::BadText, message).at("project").into());
        }
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

    /// The book of the house: agents, checkpoints and what retention removed, after a position. For the operator; no
    /// tenant's audit shows it. Whoever keeps its last hash elsewhere can tell that nothing was cut off.
    ///
    /// # Errors
    /// When the store cannot be read, or this caller is bound to certain agents.
    pub async fn house_book(&self, after: u64, limit: usize) -> Result<Vec<StoredRecord>, HandoffError> {
        self.operator()?;
        let query = RecordQuery { session: Some(SessionId::house()), after, limit, ..RecordQuery::default() };
        Ok(self.inner.store.records(&query).await?)
    }

    /// The same by a query: of it only event type, times, positions and order count.
    ///
    /// # Errors
    /// As [`Engine::house_book`].
    pub async fn house_page(&self, query: RecordQuery) -> Result<Vec<StoredRecord>, HandoffError> {
        self.operator()?;
        let RecordQuery { event_type, since, until, after, before, latest_first, limit, .. } = query;
        let session = Some(SessionId::house());
        let query = RecordQuery {
            session,
            event_type,
            since,
            until,
            after,
            before,
            latest_first,
            limit,
            ..RecordQuery::default()
        };
        Ok(self.inner.store.records(&query).await?)
    }

    /// What was kept long enough and can be removed now: sessions, each with how far; at most a page.
    ///
    /// # Errors
    /// When the store cannot be read, or this caller is bound to certain agents.
    pub async fn prunable(&self) -> Result<Vec<Prunable>, HandoffError> {
        self.operator()?;
        Ok(self.inner.store.prunable(self.inner.retention, self.inner.clock.now(), PAGE_MAX).await?)
    }

    /// Removes what was kept long enough, and records that. Gives how many sessions lost records.
    ///
    /// # Errors
    /// When the store cannot be read or written, or this caller is no administrator of the house.
    pub async fn enforce_retention(&self) -> Result<usize, HandoffError> {
        self.operator()?;
        let (mut total, mut tries) = (0, CONFLICT_TRIES_MAX);
        loop {
            let now = self.inner.clock.now();
            let mut parts = self.inner.store.prunable(self.inner.retention, now, PAGE_MAX).await?;
            if parts.is_empty() {
                return Ok(total);
            }
            let records = self.at_once(&mut parts).await?;
            let count = parts.len();
            let heads = parts
                .iter()
                .map(|part| SealedHead { session_id: part.session.clone(), seq: part.through, hash: part.hash })
                .collect();
            match self.prune(parts, Event::Pruned { heads, records }).await {
                // Another process wrote into the book, or removed the same: look again.
                Err(StoreError::Conflict) if self.is_shared() && tries > 1 => tries -= 1,
                pruned => {
                    pruned?;
                    total += count;
                    tries = CONFLICT_TRIES_MAX;
                }
            }
        }
    }

    /// Leaves what is removed in one go, and gives how many records that is: everybody who writes waits meanwhile.
    async fn at_once(&self, parts: &mut Vec<Prunable>) -> Result<u64, StoreError> {
        let (mut count, mut records) = (0, 0);
        for part in parts.iter() {
            let gone_before = self.inner.store.chain(&part.session).await?.map_or(0, |ends| ends.pruned.0);
            let more = part.through.saturating_sub(gone_before);
            if count > 0 && records + more > PRUNED_AT_ONCE {
                break;
            }
            count += 1;
            records += more;
        }
        parts.truncate(count);
        Ok(records)
    }

    async fn prune(&self, parts: Vec<Prunable>, event: Event) -> Result<(), StoreError> {
        let mut cell = self.inner.cache.slot(&SessionId::house()).lock_owned().await;
        if !cell.is_current() || self.is_shared() {
            cell.read(&*self.inner.store, &SessionId::house()).await?;
        }
        let before = cell.session.clone();
        let decided = self.decide_house(before.as_deref(), vec![event]);
        let commit = Commit::of(before.as_deref(), &decided, None, Vec::new());
        cell.loaded = false;
        let engine = self.clone();
        let pruned = finish(async move {
            engine.inner.store.prune(parts, commit).await?;
            engine.follow_own(&decided.written);
            cell.session = Some(Arc::new(decided.session));
            cell.loaded = true;
            Ok::<(), StoreError>(())
        });
        pruned.await
    }
}

/// How far a book has sealed the feed.
fn sealed(book: Option<&Session>) -> u64 {
    book.and_then(|book| book.workflow_state["sealed_through"].as_u64()).unwrap_or(0)
}

/// A record as a line of an export.
pub(crate) fn line(stored: &StoredRecord) -> Result<String, HandoffError> {
    let damaged = |error: serde_json::Error| {
        HandoffError::from(handover_store::StoreError::Damaged(format!("record {}: {error}", stored.position)))
    };
    let record: &RawValue = serde_json::from_str(&stored.text).map_err(damaged)?;
    serde_json::to_string(&Line { position: stored.position, hash: stored.hash, record }).map_err(damaged)
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
