//! The command object: where the work goes after an agent's turn.

use super::{Draft, Verdict, returning::not_owner, validate::Checks};
use crate::{
    budget::Amount,
    command::{Goto, Turn},
    event::Event,
    handoff::{Broadcast, Handoff, Kind, Metrics, Request},
    ids::AgentId,
    ledger::Account,
    refusal::{Code, Refusal},
};

impl Draft<'_> {
    /// The turn of an agent that works on no handoff: the first owner of the session.
    pub(super) fn turn(&mut self, by: &AgentId, turn: Turn) -> Verdict {
        self.not_ended()?;
        self.speak_for(by)?;
        if self.session.active_agent != *by {
            return Err(not_owner(by, None));
        }
        let mut checks = Checks::default();
        self.check_update(by, &turn.update, &mut checks);
        checks.done()?;
        self.update(by, &turn.update)?;
        let held = self.session.held_by(by).cloned();
        let used = self.used(by, None, &turn.update, "");
        if used != Metrics::default() {
            self.charge_turn(by, &used);
            self.emit(Event::Used { by: by.clone(), metrics: used });
        }
        if turn.goto == Goto::End {
            // Whoever ends the workflow has done its part; what it holds is complete, not cancelled.
            self.complete_part(by);
        }
        self.go_on(by, turn.goto, held.as_deref())
    }

    /// Goes where the turn says. `after` is the handoff that the agent worked on.
    pub(super) fn go_on(&mut self, by: &AgentId, goto: Goto, after: Option<&Handoff>) -> Verdict {
        match goto {
            Goto::End => self.end(by, format!("{by} ended the workflow")),
            Goto::One { to_agent, task, reason } => {
                let mut request = self.follow_up(Kind::Sequential, by, after, task);
                request.to_agent = Some(to_agent.clone());
                request.completes_segment = true;
                request.reason = if reason.is_empty() { format!("{by} hands over to {to_agent}") } else { reason };
                self.hand_over(request)
            }
            // Whoever ends a turn speaks for itself, however it is submitted.
            Goto::Request(request) if request.from_agent != *by => {
                let message =
                    format!("the turn is {by}'s, and the request says that it comes from {}", request.from_agent);
                Err(Refusal::new(Code::NotYourAgent, message).at("goto.request.from_agent").into())
            }
            Goto::Request(request) => self.hand_over(*request),
            Goto::Many { sends, aggregation, timeout_ms } => {
                let mut request = self.follow_up(Kind::Broadcast, by, after, String::new());
                request.return_protocol.timeout_ms = Some(timeout_ms);
                request.reason = format!("{by} asks {} agents at once", sends.len());
                request.broadcast = Some(Broadcast { targets: sends, aggregation });
                self.hand_over(request)
            }
        }
    }

    /// What a turn used is the agent's and the tenant's, like all work.
    fn charge_turn(&mut self, by: &AgentId, used: &Metrics) {
        let used = Amount::used(used, 0);
        let (agent, tenant) = (self.agent_limit(by), self.tenant_limit());
        self.charge(Account::of_agent(by), agent.map(|(account, _)| account), used);
        let total = Account::of_tenant(&self.session.tenant);
        self.charge(total, tenant.map(|(account, _)| account), used);
    }

    /// A request that goes on with what the agent worked on.
    fn follow_up(&self, kind: Kind, by: &AgentId, after: Option<&Handoff>, task: String) -> Request {
        let before = after.map(|handoff| &handoff.request);
        let original = before.map_or_else(|| self.session.original_request.clone(), |r| r.original_request.clone());
        let description = [task, before.map(|r| r.task.description.clone()).unwrap_or_default(), original.clone()]
            .into_iter()
            .find(|text| !text.trim().is_empty())
            .unwrap_or_else(|| "go on".to_owned());
        let mut request = Request::new(kind, by.clone(), description.clone());
        if let Some(before) = before {
            request.user_intent.clone_from(&before.user_intent);
            request.task.priority = before.task.priority;
            request.trace_id.clone_from(&before.trace_id);
            request.audit.risk_level = before.audit.risk_level;
        }
        request.original_request = if original.trim().is_empty() { description } else { original };
        request
    }
}
