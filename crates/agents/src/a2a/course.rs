//! The way of one piece of work at a remote agent: sent once, followed by whatever the agent offers, answered when it asks. What
//! was acknowledged is recorded before anything else, so that a restart goes on with the same task.

mod turns;

use super::{
    card::Card,
    held::Held,
    message,
    outcome::{self, Stands},
    peer::{Along, Trouble},
    read,
    remote::Remote,
    seen::Seen,
    speak::Ask,
    stream::{Events, Meter},
};
use crate::{
    assignment::{self, Came, tame},
    webhook::Listening,
};
use a2a::{AuthenticationInfo, Message, StreamResponse, TaskPushNotificationConfig, error_code};
use handover_core::{
    a2a::{LINEAGE, Lineage},
    budget::Budget,
    limits::{REMOTE_PUSH_WAIT_MS_MAX, REMOTE_TRIES_MAX, REMOTE_WAIT_MS, REMOTE_WAIT_MS_MAX},
};
use handover_engine::agent::{Failure, Work};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What the agent said to the work, as it is recorded.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sent {
    /// It has a task for it.
    Task { id: String, context: String },
    /// It answered at once.
    Said(Message),
}

/// A task that was begun just now, and what comes of it.
type Begun = (Seen, Option<Events>);

/// One piece of work, on its way.
pub(super) struct Course<'a> {
    remote: &'a Remote,
    work: &'a Work,
    card: Arc<Card>,
    held: &'a Held,
    along: Along,
    meter: Meter,
    push: Option<Listening>,
    wait_ms: u64,
    /// Whether it tells by a stream what is new; a card may be wrong about it.
    streams: bool,
}

fn failure(trouble: &Trouble) -> Failure {
    tame(&trouble.words()).into()
}

impl<'a> Course<'a> {
    pub(super) fn new(remote: &'a Remote, work: &'a Work, card: Arc<Card>, held: &'a Held) -> Self {
        let along = Along { traceparent: Some(work.traceparent()), extension: card.knows_lineage.then_some(LINEAGE) };
        let callbacks = remote.callbacks.as_ref().filter(|_| card.pushes && !card.streams);
        let push = callbacks.map(|callbacks| callbacks.listen_to(work.handoff().id));
        let streams = card.streams;
        Self { remote, work, card, held, along, meter: Meter::default(), push, wait_ms: 0, streams }
    }

    /// From here to wherever it comes: an end, or a question.
    ///
    /// # Errors
    /// When this attempt cannot come to an end, in words.
    pub(super) async fn go(&mut self) -> Result<Came, Failure> {
        let (mut seen, mut stream) = match self.sent().await? {
            (Sent::Said(message), _) => {
                let done = outcome::charged(outcome::of_message(&message)?, self.left().await?);
                return Ok(Came::Done(Box::new(done)));
            }
            (Sent::Task { id, context }, None) => (Seen::expected(id, context), None),
            (Sent::Task { .. }, Some((seen, stream))) => (seen, stream),
        };
        self.tell_answer(&mut seen).await?;
        loop {
            match outcome::stands(&seen)? {
                Stands::Over(came) => return self.over(&seen, *came).await,
                Stands::Asks(question) if !self.is_answered(&question) => {
                    self.note(&question).await?;
                    return Ok(Came::Asked(question.text));
                }
                Stands::Asks(_) | Stands::Working => stream = self.hear(&mut seen, stream).await?,
            }
        }
    }

    fn name(&self, of: &str) -> String {
        format!("a2a/{of}/{}", self.work.handoff().attempt)
    }

    /// The work is sent, unless that was acknowledged before.
    async fn sent(&mut self) -> Result<(Sent, Option<Begun>), Failure> {
        let name = self.name("sent");
        if let Some(sent) = self.work.recorded(&name) {
            let sent: Sent = serde_json::from_value(sent)?;
            if let Sent::Task { id, .. } = &sent {
                self.holds(id);
                self.ask_for_pushes(id).await;
            }
            return Ok((sent, None));
        }
        let (told, stream) = self.send().await?;
        let (sent, begun) = match told {
            StreamResponse::Message(message) => (Sent::Said(message), None),
            StreamResponse::Task(task) => {
                let seen = Seen::first(task)?;
                (Sent::Task { id: seen.id.clone(), context: seen.context.clone() }, Some((seen, stream)))
            }
            StreamResponse::StatusUpdate(ref update) => {
                begun_so(&update.task_id, &update.context_id, told.clone(), stream)?
            }
            StreamResponse::ArtifactUpdate(ref update) => {
                begun_so(&update.task_id, &update.context_id, told.clone(), stream)?
            }
        };
        if let Sent::Task { id, .. } = &sent {
            self.holds(id);
        }
        let sent: Sent = self.work.step(&name, || async { Ok(sent) }).await?;
        Ok((sent, begun))
    }

    fn holds(&self, task: &str) {
        self.held.holds(task);
        if let Some(push) = &self.push {
            push.of_task(task);
        }
    }

