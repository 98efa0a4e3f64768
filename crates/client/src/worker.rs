//! A worker: it claims work, keeps its lease alive while the work runs, and gives back what came out. Several at once.

use crate::{
    client::{Client, rest},
    error::Error,
    views::{Assignment, Claiming, failed},
    work::returning,
};
use futures_util::FutureExt as _;
use handover_core::{
    command::Giving,
    handoff::ReturnStatus,
    ids::{AgentId, HandoffId, LeaseId},
    limits::{
        CLAIM_WAIT_MS_MAX, CLIENT_WAIT_MS, CLIENT_WAIT_MS_MAX, LEASE_MS, LEASE_MS_MAX, LEASE_MS_MIN, WORKER_AT_ONCE,
        WORKER_GIVE_BACK_MS_MAX,
    },
};
use std::{
    fmt::Display,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{sync::Semaphore, task::JoinSet};
use uuid::Uuid;

/// How often a lease is renewed before it would end.
const BEATS_PER_LEASE: u64 = 3;

/// An agent from outside.
#[derive(Debug, Clone)]
pub struct Worker {
    client: Client,
    agent: AgentId,
    at_once: usize,
    lease_ms: u64,
}

/// What a worker has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pieces of work that were given back, with whatever result.
    pub given_back: u64,
    /// Pieces of work that somebody else has, or that are over: their lease was lost.
    pub lost: u64,
}

impl Worker {
    /// A worker for this agent, which must be registered.
    #[must_use]
    pub fn new(client: Client, agent: AgentId) -> Self {
        Self { client, agent, at_once: WORKER_AT_ONCE, lease_ms: LEASE_MS }
    }

