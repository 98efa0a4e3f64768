//! Where everything is in a picture: sizes from the widths of the texts, places from the layout. All in pixels.

use crate::graph::{
    Edge, EdgeKind, Graph, Node,
    layout::{Layout, Line, Slot, place},
    measure::{cut, thousandths},
};
use crate::limits::{GRAPH_ACROSS, GRAPH_BOX_COLUMNS_MAX, GRAPH_LABEL_COLUMNS_MAX};

/// Free space between neighbours.
const GAP: usize = 26;
/// Least space between layers, and what is added for each pixel that a line goes sideways.
const RISE: usize = 34;
const RISE_MAX: usize = 110;
/// How far a way from a box to itself reaches out of it.
pub(in crate::graph) const LOOP: usize = 34;
/// Height of a way from a box to itself, at least.
const LOOP_HEIGHT: usize = 30;
/// What is kept free of lines at the corners of a box.
pub(in crate::graph) const CORNER: usize = 14;
/// Room of one line at the border of a box, at least.
const PORT: usize = 14;
/// Height of one line of text beside a line.
pub(in crate::graph) const LABEL_LINE: usize = 15;

/// A box: its texts and its size.
pub(in crate::graph) struct Box {
    pub name: String,
    pub detail: String,
    pub wide: usize,
    pub high: usize,
}

/// The text beside a line: at most two lines of it.
pub(in crate::graph) struct Label {
    pub lines: Vec<(String, bool)>,
    pub wide: usize,
}

/// The picture before it is painted.
pub(in crate::graph) struct Scene {
    pub boxes: Vec<Box>,
    /// By edge.
    pub labels: Vec<Label>,
    /// The edges that the lines of the layout stand for, and for each edge its line; none for a way from a box to itself.
    pub line_of: Vec<Option<usize>>,
    pub layout: Layout,
    /// The middle of each slot.
    pub x: Vec<usize>,
    /// The layer of each slot.
    pub layer_of: Vec<usize>,
    /// By edge: the middle of a way from a box to itself, below the upper edge of the box.
    pub loops: Vec<usize>,
    /// Top and bottom of each layer.
    pub bands: Vec<(usize, usize)>,
    pub width: usize,
    pub height: usize,
}

impl Scene {
    pub fn of(graph: &Graph) -> Self {
        Self::across(graph, usual(graph))
    }

    /// The same with fewer boxes side by side, as far as that makes it fit; else as narrow as it gets.
    pub fn within(graph: &Graph, width: usize) -> Self {
        let (mut best, most) = (Self::of(graph), usual(graph));
        for across in [most * 3 / 4, most / 2, most / 4] {
            if best.width <= width {
                break;
            }
            let next = Self::across(graph, across);
            if next.width < best.width {
                best = next;
            }
        }
        best
    }

    fn across(graph: &Graph, across: usize) -> Self {
        let mut boxes: Vec<Box> = graph.nodes.iter().map(Box::of).collect();
        let labels: Vec<Label> = graph.edges.iter().map(Label::of).collect();
        let mut line_of = Vec::new();
        let mut lines = Vec::new();
        let mut edges = Vec::new();
        for (at, (from, to, edge)) in graph.lines().enumerate() {
            line_of.push((from != to).then_some(lines.len()));
            if from != to {
                lines.push(Line { from, to, labelled: !labels[at].lines.is_empty(), back: edge.kind.goes_back() });
                edges.push(at);
            }
        }
        let layout = Layout::of(boxes.len(), &lines, across);
        widen(&mut boxes, &layout);
        let (looped, loops) = loops(graph, &labels, &mut boxes);
        let reach = |slot: &Slot| match slot {
            Slot::Node(node) => (boxes[*node].wide / 2, boxes[*node].wide / 2 + looped[*node]),
            Slot::Pass(_) => (4, 4),
            Slot::Label(line) => (labels[edges[*line]].wide / 2, labels[edges[*line]].wide / 2),
        };
        let reach: Vec<(usize, usize)> = layout.slots.iter().map(reach).collect();
        let (x, width) = place(&layout, &reach, GAP);
        let mut layer_of = vec![0; layout.slots.len()];
        for (at, layer) in layout.layers.iter().enumerate() {
            layer.iter().for_each(|slot| layer_of[*slot] = at);
        }
        let high = |slot: usize| match layout.slots[slot] {
            Slot::Node(node) => boxes[node].high,
            Slot::Pass(_) => 0,
            Slot::Label(line) => labels[edges[line]].lines.len() * LABEL_LINE,
        };
        let (bands, height) = bands(&layout, &x, high);
        Self { boxes, labels, line_of, layout, x, layer_of, loops, bands, width, height }
    }

