//! The list form: one line for each arrow, in columns.

use super::{canvas::Tone, signs::Signs, tinted};
use crate::graph::{
    Edge, Graph, Node,
    measure::{columns, cut},
};

/// Whether an arrow has more to say than a drawing shows.
pub(super) fn needed(edge: &Edge) -> bool {
    !edge.detail.is_empty()
}

/// The lines: the boxes where asked for, as far as their arrows do not say it all, then the arrows.
pub(super) fn lines(graph: &Graph, width: usize, nodes: bool, signs: &Signs, colour: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if nodes {
        lines.extend(node_lines(graph, width, signs, colour));
    }
    if !lines.is_empty() && !graph.edges.is_empty() {
        lines.push(String::new());
    }
    lines.extend(edge_lines(graph, width, signs, colour));
    lines
}

fn node_lines(graph: &Graph, width: usize, signs: &Signs, colour: bool) -> Vec<String> {
    let mut ended = vec![false; graph.nodes.len()];
    for (from, to) in &graph.ends {
        ended[*from] = true;
        ended[*to] = true;
    }
    let telling =
        |(at, node): &(usize, &Node)| !ended[*at] || !node.detail.is_empty() || !signs.mark(node.mark).is_empty();
    let told: Vec<&Node> = graph.nodes.iter().enumerate().filter(telling).map(|(_, node)| node).collect();
    let widest = told.iter().map(|node| columns(&node.label)).max().unwrap_or(0).min(width / 2);
    let line = |node: &&Node| {
        let label = if node.detail.is_empty() { node.label.clone() } else { padded(&node.label, widest, signs) };
        let mark = signs.mark(node.mark);
        let mark = if mark.is_empty() { "  " } else { mark };
        let text = format!("{mark}{label}  {}", node.detail);
        tinted(&cut(text.trim_end(), width, signs.cut), Tone::of_mark(node.mark), colour)
    };
    told.iter().map(line).collect()
}

fn edge_lines(graph: &Graph, width: usize, signs: &Signs, colour: bool) -> Vec<String> {
    let names: Vec<(&str, &str)> =
        graph.lines().map(|(from, to, _)| (graph.nodes[from].label.as_str(), graph.nodes[to].label.as_str())).collect();
    let times: Vec<String> = graph.edges.iter().map(|edge| edge.times(signs.times)).collect();
    let widest = |of: &mut dyn Iterator<Item = &str>| of.map(columns).max().unwrap_or(0);
    // Two blanks, the arrow and a blank on each side of it are never cut.
    let room = (width - 7) / 2;
    let from = widest(&mut names.iter().map(|pair| pair.0)).min(room);
    let to = widest(&mut names.iter().map(|pair| pair.1)).min(room);
    let count = widest(&mut times.iter().map(String::as_str));
    let word = widest(&mut graph.edges.iter().map(|edge| edge.kind.word()));
    let label = widest(&mut graph.edges.iter().map(|edge| edge.label.as_str())).min(width / 3);
    let line = |((edge, names), times): ((&Edge, &(&str, &str)), &String)| {
        let (source, target) = (padded(names.0, from, signs), padded(names.1, to, signs));
        let mut text = format!("  {source} {} {target}", signs.arrow(edge.kind));
        for (part, wide) in [(times.as_str(), count), (&edge.label, label), (edge.kind.word(), word)] {
            if wide > 0 {
                text.push_str("  ");
                text.push_str(&padded(part, wide, signs));
            }
        }
        text.push_str("  ");
        text.push_str(&edge.detail);
        let text = cut(text.trim_end(), width, signs.cut);
        tinted(&text, Tone::of_edge(edge.kind, edge.mark), colour)
    };
    graph.edges.iter().zip(&names).zip(&times).map(line).collect()
}

/// The text in exactly so many columns.
fn padded(text: &str, width: usize, signs: &Signs) -> String {
    let text = cut(text, width, signs.cut);
    let blanks = width - columns(&text).min(width);
    text + &" ".repeat(blanks)
}
