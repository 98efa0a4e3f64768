//! Sessions through the engine: opening, talking, sharing, and what a receiver is shown.

use crate::engine::Engine;
use handover_core::{
    access::Right,
    command::{Answer, Command, Giving, Goto, Open, Prepared, Turn, Write},
    context::{self, View},
    handoff::Handoff,
    ids::{AgentId, HandoffId, LeaseId, SessionId},
    limits,
    message::{Message, NewMessage},
    policy::SessionLimits,
    refusal::{Code, HandoffError, Refusal},
    session::Session,
};
use std::{fmt::Display, sync::Arc};

/// How far the conversation is.
pub type Said = u64;

/// An accepted handoff: all that whoever took it needs.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The handoff.
    pub handoff: Arc<Handoff>,
    /// The lease; every later step names it.
    pub lease: LeaseId,
    /// What is shown of the conversation.
    pub view: View,
}

impl Assignment {
    /// What it should know, as text for a specialist.
    #[must_use]
    pub fn brief(&self) -> String {
        context::brief(&self.handoff, &self.view)
    }
}

impl Engine {
    /// Opens a session.
    ///
    /// # Errors
    /// When there is one with this id, or its first owner is not registered.
    pub async fn open_session(&self, id: &SessionId, open: Open) -> Result<Answer, HandoffError> {
        self.submit(id, Command::Open(open), None).await
    }

    /// Opens a session, or gives the one that exists: what a program does that may have been killed before.
    ///
    /// # Errors
    /// When its first owner is not registered.
    pub async fn resume_session(&self, id: &SessionId, open: Open) -> Result<Arc<Session>, HandoffError> {
        if let Some(found) = self.peek(id).await? {
            return Ok(found);
        }
        match self.open_session(id, open).await {
            Err(error) if !error.has(Code::SessionExists) => Err(error),
            Ok(_) | Err(_) => self.visible(id).await,
        }
    }

    /// A session as it is now.
    ///
    /// # Errors
    /// When there is none with this id for this caller.
    pub async fn session(&self, id: &SessionId) -> Result<Arc<Session>, HandoffError> {
        self.visible(id).await
    }

    /// Whether there is a session with this id for this caller. Reading does not wait for whoever writes in it.
    pub(crate) async fn may_read(&self, id: &SessionId) -> Result<(), HandoffError> {
        if !id.is_house() && self.sees(id).await? {
            return Ok(());
        }
        Err(unknown_session(id))
    }

    pub(crate) async fn visible(&self, id: &SessionId) -> Result<Arc<Session>, HandoffError> {
        let found = self.peek(id).await?.filter(|_| !id.is_house());
        found.ok_or_else(|| unknown_session(id))
    }

    /// A handoff, open or closed.
    ///
    /// # Errors
    /// When there is none with this id for this caller.
    pub async fn handoff(&self, id: HandoffId) -> Result<Handoff, HandoffError> {
        self.find(id).await.map(Arc::unwrap_or_clone)
    }

    pub(crate) async fn find(&self, id: HandoffId) -> Result<Arc<Handoff>, HandoffError> {
        if let Some(place) = self.inner.cache.place(id)
            && let Some(session) = self.peek(&place).await?
            && let Some(handoff) = session.open.get(&id)
        {
            return Ok(handoff.clone());
        }
        let unknown = || HandoffError::from(Refusal::new(Code::UnknownHandoff, format!("there is no handoff {id}")));
        let handoff = self.inner.store.handoff(id).await?.ok_or_else(unknown)?;
        match self.peek(&handoff.session_id).await? {
            Some(_) => Ok(Arc::new(handoff)),
            None => Err(unknown()),
        }
    }

    /// Appends to the conversation. Secrets and control characters are taken out and marked before anything is stored.
    ///
    /// # Errors
    /// When a message is too large or speaks for an agent that is not registered.
    pub async fn say(&self, session: &SessionId, messages: Vec<NewMessage>) -> Result<Said, HandoffError> {
        self.say_after(session, messages, None).await
    }

    /// Appends to the conversation if it has this many messages now.
    ///
    /// # Errors
    /// As [`Engine::say`]; and when the conversation has gone on meanwhile.
    pub async fn say_after(
        &self,
        session: &SessionId,
        messages: Vec<NewMessage>,
        after: Option<u64>,
    ) -> Result<Said, HandoffError> {
        let messages = prepared(messages).await?;
        let (_, session) = self.submit_whole(session, Command::Say { messages, after }).await?;
        Ok(session.mark.messages)
    }

