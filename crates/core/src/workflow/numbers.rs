//! Numbers for texts: what is compared often is compared as a number, however long the text is.

use std::collections::HashMap;

/// Every text that was seen, with its number.
#[derive(Default)]
pub(super) struct Numbers<'a> {
    known: HashMap<&'a str, usize>,
}

impl<'a> Numbers<'a> {
    /// The number of a text, the same each time.
    pub(super) fn of(&mut self, text: &'a str) -> usize {
        let next = self.known.len();
        *self.known.entry(text).or_insert(next)
    }
}
