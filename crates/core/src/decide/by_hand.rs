//! By hand: a person who runs the work gives it to somebody else, or has it tried once more. Who and why is on the record.

use super::{Draft, Verdict, between, flow::Way, not_approved, validate::Checks};
use crate::{
    access::Right,
    agent::Risk,
    event::{ByHand, Event, RerouteReason, StateChange},
    handoff::{Broadcast, Handoff, Kind, Phase, Request, Send, Status, Validation},
    ids::{AgentId, HandoffId},
    refusal::{Code, HandoffError, Refusal},
};

/// Work that is tried once more.
pub(super) struct Again {
    /// Who decided so, and why.
    pub(super) hand: ByHand,
    /// The agents of its chain, from the first to the one that had it.
    path: Vec<AgentId>,
}

impl Again {
    /// The same chain, with this agent at its end.
    pub(super) fn path_to(&self, to: &AgentId) -> Vec<AgentId> {
        let mut path = self.path.clone();
        if let Some(last) = path.last_mut() {
            *last = to.clone();
        }
        path
    }
}

impl Draft<'_> {
    /// Takes an open handoff from whoever has it and offers it to somebody. It stays the same handoff.
    pub(super) fn redirect(&mut self, id: HandoffId, hand: ByHand, to: &AgentId) -> Verdict {
        self.check_hand(&hand)?;
        let handoff = self.handoff(id)?;
        if matches!(handoff.phase, Phase::AwaitingApproval { .. }) {
            let hint = "change its target with `amend`, approve it with a change, or deny it";
            return Err(between(not_approved(id).hint(hint), &handoff));
        }
        // Whether the new target is well is asked as if this one tried nothing.
        self.end_probe(&handoff);
        let warnings = self.check_receiver(&handoff, to)?;
        self.answer.warnings.extend(warnings);
        self.take_from_holder(&handoff, to);
        self.give_by_hand(id, hand, to)
    }

    /// Tries an open handoff once more, with whoever has it.
    pub(super) fn retry_open(&mut self, id: HandoffId, hand: ByHand) -> Verdict {
        let handoff = self.handoff(id)?;
        if matches!(handoff.phase, Phase::Offered { .. }) {
            self.check_hand(&hand)?;
            let message = format!("handoff {id} is on offer to {} already", handoff.to_agent);
            let hint = "redirect it to give it to somebody else";
            return Err(between(Refusal::new(Code::NotRunning, message).hint(hint), &handoff));
        }
        self.redirect(id, hand, &handoff.to_agent)
    }

    /// Begins the work of a handoff that came to nothing once more, as a new one.
    pub(super) fn retry_closed(&mut self, over: &Handoff, hand: ByHand) -> Verdict {
        self.check_hand(&hand)?;
        let stuck = self.session.flow.as_ref().and_then(|flow| flow.stuck.as_ref());
        if stuck.is_some_and(|stuck| stuck.step == over.id) {
            return self.go_on_from(over, hand);
        }
        self.check_came_to_nothing(over)?;
        let mut request = self.same_again(over);
        self.check_way(&mut request)?;
        let starts = self.starts_flow(&request);
        let made = self.initiate_again(request, over, hand)?;
        self.note_start(starts, &made);
        Ok(())
    }

    /// A workflow that stopped goes on: the step at which it could not is made again, and the rules lead on from there.
    fn go_on_from(&mut self, over: &Handoff, hand: ByHand) -> Verdict {
        if self.workflow().is_none() {
            return Err(self.unknown_workflow());
        }
        let request = self.same_again(over);
        self.emit(Event::SessionReopened(hand.clone()));
        // A person bounds how often this way is gone.
        self.way = Some(Way::new(true, 0));
        let begun = self.initiate_again(request, over, hand);
        self.way = None;
        let step = begun?.first().copied();
        let (state, agent) = (self.state(), self.session.flow.as_ref().and_then(|flow| flow.agent.clone()));
        let change = StateChange { from: state.clone(), to: state, agent, step, ..StateChange::default() };
        self.emit(Event::StateChanged(Box::new(change)));
        Ok(())
    }

    fn initiate_again(
        &mut self,
        request: Request,
        over: &Handoff,
        hand: ByHand,
    ) -> Result<Vec<HandoffId>, HandoffError> {
        self.again = Some(Again { hand, path: over.path.clone() });
        let made = self.initiate(request);
        self.again = None;
        made
    }

    /// Whether somebody may step in: whoever runs the work, under their own name, with a reason.
    fn check_hand(&self, hand: &ByHand) -> Verdict {
        self.world.caller.may(Right::Operate)?;
        let mut checks = Checks::default();
        checks.text("by", &hand.by);
        checks.text("reason", &hand.reason);
        checks.done()?;
        self.speak_as(&hand.by)
    }

    /// Whether somebody can be given a handoff by hand. Nobody is kept out for having had it before.
    fn check_receiver(&self, handoff: &Handoff, to: &AgentId) -> Result<Vec<String>, HandoffError> {
        let mut checks = Checks::default();
        let mut request = Request::clone(&handoff.request);
        // The person of the house takes whatever is left.
        if self.world.policy.human.as_ref() == Some(to) {
            request.validation = Validation::default();
            request.audit.risk_level = Risk::Low;
        }
        if *to == request.from_agent {
            checks.add(Refusal::new(Code::SelfHandoff, format!("{to} is the source")).at("to_agent"));
        }
        let warnings = self.check_target("to_agent", to, &request, &mut checks);
        if *to != handoff.to_agent {
            self.check_members("to_agent", handoff, &request, to, &mut checks);
            self.check_given("to_agent", &request, to, &mut checks);
            if !self.can_afford(handoff, to) {
                let message = format!("the budget of {to} does not allow it");
                checks.add(Refusal::new(Code::BudgetSpent, message).at("to_agent"));
            }
        }
        checks.done().map_err(|error| error.between(&handoff.request.from_agent, Some(to)))?;
        Ok(warnings)
    }

    /// Whoever works on it loses the lease. What it asked others for is its own matter, which nobody else goes on with.
    fn take_from_holder(&mut self, handoff: &Handoff, to: &AgentId) {
        let Phase::Running { lease, .. } = handoff.phase else { return };
        if handoff.to_agent != *to {
            self.cancel_children(handoff, "the work that asked for it was given to somebody else");
        }
        let Some(handoff) = self.session.open.get(&handoff.id).cloned() else { return };
        let until = handoff.at_most(self.window(&handoff.to_agent, handoff.climb.as_ref()));
        let used = Some(self.settle_attempt(&handoff));
        self.emit(Event::LeaseLost { id: handoff.id, lease, until, used });
    }

    /// Offers it, or asks for the approval of another target first.
    fn give_by_hand(&mut self, id: HandoffId, hand: ByHand, to: &AgentId) -> Verdict {
        let handoff = self.handoff(id)?;
        let until = handoff.at_most(self.window(to, handoff.climb.as_ref()));
        let (from, to) = (handoff.to_agent.clone(), to.clone());
        let mut reservation = handoff.reservation.clone();
        let (mut approval, mut troubles) = (None, Vec::new());
        if from != to {
            reservation = self.move_share(&handoff, &to);
            (approval, troubles) = self.approval_of_move(&handoff, &to, reservation.as_ref());
        }
        let probe = approval.is_none() && self.probes(&to, id);
        let (why, by_hand) = (RerouteReason::ByHand, Some(Box::new(hand)));
        let reservation = reservation.map(Box::new);
        let (to_human, routing) = (false, None);
        self.emit(Event::Rerouted { id, from, to, why, to_human, reservation, probe, routing, by_hand, until });
        if let Some(approval) = approval {
            self.ask(&handoff, approval, troubles);
        }
        Ok(())
    }

    /// Whether a closed handoff is one that can be tried once more.
    fn check_came_to_nothing(&self, over: &Handoff) -> Verdict {
        let (id, status) = (over.id, over.status());
        let hint = match status {
            Status::Failed | Status::TimedOut | Status::Cancelled => "",
            Status::Escalated => "it went on further up: retry the handoff that it became",
            Status::Completed => "what is done is not tried again: hand over anew",
            Status::AwaitingApproval | Status::Offered | Status::Deferred | Status::Running => "it is not over",
        };
        if !hint.is_empty() {
            let refusal = Refusal::new(Code::Closed, format!("handoff {id} is {} already", status.word()));
            return Err(between(refusal.hint(hint), over));
        }
        if let Some(at) = self.session.ended_at {
            let refusal = Refusal::new(Code::SessionEnded, format!("the session ended at {at}"));
            let hint = "open a new session; one whose workflow could not go on is taken up by a retry of its last step";
            return Err(between(refusal.hint(hint), over));
        }
        let going_on = self.session.open.values().find(|open| open.request.retry_of == Some(id));
        if let Some(open) = going_on {
            let message = format!("handoff {id} is tried once more already, as {}", open.id);
            let refusal = Refusal::new(Code::Repetition, message).hint("wait for that one, redirect it, or cancel it");
            return Err(between(refusal, over));
        }
        Ok(())
    }

    /// The same request. What it set in the session stands there already.
    fn same_again(&mut self, over: &Handoff) -> Request {
        let mut request = Request::clone(&over.request);
        request.retry_of = Some(over.id);
        request.idempotency_key = None;
        request.context.variables.clear();
        // What it was a part of may be over, or somebody else's by now.
        let others = |id: &HandoffId| {
            let open = self.session.open.get(id);
            open.is_some_and(|open| open.lease().is_none() || open.to_agent != request.from_agent)
        };
        request.parent_id = request.parent_id.filter(|id| !others(id));
        if let Some(deadline) = request.context.constraints.deadline.filter(|deadline| *deadline <= self.now) {
            request.context.constraints.deadline = None;
            self.answer.warnings.push(format!("its deadline was {deadline} and is left out"));
        }
        if request.kind == Kind::Broadcast {
            // One member alone is a broadcast of one.
            let targets = request.to_agent.take().map(|to_agent| Send { to_agent, task: None }).into_iter().collect();
            request.broadcast = Some(Broadcast { targets, ..Broadcast::default() });
        }
        request
    }
}
