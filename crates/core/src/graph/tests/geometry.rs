//! What a picture promises: boxes and texts do not lie on one another, and nothing lies outside.

use super::{properties::graphs, samples};
use crate::graph::{Edge, Graph, layout::Slot, svg::scene::Scene, svg_for_page};
use proptest::prelude::*;

type Rect = (usize, usize, usize, usize);

fn rects(scene: Scene) -> (Vec<Rect>, Scene) {
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
    apart(Scene::of(graph));
    apart(Scene::within(graph, 300));
}

fn apart(scene: Scene) {
    let (rects, scene) = rects(scene);
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

/// One who hands over to seven others.
fn desk() -> Graph {
    let mut graph = Graph::new("A desk");
    for to in ["orchestrator", "writer", "editor", "translator", "researcher", "legal", "ann"] {
        graph.edge(
            Edge::new("desk", to).count(12).detail("99.2 % · 434 ms").link(&format!("/handoffs?from=desk&to={to}")),
        );
    }
    graph
}

#[test]
fn a_page_gets_a_taller_picture_where_a_wide_one_does_not_fit() {
    let (usual, narrow) = (Scene::of(&desk()), Scene::within(&desk(), 600));
    assert!(narrow.width < usual.width * 4 / 5 && narrow.height > usual.height, "{} {}", usual.width, narrow.width);
    assert_eq!(Scene::within(&desk(), usual.width).width, usual.width);
}

#[test]
fn arrows_of_a_page_lead_on_once_for_the_keyboard() {
    let drawn = svg_for_page(&desk());
    let link = "<a href=\"/handoffs?from=desk&amp;to=ann\" ";
    assert_eq!(drawn.matches(link).count(), 2, "{drawn}");
    assert!(drawn.contains(&format!("{link}aria-label=\"desk → ann · ×12 · 99.2 % · 434 ms\">")), "{drawn}");
    assert!(drawn.contains(&format!("{link}tabindex=\"-1\" aria-hidden=\"true\">")), "{drawn}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn nothing_lies_on_anything(graph in graphs()) {
        check(&graph);
    }
}
