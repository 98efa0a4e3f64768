//! The guards of a session: how far it may go, and whether it goes in circles. Last of all checks.

use super::{Draft, World, initiate::Target, validate::Checks};
use crate::{
    digest::{self, Digest},
    handoff::{Handoff, Kind, Request, Task},
    ids::{AgentId, HandoffId},
    limits,
    policy::{Mode, SessionLimits},
    refusal::{Code, Refusal},
    session::Session,
    time::Timestamp,
};
use serde_json::json;
use std::collections::BTreeSet;

/// Whom the guards of a session keep out of a choice.
pub(super) struct Barred {
    /// Who waits for a result of this chain.
    waiting: Vec<AgentId>,
    /// Who was handed the same just now, or handed it on.
    had_it: Vec<AgentId>,
    /// To whom the source hands over too often.
    too_fast: Vec<AgentId>,
    /// Who has a part in the session, where there is no room for more.
    only: Option<BTreeSet<AgentId>>,
}

impl Barred {
    /// Why this agent is kept out.
    pub(super) fn why(&self, agent: &AgentId) -> Option<String> {
        let why = if self.waiting.contains(agent) {
            "it waits for this very work"
        } else if self.had_it.contains(agent) {
            "it had this very work, and nothing is new since"
        } else if self.too_fast.contains(agent) {
            "it is handed over to too often"
        } else if self.only.as_ref().is_some_and(|only| !only.contains(agent)) {
            "the session has no room for another agent"
        } else {
            return None;
        };
        Some(why.to_owned())
    }
}

/// How far a session may go: by its own limits, its workflow, its class, the house.
#[must_use]
pub fn limits_of(session: &Session, world: &World<'_>) -> SessionLimits {
    let policy = world.policy;
    let name = session.workflow.as_ref();
    let workflow = name.and_then(|name| policy.workflows.get(name));
    // What the house says of a workflow comes before what its file says.
    let file = name.and_then(|name| world.workflows.get(name)).map(|workflow| workflow.limits);
    let class = session.complexity.map(|class| policy.classes.of(class));
    let own = session.limits.or(workflow.copied().unwrap_or_default()).or(file.unwrap_or_default());
    own.or(class.unwrap_or_default()).or(policy.limits).or(SessionLimits::usual())
}

