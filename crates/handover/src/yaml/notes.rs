//! The mistakes found so far, each with its place and its source line.

use super::{
    mistake::{FileError, Mistake, Note},
    tree::Place,
};
use handover_core::{
    limits::{MISTAKES_MAX, QUOTE_CHARS_MAX, SLIP_BYTES_MAX, SOURCE_CHARS_MAX},
    nearest::nearest,
    refusal::Refusal,
};

pub(crate) struct Notes {
    file: String,
    lines: Vec<String>,
    found: Vec<Mistake>,
    further: usize,
}

impl Notes {
    pub(crate) fn new(file: &str, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.replace("\r\n", "\n").split(['\n', '\r']).map(str::to_owned).collect();
        Self { file: file.to_owned(), lines, found: Vec::new(), further: 0 }
    }

    /// The file, as it was named.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Notes a mistake. Its field is the path in the settings; without a hint of its own it has that of its code.
    pub(crate) fn add(&mut self, place: Place, refusal: Refusal) {
        if self.found.len() >= MISTAKES_MAX {
            self.further += 1;
            return;
        }
        let mistake = self.mistake(place, refusal);
        // A value that an alias uses again has its mistakes once.
        if !self.found.contains(&mistake) {
            self.found.push(mistake);
        }
    }

    /// A mistake as it is told, with the piece of its line that is shown.
    fn mistake(&self, place: Place, refusal: Refusal) -> Mistake {
        let Refusal { code, message, field, hint, .. } = refusal;
        let hint = if hint.is_empty() { code.mend().to_owned() } else { hint };
        let Place { line, column, width } = place;
        // A line may be as long as the file, so only what is shown of it is kept.
        let skipped = if column <= SOURCE_CHARS_MAX { 0 } else { column - SOURCE_CHARS_MAX / 2 };
        let whole = self.lines.get(line.saturating_sub(1)).map_or("", String::as_str);
        let source = whole.chars().skip(skipped).take(SOURCE_CHARS_MAX).collect();
        Mistake { code, message, field, line, column, hint, source, skipped, width }
    }

    /// The same as a note: told, and no reason to refuse the file.
    pub(crate) fn note(&self, place: Place, refusal: Refusal) -> Note {
        Note::of(&self.file, self.mistake(place, refusal))
    }

    pub(crate) fn lines(&self) -> &[String] {
        &self.lines
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.found.len() >= MISTAKES_MAX
    }

    /// All mistakes from top to bottom, if there are any.
    pub(crate) fn verdict(mut self) -> Result<(), FileError> {
        if self.found.is_empty() {
            return Ok(());
        }
        self.found.sort_by_key(|mistake| (mistake.line, mistake.column));
        Err(FileError { file: self.file, mistakes: self.found, further: self.further })
    }
}

/// A piece of the file as a message may repeat it.
pub(crate) fn quoted(text: &str) -> String {
    if text.is_empty() {
        return "an empty text".to_owned();
    }
    match text.char_indices().nth(QUOTE_CHARS_MAX) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// "Did you mean" one of these names; nothing when none is near.
pub(crate) fn did_you_mean<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if wanted.len() > SLIP_BYTES_MAX {
        return None;
    }
    let near = nearest(wanted, names.into_iter().map(|name| (name, name)))?;
    Some(format!("did you mean `{near}`?"))
}
