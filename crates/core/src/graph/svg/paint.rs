//! Painting: boxes, lines with their heads, and the texts beside them.

use super::{
    escaped,
    path::smooth,
    ports::ports,
    scene::{LABEL_LINE, LOOP, Scene},
};
use crate::graph::{Edge, EdgeKind, Graph, Mark, Node, NodeKind, layout::Slot};
use std::fmt::Write;

/// Length of the head of an arrow, in pixels.
const HEAD: usize = 9;

/// All lines. They come first, so that nothing is hidden by them.
pub(super) fn edges(graph: &Graph, scene: &Scene, out: &mut String) {
    let ports = ports(scene);
    for (at, (from, to, edge)) in graph.lines().enumerate() {
        let told = escaped(&tooltip(graph, from, to, edge));
        if !edge.link.is_empty() {
            let _ = writeln!(out, "<a href=\"{}\" aria-label=\"{told}\">", escaped(&edge.link));
        }
        let _ = writeln!(out, "<g class=\"{}\"><title>{told}</title>", classes(edge));
        let (path, head) = match scene.line_of[at] {
            Some(line) => curve(scene, line, ports[line]),
            None => around(scene, from, scene.top(from) + scene.loops[at]),
        };
        let _ = writeln!(out, "<path class=\"hg-line\" d=\"{path}\"/><path class=\"hg-head\" d=\"{head}\"/></g>");
        out.push_str(if edge.link.is_empty() { "" } else { "</a>\n" });
    }
}

/// A line from its upper box to its lower one, and the head at the end it points to.
fn curve(scene: &Scene, line: usize, (start, end): (usize, usize)) -> (String, String) {
    let chain = &scene.layout.chains[line];
    let (upper, lower) = (chain[0], chain[chain.len() - 1]);
    let turned = scene.layout.turned[line];
    let first = scene.top(upper) + scene.boxes[upper].high + if turned { HEAD } else { 0 };
    let last = scene.top(lower) - if turned { 0 } else { HEAD };
    let mut points = vec![(start, first)];
    for slot in &chain[1..chain.len() - 1] {
        let (top, bottom) = scene.bands[scene.layer_of[*slot]];
        // Between boxes a line goes straight down; between texts it need not.
        if scene.layout.layers[scene.layer_of[*slot]].iter().any(|slot| scene.layout.is_node(*slot)) {
            points.extend([(scene.x[*slot], top), (scene.x[*slot], bottom)]);
        } else {
            points.push((scene.x[*slot], usize::midpoint(top, bottom)));
        }
    }
    points.push((end, last));
    let head = if turned {
        format!("M{start} {}l-4.5 {HEAD}h9z", first - HEAD)
    } else {
        format!("M{end} {}l-4.5 -{HEAD}h9z", last + HEAD)
    };
    (smooth(&points), head)
}

/// A way from a box to itself, at its right side.
fn around(scene: &Scene, node: usize, middle: usize) -> (String, String) {
    let right = scene.x[node] + scene.boxes[node].wide / 2;
    let (out, back, far) = (middle - 9, middle + 9, right + LOOP);
    let path = format!("M{right} {out}C{far} {} {far} {} {} {back}", out - 8.min(out), back + 8, right + HEAD);
    (path, format!("M{right} {back}l{HEAD} -4.5v9z"))
}

/// The texts beside the lines, above everything else.
pub(super) fn labels(graph: &Graph, scene: &Scene, out: &mut String) {
    for (at, (from, _, edge)) in graph.lines().enumerate() {
        let label = &scene.labels[at];
        let high = label.lines.len() * LABEL_LINE;
        let (x, top) = match scene.line_of[at] {
            Some(line) => {
                let here = |slot: &&usize| matches!(scene.layout.slots[**slot], Slot::Label(_));
                let Some(slot) = scene.layout.chains[line].iter().find(here) else { continue };
                let (top, bottom) = scene.bands[scene.layer_of[*slot]];
                (scene.x[*slot], (top + bottom - high) / 2)
            }
            None => {
                let right = scene.x[from] + scene.boxes[from].wide / 2 + LOOP;
                let top = (scene.top(from) + scene.loops[at]).saturating_sub(high / 2);
                (right + label.wide / 2, top)
            }
        };
        // Whoever uses no mouse follows the line, whose link has the same words and more.
        if !edge.link.is_empty() {
            let _ = writeln!(out, "<a href=\"{}\" tabindex=\"-1\" aria-hidden=\"true\">", escaped(&edge.link));
        }
        if high > 0 && scene.line_of[at].is_some() {
            let (left, wide) = (x - label.wide / 2, label.wide);
            let _ = writeln!(
                out,
                "<rect class=\"hg-plate\" x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\" rx=\"3\"/>"
            );
        }
        for (row, (text, small)) in label.lines.iter().enumerate() {
            let class = if *small { "hg-label hg-small" } else { "hg-label" };
            let y = top + row * LABEL_LINE + 12;
            let _ = writeln!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(text));
        }
        out.push_str(if edge.link.is_empty() { "" } else { "</a>\n" });
    }
}

