//! Routing without consequences: dry runs, recommendations, suggestions, and how experiments stand.

use crate::{engine::Engine, picker::Asked};
use handover_core::{
    access::Right,
    decide::{self, Heard},
    event::Routed,
    handoff::{Request, Status},
    ids::SessionId,
    limits::VIEW_WINDOW,
    message::Role,
    refusal::{Code, HandoffError, Refusal},
    route::{self, ExperimentReport, Recommendation, Suggestion},
    session::Session,
};
use handover_store::HandoffQuery;

impl Engine {
    /// How a request would be routed now: who would get it, among whom, and why. Nothing is written or set aside. For a
    /// request that names its target: whether that one could take it, and who else. Where `llm` decides, the model is
    /// asked, and what it used is charged to the session.
    ///
    /// # Errors
    /// When the request itself would be refused, or there is no such session for this caller.
    pub async fn route(&self, session: &SessionId, request: &Request) -> Result<Routed, HandoffError> {
        let found = self.visible(session).await?;
        // A model costs money: whoever only looks has none asked.
        let asks = self.caller.may(Right::Act).is_ok();
        let asked = if asks { self.picked_for(session, request).await? } else { None };
        let Some(Asked { answer, bill }) = asked else {
            return self.with_world(&self.caller, None, |world| decide::dry_run(&found, request, world));
        };
        bill.pay().await;
        self.with_world(&self.caller, Some(&answer), |world| decide::dry_run(&found, request, world))
    }

    /// Who would be good for a task of this session, at most so many, each with its reasons in plain words.
    ///
    /// # Errors
    /// When the text cannot be, or there is no such session for this caller.
    pub async fn recommend(
        &self,
        session: &SessionId,
        task: &str,
        limit: usize,
    ) -> Result<Vec<Recommendation>, HandoffError> {
        let found = self.visible(session).await?;
        self.with_world(&self.caller, None, |world| decide::recommend(&found, task, limit, world))
    }

    /// Whether a handoff seems due in this session, why, and to whom. Empty when all is well.
    ///
    /// # Errors
    /// When there is no such session for this caller.
    pub async fn suggestions(&self, session: &SessionId) -> Result<Vec<Suggestion>, HandoffError> {
        let found = self.visible(session).await?;
        let user = self.last_of_user(&found).await?;
        let failed = self.failures_in(&found).await?;
        let heard = Heard { user: user.as_deref(), failed };
        self.with_world(&self.caller, None, |world| decide::suggestions(&found, heard, world))
    }

    /// How the arms of an experiment do, and whether they differ or only scatter.
    ///
    /// # Errors
    /// When the policy has no experiment of this name, and nothing was recorded for one; when this caller is not of the
    /// house.
    pub fn experiment(&self, name: &str) -> Result<ExperimentReport, HandoffError> {
        let policy = self.inner.policy.read();
        // What it counts is of all tenants together.
        let house = self.caller.house;
        let found = policy.experiments.iter().find(|experiment| experiment.name == name);
        let report = route::report(name, found, &self.inner.ledger.read()).filter(|_| house);
        let names = || policy.experiments.iter().map(|experiment| experiment.name.as_str()).collect::<Vec<_>>();
        report.ok_or_else(|| {
            let refusal =
                Refusal::new(Code::UnknownExperiment, format!("there is no experiment \"{name}\"")).at("name");
            let names = if house { names() } else { Vec::new() };
            if names.is_empty() {
                refusal.into()
            } else {
                refusal.hint(format!("there is: {}", names.join(", "))).into()
            }
        })
    }

    /// The last words of the user, as far back as a view looks.
    async fn last_of_user(&self, session: &Session) -> Result<Option<String>, HandoffError> {
        let last = session.mark.messages;
        if last == 0 {
            return Ok(None);
        }
        let first = last.saturating_sub(VIEW_WINDOW as u64) + 1;
        let messages = self.inner.store.messages(&session.id, first, last).await?;
        let said = messages.into_iter().rev().find(|message| message.said.role == Role::User);
        Ok(said.map(|message| message.said.content))
    }

    /// Handoffs of this session that its active agent failed at, as far as two are told from one.
    async fn failures_in(&self, session: &Session) -> Result<u32, HandoffError> {
        let mut failed = 0;
        for status in [Status::Failed, Status::TimedOut] {
            let query = HandoffQuery {
                session: Some(session.id.clone()),
                to: Some(session.active_agent.clone()),
                status: Some(status),
                limit: 8,
                ..HandoffQuery::default()
            };
            let found = self.inner.store.handoffs(&query).await?;
            failed += found.iter().filter(|handoff| handoff.accepted_at.is_some()).count();
        }
        Ok(u32::try_from(failed).unwrap_or(u32::MAX))
    }
}
