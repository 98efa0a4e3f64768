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
    let mut out = String::new();
    let name = if graph.title.is_empty() { "Graph" } else { &graph.title };
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hg\" role=\"img\" aria-label=\"{}\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\">",
        escaped(name)
    );
    let _ = writeln!(out, "<style>{}</style>", style::STYLE);
    let _ = writeln!(out, "<rect class=\"hg-ground\" width=\"{width}\" height=\"{height}\"/>");
    if title > 0 {
        let _ = writeln!(out, "<text class=\"hg-title\" x=\"{MARGIN}\" y=\"{}\">{}</text>", MARGIN + 16, escaped(name));
    }
    let left = (width - scene.width) / 2;
    let _ = writeln!(out, "<g transform=\"translate({left} {})\">", MARGIN + title);
    paint::edges(graph, &scene, &mut out);
    paint::nodes(graph, &scene, &mut out);
    paint::labels(graph, &scene, &mut out);
    out.push_str("</g>\n");
    if let Some(note) = note {
        let _ =
            writeln!(out, "<text class=\"hg-note\" x=\"{MARGIN}\" y=\"{}\">{}</text>", height - MARGIN, escaped(&note));
    }
    out.push_str("</svg>\n");
    out
}

/// Fit for text and attributes of XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}
