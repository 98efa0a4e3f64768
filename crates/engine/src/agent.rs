//! Agents of this process: what they implement, what they get, and what their work may end in.

mod done;

pub use done::Done;

use crate::{dispatch::persist, engine::Engine, session::Said};
use async_trait::async_trait;
use handover_core::{
    agent::Risk,
    command::{Command, NewArtifact, Prepared, Write},
    context::{Shown, View},
    digest::Digest,
    handoff::{Handoff, Request, Return, Send},
    ids::{AgentId, LeaseId},
    message::{Message, NewMessage, Role},
    refusal::HandoffError,
    session::LockType,
};
use parking_lot::Mutex;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    collections::{BTreeMap, VecDeque},
    future::Future,
    sync::Arc,
};

/// Why an agent failed. Anything that can be shown.
pub type Failure = Box<dyn std::error::Error + std::marker::Send + Sync>;

/// What an agent says to an offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// It takes it.
    Accept,
    /// It does not.
    Reject(String),
    /// Not now: in so many milliseconds, and why.
    Defer(u64, String),
}

/// Somebody in this process who can be given work.
#[async_trait]
pub trait Agent: std::marker::Send + Sync + 'static {
    /// Looks at an offer before taking it. By default it takes everything.
    async fn consider(&self, _offer: &Handoff) -> Reply {
        Reply::Accept
    }

    /// Does the work. After a crash it is called again: what was put into a step is not done again.
    async fn run(&self, work: Work) -> Result<Done, Failure>;

    /// Whether it is well. Asked every minute.
    async fn health(&self) -> bool {
        true
    }
}

/// An agent made of a function.
pub struct FnAgent<F>(F);

/// Makes an agent of an async function.
pub fn agent<F, R>(run: F) -> FnAgent<F>
where
    F: Fn(Work) -> R + std::marker::Send + Sync + 'static,
    R: Future<Output = Result<Done, Failure>> + std::marker::Send + 'static,
{
    FnAgent(run)
}

#[async_trait]
impl<F, R> Agent for FnAgent<F>
where
    F: Fn(Work) -> R + std::marker::Send + Sync + 'static,
    R: Future<Output = Result<Done, Failure>> + std::marker::Send + 'static,
{
    async fn run(&self, work: Work) -> Result<Done, Failure> {
        (self.0)(work).await
    }
}

/// What was recorded when somebody worked on a piece of work before.
#[derive(Default)]
pub(crate) struct Recorded {
    /// The outputs of its steps, by name.
    pub(crate) steps: BTreeMap<String, Value>,
    /// The states that it moved its workflow to and that this run has not come to yet, in order.
    pub(crate) moves: VecDeque<String>,
}

impl Recorded {
    /// Whether the run before came to this state too. It is passed, with whatever lies before it.
    fn passes(&mut self, state: &str) -> bool {
        let passed = self.moves.iter().position(|moved| moved == state);
        if let Some(at) = passed {
            self.moves.drain(..=at);
        }
        passed.is_some()
    }
}

/// A piece of work in the hands of an agent.
#[derive(Clone)]
pub struct Work {
    engine: Engine,
    handoff: Arc<Handoff>,
    lease: LeaseId,
    view: Arc<View>,
    recorded: Arc<Mutex<Recorded>>,
}

impl Work {
    pub(crate) fn new(engine: Engine, handoff: Arc<Handoff>, lease: LeaseId, view: View, recorded: Recorded) -> Self {
        Self { engine, handoff, lease, view: Arc::new(view), recorded: Arc::new(Mutex::new(recorded)) }
    }

    /// The handoff: the task, why, from whom, and all else that was asked for.
    #[must_use]
    pub fn handoff(&self) -> &Handoff {
        &self.handoff
    }

    /// The task's data.
    #[must_use]
    pub fn payload(&self) -> &Value {
        &self.handoff.request.task.payload
    }

    /// The lease that fences what this piece of work writes.
    #[must_use]
    pub fn lease(&self) -> LeaseId {
        self.lease
    }

    /// Where this piece of work stands in its trace, for whatever is called in the course of it.
    #[must_use]
    pub fn traceparent(&self) -> String {
        handover_core::trace::told(&self.handoff, self.lease).to_string()
    }

