//! The layer of each box: lines that lead back are turned around, then each box stands below all that lead to it.

use super::Line;

/// Which layer everything is in.
pub(super) struct Ranks {
    /// Whether each line was turned around.
    pub turned: Vec<bool>,
    /// The layer of each box.
    pub layer: Vec<usize>,
    /// The layer of the text of each line.
    pub label: Vec<Option<usize>>,
    /// How many layers there are.
    pub layers: usize,
    /// The boxes in the order in which they are found from the top.
    pub sequence: Vec<usize>,
    /// The part of the graph that each box belongs to.
    pub parts: Vec<usize>,
}

impl Ranks {
    pub fn of(nodes: usize, lines: &[Line], across: usize) -> Self {
        let (turned, sequence) = turn(nodes, lines);
        let downs: Vec<(usize, usize)> = lines
            .iter()
            .zip(&turned)
            .map(|(line, turned)| if *turned { (line.to, line.from) } else { (line.from, line.to) })
            .collect();
        let mut layer = longest(nodes, &downs);
        let moved = spread(&mut layer, &downs, &sequence, across.max(1));
        let parts = parts(nodes, &downs);
        let (layer, label, layers) = with_texts(&layer, lines, &downs, &moved);
        Self { turned, layer, label, layers, sequence, parts }
    }

    /// The lines in the order of their boxes, so that those to the same box begin side by side.
    pub fn in_order(&self, lines: &[Line]) -> Vec<usize> {
        let mut found = vec![0; self.sequence.len()];
        for (at, node) in self.sequence.iter().enumerate() {
            found[*node] = at;
        }
        let key = |at: &usize| {
            let (from, to) = (found[lines[*at].from], found[lines[*at].to]);
            if self.turned[*at] { (to, from) } else { (from, to) }
        };
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by_key(key);
        order
    }
}

/// Which lines are turned around, and the boxes as they are found: those that nothing leads to first.
fn turn(nodes: usize, lines: &[Line]) -> (Vec<bool>, Vec<usize>) {
    let mut turned: Vec<bool> = lines.iter().map(|line| line.back).collect();
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    let mut entered = vec![false; nodes];
    for (at, line) in lines.iter().enumerate() {
        let (upper, lower) = if turned[at] { (line.to, line.from) } else { (line.from, line.to) };
        leaving[upper].push(at);
        entered[lower] = true;
    }
    let first = (0..nodes).filter(|node| !entered[*node]);
    let starts: Vec<usize> = first.chain((0..nodes).filter(|node| entered[*node])).collect();
    let mut walk = Walk { seen: vec![Seen::Not; nodes], sequence: Vec::new() };
    for start in starts {
        walk.from(start, &leaving, lines, &mut turned);
    }
    (turned, walk.sequence)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Not,
    OnTheWay,
    Done,
}

struct Walk {
    seen: Vec<Seen>,
    sequence: Vec<usize>,
}

impl Walk {
    /// Goes down as far as it can, and turns around each line that leads to a box it came through.
    fn from(&mut self, start: usize, leaving: &[Vec<usize>], lines: &[Line], turned: &mut [bool]) {
        if self.seen[start] != Seen::Not {
            return;
        }
        let mut way = vec![(start, 0)];
        self.enter(start);
        while let Some((node, next)) = way.last_mut() {
            let Some(at) = leaving[*node].get(*next) else {
                self.seen[*node] = Seen::Done;
                way.pop();
                continue;
            };
            *next += 1;
            let to = if lines[*at].from == *node { lines[*at].to } else { lines[*at].from };
            match self.seen[to] {
                Seen::Not => {
                    self.enter(to);
                    way.push((to, 0));
                }
                Seen::OnTheWay => turned[*at] = !turned[*at],
                Seen::Done => {}
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.seen[node] = Seen::OnTheWay;
        self.sequence.push(node);
    }
}

/// The longest way to each box. A box that nothing leads to stands just above the first that it leads to.
fn longest(nodes: usize, downs: &[(usize, usize)]) -> Vec<usize> {
    let mut waiting = vec![0_usize; nodes];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for (upper, lower) in downs {
        waiting[*lower] += 1;
        below[*upper].push(*lower);
    }
    let roots: Vec<usize> = (0..nodes).filter(|node| waiting[*node] == 0).collect();
    let mut layer = vec![0; nodes];
    let mut ready = roots.clone();
    while let Some(node) = ready.pop() {
        for lower in &below[node] {
            layer[*lower] = layer[*lower].max(layer[node] + 1);
            waiting[*lower] -= 1;
            if waiting[*lower] == 0 {
                ready.push(*lower);
            }
        }
    }
    for root in roots {
        layer[root] = below[root].iter().map(|lower| layer[*lower] - 1).min().unwrap_or(0);
    }
    layer
}

/// Moves boxes that nothing follows down from a layer that is too full, so that the drawing does not become too wide. Gives
/// which of them were moved.
fn spread(layer: &mut [usize], downs: &[(usize, usize)], sequence: &[usize], across: usize) -> Vec<bool> {
    let mut moved = vec![false; layer.len()];
    let mut leaf = vec![true; layer.len()];
    for (upper, _) in downs {
        leaf[*upper] = false;
    }
    let mut at = 0;
    while at <= layer.iter().copied().max().unwrap_or(0) {
        let here: Vec<usize> = sequence.iter().copied().filter(|node| layer[*node] == at).collect();
        let staying = here.iter().filter(|node| !leaf[**node]).count();
        let room = across.saturating_sub(staying).max(1);
        for node in here.into_iter().filter(|node| leaf[*node]).skip(room) {
            layer[node] += 1;
            moved[node] = true;
        }
        at += 1;
    }
    moved
}

/// The parts of the graph that no line connects, numbered by their first box.
fn parts(nodes: usize, downs: &[(usize, usize)]) -> Vec<usize> {
    let mut part: Vec<usize> = (0..nodes).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (upper, lower) in downs {
            let least = part[*upper].min(part[*lower]);
            changed |= part[*upper] != least || part[*lower] != least;
            part[*upper] = least;
            part[*lower] = least;
        }
    }
    part
}

/// Puts a layer for texts into each gap that has one: in the middle of a line. Where a box was moved down for want of room, its
/// text goes with it.
fn with_texts(
    layer: &[usize],
    lines: &[Line],
    downs: &[(usize, usize)],
    moved: &[bool],
) -> (Vec<usize>, Vec<Option<usize>>, usize) {
    let count = layer.iter().copied().max().map_or(0, |last| last + 1);
    let gap = |(upper, lower): (usize, usize)| match moved[lower] {
        true => layer[lower] - 1,
        false => layer[upper] + (layer[lower] - layer[upper] - 1) / 2,
    };
    let mut texts = vec![0; count];
    for (_, down) in lines.iter().zip(downs).filter(|(line, _)| line.labelled) {
        texts[gap(*down)] = 1;
    }
    let mut start = Vec::with_capacity(count);
    let mut next = 0;
    for text in &texts {
        start.push(next);
        next += 1 + text;
    }
    let label = |(line, down): (&Line, &(usize, usize))| line.labelled.then(|| start[gap(*down)] + 1);
    let labels = lines.iter().zip(downs).map(label).collect();
    (layer.iter().map(|layer| start[*layer]).collect(), labels, next)
}
