//! The one task that writes. It takes whatever has arrived, writes it with one statement, and gives it to the follower,
//! which publishes and answers. While one batch is under way the next one gathers, so there is no timer.
//!
//! What came of a statement is always known: a connection that breaks meanwhile is made anew, and the database is asked. It
//! is not answered that something was not written unless that is so.

use super::{
    address::Address,
    connect::{Client, within},
    fault::Fault,
    follow::{self, Own, Written},
    node::Identity,
    readers::Patience,
    write::Batch,
};
use crate::{Hooks, Prunable, StoreError, failpoint, rows::Commit};
use handover_core::{
    ledger::Account,
    limits::{BATCH_BYTES_MAX, BATCH_COMMITS_MAX, STORE_AWAY_MS, STORE_BATCH_MS, STORE_CONNECT_MS, WRITER_QUEUE_MAX},
};
use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::{mpsc, oneshot, watch};

/// A commit and whoever waits for it.
pub(super) struct Waiting {
    pub(super) commit: Commit,
    pub(super) answer: Option<oneshot::Sender<Written>>,
    pub(super) since: Instant,
}

/// What the writer is asked to do.
pub(super) enum Job {
    Commit(Box<Waiting>),
    Prune(Vec<Prunable>, Box<Waiting>),
    Close(oneshot::Sender<()>),
}

/// What came of a batch as a whole.
enum Decided {
    /// What came of each.
    Each(Vec<Written>),
    /// Nothing of it is written, for a reason that each shares.
    None(StoreError),
    /// Nothing of it is written; alone, each shows whether it is the one.
    Apart,
}

/// The task's own things.
pub(super) struct Writer {
    pub(super) address: Address,
    pub(super) hooks: Arc<Hooks>,
    pub(super) identity: Arc<Identity>,
    pub(super) queue: mpsc::Receiver<Job>,
    pub(super) follower: mpsc::Sender<Own>,
    pub(super) pending: Arc<AtomicU64>,
    pub(super) client: Option<Client>,
    /// Says that the store is closed.
    pub(super) closed: watch::Sender<bool>,
    /// What was taken from the queue and has to wait.
    pub(super) backlog: VecDeque<Job>,
    /// The last batch that was decided.
    pub(super) number: i64,
    /// Months for which there are partitions.
    pub(super) made: HashSet<i32>,
    pub(super) statement: String,
}

impl Writer {
    /// Until the store is closed or dropped.
    pub(super) async fn run(mut self) {
        let mut closing = None;
        while let Some(job) = self.next().await {
            match job {
                Job::Commit(first) => {
                    let batch = self.gather(*first);
                    self.write(batch, &[]).await;
                }
                Job::Prune(parts, waiting) => self.write(vec![*waiting], &parts).await,
                Job::Close(answer) => {
                    closing = Some(answer);
                    break;
                }
            }
        }
        self.finish().await;
        if let Some(answer) = closing {
            let _ = answer.send(());
        }
    }

    /// The next job. Being taken for gone is noticed also while nothing is to be done.
    async fn next(&mut self) -> Option<Job> {
        loop {
            if let Some(job) = self.backlog.pop_front() {
                return Some(job);
            }
            let identity = self.identity.clone();
            tokio::select! {
                job = self.queue.recv() => return job,
                () = identity.gone.notified() => self.begin_anew_if_gone().await,
            }
        }
    }

    /// What has arrived, up to a batch. A session comes once: what is decided for it later waits for the next batch, and
    /// keeps its place in the order.
    fn gather(&mut self, first: Waiting) -> Vec<Waiting> {
        let mut bytes = first.commit.bytes();
        let mut sessions = HashSet::from([first.commit.session.id.clone()]);
        let mut batch = vec![first];
        let mut later = VecDeque::new();
        while batch.len() < BATCH_COMMITS_MAX && bytes < BATCH_BYTES_MAX && later.len() < WRITER_QUEUE_MAX {
            match self.backlog.pop_front().or_else(|| self.queue.try_recv().ok()) {
                Some(Job::Commit(waiting)) if sessions.insert(waiting.commit.session.id.clone()) => {
                    bytes += waiting.commit.bytes();
                    batch.push(*waiting);
                }
                Some(Job::Commit(waiting)) => later.push_back(Job::Commit(waiting)),
                Some(other) => {
                    later.push_back(other);
                    break;
                }
                None => break,
            }
        }
        later.append(&mut self.backlog);
        self.backlog = later;
        batch
    }

    async fn write(&mut self, batch: Vec<Waiting>, parts: &[Prunable]) {
        match self.decide(&batch, parts).await {
            Decided::Apart if batch.len() > 1 => {
                for waiting in batch {
                    let alone = [waiting];
                    let decided = self.decide(&alone, parts).await;
                    self.deliver(alone.into(), decided).await;
                }
            }
            decided => self.deliver(batch, decided).await,
        }
    }

