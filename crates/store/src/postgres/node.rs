//! This process among those that work on the database: its row, its signs of life, and who is gone.
//! Who is there goes by the database's time, and so does what is due in sessions: its clock is looked at with each sign of
//! life.

use super::{
    address::Address,
    connect::{Client, within},
    fault::Fault,
    write::{int, month},
};
use crate::{Node, Reading, Running};
use handover_core::{
    ids::{AgentId, HandoffId, SessionId},
    limits::{ABANDONED_MAX, BELL_MS, NODE_BEAT_MS, NODE_LEASE_MS},
    time::Timestamp,
};
use parking_lot::Mutex;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};
use tokio::{
    sync::{Notify, watch},
    time::{MissedTickBehavior, interval, sleep},
};
use tokio_postgres::Row;
use uuid::Uuid;

/// Who this process is. A new one when others took it for gone.
pub(super) struct Identity {
    name: String,
    id: Mutex<Uuid>,
    /// Whether it answers requests of others.
    serves: AtomicBool,
    /// How far the machine's clock is from the database's, in milliseconds: above 0 when it is ahead.
    apart_ms: AtomicI64,
    /// What the database's clock said when it was last looked at.
    reading: Mutex<Option<Reading>>,
    /// Rung when others took this process for gone.
    pub(super) gone: Notify,
    /// Rung when something was written that others should look at.
    pub(super) ring: Notify,
}

impl Identity {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            id: Mutex::new(Uuid::new_v4()),
            serves: AtomicBool::new(false),
            apart_ms: AtomicI64::new(0),
            reading: Mutex::new(None),
            gone: Notify::new(),
            ring: Notify::new(),
        }
    }

    pub(super) fn id(&self) -> Uuid {
        *self.id.lock()
    }

    /// Becomes a new process. The row comes first: whoever knows the id can rely on it.
    pub(super) async fn register(&self, client: &Client) -> Result<Uuid, Fault> {
        let id = Uuid::new_v4();
        let sql = "INSERT INTO nodes (id, name, since, until, serves) \
                   VALUES ($1, $2, now(), now() + $3 * interval '1 millisecond', $4)";
        client.execute(sql, &[&id, &self.name, &lease(), &self.serves.load(Ordering::SeqCst)]).await?;
        *self.id.lock() = id;
        Ok(id)
    }

    /// Says that it answers requests of others, now and whenever it comes back as a new one.
    pub(super) async fn serve(&self, client: &Client) -> Result<(), Fault> {
        self.serves.store(true, Ordering::SeqCst);
        client.execute("UPDATE nodes SET serves = true WHERE id = $1", &[&self.id()]).await?;
        Ok(())
    }

    /// Looks at the database's clock.
    pub(super) async fn look_at_clock(&self, client: &Client) -> Result<(), Fault> {
        // What is prepared does not count.
        client.prepared(CLOCK).await?;
        let (before, asked) = (now_ms(), Instant::now());
        let theirs: i64 = client.query_one(CLOCK, &[]).await?.try_get(0)?;
        let (after, taken) = (now_ms(), Instant::now());
        self.apart_ms.store(apart_ms(before, theirs, after), Ordering::Relaxed);
        let earliest = Timestamp(theirs);
        let way = u64::try_from((taken - asked).as_millis()).unwrap_or(u64::MAX);
        *self.reading.lock() = Some(Reading { taken, earliest, latest: earliest + way });
        Ok(())
    }

    /// What the database's clock said when somebody last looked.
    pub(super) fn reading(&self) -> Option<Reading> {
        *self.reading.lock()
    }

    /// How far the machine's clock was from the database's when somebody last looked.
    pub(super) fn apart_ms(&self) -> i64 {
        self.apart_ms.load(Ordering::Relaxed)
    }

    /// Whether others took this process for gone.
    pub(super) async fn is_gone(&self, client: &Client) -> Result<bool, Fault> {
        let found = client.query("SELECT 1 FROM nodes WHERE id = $1 AND NOT fenced", &[&self.id()]).await?;
        Ok(found.is_empty())
    }

    /// Goes, as somebody who says so.
    pub(super) async fn leave(&self, client: &Client) -> Result<(), Fault> {
        client.execute("DELETE FROM nodes WHERE id = $1", &[&self.id()]).await?;
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "a time of seconds")]
fn lease() -> f64 {
    NODE_LEASE_MS as f64
}

const CLOCK: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// What the clock of this machine says.
fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or_default()
}

/// How far our clock is ahead, at the least: the other one was read at some moment between two looks at ours.
fn apart_ms(before: i64, theirs: i64, after: i64) -> i64 {
    if theirs < before {
        before - theirs
    } else if theirs > after {
        after - theirs
    } else {
        0
    }
}

/// Gives signs of life, and rings for others, until the store is closed.
pub(super) struct Beat {
    pub(super) address: Address,
    pub(super) identity: Arc<Identity>,
    pub(super) closed: watch::Receiver<bool>,
    pub(super) client: Option<Client>,
    /// Whether there are others to ring for.
    pub(super) others: bool,
    /// The month for which partitions were made, and for the one after it.
    pub(super) month: i32,
}

