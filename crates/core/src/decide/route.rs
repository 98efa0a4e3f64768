//! Finding a target: who can take this, ranked, and why the others cannot. The ranking itself is in `crate::route`.

use super::{Draft, guards::Barred};
use crate::{
    agent::{Agent, Known},
    event::Routed,
    handoff::{Request, RequiredCapability},
    ids::AgentId,
    limits,
    refusal::{Code, Refusal},
    route::{self, Scene},
};

/// Names of agents that have at least one of these capabilities, the most proficient first.
pub(super) fn suggest(agents: Known<'_>, required: &[RequiredCapability]) -> Vec<String> {
    let mut names: Vec<String> = required
        .iter()
        .flat_map(|needed| agents.who_can(&needed.capability_id).filter(|agent| route::has(&agent.profile, needed)))
        .map(|agent| agent.profile.id.to_string())
        .take(limits::CANDIDATES_MAX)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

impl Draft<'_> {
    /// Finds somebody for a request, and says how. Where only those are left whom a guard keeps out, the best of them is
    /// named: the guard itself then says why not.
    pub(super) fn choose(&self, request: &Request, not: &[AgentId]) -> Routed {
        let within = self.choose_within(request, not);
        if within.agent.is_some() {
            return within;
        }
        let plan = route::plan(self.world.policy, &self.session.id, request);
        self.look_at(request, not, None, |scene| route::choose(scene, &plan))
    }

    /// The same among those alone whom no guard keeps out.
    pub(super) fn choose_within(&self, request: &Request, not: &[AgentId]) -> Routed {
        let plan = route::plan(self.world.policy, &self.session.id, request);
        self.with_scene(request, not, |scene| route::choose(scene, &plan))
    }

    /// Shows what routing looks at.
    pub(super) fn with_scene<T>(&self, request: &Request, not: &[AgentId], look: impl FnOnce(&Scene<'_>) -> T) -> T {
        self.look_at(request, not, Some(&self.barred(request)), look)
    }

    fn look_at<T>(
        &self,
        request: &Request,
        not: &[AgentId],
        barred: Option<&Barred>,
        look: impl FnOnce(&Scene<'_>) -> T,
    ) -> T {
        let world = self.world;
        let left_out = |agent: &Agent| {
            let why = barred.and_then(|barred| barred.why(&agent.profile.id));
            why.or_else(|| self.left_out(agent))
        };
        look(&Scene {
            agents: world.agents,
            ledger: world.ledger,
            picked: world.picked.map(|answer| &answer.picked),
            request,
            not,
            left_out: &left_out,
        })
    }

    /// Why nothing may go to this agent for now.
    fn left_out(&self, agent: &Agent) -> Option<String> {
        let id = &agent.profile.id;
        // Nearly always nothing is tripped, before or by this decision, and then there is no breaker to look at.
        let tripped = self.world.ledger.is_tripped() || !self.postings.is_empty();
        if tripped && let Some(why) = self.left_alone(id) {
            return Some(why);
        }
        let (account, limit) = self.agent_limit(id)?;
        let rest = if self.postings.is_empty() {
            self.world.ledger.rest(&account, &limit)
        } else {
            self.entry(&account).rest(&limit)
        };
        rest.spent().map(|_| "its budget is spent".to_owned())
    }

    /// Why nobody can, with those who come nearest and what keeps each of them.
    pub(super) fn nobody(&self, request: &Request, routed: &Routed) -> Refusal {
        let wanted = wanted(request);
        let left_out = routed.candidates.iter().filter(|candidate| !candidate.excluded.is_empty());
        let mut why: Vec<String> = left_out.map(|c| format!("{}: {}", c.agent, c.excluded)).collect();
        let message = if !request.candidates.is_empty() {
            "none of the candidates can take it".to_owned()
        } else if !wanted.is_empty() {
            format!("nobody is available for {}", wanted.join(", "))
        } else if why.is_empty() {
            "nobody's profile fits the task".to_owned()
        } else {
            "nobody who fits the task can take it".to_owned()
        };
        why.extend(Some(routed.note.clone()).filter(|note| !note.is_empty()));
        let near = wanted.iter().find_map(|name| self.world.agents.nearest_capability(name));
        why.extend(near.filter(|near| !wanted.contains(near)).map(|near| format!("did you mean \"{near}\"?")));
        if why.is_empty() {
            why.push("name an agent, a capability, required capabilities or candidates".to_owned());
        }
        Refusal::new(Code::NobodyCan, message).at("to_agent").hint(why.join("; "))
    }
}

/// Names of the capabilities that a request asks for.
fn wanted(request: &Request) -> Vec<&str> {
    let required = request.validation.required_capabilities.iter().map(|needed| needed.capability_id.as_str());
    required.chain(request.capability.as_deref()).collect()
}
