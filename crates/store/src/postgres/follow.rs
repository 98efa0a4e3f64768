//! Follows what all processes write, and publishes it here in the order of positions, without a gap.
//!
//! What this process wrote comes from its writer, which knows the records already; what others wrote is read. Nobody hears
//! of an answer before the feed has its records, and all that came before them.

use super::{
    address::Address,
    connect::{Client, within},
    fault::Fault,
    readers::Patience,
    writer::Waiting,
};
use crate::{Hooks, StoreError, StoredRecord, failpoint};
use handover_core::{
    digest::Digest,
    ids::SessionId,
    limits::{FOLLOW_PAGE, LOOK_MS, STORE_BATCH_MS},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Notify, mpsc},
    time::{MissedTickBehavior, interval},
};
use tokio_postgres::Row;

/// What came of each commit.
pub(super) type Written = Result<Vec<u64>, StoreError>;

/// A batch of this process that is decided, with whoever waits for it.
pub(super) struct Own {
    pub(super) batch: Vec<Waiting>,
    pub(super) written: Vec<Written>,
}

/// The task's own things.
pub(super) struct Follower {
    pub(super) address: Address,
    pub(super) hooks: Arc<Hooks>,
    pub(super) own: mpsc::Receiver<Own>,
    /// Batches of this process that may be written and were not published yet.
    pub(super) pending: Arc<AtomicU64>,
    /// Rung when somebody wrote something.
    pub(super) bell: Arc<Notify>,
    /// The last position that was published.
    pub(super) last: u64,
    pub(super) client: Option<Client>,
    /// Records that are read at once: fewer after a page that took too long.
    pub(super) page_rows: usize,
}

const PAGE: &str = "SELECT r.position, s.id, r.seq, r.hash, r.text FROM records r JOIN sessions s ON s.no = r.session_no \
                    WHERE r.position > $1 AND r.position <= $2 ORDER BY r.position LIMIT $3";

