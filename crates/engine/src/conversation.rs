//! A conversation that changes agents, as a chat application hands it over: all that was said comes with it each time.
//! Everything is checked before anything is written.

use crate::engine::Engine;
use handover_core::{
    access::Right,
    command::{Command, Open, Prepared},
    context::sanitize,
    decide::{self, Found, World},
    event::Event,
    handoff::{Kind, Request},
    ids::{AgentId, HandoffId, RandomIds, SessionId},
    limits::MESSAGES_PER_APPEND_MAX,
    message::{Mark, NewMessage, Role},
    refusal::{Code, HandoffError, Refusal},
    session::Session,
};
use serde::{Deserialize, Serialize};

/// A handoff of a conversation, in the words of a chat application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandoffContext {
    /// Who hands over.
    pub from_agent: AgentId,
    /// To whom.
    pub to_agent: AgentId,
    /// Why.
    pub reason: String,
    /// The whole conversation so far; what is new in it is appended.
    pub conversation_history: Vec<NewMessage>,
    /// What the user is after.
    pub user_intent: String,
    /// The session; it is opened when there is none.
    pub session_id: SessionId,
    /// The caller's trace.
    #[serde(default)]
    pub harness_trace_id: Option<String>,
}

/// Longest beginning of the first message that counts as the original request, in characters.
const ORIGINAL_CHARS_MAX: usize = 4_000;

impl Engine {
    /// Hands a conversation over and waits until the target has taken it.
    ///
    /// # Errors
    /// When the handoff is refused, or nobody took it.
    pub async fn execute_handoff(&self, context: HandoffContext) -> Result<HandoffId, HandoffError> {
        let (from, to) = (context.from_agent.clone(), context.to_agent.clone());
        let id = self.store_handoff_event(context).await?;
        let handoff = self.accepted(id).await?;
        if handoff.accepted_at.is_some() {
            return Ok(id);
        }
        let why = handoff.result.as_ref().map(|result| result.notes.clone()).unwrap_or_default();
        Err(HandoffError::one(Refusal::new(Code::NobodyCan, "nobody took it")).between(&from, Some(&to)).because(why))
    }

    /// Hands a conversation over and gives the handoff's id as soon as it is on disk.
    ///
    /// # Errors
    /// When the handoff is refused, with everything that is wrong with it. Nothing has changed then, unless somebody
    /// else changed the session in the middle: then what was said before is kept, and the handoff is not made.
    pub async fn store_handoff_event(&self, context: HandoffContext) -> Result<HandoffId, HandoffError> {
        let agents = (context.from_agent.clone(), context.to_agent.clone());
        let stored = self.hand_conversation_over(context).await;
        stored.map_err(|error| error.between(&agents.0, Some(&agents.1)))
    }

    async fn hand_conversation_over(&self, context: HandoffContext) -> Result<HandoffId, HandoffError> {
        self.caller.may(Right::Act)?;
        let id = context.session_id.clone();
        let request = request_of(&context);
        let open = Open::of(context.from_agent).asking(&request.original_request);
        let session = self.peek(&id).await?.filter(|_| !id.is_house());
        let have = session.as_ref().map_or(0, |session| session.mark.messages);
        let news = news_of(session.as_ref().map(|session| &session.mark), context.conversation_history)?;
        let parts: Vec<Vec<Prepared>> = news.chunks(MESSAGES_PER_APPEND_MAX).map(<[Prepared]>::to_vec).collect();
        self.rehearse(&id, session.as_deref(), &open, &parts, &request)?;
        if session.is_none() {
            self.resume_session(&id, open).await?;
        }
        self.say_parts(&id, have, parts).await?;
        let answer = self.initiate(&id, request).await?;
        crate::waiting::begun(answer)
    }

    /// Appends what is new in a whole conversation.
    pub(crate) async fn continue_conversation(
        &self,
        id: &SessionId,
        history: Vec<NewMessage>,
    ) -> Result<(), HandoffError> {
        let mark = self.visible(id).await?.mark.clone();
        let news = news_of(Some(&mark), history)?;
        let parts = news.chunks(MESSAGES_PER_APPEND_MAX).map(<[Prepared]>::to_vec).collect();
        self.say_parts(id, mark.messages, parts).await
    }

