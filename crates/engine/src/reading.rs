//! Reading it back: the history of a session, counts, the story of a handoff, statistics.

use crate::engine::Engine;
use handover_core::{
    event::Event,
    handoff::{Handoff, Kind, Request, Status},
    ids::{AgentId, HandoffId, SessionId},
    limits::PAGE_MAX,
    message::NewMessage,
    record::Record,
    refusal::{Code, HandoffError, Refusal},
    time::Timestamp,
};
use handover_store::{HandoffQuery, RecordQuery, Stats, StoredReturn};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

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

/// A step in the life of a handoff, as people tell it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoryStep {
    /// Its number among the ten steps of the protocol.
    pub number: u8,
    /// Its name.
    pub name: &'static str,
    /// When.
    pub at: Timestamp,
    /// What happened, in a sentence.
    pub what: String,
}

impl Engine {
    /// Hands a conversation over and waits until the target has taken it.
    ///
    /// # Errors
    /// When the handoff is refused, or nobody took it.
    pub async fn execute_handoff(&self, context: HandoffContext) -> Result<HandoffId, HandoffError> {
        let (from, to) = (context.from_agent.clone(), context.to_agent.clone());
        let id = self.store_handoff_event(context).await?;
        let handoff = self.accepted(id).await?;
        if handoff.status() == Status::Running || handoff.status() == Status::Completed {
            return Ok(id);
        }
        let why = handoff.result.as_ref().map(|result| result.notes.clone()).unwrap_or_default();
        Err(HandoffError::one(Refusal::new(Code::NobodyCan, "nobody took it")).between(&from, Some(&to)).because(why))
    }

    /// Hands a conversation over and gives the handoff's id as soon as it is on disk.
    ///
    /// # Errors
    /// When the handoff is refused, with everything that is wrong with it.
    pub async fn store_handoff_event(&self, context: HandoffContext) -> Result<HandoffId, HandoffError> {
        let session = context.session_id.clone();
        let mut request = Request::new(Kind::Sequential, context.from_agent.clone(), context.user_intent.clone());
        request.to_agent = Some(context.to_agent);
        request.reason = context.reason;
        request.user_intent = context.user_intent;
        request.trace_id = context.harness_trace_id;
        request.completes_segment = true;
        let first = context.conversation_history.iter().find(|said| said.role == handover_core::message::Role::User);
        if let Some(first) = first.filter(|first| !first.content.trim().is_empty()) {
            let clean = handover_core::context::sanitize::clean(first.clone()).0.content;
            request.original_request = clean.chars().take(4_000).collect();
        }
        let open = handover_core::command::Open {
            active_agent: context.from_agent,
            user_id: None,
            original_request: request.original_request.clone(),
            metadata: Value::Null,
        };
        self.resume_session(&session, open).await?;
        self.continue_history(&session, context.conversation_history).await?;
        let answer = self.initiate(&session, request).await?;
        answer.handoffs.first().copied().ok_or_else(|| Refusal::new(Code::NobodyCan, "no handoff was made").into())
    }

    /// Appends what is new in a whole conversation. What is stored must be its beginning.
    async fn continue_history(&self, session: &SessionId, history: Vec<NewMessage>) -> Result<(), HandoffError> {
        let known = self.visible(session).await?.mark.clone();
        let have = usize::try_from(known.messages).unwrap_or(usize::MAX);
        let mut mark = handover_core::message::Mark::default();
        for said in history.iter().take(have) {
            mark.push(&handover_core::context::sanitize::clean(said.clone()).0, 0);
        }
        if mark.messages != known.messages || mark.digest != known.digest {
            let message = format!("the session has {have} messages that the history does not begin with");
            return Err(Refusal::new(Code::HistoryDiverges, message).at("conversation_history").into());
        }
        for part in history[have..].chunks(handover_core::limits::MESSAGES_PER_APPEND_MAX) {
            self.say(session, part.to_vec()).await?;
        }
        Ok(())
    }

