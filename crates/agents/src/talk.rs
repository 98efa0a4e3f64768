//! A conversation that goes on: the user keeps talking to one thread, whoever has it answers, and every move is seen.

use handover_core::{
    agent::{AgentKind, Profile},
    command::Open,
    context::{TransferMode, sanitize},
    handoff::{Handoff, Kind, Metrics, Request, ReturnStatus},
    ids::{AgentId, HandoffId, SessionId},
    limits::{CHAT_ANSWER_MS, CHAT_HANDOFFS_MAX, CHAT_MESSAGES_SHOWN, PAGE_MAX, TEXT_BYTES_MAX},
    message::{NewMessage, Role},
    policy::SessionLimits,
    refusal::{Code, HandoffError, Refusal},
    route::{Suggestion, SuggestionKind},
};
use handover_engine::{Engine, HandoffQuery};
use serde_json::Value;

/// The conversation moved, or somebody was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// From whom.
    pub from: AgentId,
    /// To whom.
    pub to: AgentId,
    /// Whether the conversation itself moved, and not only a task.
    pub control: bool,
    /// Why.
    pub reason: String,
}

/// What came of something that the user said.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// What the user said.
    pub said: String,
    /// By which handoff it was asked.
    pub asked: HandoffId,
    /// Who answered.
    pub agent: AgentId,
    /// What.
    pub text: String,
    /// How it ended.
    pub status: ReturnStatus,
    /// A sentence on how it ended, where there is one.
    pub notes: String,
    /// Who asked whom on the way, in order.
    pub moves: Vec<Moved>,
    /// What it used, with everybody's part.
    pub used: Metrics,
    /// Reasons to hand over, if there are any.
    pub suggestions: Vec<Suggestion>,
}

/// A conversation between a person and a team.
pub struct Conversation {
    engine: Engine,
    session: SessionId,
    user: AgentId,
}