    async fn say_parts(&self, id: &SessionId, have: u64, parts: Vec<Vec<Prepared>>) -> Result<(), HandoffError> {
        let mut after = have;
        for messages in parts {
            let count = messages.len() as u64;
            self.submit(id, Command::Say { messages, after: Some(after) }, None).await?;
            after += count;
        }
        Ok(())
    }

    /// Decides all of it without writing any of it.
    fn rehearse(
        &self,
        id: &SessionId,
        session: Option<&Session>,
        open: &Open,
        parts: &[Vec<Prepared>],
        request: &Request,
    ) -> Result<(), HandoffError> {
        self.with_world(&self.caller, None, |world| self.rehearse_in(world, id, session, open, parts, request))
    }

    fn rehearse_in(
        &self,
        world: &World<'_>,
        id: &SessionId,
        session: Option<&Session>,
        open: &Open,
        parts: &[Vec<Prepared>],
        request: &Request,
    ) -> Result<(), HandoffError> {
        let begun = match session {
            Some(session) => session.clone(),
            // Whether it may be opened is decided with the rest, so that all mistakes are told at once.
            None => begun(id, open, &self.caller.tenant, world.now).ok_or_else(|| {
                HandoffError::from(Refusal::new(Code::UnknownSession, format!("there is no session {id}")))
            })?,
        };
        let mut found: Vec<Refusal> = Vec::new();
        let mut last = begun;
        let says = parts.iter().map(|part| Command::Say { messages: part.clone(), after: None });
        for command in says.chain([Command::Initiate(Box::new(request.clone()))]) {
            match decide::decide(id, Some(&last), Found::default(), command, world, &mut RandomIds) {
                Ok(decided) => last = decided.session,
                Err(error) => found.extend(error.refusals),
            }
        }
        // These come from `user_intent`, which the caller gave; what is wrong with it is told once.
        found.retain(|refusal| !["original_request", "task.description"].contains(&refusal.field.as_str()));
        found.sort_by_key(|refusal| refusal.code);
        found.dedup();
        if found.is_empty() {
            Ok(())
        } else {
            Err(HandoffError { refusals: found, agents: String::new(), cause: None })
        }
    }
}

fn request_of(context: &HandoffContext) -> Request {
    let mut request = Request::new(Kind::Sequential, context.from_agent.clone(), context.user_intent.clone());
    request.to_agent = Some(context.to_agent.clone());
    request.reason.clone_from(&context.reason);
    request.user_intent.clone_from(&context.user_intent);
    request.trace_id.clone_from(&context.harness_trace_id);
    request.completes_segment = true;
    let first = context.conversation_history.iter().find(|said| said.role == Role::User);
    if let Some(first) = first.filter(|first| !first.content.trim().is_empty()) {
        let clean = sanitize::clean(first.clone()).0.content;
        request.original_request = clean.chars().take(ORIGINAL_CHARS_MAX).collect();
    }
    request
}

/// A session as its opening would leave it, without asking whether it may.
fn begun(id: &SessionId, open: &Open, tenant: &str, now: handover_core::time::Timestamp) -> Option<Session> {
    let event = Event::SessionOpened {
        tenant: tenant.to_owned(),
        active_agent: open.active_agent.clone(),
        user_id: open.user_id.clone(),
        original_request: open.original_request.clone(),
        metadata: open.metadata.clone(),
        complexity: open.complexity,
        workflow: open.workflow.clone(),
        state: None,
        limits: open.limits,
        mode: open.mode,
    };
    Session::begin(id.clone(), &event, now)
}

/// What is new in a whole conversation, cleaned and counted. What is stored must be its beginning.
fn news_of(known: Option<&Mark>, history: Vec<NewMessage>) -> Result<Vec<Prepared>, HandoffError> {
    crate::session::check_sizes(&history)?;
    let known = known.cloned().unwrap_or_default();
    let have = usize::try_from(known.messages).unwrap_or(usize::MAX);
    let mut mark = Mark::default();
    for said in history.iter().take(have) {
        mark.push(&sanitize::clean(said.clone()).0, 0);
    }
    if mark.messages != known.messages || mark.digest != known.digest {
        let message = format!("the session has {have} messages that the history does not begin with");
        return Err(Refusal::new(Code::HistoryDiverges, message).at("conversation_history").into());
    }
    Ok(history.into_iter().skip(have).map(Prepared::from_new).collect())
}
