//! Pages of lists: how many rows, and from where on.

use crate::problem::Problem;
use handover_core::{
    limits::{ANSWER_ROWS, PAGE_MAX},
    refusal::{Code, Refusal},
};
use schemars::JsonSchema;
use serde::Deserialize;

/// What a cursor looks like.
pub(crate) const CURSOR: &str = "^c[0-9a-fA-F]{1,16}$";

/// Which page of a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageQuery {
    /// Rows of a page.
    #[serde(default)]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<u64>,
    /// `next` of the page before.
    #[serde(default)]
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
}

impl PageQuery {
    /// How many rows, and from where on.
    pub(crate) fn read(&self) -> Result<(usize, u64), Problem> {
        Ok((rows(self.limit)?, place(self.cursor.as_deref())?))
    }
}

/// Rows that are asked for, within bounds.
pub(crate) fn rows(limit: Option<u64>) -> Result<usize, Problem> {
    let Some(limit) = limit else { return Ok(ANSWER_ROWS) };
    let fits = usize::try_from(limit).ok().filter(|limit| (1..=PAGE_MAX).contains(limit));
    fits.ok_or_else(|| {
        let message = format!("{limit} is not between 1 and {PAGE_MAX} (PAGE_MAX)");
        Refusal::new(Code::OutOfRange, message).at("limit").into()
    })
}

/// The place that a cursor stands for. Cursors are ours to make; people pass them back as they are.
pub(crate) fn place(cursor: Option<&str>) -> Result<u64, Problem> {
    let Some(text) = cursor else { return Ok(0) };
    let number = text.strip_prefix('c').and_then(|digits| u64::from_str_radix(digits, 16).ok());
    number.ok_or_else(|| {
        let refusal = Refusal::new(Code::UnknownValue, "it is not a cursor of this list").at("cursor");
        refusal.hint("give back `next` of the page before, as it is").into()
    })
}

/// The cursor of a place.
pub(crate) fn cursor(place: u64) -> String {
    format!("c{place:x}")
}
