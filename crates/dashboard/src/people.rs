//! What waits for people: one answer for all pages.

use crate::ask::Ask;
use handover_core::{
    agent::{Agent, AgentKind},
    glance::{Glance, Stands},
    handoff::{Handoff, Status},
    ids::{AgentId, HandoffId, SessionId},
    limits::{PAGE_ROWS, PEOPLE_LOOK_MAX, PULSE_ASKED_MAX, WAITING_LOOK_ROWS},
    refusal::HandoffError,
    time::Timestamp,
};
use handover_engine::{Engine, HandoffQuery, Offer};
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
    some(
        engine,
        HandoffQuery {
            status: Some(status),
            latest_first: status == Status::Running,
            limit,
            ..HandoffQuery::default()
        },
    )
    .await
}

/// As many as the query says. One more is looked for, so that it is known whether there are more.
pub(crate) async fn some(engine: &Engine, query: HandoffQuery) -> Result<Found<Handoff>, HandoffError> {
    let limit = query.limit;
    let mut rows = engine.handoffs(HandoffQuery { limit: limit + 1, ..query }).await?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    Ok(Found { rows, more })
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

/// What people work on, and what is offered to them: that by level, then age. Of an offer no more is read than its place.
pub(crate) struct Tasks {
    running: Vec<Handoff>,
    offered: Vec<Offer>,
    more: bool,
}

impl Tasks {
    pub(crate) fn count(&self) -> Count {
        Count { found: self.running.len() + self.offered.len(), more: self.more }
    }

    /// How many of them are for those that fit.
    pub(crate) fn count_for(&self, fits: impl Fn(&AgentId) -> bool) -> Count {
        let running = self.running.iter().filter(|handoff| fits(&handoff.to_agent)).count();
        Count { found: running + self.offered.iter().filter(|offer| fits(&offer.to)).count(), more: self.more }
    }

    /// So many of them after so many: what somebody works on, then what is on offer. What was taken meanwhile is left out.
    pub(crate) async fn page(&self, engine: &Engine, skip: usize, limit: usize) -> Result<Vec<Handoff>, HandoffError> {
        let mut rows: Vec<Handoff> = self.running.iter().skip(skip).take(limit).cloned().collect();
        let skip = skip.saturating_sub(self.running.len());
        for offer in self.offered.iter().skip(skip).take(limit - rows.len()) {
            let handoff = engine.handoff(offer.handoff).await.ok();
            rows.extend(handoff.filter(|handoff| handoff.offered_to() == Some(&offer.to)));
        }
        Ok(rows)
    }
}

/// What these people have to do. What an agent has in all counts for every tenant: it says who need not be asked for, and nothing
/// else.
pub(crate) async fn tasks(engine: &Engine, people: &Found<Agent>) -> Result<Tasks, HandoffError> {
    let (mut running, mut more): (Vec<Handoff>, bool) = (Vec::new(), people.more);
    for person in people.rows.iter().filter(|agent| agent.load > 0) {
        let limit = PAGE_ROWS.saturating_sub(running.len());
        let (to, status) = (Some(person.profile.id.clone()), Some(Status::Running));
        let found = some(engine, HandoffQuery { to, status, limit, ..HandoffQuery::default() }).await?;
        more |= found.more;
        running.extend(found.rows);
    }
    running.sort_by_key(|handoff| (handoff.request.task.priority.level(), handoff.opened_at));
    let waited_for = people.rows.iter().filter(|agent| agent.waiting > 0);
    let ids: Vec<AgentId> = waited_for.map(|agent| agent.profile.id.clone()).collect();
    let (offered, further) = engine.queues(&ids).await?;
    Ok(Tasks { running, offered, more: more || further })
}

/// What agents ask before they go on, the eldest first: of people, who have to be told, or of agents, which answer by themselves.
pub(crate) fn questions<'a>(engine: &Engine, put_off: &'a Found<Handoff>, of_people: bool) -> Found<&'a Handoff> {
    let asks = |one: &&Handoff| one.open_question().is_some();
    let fits = |one: &&Handoff| (awaits(engine, one) == Some(Awaits::Answer)) == of_people;
    Found { rows: put_off.rows.iter().filter(asks).filter(fits).collect(), more: put_off.more }
}

/// Work that failed, and a person who is asked to look at it.
pub(crate) struct ToLook {
    pub(crate) session: SessionId,
    pub(crate) handoff: HandoffId,
    pub(crate) human: AgentId,
    pub(crate) at: Timestamp,
    /// What the user asked for.
    pub(crate) wanted: String,
}

/// What people are asked to look at, the latest first. The pulse remembers where somebody was asked; whether it was taken up
/// since, each session says.
pub(crate) async fn to_look(ask: &Ask) -> Result<Found<ToLook>, HandoffError> {
    let asked = ask.house.pulse.look(&ask.engine.caller().tenant, |tenant, _, _| tenant.asked());
    let more = asked.len() == PULSE_ASKED_MAX;
    let look = |glance: Glance| {
        let failed = glance.stands_failed()?.clone();
        let (session, wanted) = (glance.id, glance.original_request);
        Some(ToLook { session, handoff: failed.handoff_id, human: failed.human?, at: failed.at, wanted })
    };
    let rows: Vec<ToLook> = ask.engine.glances(&asked).await?.into_iter().filter_map(look).collect();
    Ok(Found { more: more && !rows.is_empty(), rows })
}

/// What waits for people, as it was read for a page.
pub(crate) struct Waits<'a> {
    pub(crate) put_off: &'a Found<Handoff>,
    pub(crate) tasks: &'a Tasks,
    pub(crate) to_look: &'a Found<ToLook>,
}

impl Waits<'_> {
    /// How much the inbox has for whoever asks: questions, tasks of those for whom they may speak, and what those are to look at.
    pub(crate) fn inbox(&self, engine: &Engine) -> Count {
        let caller = engine.caller();
        let theirs = |agent: &AgentId| caller.may_act_as(agent);
        let to_look = self.to_look.rows.iter().filter(|one| theirs(&one.human)).count();
        let to_look = Count { found: to_look, more: self.to_look.more };
        questions(engine, self.put_off, true).count() + self.tasks.count_for(theirs) + to_look
    }
}

/// The same, read for it.
pub(crate) async fn inbox(ask: &Ask) -> Result<Count, HandoffError> {
    let engine = &ask.engine;
    let theirs = people(engine, |agent| engine.caller().may_act_as(&agent.profile.id));
    let (put_off, tasks, to_look) = (put_off(engine).await?, tasks(engine, &theirs).await?, to_look(ask).await?);
    Ok(Waits { put_off: &put_off, tasks: &tasks, to_look: &to_look }.inbox(engine))
}
