//! A change of a handoff that waits for approval. It is checked as a new request would be.

use super::{Draft, between, budget::Together, validate::Checks};
use crate::{
    budget::Share,
    digest::Digest,
    event::Event,
    guard::watch::Move,
    handoff::{Edit, Handoff, Request, Reservation},
    ids::AgentId,
    refusal::{Code, HandoffError, Refusal},
};

/// A change that passed every check.
pub(super) struct Changed {
    edit: Edit,
    request: Request,
    to: AgentId,
    content: Digest,
    /// What is set aside for it, where nothing was set aside before.
    reservation: Option<Reservation>,
    warnings: Vec<String>,
}

impl Draft<'_> {
    /// All checks of a change; nothing is emitted here.
    pub(super) fn check_edit(&mut self, handoff: &Handoff, edit: Edit) -> Result<Changed, HandoffError> {
        let mut checks = Checks::default();
        check_parts(&edit, &mut checks);
        let mut request = Request::clone(&handoff.request);
        edit.change(&mut request);
        let to = edit.to_agent.clone().unwrap_or_else(|| handoff.to_agent.clone());
        let new_task = request.task.description != handoff.request.task.description
            || request.task.payload != handoff.request.task.payload;
        let content = if new_task { self.content(&request, &request.task) } else { handoff.content };
        if request.task.payload != handoff.request.task.payload {
            self.check_rule_payload(&request, &mut checks);
        }
        let mut warnings = Vec::new();
        let mut reservation = None;
        if to != handoff.to_agent {
            warnings = self.check_new_target(&to, &request, &mut checks);
            reservation = self.check_share(handoff, &request, &to, &mut checks);
        }
        if to != handoff.to_agent || new_task {
            self.check_members("edit.to_agent", handoff, &request, &to, &mut checks);
            self.check_guards_without(handoff, &request, &to, content, &mut checks);
        }
        checks.done().map_err(|error| error.between(&request.from_agent, Some(&to)))?;
        let edit = edit.over(handoff.edit.as_ref());
        Ok(Changed { edit, request, to, content, reservation, warnings })
    }

    /// What the rule of a workflow hands over keeps its shape, whoever changes it.
    fn check_rule_payload(&self, request: &Request, checks: &mut Checks) {
        let Some(name) = &request.rule else { return };
        let rule = self.workflow().and_then(|workflow| workflow.rules.iter().find(|rule| rule.id == *name));
        for wrong in rule.map(|rule| rule.payload.faults(&request.task.payload)).unwrap_or_default() {
            let message = format!("rule {name}: {}", wrong.message);
            checks.add(Refusal::new(Code::PayloadWrong, message).at(format!("edit.payload.{}", wrong.field)));
        }
    }

    fn check_new_target(&self, to: &AgentId, request: &Request, checks: &mut Checks) -> Vec<String> {
        if *to == request.from_agent {
            checks.add(Refusal::new(Code::SelfHandoff, format!("{to} is the source")).at("edit.to_agent"));
        }
        self.check_target("edit.to_agent", to, request, checks)
    }

    /// The budget of the new target: for what is set aside already, or for a share of its own.
    fn check_share(
        &self,
        handoff: &Handoff,
        request: &Request,
        to: &AgentId,
        checks: &mut Checks,
    ) -> Option<Reservation> {
        let Some(held) = &handoff.reservation else {
            let parent = handoff.parent_id.and_then(|id| self.session.open.get(&id));
            let fresh = self.set_aside(request, to, parent.map(AsRef::as_ref), &Together::alone());
            return fresh.unwrap_or_else(|refusal| {
                checks.add(refusal.at("edit.to_agent"));
                None
            });
        };
        let rest = self.agent_limit(to).map(|(account, limit)| self.world.ledger.rest(&account, &limit));
        let lack = rest.as_ref().and_then(|rest: &Share| rest.lacks(&held.share.amount()));
        if let Some(lack) = lack {
            let message = format!("the budget of {to} does not allow it: it {}", lack.words());
            checks.add(Refusal::new(Code::BudgetSpent, message).at("edit.to_agent"));
        }
        None
    }

    /// In a broadcast, nobody is asked for the same twice.
    pub(super) fn check_members(
        &self,
        field: &str,
        handoff: &Handoff,
        request: &Request,
        to: &AgentId,
        checks: &mut Checks,
    ) {
        let Some(group) = handoff.broadcast_group_id else { return };
        let twice = self.session.open.values().any(|other| {
            other.broadcast_group_id == Some(group)
                && other.id != handoff.id
                && other.to_agent == *to
                && other.request.task.description == request.task.description
        });
        if twice {
            let message = format!("{to} is asked for the same in this broadcast already");
            checks.add(Refusal::new(Code::NoTargets, message).at(field));
        }
    }

    /// The guards, as if this handoff had not been: it must not count as a repetition of itself.
    fn check_guards_without(
        &mut self,
        handoff: &Handoff,
        request: &Request,
        to: &AgentId,
        content: Digest,
        checks: &mut Checks,
    ) {
        let from = request.from_agent.clone();
        let own = Move { from, to: handoff.to_agent.clone(), digest: handoff.content };
        let rest = self.session.watch.without(&own);
        let watch = std::mem::replace(&mut self.session.watch, rest);
        self.check_changed(request, to, content, "edit.to_agent", checks);
        self.session.watch = watch;
    }

    /// Makes the change.
    pub(super) fn change(&mut self, handoff: &Handoff, by: &str, changed: Changed) {
        let Changed { edit, request, to, content, reservation: fresh, warnings } = changed;
        let moved = to != handoff.to_agent;
        let mut reservation = handoff.reservation.clone();
        let (mut probe, mut authority) = (handoff.probe, handoff.authority);
        if moved {
            self.end_probe(handoff);
            reservation = match fresh {
                Some(fresh) => {
                    self.post_reservation(&fresh, &to);
                    Some(fresh)
                }
                None => self.move_share(handoff, &to),
            };
            probe = false;
            authority = self.handed_authority(&request, &to);
        }
        self.answer.warnings.extend(warnings.iter().cloned());
        let (by, edit, reservation) = (by.to_owned(), Box::new(edit), reservation.map(Box::new));
        self.emit(Event::Amended { id: handoff.id, by, edit, to, content, authority, reservation, probe, warnings });
    }

    /// A refusal of a change that changes nothing.
    pub(super) fn check_not_empty(&self, handoff: &Handoff, edit: &Edit) -> Result<(), HandoffError> {
        if !edit.is_empty() {
            return Ok(());
        }
        let refusal = Refusal::new(Code::EmptyField, "it changes nothing").at("edit");
        Err(between(refusal.hint("give to_agent, description, payload or priority"), handoff))
    }
}

fn check_parts(edit: &Edit, checks: &mut Checks) {
    if let Some(description) = &edit.description {
        checks.text("edit.description", description);
    }
    if let Some(payload) = &edit.payload {
        checks.payload("edit.payload", payload);
    }
}