    async fn deliver(&mut self, mut batch: Vec<Waiting>, decided: Decided) {
        let written = match decided {
            Decided::Each(written) => written,
            Decided::None(error) => batch.iter().map(|_| Err(error.clone())).collect(),
            Decided::Apart => batch.iter().map(|_| Err(StoreError::Conflict)).collect(),
        };
        if written.iter().all(Result::is_err) {
            // There is nothing to publish, and whoever publishes may wait for the database.
            self.pending.fetch_sub(1, Ordering::SeqCst);
            follow::answer(&mut batch, &written);
            return;
        }
        self.identity.ring.notify_one();
        // It ends after this one.
        let _ = self.follower.send(Own { batch, written }).await;
    }

    /// Writes a batch, as often as it takes to know what came of it. Each call is one more that is pending.
    async fn decide(&mut self, batch: &[Waiting], parts: &[Prunable]) -> Decided {
        self.pending.fetch_add(1, Ordering::SeqCst);
        let rows = Batch::of(batch.iter().map(|waiting| &waiting.commit), parts);
        let mut patience = Patience::since(batch.first().map_or_else(Instant::now, |waiting| waiting.since));
        let mut remade = false;
        loop {
            let fault = match self.attempt(&rows).await {
                Ok(Some(outcome)) => return Decided::Each(read_outcome(batch, &rows, &outcome)),
                Ok(None) => Fault::Away("the connection broke".to_owned()),
                Err(fault) => fault,
            };
            match fault {
                Fault::Away(why) => {
                    if let Err(error) = patience.again(why).await {
                        return Decided::None(error);
                    }
                }
                // Somebody dropped one that was made before; once is enough to tell.
                Fault::NoPartition(_) if !std::mem::replace(&mut remade, true) => self.made.clear(),
                Fault::Fenced => {
                    self.begin_anew().await;
                    return Decided::None(StoreError::Fenced);
                }
                Fault::Bad(_) | Fault::NoPartition(_) if batch.len() > 1 => {
                    self.pending.fetch_sub(1, Ordering::SeqCst);
                    return Decided::Apart;
                }
                fault => return Decided::None(fault.into()),
            }
        }
    }

    /// Tries once. Nothing when it is sure that it was not written.
    async fn attempt(&mut self, rows: &Batch<'_>) -> Result<Option<Vec<i64>>, Fault> {
        let (id, number) = (self.identity.id(), self.number + 1);
        let sql = self.statement.clone();
        // Prepared before: while this fails, nothing was sent.
        let ready = within(STORE_BATCH_MS, self.prepare(rows, &sql)).await;
        ready.inspect_err(|_| self.client = None)?;
        let client = self.client().await?;
        let params = rows.params(&id, &number);
        failpoint::pass("postgres.sending");
        let asked = tokio::time::timeout(Duration::from_millis(STORE_BATCH_MS), client.query_one(&sql, &params)).await;
        match asked {
            Ok(Ok(row)) => {
                failpoint::pass("postgres.committed");
                self.number = number;
                Ok(Some(row.try_get(0)?))
            }
            Ok(Err(Fault::Away(_))) | Err(_) => self.settle(number).await,
            Ok(Err(fault)) => Err(fault),
        }
    }

    async fn prepare(&mut self, rows: &Batch<'_>, sql: &str) -> Result<(), Fault> {
        self.make_partitions(rows).await?;
        self.client().await?.prepared(sql).await?;
        Ok(())
    }

    /// Asks what came of a batch whose answer was not heard. It is not known before the database is back, so this waits as
    /// long as that takes; what has not been sent does not wait with it.
    async fn settle(&mut self, number: i64) -> Result<Option<Vec<i64>>, Fault> {
        let mut patience = Patience::new();
        let id = self.identity.id();
        self.client = None;
        loop {
            let asked = within(STORE_BATCH_MS, async {
                let client = self.client().await?;
                // Within our patience: the database would not see that nobody waits for a lock any more.
                client.batch("SET lock_timeout TO 9000").await?;
                let row = client.query_one("SELECT settle_v1($1, $2)", &[&id, &number]).await?;
                client.batch("SET lock_timeout TO 0").await?;
                Ok::<Option<Vec<i64>>, Fault>(row.try_get(0)?)
            });
            match asked.await {
                Ok(outcome) => {
                    self.number = number;
                    return Ok(outcome);
                }
                Err(Fault::Fenced) => {
                    let why = "this process was gone for so long that nobody knows whether this was written";
                    self.begin_anew().await;
                    return Err(Fault::Unknown(why.to_owned()));
                }
                Err(_) => self.client = None,
            }
            self.refuse_late("the connection broke");
            if self.is_closing() && patience.is_over() {
                let why = "the store was closed while the database was away: nobody knows whether this was written";
                return Err(Fault::Unknown(why.to_owned()));
            }
            patience.pause().await;
        }
    }