    /// Where it comes from and until when it is wanted, as of now.
    async fn lineage(&self) -> Result<Lineage, Failure> {
        let (handoff, engine) = (self.work.handoff(), self.work.engine());
        let session = engine.session(&handoff.session_id).await?;
        let deadline = assignment::deadline(handoff, &session);
        Ok(Lineage::of(handoff, self.work.lease(), deadline, engine.now()))
    }

    /// What it may use, as of now; nothing where it is not limited.
    async fn left(&self) -> Result<Option<Budget>, Failure> {
        let engine = self.work.engine();
        let handoff = engine.handoff(self.work.handoff().id).await?;
        Ok(Lineage::of(&handoff, self.work.lease(), None, engine.now()).budget)
    }

    /// Sends the work, and again where that may go better. It is the same message each time.
    async fn send(&mut self) -> Result<(StreamResponse, Option<Events>), Failure> {
        let session = self.work.engine().session(&self.work.handoff().session_id).await?;
        let kept =
            session.variables.get(&context_name(self.work)).and_then(|kept| kept.value.as_str().map(str::to_owned));
        let mut message = message::work(self.work.handoff(), self.work.brief(), kept);
        let (mut tries, mut wait_ms) = (1, REMOTE_WAIT_MS);
        loop {
            let lineage = self.lineage().await?;
            let config = self.push.as_ref().map(|push| push_config(push, String::new()));
            let request = message::request(message.clone(), &lineage, self.card.knows_lineage, config);
            let ask = if self.streams { Ask::Stream(&request) } else { Ask::Send(&request) };
            let trouble = match self.first(&ask).await {
                Ok(told) => return Ok(told),
                Err(trouble) => trouble,
            };
            let refused = |codes: &[i32]| codes.iter().any(|code| trouble.is(*code));
            if let Trouble::Passing(why, after) = &trouble {
                if tries >= REMOTE_TRIES_MAX {
                    return Err(tame(&format!("{why}; tried {tries} times (REMOTE_TRIES_MAX)")).into());
                }
                tries += 1;
                self.work.engine().wait(after.unwrap_or(wait_ms).min(REMOTE_WAIT_MS_MAX)).await;
                wait_ms *= 2;
            } else if self.streams && refused(&[error_code::UNSUPPORTED_OPERATION, error_code::METHOD_NOT_FOUND]) {
                self.streams = false;
            } else if self.push.is_some() && refused(&[error_code::PUSH_NOTIFICATION_NOT_SUPPORTED]) {
                self.push = None;
            } else if message.context_id.is_some() && refused(&[error_code::TASK_NOT_FOUND, error_code::INVALID_PARAMS])
            {
                // The context is one that it has forgotten.
                message.context_id = None;
            } else {
                return Err(failure(&trouble));
            }
        }
    }

    /// What is answered first to a message, and what comes after it.
    async fn first(&mut self, ask: &Ask<'_>) -> Result<(StreamResponse, Option<Events>), Trouble> {
        let remote = self.remote;
        let mut events = if ask.streams() {
            remote.peer.open(&self.card.interface, ask, &self.along).await?
        } else {
            Events::only(remote.peer.ask(&self.card.interface, ask, &self.along).await?)
        };
        match events.next(&mut self.meter).await {
            Some(told) => Ok((told?, ask.streams().then_some(events))),
            None => Err(Trouble::Passing("the stream ended before anything was said".to_owned(), None)),
        }
    }

    async fn ask_for_pushes(&mut self, task: &str) {
        let Some(push) = &self.push else { return };
        let config = push_config(push, task.to_owned());
        // Without them it is looked at from time to time all the same.
        let _ = self.remote.peer.ask(&self.card.interface, &Ask::Push(&config), &self.along).await;
    }

    /// Hears what is new: from the stream where there is one; else the task is looked at, after a while.
    async fn hear(&mut self, seen: &mut Seen, stream: Option<Events>) -> Result<Option<Events>, Failure> {
        if let Some(mut events) = stream {
            return match events.next(&mut self.meter).await {
                Some(Ok(told)) => {
                    // What comes first of every stream is no news.
                    if !matches!(told, StreamResponse::Task(_)) {
                        self.wait_ms = REMOTE_WAIT_MS;
                    }
                    seen.take(told)?;
                    Ok(Some(events))
                }
                Some(Err(trouble)) if !passes(&trouble) => Err(failure(&trouble)),
                Some(Err(_)) | None => Ok(None),
            };
        }
        self.pause().await;
        self.look(seen).await?;
        if !self.streams || !matches!(outcome::stands(seen)?, Stands::Working | Stands::Asks(_)) {
            return Ok(None);
        }
        self.subscribe(seen).await
    }

