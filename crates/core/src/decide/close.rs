//! How a handoff ends. Whatever ends it, whoever waits for it is told, exactly once.

use super::{Draft, Verdict, between, validate::Checks};
use crate::{
    access::Right,
    agent::AgentKind,
    event::Event,
    handoff::{Handoff, Kind, Return, ReturnStatus, Status},
    ids::{AgentId, HandoffId},
    refusal::{Code, Refusal},
    time::Timestamp,
};
use std::sync::Arc;

impl Draft<'_> {
    /// Takes a handoff back. The source may, whoever owns the session, and a person who runs the work.
    pub(super) fn cancel(&mut self, id: HandoffId, by: &str, reason: &str) -> Verdict {
        let handoff = self.handoff(id)?;
        self.speak_as(by)?;
        let mut checks = Checks::default();
        checks.text("by", by);
        checks.text("reason", reason);
        checks.done()?;
        let theirs =
            [Some(&handoff.request.from_agent), Some(&self.session.active_agent), self.world.policy.human.as_ref()];
        if !theirs.into_iter().flatten().any(|who| who.as_str() == by) && !self.operates(by) {
            let message = format!("{by} is neither the source nor the owner of the session");
            return Err(between(Refusal::new(Code::NotYours, message), &handoff));
        }
        self.close(id, Status::Cancelled, reason);
        Ok(())
    }

    /// Whether this is a person who runs the work. An agent does not, whoever speaks for it.
    fn operates(&self, name: &str) -> bool {
        let agent = AgentId::new(name).ok().and_then(|id| self.agent(&id));
        let person = agent.is_none_or(|known| known.profile.kind == AgentKind::Human);
        person && self.world.caller.role.may(Right::Operate)
    }

    /// Ends a handoff that did not come to a result of its own.
    pub(super) fn close(&mut self, id: HandoffId, status: Status, notes: &str) {
        let Some(handoff) = self.session.open.get(&id).cloned() else { return };
        let outcome = if status == Status::TimedOut { ReturnStatus::Timeout } else { ReturnStatus::Failed };
        let result = self.result_of(&handoff, outcome, notes.to_owned());
        self.end_with(&handoff, status, result, handoff.attempt_end(self.now));
        self.step_came_to_nothing(&handoff, status, notes);
    }

    /// Ends a handoff with a result, tells the source, winds up what depends on it. What was worked counts until its end.
    pub(super) fn end_with(&mut self, handoff: &Handoff, status: Status, result: Return, ended: Timestamp) {
        // Work that was given away for good and came to nothing is the source's again: it is told, too.
        // Of a step of a workflow the rules say where it goes.
        let step = self.session.is_step(handoff.id);
        let gave_away = handoff.request.kind == Kind::Sequential && status != Status::Completed && !step;
        let waits = handoff.request.expects_return() || handoff.returns_for != handoff.id || gave_away;
        // A member of a broadcast answers to its group; the group answers to the source.
        let returned_to = (waits && handoff.broadcast_group_id.is_none()).then(|| handoff.request.from_agent.clone());
        let why = result.notes.clone();
        self.emit_closed(handoff, status, result, ended, returned_to.clone(), None);
        if matches!(status, Status::Failed | Status::TimedOut) && returned_to.is_some() {
            self.fall_back_after(handoff, &why);
        }
        if status != Status::Completed {
            self.cancel_children(handoff, "the work that asked for it is over");
        }
        if let Some(group) = handoff.broadcast_group_id {
            self.look_at_group(group);
        }
    }

    pub(super) fn emit_closed(
        &mut self,
        handoff: &Handoff,
        status: Status,
        result: Return,
        ended: Timestamp,
        returned_to: Option<AgentId>,
        successor: Option<HandoffId>,
    ) {
        let id = handoff.id;
        let held = |locks: &Vec<crate::session::Lock>| locks.iter().any(|lock| lock.handoff_id == Some(id));
        let released =
            self.session.locks.iter().filter(|(_, locks)| held(locks)).map(|(path, _)| path.clone()).collect();
        let why = result.notes.clone();
        let used = Some(self.settle(handoff, status, &result, ended));
        self.emit(Event::Closed { id, status, result: Arc::new(result), returned_to, successor, released, used });
        let step = self.session.is_step(id);
        let came_to_nothing = matches!(status, Status::Failed | Status::TimedOut);
        if let Some(human) =
            self.world.policy.human.clone().filter(|human| came_to_nothing && !step && *human != handoff.to_agent)
        {
            self.emit(Event::HumanAsked { id, human, why });
        }
    }

    /// Nobody waits any more for what the source of these asked for.
    pub(super) fn cancel_children(&mut self, parent: &Handoff, why: &str) {
        let children: Vec<HandoffId> = self
            .session
            .open
            .values()
            .filter(|child| child.parent_id == Some(parent.id) && child.id != parent.id)
            .filter(|child| matches!(child.request.kind, Kind::Delegation | Kind::Broadcast))
            .map(|child| child.id)
            .collect();
        for child in children {
            self.close(child, Status::Cancelled, why);
        }
    }
}
