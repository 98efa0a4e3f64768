//! Where things go, for every form that draws: layers from top to bottom, and an order within each.
//!
//! What leads back is turned around first, so that all lines lead down. Each box then stands below all that lead to it. A line
//! that passes a layer has a slot of its own there, and so has the text beside a line.

mod order;
mod place;
mod rank;

pub(super) use place::place;

use rank::Ranks;

/// A line between two boxes, as the layout sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    /// The place of the box where it begins.
    pub from: usize,
    /// The place of the box where it ends; never the same.
    pub to: usize,
    /// Whether it needs room for a text.
    pub labelled: bool,
    /// Whether it leads against the flow by its nature.
    pub back: bool,
}

/// What stands in a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// A box, by its place.
    Node(usize),
    /// A line on its way.
    Pass(usize),
    /// A line on its way, and the text beside it.
    Label(usize),
}

/// Layers and order.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// Everything that stands in a layer: first the boxes, by place.
    pub slots: Vec<Slot>,
    /// The slots of each layer, from left to right.
    pub layers: Vec<Vec<usize>>,
    /// The slots of each line, from its upper box to its lower one.
    pub chains: Vec<Vec<usize>>,
    /// Whether each line was turned around: its arrow points up.
    pub turned: Vec<bool>,
    /// The part of the graph that each slot belongs to.
    parts: Vec<usize>,
}

impl Layout {
    /// Lays out so many boxes. At most `across` of those that nothing follows stand side by side.
    pub fn of(nodes: usize, lines: &[Line], across: usize) -> Self {
        let ranks = Ranks::of(nodes, lines, across);
        let mut layout = Self {
            slots: (0..nodes).map(Slot::Node).collect(),
            layers: vec![Vec::new(); ranks.layers],
            chains: Vec::new(),
            turned: ranks.turned.clone(),
            parts: ranks.parts.clone(),
        };
        for node in &ranks.sequence {
            layout.layers[ranks.layer[*node]].push(*node);
        }
        layout.chains = vec![Vec::new(); lines.len()];
        for at in ranks.in_order(lines) {
            layout.thread(at, lines[at], &ranks);
        }
        layout.arrange();
        layout
    }

    /// Gives a line its slots.
    fn thread(&mut self, at: usize, line: Line, ranks: &Ranks) {
        let (upper, lower) = if ranks.turned[at] { (line.to, line.from) } else { (line.from, line.to) };
        let mut chain = vec![upper];
        for layer in ranks.layer[upper] + 1..ranks.layer[lower] {
            let slot = if ranks.label[at] == Some(layer) { Slot::Label(at) } else { Slot::Pass(at) };
            chain.push(self.slots.len());
            self.layers[layer].push(self.slots.len());
            self.slots.push(slot);
            self.parts.push(self.parts[upper]);
        }
        chain.push(lower);
        self.chains[at] = chain;
    }

    /// The slots above and below each slot.
    fn neighbours(&self) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let (mut above, mut below) = (vec![Vec::new(); self.slots.len()], vec![Vec::new(); self.slots.len()]);
        for pair in self.chains.iter().flat_map(|chain| chain.windows(2)) {
            above[pair[1]].push(pair[0]);
            below[pair[0]].push(pair[1]);
        }
        (above, below)
    }

    /// Whether a slot holds a box.
    pub fn is_node(&self, slot: usize) -> bool {
        matches!(self.slots[slot], Slot::Node(_))
    }
}