    /// Waits, each time twice as long; less where something is pushed.
    async fn pause(&mut self) {
        let wait_ms = self.wait_ms;
        self.wait_ms = (wait_ms * 2).clamp(REMOTE_WAIT_MS, REMOTE_PUSH_WAIT_MS_MAX);
        let engine = self.work.engine();
        match &self.push {
            None => engine.wait(wait_ms.min(REMOTE_WAIT_MS_MAX)).await,
            Some(push) => tokio::select! {
                () = engine.wait(wait_ms.min(REMOTE_PUSH_WAIT_MS_MAX)) => {}
                () = push.rang() => {}
            },
        }
    }

    /// Looks at the task. One that cannot be reached may be there again later: the deadline of the work ends the wait.
    async fn look(&mut self, seen: &mut Seen) -> Result<(), Failure> {
        let before = seen.status.clone();
        let asked = self.remote.peer.ask(&self.card.interface, &Ask::Get(&seen.id), &self.along).await;
        let value = match asked {
            Ok(value) => value,
            Err(trouble) if passes(&trouble) => return Ok(()),
            Err(trouble) => return Err(self.lost(seen, &trouble)),
        };
        // In version 0.3 it is said with it that it is a task.
        let bare = value.get("task").cloned().unwrap_or(value);
        let task = read::task(bare).map_err(|why| format!("what it says cannot be read: {why}"))?;
        seen.take(StreamResponse::Task(task))?;
        if seen.status != before {
            self.wait_ms = REMOTE_WAIT_MS;
        }
        Ok(())
    }

    async fn subscribe(&mut self, seen: &Seen) -> Result<Option<Events>, Failure> {
        match self.remote.peer.open(&self.card.interface, &Ask::Subscribe(&seen.id), &self.along).await {
            Ok(events) => Ok(Some(events)),
            Err(trouble) if passes(&trouble) => Ok(None),
            // It ended this very moment, or it streams only what is new: it is looked at instead.
            Err(trouble)
                if trouble.is(error_code::UNSUPPORTED_OPERATION) || trouble.is(error_code::METHOD_NOT_FOUND) =>
            {
                self.streams = false;
                Ok(None)
            }
            Err(trouble) => Err(self.lost(seen, &trouble)),
        }
    }

    /// A task that the agent knows no more is lost with all that was done in it.
    fn lost(&self, seen: &Seen, trouble: &Trouble) -> Failure {
        if !trouble.is(error_code::TASK_NOT_FOUND) {
            return failure(trouble);
        }
        // There is nothing left to cancel.
        self.held.let_go();
        let id: String = tame(&seen.id);
        format!("the remote agent does not know its task {id} any more: it may have lost it in a restart").into()
    }

    /// The end: the next piece of work of this session is in the same context.
    async fn over(&self, seen: &Seen, came: Came) -> Result<Came, Failure> {
        if seen.status.state.is_terminal() {
            self.held.let_go();
        }
        let Came::Done(done) = came else { return Ok(came) };
        let done = outcome::charged(*done, self.left().await?);
        let (giving, _) = done.clone().into_parts();
        let session = self.work.engine().session(&self.work.handoff().session_id).await?;
        let mut updates = giving.updates;
        let name = context_name(self.work);
        let kept = session.variables.get(&name).and_then(|kept| kept.value.as_str());
        if !seen.context.is_empty() && kept != Some(&seen.context) && keeps(&session, &name) {
            updates.context.insert(name, seen.context.clone().into());
        }
        Ok(Came::Done(Box::new(done.update(updates))))
    }
}

/// Whether there is room for one more variable.
fn keeps(session: &handover_core::session::Session, name: &str) -> bool {
    use handover_core::limits::{VARIABLE_NAME_CHARS_MAX, VARIABLES_MAX};
    let room = session.variables.contains_key(name) || session.variables.len() < VARIABLES_MAX;
    room && name.chars().count() <= VARIABLE_NAME_CHARS_MAX
}

/// The variable of the session that holds the context in which the remote agent works.
fn context_name(work: &Work) -> String {
    format!("{}/a2a_context", work.handoff().to_agent)
}

/// Whether it may go better another time, when nothing is asked for but to be told.
fn passes(trouble: &Trouble) -> bool {
    matches!(trouble, Trouble::Passing(..)) || trouble.is(error_code::INTERNAL_ERROR)
}

/// Some begin with what is new instead of with the task.
fn begun_so(
    task: &str,
    context: &str,
    told: StreamResponse,
    stream: Option<Events>,
) -> Result<(Sent, Option<Begun>), Failure> {
    super::seen::check_id("task", task)?;
    let mut seen = Seen::expected(task.to_owned(), context.to_owned());
    seen.take(told)?;
    Ok((Sent::Task { id: seen.id.clone(), context: seen.context.clone() }, Some((seen, stream))))
}

fn push_config(push: &Listening, task_id: String) -> TaskPushNotificationConfig {
    let authentication = AuthenticationInfo { scheme: "Bearer".to_owned(), credentials: Some(push.token.clone()) };
    TaskPushNotificationConfig {
        url: push.url.clone(),
        id: None,
        task_id,
        token: Some(push.token.clone()),
        authentication: Some(authentication),
        tenant: None,
    }
}
