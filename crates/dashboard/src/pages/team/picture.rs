//! The flow graph of the team: arrows as thick as often, coloured by how well.

use crate::{
    ask::Ask,
    parts,
    pulse::{Figures, real},
};
use handover_core::{
    agent::{Agent, AgentKind, Standing},
    graph::{Edge, Graph, Mark, Node, NodeKind},
    guard::breaker::BreakerState,
    ids::AgentId,
    limits::{GRAPH_EDGES_MAX, TEAM_DRAWN_MAX},
};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

type Pair = (AgentId, AgentId);

pub(super) fn card(ask: &Ask, agents: &[Agent]) -> Markup {
    let caller = ask.engine.caller();
    let restricted = caller.is_restricted();
    let mut pairs: Vec<(Pair, Figures)> = if restricted {
        Vec::new()
    } else {
        ask.house.pulse.look(&caller.tenant, |tenant, _, _| tenant.pairs.all(ask.now)).into_iter().collect()
    };
    pairs.sort_by_key(|(_, figures)| std::cmp::Reverse(figures.opened.max(figures.ended())));
    let left_alone: BTreeSet<AgentId> = ask
        .engine
        .breakers()
        .into_iter()
        .filter(|(_, breaker)| breaker.state != BreakerState::Closed)
        .map(|(agent, _)| agent)
        .collect();
    let graph = draw(agents, &pairs, &left_alone);
    html! {
        section.card data-part="flow" {
            header { h2 { "Who hands over to whom" } a.small.off-paper href="#agents" { "Load of each" } @if let Some(note) = graph.note() { span.soft.small.push { (note) } } }
            @if pairs.is_empty() { p.soft { @if restricted { "Who hands over to whom is for those who see all sessions of their tenant." } @else { "Nothing was handed over lately. Arrows come with the first handoff." } } }
            (parts::picture(&graph, "Flow of the team"))
            (legend())
            @if agents.len() > TEAM_DRAWN_MAX { p.soft.small { "Drawn are the " (TEAM_DRAWN_MAX) " with the most to do; the table has all." } }
        }
    }
}

fn legend() -> Markup {
    html! {
        ul.legend.flow {
            li { i.good {} "at least 90 of 100 succeed" }
            li { i.off {} "fewer, or none ended yet" }
            li { i.bad {} "fewer than 70" }
            li.soft { "Thicker is more often, and an arrow leads to what went its way · purple boxes are people · red ones are left alone or away" }
        }
    }
}

/// The busiest agents and the ways between them.
fn draw(agents: &[Agent], pairs: &[(Pair, Figures)], left_alone: &BTreeSet<AgentId>) -> Graph {
    let known: BTreeMap<&AgentId, &Agent> = agents.iter().map(|agent| (&agent.profile.id, agent)).collect();
    let drawn = busiest(agents, pairs);
    let mut graph = Graph::new("Flow of the team");
    for id in &drawn {
        let kind = match known.get(id).map(|agent| agent.profile.kind) {
            Some(AgentKind::Human) => NodeKind::Person,
            _ => NodeKind::Agent,
        };
        let node = Node::new(id.as_str(), kind);
        graph.node(match known.get(id) {
            Some(agent) => {
                let alone = left_alone.contains(*id);
                node.detail(&detail(agent, alone)).mark(mark(agent, alone)).link(&parts::agent_url(id))
            }
            None => node.detail("not registered any more"),
        });
    }
    let most = pairs.iter().map(|(_, figures)| figures.opened.max(figures.ended())).max().unwrap_or(1);
    let within = pairs.iter().filter(|((from, to), _)| drawn.contains(&from) && drawn.contains(&to));
    for ((from, to), figures) in within.take(GRAPH_EDGES_MAX) {
        graph.edge(edge(from, to, figures, most));
    }
    graph
}

/// Those who are drawn: of the ways that are gone most, then those who have work, then the others by name.
fn busiest<'a>(agents: &'a [Agent], pairs: &'a [(Pair, Figures)]) -> Vec<&'a AgentId> {
    let by_way = pairs.iter().flat_map(|((from, to), _)| [from, to]);
    let mut rest: Vec<&Agent> = agents.iter().collect();
    rest.sort_by_key(|agent| std::cmp::Reverse(agent.load.saturating_add(agent.waiting)));
    let mut seen = BTreeSet::new();
    let all = by_way.chain(rest.into_iter().map(|agent| &agent.profile.id));
    all.filter(|id| seen.insert(*id)).take(TEAM_DRAWN_MAX).collect()
}

fn edge(from: &AgentId, to: &AgentId, figures: &Figures, most: u64) -> Edge {
    let count = figures.opened.max(figures.ended());
    let mut words = Vec::new();
    words.extend(figures.success().map(crate::pages::overview::percent));
    words.extend(figures.mean_ms().map(parts::length));
    let mark = match figures.tone() {
        "good" => Mark::Good,
        "bad" => Mark::Bad,
        _ => Mark::Usual,
    };
    let link = format!("/handoffs?from={}&to={}", parts::encoded(from.as_str()), parts::encoded(to.as_str()));
    let edge = Edge::new(from.as_str(), to.as_str()).count(count).width(width(count, most)).mark(mark);
    edge.detail(&words.join(" · ")).link(&link)
}

/// From 1 to 5, by how often as a power of the most: ways that are gone seldom can still be told apart.
fn width(count: u64, most: u64) -> u8 {
    let share = real(count.max(1)).ln() / real(most.max(2)).ln();
    [0.2, 0.45, 0.65, 0.85].iter().fold(1, |width, step| width + u8::from(share >= *step))
}

fn mark(agent: &Agent, left_alone: bool) -> Mark {
    match agent.standing {
        _ if left_alone => Mark::Bad,
        Standing::Unavailable => Mark::Bad,
        Standing::Draining => Mark::Waiting,
        Standing::Available if agent.load > 0 => Mark::Active,
        Standing::Available if agent.waiting > 0 => Mark::Waiting,
        Standing::Available => Mark::Usual,
    }
}

fn detail(agent: &Agent, left_alone: bool) -> String {
    let mut words = Vec::new();
    if left_alone {
        words.push("left alone".to_owned());
    }
    match agent.standing {
        Standing::Available => {}
        Standing::Unavailable => words.push("away".to_owned()),
        Standing::Draining => words.push("draining".to_owned()),
    }
    if agent.load > 0 {
        words.push(format!("{} of {} running", agent.load, agent.profile.max_concurrent_tasks));
    }
    if agent.waiting > 0 {
        words.push(format!("{} waiting", agent.waiting));
    }
    words.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn often_is_thick() {
        for (count, most, expected) in
            [(0, 0, 1), (1, 1, 1), (1, 1_000, 1), (10, 1_000, 2), (100, 1_000, 4), (1_000, 1_000, 5), (2, 2, 5)]
        {
            assert_eq!(width(count, most), expected, "{count} of {most}");
        }
    }
}
