//! Statistics: who did how much, how well, how fast and for how much, which ways the work went, and what a person or a
//! guard said to it.

use crate::{breakers::BreakerView, engine::Engine};
use handover_core::{
    handoff::Status,
    ids::{HandoffId, SessionId},
    limits::{PAGE_MAX, STATS_HANDOFFS_MAX, STATS_PATH_AGENTS_MAX, STATS_PATHS_SHOWN},
    policy::Mode,
    refusal::{Code, HandoffError},
    time::Timestamp,
};
use handover_store::{FigureRow, Figures, FiguresQuery, Word};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Which handoffs are counted. Everything that is given must fit; nothing given counts all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatsQuery {
    /// Of this session.
    pub session: Option<SessionId>,
    /// Of sessions that follow this workflow.
    pub workflow: Option<String>,
    /// Initiated not before.
    pub since: Option<Timestamp>,
}

impl StatsQuery {
    /// Whether all is counted.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }
}

/// What was counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatsReport {
    /// Handoffs.
    pub total_handoffs: u64,
    /// Handoffs that nobody has accepted yet.
    pub pending_handoffs: u64,
    /// Handoffs by status.
    pub by_status: BTreeMap<String, u64>,
    /// Sessions: all, or those with a handoff that fits.
    pub sessions: u64,
    /// Records of all sessions; nothing where not all is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    /// How many handoffs all below was made of: at most `STATS_HANDOFFS_MAX`, the latest ones.
    pub looked_at: u64,
    /// Whether there are earlier ones that were not looked at.
    pub cut: bool,
    /// By agent.
    pub handoffs_by_agent: BTreeMap<String, AgentStats>,
    /// By workflow; handoffs of sessions without one are in none.
    pub workflows: BTreeMap<String, WorkflowStats>,
    /// What people were asked.
    pub approvals: ApprovalStats,
    /// How often one agent handed over to another, the most common first.
    pub pairs: Vec<PathCount>,
    /// Ways over three and more agents, the most common first, longer ones before shorter ones. One that was only ever
    /// gone as a part of a longer one is left out.
    pub paths: Vec<PathCount>,
    /// How often a guard or another refusal kept a workflow from going on, or made a session fall back, by code, in the
    /// sessions of these handoffs. A refusal that was given to its caller changes nothing and is on no record.
    pub stopped: BTreeMap<String, u64>,
}

/// One agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentStats {
    /// Handoffs that it sent.
    pub sent: u64,
    /// Handoffs that it received.
    pub received: u64,
    /// Of those, how many nobody has accepted yet.
    pub pending: u64,
    /// Of those, how many ended by what it did: well, badly, too late, or further up. One that was taken back is none.
    pub ended: u64,
    /// Of those that ended, how many well.
    pub succeeded: u64,
    /// The same as a share, from 0 to 1.
    pub success_rate: Option<f64>,
    /// From the initiation to the end, over those that ended.
    pub latency: Option<Latency>,
    /// Tokens that it used.
    pub tokens: u64,
    /// Money that it used.
    pub cost: f64,
    /// Its breaker, where that remembers a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaker: Option<BreakerView>,
}

/// How long handoffs took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Latency {
    /// The mean.
    pub mean_ms: u64,
    /// Half of them took no longer.
    pub p50_ms: u64,
    /// 95 of 100 took no longer.
    pub p95_ms: u64,
}

/// One workflow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkflowStats {
    /// Its sessions.
    pub sessions: u64,
    /// Their handoffs.
    pub handoffs: u64,
}

/// What people were asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApprovalStats {
    /// Handoffs that a person was asked about.
    pub asked: u64,
    /// Of those, how many were granted.
    pub granted: u64,
    /// Denied.
    pub denied: u64,
    /// Still waiting.
    pub waiting: u64,
    /// Over before anybody decided.
    pub void: u64,
}

/// A way of the work, and how often it was gone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathCount {
    /// The agents, in order.
    pub agents: Vec<String>,
    /// How often.
    pub count: u64,
}