    /// Appends to the conversation once: the same key with the same messages gives the first answer.
    ///
    /// # Errors
    /// As [`Engine::say_after`]; and when the key was used for something else.
    pub async fn say_once(
        &self,
        session: &SessionId,
        messages: Vec<NewMessage>,
        after: Option<u64>,
        key: Option<&str>,
    ) -> Result<Answer, HandoffError> {
        let messages = prepared(messages).await?;
        self.submit(session, Command::Say { messages, after }, key).await
    }

    /// How far a session may go: by its own limits, its workflow, its class, the house.
    #[must_use]
    pub fn limits_of(&self, session: &Session) -> SessionLimits {
        self.with_world(&self.caller, None, |world| handover_core::decide::limits_of(session, world))
    }

    /// Messages of a session by number, at most a page.
    ///
    /// # Errors
    /// When there is no such session for this caller.
    pub async fn messages(&self, session: &SessionId, first: u64, last: u64) -> Result<Vec<Message>, HandoffError> {
        self.may_read(session).await?;
        Ok(self.inner.store.messages(session, first, last).await?)
    }

    /// Writes variables, all or none.
    ///
    /// # Errors
    /// When one is out of scope or somebody else wrote first.
    pub async fn set(&self, session: &SessionId, by: &AgentId, writes: Vec<Write>) -> Result<Answer, HandoffError> {
        self.submit(session, Command::Set { by: by.clone(), writes }, None).await
    }

    /// Ends the turn of the session's owner: where the work goes, and what changes with it, in one step.
    ///
    /// # Errors
    /// When the turn is refused as a whole.
    pub async fn turn(&self, session: &SessionId, by: &AgentId, turn: Turn) -> Result<Answer, HandoffError> {
        self.submit(session, Command::Turn { by: by.clone(), turn: Box::new(turn) }, None).await
    }

    /// Takes an offered handoff: for agents that pull their work.
    ///
    /// # Errors
    /// When it is not on offer to this agent, or the agent is at capacity.
    pub async fn accept(
        &self,
        id: HandoffId,
        by: &AgentId,
        lease_ms: Option<u64>,
        tools: Option<&[String]>,
    ) -> Result<Assignment, HandoffError> {
        self.caller.may(Right::Act)?;
        let handoff = self.find(id).await?;
        let (command, view) = self.acceptance(&handoff, by, lease_ms, tools).await?;
        let (answer, session) = self.submit_whole(&handoff.session_id, command).await?;
        let lease = answer.lease.ok_or_else(|| Refusal::new(Code::NotOffered, "no lease was granted"))?;
        let handoff = session.open.get(&id).cloned().unwrap_or(handoff);
        Ok(Assignment { handoff, lease, view })
    }

    /// What takes a handoff, and what whoever takes it is shown.
    pub(crate) async fn acceptance(
        &self,
        handoff: &Handoff,
        by: &AgentId,
        lease_ms: Option<u64>,
        tools: Option<&[String]>,
    ) -> Result<(Command, View), HandoffError> {
        // A summary costs money: none is asked for by somebody who cannot take the work.
        let view = if self.could_take(handoff, by) {
            self.view_to_take(handoff, tools).await?
        } else {
            self.view_of(handoff, tools).await?
        };
        let command = Command::Accept {
            handoff: handoff.id,
            by: by.clone(),
            lease_ms,
            in_process: false,
            estimated_completion: None,
            manifest: Some(view.manifest.clone()),
        };
        Ok((command, view))
    }

    /// Says no to an offer.
    ///
    /// # Errors
    /// When it is not on offer to this agent.
    pub async fn reject(&self, id: HandoffId, by: &AgentId, reason: &str) -> Result<Answer, HandoffError> {
        let session = self.session_of(id).await?;
        self.submit(&session, Command::Reject { handoff: id, by: by.clone(), reason: reason.to_owned() }, None).await
    }

    /// Says no to work that was taken: it goes to the next, as if it had been rejected at once.
    ///
    /// # Errors
    /// When the lease is not valid any more.
    pub async fn decline(&self, id: HandoffId, lease: LeaseId, reason: &str) -> Result<Answer, HandoffError> {
        let session = self.session_of(id).await?;
        self.submit(&session, Command::Decline { handoff: id, lease, reason: reason.to_owned() }, None).await
    }

