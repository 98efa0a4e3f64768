//! The drawing of a workflow with what happens in it: boxes say how many sessions they hold, arrows how often they were gone.

use super::{Counts, in_state, state_url};
use crate::parts;
use handover_core::{
    graph::{self, Edge, Graph, Mark},
    workflow::Workflow,
};
use std::collections::BTreeMap;

/// Draws it. `fired` says how often each rule was used.
pub(super) fn draw(workflow: &Workflow, counts: &Counts, fired: &BTreeMap<String, u64>, chosen: &str) -> Graph {
    let plain = graph::of_workflow(workflow, None);
    let mut graph = Graph::new(plain.title());
    for node in plain.nodes() {
        let Some(count) = counts.get(&node.id) else {
            graph.node(node.clone());
            continue;
        };
        let sessions = match count {
            0 => String::new(),
            1 => "1 session".to_owned(),
            count => format!("{} sessions", in_state(*count)),
        };
        let detail = [node.detail.as_str(), &sessions].into_iter().filter(|part| !part.is_empty());
        let detail = detail.collect::<Vec<_>>().join(" · ");
        let ends = workflow.end_of(&node.id).is_some();
        let mark = if !ends && (*count > 0 || node.id == chosen) { Mark::Active } else { node.mark };
        graph.node(node.clone().detail(&detail).mark(mark).link(&state_url(&workflow.name, &node.id)));
    }
    let most = fired.values().copied().max().unwrap_or(0);
    for edge in plain.edges() {
        graph.edge(gone(edge.clone(), fired, most));
    }
    graph
}

/// An arrow as thick as its rule was used; those that were never used stay thin.
fn gone(edge: Edge, fired: &BTreeMap<String, u64>, most: u64) -> Edge {
    let times = fired.get(&edge.label).copied().unwrap_or(0);
    let width = match times.checked_mul(4).and_then(|four| four.checked_div(most)) {
        None => 0,
        Some(_) if times == 0 => 1,
        Some(share) => u8::try_from(share + 1).unwrap_or(5),
    };
    let rule = format!("rule {}", edge.label);
    let words = match times {
        _ if edge.label.is_empty() => String::new(),
        0 => rule,
        times => format!("{}× {rule}", parts::number(times)),
    };
    if edge.label.is_empty() {
        return edge.width(width);
    }
    // Why a rule is there stands in the table: beside every arrow it would make the drawing wider than any window.
    let place = super::rule_place(&edge.label);
    edge.label(&words).detail("").width(width).link(&format!("#{place}"))
}