impl Engine {
    /// Statistics over the handoffs of this caller's tenant, made from what is stored. Costs one walk over at most
    /// `STATS_HANDOFFS_MAX` handoffs; [`Engine::stats`] has the plain counts, at a cost that does not grow.
    ///
    /// ```no_run
    /// # async fn example(engine: handover_engine::Engine) -> Result<(), Box<dyn std::error::Error>> {
    /// use handover_engine::StatsQuery;
    /// let report = engine.stats_of(StatsQuery { workflow: Some("charter".into()), ..StatsQuery::default() }).await?;
    /// for (agent, figures) in &report.handoffs_by_agent {
    ///     println!("{agent}: {:?} of {} went well", figures.success_rate, figures.ended);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// When there is no such session for this caller, or the store cannot be read.
    pub async fn stats_of(&self, query: StatsQuery) -> Result<StatsReport, HandoffError> {
        if let Some(session) = &query.session {
            self.may_read(session).await?;
        }
        let restricted = self.caller.is_restricted();
        let all = query.is_all();
        let asked = FiguresQuery {
            tenant: self.caller.tenant.clone(),
            session: query.session,
            workflow: query.workflow,
            since: query.since,
            falls_back: self.inner.policy.read().mode == Mode::Fallback,
            limit: STATS_HANDOFFS_MAX,
        };
        let mut figures = self.inner.store.figures(&asked).await?;
        if restricted {
            figures = self.figures_seen(figures).await?;
        }
        let mut report = of_figures(&figures);
        if all && !restricted {
            let counted = self.inner.store.stats(&self.caller.tenant).await?;
            report.total_handoffs = counted.total_handoffs;
            report.pending_handoffs = counted.pending_handoffs;
            report.by_status = counted.by_status;
            report.sessions = counted.sessions;
            report.records = Some(counted.records);
        }
        for (agent, breaker) in self.breakers() {
            let known = report.handoffs_by_agent.get_mut(agent.as_str());
            if let Some(figures) = known {
                figures.breaker = Some(breaker);
            } else if all && !restricted && self.agent(&agent).is_ok() {
                let figures = AgentStats { breaker: Some(breaker), ..AgentStats::default() };
                report.handoffs_by_agent.insert(agent.to_string(), figures);
            }
        }
        Ok(report)
    }

    /// The handoffs of this caller's tenant with ids from the first to the last, in the order of ids, at most so many.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn handoffs_between(
        &self,
        first: HandoffId,
        last: HandoffId,
        limit: usize,
    ) -> Result<Vec<HandoffId>, HandoffError> {
        let found = self.inner.store.handoffs_between(&self.caller.tenant, first, last, limit.min(PAGE_MAX)).await?;
        if self.caller.is_restricted() { self.ids_seen(found).await } else { Ok(found) }
    }
}

fn of_figures(figures: &Figures) -> StatsReport {
    let mut report = StatsReport {
        total_handoffs: figures.rows.len() as u64,
        looked_at: figures.rows.len() as u64,
        sessions: figures.sessions.len() as u64,
        cut: figures.cut,
        stopped: stopped(figures),
        workflows: workflows(figures),
        handoffs_by_agent: agents(figures),
        ..StatsReport::default()
    };
    (report.pairs, report.paths) = paths(figures);
    for row in &figures.rows {
        *report.by_status.entry(row.status.word().to_owned()).or_default() += 1;
        report.pending_handoffs += u64::from(is_pending(row.status));
        let Some(word) = row.approval else { continue };
        report.approvals.asked += 1;
        match word {
            Word::Awaited => report.approvals.waiting += 1,
            Word::Granted => report.approvals.granted += 1,
            Word::Denied => report.approvals.denied += 1,
            Word::Void => report.approvals.void += 1,
        }
    }
    report
}

fn is_pending(status: Status) -> bool {
    matches!(status, Status::AwaitingApproval | Status::Offered | Status::Deferred)
}

/// Whether it ended by what its agent did.
fn is_ended(status: Status) -> bool {
    matches!(status, Status::Completed | Status::Failed | Status::TimedOut | Status::Escalated)
}

