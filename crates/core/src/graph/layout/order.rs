//! The order within each layer: each slot goes to the middle of what it is connected with, in a few sweeps.

use super::Layout;
use crate::limits::GRAPH_ROUNDS;

impl Layout {
    /// Sorts the layers down and up, and keeps the order with the fewest crossings.
    pub(super) fn arrange(&mut self) {
        let (above, below) = self.neighbours();
        let mut places = vec![0; self.slots.len()];
        for layer in 0..self.layers.len() {
            self.sort(layer, &above, &mut places);
        }
        let mut best = (self.crossings(&below, &places), self.layers.clone());
        for round in 0..GRAPH_ROUNDS {
            if best.0 == 0 {
                break;
            }
            if round % 2 == 0 {
                (0..self.layers.len()).rev().for_each(|layer| self.sort(layer, &below, &mut places));
            } else {
                (0..self.layers.len()).for_each(|layer| self.sort(layer, &above, &mut places));
            }
            let crossings = self.crossings(&below, &places);
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    /// Sorts a layer by the middle of the neighbours of each slot. Parts that no line connects never mix.
    fn sort(&mut self, layer: usize, neighbours: &[Vec<usize>], places: &mut [usize]) {
        let mut keyed: Vec<(usize, f64, usize)> = Vec::new();
        for (at, slot) in self.layers[layer].iter().enumerate() {
            let beside = &neighbours[*slot];
            let sum: usize = beside.iter().map(|other| places[*other]).sum();
            let middle = if beside.is_empty() { at as f64 } else { sum as f64 / beside.len() as f64 };
            keyed.push((self.parts[*slot], middle, *slot));
        }
        keyed.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        self.layers[layer] = keyed.into_iter().map(|(_, _, slot)| slot).collect();
        for (at, slot) in self.layers[layer].iter().enumerate() {
            places[*slot] = at;
        }
    }

    /// How often lines cross between neighbouring layers.
    fn crossings(&self, below: &[Vec<usize>], places: &[usize]) -> usize {
        self.layers.iter().map(|layer| crossings_below(layer, below, places)).sum()
    }
}

fn crossings_below(layer: &[usize], below: &[Vec<usize>], places: &[usize]) -> usize {
    // Counted from left to right: each line crosses the earlier ones that end further to the right.
    let mut ends: Vec<usize> = Vec::new();
    let mut count = 0;
    for slot in layer {
        let mut here: Vec<usize> = below[*slot].iter().map(|other| places[*other]).collect();
        here.sort_unstable();
        count += here.iter().map(|end| ends.len() - ends.partition_point(|other| other <= end)).sum::<usize>();
        for end in here {
            ends.insert(ends.partition_point(|other| *other <= end), end);
        }
    }
    count
}
