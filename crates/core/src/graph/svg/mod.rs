//! A picture: self-contained SVG, for light and dark surroundings.

mod paint;
mod path;
mod ports;
pub(super) mod scene;
mod style;

use super::{Graph, measure::thousandths};
use scene::Scene;
use std::fmt::Write;

/// Free space around the picture, in pixels.
const MARGIN: usize = 24;
/// Height of the title, in pixels.
const TITLE: usize = 40;
/// Height of the note, in pixels.
const NOTE: usize = 28;

/// What a page has room for beside its menu, in pixels: a picture is made no wider where it can be made taller instead.
const PAGE_WIDTH: usize = 950;

/// The style sheet of pictures. A page that shows [`svg_for_page`] brings it along.
pub const SVG_STYLE: &str = style::STYLE;

/// The graph as a picture. It needs nothing from elsewhere: no font, no script, no style sheet.
#[must_use]
pub fn svg(graph: &Graph) -> String {
    let scene = Scene::of(graph);
    let note = graph.note();
    let title = if graph.title.is_empty() { 0 } else { TITLE };
    let text_width = thousandths(&graph.title) * 18 / 1_000;
    let note_width = note.as_deref().map_or(0, |note| thousandths(note) * 12 / 1_000);
    let width = scene.width.max(text_width).max(note_width) + 2 * MARGIN;
    let height = scene.height + title + note.as_ref().map_or(0, |_| NOTE) + 2 * MARGIN;
    let mut out = opened(graph, width, height);
    let _ = writeln!(out, "<style>{}</style>", style::STYLE);
    let _ = writeln!(out, "<rect class=\"hg-ground\" width=\"{width}\" height=\"{height}\"/>");
    if title > 0 {
        let name = escaped(&graph.title);
        let _ = writeln!(out, "<text class=\"hg-title\" x=\"{MARGIN}\" y=\"{}\">{name}</text>", MARGIN + 16);
    }
    painted(graph, &scene, ((width - scene.width) / 2, MARGIN + title), &mut out);
    if let Some(note) = note {
        let _ =
            writeln!(out, "<text class=\"hg-note\" x=\"{MARGIN}\" y=\"{}\">{}</text>", height - MARGIN, escaped(&note));
    }
    out.push_str("</svg>\n");
    out
}

/// The graph as a part of a page that has [`SVG_STYLE`] and says the title and the note itself. Boxes lead on.
#[must_use]
pub fn svg_for_page(graph: &Graph) -> String {
    let scene = Scene::within(graph, PAGE_WIDTH);
    let mut out = opened(graph, scene.width + 4, scene.height + 4);
    painted(graph, &scene, (2, 2), &mut out);
    out.push_str("</svg>\n");
    out
}

fn opened(graph: &Graph, width: usize, height: usize) -> String {
    let name = if graph.title.is_empty() { "Graph" } else { &graph.title };
    let links =
        graph.nodes.iter().any(|node| !node.link.is_empty()) || graph.edges.iter().any(|edge| !edge.link.is_empty());
    // What can be followed is no single image.
    let role = if links { "group" } else { "img" };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hg\" role=\"{role}\" aria-label=\"{}\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n",
        escaped(name)
    )
}

fn painted(graph: &Graph, scene: &Scene, (left, top): (usize, usize), out: &mut String) {
    let _ = writeln!(out, "<g transform=\"translate({left} {top})\">");
    paint::edges(graph, scene, out);
    paint::nodes(graph, scene, out);
    paint::labels(graph, scene, out);
    out.push_str("</g>\n");
}

/// Fit for text and attributes of XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}