    /// What it is shown of the conversation.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.view
    }

    /// What it should know, as text for a specialist.
    #[must_use]
    pub fn brief(&self) -> String {
        handover_core::context::brief(&self.handoff, &self.view)
    }

    /// The engine, with all else that it can do.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Does something once: after a crash its recorded output is given instead.
    ///
    /// # Errors
    /// When the step fails, its output cannot be read back, or the work was given to somebody else meanwhile.
    pub async fn step<T, R>(&self, name: &str, run: impl FnOnce() -> R) -> Result<T, Failure>
    where
        T: Serialize + DeserializeOwned,
        R: Future<Output = Result<T, Failure>>,
    {
        self.step_saying(name, || async { Ok((run().await?, Vec::new())) }).await
    }

    /// Does something once, and says in the conversation what came of it. Both are kept in one commit.
    ///
    /// # Errors
    /// As [`Work::step`]; and when a message cannot be kept.
    pub async fn step_saying<T, R>(&self, name: &str, run: impl FnOnce() -> R) -> Result<T, Failure>
    where
        T: Serialize + DeserializeOwned,
        R: Future<Output = Result<(T, Vec<NewMessage>), Failure>>,
    {
        if let Some(output) = self.recorded(name) {
            return Ok(serde_json::from_value(output)?);
        }
        let (output, messages) = run().await?;
        let value = serde_json::to_value(&output)?;
        let command = Command::Record {
            handoff: self.handoff.id,
            lease: self.lease,
            name: name.to_owned(),
            output: value.clone(),
            messages: messages.into_iter().map(Prepared::from_new).collect(),
        };
        // What was done is in nobody else's hands: given up at the first crowd it would be done again.
        let clock = self.engine.clock();
        persist(&*clock, || self.engine.submit(&self.handoff.session_id, command.clone(), None)).await?;
        self.recorded.lock().steps.insert(name.to_owned(), value);
        Ok(output)
    }

    /// What a step of this name gave when it was recorded.
    #[must_use]
    pub fn recorded(&self, name: &str) -> Option<Value> {
        self.recorded.lock().steps.get(name).cloned()
    }

    /// Moves the state of the workflow while this step of it goes on. Done once, too: after a crash the states that it
    /// came to before are passed without moving back.
    ///
    /// # Errors
    /// When the state cannot follow, or the work was given to somebody else meanwhile.
    pub async fn move_state(&self, state: &str) -> Result<(), HandoffError> {
        if self.recorded.lock().passes(state) {
            return Ok(());
        }
        let command = Command::MoveState { handoff: self.handoff.id, lease: self.lease, state: state.to_owned() };
        self.engine.submit(&self.handoff.session_id, command, None).await.map(|_| ())
    }

    /// Whether a step was recorded before: this is not the first run.
    #[must_use]
    pub fn resumed(&self) -> bool {
        self.handoff.losses > 0 || self.handoff.attempt > 1
    }

    /// The key of something that this agent asks for once. Whoever has the work after it asks for something else.
    fn key(&self, name: &str) -> String {
        let mine: String = Digest::of(self.handoff.to_agent.as_str().as_bytes()).to_string().chars().take(8).collect();
        format!("{}/{mine}/{name}", self.handoff.id)
    }

    /// Delegates and waits for the result. The name makes it once: after a crash the same delegation goes on.
    ///
    /// # Errors
    /// When the delegation is refused.
    pub async fn delegate(&self, name: &str, mut request: Request) -> Result<Return, HandoffError> {
        request.from_agent = self.handoff.to_agent.clone();
        request.parent_id = Some(self.handoff.id);
        request.idempotency_key = Some(self.key(name));
        self.engine.delegate(&self.handoff.session_id, request).await
    }

    /// Asks several at once and waits until it is decided. The name makes it once.
    ///
    /// # Errors
    /// When the broadcast is refused.
    pub async fn broadcast(
        &self,
        name: &str,
        mut request: Request,
    ) -> Result<crate::waiting::GroupReturn, HandoffError> {
        request.from_agent = self.handoff.to_agent.clone();
        request.parent_id = Some(self.handoff.id);
        request.idempotency_key = Some(self.key(name));
        self.engine.broadcast(&self.handoff.session_id, request).await
    }

    /// Says something in the conversation.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub async fn say(&self, text: impl Into<String>) -> Result<Said, HandoffError> {
        let mut message = NewMessage::new(Role::Assistant, text);
        message.agent = Some(self.handoff.to_agent.clone());
        self.engine.say(&self.handoff.session_id, vec![message]).await
    }

    /// Further messages of what it is shown: a full view of a long conversation comes with its latest alone.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn page(&self, first: u64, last: u64) -> Result<Vec<Shown>, HandoffError> {
        self.engine.view_page(self.handoff.id, first, last, None).await
    }

    /// Messages that were withheld, from this number on.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn recall(&self, first: u64, last: u64) -> Result<Vec<Message>, HandoffError> {
        self.engine.recall(self.handoff.id, first, last).await
    }

    /// Writes variables.
    ///
    /// # Errors
    /// When one is out of scope or somebody else wrote first.
    pub async fn set(&self, writes: Vec<Write>) -> Result<(), HandoffError> {
        let command = Command::Set { by: self.handoff.to_agent.clone(), writes };
        self.engine.submit(&self.handoff.session_id, command, None).await.map(|_| ())
    }

    /// Keeps an artifact.
    ///
    /// # Errors
    /// When it is not valid.
    pub async fn keep(&self, artifact: NewArtifact) -> Result<(), HandoffError> {
        let command = Command::Keep { by: self.handoff.to_agent.clone(), artifact };
        self.engine.submit(&self.handoff.session_id, command, None).await.map(|_| ())
    }

    /// Takes a lock on a file; it is released at the end of the work.
    ///
    /// # Errors
    /// When somebody else holds it.
    pub async fn lock(&self, path: &str, lock_type: LockType, lease_ms: u64) -> Result<(), HandoffError> {
        let by = self.handoff.to_agent.clone();
        let command = Command::Lock { by, path: path.to_owned(), lock_type, lease_ms };
        self.engine.submit(&self.handoff.session_id, command, None).await.map(|_| ())
    }

    /// Records a decision. Above the agent's autonomy it becomes an escalation by itself.
    ///
    /// # Errors
    /// When nobody is there to escalate to.
    pub async fn decide(&self, description: &str, risk: Risk) -> Result<(), HandoffError> {
        let by = self.handoff.to_agent.clone();
        let command = Command::Decide { by, description: description.to_owned(), risk };
        self.engine.submit(&self.handoff.session_id, command, None).await.map(|_| ())
    }

    /// Says no after a look at it: the work goes to the next candidate, and is over for this agent.
    ///
    /// # Errors
    /// When the work was given to somebody else meanwhile.
    pub async fn decline(&self, reason: &str) -> Result<(), HandoffError> {
        let command = Command::Decline { handoff: self.handoff.id, lease: self.lease, reason: reason.to_owned() };
        self.engine.submit(&self.handoff.session_id, command, None).await.map(|_| ())
    }

    /// Asks whoever handed it over before the work goes on. The work is over for now: with the answer it is given to this
    /// agent again, as the same attempt.
    ///
    /// # Errors
    /// When it asked too often, or the work was given to somebody else meanwhile.
    pub async fn ask(&self, question: &str) -> Result<(), HandoffError> {
        self.engine.ask(self.handoff.id, self.lease, question).await.map(|_| ())
    }

    /// Hands the work up the chain, with what this level thinks. The work is over for this agent.
    ///
    /// # Errors
    /// When there is nobody above.
    pub async fn escalate(&self, assessment: &str) -> Result<(), HandoffError> {
        let command =
            Command::Escalate { handoff: self.handoff.id, lease: self.lease, assessment: assessment.to_owned() };
        self.engine.submit(&self.handoff.session_id, command, None).await.map(|_| ())
    }
}

/// One target of a broadcast, with the task of the request.
#[must_use]
pub fn send(to_agent: AgentId) -> Send {
    Send { to_agent, task: None }
}
