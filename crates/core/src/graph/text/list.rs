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
        |(at, node): &(usize, &Node)| !ended[*at] || !node.detail.is_empty() || !signs.mark(node.standing()).is_empty();
    let told: Vec<&Node> = graph.nodes.iter().enumerate().filter(telling).map(|(_, node)| node).collect();
    let widest = told.iter().map(|node| columns(&node.label)).max().unwrap_or(0).min(width / 2);
    let line = |node: &&Node| {
        let label = if node.detail.is_empty() { node.label.clone() } else { padded(&node.label, widest, signs) };
        let mark = signs.mark(node.standing());
        let mark = if mark.is_empty() { "  " } else { mark };
        let text = format!("{mark}{label}  {}", node.detail);
        tinted(&cut(text.trim_end(), width, signs.cut), Tone::of_mark(node.standing()), colour)
    };
    told.iter().map(line).collect()
}

/// The arrows, each in one line where all fit, and otherwise in two.
fn edge_lines(graph: &Graph, width: usize, signs: &Signs, colour: bool) -> Vec<String> {
    let ways = ways(graph, width, signs);
    let tails = tails(graph, signs);
    let joined: Vec<String> =
        ways.iter().zip(&tails).map(|(way, tail)| format!("{way}  {tail}").trim_end().to_owned()).collect();
    let fits = joined.iter().all(|line| columns(line) <= width);
    let mut lines = Vec::new();
    for (at, edge) in graph.edges.iter().enumerate() {
        let tone = Tone::of_edge(edge);
        if fits {
            lines.push(tinted(&joined[at], tone, colour));
            continue;
        }
        lines.push(tinted(ways[at].trim_end(), tone, colour));
        let words = [edge.words(signs.times), edge.kind.word().to_owned(), edge.detail.clone()];
        let words: Vec<String> = words.into_iter().filter(|text| !text.is_empty()).collect();
        if !words.is_empty() {
            let text = format!("      {}", words.join(if signs.unicode { " · " } else { " - " }));
            lines.push(tinted(&cut(&text, width, signs.cut), tone, colour));
        }
    }
    lines
}

/// From where to where, in columns.
fn ways(graph: &Graph, width: usize, signs: &Signs) -> Vec<String> {
    let name = |node: usize| graph.nodes[node].label.as_str();
    let widest = |nodes: &mut dyn Iterator<Item = usize>| nodes.map(|node| columns(name(node))).max().unwrap_or(0);
    // The blanks and the arrow are never cut.
    let room = (width - 7) / 2;
    let from = widest(&mut graph.ends.iter().map(|ends| ends.0)).min(room);
    let to = widest(&mut graph.ends.iter().map(|ends| ends.1)).min(room);
    let way = |(source, target, edge): (usize, usize, &Edge)| {
        let (source, target) = (padded(name(source), from, signs), padded(name(target), to, signs));
        format!("  {source} {} {target}", signs.arrow(edge.kind))
    };
    graph.lines().map(way).collect()
}

/// What there is to say of each arrow, in columns.
fn tails(graph: &Graph, signs: &Signs) -> Vec<String> {
    let parts = |edge: &Edge| [edge.times(signs.times), edge.label.clone(), edge.kind.word().to_owned()];
    let rows: Vec<[String; 3]> = graph.edges.iter().map(parts).collect();
    let widest = |column: usize| rows.iter().map(|row| columns(&row[column])).max().unwrap_or(0);
    let wide = [widest(0), widest(1), widest(2)];
    let tail = |(row, edge): (&[String; 3], &Edge)| {
        let filled = row.iter().zip(wide).filter(|(_, wide)| *wide > 0).map(|(text, wide)| padded(text, wide, signs));
        filled.chain([edge.detail.clone()]).collect::<Vec<String>>().join("  ")
    };
    rows.iter().zip(&graph.edges).map(tail).collect()
}

/// The text in exactly so many columns.
fn padded(text: &str, width: usize, signs: &Signs) -> String {
    let text = cut(text, width, signs.cut);
    let blanks = width - columns(&text).min(width);
    text + &" ".repeat(blanks)
}
