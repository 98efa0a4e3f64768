//! How a handoff, a part and a broadcast end.

use super::Touched;
use crate::{
    budget::{self, Amount},
    event::StateChange,
    handoff::{Handoff, Kind, Metrics, Phase, ReturnStatus, Status},
    ids::HandoffId,
    session::{Group, MemberEnd, Session},
    time::Timestamp,
    workflow::Stuck,
};
use std::sync::Arc;

impl Session {
    pub(super) fn close(
        &mut self,
        id: HandoffId,
        status: Status,
        result: &Arc<crate::handoff::Return>,
        used: Option<Amount>,
        at: Timestamp,
        touched: &mut Touched,
    ) {
        let Some(mut handoff) = self.open.remove(&id) else { return };
        let closed = Arc::make_mut(&mut handoff);
        // Records of earlier versions do not say it: they charged until the end, less what was over below.
        let used = used.unwrap_or_else(|| Amount::used(&result.metrics, closed.worked(at, closed.spent_below.ms)));
        closed.phase = Phase::Closed { status };
        closed.closed_at = Some(at);
        closed.metrics = result.metrics;
        closed.result = Some(result.clone());
        if let Some(over) = closed.overspent(used) {
            closed.warnings.push(over);
        }
        self.add_metrics(&result.metrics);
        self.charge_above(&handoff, used, touched);
        self.leave_shares(&handoff, touched);
        if matches!(result.status, ReturnStatus::Success | ReturnStatus::Partial)
            && status == Status::Completed
            && handoff.request.kind != Kind::Sequential
        {
            self.watch.news += 1;
        }
        self.give_ownership_back(&handoff, status);
        self.release_locks_of(id, touched);
        if let Some(group) = handoff.broadcast_group_id {
            self.end_member(group, id, result.status, result.result.score);
        }
        touched.handoffs.insert(id, handoff);
    }

    /// An attempt ended without a return. What it used counts above at once, as if the handoff had ended; what is set
    /// aside stays for the next attempt, which is shown something of its own.
    pub(super) fn end_attempt(&mut self, id: HandoffId, used: Option<Amount>, touched: &mut Touched) {
        // Records of earlier versions say nothing of it: nothing was charged then.
        let Some(used) = used else { return };
        self.change(id, touched, |handoff| {
            let earlier = handoff.earlier.get_or_insert_default();
            earlier.used = earlier.used.plus(used);
            handoff.manifest = None;
        });
        self.add_metrics(&Metrics { tokens: used.tokens, cost: budget::units(used.micros), ..Metrics::default() });
        if let Some(handoff) = self.open.get(&id).cloned() {
            self.charge_above(&handoff, used, touched);
        }
    }

    /// What was used below counts for everybody above who set it aside.
    pub(super) fn charge_above(&mut self, closed: &Handoff, used: Amount, touched: &mut Touched) {
        let mut above = closed.within();
        for _ in 0..crate::limits::PATH_MAX {
            let Some(parent) = above.and_then(|id| self.open.get(&id)).cloned() else { return };
            self.change(parent.id, touched, |handoff| handoff.spent_below = handoff.spent_below.plus(used));
            above = parent.within();
        }
    }

    /// What goes on below a handoff that is over keeps what was set aside for it: in the share above, or on its own.
    pub(super) fn leave_shares(&mut self, closed: &Handoff, touched: &mut Touched) {
        let Some(held) = &closed.reservation else { return };
        let below: Vec<HandoffId> =
            self.open.values().filter(|open| open.within() == Some(closed.id)).map(|open| open.id).collect();
        for id in below {
            self.change(id, touched, |handoff| {
                if let Some(own) = &mut handoff.reservation {
                    own.within = held.within;
                    own.tenant.clone_from(&held.tenant);
                }
            });
        }
    }

    pub(super) fn change_state(&mut self, change: &StateChange, at: Timestamp) {
        let Some(flow) = &mut self.flow else { return };
        if flow.state != change.to || change.step.is_some() {
            flow.enter(&change.to, at);
        }
        let (state, agent) = (change.from.clone(), flow.agent.take());
        flow.stuck = change.stuck_at.map(|step| Stuck { state, agent, step });
        flow.agent.clone_from(&change.agent);
        flow.step = change.step;
        flow.ended = change.ended;
        flow.trouble.clone_from(&change.trouble);
        if let Some(rule) = change.rule.as_ref().filter(|_| change.counted) {
            *flow.tries.entry(rule.clone()).or_default() += 1;
            // Another try is news: it may be had only so often, and it may do better.
            self.watch.news += 1;
        }
    }

    pub(super) fn add_metrics(&mut self, used: &Metrics) {
        // A sum that no longer fits stays at the top: it must be readable again, whatever an agent reports.
        self.metrics.tokens = self.metrics.tokens.saturating_add(used.tokens);
        self.metrics.cost = (self.metrics.cost + used.cost).min(f64::MAX);
        self.metrics.iterations = self.metrics.iterations.saturating_add(used.iterations);
    }

    /// What a handoff gave goes back when it ends, also when its taker lost the lease meanwhile.
    pub(super) fn give_ownership_back(&mut self, handoff: &Handoff, status: Status) {
        match handoff.request.kind {
            Kind::Sequential => self.end_of_part(handoff, status),
            Kind::Escalation if handoff.accepted_at.is_some() && self.active_agent == handoff.to_agent => {
                if let Some(owner) = self.lent_by.take() {
                    self.active_agent = owner;
                }
            }
            Kind::Escalation | Kind::Delegation | Kind::Broadcast => {}
        }
    }

    pub(super) fn end_of_part(&mut self, handoff: &Handoff, status: Status) {
        let trail = self.trail.as_ref().filter(|trail| trail.handoff_id == handoff.id);
        let Some(taker) = trail.and_then(|trail| trail.path.last()) else { return };
        if self.lasting_owner() != taker {
            return;
        }
        self.segment_complete = true;
        // Work that failed after it was taken is the source's again. Of a step of a workflow the rules say whose it is.
        if status != Status::Completed && !self.is_step(handoff.id) {
            let source = handoff.request.from_agent.clone();
            match &mut self.lent_by {
                Some(owner) => *owner = source,
                None => self.active_agent = source,
            }
        }
    }

    pub(super) fn end_member(
        &mut self,
        group: crate::ids::GroupId,
        id: HandoffId,
        status: ReturnStatus,
        score: Option<f64>,
    ) {
        if let Some(entry) = self.groups.get_mut(&group) {
            for (member, end) in &mut entry.members {
                if *member == id {
                    *end = Some(MemberEnd { status, score });
                }
            }
        }
        self.forget_finished(group);
    }

    pub(super) fn decide_group(&mut self, group: crate::ids::GroupId) {
        if let Some(entry) = self.groups.get_mut(&group) {
            entry.decided = true;
        }
        self.forget_finished(group);
    }

    pub(super) fn forget_finished(&mut self, group: crate::ids::GroupId) {
        let over = |g: &Group| g.decided && g.members.iter().all(|(_, end)| end.is_some());
        if self.groups.get(&group).is_some_and(over) {
            self.groups.remove(&group);
        }
    }
}
