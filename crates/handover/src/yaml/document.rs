//! A file that is being read: its tree, its mistakes, and what was left out because of one.

use super::{
    inside,
    mistake::{FileError, Note},
    notes::{Notes, quoted},
    reader::Value,
    syntax,
    tree::{Content, NodeId, Tree, join},
    wrong::{Kind, Wrong},
};
use handover_core::{
    ids::{AgentId, BadName},
    limits::FILE_BYTES_MAX,
    refusal::{Code, HandoffError, Refusal},
};
use serde::de::DeserializeOwned;
use std::{cell::RefCell, collections::HashSet};

pub(crate) struct Document {
    pub(crate) tree: Tree,
    pub(crate) root: NodeId,
    notes: RefCell<Notes>,
    left_out: RefCell<HashSet<NodeId>>,
}

impl Document {
    /// Reads the text; the mistakes that do not keep it from being a tree are told later, with all others.
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, FileError> {
        let bytes = text.len();
        if bytes > FILE_BYTES_MAX {
            let message = format!("it has {bytes} bytes; at most {FILE_BYTES_MAX} are allowed (FILE_BYTES_MAX)");
            return Err(FileError::whole(file, Code::TooLarge, message, "use several files"));
        }
        let mut notes = Notes::new(file, text);
        match syntax::read(text, &mut notes) {
            Ok((tree, Some(root))) if !tree.is_nothing(root) => {
                Ok(Self { tree, root, notes: RefCell::new(notes), left_out: RefCell::default() })
            }
            Ok(_) => Err(FileError::whole(file, Code::EmptyField, "the file is empty".into(), "begin with `agents:`")),
            Err(stop) => {
                let (place, refusal) = *stop;
                notes.add(place, refusal);
                match notes.verdict() {
                    Err(error) => Err(error),
                    Ok(()) => Err(FileError::whole(file, Code::NotYaml, "it cannot be read".into(), "")),
                }
            }
        }
    }

    /// Notes a mistake at a value.
    pub(crate) fn refuse(&self, node: NodeId, refusal: Refusal) {
        let field = self.tree.path(node);
        self.notes.borrow_mut().add(self.tree.place(node), refusal.at(field));
    }

    /// Notes a mistake whose field is a path below this value, such as `capabilities[0].proficiency`.
    pub(crate) fn refuse_below(&self, node: NodeId, refusal: Refusal) {
        let (found, rest) = self.find(node, &refusal.field);
        let mut field = self.tree.path(found);
        join(&mut field, rest);
        self.notes.borrow_mut().add(self.tree.place(found), refusal.at(field));
    }

    /// Notes a mistake inside of a text, at a line and a column of the text that a path below this value leads to.
    pub(crate) fn refuse_inside(&self, node: NodeId, at: (usize, usize), refusal: Refusal) {
        let (found, _) = self.find(node, &refusal.field);
        let place = self.tree.place(found);
        let inner = match self.tree.content(found) {
            Content::Scalar { text, plain } => inside::find(self.notes.borrow().lines(), place, (text, *plain), at),
            Content::List(_) | Content::Map(_) => None,
        };
        self.notes.borrow_mut().add(inner.unwrap_or(place), refusal.at(self.tree.path(found)));
    }

    /// Whether something was left out at a path below this value, or right below it.
    #[cfg(feature = "teams")]
    pub(crate) fn lacks_below(&self, node: NodeId, path: &str) -> bool {
        let found = self.find(node, path).0;
        self.is_left_out(found) || (found != node && self.lacks(found))
    }

    /// Whether the file has something at this path.
    #[cfg(feature = "teams")]
    pub(crate) fn has(&self, path: &str) -> bool {
        self.find(self.root, path).1.is_empty()
    }

    /// The folder that paths of the file are from.
    pub(crate) fn folder(&self) -> std::path::PathBuf {
        let file = self.notes.borrow().file().to_owned();
        std::path::Path::new(&file).parent().map(ToOwned::to_owned).unwrap_or_default()
    }

    /// The line of a path below this value.
    pub(crate) fn line_of(&self, node: NodeId, path: &str) -> usize {
        self.tree.place(self.find(node, path).0).line
    }

