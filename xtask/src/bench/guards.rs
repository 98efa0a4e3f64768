//! What guards and routing cost: a step with all of them against a step without any, with few and with many agents
//! registered; and how well routing does.

use super::{
    Settings,
    engine::{folder, median},
    load::{self, text},
    report::Report,
};
use handover::{
    core::{
        budget::Limit,
        policy::{ApprovalRule, Loops, SessionLimits, Strategy, When},
        route::text::TextIndex,
    },
    prelude::*,
};
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

const IN_FLIGHT: usize = 64;
/// Rounds of the same measurements, interleaved, because these machines are noisy; the median counts.
const ROUNDS: usize = 5;
/// Agents that have the capability which is asked for, however many are registered.
const ABLE: usize = 10;
const FEW: usize = 10;
const MANY: usize = 10_000;
/// Specialists that share the load, and handoffs that they share.
const EQUALS: usize = 4;
const SHARED: u64 = 2_000;

pub(super) fn run(report: &mut Report, settings: Settings) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(text)?;
    let time = Duration::from_millis(if settings.quick { 700 } else { 3_000 });
    steps(report, &runtime, time)?;
    by_text(report)?;
    report.doing("four equals share the load");
    let spread = runtime.block_on(load_spread())?;
    let note = format!("the furthest of {EQUALS} equals from the mean, over {SHARED} handoffs, best_match");
    report.figure("routing.load_spread", spread, "ratio", "<= 0.10", note);
    Ok(())
}

fn steps(report: &mut Report, runtime: &tokio::runtime::Runtime, time: Duration) -> Result<(), String> {
    report.doing(&format!("three houses, one of them with {MANY} agents"));
    let (bare, few, many) = (folder()?, folder()?, folder()?);
    let houses = runtime.block_on(async {
        let bare = open(bare.path(), FEW, false).await?;
        let few = open(few.path(), FEW, true).await?;
        let many = open(many.path(), MANY, true).await?;
        Ok::<_, String>([(bare, false), (few, true), (many, true)])
    })?;
    let (mut added, mut grown, mut rates) = (vec![], vec![], vec![]);
    for round in 1..=ROUNDS {
        report.doing(&format!("round {round} of {ROUNDS}: no guards, all guards, all guards with {MANY} agents"));
        let mut ran = [0.0; 3];
        // Each round in another order: whoever comes first after a pause has the better disk.
        for turn in 0..houses.len() {
            let which = (turn + round) % houses.len();
            let (engine, guarded) = &houses[which];
            ran[which] = runtime.block_on(measure(engine, round, *guarded, time))?;
        }
        let [bare, few, many] = ran;
        added.push(bare / few);
        grown.push(few / many);
        rates.push((bare, few, many));
    }
    for (engine, _) in houses {
        runtime.block_on(engine.close()).map_err(text)?;
    }
    let (bare, few, many) = rates[ROUNDS / 2];
    let note = format!("{IN_FLIGHT} in flight; one round: {bare:.0} steps/s without, {few:.0} with all of them");
    report.figure("guards.step_ratio", median(added), "ratio", "<= 1.15", note);
    let note = format!("{ABLE} of them able; one round: {few:.0} steps/s with {FEW} agents, {many:.0} with {MANY}");
    report.figure("guards.agents_10000_over_10", median(grown), "ratio", "<= 1.5", note);
    Ok(())
}

/// Everything switched on, with limits that the load does not reach.
fn everything() -> Policy {
    let plenty = SessionLimits {
        handoffs: Some(u32::MAX),
        escalations: Some(u32::MAX),
        tokens: Some(u64::MAX / 4),
        cost: Some(1e12),
        ..SessionLimits::default()
    };
    let limit = Limit { tokens: Some(u64::MAX / 4), cost: Some(1e12), ..Limit::default() };
    let mut policy = Policy { limits: plenty, ..Policy::default() };
    policy.loops = Loops { pair_per_minute: u32::MAX, ..Loops::default() };
    policy.budgets.tenant = Some(limit);
    policy.budgets.agent = Some(limit);
    policy.approvals = vec![ApprovalRule {
        name: "dear".into(),
        when: When {
            expression: Some("handoff.risk == 'high' && handoff.payload.passengers > 8".into()),
            ..When::default()
        },
        approvers: Vec::new(),
        on_expiry: Default::default(),
    }];
    policy.routing.strategy = Strategy::BestMatch;
    policy
}