    /// Puts an offer off.
    ///
    /// # Errors
    /// When it is not on offer to this agent.
    pub async fn defer(&self, id: HandoffId, by: &AgentId, for_ms: u64, reason: &str) -> Result<Answer, HandoffError> {
        let session = self.session_of(id).await?;
        let command = Command::Defer { handoff: id, by: by.clone(), for_ms, reason: reason.to_owned() };
        self.submit(&session, command, None).await
    }

    /// Keeps a lease alive.
    ///
    /// # Errors
    /// When the lease is not valid any more.
    pub async fn heartbeat(&self, id: HandoffId, lease: LeaseId) -> Result<Answer, HandoffError> {
        let handoff = self.find(id).await?;
        let answer = self.submit(&handoff.session_id, Command::Heartbeat { handoff: id, lease }, None).await?;
        self.seen(&handoff.to_agent, "it keeps a lease alive").await?;
        Ok(answer)
    }

    /// Gives the result back, and says where the work goes next, in one step.
    ///
    /// # Errors
    /// When the lease is not valid any more, or the result or what follows is refused.
    pub async fn give_back(
        &self,
        id: HandoffId,
        lease: LeaseId,
        giving: Giving,
        then: Option<Goto>,
    ) -> Result<Answer, HandoffError> {
        self.give_back_once(id, lease, giving, then, None).await
    }

    /// Hands the work further up, with what this level thinks.
    ///
    /// # Errors
    /// When there is nobody above.
    pub async fn escalate(&self, id: HandoffId, lease: LeaseId, assessment: &str) -> Result<Answer, HandoffError> {
        let session = self.session_of(id).await?;
        let command = Command::Escalate { handoff: id, lease, assessment: assessment.to_owned() };
        self.submit(&session, command, None).await
    }

    /// Takes a handoff back. Its source may, the owner of the session, and a person who runs the work.
    ///
    /// # Errors
    /// When it is closed, or not theirs to take back.
    pub async fn cancel(&self, id: HandoffId, by: impl Display, reason: &str) -> Result<Answer, HandoffError> {
        let session = self.session_of(id).await?;
        let by = by.to_string();
        self.submit(&session, Command::Cancel { handoff: id, by, reason: reason.to_owned() }, None).await
    }
}

/// Messages as they are kept: checked, cleaned and counted.
async fn prepared(messages: Vec<NewMessage>) -> Result<Vec<Prepared>, HandoffError> {
    check_count(messages.len())?;
    check_sizes(&messages)?;
    // Cleaning and counting take a while for long texts: not on a thread that others wait for.
    let total: usize = messages.iter().map(|message| message.content.len()).sum();
    if total > 16 * 1024 {
        let prepare = move || messages.into_iter().map(Prepared::from_new).collect();
        tokio::task::spawn_blocking(prepare)
            .await
            .map_err(|error| handover_store::StoreError::Failed(error.to_string()).into())
    } else {
        Ok(messages.into_iter().map(Prepared::from_new).collect())
    }
}

fn check_count(count: usize) -> Result<(), HandoffError> {
    if count > limits::MESSAGES_PER_APPEND_MAX {
        let max = limits::MESSAGES_PER_APPEND_MAX;
        let message = format!("there are {count}; at most {max} are allowed (MESSAGES_PER_APPEND_MAX)");
        return Err(Refusal::new(Code::TooLarge, message).at("messages").into());
    }
    Ok(())
}

/// Sizes are checked before cleaning: it costs time, and marks what it takes out.
pub(crate) fn check_sizes(messages: &[NewMessage]) -> Result<(), HandoffError> {
    for (i, message) in messages.iter().enumerate() {
        let bytes = message.content.len();
        if bytes > limits::MESSAGE_BYTES_MAX {
            let max = limits::MESSAGE_BYTES_MAX;
            let text = format!("it has {bytes} bytes; at most {max} are allowed (MESSAGE_BYTES_MAX)");
            return Err(Refusal::new(Code::TooLarge, text).at(format!("messages[{i}]")).into());
        }
    }
    Ok(())
}

fn unknown_session(id: &SessionId) -> HandoffError {
    Refusal::new(Code::UnknownSession, format!("there is no session {id}")).at("session_id").into()
}
