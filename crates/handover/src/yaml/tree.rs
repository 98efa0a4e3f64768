//! The text as a tree: every value knows where it stands and what it belongs to.

use std::collections::HashMap;

/// One value of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(usize);

/// Where a value stands, from 1 and in characters, and how much of its line it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) width: usize,
}

/// What a value is.
#[derive(Debug)]
pub(crate) enum Content {
    /// A text as it is written; `plain` when it has no quotes, so that it may also be a number, a truth or nothing.
    Scalar { text: String, plain: bool },
    /// Values in order.
    List(Vec<NodeId>),
    /// Names and their values, in order.
    Map(Vec<(NodeId, NodeId)>),
}

/// How a value belongs to the one around it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// It is the value of this key.
    Field(NodeId),
    /// It is this entry of a list.
    Entry(usize),
}

#[derive(Debug)]
struct Node {
    content: Content,
    place: Place,
    parent: Option<(NodeId, Step)>,
    /// How many values it holds with itself, and how deep they go; what an alias stands for counts each time.
    values: usize,
    levels: usize,
}

/// All values of a text.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Anchors whose value is complete.
    pub(crate) anchors: HashMap<usize, NodeId>,
}

impl Tree {
    pub(crate) fn add(&mut self, content: Content, place: Place) -> NodeId {
        self.nodes.push(Node { content, place, parent: None, values: 1, levels: 1 });
        NodeId(self.nodes.len() - 1)
    }

    /// Says where a value will belong when it is complete, so that what is in it has its whole path already.
    pub(crate) fn belongs(&mut self, node: NodeId, parent: NodeId, key: Option<NodeId>) {
        let step = match (self.content(parent), key) {
            (Content::List(entries), _) => Step::Entry(entries.len()),
            (Content::Map(_), Some(key)) => Step::Field(key),
            (Content::Map(_) | Content::Scalar { .. }, _) => return,
        };
        self.nodes[node.0].parent = Some((parent, step));
    }

    /// Puts a value into a list or under a key.
    pub(crate) fn put(&mut self, parent: NodeId, key: Option<NodeId>, child: NodeId) {
        let (values, levels) = (self.values(child), self.levels(child));
        let step = match (&mut self.nodes[parent.0].content, key) {
            (Content::List(entries), _) => {
                entries.push(child);
                Step::Entry(entries.len() - 1)
            }
            (Content::Map(entries), Some(key)) => {
                entries.push((key, child));
                Step::Field(key)
            }
            (Content::Map(_) | Content::Scalar { .. }, _) => return,
        };
        let node = &mut self.nodes[parent.0];
        node.values = node.values.saturating_add(values);
        node.levels = node.levels.max(levels.saturating_add(1));
        if let Some(key) = key {
            self.nodes[key.0].parent = Some((parent, step));
        }
        // An alias stands elsewhere as well; its mistakes are shown where it was written.
        self.nodes[child.0].parent.get_or_insert((parent, step));
    }

    pub(crate) fn content(&self, node: NodeId) -> &Content {
        &self.nodes[node.0].content
    }

    pub(crate) fn place(&self, node: NodeId) -> Place {
        self.nodes[node.0].place
    }

    pub(crate) fn values(&self, node: NodeId) -> usize {
        self.nodes[node.0].values
    }

    pub(crate) fn levels(&self, node: NodeId) -> usize {
        self.nodes[node.0].levels
    }

    /// The text of a scalar.
    pub(crate) fn text(&self, node: NodeId) -> Option<&str> {
        match self.content(node) {
            Content::Scalar { text, .. } => Some(text),
            Content::List(_) | Content::Map(_) => None,
        }
    }

    /// Names and values of a map; none when it is something else.
    pub(crate) fn entries(&self, node: NodeId) -> &[(NodeId, NodeId)] {
        match self.content(node) {
            Content::Map(entries) => entries,
            Content::List(_) | Content::Scalar { .. } => &[],
        }
    }

    /// Entries of a list, or values of a map.
    pub(crate) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let (list, map): (&[NodeId], &[(NodeId, NodeId)]) = match self.content(node) {
            Content::List(entries) => (entries, &[]),
            Content::Map(entries) => (&[], entries),
            Content::Scalar { .. } => (&[], &[]),
        };
        list.iter().copied().chain(map.iter().map(|(_, value)| *value))
    }

    /// The key and the value of a field.
    pub(crate) fn field(&self, node: NodeId, name: &str) -> Option<(NodeId, NodeId)> {
        self.entries(node).iter().copied().find(|(key, _)| self.text(*key) == Some(name))
    }

    /// Whether there is nothing: `~`, `null`, or no text at all.
    pub(crate) fn is_nothing(&self, node: NodeId) -> bool {
        match self.content(node) {
            Content::Scalar { text, plain } => *plain && matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"),
            Content::List(_) | Content::Map(_) => false,
        }
    }

    /// The path of a value, such as `agents[2].capabilities[0].id`.
    pub(crate) fn path(&self, node: NodeId) -> String {
        let mut steps = Vec::new();
        let mut at = node;
        while let Some((parent, step)) = self.nodes[at.0].parent {
            steps.push(step);
            at = parent;
        }
        let mut path = String::new();
        for step in steps.into_iter().rev() {
            match step {
                Step::Entry(i) => path += &format!("[{i}]"),
                Step::Field(key) => join(&mut path, self.text(key).unwrap_or_default()),
            }
        }
        path
    }
}

/// Adds a name to a path.
pub(crate) fn join(path: &mut String, name: &str) {
    if !path.is_empty() && !name.is_empty() && !name.starts_with('[') {
        path.push('.');
    }
    path.push_str(name);
}
