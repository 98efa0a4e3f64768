//! A client of the child: numbered jobs on a session of its own, one after the other, each with a key.
//! After a kill it goes on where the session says that it was.

use crate::{agents::LONG, process::say};
use handover::{core::limits::LEASE_MS_MIN, prelude::*};
use serde_json::json;

/// Kinds of jobs of a client that does not pull.
pub const KINDS: u64 = 5;

/// The first message of a process waits for the vocabulary to be loaded, so there are more jobs than messages.
const TALK_EVERY: u64 = 3;

pub fn session(client: u64) -> SessionId {
    SessionId::new(format!("client-{client}")).expect("a name")
}

/// What a message says.
pub fn text(client: u64, n: u64) -> String {
    format!("message {n} of client {client}")
}

/// The name of a job: the last word of each of its tasks.
pub fn tag(client: u64, job: u64) -> String {
    format!("c{client}j{job}")
}

pub struct Client {
    engine: Engine,
    number: u64,
    pulls: bool,
    session: SessionId,
    planner: AgentId,
    done: u64,
    said: u64,
}

impl Client {
    pub async fn begin(engine: Engine, number: u64, pulls: bool) -> Result<Self, HandoffError> {
        let session = session(number);
        let found = engine.resume_session(&session, Open::by("planner")?).await?;
        let done = found.variables.get("jobs").map_or(0, |variable| variable.version);
        let said = found.mark.messages;
        Ok(Self { engine, number, pulls, session, planner: AgentId::new("planner")?, done, said })
    }

    pub async fn work(mut self, jobs: u64) -> Result<(), HandoffError> {
        while self.done < jobs {
            let job = self.done + 1;
            let ended = self.job(job).await?;
            let status = if ended.status == ReturnStatus::Success { "success" } else { "failed" };
            say(&format!("acked {} {job} {status} {}", self.number, ended.handoff_id));
            self.count(job).await?;
            if job.is_multiple_of(TALK_EVERY) {
                self.talk().await?;
            }
        }
        Ok(())
    }

    async fn talk(&mut self) -> Result<(), HandoffError> {
        let message = NewMessage::new(Role::User, text(self.number, self.said + 1));
        let said = self.engine.say_after(&self.session, vec![message], Some(self.said)).await?;
        assert_eq!(said, self.said + 1);
        self.said = said;
        say(&format!("said {} {said}", self.number));
        Ok(())
    }

    /// Counts the job as done, by compare-and-set under a lock.
    async fn count(&mut self, job: u64) -> Result<(), HandoffError> {
        let (by, path) = (self.planner.clone(), "jobs.md".to_owned());
        let lock = Command::Lock { by, path: path.clone(), lock_type: LockType::Exclusive, lease_ms: 60_000 };
        self.engine.submit(&self.session, lock, None).await?;
        let write = Write { name: "jobs".into(), value: json!(job), expected_version: Some(self.done) };
        self.engine.set(&self.session, &self.planner, vec![write]).await?;
        say(&format!("set {} {job}", self.number));
        self.done = job;
        let unlock = Command::Unlock { by: self.planner.clone(), path };
        self.engine.submit(&self.session, unlock, None).await.map(|_| ())
    }

    async fn job(&self, job: u64) -> Result<Return, HandoffError> {
        let tag = tag(self.number, job);
        let ended = match (job + self.number) % KINDS {
            _ if self.pulls => self.pull(&tag).await?,
            0 => self.delegate("worker", &tag).await?,
            1 => self.delegate("chief", &tag).await?,
            2 => self.delegate("sleeper", &tag).await?,
            3 => self.broadcast(&tag).await?,
            _ => self.hop(&tag).await?,
        };
        say(&format!("returned {}", ended.handoff_id));
        Ok(ended)
    }

    async fn delegate(&self, to: &str, tag: &str) -> Result<Return, HandoffError> {
        let request = Request::delegation("planner", to, &format!("work {tag}"), LONG)?;
        self.engine.delegate(&self.session, request.key(tag)).await
    }

    async fn broadcast(&self, tag: &str) -> Result<Return, HandoffError> {
        let all = ["left", "middle", "right"];
        let request = Request::broadcast("planner", &all, &format!("look {tag}"), Aggregation::Any, LONG)?.key(tag);
        let asked = self.engine.initiate(&self.session, request.clone()).await?;
        let decided = self.engine.broadcast(&self.session, request).await?;
        // Those that lost may still be on their way to their end in this process, but not in another one.
        for member in &asked.handoffs {
            say(&format!("ended {member}"));
        }
        match decided.winners.into_iter().next() {
            Some(winner) => Ok(winner),
            None => self.engine.returned(asked.handoffs[0]).await,
        }
    }

    /// The session goes to the guest and comes back to the planner.
    async fn hop(&self, tag: &str) -> Result<Return, HandoffError> {
        let goto =
            Goto::One { to_agent: AgentId::new("guest")?, task: format!("there {tag}"), reason: "a visit".into() };
        let turn = Command::Turn { by: self.planner.clone(), turn: Box::new(Turn { goto, update: Update::default() }) };
        let there = self.engine.submit(&self.session, turn, Some(tag)).await?.handoffs[0];
        let first = self.engine.returned(there).await?;
        if first.status != ReturnStatus::Success {
            return Ok(first);
        }
        say(&format!("returned {there}"));
        let number = self.engine.handoff(there).await?.n;
        let after = self.engine.handoff_history(&self.session, number, 10).await?;
        let back = after.iter().find(|handoff| handoff.parent_id == Some(there)).expect("made in the same step");
        self.engine.returned(back.id).await
    }

    /// Plays the agent too: takes the offer with the shortest lease. A lease that a kill has left behind must run out.
    async fn pull(&self, tag: &str) -> Result<Return, HandoffError> {
        let puller = AgentId::new("puller")?;
        let request = Request::delegation("planner", "puller", &format!("work {tag}"), LONG)?.key(tag);
        let id = self.engine.initiate(&self.session, request).await?.handoffs[0];
        let filter = Filter { session: Some(self.session.clone()), ..Filter::default() };
        let mut feed = self.engine.subscribe(filter, None);
        loop {
            match self.engine.handoff(id).await?.status() {
                Status::Offered => {
                    let taken = self.engine.accept(id, &puller, Some(LEASE_MS_MIN), None).await?;
                    say(&format!("run {id}"));
                    let result = Outcome { body: json!({"tag": tag}), ..Outcome::default() };
                    let (status, updates) = (ReturnStatus::Success, Update::default());
                    let giving = Giving { status, result, updates, notes: String::new(), signal: None };
                    self.engine.give_back(id, taken.lease, giving, None).await?;
                }
                Status::Running => {
                    feed.next().await?;
                }
                _ => return self.engine.take_return(&self.session, id, &self.planner, Some(tag)).await,
            }
        }
    }
}
