//! The middle of each slot, from left to right: as near as possible to what it is connected with, without overlaps.

use super::Layout;
use crate::limits::GRAPH_ROUNDS;

/// How far a slot reaches to the left and to the right of its middle.
pub(in crate::graph) type Reach = (usize, usize);

/// The middle of each slot, and the width of all. `gap` is what is free between neighbours.
pub(in crate::graph) fn place(layout: &Layout, reach: &[Reach], gap: usize) -> (Vec<usize>, usize) {
    let (above, below) = layout.neighbours();
    let mut x = vec![0.0; layout.slots.len()];
    for layer in &layout.layers {
        let wishes: Vec<(f64, f64)> = layer.iter().map(|_| (0.0, 1.0)).collect();
        settle(layer, reach, gap, &wishes, &mut x);
    }
    for round in 0..=GRAPH_ROUNDS {
        let last = round == GRAPH_ROUNDS;
        let count = layout.layers.len();
        for step in 0..count {
            let layer = &layout.layers[if round % 2 == 0 { step } else { count - 1 - step }];
            let wish = |slot: &usize| {
                let upper = if last || round % 2 == 0 { above[*slot].as_slice() } else { &[] };
                let lower = if last || round % 2 == 1 { below[*slot].as_slice() } else { &[] };
                wish(layout, *slot, upper.iter().chain(lower), &x)
            };
            let wishes: Vec<(f64, f64)> = layer.iter().map(wish).collect();
            settle(layer, reach, gap, &wishes, &mut x);
        }
    }
    whole(layout, &x, reach, gap)
}

/// Where a slot would like to be, and how much it matters. Long lines want to be straight most of all.
fn wish<'a>(layout: &Layout, slot: usize, beside: impl Iterator<Item = &'a usize>, x: &[f64]) -> (f64, f64) {
    let (mut sum, mut weight) = (0.0, 0.0);
    for other in beside {
        let straight = match (layout.is_node(slot), layout.is_node(*other)) {
            (true, true) => 1.0,
            (false, false) => 8.0,
            (true, false) | (false, true) => 2.0,
        };
        sum += straight * x[*other];
        weight += straight;
    }
    if weight > 0.0 { (sum / weight, weight) } else { (x[slot], 0.1) }
}

/// Places one layer: the least sum of weighted squares of the distances to the wishes, under the order and the gaps.
fn settle(layer: &[usize], reach: &[Reach], gap: usize, wishes: &[(f64, f64)], x: &mut [f64]) {
    let mut offsets = Vec::with_capacity(layer.len());
    let mut offset = 0;
    for (at, slot) in layer.iter().enumerate() {
        if at > 0 {
            offset += reach[layer[at - 1]].1 + gap + reach[*slot].0;
        }
        offsets.push(offset as f64);
    }
    // Neighbours whose wishes collide form a block that moves as one.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for ((wish, weight), offset) in wishes.iter().zip(&offsets) {
        let mut block = ((wish - offset) * weight, *weight, 1);
        while let Some(before) = blocks.pop_if(|before| before.0 / before.1 > block.0 / block.1) {
            block = (before.0 + block.0, before.1 + block.1, before.2 + block.2);
        }
        blocks.push(block);
    }
    let starts = blocks.iter().flat_map(|(sum, weight, count)| std::iter::repeat_n(sum / weight, *count));
    for ((slot, offset), start) in layer.iter().zip(&offsets).zip(starts) {
        x[*slot] = start + offset;
    }
}

/// In whole numbers from 0 on.
fn whole(layout: &Layout, x: &[f64], reach: &[Reach], gap: usize) -> (Vec<usize>, usize) {
    let mut rounded: Vec<i64> = x.iter().map(|x| (x + 0.5).floor() as i64).collect();
    for pair in layout.layers.iter().flat_map(|layer| layer.windows(2)) {
        // Rounding could take a column from a gap.
        let least = rounded[pair[0]] + (reach[pair[0]].1 + gap + reach[pair[1]].0) as i64;
        rounded[pair[1]] = rounded[pair[1]].max(least);
    }
    let least = rounded.iter().zip(reach).map(|(x, reach)| x - reach.0 as i64).min().unwrap_or(0);
    let places: Vec<usize> = rounded.iter().map(|x| usize::try_from(x - least).unwrap_or(0)).collect();
    let width = places.iter().zip(reach).map(|(x, reach)| x + reach.1).max().unwrap_or(0);
    (places, width)
}
