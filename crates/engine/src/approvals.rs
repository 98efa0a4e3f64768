//! A person's word before a handoff is offered: what waits for it, and how it is given.

use crate::engine::Engine;
use handover_core::{
    command::{Answer, Command},
    decide::{approval_digest, deciders},
    digest::Digest,
    handoff::{Edit, Handoff, Status},
    ids::HandoffId,
    limits::PAGE_MAX,
    policy::{ApprovalRule, Policy},
    refusal::{Code, HandoffError, Refusal},
    time::Timestamp,
};
use handover_store::{HandoffQuery, RecordQuery};
use serde::Serialize;

/// A handoff that waits for a person.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PendingApproval {
    /// The handoff, with its request as it is now.
    pub handoff: Handoff,
    /// The rule that asks; empty where the request or its risk does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// What is to be approved, as it is now: `approve_exactly` takes it.
    pub digest: Digest,
    /// Who is asked now; anybody but the source when nobody is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approver: Option<String>,
    /// Who may decide; anybody but the source when nobody is named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deciders: Vec<String>,
    /// When the next one is asked, or it expires.
    pub until: Timestamp,
    /// What did not fit but was let pass, such as an expression that failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl PendingApproval {
    fn of(handoff: Handoff, policy: &Policy) -> Option<Self> {
        let until = handoff.due()?;
        let asked = handoff.approval.as_ref();
        Some(Self {
            rule: asked.map(|approval| approval.rule.clone()).unwrap_or_default(),
            digest: approval_digest(&handoff, policy),
            approver: asked.and_then(|approval| approval.approver.clone()),
            deciders: deciders(&handoff, policy),
            until,
            warnings: handoff.warnings.clone(),
            handoff,
        })
    }

    fn may_be_decided_by(&self, who: &str) -> bool {
        let named = self.deciders.is_empty() || self.deciders.iter().any(|decider| decider == who);
        named && self.handoff.request.from_agent.as_str() != who
    }
}

impl Engine {
    /// Approves a handoff that waits for a person, as it was asked for.
    ///
    /// # Errors
    /// When it does not wait for approval, somebody else is asked, the approver asked for it, or its rule was changed.
    pub async fn approve(&self, id: HandoffId, by: &str, comment: &str) -> Result<Answer, HandoffError> {
        self.say_yes(id, by, comment, None, None).await
    }

    /// Approves a handoff that is still what was seen: `digest` is that of [`Engine::approvals`].
    ///
    /// # Errors
    /// As [`Engine::approve`], and when it was changed since.
    pub async fn approve_exactly(
        &self,
        id: HandoffId,
        by: &str,
        comment: &str,
        digest: Digest,
    ) -> Result<Answer, HandoffError> {
        self.say_yes(id, by, comment, Some(digest), None).await
    }

    /// Approves a handoff with a change, which is checked like a new request.
    ///
    /// # Errors
    /// As [`Engine::approve_exactly`], and when the change cannot be, or leads to a rule that asks somebody else.
    pub async fn approve_edited(
        &self,
        id: HandoffId,
        by: &str,
        comment: &str,
        digest: Option<Digest>,
        edit: Edit,
    ) -> Result<Answer, HandoffError> {
        self.say_yes(id, by, comment, digest, Some(edit)).await
    }

    async fn say_yes(
        &self,
        id: HandoffId,
        by: &str,
        comment: &str,
        digest: Option<Digest>,
        edit: Option<Edit>,
    ) -> Result<Answer, HandoffError> {
        let session = self.session_of(id).await?;
        let (by, comment) = (by.to_owned(), comment.to_owned());
        self.submit(&session, Command::Approve { handoff: id, by, comment, digest, edit }, None).await
    }

    /// Changes a handoff that waits for a person, without deciding it. What was seen before is void. The source may, and
    /// whoever may decide.
    ///
    /// # Errors
    /// When it does not wait for approval, is not theirs to change, or the change cannot be.
    pub async fn amend(&self, id: HandoffId, by: &str, edit: Edit) -> Result<Answer, HandoffError> {
        self.change(id, by, edit, None).await
    }

    /// Changes a handoff that is still what was seen: `digest` is that of [`Engine::approvals`].
    ///
    /// # Errors
    /// As [`Engine::amend`], and when it was changed since.
    pub async fn amend_exactly(
        &self,
        id: HandoffId,
        by: &str,
        edit: Edit,
        digest: Digest,
    ) -> Result<Answer, HandoffError> {
        self.change(id, by, edit, Some(digest)).await
    }

    async fn change(
        &self,
        id: HandoffId,
        by: &str,
        edit: Edit,
        digest: Option<Digest>,
    ) -> Result<Answer, HandoffError> {
        let session = self.session_of(id).await?;
        self.submit(&session, Command::Amend { handoff: id, by: by.to_owned(), edit, digest }, None).await
    }

    /// Denies a handoff that waits for a person. The source is told why.
    ///
    /// # Errors
    /// When it does not wait for approval, somebody else is asked, or the approver asked for it.
    pub async fn deny(&self, id: HandoffId, by: &str, comment: &str) -> Result<Answer, HandoffError> {
        self.say_no(id, by, comment, None).await
    }

