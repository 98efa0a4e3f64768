//! The lines of a terminal drawing: all arrows between the same two boxes share one.

use super::{canvas::Tone, signs::Signs};
use crate::graph::{
    EdgeKind, Graph,
    layout::Line,
    measure::{columns, cut},
};
use crate::limits::GRAPH_LABEL_COLUMNS_MAX;
use std::collections::BTreeMap;

/// A line between two boxes.
pub(super) struct Wire {
    pub from: usize,
    pub to: usize,
    /// Arrows from `from` to `to`, and those the other way.
    ahead: Vec<usize>,
    reverse: Vec<usize>,
    pub tone: Tone,
    pub label: String,
    /// Whether the label says all that its arrows say.
    pub complete: bool,
}

impl Wire {
    /// As the layout sees it.
    pub fn line(&self, labels: bool, graph: &Graph) -> Line {
        let back = self.ahead.iter().all(|edge| graph.edges[*edge].kind.goes_back());
        Line { from: self.from, to: self.to, labelled: labels && !self.label.is_empty(), back }
    }

    /// Writes what stands beside the line. A return says nothing of its own where something else does. The label is as wide
    /// whichever way the line is turned.
    pub fn relabel(&mut self, turned: bool, graph: &Graph, signs: &Signs) {
        let words = |edges: &[usize]| {
            let said = edges.iter().map(|edge| graph.edges[*edge].words(signs.times)).filter(|text| !text.is_empty());
            said.collect::<Vec<String>>().join(", ")
        };
        let (there, back) = (words(&self.ahead), words(&self.reverse));
        let only_returns = self.reverse.iter().all(|edge| graph.edges[*edge].kind == EdgeKind::Return);
        let text = if only_returns {
            if there.is_empty() { back } else { there }
        } else {
            let (ahead, reverse) = if turned { (signs.up, signs.down) } else { (signs.down, signs.up) };
            let parts = [(ahead, there), (reverse, back)].into_iter().filter(|(_, text)| !text.is_empty());
            parts.map(|(arrow, text)| format!("{arrow} {text}")).collect::<Vec<String>>().join("  ")
        };
        self.complete = columns(&text) <= GRAPH_LABEL_COLUMNS_MAX;
        self.label = cut(&text, GRAPH_LABEL_COLUMNS_MAX, signs.cut);
    }

    /// Whether an arrow points down, and whether one points up.
    pub fn points(&self, turned: bool) -> (bool, bool) {
        let (ahead, reverse) = (!self.ahead.is_empty(), !self.reverse.is_empty());
        if turned { (reverse, ahead) } else { (ahead, reverse) }
    }
}

/// The lines of a graph, without ways from a box to itself.
pub(super) fn wires(graph: &Graph, signs: &Signs) -> Vec<Wire> {
    let mut wires: Vec<Wire> = Vec::new();
    let mut known: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    // What leads ahead decides where a line begins.
    for ahead in [true, false] {
        for (at, (from, to, edge)) in graph.lines().enumerate() {
            if from == to || edge.kind.goes_back() == ahead {
                continue;
            }
            let wire = *known.entry((from.min(to), from.max(to))).or_insert(wires.len());
            if wire == wires.len() {
                let tone = Tone::of_edge(edge);
                let (ahead, reverse) = (Vec::new(), Vec::new());
                wires.push(Wire { from, to, ahead, reverse, tone, label: String::new(), complete: true });
            }
            let wire = &mut wires[wire];
            if wire.from == from {
                wire.ahead.push(at);
            } else {
                wire.reverse.push(at);
            }
            if wire.tone != Tone::of_edge(edge) && edge.kind != EdgeKind::Return {
                wire.tone = Tone::Plain;
            }
        }
    }
    wires.iter_mut().for_each(|wire| wire.relabel(false, graph, signs));
    wires
}