    /// The upper edge of a box.
    pub fn top(&self, node: usize) -> usize {
        let (top, bottom) = self.bands[self.layer_of[node]];
        (top + bottom - self.boxes[node].high) / 2
    }
}

/// How many of those that nothing follows stand side by side, unless room is short.
fn usual(graph: &Graph) -> usize {
    GRAPH_ACROSS.max((2 * graph.nodes.len()).isqrt())
}

/// Gives each box room for the lines that meet it.
fn widen(boxes: &mut [Box], layout: &Layout) {
    let mut meeting = vec![(0, 0); boxes.len()];
    for chain in &layout.chains {
        meeting[chain[0]].0 += 1;
        meeting[chain[chain.len() - 1]].1 += 1;
    }
    for (size, (below, above)) in boxes.iter_mut().zip(meeting) {
        size.wide = size.wide.max(2 * CORNER + PORT * below.max(above));
    }
}

/// How far the ways of each box to itself reach to its right, and the middle of each of them. A box grows with their number.
fn loops(graph: &Graph, labels: &[Label], boxes: &mut [Box]) -> (Vec<usize>, Vec<usize>) {
    let mut reach = vec![0; boxes.len()];
    let mut used = vec![0; boxes.len()];
    let mut middles = vec![0; labels.len()];
    let mine = |at: &usize| graph.ends[*at].0 == graph.ends[*at].1;
    for at in (0..labels.len()).filter(mine) {
        let (node, high) = (graph.ends[at].0, (labels[at].lines.len() * LABEL_LINE).max(LOOP_HEIGHT));
        reach[node] = reach[node].max(LOOP + 8 + labels[at].wide);
        middles[at] = used[node] + high / 2;
        used[node] += high;
    }
    for (size, used) in boxes.iter_mut().zip(&used) {
        size.high = size.high.max(*used);
    }
    for at in (0..labels.len()).filter(mine) {
        let node = graph.ends[at].0;
        middles[at] += (boxes[node].high - used[node]) / 2;
    }
    (reach, middles)
}

/// Top and bottom of each layer, and the height of all. Lines that go far sideways get more room to do so.
fn bands(layout: &Layout, x: &[usize], high: impl Fn(usize) -> usize) -> (Vec<(usize, usize)>, usize) {
    let mut aside = vec![0; layout.layers.len()];
    let mut layer_of = vec![0; layout.slots.len()];
    for (at, layer) in layout.layers.iter().enumerate() {
        layer.iter().for_each(|slot| layer_of[*slot] = at);
    }
    for pair in layout.chains.iter().flat_map(|chain| chain.windows(2)) {
        let gap = &mut aside[layer_of[pair[0]]];
        *gap = x[pair[0]].abs_diff(x[pair[1]]).max(*gap);
    }
    let mut bands = Vec::new();
    let mut y = 0;
    for (at, layer) in layout.layers.iter().enumerate() {
        let tall = layer.iter().map(|slot| high(*slot)).max().unwrap_or(0);
        bands.push((y, y + tall));
        y += tall + (RISE + aside[at] / 8).min(RISE_MAX);
    }
    let height = bands.last().map_or(0, |(_, bottom)| *bottom);
    (bands, height)
}

fn pixels(text: &str, size: usize) -> usize {
    (thousandths(text) * size).div_ceil(1_000)
}

impl Box {
    fn of(node: &Node) -> Self {
        let name = format!("{}{}", node.standing().sign(), cut(&node.label, GRAPH_BOX_COLUMNS_MAX, '…'));
        let detail = cut(&node.detail, GRAPH_BOX_COLUMNS_MAX, '…');
        let wide = pixels(&name, 14).max(pixels(&detail, 12)).max(24) + 36;
        let high = if detail.is_empty() { 38 } else { 54 };
        Self { name, detail, wide: wide + wide % 2, high }
    }
}

impl Label {
    fn of(edge: &Edge) -> Self {
        let word = match edge.kind {
            EdgeKind::Usual | EdgeKind::Back | EdgeKind::Delegation | EdgeKind::Return => "",
            EdgeKind::Retry | EdgeKind::Error | EdgeKind::Escalation | EdgeKind::Broadcast => edge.kind.word(),
        };
        let detail = if edge.detail.is_empty() { word } else { &edge.detail };
        let lines = [(edge.words('×'), false), (detail.to_owned(), true)];
        let lines: Vec<(String, bool)> = lines
            .into_iter()
            .filter(|(text, _)| !text.is_empty())
            .map(|(text, small)| (cut(&text, GRAPH_LABEL_COLUMNS_MAX, '…'), small))
            .collect();
        let widest = lines.iter().map(|(text, small)| pixels(text, if *small { 11 } else { 12 })).max().unwrap_or(0);
        Self { wide: widest + widest % 2 + if widest > 0 { 6 } else { 0 }, lines }
    }
}