fn agents(figures: &Figures) -> BTreeMap<String, AgentStats> {
    let mut by_number: Vec<(AgentStats, Vec<u64>)> = vec![Default::default(); figures.names.len()];
    for row in &figures.rows {
        by_number[row.from].0.sent += 1;
        let (agent, took) = &mut by_number[row.to];
        agent.received += 1;
        agent.pending += u64::from(is_pending(row.status));
        agent.tokens += row.tokens;
        agent.cost += row.cost;
        if is_ended(row.status) {
            agent.ended += 1;
            agent.succeeded += u64::from(row.status == Status::Completed);
            took.extend(row.took_ms);
        }
    }
    let named = figures.names.iter().zip(by_number).filter(|(_, (agent, _))| agent.sent + agent.received > 0);
    named
        .map(|(name, (mut agent, took))| {
            #[expect(clippy::cast_precision_loss, reason = "a share needs no last digit")]
            let rate = (agent.ended > 0).then(|| agent.succeeded as f64 / agent.ended as f64);
            agent.success_rate = rate;
            agent.latency = latency(took);
            (name.clone(), agent)
        })
        .collect()
}

fn latency(mut took: Vec<u64>) -> Option<Latency> {
    took.sort_unstable();
    let count = took.len();
    // The nearest rank: the first that is no shorter than so many of a hundred.
    let rank = |percent: usize| took.get((count * percent).div_ceil(100).max(1) - 1).copied();
    let mean_ms = took.iter().sum::<u64>().checked_div(count as u64)?;
    Some(Latency { mean_ms, p50_ms: rank(50)?, p95_ms: rank(95)? })
}

fn workflows(figures: &Figures) -> BTreeMap<String, WorkflowStats> {
    let mut found: BTreeMap<String, WorkflowStats> = BTreeMap::new();
    let name = |number: Option<usize>| number.and_then(|number| figures.names.get(number)).cloned();
    for session in &figures.sessions {
        if let Some(name) = name(session.workflow) {
            found.entry(name).or_default().sessions += 1;
        }
    }
    for row in &figures.rows {
        if let Some(name) = name(figures.sessions[row.session].workflow) {
            found.entry(name).or_default().handoffs += 1;
        }
    }
    found
}

/// Refusals that are on record: those that ended a workflow say so in words, which have the code in them.
fn stopped(figures: &Figures) -> BTreeMap<String, u64> {
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for session in &figures.sessions {
        let code = Code::ALL.iter().map(|code| code.text()).find(|code| session.trouble.contains(code));
        for code in code.into_iter().chain(session.fell_back.iter().map(String::as_str)) {
            *found.entry(code.to_owned()).or_default() += 1;
        }
    }
    found
}

/// Pairs, and longer ways: each agent goes on where the one before it has handed over to it in the same session.
fn paths(figures: &Figures) -> (Vec<PathCount>, Vec<PathCount>) {
    let mut counts: HashMap<Vec<usize>, u64> = HashMap::new();
    let mut came: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
    for FigureRow { session, from, to, .. } in &figures.rows {
        let mut way = came.get(&(*session, *from)).cloned().unwrap_or_else(|| vec![*from]);
        way.push(*to);
        let way = way[way.len().saturating_sub(STATS_PATH_AGENTS_MAX)..].to_vec();
        for length in 2..=way.len() {
            *counts.entry(way[way.len() - length..].to_vec()).or_default() += 1;
        }
        came.insert((*session, *to), way);
    }
    let inner = inner(&counts);
    let told = counts.into_iter().filter(|(way, _)| !inner.contains(way));
    let (pairs, longer) = told.partition::<Vec<_>, _>(|(way, _)| way.len() == 2);
    (most_common(figures, pairs), most_common(figures, longer))
}

/// Ways over three and more agents that were only ever gone as a part of a longer one, which tells all of them.
fn inner(counts: &HashMap<Vec<usize>, u64>) -> HashSet<Vec<usize>> {
    let parts =
        |way: &Vec<usize>| (3..way.len()).flat_map(|length| way.windows(length)).map(<[usize]>::to_vec).collect();
    let all = counts.iter().flat_map(|(way, count)| {
        let parts: Vec<Vec<usize>> = parts(way);
        parts.into_iter().filter(move |part| counts.get(part) == Some(count))
    });
    all.collect()
}

fn most_common(figures: &Figures, counts: Vec<(Vec<usize>, u64)>) -> Vec<PathCount> {
    let name = |number: &usize| figures.names[*number].clone();
    let mut named: Vec<PathCount> =
        counts.into_iter().map(|(way, count)| PathCount { agents: way.iter().map(name).collect(), count }).collect();
    named.sort_by(|a, b| (b.count, b.agents.len(), &a.agents).cmp(&(a.count, a.agents.len(), &b.agents)));
    named.truncate(STATS_PATHS_SHOWN);
    named
}
