//! What waits for people: one answer for all pages.

use handover_core::{
    agent::{Agent, AgentKind},
    glance::Stands,
    handoff::{Handoff, Status},
    ids::AgentId,
    limits::{PAGE_ROWS, PEOPLE_LOOK_MAX, WAITING_LOOK_ROWS},
    refusal::HandoffError,
};
use handover_engine::{Engine, HandoffQuery};
use std::cmp::Reverse;

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
    stands_for(engine, &Stands::of(handoff))
}

/// The same by how a handoff stands.
pub(crate) fn stands_for(engine: &Engine, stands: &Stands) -> Option<Awaits> {
    let kind = |id: &AgentId| engine.agent(id).ok().map(|agent| agent.profile.kind);
    let person = |id: &AgentId| kind(id) == Some(AgentKind::Human);
    // For a source that is not registered no program answers: a person has to.
    let asked = |id: &AgentId| kind(id).is_none_or(|kind| kind == AgentKind::Human);
    match stands.status {
        Status::AwaitingApproval => Some(Awaits::Word),
        Status::Deferred if stands.asks => asked(&stands.from_agent).then_some(Awaits::Answer),
        Status::Offered | Status::Running => person(&stands.to_agent).then_some(Awaits::Work),
        Status::Deferred
        | Status::Completed
        | Status::Failed
        | Status::TimedOut
        | Status::Escalated
        | Status::Cancelled => None,
    }
}

/// Some of what was looked for, and whether there may be more.
#[derive(Debug)]
pub(crate) struct Found<T> {
    pub(crate) rows: Vec<T>,
    pub(crate) more: bool,
}

/// How many were found, and whether there may be more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) found: usize,
    pub(crate) more: bool,
}

impl<T> Found<T> {
    pub(crate) fn count(&self) -> Count {
        Count { found: self.rows.len(), more: self.more }
    }
}

impl std::ops::Add for Count {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { found: self.found + other.found, more: self.more || other.more }
    }
}

/// Open handoffs of one status, so many of them: the latest of what runs is news, the eldest of what waits is urgent.
pub(crate) async fn open(engine: &Engine, status: Status, limit: usize) -> Result<Found<Handoff>, HandoffError> {
    let latest_first = status == Status::Running;
    let query = HandoffQuery { status: Some(status), latest_first, limit, ..HandoffQuery::default() };
    let rows = engine.handoffs(query).await?;
    Ok(Found { more: rows.len() == limit, rows })
}

/// What is put off, as far as is looked: questions are among it.
pub(crate) async fn put_off(engine: &Engine) -> Result<Found<Handoff>, HandoffError> {
    open(engine, Status::Deferred, WAITING_LOOK_ROWS).await
}

/// The people whose work is looked for, those with the most to do first, as far as this fits them.
pub(crate) fn people(engine: &Engine, fits: impl Fn(&Agent) -> bool) -> Found<Agent> {
    let all = engine.agents().into_iter();
    let mut rows: Vec<Agent> = all.filter(|agent| agent.profile.kind == AgentKind::Human && fits(agent)).collect();
    rows.sort_by_key(|agent| (Reverse(agent.load.saturating_add(agent.waiting)), agent.profile.id.clone()));
    let more = rows.len() > PEOPLE_LOOK_MAX;
    rows.truncate(PEOPLE_LOOK_MAX);
    Found { rows, more }
}

/// What these people work on and what is offered to them, at most a page. What an agent has in all counts for every tenant:
/// it says who need not be asked for, and nothing else.
pub(crate) async fn tasks(engine: &Engine, people: &Found<Agent>) -> Result<Found<Handoff>, HandoffError> {
    let mut found = Found { rows: Vec::new(), more: people.more };
    for person in people.rows.iter().filter(|agent| agent.load.saturating_add(agent.waiting) > 0) {
        for status in [Status::Running, Status::Offered] {
            let (to, limit) = (Some(person.profile.id.clone()), PAGE_ROWS - found.rows.len());
            let query = HandoffQuery { to, status: Some(status), limit, ..HandoffQuery::default() };
            found.rows.extend(engine.handoffs(query).await?);
            if found.rows.len() >= PAGE_ROWS {
                return Ok(Found { more: true, ..found });
            }
        }
    }
    found.rows.sort_by_key(|handoff| handoff.opened_at);
    Ok(found)
}

/// How many results came back to these people and nobody took note of, at most a page.
async fn returns(engine: &Engine, people: &Found<Agent>) -> Result<Count, HandoffError> {
    let mut count = Count { found: 0, more: people.more };
    for person in &people.rows {
        count.found += engine.waiting_returns(&person.profile.id, PAGE_ROWS - count.found).await?.len();
        if count.found >= PAGE_ROWS {
            return Ok(Count { more: true, ..count });
        }
    }
    Ok(count)
}

/// How much the inbox has for whoever asks: questions, tasks of those for whom they may speak, and results that came back.
pub(crate) async fn inbox(engine: &Engine, put_off: &Found<Handoff>) -> Result<Count, HandoffError> {
    let theirs = people(engine, |agent| engine.caller().may_act_as(&agent.profile.id));
    let questions = put_off.rows.iter().filter(|one| awaits(engine, one) == Some(Awaits::Answer)).count();
    let questions = Count { found: questions, more: put_off.more };
    Ok(questions + tasks(engine, &theirs).await?.count() + returns(engine, &theirs).await?)
}
