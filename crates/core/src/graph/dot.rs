//! The graph for Graphviz.

use super::{Edge, EdgeKind, Graph, Mark, Node, NodeKind};
use std::fmt::Write;

/// The graph in the language of Graphviz. Ids are numbers, and labels are quoted and escaped, so no name can break it.
#[must_use]
pub fn dot(graph: &Graph) -> String {
    let mut out = String::from("digraph handover {\n    rankdir=TB\n    bgcolor=\"transparent\"\n");
    let lines = [Some(graph.title.clone()).filter(|title| !title.is_empty()), graph.note()];
    let heading: Vec<String> = lines.iter().flatten().map(|line| escaped(line)).collect();
    if !heading.is_empty() {
        let _ = writeln!(out, "    labelloc=t\n    label=\"{}\"", heading.join("\\n"));
    }
    out.push_str("    graph [fontname=\"Helvetica\", fontsize=16]\n");
    out.push_str("    node [fontname=\"Helvetica\", fontsize=12, style=\"filled,rounded\", margin=\"0.2,0.1\"]\n");
    out.push_str("    edge [fontname=\"Helvetica\", fontsize=10, color=\"#64748b\", fontcolor=\"#334155\"]\n");
    for (at, node) in graph.nodes.iter().enumerate() {
        let _ = writeln!(out, "    n{at} [{}]", box_of(node));
    }
    for (from, to, edge) in graph.lines() {
        let _ = writeln!(out, "    n{from} -> n{to}{}", arrow(edge));
    }
    out.push_str("}\n");
    out
}

fn box_of(node: &Node) -> String {
    let mut text = escaped(&node.label);
    if !node.detail.is_empty() {
        let _ = write!(text, "\\n{}", escaped(&node.detail));
    }
    let shape = match node.kind {
        NodeKind::Agent => "shape=box",
        NodeKind::Person => "shape=box, peripheries=2",
        NodeKind::State => "shape=box, style=filled",
        NodeKind::Start => "shape=oval, style=filled",
        NodeKind::End { .. } => "shape=oval, style=filled, peripheries=2",
        NodeKind::Group => "shape=box3d, style=filled",
    };
    let (fill, line) = match (node.standing(), node.kind) {
        (Mark::Good, _) => ("#dcfce7", "#16a34a"),
        (Mark::Bad, _) => ("#fee2e2", "#dc2626"),
        (Mark::Active, _) => ("#cffafe", "#0891b2"),
        (Mark::Waiting, _) => ("#fef3c7", "#d97706"),
        (Mark::Usual, NodeKind::Agent) => ("#eef2ff", "#6366f1"),
        (Mark::Usual, NodeKind::Person) => ("#fdf4ff", "#c026d3"),
        (Mark::Usual, NodeKind::State | NodeKind::Start | NodeKind::End { .. } | NodeKind::Group) => {
            ("#f8fafc", "#64748b")
        }
    };
    format!("label=\"{text}\", {shape}, fillcolor=\"{fill}\", color=\"{line}\"")
}

fn arrow(edge: &Edge) -> String {
    let mut parts = Vec::new();
    let words = [edge.words('×'), edge.kind.word().to_owned(), edge.detail.clone()];
    let words: Vec<String> = words.iter().filter(|text| !text.is_empty()).map(|text| escaped(text)).collect();
    if !words.is_empty() {
        parts.push(format!("label=\"{}\"", words.join("\\n")));
    }
    match edge.kind {
        EdgeKind::Usual | EdgeKind::Broadcast | EdgeKind::Error => {}
        EdgeKind::Delegation | EdgeKind::Escalation => parts.push("penwidth=2".to_owned()),
        // What leads back must not push its target down.
        EdgeKind::Back | EdgeKind::Retry | EdgeKind::Return => parts.push("style=dashed, constraint=false".to_owned()),
    }
    let colour = match edge.standing() {
        Mark::Bad => Some("#dc2626"),
        Mark::Good => Some("#16a34a"),
        Mark::Active => Some("#0891b2"),
        Mark::Waiting => Some("#d97706"),
        Mark::Usual => None,
    };
    parts.extend(colour.map(|colour| format!("color=\"{colour}\"")));
    if parts.is_empty() { String::new() } else { format!(" [{}]", parts.join(", ")) }
}

/// A quoted text of Graphviz ends at a quote, acts on backslashes, and reads entities of HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('\\', "\\\\").replace('"', "\\\"")
}