    /// The handoffs of a session in order: the first page.
    ///
    /// # Errors
    /// When there is no such session for this caller.
    pub async fn get_handoff_history(&self, session: &SessionId) -> Result<Vec<Handoff>, HandoffError> {
        self.handoff_history(session, 0, PAGE_MAX).await
    }

    /// The handoffs of a session in order, after a number, at most so many.
    ///
    /// # Errors
    /// When there is no such session for this caller.
    pub async fn handoff_history(
        &self,
        session: &SessionId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Handoff>, HandoffError> {
        self.visible(session).await?;
        let query = HandoffQuery { session: Some(session.clone()), after, limit, ..HandoffQuery::default() };
        Ok(self.inner.store.handoffs(&query).await?)
    }

    /// The latest handoff of a session.
    ///
    /// # Errors
    /// When there is no such session for this caller.
    pub async fn get_last_handoff(&self, session: &SessionId) -> Result<Option<Handoff>, HandoffError> {
        self.visible(session).await?;
        let query =
            HandoffQuery { session: Some(session.clone()), latest_first: true, limit: 1, ..HandoffQuery::default() };
        Ok(self.inner.store.handoffs(&query).await?.into_iter().next())
    }

    /// How many handoffs a session has had, from and to whom.
    ///
    /// # Errors
    /// When there is no such session for this caller.
    pub async fn get_handoff_count(
        &self,
        session: &SessionId,
        from: Option<&AgentId>,
        to: Option<&AgentId>,
    ) -> Result<u64, HandoffError> {
        self.visible(session).await?;
        Ok(self.inner.store.count(session, from, to).await?)
    }

    /// Handoffs of this caller's tenant.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn handoffs(&self, mut query: HandoffQuery) -> Result<Vec<Handoff>, HandoffError> {
        query.tenant = Some(self.caller.tenant.clone());
        Ok(self.inner.store.handoffs(&query).await?)
    }

    /// What waits for an agent to take it, by level, then age.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn inbox(&self, agent: &AgentId, limit: usize) -> Result<Vec<Handoff>, HandoffError> {
        let mut waiting = Vec::new();
        for offer in self.inner.store.offers(agent, limit.min(PAGE_MAX)).await? {
            if let Ok(handoff) = self.find(offer.handoff).await {
                waiting.push(handoff);
            }
        }
        Ok(waiting)
    }

    /// Returns that wait for an agent.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn waiting_returns(&self, agent: &AgentId, limit: usize) -> Result<Vec<StoredReturn>, HandoffError> {
        let mut waiting = Vec::new();
        for found in self.inner.store.waiting_returns(agent, limit.min(PAGE_MAX)).await? {
            if self.peek(&found.session).await?.is_some() {
                waiting.push(found);
            }
        }
        Ok(waiting)
    }

    /// Counts over all sessions of this caller's tenant.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn stats(&self) -> Result<Stats, HandoffError> {
        Ok(self.inner.store.stats(&self.caller.tenant).await?)
    }

    /// The records of a handoff, in order.
    ///
    /// # Errors
    /// When there is no such handoff for this caller.
    pub async fn trace(&self, id: HandoffId) -> Result<Vec<Record>, HandoffError> {
        self.find(id).await?;
        self.records_of(id).await
    }

    async fn records_of(&self, id: HandoffId) -> Result<Vec<Record>, HandoffError> {
        let mut query = RecordQuery { handoff: Some(id), limit: PAGE_MAX, ..RecordQuery::default() };
        let mut records = Vec::new();
        loop {
            let page = self.inner.store.records(&query).await?;
            let full = page.len() == PAGE_MAX;
            for stored in page {
                query.after = stored.position;
                let record = serde_json::from_str(&stored.text).map_err(|error| {
                    let text = format!("record {} cannot be read: {error}", stored.position);
                    HandoffError::from(handover_store::StoreError::Damaged(text))
                })?;
                records.push(record);
            }
            if !full {
                return Ok(records);
            }
        }
    }

    /// The recorded steps of a piece of work.
    pub(crate) async fn steps(&self, id: HandoffId) -> Result<BTreeMap<String, Value>, HandoffError> {
        let mut steps = BTreeMap::new();
        for record in self.records_of(id).await? {
            if let Event::StepRecorded { name, output, .. } = record.event {
                steps.entry(name).or_insert(output);
            }
        }
        Ok(steps)
    }

    /// The story of a handoff: the ten steps of the protocol, as far as it has come.
    ///
    /// # Errors
    /// When there is no such handoff for this caller.
    pub async fn story(&self, id: HandoffId) -> Result<Vec<StoryStep>, HandoffError> {
        let records = self.trace(id).await?;
        Ok(records.iter().flat_map(tell).collect())
    }
}

