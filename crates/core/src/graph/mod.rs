//! Drawings of who hands over to whom: a small model, and four ways to draw it.
//!
//! [`text`] draws for a terminal, [`mermaid`] and [`dot`] write for other tools, [`svg`] makes a picture. All are pure: the
//! same graph gives the same drawing. [`of_session`], [`of_team`] and [`of_workflow`] make graphs of
//! what the core knows.

mod dot;
mod layout;
mod measure;
mod mermaid;
mod parts;
mod session;
mod svg;
mod team;
#[cfg(test)]
mod tests;
mod text;
mod workflow;

pub use dot::dot;
pub use mermaid::mermaid;
pub use parts::{Edge, EdgeKind, Mark, Node, NodeKind};
pub use session::of_session;
pub use svg::{SVG_STYLE, svg, svg_for_page};
pub use team::{Load, of_team};
pub use text::{Terminal, text};
pub use workflow::of_workflow;

use crate::limits::{GRAPH_EDGES_MAX, GRAPH_NODES_MAX};
use std::collections::{BTreeMap, BTreeSet};

/// Boxes and the arrows between them. It is bounded: what is too much is left out and counted in a note.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Graph {
    title: String,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    places: BTreeMap<String, usize>,
    /// The places of both ends of each edge.
    ends: Vec<(usize, usize)>,
    nodes_left_out: BTreeSet<String>,
    edges_left_out: usize,
}

impl Graph {
    /// An empty drawing; the title may be empty.
    #[must_use]
    pub fn new(title: &str) -> Self {
        Self { title: measure::clean(title), ..Self::default() }
    }

    /// Adds a box, or changes the one with the same id.
    pub fn node(&mut self, node: Node) -> &mut Self {
        if let Some(place) = self.place_of(&node.id, node.kind) {
            self.nodes[place] = node.clean();
        }
        self
    }

    /// Adds an arrow. An end that is not there yet becomes a box for an agent.
    pub fn edge(&mut self, edge: Edge) -> &mut Self {
        let from = self.place_of(&edge.from, NodeKind::Agent);
        let to = self.place_of(&edge.to, NodeKind::Agent);
        match (from, to) {
            (Some(from), Some(to)) if self.edges.len() < GRAPH_EDGES_MAX => {
                self.ends.push((from, to));
                self.edges.push(edge.clean());
            }
            _ => self.edges_left_out += 1,
        }
        self
    }

    /// The title.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The boxes, in the order in which they were named.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The arrows, in the order in which they were added.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// A box to change: what kind it is, how it stands. Its id stays.
    pub fn change(&mut self, id: &str, change: impl FnOnce(Node) -> Node) -> &mut Self {
        if let Some(place) = self.places.get(id) {
            let node = change(self.nodes[*place].clone());
            self.nodes[*place] = Node { id: id.to_owned(), ..node }.clean();
        }
        self
    }

    /// What was left out, in a sentence; nothing when all is there.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let say = |n: usize, one: &str, more: &str| match n {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{n} {more}")),
        };
        let parts = [say(self.nodes_left_out.len(), "box", "boxes"), say(self.edges_left_out, "arrow", "arrows")];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("Not shown: {}.", parts.join(" and ")))
    }

    /// The edges with the places of their ends.
    fn lines(&self) -> impl Iterator<Item = (usize, usize, &Edge)> {
        self.ends.iter().zip(&self.edges).map(|((from, to), edge)| (*from, *to, edge))
    }

    fn place_of(&mut self, id: &str, kind: NodeKind) -> Option<usize> {
        if let Some(place) = self.places.get(id) {
            return Some(*place);
        }
        if self.nodes.len() == GRAPH_NODES_MAX {
            self.nodes_left_out.insert(id.to_owned());
            return None;
        }
        self.places.insert(id.to_owned(), self.nodes.len());
        self.nodes.push(Node::new(id, kind).clean());
        Some(self.nodes.len() - 1)
    }
}
