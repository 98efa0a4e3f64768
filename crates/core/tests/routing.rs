//! How often a task text finds the agent that a person would give it to, over the table in `testdata/routing`.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on says so")]

use handover_core::{agent::Profile, route::text::TextIndex};

const AGENTS: &str = include_str!("../../../testdata/routing/agents.json");
const TASKS: &str = include_str!("../../../testdata/routing/tasks.tsv");

/// The share of tasks whose agent comes first, at least.
const FIRST_MIN: f64 = 0.69;
/// The share of tasks whose agent is among the first three, at least.
const THREE_MIN: f64 = 0.86;

#[test]
fn tasks_find_their_agents() {
    let profiles: Vec<Profile> = serde_json::from_str(AGENTS).expect("agents.json holds profiles");
    let mut index = TextIndex::default();
    profiles.iter().for_each(|profile| index.put(profile));
    let tasks: Vec<(&str, &str)> = TASKS.lines().skip(1).filter_map(|line| line.split_once('\t')).collect();
    let (mut first, mut three, mut misses) = (0, 0, String::new());
    for (wanted, task) in &tasks {
        let found = index.rank(task, 3);
        let place = found.iter().position(|found| found.agent.as_str() == *wanted);
        first += usize::from(place == Some(0));
        three += usize::from(place.is_some());
        if place != Some(0) {
            misses += &format!("{wanted}: {task}\n");
            found.iter().for_each(|f| misses += &format!("    {:.3} {} {:?}\n", f.score, f.agent, f.because));
        }
    }
    let share = |count: usize| count as f64 / tasks.len() as f64;
    let figures = format!("{} tasks, first {:.3}, among three {:.3}", tasks.len(), share(first), share(three));
    println!("{misses}\n{figures}");
    assert!(share(first) >= FIRST_MIN && share(three) >= THREE_MIN, "{figures}");
}
