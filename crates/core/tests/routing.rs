//! How often a task text finds the agent that a person would give it to, over the tables in `testdata/routing`.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on says so")]

use handover_core::{agent::Profile, route::text::TextIndex};

const AGENTS: &str = include_str!("../../../testdata/routing/agents.json");
const TASKS: &str = include_str!("../../../testdata/routing/tasks.tsv");
const SECOND_AGENTS: &str = include_str!("../../../testdata/routing/second_agents.json");
const SECOND_TASKS: &str = include_str!("../../../testdata/routing/second_tasks.tsv");

/// The shares of tasks, at least, whose agent comes first, and whose agent is among the first three.
struct Floor {
    first: f64,
    three: f64,
}

#[test]
fn tasks_find_their_agents() {
    measure(AGENTS, TASKS, &Floor { first: 0.71, three: 0.88 });
}

/// Other fields, in the words of people who do not name the one that they need.
#[test]
fn the_second_table() {
    measure(SECOND_AGENTS, SECOND_TASKS, &Floor { first: 0.65, three: 0.84 });
}

fn measure(agents: &str, tasks: &str, floor: &Floor) {
    let profiles: Vec<Profile> = serde_json::from_str(agents).expect("the agents are profiles");
    let mut index = TextIndex::default();
    profiles.iter().for_each(|profile| index.put(profile));
    let tasks: Vec<(&str, &str)> = tasks.lines().skip(1).filter_map(|line| line.split_once('\t')).collect();
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
    assert!(share(first) >= floor.first && share(three) >= floor.three, "{figures}");
}