impl Beat {
    pub(super) async fn run(mut self) {
        let mut beat = interval(Duration::from_millis(NODE_BEAT_MS));
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let identity = self.identity.clone();
            let done = tokio::select! {
                // The store says so, or is gone.
                _ = self.closed.changed() => return,
                _ = beat.tick() => self.beat_in_time().await,
                () = identity.ring.notified() => self.ring_in_time().await,
            };
            if done.is_err() {
                self.client = None;
            }
        }
    }

    async fn client(&mut self) -> Result<&Client, Fault> {
        let client = match self.client.take().filter(|client| !client.is_spent()) {
            Some(client) => client,
            None => {
                let client = Client::connect(&self.address, None).await?;
                // A sign of life that is lost with the machine was none, and a bell is no promise.
                // Whoever has the row of this process may wait for a standby; the database would not see that we left.
                client.batch("SET synchronous_commit TO off; SET lock_timeout TO 2000").await?;
                client
            }
        };
        Ok(self.client.insert(client))
    }

    /// Connecting has a time of its own: the first of several hosts may be away.
    async fn beat_in_time(&mut self) -> Result<(), Fault> {
        self.client().await?;
        within(NODE_BEAT_MS, self.beat()).await
    }

    async fn ring_in_time(&mut self) -> Result<(), Fault> {
        self.client().await?;
        within(NODE_BEAT_MS, self.ring()).await
    }

    async fn beat(&mut self) -> Result<(), Fault> {
        let (id, serves) = (self.identity.id(), self.identity.serves.load(Ordering::SeqCst));
        let client = self.client().await?;
        let sql =
            "UPDATE nodes SET until = now() + $2 * interval '1 millisecond', serves = $3 WHERE id = $1 AND NOT fenced";
        let alive = client.execute(sql, &[&id, &lease(), &serves]).await? > 0;
        let row = client.query_one("SELECT count(*) FROM nodes WHERE NOT fenced AND id <> $1", &[&id]).await?;
        self.others = row.try_get::<_, i64>(0)? > 0;
        if !alive && self.identity.id() == id {
            self.identity.gone.notify_one();
        }
        let identity = self.identity.clone();
        identity.look_at_clock(self.client().await?).await?;
        // After the sign of life: it may wait for whoever drops one.
        self.make_partitions().await
    }

    /// Makes the partitions of this month and the next, once in each month.
    async fn make_partitions(&mut self) -> Result<(), Fault> {
        // By the time that records are given.
        let Some(reading) = self.identity.reading() else { return Ok(()) };
        let this = month(reading.earliest);
        if this != self.month {
            let next = if this % 100 == 12 { this + 89 } else { this + 1 };
            self.client().await?.query("SELECT make_partitions_v1($1)", &[&vec![this, next]]).await?;
            self.month = this;
        }
        Ok(())
    }

    /// Outside of the commit, which would hold a lock over the whole database for it, and not too often.
    async fn ring(&mut self) -> Result<(), Fault> {
        if self.others {
            let channel = self.address.channel();
            self.client().await?.query("SELECT pg_notify($1, '')", &[&channel]).await?;
        }
        sleep(Duration::from_millis(BELL_MS)).await;
        Ok(())
    }
}

/// Some of the work whose holder lived in a process that is gone. Those whose time is over are fenced first, so that what is found
/// cannot go on there.
pub(super) async fn abandoned(client: &Client) -> Result<Vec<Running>, Fault> {
    client.execute("UPDATE nodes SET fenced = true WHERE until < now() AND NOT fenced", &[]).await?;
    let sql = "SELECT o.id, s.id, o.to_agent FROM open o JOIN sessions s ON s.no = o.session_no \
               WHERE o.running AND o.node IS NOT NULL \
               AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = o.node AND NOT n.fenced) ORDER BY o.session_no, o.no DESC LIMIT $1";
    client.query(sql, &[&int(ABANDONED_MAX as u64)]).await?.iter().map(running).collect()
}

fn running(row: &Row) -> Result<Running, Fault> {
    let name = |error| Fault::Damaged(format!("a name that is none: {error}"));
    Ok(Running {
        handoff: HandoffId(row.try_get(0)?),
        session: SessionId::new(row.try_get::<_, &str>(1)?).map_err(name)?,
        by: AgentId::new(row.try_get::<_, &str>(2)?).map_err(name)?,
        in_process: true,
    })
}

/// Takes or keeps a chore. It is free when its time is over, or when whoever had it is gone.
pub(super) async fn take_chore(client: &Client, id: Uuid, chore: &str, for_ms: u64) -> Result<bool, Fault> {
    let sql = "INSERT INTO chores AS c (name, node, until) VALUES ($1, $2, now() + $3::bigint * interval '1 millisecond') \
               ON CONFLICT (name) DO UPDATE SET node = excluded.node, until = excluded.until \
               WHERE c.node = excluded.node OR c.until < now() \
               OR NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = c.node AND NOT n.fenced)";
    Ok(client.execute(sql, &[&chore, &id, &int(for_ms)]).await? > 0)
}

/// The processes that are there, by when they came.
pub(super) async fn nodes(client: &Client, id: Uuid) -> Result<Vec<Node>, Fault> {
    let sql = "SELECT id, name, (extract(epoch FROM since) * 1000)::bigint, (extract(epoch FROM until) * 1000)::bigint, serves \
               FROM nodes WHERE NOT fenced AND (until > now() OR id = $1) ORDER BY since, id";
    let read = |row: &Row| {
        let found: Uuid = row.try_get(0)?;
        let (since, until) = (Timestamp(row.try_get(2)?), Timestamp(row.try_get(3)?));
        let (name, serves) = (row.try_get(1)?, row.try_get(4)?);
        Ok(Node { id: found, name, since, until, serves, this: found == id })
    };
    client.query(sql, &[&id]).await?.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::apart_ms;

    #[test]
    fn clocks_are_apart_by_what_the_way_does_not_explain() {
        for (before, theirs, after, apart) in
            [(100, 100, 100, 0), (100, 150, 200, 0), (100, 90, 200, 10), (100, 260, 200, -60), (100, 40, 100, 60)]
        {
            assert_eq!(apart_ms(before, theirs, after), apart, "{before} {theirs} {after}");
        }
    }
}
