//! What a picture promises: boxes and texts do not lie on one another, and nothing lies outside.

use super::{properties::graphs, samples};
use crate::graph::{Graph, layout::Slot, svg::scene::Scene};
use proptest::prelude::*;

type Rect = (usize, usize, usize, usize);

fn rects(graph: &Graph) -> (Vec<Rect>, Scene) {
    let scene = Scene::of(graph);
    let mut rects = Vec::new();
    for (slot, x) in scene.x.iter().enumerate() {
        let (top, bottom) = scene.bands[scene.layer_of[slot]];
        match scene.layout.slots[slot] {
            Slot::Node(node) => {
                let (size, top) = (&scene.boxes[node], scene.top(node));
                rects.push((x - size.wide / 2, top, x + size.wide / 2, top + size.high));
            }
            Slot::Label(line) => {
                let edge = scene.line_of.iter().position(|other| *other == Some(line)).unwrap();
                let half = scene.labels[edge].wide / 2;
                rects.push((x - half, top, x + half, bottom));
            }
            Slot::Pass(_) => {}
        }
    }
    (rects, scene)
}

fn check(graph: &Graph) {
    let (rects, scene) = rects(graph);
    for (at, a) in rects.iter().enumerate() {
        assert!(a.2 <= scene.width && a.3 <= scene.height, "{a:?} lies outside");
        for b in &rects[at + 1..] {
            let apart = a.2 <= b.0 || b.2 <= a.0 || a.3 <= b.1 || b.3 <= a.1;
            assert!(apart, "{a:?} lies on {b:?}");
        }
    }
}

#[test]
fn nothing_lies_on_anything_in_the_samples() {
    samples::all().iter().for_each(|(_, graph)| check(graph));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn nothing_lies_on_anything(graph in graphs()) {
        check(&graph);
    }
}
