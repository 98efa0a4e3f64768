//! The drawing with boxes: layer under layer, and the lines between them.

use super::{
    canvas::{Canvas, Tone},
    channel::{Net, rows},
    signs::Signs,
    ways::{Channel, Way},
    wires::{Wire, wires},
};
use crate::graph::{
    Graph,
    layout::{Layout, Slot, place},
    measure::{columns, cut},
};
use crate::limits::GRAPH_BOX_COLUMNS_MAX;

/// Free columns between neighbours.
const GAP: usize = 2;

/// The drawing, and whether it says all but the details; nothing when it does not fit. Without labels it is narrower.
pub(super) fn draw<'a>(
    graph: &Graph,
    width: usize,
    across: usize,
    labels: bool,
    signs: &'a Signs,
) -> Option<(Canvas<'a>, bool)> {
    let mut wires = wires(graph, signs);
    let lines: Vec<_> = wires.iter().map(|wire| wire.line(labels, graph)).collect();
    let layout = Layout::of(graph.nodes.len(), &lines, across);
    if layout.layers.iter().any(|layer| layer.len() * (GAP + 1) > width + GAP) {
        return None;
    }
    for (wire, turned) in wires.iter_mut().zip(&layout.turned) {
        wire.relabel(*turned, graph, signs);
    }
    let mut sheet = Sheet::new(graph, wires, layout, signs);
    let (x, wide) = place(&sheet.layout, &sheet.reach(), GAP);
    if wide > width {
        return None;
    }
    sheet.x = x;
    let complete = sheet.complete(labels);
    Some((sheet.drawn(width)?, complete))
}

/// Everything that a drawing is made from.
pub(super) struct Sheet<'g, 's> {
    graph: &'g Graph,
    pub wires: Vec<Wire>,
    pub layout: Layout,
    signs: &'s Signs,
    /// What is written in each box.
    texts: Vec<Vec<String>>,
    /// The width of each box, with its border.
    pub wide: Vec<usize>,
    /// The middle of each slot.
    pub x: Vec<usize>,
}

impl<'g, 's> Sheet<'g, 's> {
    fn new(graph: &'g Graph, wires: Vec<Wire>, layout: Layout, signs: &'s Signs) -> Self {
        let texts: Vec<Vec<String>> = (0..graph.nodes.len()).map(|node| written(graph, node, signs)).collect();
        let mut sheet = Self { graph, wires, layout, signs, texts, wide: Vec::new(), x: Vec::new() };
        for node in 0..graph.nodes.len() {
            let inner = sheet.texts[node].iter().map(|text| columns(text)).max().unwrap_or(0) + 2;
            let ports = sheet.leaving(node).len().max(sheet.entering(node).len());
            sheet.wide.push(inner.max(2 * ports + 1) + 2);
        }
        sheet
    }

    /// Whether nothing but details is missing.
    fn complete(&self, labels: bool) -> bool {
        self.wires.iter().all(|wire| wire.label.is_empty() || (labels && wire.complete))
    }

    fn reach(&self) -> Vec<(usize, usize)> {
        let of = |slot: &Slot| match slot {
            Slot::Node(node) => (self.wide[*node] / 2, self.wide[*node] - self.wide[*node] / 2),
            Slot::Pass(_) => (0, 1),
            Slot::Label(wire) => (0, 2 + columns(&self.wires[*wire].label)),
        };
        self.layout.slots.iter().map(of).collect()
    }

    /// The lines that leave a box downwards, in groups that share a way out: those with no arrow into this box together.
    pub fn leaving(&self, node: usize) -> Vec<Vec<usize>> {
        let mine = (0..self.wires.len()).filter(|wire| self.layout.chains[*wire].first() == Some(&node));
        let (apart, shared): (Vec<usize>, Vec<usize>) = mine.partition(|wire| self.points(*wire).1);
        let shared = Some(shared).filter(|shared| !shared.is_empty());
        shared.into_iter().chain(apart.into_iter().map(|wire| vec![wire])).collect()
    }

    /// The lines that come to a box from above.
    pub fn entering(&self, node: usize) -> Vec<usize> {
        (0..self.wires.len()).filter(|wire| self.layout.chains[*wire].last() == Some(&node)).collect()
    }

    pub fn points(&self, wire: usize) -> (bool, bool) {
        self.wires[wire].points(self.layout.turned[wire])
    }