    /// Denies a handoff that is still what was seen.
    ///
    /// # Errors
    /// As [`Engine::deny`], and when it was changed since.
    pub async fn deny_exactly(
        &self,
        id: HandoffId,
        by: &str,
        comment: &str,
        digest: Digest,
    ) -> Result<Answer, HandoffError> {
        self.say_no(id, by, comment, Some(digest)).await
    }

    async fn say_no(
        &self,
        id: HandoffId,
        by: &str,
        comment: &str,
        digest: Option<Digest>,
    ) -> Result<Answer, HandoffError> {
        let session = self.session_of(id).await?;
        let (by, comment) = (by.to_owned(), comment.to_owned());
        self.submit(&session, Command::Deny { handoff: id, by, comment, digest }, None).await
    }

    /// What waits for a person in this caller's tenant, the oldest first, at most a page. With a name: only what they
    /// may decide.
    ///
    /// # Errors
    /// When this caller is bound to certain agents and the name is none of them, or the store cannot be read.
    pub async fn approvals(&self, who: Option<&str>) -> Result<Vec<PendingApproval>, HandoffError> {
        self.may_ask_for(who)?;
        let query = HandoffQuery { status: Some(Status::AwaitingApproval), ..HandoffQuery::default() };
        self.picked_from(query, |page| self.pending(page, who)).await
    }

    /// The same, a short page at a time, after a number of a handoff; with the number after which the next one goes on.
    /// At most `PAGE_MAX` are looked at for one page.
    ///
    /// # Errors
    /// As [`Engine::approvals`].
    pub async fn approvals_page(
        &self,
        who: Option<&str>,
        after: u64,
        limit: usize,
    ) -> Result<(Vec<PendingApproval>, Option<u64>), HandoffError> {
        self.may_ask_for(who)?;
        let limit = limit.clamp(1, PAGE_MAX);
        let looked = if who.is_some() { PAGE_MAX } else { limit };
        let query =
            HandoffQuery { status: Some(Status::AwaitingApproval), after, limit: looked, ..HandoffQuery::default() };
        let (page, mut next) = self.handoffs_page(query).await?;
        let mut found = self.pending(page, who);
        if found.len() > limit {
            found.truncate(limit);
            next = match found.last() {
                Some(last) => Some(self.number_of(last.handoff.id).await?),
                None => None,
            };
        }
        Ok((found, next))
    }

    /// The rule of the policy that asks for an approval, so that people see why they are asked.
    #[must_use]
    pub fn approval_rule(&self, name: &str) -> Option<ApprovalRule> {
        self.inner.policy.read().rule(name).cloned()
    }

    /// The first of what a query finds and somebody picks, at most a page. Pages are read as long as that is not full.
    pub(crate) async fn picked_from<T>(
        &self,
        mut query: HandoffQuery,
        pick: impl Fn(Vec<Handoff>) -> Vec<T>,
    ) -> Result<Vec<T>, HandoffError> {
        query.limit = PAGE_MAX;
        let mut found = Vec::new();
        loop {
            let page = self.handoffs(query.clone()).await?;
            let last = page.last().map(|handoff| handoff.id).filter(|_| page.len() == PAGE_MAX);
            found.extend(pick(page));
            found.truncate(PAGE_MAX);
            let Some(last) = last.filter(|_| found.len() < PAGE_MAX) else { return Ok(found) };
            query.after = self.number_of(last).await?;
        }
    }

    fn pending(&self, page: Vec<Handoff>, who: Option<&str>) -> Vec<PendingApproval> {
        let policy = self.inner.policy.read();
        let all = page.into_iter().filter_map(|handoff| PendingApproval::of(handoff, &policy));
        all.filter(|one| who.is_none_or(|who| one.may_be_decided_by(who))).collect()
    }

    /// One handoff as the list of what waits has it; nothing where it waits for nobody.
    #[must_use]
    pub fn approval_asked(&self, handoff: &Handoff) -> Option<PendingApproval> {
        let waits = handoff.status() == Status::AwaitingApproval;
        self.pending(waits.then(|| handoff.clone()).into_iter().collect(), None).pop()
    }

    /// What is to be approved of a handoff, as it is now; nothing where it waits for nobody.
    #[must_use]
    pub fn approval_of(&self, handoff: &Handoff) -> Option<Digest> {
        (handoff.status() == Status::AwaitingApproval).then(|| approval_digest(handoff, &self.inner.policy.read()))
    }

    fn may_ask_for(&self, who: Option<&str>) -> Result<(), HandoffError> {
        let bound = self.caller.acts_as.as_ref().zip(who);
        if bound.is_none_or(|(agents, who)| agents.iter().any(|agent| agent.as_str() == who)) {
            return Ok(());
        }
        let message = format!("{} may not decide as {}", self.caller.name, who.unwrap_or_default());
        Err(Refusal::new(Code::NotYourAgent, message).at("who").into())
    }

    /// The number of a handoff in the house: the position of the record that initiated it.
    pub(crate) async fn number_of(&self, id: HandoffId) -> Result<u64, HandoffError> {
        let query = RecordQuery { handoff: Some(id), limit: 1, ..RecordQuery::default() };
        let first = self.inner.store.records(&query).await?;
        Ok(first.first().map_or(u64::MAX, |record| record.position))
    }
}
