//! What is wrong with a script: every mistake, each with its place.

use super::yaml::Place;
use handover_core::{
    limits::{MISTAKES_MAX, QUOTE_CHARS_MAX, SLIP_BYTES_MAX},
    nearest::nearest,
};
use std::fmt;

/// One mistake of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub hint: String,
}

/// Why a script is refused: all its mistakes, from top to bottom.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ScriptError {
    /// The file, as it was named.
    pub file: String,
    /// The mistakes; never empty.
    pub mistakes: Vec<Mistake>,
    /// Mistakes beyond `MISTAKES_MAX`, which are counted only.
    pub further: usize,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, mistake) in self.mistakes.iter().enumerate() {
            let Mistake { line, column, message, hint } = mistake;
            let end = if at == 0 { "" } else { "\n" };
            write!(f, "{end}{}:{line}:{column}: {message}; {hint}", self.file)?;
        }
        match self.further {
            0 => Ok(()),
            further => write!(f, "\nand {further} more"),
        }
    }
}

/// The mistakes found so far.
#[derive(Default)]
pub(super) struct Mistakes {
    found: Vec<Mistake>,
    further: usize,
}

impl Mistakes {
    pub(super) fn add(&mut self, place: Place, message: impl Into<String>, hint: impl Into<String>) {
        if self.found.len() >= MISTAKES_MAX {
            self.further += 1;
            return;
        }
        let Place { line, column } = place;
        self.found.push(Mistake { line, column, message: message.into(), hint: hint.into() });
    }

    /// The value, unless something is wrong.
    pub(super) fn verdict<T>(mut self, file: &str, value: T) -> Result<T, ScriptError> {
        if self.found.is_empty() {
            return Ok(value);
        }
        self.found.sort_by_key(|mistake| (mistake.line, mistake.column));
        Err(ScriptError { file: file.to_owned(), mistakes: self.found, further: self.further })
    }
}

/// A piece of the script as a message may repeat it.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTE_CHARS_MAX) {
        _ if text.is_empty() => "an empty text".to_owned(),
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// The name that was probably meant, or the list of them.
pub(super) fn meant(wanted: &str, names: &[&str]) -> String {
    let pairs = names.iter().map(|name| (*name, *name));
    let near = if wanted.len() > SLIP_BYTES_MAX { None } else { nearest(wanted, pairs) };
    near.map_or_else(|| format!("use one of {}", names.join(", ")), |near| format!("did you mean `{near}`?"))
}
