//! Where lines meet boxes in a picture: side by side, in the order of where they go.

use super::scene::{CORNER, Scene};

/// Widest space between two lines at one box, in pixels.
const APART_MAX: usize = 22;

/// For each line, the column at its upper box and at its lower one.
pub(super) fn ports(scene: &Scene) -> Vec<(usize, usize)> {
    let mut ports = vec![(0, 0); scene.layout.chains.len()];
    let (mut leaving, mut entering) = (vec![Vec::new(); scene.boxes.len()], vec![Vec::new(); scene.boxes.len()]);
    for (line, chain) in scene.layout.chains.iter().enumerate() {
        leaving[chain[0]].push((scene.x[chain[1]], line));
        entering[chain[chain.len() - 1]].push((scene.x[chain[chain.len() - 2]], line));
    }
    for node in 0..scene.boxes.len() {
        for (column, line) in along(scene, node, &mut leaving[node]) {
            ports[line].0 = column;
        }
        for (column, line) in along(scene, node, &mut entering[node]) {
            ports[line].1 = column;
        }
    }
    ports
}

/// The lines at one side of a box, evenly around its middle.
fn along(scene: &Scene, node: usize, lines: &mut [(usize, usize)]) -> Vec<(usize, usize)> {
    lines.sort_unstable();
    let room = scene.boxes[node].wide - 2 * CORNER;
    let apart = (room / lines.len().max(1)).min(APART_MAX);
    let first = scene.x[node] - apart * lines.len().saturating_sub(1) / 2;
    lines.iter().enumerate().map(|(at, (_, line))| (first + at * apart, *line)).collect()
}