impl Follower {
    /// Until the writer has ended.
    pub(super) async fn run(mut self) {
        let mut look = interval(Duration::from_millis(LOOK_MS));
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                own = self.own.recv() => match own {
                    Some(own) => self.publish_own(own).await,
                    None => return,
                },
                () = self.bell.notified() => self.look().await,
                _ = look.tick() => self.look().await,
            }
        }
    }

    /// Looks for what others wrote. While something of this process is under way nobody can tell whose the last records are;
    /// when that is decided, what lies before it is read anyway.
    async fn look(&mut self) {
        while self.pending.load(Ordering::SeqCst) == 0 {
            let most = self.page_rows;
            match self.page(u64::MAX).await {
                Ok(records) if self.pending.load(Ordering::SeqCst) == 0 => {
                    let whole = records.len() >= most;
                    self.publish_foreign(&records);
                    if !whole {
                        return;
                    }
                }
                Ok(_) => return,
                Err(_) => {
                    self.client = None;
                    return;
                }
            }
        }
    }

    async fn publish_own(&mut self, own: Own) {
        let Own { mut batch, written } = own;
        let first = written.iter().filter_map(|written| written.as_ref().ok()?.first().copied()).min();
        if let Some(first) = first {
            let mut patience = Patience::new();
            while self.last + 1 < first {
                if self.catch_up(first - 1).await.is_ok() {
                    continue;
                }
                self.client = None;
                if patience.is_over() {
                    // It is written. Whoever waits need not wait for the database to come back; the feed does.
                    answer(&mut batch, &written);
                    if self.own.is_closed() {
                        break;
                    }
                }
                patience.pause().await;
            }
            self.publish_batch(&batch, &written);
        }
        self.pending.fetch_sub(1, Ordering::SeqCst);
        failpoint::pass("postgres.published");
        answer(&mut batch, &written);
        failpoint::pass("postgres.answered");
    }

    /// Reads and publishes up to a position. All of it is of others: what this process wrote before is published.
    async fn catch_up(&mut self, through: u64) -> Result<(), Fault> {
        while self.last < through {
            let records = self.page(through).await?;
            if records.is_empty() {
                // Removed meanwhile.
                self.last = through;
            }
            self.publish_foreign(&records);
        }
        Ok(())
    }

    async fn page(&mut self, through: u64) -> Result<Vec<StoredRecord>, Fault> {
        let last = i64::try_from(self.last).unwrap_or(i64::MAX);
        let through = i64::try_from(through).unwrap_or(i64::MAX);
        let limit = i64::try_from(self.page_rows).unwrap_or(i64::MAX);
        let rows = within(STORE_BATCH_MS, async {
            let client = self.client().await?;
            client.query(PAGE, &[&last, &through, &limit]).await
        });
        let rows = rows.await.inspect_err(|_| self.page_rows = (self.page_rows / 2).max(1))?;
        if rows.len() < self.page_rows {
            self.page_rows = FOLLOW_PAGE;
        }
        rows.iter().map(stored).collect()
    }

    /// One connection that listens and reads. It looks right after it begins to listen, for what was said before.
    async fn client(&mut self) -> Result<&Client, Fault> {
        let client = match self.client.take().filter(|client| !client.is_spent()) {
            Some(client) => client,
            None => {
                let client = Client::connect(&self.address, Some(self.bell.clone())).await?;
                client.batch(&format!("LISTEN \"{}\"; SET enable_seqscan TO off", self.address.channel())).await?;
                client
            }
        };
        Ok(self.client.insert(client))
    }

    fn publish_foreign(&mut self, records: &[StoredRecord]) {
        let Some(last) = records.last().map(|record| record.position) else { return };
        if let Some(hear) = &self.hooks.on_foreign {
            hear(records);
        }
        if let Some(publish) = &self.hooks.on_commit {
            publish(last, &|| records.to_vec());
        }
        self.last = last;
    }

    fn publish_batch(&mut self, batch: &[Waiting], written: &[Written]) {
        let durable =
            || batch.iter().zip(written).filter_map(|(waiting, written)| Some((waiting, written.as_ref().ok()?)));
        let Some(last) = durable().filter_map(|(_, positions)| positions.last().copied()).max() else { return };
        if let Some(publish) = &self.hooks.on_commit {
            publish(last, &|| durable().flat_map(|(waiting, positions)| of_commit(waiting, positions)).collect());
        }
        self.last = self.last.max(last);
    }
}

/// Tells whoever waits.
pub(super) fn answer(batch: &mut [Waiting], written: &[Written]) {
    for (waiting, written) in batch.iter_mut().zip(written) {
        if let Some(answer) = waiting.answer.take() {
            let _ = answer.send(written.clone());
        }
    }
}

fn stored(row: &Row) -> Result<StoredRecord, Fault> {
    let whole = |n: i64| u64::try_from(n).map_err(|_| Fault::Damaged(format!("{n} is no number of a record")));
    let hash: &[u8] = row.try_get(3)?;
    Ok(StoredRecord {
        position: whole(row.try_get(0)?)?,
        session_id: SessionId::new(row.try_get::<_, &str>(1)?)
            .map_err(|error| Fault::Damaged(format!("a session's name is none: {error}")))?,
        seq: whole(row.try_get(2)?)?,
        hash: Digest(hash.try_into().map_err(|_| Fault::Damaged("a hash has another length".to_owned()))?),
        text: row.try_get::<_, &str>(4)?.into(),
    })
}

fn of_commit<'a>(waiting: &'a Waiting, positions: &'a [u64]) -> impl Iterator<Item = StoredRecord> + 'a {
    let commit = &waiting.commit;
    commit.records.iter().zip(positions).map(|(row, position)| StoredRecord {
        position: *position,
        session_id: commit.session.id.clone(),
        seq: row.seq,
        hash: row.hash,
        text: row.text.as_str().into(),
    })
}
