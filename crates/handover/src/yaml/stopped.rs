//! Why a text is no YAML, in plain words and at the place where somebody would mend it.

use super::{
    syntax::{Stop, too_deep},
    tree::Place,
};
use handover_core::refusal::{Code, Refusal};
use serde_saphyr::granit_parser::{ErrorKind as Is, ScanError};

const TAB: &str = "indent with spaces; a tab is not allowed there";
const BRACKETS: &str = "look for a bracket that is not closed, or a comma that is missing";
const COLUMNS: &str = "fields of one object begin in the same column; a field is `name: value`, an entry `- value`";

/// What the parser says, made useful.
pub(super) fn stopped(text: &str, error: &ScanError) -> Stop {
    let mark = error.marker();
    let place = Place { line: mark.line().max(1), column: mark.col() + 1, width: 1 };
    if matches!(error.kind(), Is::RecursionLimitExceeded) {
        return too_deep(place);
    }
    let lines: Vec<&str> = text.strip_prefix('\u{feff}').unwrap_or(text).lines().collect();
    if let Some(place) = tab(&lines, place.line) {
        return stop(place, "a tab indents this line".to_owned(), TAB);
    }
    let (message, hint) = plain(error);
    let place = if in_quotes(error.kind()) { opening(&lines, place).unwrap_or(place) } else { place };
    stop(place, message, hint)
}

fn stop(place: Place, message: String, hint: &str) -> Stop {
    Box::new((place, Refusal::new(Code::NotYaml, message).hint(hint)))
}

/// A tab before the text of this line or the next: the parser often stops before it sees why.
fn tab(lines: &[&str], line: usize) -> Option<Place> {
    (line..=line + 1).find_map(|line| {
        let text = lines.get(line - 1)?;
        let indent = &text[..text.len() - text.trim_start().len()];
        let column = indent.chars().position(|c| c == '\t')? + 1;
        Some(Place { line, column, width: 1 })
    })
}

fn in_quotes(kind: &Is) -> bool {
    matches!(kind, Is::UnclosedQuotedScalar | Is::DocumentIndicatorInQuotedScalar | Is::InvalidQuotedScalarIndent)
}

/// The quotes that were opened and not closed: the last of an odd number in a line.
fn opening(lines: &[&str], place: Place) -> Option<Place> {
    let above = lines.iter().take(place.line).enumerate().rev();
    let mut odd = above.filter_map(|(i, text)| {
        let quotes = ['"', '\''].into_iter().find(|quote| text.matches(*quote).count() % 2 == 1)?;
        let column = text.chars().count() - text.chars().rev().position(|c| c == quotes)?;
        Some(Place { line: i + 1, column, width: 1 })
    });
    odd.next()
}

/// What is wrong and what to do about it.
fn plain(error: &ScanError) -> (String, &'static str) {
    let kind = error.kind();
    match kind {
        _ if in_quotes(kind) => ("the quotes are not closed".into(), "close them where the text ends"),
        Is::UnclosedFlowCollection { open } => (format!("the bracket `{open}` is not closed"), BRACKETS),
        Is::MismatchedFlowCollectionEnd { open, close } => {
            (format!("the bracket `{open}` is closed by `{close}`"), BRACKETS)
        }
        Is::ExpectedFlowMappingSeparator => ("expected `,` or `}`".into(), BRACKETS),
        Is::ExpectedFlowSequenceSeparator => ("expected `,` or `]`".into(), BRACKETS),
        Is::MisplacedFlowCollectionEnd => ("a bracket is closed that was not opened".into(), BRACKETS),
        Is::UnknownAnchor => (
            "the alias stands for nothing".into(),
            "mark a value before it with `&name`, or put quotes around a text that begins with `*`",
        ),
        Is::MappingValueNotAllowed => (
            "a colon is not expected here".into(),
            "indent the line like its neighbours; put quotes around a text with a colon in it",
        ),
        Is::UnexpectedCharacter { character } => {
            (format!("a text cannot begin with `{}`", character.escape_default()), "put quotes around it")
        }
        Is::UnknownQuotedScalarEscape => {
            ("a backslash stands before a character that it cannot".into(), "write `\\\\`, or use single quotes")
        }
        Is::SimpleKeyExpected | Is::InvalidSimpleKey => ("expected `:` after a name".into(), COLUMNS),
        Is::ExpectedBlockSequenceEntry
        | Is::ExpectedBlockMappingKey
        | Is::InvalidIndentation
        | Is::BlockSequenceEntryNotAllowed => ("the line does not fit those above it".into(), COLUMNS),
        _ => (error.info(), COLUMNS),
    }
}
