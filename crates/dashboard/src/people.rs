//! What waits for a person: one answer for all pages.

use handover_core::{
    agent::AgentKind,
    handoff::{Handoff, Status},
    ids::AgentId,
};
use handover_engine::Engine;

/// What a person has to do so that it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaits {
    /// Say yes or no.
    Word,
    /// Answer what was asked.
    Answer,
    /// Take the work, or do it.
    Work,
}

/// What the handoff waits for, where that is a person.
pub(crate) fn awaits(engine: &Engine, handoff: &Handoff) -> Option<Awaits> {
    let kind = |id: &AgentId| engine.agent(id).ok().map(|agent| agent.profile.kind);
    let person = |id: &AgentId| kind(id) == Some(AgentKind::Human);
    // For a source that is not registered no program answers: a person has to.
    let asked = |id: &AgentId| kind(id).is_none_or(|kind| kind == AgentKind::Human);
    match handoff.status() {
        Status::AwaitingApproval => Some(Awaits::Word),
        Status::Deferred if handoff.open_question().is_some() => {
            asked(&handoff.request.from_agent).then_some(Awaits::Answer)
        }
        Status::Offered | Status::Running => person(&handoff.to_agent).then_some(Awaits::Work),
        Status::Deferred
        | Status::Completed
        | Status::Failed
        | Status::TimedOut
        | Status::Escalated
        | Status::Cancelled => None,
    }
}

/// How many tasks are offered to people for whom whoever asks may speak, or theirs already.
pub(crate) fn tasks(engine: &Engine) -> usize {
    let caller = engine.caller();
    let agents = engine.agents();
    let people = agents.iter().filter(|agent| agent.profile.kind == AgentKind::Human);
    let theirs = people.filter(|agent| caller.may_act_as(&agent.profile.id));
    theirs.map(|agent| agent.load.saturating_add(agent.waiting)).sum::<u32>() as usize
}
