//! From the events of the parser to the tree, with a bound on everything that a hostile file could make grow.

use super::{
    notes::{Notes, quoted},
    stopped::stopped,
    tree::{Content, NodeId, Place, Tree, join},
};
use handover_core::{
    limits::{FILE_LEVELS_MAX, FILE_VALUES_MAX},
    refusal::{Code, Refusal},
};
use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, Span, options};
use std::collections::HashMap;

/// What stops reading: there is no tree.
pub(crate) type Stop = Box<(Place, Refusal)>;

/// A list or map that is not closed yet.
struct Open {
    node: NodeId,
    anchor: usize,
    /// The key whose value comes next.
    key: Option<NodeId>,
    /// Where each name was given, to find one that comes twice.
    names: HashMap<String, usize>,
}

struct Builder<'n> {
    tree: Tree,
    open: Vec<Open>,
    root: Option<NodeId>,
    notes: &'n mut Notes,
}

/// Reads the text as one document. Nothing when it holds no value at all.
pub(crate) fn read(text: &str, notes: &mut Notes) -> Result<(Tree, Option<NodeId>), Stop> {
    let options = options! {
        emit_comments: false,
        flow_nesting_limit: FILE_LEVELS_MAX,
        block_nesting_limit: FILE_LEVELS_MAX,
    };
    let mut builder = Builder { tree: Tree::default(), open: Vec::new(), root: None, notes };
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| stopped(text, &error))?;
        builder.take(event, &span)?;
    }
    Ok((builder.tree, builder.root))
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), Stop> {
        if let Some(tag) = event.tag() {
            let message = format!("the tag {} is not read", quoted(&tag.original()));
            let refusal = Refusal::new(Code::WrongType, message).hint("leave it out; a text may stand in quotes");
            self.notes.add(place(&span.tag_span().unwrap_or(*span)), refusal);
        }
        match event {
            Event::DocumentStart(..) if self.root.is_some() => {
                let refusal = Refusal::new(Code::NotYaml, "a second document begins here");
                Err(Box::new((place(span), refusal.hint("put everything into one document, without `---`"))))
            }
            Event::Scalar(text, style, anchor, _) => {
                let plain = matches!(style, ScalarStyle::Plain);
                let node = self.tree.add(Content::Scalar { text: text.into_owned(), plain }, place(span));
                self.named(anchor, node);
                self.put(node, span)
            }
            Event::SequenceStart(_, anchor, _) => self.begin(Content::List(Vec::new()), anchor, span),
            Event::MappingStart(_, anchor, _) => self.begin(Content::Map(Vec::new()), anchor, span),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open { node, anchor, .. }) => {
                    self.named(anchor, node);
                    self.put(node, span)
                }
                None => Ok(()),
            },
            Event::Alias(anchor) => match self.tree.anchors.get(&anchor) {
                Some(node) => self.put(*node, span),
                None => {
                    let refusal = Refusal::new(Code::NotYaml, "an alias stands inside of what it stands for");
                    Err(Box::new((place(span), refusal.hint("write out what is meant"))))
                }
            },
            _ => Ok(()),
        }
    }

    fn named(&mut self, anchor: usize, node: NodeId) {
        if anchor > 0 {
            self.tree.anchors.insert(anchor, node);
        }
    }

    fn begin(&mut self, content: Content, anchor: usize, span: &Span) -> Result<(), Stop> {
        let node = self.tree.add(content, place(span));
        if self.open.len() >= FILE_LEVELS_MAX {
            return Err(too_deep(place(span)));
        }
        if let Some(around) = self.open.last() {
            self.tree.belongs(node, around.node, around.key);
        }
        self.open.push(Open { node, anchor, key: None, names: HashMap::new() });
        Ok(())
    }

    /// Puts a complete value where it belongs.
    fn put(&mut self, node: NodeId, span: &Span) -> Result<(), Stop> {
        let levels = self.open.len();
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        if levels + self.tree.levels(node) > FILE_LEVELS_MAX {
            return Err(too_deep(place(span)));
        }
        let parent = open.node;
        match (self.tree.content(parent), open.key.take()) {
            (Content::Map(_), None) => open.key = Some(node),
            (Content::Map(_), Some(key)) if !fits(&self.tree, key, open, self.notes) => {}
            (Content::Map(_) | Content::List(_) | Content::Scalar { .. }, key) => self.tree.put(parent, key, node),
        }
        if self.tree.values(parent) > FILE_VALUES_MAX {
            let message = format!("there are more than {FILE_VALUES_MAX} values (FILE_VALUES_MAX)");
            let hint = "what an alias stands for counts each time; use fewer of them, or several files";
            return Err(Box::new((place(span), Refusal::new(Code::TooLarge, message).hint(hint))));
        }
        Ok(())
    }
}

/// Whether a key is a name, and the first of its name.
fn fits(tree: &Tree, key: NodeId, open: &mut Open, notes: &mut Notes) -> bool {
    let place = tree.place(key);
    let Some(name) = tree.text(key) else {
        let refusal = Refusal::new(Code::WrongType, "expected a name before the colon, found a list or an object");
        notes.add(place, refusal.at(tree.path(open.node)).hint("put quotes around a text that begins with a bracket"));
        return false;
    };
    match open.names.insert(name.to_owned(), place.line) {
        None => true,
        Some(line) => {
            let message = format!("{} is given twice; the first is in line {line}", quoted(name));
            let mut field = tree.path(open.node);
            join(&mut field, name);
            let refusal = Refusal::new(Code::NotYaml, message).at(field);
            notes.add(place, refusal.hint("give it once"));
            open.names.insert(name.to_owned(), line);
            false
        }
    }
}

pub(super) fn too_deep(place: Place) -> Stop {
    let message = format!("it is nested more than {FILE_LEVELS_MAX} levels deep (FILE_LEVELS_MAX)");
    Box::new((place, Refusal::new(Code::TooDeep, message).hint("flatten it")))
}

fn place(span: &Span) -> Place {
    let (start, end) = (span.start, span.end);
    let width = if start.line() == end.line() { end.col().saturating_sub(start.col()) } else { 1 };
    Place { line: start.line().max(1), column: start.col() + 1, width: width.max(1) }
}