    /// Something about a path below this value that is no mistake.
    pub(crate) fn remark(&self, node: NodeId, refusal: Refusal) -> Note {
        let (found, _) = self.find(node, &refusal.field);
        self.notes.borrow().note(self.tree.place(found), refusal)
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_clean(&self) -> bool {
        self.notes.borrow().is_clean()
    }

    /// Whether a further mistake is only counted, so that nothing need be said about it.
    pub(crate) fn is_full(&self) -> bool {
        self.notes.borrow().is_full()
    }

    /// All mistakes, if there are any.
    pub(crate) fn verdict(self) -> Result<(), FileError> {
        self.notes.into_inner().verdict()
    }

    pub(crate) fn is_left_out(&self, node: NodeId) -> bool {
        self.left_out.borrow().contains(&node)
    }

    pub(crate) fn leave_out(&self, node: NodeId) {
        self.left_out.borrow_mut().insert(node);
    }

    /// Gives an object a text in the place of a field that is missing or cannot be read, so that the rest of it can
    /// be read and checked. The mistake is noted: what is read with a stand-in never leaves.
    pub(crate) fn stand_in(&mut self, node: NodeId, name: &str, text: String) {
        let place = self.tree.place(node);
        let scalar = |text| Content::Scalar { text, plain: false };
        let key = self.tree.add(scalar(name.to_owned()), place);
        let value = self.tree.add(scalar(text), place);
        self.tree.put(node, Some(key), value);
        self.left_out.borrow_mut().remove(&node);
    }

    /// Reads a value as far as it goes. A part that cannot be read is noted and left out, and the rest is read again,
    /// until it can be read or the mistakes are enough. Nothing when it cannot be read even so.
    pub(crate) fn read<T: DeserializeOwned>(&self, node: NodeId) -> Option<T> {
        loop {
            let wrong = match T::deserialize(Value { document: self, node }) {
                Ok(value) => return Some(value),
                Err(wrong) => wrong,
            };
            let at = wrong.at.unwrap_or(node);
            self.note(at, wrong);
            // The same twice would be a loop without an end.
            let again = !self.left_out.borrow_mut().insert(at);
            if at == node || again || self.is_full() {
                return None;
            }
        }
    }

    fn note(&self, at: NodeId, wrong: Wrong) {
        match wrong.kind {
            Kind::Is(refusal) => self.refuse(at, *refusal),
            Kind::Missing(name) => self.missing(at, name),
            Kind::Length(_) if self.lacks(at) => {}
            Kind::Length(text) => self.refuse(at, Refusal::new(Code::WrongType, text)),
            Kind::Custom(text) => self.refuse(at, self.custom(at, text)),
            Kind::Noted => {}
        }
    }

    /// Notes that an object lacks a field.
    pub(crate) fn missing(&self, at: NodeId, name: &str) {
        match self.tree.field(at, name) {
            Some((_, value)) if self.is_left_out(value) => {}
            Some((key, _)) => {
                let refusal = Refusal::new(Code::MissingField, format!("{} has no value", quoted(name)));
                self.refuse(key, refusal.hint("write one after the colon"));
            }
            None => {
                let refusal = Refusal::new(Code::MissingField, format!("{} is missing", quoted(name)));
                self.refuse(at, refusal.hint(format!("add `{name}: …` here")));
            }
        }
    }

    /// Whether an entry was left out.
    fn lacks(&self, node: NodeId) -> bool {
        let left_out = self.left_out.borrow();
        self.tree.children(node).any(|child| left_out.contains(&child))
    }

    /// What a type itself says of a value. Of a name it says it with the code that names have everywhere.
    fn custom(&self, at: NodeId, text: String) -> Refusal {
        let Some(name) = self.tree.text(at) else { return Refusal::new(Code::WrongType, text) };
        let Some(bad) = AgentId::new(name).err().filter(|bad| bad.to_string() == text) else {
            return Refusal::new(Code::WrongType, text)
                .hint("correct the value; the message says what is wrong with it");
        };
        let hint = match bad {
            BadName::Empty => "write a name",
            BadName::TooLong { .. } => "write a shorter one",
            BadName::BadCharacter(_) => "write it with those alone",
        };
        Refusal::new(HandoffError::from(bad).code(), format!("{} is not a name: {text}", quoted(name))).hint(hint)
    }

    /// The value at this path below another, or the innermost around it that is there, and the rest of the path.
    /// Entries that were left out do not count: whoever made the path has not seen them.
    fn find<'p>(&self, from: NodeId, path: &'p str) -> (NodeId, &'p str) {
        let (mut at, mut rest) = (from, path);
        while let Some((next, after)) = self.step(at, rest) {
            (at, rest) = (next, after);
        }
        (at, rest)
    }

    fn step<'p>(&self, at: NodeId, path: &'p str) -> Option<(NodeId, &'p str)> {
        if let Some(inner) = path.strip_prefix('[') {
            let (number, after) = inner.split_once(']')?;
            let mut seen = self.tree.children(at).filter(|child| !self.is_left_out(*child));
            return Some((seen.nth(number.parse().ok()?)?, after));
        }
        let path = path.strip_prefix('.').unwrap_or(path);
        let below = |(key, value): &(NodeId, NodeId)| {
            let name = self.tree.text(*key).filter(|name| !name.is_empty())?;
            let after = path.strip_prefix(name)?;
            (after.is_empty() || after.starts_with(['.', '['])).then_some((*value, after))
        };
        // A name may have a point in it: the longest that fits is meant.
        self.tree.entries(at).iter().filter_map(below).min_by_key(|(_, after)| after.len())
    }
}