async fn open(place: &Path, agents: usize, guarded: bool) -> Result<Engine, String> {
    let policy = if guarded { everything() } else { Policy::without_guards() };
    let engine = Engine::open_with(place.join("bench.db"), Options { policy, ..Options::default() }).await;
    let engine = engine.map_err(text)?;
    let mut profiles = vec![Profile::named("planner").map_err(text)?];
    for i in 0..agents {
        let field = if i < ABLE { "flights".to_owned() } else { format!("field-{}", i / ABLE) };
        let about = format!("Does {field} for clients of all kinds, number {i}");
        profiles.push(Profile::named(&format!("agent-{i}")).map_err(text)?.can_at(&field, 0.9).about(&field, &about));
    }
    // Together: whoever registers ten thousand agents one by one waits for as many syncs.
    let registering = profiles.into_iter().map(|profile| {
        let engine = engine.clone();
        tokio::spawn(async move {
            engine.register_profile(profile.kind(AgentKind::Worker).at_once(1_000_000)).await.map_err(text)
        })
    });
    for task in registering.collect::<Vec<_>>() {
        task.await.map_err(text)??;
    }
    Ok(engine)
}

/// Steps per second.
async fn measure(engine: &Engine, round: usize, guarded: bool, time: Duration) -> Result<f64, String> {
    let name = format!("busy-{round}");
    let work = move |engine: Engine, session: SessionId, n: usize, i: u64| async move {
        handoff(&engine, &session, n, i, guarded).await.map(|_| ())
    };
    Ok(load::busy_with(engine, &name, IN_FLIGHT, time, work).await?.steps_per_s)
}

/// One handoff of three steps: to an agent that is named, or to one that is found.
async fn handoff(engine: &Engine, session: &SessionId, n: usize, i: u64, found: bool) -> Result<AgentId, String> {
    let mut request = load::request(i)?;
    request.to_agent = None;
    if found {
        request.capability = Some("flights".into());
    } else {
        request.to_agent = Some(AgentId::new(format!("agent-{}", n % ABLE)).map_err(text)?);
    }
    let answer = engine.initiate(session, request).await.map_err(text)?;
    let id = answer.handoffs.first().copied().ok_or("no handoff was made")?;
    let to = engine.handoff(id).await.map_err(text)?.to_agent.clone();
    let assignment = engine.accept(id, &to, None, None).await.map_err(text)?;
    engine.give_back(id, assignment.lease, load::giving(), None).await.map_err(text)?;
    Ok(to)
}

/// How far the furthest of four equals is from the mean when many sessions are busy at once.
async fn load_spread() -> Result<f64, String> {
    let place = folder()?;
    let engine = open(place.path(), EQUALS, true).await?;
    let left = Arc::new(AtomicU64::new(SHARED));
    let mut tasks = Vec::new();
    for n in 0..16 {
        let session = load::session(&engine, &format!("shared-{n}"), 2).await?;
        let (engine, left) = (engine.clone(), left.clone());
        tasks.push(tokio::spawn(async move {
            let mut counts: BTreeMap<AgentId, u64> = BTreeMap::new();
            while let Ok(i) = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)) {
                *counts.entry(handoff(&engine, &session, n, i, true).await?).or_default() += 1;
            }
            Ok::<_, String>(counts)
        }));
    }
    let mut counts: BTreeMap<AgentId, u64> = BTreeMap::new();
    for task in tasks {
        for (agent, count) in task.await.map_err(text)?? {
            *counts.entry(agent).or_default() += count;
        }
    }
    engine.close().await.map_err(text)?;
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let (mean, counts) =
        (SHARED as f64 / EQUALS as f64, counts.values().map(|count| *count as f64).collect::<Vec<_>>());
    let idle = if counts.len() < EQUALS { 1.0 } else { 0.0 };
    Ok(counts.iter().map(|count| (count - mean).abs() / mean).fold(idle, f64::max))
}

/// How often the right agent is the first, or among the first three, by the text of the task alone.
fn by_text(report: &mut Report) -> Result<(), String> {
    report.doing("tasks of the routing table, by their text");
    let root = crate::run::root().join("testdata/routing");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"));
    let profiles: Vec<Profile> = serde_json::from_str(&read("agents.json")?).map_err(text)?;
    let mut agents = TextIndex::default();
    profiles.iter().for_each(|profile| agents.put(profile));
    let (mut total, mut first, mut three) = (0.0, 0.0, 0.0);
    for line in read("tasks.tsv")?.lines().skip(1) {
        let (right, task) = line.split_once('\t').ok_or("a task has no agent")?;
        let found = agents.rank(task, 3);
        let place = found.iter().position(|found| found.agent.as_str() == right);
        total += 1.0;
        first += f64::from(place == Some(0));
        three += f64::from(place.is_some());
    }
    let note = format!("{total} tasks over {} agents, the first that semantic finds", agents.len());
    report.figure("routing.semantic_top1", first / total, "share", "", note);
    report.figure(
        "routing.semantic_top3",
        three / total,
        "share",
        ">= 0.9",
        "the right one among the first three".into(),
    );
    Ok(())
}