impl Draft<'_> {
    /// Whom the guards keep out when somebody is chosen for this request.
    pub(super) fn barred(&self, request: &Request) -> Barred {
        let (from, watch, loops) = (&request.from_agent, &self.session.watch, &self.world.policy.loops);
        let mut had_it = Vec::new();
        if loops.repeats_within > 0 && !watch.moves.is_empty() {
            let content = self.content(request, &request.task);
            let latest = watch.moves.iter().rev().take(loops.repeats_within as usize);
            let same = latest.filter(|step| step.from == *from && step.digest == content);
            had_it.extend(same.map(|step| step.to.clone()));
            let left = watch.left.iter().filter(|(_, left)| left.digest == content);
            had_it.extend(left.map(|(agent, _)| agent.clone()));
        }
        let max = loops.pair_per_minute;
        let too_fast = if max > 0 { watch.at_pace(from, max, self.now) } else { Vec::new() };
        let full = self.limits().agents.is_some_and(|max| watch.agents.len() >= max as usize);
        Barred { waiting: self.waiting_above(request), had_it, too_fast, only: full.then(|| watch.agents.clone()) }
    }

    pub(super) fn limits(&self) -> SessionLimits {
        limits_of(&self.session, self.world)
    }

    pub(super) fn mode(&self) -> Mode {
        self.session.mode.unwrap_or(self.world.policy.mode)
    }

    /// When the session must be over, where it has a limit in time.
    pub(super) fn session_deadline(&self) -> Option<Timestamp> {
        self.limits().time_ms.map(|ms| self.session.opened_at + ms)
    }

    /// All guards for a request whose targets are known.
    pub(super) fn check_guards(&self, request: &Request, targets: &mut [Target], checks: &mut Checks) {
        let limits = self.limits();
        if request.kind == Kind::Escalation {
            self.check_escalations(&limits, checks);
            return;
        }
        // A question of the user is no step between agents: there is no circle in it, and it ends when the user does.
        let by_user = self.session.is_asked_by_user(request);
        if self.mode() == Mode::Independent && !by_user {
            checks.add(Refusal::new(Code::HandoffsOff, "the mode is independent: each agent works alone").at("type"));
        }
        if let Some(end) = self.session_deadline().filter(|end| *end <= self.now) {
            checks.add(Refusal::new(Code::TimeSpent, format!("the time of the session was over at {end}")));
        }
        if !by_user {
            self.check_count(&limits, targets.len(), checks);
            self.check_agents(&limits, request, targets, checks);
        }
        self.check_one_try(targets, checks);
        if !by_user {
            self.check_pace(request, targets, checks);
        }
        for (i, target) in targets.iter_mut().enumerate() {
            let field = field_of(request, i);
            let own = request.broadcast.as_ref().and_then(|all| all.targets.get(i)).and_then(|send| send.task.as_ref());
            let content = self.content(request, own.unwrap_or(&request.task));
            target.content = Some(content);
            self.check_chain(&limits, request, &target.to, &field, checks);
            // A way of a workflow that may be gone only so often ends by itself.
            if !by_user && self.way.as_ref().is_none_or(|way| !way.bounded) {
                self.check_circle(request, &target.to, content, &field, checks);
            }
        }
    }

    /// The guards for a handoff that is another than it was begun as. It is counted already.
    pub(super) fn check_changed(
        &self,
        request: &Request,
        to: &AgentId,
        content: Digest,
        field: &str,
        checks: &mut Checks,
    ) {
        if request.kind == Kind::Escalation {
            return;
        }
        let limits = self.limits();
        let target = Target::named(to.clone(), Vec::new(), None);
        self.check_agents(&limits, request, std::slice::from_ref(&target), checks);
        self.check_chain(&limits, request, to, field, checks);
        self.check_circle(request, to, content, field, checks);
    }

    /// The guards for a handoff that a person gives to somebody. It is counted already, and whom a person chooses is no
    /// circle; but nobody can work on what it waits for itself.
    pub(super) fn check_given(&self, field: &str, request: &Request, to: &AgentId, checks: &mut Checks) {
        if request.kind == Kind::Escalation {
            return;
        }
        let target = Target::named(to.clone(), Vec::new(), None);
        self.check_agents(&self.limits(), request, std::slice::from_ref(&target), checks);
        self.check_waits_above(request, to, field, checks);
    }

    fn check_escalations(&self, limits: &SessionLimits, checks: &mut Checks) {
        let used = self.session.watch.escalations;
        if let Some(max) = limits.escalations.filter(|max| used >= *max) {
            let message = format!("{used} of the {max} escalations of this session are used up");
            let refusal = Refusal::new(Code::TooManyHandoffs, message);
            checks.add(refusal.at("type").details(json!({"limit": "escalations", "max": max, "used": used})));
        }
    }

    fn check_count(&self, limits: &SessionLimits, wanted: usize, checks: &mut Checks) {
        let used = self.session.watch.handoffs;
        let Some(max) = limits.handoffs.filter(|max| used as usize + wanted > *max as usize) else { return };
        let class = self.session.complexity.map(|class| format!("{} ", class.word())).unwrap_or_default();
        let more = if wanted > 1 { format!(", and this one makes {wanted}") } else { String::new() };
        let message = match max {
            0 => format!("this {class}session has none: its owner works alone"),
            _ => format!("{used} of the {max} handoffs of this {class}session are used up{more}"),
        };
        let refusal = Refusal::new(Code::TooManyHandoffs, message);
        checks.add(refusal.at("type").details(json!({"limit": "handoffs", "max": max, "used": used})));
    }

    fn check_agents(&self, limits: &SessionLimits, request: &Request, targets: &[Target], checks: &mut Checks) {
        let Some(max) = limits.agents else { return };
        let known = &self.session.watch.agents;
        let new: BTreeSet<&AgentId> =
            targets.iter().map(|target| &target.to).filter(|agent| !known.contains(*agent)).collect();
        let count = known.len() + new.len();
        if count > max as usize && targets.iter().any(|target| !known.contains(&target.to)) {
            let names: Vec<&str> = known.iter().map(AgentId::as_str).collect();
            let message = format!("{count} agents would have a part in it, {max} may");
            let field = if request.kind == Kind::Broadcast { "broadcast.targets" } else { "to_agent" };
            let refusal = Refusal::new(Code::TooManyAgents, message).at(field);
            let refusal = refusal.details(json!({"limit": "agents", "max": max, "count": count}));
            checks.add(refusal.hint(format!("who has a part already: {}", names.join(", "))));
        }
    }

    fn check_chain(&self, limits: &SessionLimits, request: &Request, to: &AgentId, field: &str, checks: &mut Checks) {
        let parent = request.parent_id.or_else(|| self.working_on(&request.from_agent));
        let length = self.path(request, parent, None, to).len();
        if let Some(max) = limits.chain.filter(|max| length > *max as usize) {
            let message = format!("the chain would have {length} agents, {max} may be in one");
            let details = json!({"limit": "chain", "max": max, "count": length});
            checks.add(Refusal::new(Code::ChainTooLong, message).at(field).details(details));
        }
    }

    /// How often one hands over to another within a minute, with what is begun together.
    fn check_pace(&self, request: &Request, targets: &[Target], checks: &mut Checks) {
        let (from, max) = (&request.from_agent, self.world.policy.loops.pair_per_minute);
        for (i, target) in targets.iter().enumerate() {
            let to = &target.to;
            let together = targets[..i].iter().filter(|earlier| earlier.to == *to).count();
            let pace = self.session.watch.pace(from, to, self.now);
            if max > 0 && pace as usize + together >= max as usize {
                let message = format!("{from} handed over to {to} {pace} times within a minute, {max} are allowed");
                let details = json!({"max": max, "count": pace});
                checks.add(Refusal::new(Code::TooFast, message).at(field_of(request, i)).details(details));
            }
        }
    }

    /// Whether the work would come to where it was before, with nothing new.
    fn check_circle(&self, request: &Request, to: &AgentId, content: Digest, field: &str, checks: &mut Checks) {
        let (from, watch, loops) = (&request.from_agent, &self.session.watch, &self.world.policy.loops);
        self.check_waits_above(request, to, field, checks);
        // What a person has tried once more is the same, and meant to be.
        let same = |step: &crate::guard::watch::Move| {
            self.again.is_none() && step.from == *from && step.to == *to && step.digest == content
        };
        if watch.moves.iter().rev().take(loops.repeats_within as usize).any(same) {
            let message = format!("{from} handed the same to {to} within the last {} handoffs", loops.repeats_within);
            checks.add(Refusal::new(Code::Repetition, message).at(field).details(json!({"digest": content})));
        } else if let Some(left) = watch.left.get(to) {
            // Only work that is handed on comes back; a part that is given out returns by itself.
            let brings = self.variables_after(request) != self.session.variables_digest;
            let idle = loops.idle_rounds > 0 && left.news == watch.news && left.idle >= loops.idle_rounds && !brings;
            if loops.repeats_within > 0 && left.digest == content {
                let message = format!("{to} handed on this very work, and nothing is new since");
                checks.add(Refusal::new(Code::Circle, message).at(field).details(json!({"digest": content})));
            } else if idle && request.kind == Kind::Sequential {
                let times = if left.idle == 1 { "once".to_owned() } else { format!("{} times", left.idle) };
                let message =
                    format!("it came back to {to} {times}, and nothing is new in the session but other words");
                checks.add(Refusal::new(Code::Circle, message).at(field));
            }
        }
    }

    fn check_waits_above(&self, request: &Request, to: &AgentId, field: &str, checks: &mut Checks) {
        if let Some(waiting) = self.waits_above(request, to) {
            let message = format!("{to} waits for {waiting}, which this work is a part of");
            checks.add(Refusal::new(Code::WaitsForYou, message).at(field));
        }
    }

    /// The handoff on this chain whose result the target waits for.
    fn waits_above(&self, request: &Request, to: &AgentId) -> Option<HandoffId> {
        self.chain_above(request)
            .into_iter()
            .find(|handoff| handoff.request.from_agent == *to)
            .map(|handoff| handoff.id)
    }

    /// Everybody who waits for a result of this chain.
    fn waiting_above(&self, request: &Request) -> Vec<AgentId> {
        self.chain_above(request).into_iter().map(|handoff| handoff.request.from_agent.clone()).collect()
    }

    /// The handoffs on this chain whose results are waited for, from below.
    fn chain_above(&self, request: &Request) -> Vec<&Handoff> {
        let session = &self.session;
        let named = request.parent_id.and_then(|id| session.open.get(&id));
        let first = named.or_else(|| session.held_by(&request.from_agent));
        let first = first.filter(|_| request.kind != Kind::Sequential).map(|first| &**first);
        let chain = std::iter::successors(first, |handoff| {
            let parent = handoff.parent_id.and_then(|id| session.open.get(&id));
            let up = parent.or_else(|| session.held_by(&handoff.request.from_agent));
            up.filter(|up| up.id != handoff.id).map(|up| &**up)
        });
        chain.take(limits::PATH_MAX).filter(|handoff| handoff.request.expects_return()).collect()
    }

    /// The digest of what is handed over: the task, and the context in which it is.
    pub(super) fn content(&self, request: &Request, task: &Task) -> Digest {
        let words = task.description.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ");
        let variables = self.variables_after(request);
        let mut counts =
            format!("{} {} {}", self.session.artifacts.len(), self.session.decisions.len(), self.session.mark.by_user);
        // What fails again after another try is not the same failure, whatever it says.
        let tries: u32 = self.session.flow.as_ref().map_or(0, |flow| flow.tries.values().sum());
        if tries > 0 {
            counts += &format!(" {tries}");
        }
        let payload = digest::canonical(&task.payload);
        let done = digest::canonical(&request.context.completed_work);
        let pieces = [task.kind.as_str(), &words, &payload, &done, &counts];
        let parts = pieces.iter().flat_map(|piece| [piece.as_bytes(), b"\0".as_slice()]);
        Digest::of_all(parts.chain([variables.0.as_slice()]))
    }

    /// The digest of the variables, as they will be with what the request sets.
    fn variables_after(&self, request: &Request) -> Digest {
        if request.context.variables.is_empty() {
            return self.session.variables_digest;
        }
        let mut values: std::collections::BTreeMap<&String, &serde_json::Value> =
            self.session.variables.iter().map(|(name, variable)| (name, &variable.value)).collect();
        values.extend(request.context.variables.iter());
        Digest::of_json(&values)
    }
}

/// Where in the request a target stands.
fn field_of(request: &Request, i: usize) -> String {
    if request.kind == Kind::Broadcast { format!("broadcast.targets[{i}]") } else { "to_agent".to_owned() }
}