/// What a record tells, in the ten steps: trigger, prepare, validate, initiate, acknowledge, accept or reject,
/// execute, return, complete, release.
fn tell(record: &Record) -> Vec<StoryStep> {
    let at = record.timestamp;
    let step = |number, name, what: String| StoryStep { number, name, at, what };
    match &record.event {
        Event::Initiated { request, handoff, routing } => {
            let chosen = if routing.is_empty() { "as asked".to_owned() } else { format!("out of {}", routing.len()) };
            let warned =
                if handoff.warnings.is_empty() { String::new() } else { format!("; {}", handoff.warnings.join("; ")) };
            vec![
                step(1, "trigger", format!("{:?}: {}", request.trigger, request.reason)),
                step(
                    2,
                    "prepare",
                    format!(
                        "{} messages at hand, {} variables set with it",
                        handoff.mark.messages,
                        request.context.variables.len()
                    ),
                ),
                step(3, "validate", format!("{} was found fit{warned}", handoff.to_agent)),
                step(4, "initiate", format!("{} to {}, {chosen}", request.from_agent, handoff.to_agent)),
            ]
        }
        Event::ApprovalRequested { until, .. } => vec![step(4, "initiate", format!("a person is asked until {until}"))],
        Event::Approved { by, .. } => vec![step(4, "initiate", format!("{by} approved it"))],
        Event::Denied { by, .. } => vec![step(4, "initiate", format!("{by} denied it"))],
        Event::Accepted { by, manifest, .. } => {
            let shown = manifest.as_ref().map_or(0, |manifest| manifest.shown_messages);
            vec![
                step(5, "acknowledge", format!("{by} looked at it")),
                step(6, "accept", format!("{by} took it and is shown {shown} messages")),
                step(7, "execute", format!("{by} works on it")),
            ]
        }
        Event::Rejected { by, reason, .. } => {
            vec![step(5, "acknowledge", format!("{by} looked at it")), step(6, "reject", format!("{by}: {reason}"))]
        }
        Event::Deferred { by, until, reason, .. } => vec![
            step(5, "acknowledge", format!("{by} looked at it")),
            step(6, "defer", format!("{by} until {until}: {reason}")),
        ],
        Event::Rerouted { from, to, why, .. } => vec![step(4, "initiate", format!("{from} to {to}: {why:?}"))],
        Event::Offered { .. } | Event::Extended { .. } => vec![step(4, "initiate", "it is on offer".to_owned())],
        Event::Heartbeat { .. } => vec![step(7, "execute", "its holder is alive".to_owned())],
        Event::StepRecorded { name, .. } => vec![step(7, "execute", format!("recorded {name}"))],
        Event::Reminded { .. } => vec![step(7, "execute", "its time is up; a reminder was sent".to_owned())],
        Event::Retried { attempt, until, .. } => {
            vec![step(7, "execute", format!("attempt {attempt} begins at {until}"))]
        }
        Event::LeaseLost { .. } => vec![step(7, "execute", "its holder was lost; it is on offer again".to_owned())],
        Event::Closed { status, result, returned_to, released, .. } => {
            let mut steps = Vec::new();
            if let Some(to) = returned_to {
                steps.push(step(8, "return", format!("{:?} to {to}", result.status)));
            }
            steps.push(step(9, "complete", format!("{} {}", status.word(), result.notes).trim().to_owned()));
            steps.push(step(10, "release", format!("{} locks released", released.len())));
            steps
        }
        _ => Vec::new(),
    }
}
