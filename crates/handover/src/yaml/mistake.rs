//! What is wrong with a file, and how it is shown: one block for each mistake, as a compiler does.

use handover_core::refusal::{Code, HandoffError, Refusal};
use serde_json::json;
use std::fmt;

/// One mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The stable code.
    pub code: Code,
    /// What is wrong, with the values at hand.
    pub message: String,
    /// Where in the settings, as a path such as `agents[2].escalates_to`; empty when it is about the file as a whole.
    pub field: String,
    /// The line, from 1; 0 when there is no such file.
    pub line: usize,
    /// The column in characters, from 1; 0 when there is no such file.
    pub column: usize,
    /// How to mend it.
    pub hint: String,
    /// The source line; of a long one, the piece around the mistake.
    pub source: String,
    /// How many characters of the line stand before that piece.
    pub skipped: usize,
    /// How many characters of the line are meant, at least 1.
    pub width: usize,
}

/// Why a file is refused: everything that is wrong with it, from top to bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The file, as it was named.
    pub file: String,
    /// The mistakes; never empty.
    pub mistakes: Vec<Mistake>,
    /// Mistakes beyond `MISTAKES_MAX`, which are counted only.
    pub further: usize,
}

impl FileError {
    /// An error of one mistake about the file as a whole.
    pub(crate) fn whole(file: &str, code: Code, message: String, hint: &str) -> Self {
        let hint = if hint.is_empty() { code.mend() } else { hint };
        let mistake = Mistake {
            code,
            message,
            field: String::new(),
            line: 1,
            column: 1,
            hint: hint.to_owned(),
            source: String::new(),
            skipped: 0,
            width: 1,
        };
        Self { file: file.to_owned(), mistakes: vec![mistake], further: 0 }
    }

    /// How many mistakes there are in all.
    #[must_use]
    pub fn count(&self) -> usize {
        self.mistakes.len() + self.further
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, mistake) in self.mistakes.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            mistake.show(&self.file, f)?;
        }
        if self.further > 0 {
            write!(f, "\nat least {} further mistakes are not listed\n", self.further)?;
        }
        Ok(())
    }
}

impl std::error::Error for FileError {}

/// Something in a file that can be, and is worth a second look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The file, as it was named.
    pub file: String,
    /// What, with the values at hand.
    pub message: String,
    /// Where in the file, as a path such as `rules[2]`.
    pub field: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What to do about it.
    pub hint: String,
    /// The source line; of a long one, the piece around the place.
    pub source: String,
    /// How many characters of the line stand before that piece.
    pub skipped: usize,
    /// How many characters of the line are meant, at least 1.
    pub width: usize,
}

impl Mistake {
    fn show(&self, file: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error[{}]: {}", self.code, tame(&self.message))?;
        self.excerpt(file, f)
    }

    fn excerpt(&self, file: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let margin = " ".repeat(self.line.to_string().len());
        write!(f, "{margin}--> {}", tame(file))?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        if self.field.is_empty() {
            f.write_str("\n")?;
        } else {
            writeln!(f, " in {}", tame(&self.field))?;
        }
        if !self.source.trim().is_empty() {
            let piece = tame(self.source.trim_end());
            let before = self.column.saturating_sub(1 + self.skipped);
            let carets = "^".repeat(self.width.clamp(1, piece.chars().count().saturating_sub(before).max(1)));
            writeln!(f, "{margin} |\n{} | {piece}\n{margin} | {}{carets}", self.line, " ".repeat(before))?;
        }
        writeln!(f, "{margin} = hint: {}", tame(&self.hint))
    }
}

impl Note {
    pub(super) fn of(file: &str, mistake: Mistake) -> Self {
        let Mistake { message, field, line, column, hint, source, skipped, width, .. } = mistake;
        Self { file: file.to_owned(), message, field, line, column, hint, source, skipped, width }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "note: {}", tame(&self.message))?;
        let Self { file, message, field, line, column, hint, source, skipped, width } = self.clone();
        let code = Code::BadWorkflow;
        Mistake { code, message, field, line, column, hint, source, skipped, width }.excerpt(&file, f)
    }
}

/// A text of the file's as a terminal may show it: a tab takes one place, and nothing in it is a command to the terminal.
fn tame(text: &str) -> String {
    let safe = |c: char| match c {
        '\n' | '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(safe).collect()
}

impl From<FileError> for HandoffError {
    fn from(error: FileError) -> Self {
        let FileError { file, mistakes, further } = error;
        let refusal = |mistake: Mistake| {
            let Mistake { code, message, field, line, column, hint, .. } = mistake;
            let details = json!({"file": file, "line": line, "column": column});
            Refusal::new(code, format!("{message}, at {file}:{line}:{column}")).at(field).hint(hint).details(details)
        };
        let mut refusals: Vec<Refusal> = mistakes.into_iter().map(refusal).collect();
        if further > 0 {
            let message = format!("at least {further} further mistakes are not listed");
            refusals.push(Refusal::new(Code::TooLarge, message).details(json!({"further": further})));
        }
        Self { refusals, agents: String::new(), cause: None }
    }
}
