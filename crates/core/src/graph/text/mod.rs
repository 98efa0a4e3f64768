//! A drawing for a terminal: boxes from top to bottom where they fit, and otherwise a list.

mod boxes;
mod canvas;
mod channel;
mod list;
mod signs;
mod ways;
mod wires;

use super::{Graph, measure::cut};
use crate::limits::{GRAPH_ACROSS, GRAPH_WIDTH_MAX, GRAPH_WIDTH_MIN};
use canvas::Tone;
use signs::Signs;

/// What a drawing is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    /// Columns; no line is wider.
    pub width: usize,
    /// Whether it can show more than ASCII. Names are shown as they are in any case.
    pub unicode: bool,
    /// Whether it understands ANSI colours.
    pub colour: bool,
}

impl Terminal {
    /// So many columns, with Unicode and without colours.
    #[must_use]
    pub fn new(width: usize) -> Self {
        Self { width, unicode: true, colour: false }
    }
}

/// The graph as lines of text, each ended by a line break. It is drawn with boxes where that fits the width; what the boxes
/// do not say follows as a list.
#[must_use]
pub fn text(graph: &Graph, terminal: &Terminal) -> String {
    let width = terminal.width.clamp(GRAPH_WIDTH_MIN, GRAPH_WIDTH_MAX);
    let signs = Signs::of(terminal.unicode);
    let plain = (!terminal.unicode).then(|| plain(graph));
    let graph = plain.as_ref().unwrap_or(graph);
    let mut parts: Vec<String> = Vec::new();
    if !graph.title.is_empty() {
        parts.push(tinted(&cut(&graph.title, width, signs.cut), Tone::Title, terminal.colour));
    }
    parts.extend(body(graph, width, &signs, terminal.colour));
    if let Some(note) = graph.note() {
        parts.push(tinted(&cut(&note, width, signs.cut), Tone::Dim, terminal.colour));
    }
    let mut all = parts.join("\n\n");
    if !all.is_empty() {
        all.push('\n');
    }
    all
}

/// The graph with ASCII for the signs that the drawings themselves put into texts. Names stay as they are.
fn plain(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    let details = graph.nodes.iter_mut().map(|node| &mut node.detail);
    for detail in details.chain(graph.edges.iter_mut().map(|edge| &mut edge.detail)) {
        *detail = detail.replace('·', "-").replace('…', "~");
    }
    graph
}

/// The boxes and what they do not say, or the list.
fn body(graph: &Graph, width: usize, signs: &Signs, colour: bool) -> Vec<String> {
    let tries = [(true, GRAPH_ACROSS), (true, GRAPH_ACROSS / 2), (false, GRAPH_ACROSS), (false, GRAPH_ACROSS / 2)];
    let drawn = tries.iter().find_map(|(labels, across)| {
        boxes::draw(graph, width, *across, *labels, signs)
            .map(|(canvas, complete)| (canvas.lines(colour).join("\n"), complete))
    });
    let listed = |nodes: bool| list::lines(graph, width, nodes, signs, colour).join("\n");
    let parts = match drawn {
        Some((drawing, true)) if !graph.edges.iter().any(list::needed) => vec![drawing],
        Some((drawing, _)) => vec![drawing, listed(false)],
        None => vec![listed(true)],
    };
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

/// The text in the colour of its tone.
fn tinted(text: &str, tone: Tone, colour: bool) -> String {
    match tone.code() {
        Some(code) if colour && !text.is_empty() => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        _ => text.to_owned(),
    }
}
