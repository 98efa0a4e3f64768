//! The drawing of a team: who hands over to whom, how often, and who is at work.

use super::{Edge, Graph, Mark, Node, NodeKind};

/// An agent, and what it has to do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Load<'a> {
    /// Who.
    pub agent: &'a str,
    /// Whether this is a person.
    pub is_person: bool,
    /// Handoffs that it works on.
    pub running: u64,
    /// Handoffs that wait for it.
    pub waiting: u64,
    /// How many it takes at once; 0 where nothing is known.
    pub at_once: u64,
}

/// Who hands over to whom and how often, with what everybody has to do. Agents are shown in the order given, loads first.
pub fn of_team<'a>(
    title: &str,
    loads: impl IntoIterator<Item = Load<'a>>,
    pairs: impl IntoIterator<Item = (&'a str, &'a str, u64)>,
) -> Graph {
    let mut graph = Graph::new(title);
    for load in loads {
        let kind = if load.is_person { NodeKind::Person } else { NodeKind::Agent };
        graph.node(Node::new(load.agent, kind).detail(&words(&load)).mark(mark(&load)));
    }
    for (from, to, count) in pairs {
        graph.edge(Edge::new(from, to).count(count));
    }
    graph
}

fn mark(load: &Load<'_>) -> Mark {
    match (load.running, load.waiting) {
        (0, 0) => Mark::Usual,
        (0, _) => Mark::Waiting,
        _ => Mark::Active,
    }
}

fn words(load: &Load<'_>) -> String {
    let mut parts = Vec::new();
    match (load.running, load.at_once) {
        (0, _) => {}
        (running, 0) => parts.push(format!("{running} running")),
        (running, most) => parts.push(format!("{running} of {most} running")),
    }
    if load.waiting > 0 {
        parts.push(format!("{} waiting", load.waiting));
    }
    parts.join(" · ")
}
