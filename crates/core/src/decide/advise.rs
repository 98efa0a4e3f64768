//! Questions that change nothing: how a request would be routed, what a model is to be asked, who would be good for a
//! task, whether a handoff seems due.

use super::{Draft, World, unknown_session, validate::Checks};
use crate::{
    event::{Candidate, Routed},
    handoff::{Kind, Request},
    ids::{AgentId, CountedIds},
    refusal::HandoffError,
    route::{self, Looked, PickQuestion, Recommendation, Suggestion},
    session::Session,
};

/// What a session has heard and done that is not kept in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Heard<'a> {
    /// The last words of the user.
    pub user: Option<&'a str>,
    /// Handoffs of this session that its active agent failed at.
    pub failed: u32,
}

/// How a request would be routed. Nothing is set aside. Whom a guard keeps out is left out; limits and
/// budgets of the whole are not asked.
///
/// # Errors
/// When the request itself would be refused, with everything that is wrong with it.
pub fn dry_run(session: &Session, request: &Request, world: &World<'_>) -> Result<Routed, HandoffError> {
    looking(session, world, |draft| draft.dry_run(request))?
}

/// The question to a model, where one has a say in how this request is routed.
#[must_use]
pub fn pick_question(session: &Session, request: &Request, world: &World<'_>) -> Option<PickQuestion> {
    let chosen = matches!(request.kind, Kind::Sequential | Kind::Delegation) && request.to_agent.is_none();
    if !chosen || !route::plan(world.policy, &session.id, request).asks_a_model() {
        return None;
    }
    looking(session, world, |draft| draft.with_scene(request, &[], route::question)).ok()
}

/// The best agents for a task of this session, at most so many.
///
/// # Errors
/// When the session is not the caller's, or the text cannot be.
pub fn recommend(
    session: &Session,
    task: &str,
    limit: usize,
    world: &World<'_>,
) -> Result<Vec<Recommendation>, HandoffError> {
    let mut checks = Checks::default();
    checks.text("task", task);
    checks.done()?;
    looking(session, world, |draft| draft.with_scene(&draft.asking(task), &[], |scene| route::recommend(scene, limit)))
}

/// Whether a handoff seems due in a session, why, and to whom.
///
/// # Errors
/// When the session is not the caller's.
pub fn suggestions(session: &Session, heard: Heard<'_>, world: &World<'_>) -> Result<Vec<Suggestion>, HandoffError> {
    looking(session, world, |draft| draft.suggestions(heard))
}

/// A draft of which nothing is kept.
fn looking<T>(session: &Session, world: &World<'_>, look: impl FnOnce(&mut Draft<'_>) -> T) -> Result<T, HandoffError> {
    if session.tenant != world.caller.tenant {
        return Err(unknown_session(&session.id));
    }
    Ok(look(&mut Draft::new(session, world, &mut CountedIds::default())))
}

impl Draft<'_> {
    fn dry_run(&mut self, request: &Request) -> Result<Routed, HandoffError> {
        let agents = (request.from_agent.clone(), request.to_agent.clone());
        let mut request = request.clone();
        let mut escalated = Checks::default();
        self.escalate_by_itself(&mut request, &mut escalated);
        let mut checks = self.check_request(&request);
        checks.append(escalated);
        let routed = match (request.kind, request.to_agent.clone()) {
            (Kind::Sequential | Kind::Delegation, None) => self.choose(&request, &[]),
            (Kind::Sequential | Kind::Delegation, Some(to)) => self.named(&request, to, &mut checks),
            (Kind::Broadcast, _) => self.several(&request, &mut checks),
            (Kind::Escalation, _) => self.above(&request, &mut checks),
        };
        checks.done().map_err(|error| error.between(&agents.0, agents.1.as_ref()))?;
        Ok(routed)
    }

    /// Whether the one that is named could take it, and who else.
    fn named(&self, request: &Request, to: AgentId, checks: &mut Checks) -> Routed {
        checks.registered("to_agent", &to, self.world.agents, crate::refusal::Code::UnknownTarget);
        let mut routed = self.choose(request, std::slice::from_ref(&to));
        let own = self.considered(request, &to);
        routed.candidates.retain(|candidate| candidate.agent != to);
        routed.by = "its name".into();
        // Where the one who is named cannot be reached, whoever else the request allows takes it, as it would be.
        let able = own.as_ref().is_some_and(|own| own.excluded.is_empty());
        let instead = routed.agent.take().filter(|_| request.has_others() && self.cannot_be_reached(&to).is_some());
        routed.agent = if able { Some(to) } else { instead };
        routed.candidates.splice(0..0, own);
        (routed.experiment, routed.shadow) = (None, None);
        routed
    }

    fn several(&self, request: &Request, checks: &mut Checks) -> Routed {
        let targets = self.broadcast_targets(request, checks);
        let candidates = targets.iter().filter_map(|target| self.considered(request, &target.to)).collect();
        self.without_choice("its targets", None, candidates)
    }

    fn above(&self, request: &Request, checks: &mut Checks) -> Routed {
        let to = self.escalation_target(request, checks).map(|target| target.to);
        let candidates = to.iter().filter_map(|to| self.considered(request, to)).collect();
        let mut routed = self.without_choice("the ladder", to, candidates);
        routed.note = self.answer.warnings.join("; ");
        routed
    }

    fn considered(&self, request: &Request, agent: &AgentId) -> Option<Candidate> {
        let agent = self.agent(agent)?;
        let mut own = request.clone();
        // These say who else may take it.
        own.capability = None;
        own.candidates.clear();
        Some(self.with_scene(&own, &[], |scene| route::consider(scene, agent)))
    }

    fn without_choice(&self, by: &str, agent: Option<AgentId>, candidates: Vec<Candidate>) -> Routed {
        let strategy = self.world.policy.routing.strategy;
        Routed { strategy, by: by.into(), agent, candidates, experiment: None, shadow: None, note: String::new() }
    }

    /// A question of the active agent, with nothing but its text.
    fn asking(&self, task: &str) -> Request {
        Request::new(Kind::Delegation, self.session.active_agent.clone(), task)
    }

    fn suggestions(&self, heard: Heard<'_>) -> Vec<Suggestion> {
        let looked = Looked {
            session: &self.session,
            heard: heard.user,
            failed: heard.failed,
            left_alone: self.left_alone(&self.session.active_agent),
            tokens: self.limits().tokens,
            now: self.now,
        };
        let text = heard.user.unwrap_or(&self.session.original_request);
        self.with_scene(&self.asking(text), &[], |scene| route::suggest(&looked, scene))
    }
}