    fn drawn(&self, width: usize) -> Option<Canvas<'s>> {
        let mut canvas = Canvas::new(width, self.signs);
        let mut channels = Vec::new();
        let mut y = 0;
        for (at, layer) in self.layout.layers.iter().enumerate() {
            y += self.draw_layer(layer, y, &mut canvas);
            if let Some(lower) = self.layout.layers.get(at + 1) {
                let channel = self.channel(layer, lower, y)?;
                y += channel.high;
                channels.push(channel);
            }
        }
        // Lines change the borders of the boxes above and below them, so they come last.
        for channel in &channels {
            for net in 0..channel.ways.len() {
                self.draw_way(channel, net, &mut canvas);
            }
        }
        Some(canvas)
    }

    /// Draws what stands in a layer, and says how high it is.
    fn draw_layer(&self, layer: &[usize], y: usize, canvas: &mut Canvas<'_>) -> usize {
        let high = |slot: &usize| match self.layout.slots[*slot] {
            Slot::Node(node) => self.texts[node].len() + 2,
            Slot::Pass(_) | Slot::Label(_) => 1,
        };
        let high = layer.iter().map(high).max().unwrap_or(1);
        for slot in layer {
            match self.layout.slots[*slot] {
                Slot::Node(node) => self.draw_box(node, y, high, canvas),
                Slot::Pass(wire) => {
                    canvas.down(self.x[*slot], (y, y + high - 1), (true, true), 0, self.wires[wire].tone);
                }
                Slot::Label(wire) => {
                    let tone = self.wires[wire].tone;
                    canvas.down(self.x[*slot], (y, y + high - 1), (true, true), 0, tone);
                    canvas.write(self.x[*slot] + 2, y, &self.wires[wire].label, tone);
                }
            }
        }
        high
    }

    fn draw_box(&self, node: usize, y: usize, high: usize, canvas: &mut Canvas<'_>) {
        let (kind, mark) = (self.graph.nodes[node].kind, self.graph.nodes[node].standing());
        let (wide, tone) = (self.wide[node], Tone::of_mark(mark));
        let left = self.x[node] - wide / 2;
        let [top_left, top_right, bottom_left, bottom_right, flat, side] = self.signs.border(kind);
        let between: String = std::iter::repeat_n(flat, wide - 2).collect();
        canvas.write(left, y, &format!("{top_left}{between}{top_right}"), tone);
        for row in y + 1..y + high - 1 {
            canvas.write(left, row, &side.to_string(), tone);
            canvas.write(left + wide - 1, row, &side.to_string(), tone);
        }
        canvas.write(left, y + high - 1, &format!("{bottom_left}{between}{bottom_right}"), tone);
        let texts = &self.texts[node];
        let first = y + 1 + (high - 2 - texts.len()) / 2;
        for (at, text) in texts.iter().enumerate() {
            let tone = if at == 0 { tone } else { Tone::Dim };
            canvas.write(left + (wide - columns(text)) / 2, first + at, text, tone);
        }
    }

    /// The lines between two layers, and how many rows they take.
    fn channel(&self, upper: &[usize], lower: &[usize], y: usize) -> Option<Channel> {
        let ways = self.ways(upper, lower);
        let net = |way: &Way| Net { top: way.top, ends: way.ends.iter().map(|end| end.x).collect() };
        let nets: Vec<Net> = ways.iter().map(net).collect();
        let (rows, count) = rows(&nets)?;
        let up = usize::from(ways.iter().any(|way| way.arrow));
        let down = usize::from(ways.iter().any(|way| way.ends.iter().any(|end| end.arrow)));
        let has_boxes = |layer: &[usize]| layer.iter().any(|slot| self.layout.is_node(*slot));
        let least = usize::from(has_boxes(upper) && has_boxes(lower));
        let turn = |(row, net): (&Option<usize>, &Net)| row.zip(net.span()).map(|(row, span)| (y + up + row, span));
        let turns = rows.iter().zip(&nets).map(turn).collect();
        Some(Channel { ways, turns, y, high: (up + count + down).max(least) })
    }

    fn draw_way(&self, channel: &Channel, net: usize, canvas: &mut Canvas<'_>) {
        let (way, y, high) = (&channel.ways[net], channel.y, channel.high);
        if high > 0 {
            let last = y + high - 1;
            match channel.turns[net] {
                None => canvas.down(way.top, (y, last), (true, true), net, way.tone),
                Some((row, span)) => {
                    canvas.across(span, row, net, way.tone);
                    canvas.down(way.top, (y, row), (true, false), net, way.tone);
                    way.ends.iter().for_each(|end| canvas.down(end.x, (row, last), (false, true), net, end.tone));
                }
            }
            for end in way.ends.iter().filter(|end| end.arrow) {
                canvas.write(end.x, last, &self.signs.down.to_string(), end.tone);
            }
            if way.arrow {
                canvas.write(way.top, y, &self.signs.up.to_string(), way.tone);
            }
        }
        if let Some(node) = way.node.filter(|_| !way.arrow) {
            self.open_border(node, way.top, y - 1, true, canvas);
        }
        for end in way.ends.iter().filter(|end| !end.arrow) {
            if let Some(node) = end.node {
                self.open_border(node, end.x, y + high, false, canvas);
            }
        }
    }

    /// Shows that a line leaves a box here.
    fn open_border(&self, node: usize, x: usize, y: usize, bottom: bool, canvas: &mut Canvas<'_>) {
        let (kind, mark) = (self.graph.nodes[node].kind, self.graph.nodes[node].standing());
        canvas.write(x, y, &self.signs.leaving(kind, bottom).to_string(), Tone::of_mark(mark));
    }
}

/// What is written in a box: its name, its detail, and the ways from it to itself.
fn written(graph: &Graph, node: usize, signs: &Signs) -> Vec<String> {
    let about = &graph.nodes[node];
    let mut texts = vec![format!("{}{}", signs.mark(about.standing()), about.label)];
    if !about.detail.is_empty() {
        texts.push(about.detail.clone());
    }
    for (_, _, edge) in graph.lines().filter(|(from, to, _)| *from == node && *to == node) {
        texts.push(format!("{} {}", signs.again, edge.words(signs.times)).trim_end().to_owned());
    }
    texts.iter().map(|text| cut(text, GRAPH_BOX_COLUMNS_MAX, signs.cut)).collect()
}