impl Conversation {
    /// Opens a conversation of this person, which `first` has; or goes on with one that was opened before.
    ///
    /// # Errors
    /// When `first` is not registered, or the session is somebody else's.
    pub async fn open(
        engine: &Engine,
        session: &SessionId,
        user: &AgentId,
        first: &AgentId,
    ) -> Result<Self, HandoffError> {
        engine.agent(first)?;
        if engine.agent(user).is_err() {
            let mut person = Profile::of(user.clone()).kind(AgentKind::Human).about("", "Whoever talks to the team");
            person.accepts_handoffs = false;
            engine.register_profile(person).await?;
        }
        let mut open = Open::of(first.clone());
        open.user_id = Some(user.to_string());
        open.limits = SessionLimits { handoffs: Some(CHAT_HANDOFFS_MAX), ..SessionLimits::default() };
        let found = engine.resume_session(session, open).await?;
        if found.user_id.as_deref() != Some(user.as_str()) {
            let message = format!("the session {session} serves somebody else than {user}");
            let hint = "choose another session, or talk as the one whom it serves";
            return Err(Refusal::new(Code::NotYours, message).at("session").hint(hint).into());
        }
        Ok(Self { engine: engine.clone(), session: session.clone(), user: user.clone() })
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// Who has the conversation now.
    ///
    /// # Errors
    /// When the session cannot be read.
    pub async fn active(&self) -> Result<AgentId, HandoffError> {
        Ok(self.engine.session(&self.session).await?.active_agent.clone())
    }

    /// The user says something, and whoever has the conversation answers. Whoever goes on talking has heard what was
    /// answered before.
    ///
    /// # Errors
    /// When it cannot be kept, or nobody can be asked.
    pub async fn say(&self, text: &str) -> Result<Answered, HandoffError> {
        while let Some(answered) = self.unheard().await? {
            Box::pin(self.take(answered)).await?;
        }
        // Cleaned before anything is kept: what is asked is what is in the conversation.
        let (said, _) = sanitize::clean(NewMessage::new(Role::User, text));
        if said.content.trim().is_empty() {
            return Err(Refusal::new(Code::MissingField, "there is nothing in it to answer").at("text").into());
        }
        let text = said.content.clone();
        let n = self.engine.say(&self.session, vec![said]).await?;
        // A future of many parts, which its callers would have to hold as a whole.
        Box::pin(self.ask(n, &text)).await
    }

    /// Goes on with what the user said last, where that has no answer that was heard: the process that waited for it was
    /// ended. Nothing is asked again that was answered.
    ///
    /// # Errors
    /// When nobody can be asked.
    pub async fn resume(&self) -> Result<Option<Answered>, HandoffError> {
        let session = self.engine.session(&self.session).await?;
        let asked = session.open.values().find(|open| open.request.from_agent == self.user);
        let asked = asked.map(|open| open.returns_for);
        if let Some(id) = asked.or(self.unheard().await?) {
            return Box::pin(self.answered(id)).await.map(Some);
        }
        let n = session.mark.messages;
        let last = if n == 0 { Vec::new() } else { self.engine.messages(&self.session, n, n).await? };
        let said = last.first().filter(|message| message.said.role == Role::User);
        if let Some(message) = said
            && self.asked_until().await? < n
        {
            return Box::pin(self.ask(n, &message.said.content)).await.map(Some);
        }
        match self.going().await? {
            Some(handoff) => Box::pin(self.answered(handoff.id)).await.map(Some),
            None => Ok(None),
        }
    }

    /// The user has seen this answer: it is not given again.
    ///
    /// # Errors
    /// When that cannot be kept.
    pub async fn heard(&self, answered: &Answered) -> Result<(), HandoffError> {
        match self.take(answered.asked).await {
            // What nobody waits for any more was heard before.
            Err(error) if !error.has(Code::NoReturn) => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    async fn take(&self, asked: HandoffId) -> Result<(), HandoffError> {
        self.engine.take_return(&self.session, asked, &self.user, Some("taken")).await.map(drop)
    }

    /// The last question of the user that has its answer, and nobody has seen it.
    async fn unheard(&self) -> Result<Option<HandoffId>, HandoffError> {
        let waiting = self.engine.waiting_returns(&self.user, PAGE_MAX).await?;
        let mine = waiting.into_iter().filter(|waiting| waiting.session == self.session);
        Ok(mine.max_by_key(|waiting| waiting.seq).map(|waiting| HandoffId(waiting.of)))
    }

    /// How far the conversation was when the user last asked somebody.
    async fn asked_until(&self) -> Result<u64, HandoffError> {
        let (session, from) = (Some(self.session.clone()), Some(self.user.clone()));
        let query = HandoffQuery { session, from, latest_first: true, limit: 1, ..HandoffQuery::default() };
        Ok(self.engine.handoffs(query).await?.first().map_or(0, |asked| asked.mark.messages))
    }

    /// Asks whoever has the conversation. The number of the message makes it once.
    async fn ask(&self, n: u64, text: &str) -> Result<Answered, HandoffError> {
        let active = self.active().await?;
        // The whole of it is in the conversation, which is shown.
        let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
        let mut request = Request::new(Kind::Delegation, self.user.clone(), text);
        "the user asks".clone_into(&mut request.reason);
        request.to_agent = Some(active);
        request.return_protocol.timeout_ms = Some(CHAT_ANSWER_MS);
        request.context.transfer.mode = Some(TransferMode::Full);
        request.context.transfer.max_messages = Some(CHAT_MESSAGES_SHOWN);
        request.context.user_id = Some(self.user.to_string());
        request.idempotency_key = Some(format!("{}/{n}", self.session));
        let answer = self.engine.initiate(&self.session, request).await?;
        let id = answer.handoffs.first().copied().ok_or_else(|| HandoffError::from(nobody()))?;
        self.answered(id).await
    }

    /// Waits until the conversation is with the user again.
    async fn answered(&self, asked: HandoffId) -> Result<Answered, HandoffError> {
        let mut result = self.engine.returned(asked).await?;
        let first = self.engine.handoff(asked).await?;
        while let Some(next) = self.going().await? {
            result = self.engine.returned(next.id).await?;
        }
        let after = self.after(first.n).await?;
        // Whoever was handed the conversation may have answered before it was looked at.
        let last = after.iter().rev().find(|handoff| handoff.request.kind == Kind::Sequential);
        if let Some(last) = last.and_then(|last| last.result.as_ref()) {
            result = (**last).clone();
        }
        let text = match &result.result.body {
            Value::String(text) => text.clone(),
            Value::Null => result.notes.clone(),
            other => other.to_string(),
        };
        let used =
            after.iter().chain([&first]).filter_map(|handoff| handoff.result.as_ref()).map(|result| result.metrics);
        let moves: Vec<Moved> = after.iter().map(moved).collect();
        let mut suggestions = self.engine.suggestions(&self.session).await?;
        // Whoever took over stays for the next question; and whoever had a part in the answer was found without advice.
        suggestions.retain(|advice| advice.kind != SuggestionKind::PartComplete);
        suggestions.retain(|advice| advice.to.as_ref().is_none_or(|to| moves.iter().all(|moved| moved.to != *to)));
        Ok(Answered {
            said: first.request.task.description.clone(),
            asked,
            agent: result.from_agent,
            text: if result.status == ReturnStatus::Success || !text.is_empty() { text } else { result.notes.clone() },
            status: result.status,
            notes: result.notes,
            moves,
            used: used.fold(Metrics::default(), sum),
            suggestions,
        })
    }

    /// The handoff by which the conversation is on its way, if it is.
    async fn going(&self) -> Result<Option<Handoff>, HandoffError> {
        let session = self.engine.session(&self.session).await?;
        let going = session.open.values().find(|open| open.request.kind == Kind::Sequential);
        Ok(going.map(|handoff| (**handoff).clone()))
    }

    /// What was handed over since then, in order.
    async fn after(&self, n: u64) -> Result<Vec<Handoff>, HandoffError> {
        let mut found = Vec::new();
        let mut after = n;
        loop {
            let page = self.engine.handoff_history(&self.session, after, PAGE_MAX).await?;
            let whole = page.len() == PAGE_MAX;
            after = page.last().map_or(after, |last| last.n);
            found.extend(page);
            if !whole {
                return Ok(found);
            }
        }
    }
}

fn moved(handoff: &Handoff) -> Moved {
    Moved {
        from: handoff.request.from_agent.clone(),
        to: handoff.to_agent.clone(),
        control: handoff.request.kind == Kind::Sequential,
        reason: handoff.request.reason.clone(),
    }
}

fn sum(sum: Metrics, more: Metrics) -> Metrics {
    Metrics {
        tokens: sum.tokens.saturating_add(more.tokens),
        cost: sum.cost + more.cost,
        iterations: sum.iterations.saturating_add(more.iterations),
        duration_ms: sum.duration_ms.max(more.duration_ms),
    }
}

fn nobody() -> Refusal {
    Refusal::new(Code::NobodyCan, "nobody was asked")
}
