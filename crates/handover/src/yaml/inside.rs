//! Where a character of a text stands in the file. Quotes, escapes and line breaks make the two differ; but what is not a
//! space comes in the same order in both, so that counting it leads there.

use super::tree::Place;

/// How a text is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
}

/// The characters of the file from a place on, with their places.
struct Source<'l> {
    lines: &'l [String],
    line: usize,
    column: usize,
    rest: std::str::Chars<'l>,
}

impl Source<'_> {
    fn next(&mut self) -> Option<char> {
        match self.rest.next() {
            Some(letter) => {
                self.column += 1;
                Some(letter)
            }
            None => {
                self.rest = self.lines.get(self.line)?.chars();
                (self.line, self.column) = (self.line + 1, 1);
                Some('\n')
            }
        }
    }

    /// The next character that the text has, whatever it takes to write it. Nothing where the text ends.
    fn letter(&mut self, style: Style) -> Option<char> {
        match (style, self.next()?) {
            (Style::Single, '\'') => {
                let again = self.rest.clone().next() == Some('\'');
                again.then(|| self.next()).flatten()
            }
            (Style::Double, '"') => None,
            (Style::Double, '\\') => Some(self.escaped()),
            (_, letter) => Some(letter),
        }
    }

    fn escaped(&mut self) -> char {
        let digits = match self.next() {
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            // All that matters is whether it is a space.
            Some('n' | 't' | 'r' | 'v' | 'f' | 'N' | '_' | 'L' | 'P' | ' ' | '\t' | '\n') | None => return ' ',
            Some(letter) => return letter,
        };
        let hex: String = (0..digits).filter_map(|_| self.next()).collect();
        u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
    }
}

/// The place in the file of a line and a column of a text, both from 1. Nothing where the text is not found there.
pub(super) fn find(lines: &[String], place: Place, (text, plain): (&str, bool), at: (usize, usize)) -> Option<Place> {
    let line = lines.get(place.line.checked_sub(1)?)?;
    let mut rest = line.chars();
    rest.by_ref().take(place.column.saturating_sub(1)).for_each(drop);
    let mut source = Source { lines, line: place.line, column: place.column, rest };
    let style = if plain { Style::Plain } else { style(source.rest.as_str(), text) };
    if style != Style::Plain {
        source.next();
    }
    let (before, exact) = wanted(text, at);
    let mut seen = 0;
    let mut after = (source.line, source.column);
    loop {
        let here = (source.line, source.column);
        if seen == before && !exact {
            return Some(Place { line: after.0, column: after.1, width: 1 });
        }
        // The character may be the first of a line, and its place is then known only when it is read.
        let letter = source.letter(style)?;
        if !letter.is_whitespace() {
            if seen == before {
                // A name is meant as a whole.
                let inner = |letter: &char| letter.is_alphanumeric() || *letter == '_';
                let more = if inner(&letter) { source.rest.clone().take_while(inner).count() } else { 0 };
                return Some(Place { line: here.0, column: here.1, width: 1 + more });
            }
            seen += 1;
            after = (source.line, source.column);
        }
    }
}

/// How a text that is not plain is written, by its beginning in the file. A block begins with its own first character,
/// which may be a mark of quotation too; in quotes such a mark would be written as two, or behind a backslash.
fn style(source: &str, text: &str) -> Style {
    match source.chars().next() {
        Some('\'') if !text.starts_with('\'') || source.starts_with("'''") => Style::Single,
        Some('"') if !text.starts_with('"') || source.starts_with("\"\\") => Style::Double,
        Some(_) | None => Style::Plain,
    }
}

/// How many characters other than spaces stand before a place of a text, and whether it is one itself.
fn wanted(text: &str, (line, column): (usize, usize)) -> (usize, bool) {
    let mut lines = text.split('\n');
    let above: usize = lines.by_ref().take(line.saturating_sub(1)).map(solid).sum();
    let own = lines.next().unwrap_or_default();
    let start = own.char_indices().nth(column.saturating_sub(1)).map_or(own.len(), |(at, _)| at);
    (above + solid(&own[..start]), own[start..].chars().next().is_some_and(|letter| !letter.is_whitespace()))
}

fn solid(text: &str) -> usize {
    text.chars().filter(|letter| !letter.is_whitespace()).count()
}
