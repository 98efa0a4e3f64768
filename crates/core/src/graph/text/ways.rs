//! Where lines meet the borders of boxes: the columns at which they leave and enter.

use super::{boxes::Sheet, canvas::Tone};
use crate::graph::layout::Slot;
use std::collections::BTreeMap;

/// How far from its middle a line may meet a box for the sake of being straight, in columns.
const SNAP: usize = 2;

/// Lines that leave a slot together.
pub(super) struct Way {
    /// The column.
    pub top: usize,
    /// The box that they leave; nothing for a line on its way.
    pub node: Option<usize>,
    /// Whether an arrow points into that box.
    pub arrow: bool,
    pub ends: Vec<End>,
    pub tone: Tone,
}

/// Where a line comes to the next layer.
pub(super) struct End {
    pub x: usize,
    /// The box that it comes to; nothing for a line on its way.
    pub node: Option<usize>,
    /// Whether an arrow points into that box.
    pub arrow: bool,
    pub tone: Tone,
}

/// The lines between two layers.
pub(super) struct Channel {
    pub ways: Vec<Way>,
    /// The row in which each goes sideways, and from where to where.
    pub turns: Vec<Option<(usize, (usize, usize))>>,
    /// The first row.
    pub y: usize,
    /// How many rows there are.
    pub high: usize,
}

/// A group of lines that leave together, before it is known where they arrive.
struct Start {
    top: usize,
    slot: usize,
    wires: Vec<usize>,
}

impl Sheet<'_, '_> {
    pub fn ways(&self, upper: &[usize], lower: &[usize]) -> Vec<Way> {
        let starts: Vec<Start> = upper.iter().flat_map(|slot| self.starts(*slot)).collect();
        let tops: BTreeMap<usize, usize> =
            starts.iter().flat_map(|start| start.wires.iter().map(|wire| (*wire, start.top))).collect();
        let arrivals: BTreeMap<usize, usize> = lower.iter().flat_map(|slot| self.arrivals(*slot, &tops)).collect();
        starts.iter().map(|start| self.way(start, &arrivals)).collect()
    }

    fn starts(&self, slot: usize) -> Vec<Start> {
        let node = match self.layout.slots[slot] {
            Slot::Node(node) => node,
            Slot::Pass(wire) | Slot::Label(wire) => return vec![Start { top: self.x[slot], slot, wires: vec![wire] }],
        };
        let mut groups = self.leaving(node);
        let middle = |wires: &Vec<usize>| {
            let sum: usize = wires.iter().map(|wire| self.x[self.next(*wire, slot)]).sum();
            sum * 8 / wires.len().max(1)
        };
        groups.sort_by_key(middle);
        let mut ports = self.ports(node, groups.len());
        if let ([port], [group]) = (ports.as_mut_slice(), groups.as_slice())
            && let [wire] = group.as_slice()
        {
            let next = self.next(*wire, slot);
            *port = if self.layout.is_node(next) { *port } else { self.snapped(node, self.x[next]) };
        }
        ports.into_iter().zip(groups).map(|(top, wires)| Start { top, slot, wires }).collect()
    }

    /// The column at which each line comes to a slot.
    fn arrivals(&self, slot: usize, tops: &BTreeMap<usize, usize>) -> Vec<(usize, usize)> {
        let node = match self.layout.slots[slot] {
            Slot::Node(node) => node,
            Slot::Pass(wire) | Slot::Label(wire) => return vec![(wire, self.x[slot])],
        };
        let top = |wire: &usize| tops.get(wire).copied().unwrap_or(0);
        let mut wires = self.entering(node);
        wires.sort_by_key(top);
        match wires.as_slice() {
            [wire] => vec![(*wire, self.snapped(node, top(wire)))],
            _ => wires.iter().copied().zip(self.ports(node, wires.len())).collect(),
        }
    }

    /// This column, or the middle of the box where it is too far away.
    fn snapped(&self, node: usize, x: usize) -> usize {
        let near = self.x[node].abs_diff(x) <= SNAP.min(self.wide[node] / 2 - 1);
        if near { x } else { self.x[node] }
    }

    /// Columns for so many lines at a border of a box, evenly around its middle.
    fn ports(&self, node: usize, count: usize) -> Vec<usize> {
        let half = if 4 * count <= self.wide[node] { 2 } else { 1 };
        (0..count).map(|at| self.x[node] + 2 * half * at - half * (count - 1)).collect()
    }

    fn next(&self, wire: usize, slot: usize) -> usize {
        let chain = &self.layout.chains[wire];
        let at = chain.iter().position(|other| *other == slot).unwrap_or(0);
        chain[(at + 1).min(chain.len() - 1)]
    }

    fn way(&self, start: &Start, arrivals: &BTreeMap<usize, usize>) -> Way {
        let node = self.layout.is_node(start.slot).then_some(start.slot);
        let arrow = node.is_some() && start.wires.iter().any(|wire| self.points(*wire).1);
        let end = |wire: &usize| {
            let node = Some(self.next(*wire, start.slot)).filter(|next| self.layout.is_node(*next));
            let arrow = node.is_some() && self.points(*wire).0;
            End { x: arrivals.get(wire).copied().unwrap_or(start.top), node, arrow, tone: self.wires[*wire].tone }
        };
        let ends: Vec<End> = start.wires.iter().map(end).collect();
        let first = ends.first().map_or(Tone::Plain, |end| end.tone);
        let tone = if ends.iter().all(|end| end.tone == first) { first } else { Tone::Plain };
        Way { top: start.top, node, arrow, ends, tone }
    }
}
