//! Thousands of agents hand over at random, some of them in circles, without end, or with bad intent. Whatever they do:
//! every session ends, no limit is broken, no budget is exceeded, nothing repeats, and everybody gets their return.
//!
//! A run is a function of its seed. `SWARM_SEED=7 cargo test -p handover-engine --test swarm` plays that one alone.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod acts;
mod auditor;
mod books;
mod bounds;
mod cast;
mod checks;
mod lies;
mod nodes;
mod play;
mod rng;
mod sim;
#[allow(dead_code, reason = "shared with the stories of several nodes, which need more of it")]
#[path = "../shared/twin/mod.rs"]
mod twin;

use cast::HOUSES;
use handover_core::refusal::Code;
use sim::{START, Sim};
use std::collections::BTreeMap;

/// Each house is played at least once: the seed says which.
const SEEDS: [u64; 3] = [1, 2, 3];

/// Guards that the mix must reach.
const GUARDS: [Code; 11] = [
    Code::TooManyHandoffs,
    Code::TooManyAgents,
    Code::ChainTooLong,
    Code::Repetition,
    Code::Circle,
    Code::WaitsForYou,
    Code::TooFast,
    Code::BreakerOpen,
    Code::BudgetSpent,
    Code::HandoffsOff,
    Code::TimeSpent,
];

/// What a run came to.
struct Played {
    report: String,
    refused: BTreeMap<&'static str, u64>,
    digest: u64,
}

fn play(seed: u64, agents: usize, sessions: usize) -> Played {
    play_on(1, seed, agents, sessions)
}

fn play_on(nodes: usize, seed: u64, agents: usize, sessions: usize) -> Played {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let house = &HOUSES[usize::try_from(seed).unwrap() % HOUSES.len()];
    runtime.block_on(async {
        let mut sim = Box::pin(Sim::new(seed, house, agents, sessions, nodes)).await;
        Box::pin(sim.play()).await;
        let virtual_hours = sim.now().since(START) / 3_600_000;
        Box::pin(sim.check_end()).await;
        let (books, tally) = (&sim.auditor.books, &sim.tally);
        let report = format!(
            "seed {seed} ({}): {} agents, {} sessions, {} handoffs, {} returns taken, {} breakers opened, {} commands, \
             {} refused, {} restarts, {virtual_hours} virtual hours; those with nothing left used {} tokens",
            house.name,
            sim.players.len(),
            books.sessions.len(),
            books.count,
            books.returns_taken,
            sim.auditor.trips,
            tally.commands,
            tally.refused.values().sum::<u64>(),
            tally.restarts,
            sim.auditor.unfunded.tokens,
        );
        Played { report, refused: tally.refused.clone(), digest: sim.digest }
    })
}

#[test]
fn whatever_they_do_it_ends_within_its_limits() {
    let alone = std::env::var("SWARM_SEED").ok().map(|seed| vec![seed.parse().unwrap()]);
    let all = alone.is_none();
    let seeds: Vec<u64> = alone.unwrap_or_else(|| SEEDS.to_vec());
    let runs: Vec<Played> = std::thread::scope(|scope| {
        let run = |seed: &u64| {
            let seed = *seed;
            scope.spawn(move || play(seed, bounds::AGENTS, bounds::SESSIONS))
        };
        let started: Vec<_> = seeds.iter().map(run).collect();
        started.into_iter().map(|run| run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let mut refused: BTreeMap<&str, u64> = BTreeMap::new();
    for run in &runs {
        println!("{}", run.report);
        run.refused.iter().for_each(|(code, count)| *refused.entry(code).or_default() += count);
    }
    for (code, count) in &refused {
        println!("{code} {count:>7}  {}", code.parse::<Code>().unwrap().title());
    }
    if all {
        let missed: Vec<&str> =
            GUARDS.iter().map(|code| code.text()).filter(|code| !refused.contains_key(code)).collect();
        assert!(missed.is_empty(), "guards that the mix did not reach: {missed:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let (agents, sessions) = bounds::SMALL;
    let (first, second, other) = (play(5, agents, sessions), play(5, agents, sessions), play(6, agents, sessions));
    assert_eq!(first.digest, second.digest, "{}\n{}", first.report, second.report);
    assert_ne!(first.digest, other.digest);
}

/// Each command goes to any of three nodes, two of which never hear what the others write.
#[test]
fn it_ends_within_its_limits_on_three_nodes() {
    let (agents, sessions) = bounds::SMALL;
    for seed in SEEDS {
        println!("{}", play_on(3, seed, agents, sessions).report);
    }
}
