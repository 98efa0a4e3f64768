//! What those who stand around the engine need besides: pages that go on, exports as lines, work that is taken once.

use crate::{audit::line, engine::Engine, session::Assignment};
use handover_core::{
    access::{KeyInfo, Right},
    command::{Answer, Command, Giving, Goto},
    handoff::{Handoff, Phase},
    ids::{AgentId, GroupId, HandoffId, LeaseId, SessionId},
    limits::PAGE_MAX,
    refusal::{Code, HandoffError, Refusal},
    wire::Parsed,
};
use handover_store::{HandoffQuery, RecordQuery};
use std::{sync::Arc, time::Duration};

/// What a rim that finds keys by itself tells whoever counts requests. It comes with the request.
#[derive(Clone)]
pub struct Turnstile {
    pass: Arc<Pass>,
    miss: Arc<Miss>,
}

type Pass = dyn Fn(&KeyInfo) -> Option<Duration> + Send + Sync;
type Miss = dyn Fn() -> Option<Duration> + Send + Sync;

impl Turnstile {
    /// One that counts requests by a key, and keys that open nothing, by these.
    pub fn new(
        pass: impl Fn(&KeyInfo) -> Option<Duration> + Send + Sync + 'static,
        miss: impl Fn() -> Option<Duration> + Send + Sync + 'static,
    ) -> Self {
        Self { pass: Arc::new(pass), miss: Arc::new(miss) }
    }

    /// A request by this key; how long to wait where there were too many.
    #[must_use]
    pub fn pass(&self, key: &KeyInfo) -> Option<Duration> {
        (self.pass)(key)
    }

    /// A key that opens nothing; how long to wait where there were too many.
    #[must_use]
    pub fn miss(&self) -> Option<Duration> {
        (self.miss)()
    }
}

impl Engine {
    /// Whose sessions this engine's caller sees.
    #[must_use]
    pub fn tenant(&self) -> &str {
        &self.caller.tenant
    }

    /// A page of handoffs, and the number after which the next one goes on; nothing on the last.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn handoffs_page(&self, query: HandoffQuery) -> Result<(Vec<Handoff>, Option<u64>), HandoffError> {
        let (limit, of_session) = (query.limit.min(PAGE_MAX), query.session.is_some());
        let found = self.handoffs(query).await?;
        let last = found.last().filter(|_| found.len() == limit);
        let next = match last {
            Some(last) if of_session => Some(last.n),
            Some(last) => Some(self.number_of(last.id).await?),
            None => None,
        };
        Ok((found, next))
    }

    /// Whether something was done under this key in a session of this caller's: whoever asks again learns it before what
    /// is asked for by now is looked at.
    ///
    /// # Errors
    /// When there is no such session for this caller, or the store cannot be read.
    pub async fn was_done(&self, session: &SessionId, key: &str) -> Result<bool, HandoffError> {
        self.may_read(session).await?;
        Ok(self.inner.store.answered(session, key).await?.is_some())
    }

    /// Records as an export has them, a line each, and the position after which the next ones go on.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn export_lines(&self, query: RecordQuery) -> Result<(Vec<String>, Option<u64>), HandoffError> {
        self.caller.may(Right::Administer)?;
        let limit = query.limit.min(PAGE_MAX);
        let page = self.audit(query).await?;
        let next = page.last().filter(|_| page.len() == limit).map(|last| last.position);
        let lines: Result<Vec<String>, HandoffError> = page.iter().map(line).collect();
        Ok((lines?, next))
    }

    /// Takes an offered handoff once: the same key gives the same lease for as long as the work is held by it.
    ///
    /// # Errors
    /// As [`Engine::accept`].
    pub async fn accept_once(
        &self,
        id: HandoffId,
        by: &AgentId,
        lease_ms: Option<u64>,
        tools: Option<&[String]>,
        key: Option<&str>,
    ) -> Result<Assignment, HandoffError> {
        let Some(key) = key else { return self.accept(id, by, lease_ms, tools).await };
        let handoff = self.find(id).await?;
        if let Some(taken) = self.held_under(&handoff, by, tools, key).await? {
            return Ok(taken);
        }
        let (command, view) = self.acceptance(&handoff, by, lease_ms, tools).await?;
        let (answer, _) = self.submit_inner(&handoff.session_id, command, Some(key), true).await?;
        let lease = answer.lease.ok_or_else(|| Refusal::new(Code::NotOffered, "no lease was granted"))?;
        let handoff = self.find(id).await?;
        if handoff.lease() != Some(lease) {
            // The first answer to this key: what it granted is over, and must not be worked on.
            let message = "it was taken with this key before, and that lease is over";
            return Err(Refusal::new(Code::StaleLease, message).hint("take it again with a new key").into());
        }
        Ok(Assignment { handoff, lease, view })
    }

    /// Gives the result back once: the same key with the same result gives the first answer.
    ///
    /// # Errors
    /// As [`Engine::give_back`].
    pub async fn give_back_once(
        &self,
        id: HandoffId,
        lease: LeaseId,
        giving: Giving,
        then: Option<Goto>,
        key: Option<&str>,
    ) -> Result<Answer, HandoffError> {
        let handoff = self.find(id).await?;
        let command = Command::Return { handoff: id, lease, giving: Box::new(giving), then: then.map(Box::new) };
        let answer = self.submit(&handoff.session_id, command, key).await?;
        self.came_back(&handoff.to_agent, "it gave work back");
        Ok(answer)
    }

    /// Initiates a handoff that was read before, with the conversation that came with it.
    ///
    /// # Errors
    /// When the request is refused, or its conversation is not a continuation.
    pub async fn initiate_parsed(&self, session: &SessionId, parsed: Parsed) -> Result<Answer, HandoffError> {
        if let Some(history) = parsed.history {
            self.continue_conversation(session, history).await?;
        }
        self.initiate(session, parsed.request).await
    }

    /// Whether a session has or had such a broadcast.
    ///
    /// # Errors
    /// When there is no such session for this caller.
    pub async fn has_group(&self, session: &SessionId, group: GroupId) -> Result<bool, HandoffError> {
        let found = self.visible(session).await?;
        Ok(found.groups.contains_key(&group) || self.find_decision(session, group).await?.is_some())
    }

    /// Whether every session of its tenant exists for this caller.
    pub(crate) fn sees_all(&self) -> bool {
        !self.caller.is_restricted()
    }

    /// The work that was taken with this key, where it is still held by the lease that was granted then.
    pub(crate) async fn held_under(
        &self,
        handoff: &Handoff,
        by: &AgentId,
        tools: Option<&[String]>,
        key: &str,
    ) -> Result<Option<Assignment>, HandoffError> {
        let Phase::Running { lease, .. } = handoff.phase else { return Ok(None) };
        if handoff.to_agent != *by {
            return Ok(None);
        }
        self.acts_for(by)?;
        let Some(first) = self.inner.store.answered(&handoff.session_id, key).await? else { return Ok(None) };
        let answer: Answer = match serde_json::from_str(&first.answer) {
            Ok(answer) => answer,
            Err(_) => return Ok(None),
        };
        if answer.lease != Some(lease) {
            return Ok(None);
        }
        let view = self.view_of(handoff, tools).await?;
        Ok(Some(Assignment { handoff: self.find(handoff.id).await?, lease, view }))
    }
}