    /// Whether nobody will ask for anything more.
    fn is_closing(&self) -> bool {
        self.queue.is_closed() || self.backlog.iter().any(|job| matches!(job, Job::Close(_)))
    }

    /// Tells those that have waited long enough, and of which nothing was sent.
    fn refuse_late(&mut self, why: &str) {
        while self.backlog.len() < WRITER_QUEUE_MAX
            && let Ok(job) = self.queue.try_recv()
        {
            self.backlog.push_back(job);
        }
        let late = |waiting: &Waiting| waiting.since.elapsed() >= Duration::from_millis(STORE_AWAY_MS);
        self.backlog.retain_mut(|job| match job {
            Job::Commit(waiting) | Job::Prune(_, waiting) if late(waiting) => {
                refuse(waiting, StoreError::Away(why.to_owned()));
                false
            }
            _ => true,
        });
    }

    /// Somebody saw that this process was taken for gone; the writer may have begun anew since.
    async fn begin_anew_if_gone(&mut self) {
        let asked = within(STORE_BATCH_MS, async {
            let identity = self.identity.clone();
            identity.is_gone(self.client().await?).await
        });
        match asked.await {
            Ok(true) => self.begin_anew().await,
            Ok(false) => {}
            Err(_) => self.client = None,
        }
    }

    /// Others took this process for gone: it comes back as a new one. Nothing of what it was about to write is written.
    async fn begin_anew(&mut self) {
        let mut patience = Patience::new();
        loop {
            let registered = within(STORE_BATCH_MS, async {
                let identity = self.identity.clone();
                identity.register(self.client().await?).await
            });
            match registered.await {
                Ok(_) => break,
                Err(_) => self.client = None,
            }
            self.refuse_late("the database cannot be reached");
            if self.is_closing() && patience.is_over() {
                return;
            }
            patience.pause().await;
        }
        self.number = 0;
        if let Some(tell) = &self.hooks.on_fenced {
            tell();
        }
        while let Ok(job) = self.queue.try_recv() {
            self.backlog.push_back(job);
        }
        self.backlog.retain_mut(|job| match job {
            Job::Commit(waiting) | Job::Prune(_, waiting) => {
                refuse(waiting, StoreError::Fenced);
                false
            }
            Job::Close(_) => true,
        });
    }

    async fn make_partitions(&mut self, rows: &Batch<'_>) -> Result<(), Fault> {
        let missing: Vec<i32> = rows.periods().into_iter().filter(|period| !self.made.contains(period)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        self.client().await?.query("SELECT make_partitions_v1($1)", &[&missing]).await?;
        self.made.extend(missing);
        Ok(())
    }

    async fn client(&mut self) -> Result<&Client, Fault> {
        let client = match self.client.take().filter(|client| !client.is_spent()) {
            Some(client) => client,
            None => Client::connect(&self.address, None).await?,
        };
        Ok(self.client.insert(client))
    }

    /// Refuses what is left and says goodbye. Should that not be heard, the others notice when the time is over.
    async fn finish(mut self) {
        self.queue.close();
        if let Some(client) = self.client.take() {
            let _ = tokio::time::timeout(Duration::from_millis(STORE_CONNECT_MS), self.identity.leave(&client)).await;
        }
        let _ = self.closed.send(true);
    }
}

fn refuse(waiting: &mut Waiting, error: StoreError) {
    if let Some(answer) = waiting.answer.take() {
        let _ = answer.send(Err(error));
    }
}

/// What came of each commit: the positions of its records, or why it is not written.
fn read_outcome(batch: &[Waiting], rows: &Batch<'_>, outcome: &[i64]) -> Vec<Written> {
    let read = |waiting: &Waiting, outcome: i64| match outcome {
        1.. => {
            let first = outcome.unsigned_abs();
            Ok((first..).take(waiting.commit.records.len()).collect())
        }
        -2 => Err(waiting
            .commit
            .place
            .as_ref()
            .map_or(StoreError::Conflict, |place| StoreError::Full(place.agent.clone()))),
        ..=-1000 => {
            let place = usize::try_from(-1000 - outcome).unwrap_or_default();
            let account = Account::stored(rows.account(place).unwrap_or_default().to_owned());
            Err(StoreError::Refuted(account))
        }
        _ => Err(StoreError::Conflict),
    };
    batch.iter().zip(outcome).map(|(waiting, outcome)| read(waiting, *outcome)).collect()
}
