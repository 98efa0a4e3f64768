//! Who plays: agents of every nature, the house they are in, and whose money they spend.

use super::{
    bounds::{FRIENDS, PAIR_PER_MINUTE, RING_MAX, SKILLS},
    rng::Rng,
};
use handover_core::{
    agent::{AgentKind, Profile, Risk},
    budget::{Limit, Period, Price},
    ids::AgentId,
    policy::{Loops, Policy, SessionLimits},
};

/// How an agent behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// Works, sometimes with others, and uses at most what was set aside.
    Honest,
    /// Hands on unchanged.
    Lazy,
    /// Hands the same around in a circle, at best in other words.
    Looper,
    /// Begins as much as it can.
    Spammer,
    /// Uses more than was set aside and asks for more than there is.
    Spender,
    /// Claims what is not its own.
    Liar,
    /// Never answers, or never returns.
    Silent,
    /// Always fails.
    Failing,
    /// Puts off.
    Deferrer,
    /// Says no.
    Rejecter,
    /// A person: late, or never.
    Human,
}

/// A house: what one run of the simulation is like.
#[derive(Debug)]
pub struct House {
    pub name: &'static str,
    /// Whether there is a person who is asked last.
    pub human: bool,
    /// Whether high risks wait for approval.
    pub approvals: bool,
    /// Whether there are agents that spend more than they may.
    pub spenders: bool,
}

pub const HOUSES: [House; 3] = [
    House { name: "with a person and approvals", human: true, approvals: true, spenders: true },
    House { name: "without a person", human: false, approvals: false, spenders: true },
    House { name: "without spenders", human: true, approvals: true, spenders: false },
];

pub const TENANTS: [&str; 4] = ["rich", "middle", "poor", "free"];
/// The book of the house, where breakers are told of.
pub const BOOK: &str = "handover:house";
pub const PERSON: &str = "person";

/// An agent that the simulation plays.
#[derive(Debug)]
pub struct Player {
    pub id: AgentId,
    pub nature: Nature,
    pub friends: Vec<usize>,
    /// The circle that it is in; empty for those who are in none.
    pub ring: Vec<usize>,
}

fn natures(house: &House) -> Vec<(Nature, u64)> {
    vec![
        (Nature::Honest, 48),
        (Nature::Lazy, 8),
        (Nature::Looper, 12),
        (Nature::Spammer, 6),
        (Nature::Spender, if house.spenders { 6 } else { 0 }),
        (Nature::Liar, 6),
        (Nature::Silent, 4),
        (Nature::Failing, 6),
        (Nature::Deferrer, 3),
        (Nature::Rejecter, 3),
    ]
}

/// Everybody, with friends and circles. The person comes last, where there is one.
pub fn players(rng: &mut Rng, house: &House, count: usize) -> Vec<Player> {
    let natures = natures(house);
    let mut players: Vec<Player> = (0..count)
        .map(|i| {
            let id = AgentId::new(format!("a{i}")).unwrap();
            // Few are known to many, as among people: so that the same agent is asked often enough to be noticed.
            let friends = (0..FRIENDS).map(|_| (rng.index(count) * rng.index(count)) / count).collect();
            Player { id, nature: rng.weighted(&natures), friends, ring: Vec::new() }
        })
        .collect();
    let loopers: Vec<usize> = (0..count).filter(|i| players[*i].nature == Nature::Looper).collect();
    let mut rest = loopers.as_slice();
    while rest.len() > 1 {
        let size = usize::try_from(rng.between(2, RING_MAX)).unwrap().min(rest.len());
        let (ring, others) = rest.split_at(size);
        ring.iter().for_each(|i| players[*i].ring = ring.to_vec());
        rest = others;
    }
    if house.human {
        let id = AgentId::new(PERSON).unwrap();
        players.push(Player { id, nature: Nature::Human, friends: Vec::new(), ring: Vec::new() });
    }
    players
}

pub fn profile(rng: &mut Rng, players: &[Player], i: usize) -> Profile {
    let player = &players[i];
    if player.nature == Nature::Human {
        return Profile::of(player.id.clone()).kind(AgentKind::Human).at_once(1_000_000);
    }
    let mut profile = Profile::of(player.id.clone()).kind(AgentKind::Worker);
    profile.max_concurrent_tasks = u32::try_from(rng.between(1, 6)).unwrap();
    for _ in 0..rng.between(1, 3) {
        let skill = skill(rng);
        if profile.proficiency(&skill).is_none() {
            profile = profile.can(&skill);
        }
    }
    profile = profile.may_risk(*rng.pick(&[Risk::Low, Risk::Medium, Risk::High, Risk::High]));
    if i > 0 && rng.chance(50) {
        profile.escalates_to = Some(players[rng.index(i)].id.clone());
    }
    if rng.chance(12) {
        profile = profile.budget(agent_limit(rng));
    }
    if rng.chance(20) {
        profile = profile.model("swift");
    }
    profile
}

pub fn skill(rng: &mut Rng) -> String {
    format!("skill-{}", rng.below(SKILLS))
}

fn agent_limit(rng: &mut Rng) -> Limit {
    let per = *rng.pick(&[Period::Total, Period::Hour, Period::Day]);
    let tokens = rng.chance(80).then(|| rng.between(500, 20_000));
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let cost = rng.chance(40).then(|| rng.between(10, 400) as f64 / 100.0);
    Limit { tokens, cost, time_ms: None, per }
}

pub fn policy(house: &House) -> Policy {
    let mut policy = Policy {
        loops: Loops { pair_per_minute: PAIR_PER_MINUTE, ..Loops::default() },
        human: house.human.then(|| AgentId::new(PERSON).unwrap()),
        approval_from_risk: house.approvals.then_some(Risk::High),
        ..Policy::default()
    };
    let limit = |tokens, cost, per| Limit { tokens, cost, time_ms: None, per };
    let tenants = [
        ("rich", limit(Some(50_000_000), None, Period::Month)),
        ("middle", limit(Some(400_000), Some(60.0), Period::Day)),
        ("poor", limit(Some(30_000), Some(4.0), Period::Total)),
    ];
    policy.budgets.tenants = tenants.into_iter().map(|(name, limit)| (name.to_owned(), limit)).collect();
    policy.budgets.prices.insert("swift".into(), Price { input: 1.0, output: 5.0 });
    let far = SessionLimits { handoffs: Some(40), escalations: Some(12), chain: Some(30), ..SessionLimits::default() };
    let short = SessionLimits { handoffs: Some(20), chain: Some(4), ..SessionLimits::default() };
    let small = SessionLimits { tokens: Some(3_000), cost: Some(0.5), ..far };
    let quick = SessionLimits { time_ms: Some(90_000), ..far };
    for (name, limits) in [("far", far), ("short", short), ("small", small), ("quick", quick)] {
        policy.workflows.insert(name.into(), limits);
    }
    policy
}
