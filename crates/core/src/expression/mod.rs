//! Conditions in CEL, the Common Expression Language: compiled once, run against JSON, the same everywhere and always.
//!
//! The grammar is that of the crate `cel`. What the tree means is decided here, because a condition must give the same
//! answer on every machine, must end within a bound, and must say in words what is wrong with it.

mod check;
mod condition;
mod cursor;
mod evaluate;
mod functions;
mod lower;
mod node;
mod number;
mod operate;
mod parse;
mod pattern;
mod scan;
mod trouble;
mod value;

#[cfg(test)]
mod tests;

pub use condition::Condition;
pub(crate) use condition::Weight;

use crate::limits;
use std::{fmt, sync::Arc};

/// A condition in CEL, compiled once. A clone is cheap.
#[derive(Clone)]
pub struct Expression {
    compiled: Arc<Compiled>,
}

struct Compiled {
    source: String,
    root: node::Node,
    /// Levels of the tree, which a run goes down.
    depth: usize,
}

/// What an expression can see: a JSON value for each root.
pub trait Context {
    /// The value of a root, made only when an expression asks for it.
    fn root(&self, name: &str) -> Option<&serde_json::Value>;
}

/// An object whose keys are the roots.
impl Context for serde_json::Value {
    fn root(&self, name: &str) -> Option<&serde_json::Value> {
        self.get(name)
    }
}

/// Why a text is no expression, and where. A line and a column count from one, in characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {line}, column {column}); {hint}")]
pub struct Mistake {
    /// What is wrong.
    pub message: String,
    /// The line within the expression.
    pub line: u32,
    /// The column within that line.
    pub column: u32,
    /// How to mend it.
    pub hint: String,
}

/// Why an expression gave no answer for this context, and where. A line and a column count from one, in characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {line}, column {column}); {hint}")]
pub struct Trouble {
    /// What happened.
    pub message: String,
    /// The line within the expression.
    pub line: u32,
    /// The column within that line.
    pub column: u32,
    /// How to mend it.
    pub hint: String,
}

/// A place in the source. A line and a column count from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    line: u32,
    column: u32,
}

impl Expression {
    /// Reads and checks an expression. `roots` are the names that every context will have.
    ///
    /// # Errors
    /// When it is no CEL, is too large, uses a name or a function that does not exist, or can never be true or false.
    pub fn compile(source: &str, roots: &[&str]) -> Result<Self, Mistake> {
        let tokens = scan::scan(source)?;
        let stack = limits::EXPRESSION_READ_STACK_BYTES;
        let (root, depth) = stacker::maybe_grow(stack, stack, || {
            let tree = parse::parse(source, &tokens)?;
            let root = lower::lower(&tree, roots)?;
            check::condition(&root)?;
            let depth = root.depth();
            Ok((root, depth))
        })?;
        Ok(Self { compiled: Arc::new(Compiled { source: source.to_owned(), root, depth }) })
    }

    /// Runs it against a context.
    ///
    /// # Errors
    /// When it misses a key, gives neither true nor false, mixes what cannot be mixed, or takes too long.
    pub fn holds(&self, context: &dyn Context) -> Result<bool, Trouble> {
        // A stack of its own costs more than a usual expression itself.
        if self.compiled.depth <= limits::EXPRESSION_SHALLOW_DEPTH {
            return evaluate::condition(&self.compiled.root, context);
        }
        let stack = limits::EXPRESSION_RUN_STACK_BYTES;
        stacker::maybe_grow(stack, stack, || evaluate::condition(&self.compiled.root, context))
    }

    /// Whether both were compiled together.
    #[cfg(test)]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.compiled, &other.compiled)
    }

    /// The text that it was compiled from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.compiled.source
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Expression").field(&self.source()).finish()
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.source() == other.source()
    }
}

impl Eq for Expression {}

impl Place {
    /// The mistake at this place.
    fn mistake(self, message: impl Into<String>, hint: impl Into<String>) -> Mistake {
        Mistake { message: message.into(), line: self.line, column: self.column, hint: hint.into() }
    }
}

/// Does something that reads many expressions on one large stack: a fresh one for each takes a third of the time.
pub(crate) fn on_one_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::grow(2 * limits::EXPRESSION_READ_STACK_BYTES, work)
}

/// A piece of a text as a message may repeat it: marked as code, on one line, and not too long.
fn quoted(text: &str) -> String {
    let mut shown = String::new();
    for letter in text.chars().take(limits::QUOTE_CHARS_MAX) {
        if letter.is_control() { shown.extend(letter.escape_default()) } else { shown.push(letter) }
    }
    let cut = if text.chars().nth(limits::QUOTE_CHARS_MAX).is_some() { "…" } else { "" };
    format!("`{shown}{cut}`")
}

/// `a`, `b` and so on, each marked as code.
fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(quoted).collect::<Vec<_>>().join(", ")
}

/// Of these names, the one that was probably meant. A name of one or two letters is like too many.
fn meant<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known = names.into_iter().filter(|name| name.len() <= limits::SLIP_BYTES_MAX);
    if !(3..=limits::SLIP_BYTES_MAX).contains(&wanted.len()) {
        return None;
    }
    crate::nearest::nearest(wanted, known.map(|name| (name, name)))
}