    /// With so many pieces of work at once; at least one.
    #[must_use]
    pub fn at_once(mut self, pieces: usize) -> Self {
        self.at_once = pieces.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// With a lease of this length, between `LEASE_MS_MIN` and `LEASE_MS_MAX`. It is renewed while the work runs.
    #[must_use]
    pub fn lease(mut self, length: Duration) -> Self {
        self.lease_ms = u64::try_from(length.as_millis()).unwrap_or(u64::MAX).clamp(LEASE_MS_MIN, LEASE_MS_MAX);
        self
    }

    /// Works until the server refuses.
    ///
    /// # Errors
    /// When the server refuses for good: there is no such agent, or the key is not for it.
    pub async fn run<F, R, E>(self, work: F) -> Result<Tally, Error>
    where
        F: Fn(Assignment) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Giving, E>> + Send + 'static,
        E: Display + Send,
    {
        self.run_until(work, std::future::pending()).await
    }

    /// Works until this is over. Then nothing new is taken, and what was taken is finished and given back.
    ///
    /// # Errors
    /// When the server refuses for good: there is no such agent, or the key is not for it.
    pub async fn run_until<F, R, E>(self, work: F, until: impl Future<Output = ()>) -> Result<Tally, Error>
    where
        F: Fn(Assignment) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Giving, E>> + Send + 'static,
        E: Display + Send,
    {
        let (worker, work) = (Arc::new(self), Arc::new(work));
        let places = Arc::new(Semaphore::new(worker.at_once));
        let (mut running, mut tally) = (JoinSet::new(), Tally::default());
        let mut until = std::pin::pin!(until);
        let ended = loop {
            while let Some(done) = running.try_join_next() {
                tally.count(done.unwrap_or(false));
            }
            let place = tokio::select! {
                biased;
                () = until.as_mut() => break Ok(()),
                place = places.clone().acquire_owned() => place,
            };
            let (taken, goes_on) = match worker.next(until.as_mut()).await {
                Ok(next) => next,
                Err(error) => break Err(error),
            };
            if let Some(taken) = taken {
                let (worker, work) = (worker.clone(), work.clone());
                running.spawn(async move {
                    let given = worker.carry_out(taken, &*work).await;
                    drop(place);
                    given
                });
            }
            if !goes_on {
                break Ok(());
            }
        };
        while let Some(done) = running.join_next().await {
            tally.count(done.unwrap_or(false));
        }
        ended.map(|()| tally)
    }

    /// The next piece of work, and whether there is to be another.
    async fn next(
        &self,
        mut until: std::pin::Pin<&mut impl Future<Output = ()>>,
    ) -> Result<(Option<Assignment>, bool), Error> {
        let key = Uuid::new_v4().simple().to_string();
        let claiming = |wait_ms| Claiming { wait_ms, lease_ms: Some(self.lease_ms), tools: None };
        let mut wait_ms = CLIENT_WAIT_MS;
        loop {
            let (whole, began) = (claiming(CLAIM_WAIT_MS_MAX), Instant::now());
            let claimed = tokio::select! {
                biased;
                claimed = self.client.claim_by(&key, &self.agent, &whole) => claimed,
                () = until.as_mut() => {
                    // The server may have granted it just now: the same key tells, and it is not left lying until its
                    // lease ends.
                    let last = self.client.clone().tries(1).claim_by(&key, &self.agent, &claiming(0)).await;
                    return Ok((last.unwrap_or(None), false));
                }
            };
            match claimed {
                Ok(Some(taken)) => return Ok((Some(taken), true)),
                Ok(None) => {
                    wait_ms = CLIENT_WAIT_MS;
                    rest(began, Duration::from_millis(CLAIM_WAIT_MS_MAX)).await;
                }
                // A server that is away is waited for, however long it takes.
                Err(error) if error.is_passing() => {
                    tokio::time::sleep(Duration::from_millis(wait_ms)).await;
                    wait_ms = wait_ms.saturating_mul(2).min(CLIENT_WAIT_MS_MAX);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Does one piece of work. Says whether it was given back.
    async fn carry_out<F, R, E>(&self, taken: Assignment, work: &F) -> bool
    where
        F: Fn(Assignment) -> R,
        R: Future<Output = Result<Giving, E>>,
        E: Display,
    {
        let (id, lease) = (taken.handoff.id, taken.lease);
        let working = AssertUnwindSafe(async { work(taken).await }).catch_unwind();
        let giving = tokio::select! {
            worked = working => match worked {
                Ok(Ok(giving)) => giving,
                Ok(Err(error)) => failed(error.to_string()),
                Err(_) => failed("the worker broke down over it"),
            },
            // Somebody else has it, or it is over: whatever comes out is of no use.
            () = self.lost(id, lease) => return false,
        };
        let until = Instant::now() + Duration::from_millis(WORKER_GIVE_BACK_MS_MAX);
        let asked = returning(id, lease, &giving, None);
        loop {
            match self.client.answer::<serde::de::IgnoredAny>(&asked).await {
                Ok(_) => return true,
                Err(error) if error.is_passing() && Instant::now() < until => {}
                // What cannot be taken as it is, is told as a failure; the work would lie until its lease ends.
                Err(error) if error.refusal().is_some() && giving.status != ReturnStatus::Failed => {
                    let told = failed(format!("what came out was refused: {error}"));
                    return self.client.give_back(id, lease, &told, None).await.is_ok();
                }
                Err(_) => return false,
            }
        }
    }

    /// Keeps a lease alive. Comes to an end when it is lost.
    async fn lost(&self, id: HandoffId, lease: LeaseId) {
        let every = Duration::from_millis(self.lease_ms / BEATS_PER_LEASE);
        loop {
            tokio::time::sleep(every).await;
            match self.client.heartbeat(id, lease).await {
                Ok(_) => {}
                // The server may come back within the lease.
                Err(error) if error.is_passing() => {}
                Err(_) => return,
            }
        }
    }
}

impl Tally {
    fn count(&mut self, given_back: bool) {
        *(if given_back { &mut self.given_back } else { &mut self.lost }) += 1;
    }
}
