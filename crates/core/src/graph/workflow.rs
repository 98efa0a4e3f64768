//! The drawing of a workflow: its states, and the rules that lead from one to the next.

use super::{Edge, EdgeKind, Graph, Mark, Node, NodeKind};
use crate::{
    session::Session,
    workflow::{End, Rule, Workflow},
};
use std::collections::BTreeSet;

/// Draws a workflow. Where a session is given, the state that it is in is marked.
#[must_use]
pub fn of_workflow(workflow: &Workflow, session: Option<&Session>) -> Graph {
    let mut graph = Graph::new(&workflow.name);
    let present = session.and_then(|session| session.flow.as_ref());
    for name in in_order(workflow) {
        let Some(state) = workflow.states.get(name) else { continue };
        let kind = match state.end {
            Some(End::Completed) => NodeKind::End { good: true },
            Some(End::Failed) => NodeKind::End { good: false },
            None if *name == workflow.start => NodeKind::Start,
            None => NodeKind::State,
        };
        let mark = match present {
            Some(flow) if flow.state == *name && flow.ended == Some(End::Failed) => Mark::Bad,
            Some(flow) if flow.state == *name && flow.ended.is_some() => Mark::Good,
            Some(flow) if flow.state == *name => Mark::Active,
            _ => Mark::Usual,
        };
        let detail = state.agent.as_ref().map(ToString::to_string).unwrap_or_default();
        graph.node(Node::new(name, kind).detail(&detail).mark(mark));
    }
    for rule in &workflow.rules {
        of_rule(workflow, rule, &mut graph);
    }
    for (from, all) in &workflow.transitions {
        for to in all {
            graph.edge(Edge::new(from, to).detail("moved by its agent"));
        }
    }
    graph
}

/// The states as the work goes through them: from the start, then along the rules as they stand in the file.
fn in_order(workflow: &Workflow) -> Vec<&String> {
    let mut seen: BTreeSet<&String> = BTreeSet::new();
    let mentioned = workflow.rules.iter().filter_map(|rule| rule.next_state.as_ref());
    let ends = |state: &&String| workflow.end_of(state).is_some();
    let all: Vec<&String> = std::iter::once(&workflow.start).chain(mentioned).chain(workflow.states.keys()).collect();
    let (last, first): (Vec<_>, Vec<_>) = all.into_iter().filter(|state| seen.insert(*state)).partition(ends);
    first.into_iter().chain(last).collect()
}

/// A rule leads from the states of its agent. An agent without a state of its own sees to the states that were left to
/// it: its rules are drawn from a box of its own.
fn of_rule(workflow: &Workflow, rule: &Rule, graph: &mut Graph) {
    let own: Vec<&String> = workflow
        .states
        .iter()
        .filter(|(_, state)| state.agent.as_ref() == Some(&rule.from))
        .map(|(name, _)| name)
        .collect();
    let helper =
        |agent: &crate::ids::AgentId| !workflow.states.values().any(|state| state.agent.as_ref() == Some(agent));
    let target = match (&rule.to, &rule.next_state) {
        (Some(to), _) if helper(to) => {
            graph.node(Node::agent(to.as_str()));
            to.as_str()
        }
        (_, Some(next)) => next,
        (_, None) => return,
    };
    let sources: Vec<&str> = if own.is_empty() { vec![rule.from.as_str()] } else { last_of(workflow, &own, rule) };
    let kind = match rule {
        Rule { retry: Some(_), .. } => EdgeKind::Retry,
        Rule { to: Some(to), .. } if helper(to) => EdgeKind::Error,
        _ => EdgeKind::Usual,
    };
    for from in sources {
        graph.edge(Edge::new(from, target).label(&rule.id).detail(&rule.reason).kind(kind));
    }
}

/// Of several states of one agent, those in which its work ends: an agent that moves on itself ends in the last of them.
fn last_of<'a>(workflow: &Workflow, own: &[&'a String], rule: &Rule) -> Vec<&'a str> {
    let moves_on =
        |state: &str| workflow.transitions.get(state).is_some_and(|next| next.iter().any(|to| own.contains(&to)));
    // What comes when the time of a state is over comes in that state alone.
    let late = |state: &str| workflow.states.get(state).and_then(|state| state.on_timeout.as_ref());
    let by_time: Vec<&str> = own
        .iter()
        .map(|state| state.as_str())
        .filter(|state| late(state).is_some_and(|signal| rule.trigger_state == [signal.clone()]))
        .collect();
    if !by_time.is_empty() {
        return by_time;
    }
    let helper = rule.to.as_ref().is_some_and(|to| !workflow.states.values().any(|s| s.agent.as_ref() == Some(to)));
    own.iter().filter(|state| helper || !moves_on(state)).map(|state| state.as_str()).collect()
}
