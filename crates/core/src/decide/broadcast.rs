//! Broadcasts: one handoff per target under one group, and the contract that decides the group.

use super::{Draft, initiate::Target, validate::Checks};
use crate::{
    event::Event,
    handoff::{Aggregation, Request, ReturnStatus, Status},
    ids::{GroupId, HandoffId},
    limits,
    refusal::{Code, Refusal},
    session::{Group, MemberEnd},
};
use std::{collections::BTreeSet, sync::Arc};

impl Draft<'_> {
    pub(super) fn broadcast_targets(&self, request: &Request, checks: &mut Checks) -> Vec<Target> {
        let Some(broadcast) = request.broadcast.as_ref().filter(|b| !b.targets.is_empty()) else {
            checks.add(Refusal::new(Code::NoTargets, "a broadcast names its targets").at("broadcast.targets"));
            return Vec::new();
        };
        let count = broadcast.targets.len();
        checks.count("broadcast.targets", count, limits::BROADCAST_TARGETS_MAX, "BROADCAST_TARGETS_MAX");
        if let Aggregation::Quorum(k) = broadcast.aggregation
            && (k == 0 || k as usize > count)
        {
            let message = format!("{k} of {count} cannot be");
            checks.add(Refusal::new(Code::BadQuorum, message).at("broadcast.aggregation"));
        }
        let mut targets = Vec::new();
        for (i, send) in broadcast.targets.iter().enumerate() {
            let field = format!("broadcast.targets[{i}]");
            if send.to_agent == request.from_agent {
                checks.add(Refusal::new(Code::SelfHandoff, format!("{} is the source", send.to_agent)).at(&field));
            }
            if let Some(task) = &send.task {
                checks.optional_text(&format!("{field}.task.id"), &task.id);
                checks.optional_text(&format!("{field}.task.type"), &task.kind);
                checks.text(&format!("{field}.task.description"), &task.description);
                checks.payload(&format!("{field}.task.payload"), &task.payload);
            }
            let warnings = self.check_target(&field, &send.to_agent, request, checks);
            targets.push(Target::named(send.to_agent.clone(), warnings, None));
        }
        self.check_repeats(request, checks);
        targets
    }

    /// The same agent twice is fine with two tasks, and a slip with one.
    fn check_repeats(&self, request: &Request, checks: &mut Checks) {
        let mut seen = BTreeSet::new();
        for send in request.broadcast.iter().flat_map(|b| &b.targets) {
            let task = send.task.as_ref().unwrap_or(&request.task);
            if !seen.insert((&send.to_agent, &task.description)) {
                let message = format!("{} is named twice for the same task", send.to_agent);
                checks.add(Refusal::new(Code::NoTargets, message).at("broadcast.targets"));
            }
        }
    }

    pub(super) fn open_group(&mut self, request: &Arc<Request>, targets: Vec<Target>) -> Vec<HandoffId> {
        let group = GroupId(self.ids.next());
        let broadcast = request.broadcast.clone().unwrap_or_default();
        let mut members = Vec::new();
        for (target, send) in targets.into_iter().zip(broadcast.targets) {
            // Each member is a request of its own: it reads well alone, and carries no list of the others.
            let mut own = Request::clone(request);
            own.broadcast = None;
            own.to_agent = Some(target.to.clone());
            if let Some(task) = send.task {
                own.task = task;
            }
            members.push(self.begin(&Arc::new(own), target, Some(group), None));
        }
        self.emit(Event::GroupOpened {
            group,
            from_agent: request.from_agent.clone(),
            aggregation: broadcast.aggregation,
            expects_return: request.expects_return(),
            members: members.clone(),
        });
        if !request.expects_return() {
            // Nobody waits: the contract is fulfilled by having sent it.
            self.decide_group(group, ReturnStatus::Success, Vec::new());
        }
        self.made_group(group);
        members
    }

    /// After a member ended: is the group decided by now?
    pub(super) fn look_at_group(&mut self, group: GroupId) {
        let Some(entry) = self.session.groups.get(&group).filter(|entry| !entry.decided) else { return };
        if let Some((status, winners)) = verdict(entry) {
            self.decide_group(group, status, winners);
            let rest: Vec<HandoffId> = self
                .session
                .open
                .values()
                .filter(|handoff| handoff.broadcast_group_id == Some(group))
                .map(|handoff| handoff.id)
                .collect();
            for id in rest {
                self.close(id, Status::Cancelled, "the broadcast is decided");
            }
        }
    }

    fn decide_group(&mut self, group: GroupId, status: ReturnStatus, winners: Vec<HandoffId>) {
        let Some(entry) = self.session.groups.get(&group) else { return };
        let returned_to = entry.expects_return.then(|| entry.from_agent.clone());
        let members = entry.members.iter().map(|(id, _)| *id).collect();
        let source = returned_to.clone().filter(|_| status == ReturnStatus::Failed);
        self.emit(Event::GroupDecided { group, returned_to, status, winners, members });
        if let Some(source) = source {
            self.fall_back(source, None, "too few of those who were asked succeeded");
        }
    }
}

fn succeeded(end: &MemberEnd) -> bool {
    matches!(end.status, ReturnStatus::Success | ReturnStatus::Partial)
}

/// How a group is decided, as soon as it can be told.
fn verdict(group: &Group) -> Option<(ReturnStatus, Vec<HandoffId>)> {
    let total = group.members.len();
    let winners: Vec<HandoffId> =
        group.members.iter().filter(|(_, end)| end.as_ref().is_some_and(succeeded)).map(|(id, _)| *id).collect();
    let waiting = group.members.iter().filter(|(_, end)| end.is_none()).count();
    let needed = match group.aggregation {
        Aggregation::All => total,
        Aggregation::Any => 1,
        Aggregation::Majority => total / 2 + 1,
        Aggregation::Quorum(k) => k as usize,
        Aggregation::BestOf => {
            return (waiting == 0).then(|| best_of(group));
        }
    };
    if winners.len() >= needed {
        let partial = group
            .members
            .iter()
            .any(|(id, end)| winners.contains(id) && end.is_some_and(|end| end.status == ReturnStatus::Partial));
        let status = if partial { ReturnStatus::Partial } else { ReturnStatus::Success };
        return Some((status, winners));
    }
    (winners.len() + waiting < needed).then_some((ReturnStatus::Failed, winners))
}

/// The success with the highest score; without scores, the first in the order of the request.
fn best_of(group: &Group) -> (ReturnStatus, Vec<HandoffId>) {
    let mut best: Option<(f64, HandoffId, ReturnStatus)> = None;
    for (id, end) in &group.members {
        if let Some(end) = end.as_ref().filter(|end| succeeded(end)) {
            let score = end.score.unwrap_or(f64::NEG_INFINITY);
            if best.is_none_or(|(top, _, _)| score > top) {
                best = Some((score, *id, end.status));
            }
        }
    }
    best.map_or((ReturnStatus::Failed, Vec::new()), |(_, id, status)| (status, vec![id]))
}