/// All boxes.
pub(super) fn nodes(graph: &Graph, scene: &Scene, out: &mut String) {
    for (at, node) in graph.nodes.iter().enumerate() {
        let (size, top) = (&scene.boxes[at], scene.top(at));
        let left = scene.x[at] - size.wide / 2;
        let full = format!("{} {}", node.label, node.detail);
        let link = escaped(&node.link);
        if !link.is_empty() {
            let _ = writeln!(out, "<a href=\"{link}\">");
        }
        let _ = writeln!(out, "<g class=\"{}\"><title>{}</title>", class_of(node), escaped(full.trim()));
        shape(node.kind, (left, top), (size.wide, size.high), out);
        let first = if size.detail.is_empty() { top + size.high / 2 + 5 } else { top + size.high / 2 - 4 };
        let _ =
            writeln!(out, "<text class=\"hg-name\" x=\"{}\" y=\"{first}\">{}</text>", scene.x[at], escaped(&size.name));
        if !size.detail.is_empty() {
            let (x, y, text) = (scene.x[at], first + 18, escaped(&size.detail));
            let _ = writeln!(out, "<text class=\"hg-detail\" x=\"{x}\" y=\"{y}\">{text}</text>");
        }
        out.push_str(if link.is_empty() { "</g>\n" } else { "</g></a>\n" });
    }
}

fn shape(kind: NodeKind, (x, y): (usize, usize), (wide, high): (usize, usize), out: &mut String) {
    let round = match kind {
        NodeKind::Agent => 10,
        NodeKind::Person | NodeKind::Start | NodeKind::End { .. } => high / 2,
        NodeKind::State | NodeKind::Group => 3,
    };
    let mut rect = |class: &str, x: usize, y: usize, less: usize| {
        let (wide, high, round) = (wide - less, high - less, round - round.min(less / 2));
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" rx=\"{round}\"/>"
        );
    };
    if kind == NodeKind::Group {
        rect("hg-box", x + 4, y + 4, 0);
    }
    rect("hg-box", x, y, 0);
    if matches!(kind, NodeKind::End { .. }) {
        rect("hg-inner", x + 4, y + 4, 8);
    }
}

fn class_of(node: &Node) -> &'static str {
    match (node.standing(), node.kind) {
        (Mark::Active, _) => "hg-active",
        (Mark::Good, _) => "hg-good",
        (Mark::Bad, _) => "hg-bad",
        (Mark::Waiting, _) => "hg-waiting",
        (Mark::Usual, NodeKind::Agent) => "hg-agent",
        (Mark::Usual, NodeKind::Person) => "hg-person",
        (Mark::Usual, NodeKind::Start) => "hg-start",
        (Mark::Usual, NodeKind::State | NodeKind::End { .. } | NodeKind::Group) => "hg-state",
    }
}

fn classes(edge: &Edge) -> String {
    let line = match edge.kind {
        EdgeKind::Usual | EdgeKind::Broadcast | EdgeKind::Error => "",
        EdgeKind::Delegation | EdgeKind::Escalation => " hg-strong",
        EdgeKind::Back | EdgeKind::Retry | EdgeKind::Return => " hg-dashed",
    };
    let colour = match edge.standing() {
        Mark::Bad => " hg-edge-bad",
        Mark::Good => " hg-edge-good",
        Mark::Active => " hg-edge-active",
        Mark::Waiting => " hg-edge-waiting",
        Mark::Usual => "",
    };
    let width = if edge.width == 0 { String::new() } else { format!(" hg-w{}", edge.width) };
    format!("hg-edge{line}{colour}{width}")
}

/// All that is known of an arrow, for whoever points at it.
fn tooltip(graph: &Graph, from: usize, to: usize, edge: &Edge) -> String {
    let ends = format!("{} → {}", graph.nodes[from].label, graph.nodes[to].label);
    let parts = [ends, edge.words('×'), edge.kind.word().to_owned(), edge.detail.clone()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<String>>().join(" · ")
}
