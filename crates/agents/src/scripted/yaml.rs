//! YAML as a tree in which every value knows its place.

use super::mistake::{Mistakes, quoted};
use handover_core::limits::{FILE_BYTES_MAX, FILE_LEVELS_MAX};
use serde_json::{Map, Number, Value};
use serde_saphyr::granit_parser::{ErrorKind, Event, Parser, ScalarStyle, Span, options};

/// Where something stands in the file; both count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// A value with its place.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) content: Content,
}

#[derive(Debug, Clone)]
pub(super) enum Content {
    /// A text, number or word. Only a plain one, without quotes, can be a number or a word.
    Scalar {
        text: String,
        plain: bool,
    },
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

impl Node {
    /// What it is, for a message.
    pub(super) fn kind(&self) -> &'static str {
        match &self.content {
            Content::Scalar { .. } if self.is_nothing() => "nothing",
            Content::Scalar { .. } => "a text",
            Content::List(_) => "a list",
            Content::Map(_) => "an object",
        }
    }

    pub(super) fn is_nothing(&self) -> bool {
        matches!(&self.content, Content::Scalar { text, plain: true } if matches!(text.as_str(), "" | "~" | "null"))
    }

    /// The text of a scalar that is there.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { text, .. } if !self.is_nothing() => Some(text),
            Content::Scalar { .. } | Content::List(_) | Content::Map(_) => None,
        }
    }

    /// The value as JSON. A key that is no text has been refused before.
    pub(super) fn json(&self) -> Value {
        match &self.content {
            Content::Scalar { text, plain: true } => plain(text),
            Content::Scalar { text, plain: false } => Value::String(text.clone()),
            Content::List(entries) => entries.iter().map(Node::json).collect(),
            Content::Map(entries) => {
                let pair = |(key, value): &(Node, Node)| (key.text().unwrap_or_default().to_owned(), value.json());
                Value::Object(entries.iter().map(pair).collect::<Map<_, _>>())
            }
        }
    }
}

/// What a text without quotes stands for. Numbers are those of JSON.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => serde_json::from_str::<Number>(text).map_or_else(|_| Value::String(text.to_owned()), Value::Number),
    }
}

/// A list or map that is not closed yet, with the key whose value comes next.
struct Open {
    node: Node,
    key: Option<Node>,
}

/// Reads one document. Nothing when it cannot be read or holds nothing; then a mistake says why.
pub(super) fn read(text: &str, mistakes: &mut Mistakes) -> Option<Node> {
    let start = Place { line: 1, column: 1 };
    if text.len() > FILE_BYTES_MAX {
        let message =
            format!("the script has {} bytes; at most {FILE_BYTES_MAX} are allowed (FILE_BYTES_MAX)", text.len());
        mistakes.add(start, message, "use several scripts");
        return None;
    }
    let levels = options! {
        emit_comments: false,
        flow_nesting_limit: FILE_LEVELS_MAX,
        block_nesting_limit: FILE_LEVELS_MAX,
    };
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str_with_options(text, levels) {
        let (event, span) = match event {
            Ok((Event::Alias(_), span)) => {
                mistakes.add(place(&span), "an alias is not read in a script", "write out what it stands for");
                return None;
            }
            Ok(event) => event,
            Err(error) => {
                let mark = error.marker();
                let place = Place { line: mark.line().max(1), column: mark.col() + 1 };
                if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
                    let message = format!("it is nested more than {FILE_LEVELS_MAX} levels deep (FILE_LEVELS_MAX)");
                    mistakes.add(place, message, "flatten it");
                    return None;
                }
                let hint = "look at the indentation, quotes and brackets here and in the line before";
                mistakes.add(place, format!("this is no YAML: {}", error.info()), hint);
                return None;
            }
        };
        take(event, place(&span), &mut open, &mut root, mistakes);
    }
    if root.as_ref().is_none_or(Node::is_nothing) {
        mistakes.add(start, "the script is empty", "write a list of entries, such as `- say: Hello.`");
        return None;
    }
    root
}

fn take(event: Event<'_>, place: Place, open: &mut Vec<Open>, root: &mut Option<Node>, mistakes: &mut Mistakes) {
    let begin = |content| Open { node: Node { place, content }, key: None };
    let done = match event {
        Event::Scalar(text, style, ..) => {
            let plain = matches!(style, ScalarStyle::Plain);
            Node { place, content: Content::Scalar { text: text.into_owned(), plain } }
        }
        Event::SequenceStart(..) => return open.push(begin(Content::List(Vec::new()))),
        Event::MappingStart(..) => return open.push(begin(Content::Map(Vec::new()))),
        Event::SequenceEnd | Event::MappingEnd => match open.pop() {
            Some(open) => open.node,
            None => return,
        },
        Event::DocumentStart(..) if root.is_some() => {
            return mistakes.add(place, "a second document begins here", "put all entries into one list");
        }
        _ => return,
    };
    match open.last_mut() {
        Some(parent) => put(parent, done, mistakes),
        None => *root = root.take().or(Some(done)),
    }
}

/// Puts a complete value where it belongs.
fn put(parent: &mut Open, done: Node, mistakes: &mut Mistakes) {
    match (&mut parent.node.content, parent.key.take()) {
        (Content::List(entries), _) => entries.push(done),
        (Content::Map(_), None) => parent.key = Some(done),
        (Content::Map(entries), Some(key)) => {
            let Some(name) = key.text() else {
                let hint = "put quotes around a text that begins with a bracket, such as \"{{user}}\"";
                return mistakes.add(key.place, format!("a key is a name, not {}", key.kind()), hint);
            };
            if entries.iter().any(|(other, _)| other.text() == Some(name)) {
                return mistakes.add(key.place, format!("{} is given twice", quoted(name)), "give it once");
            }
            entries.push((key, done));
        }
        (Content::Scalar { .. }, _) => {}
    }
}

fn place(span: &Span) -> Place {
    Place { line: span.start.line().max(1), column: span.start.col() + 1 }
}
