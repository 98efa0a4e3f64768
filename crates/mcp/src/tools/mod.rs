//! The tools, by what they are for.

mod asking;
mod forms;
mod handing;
mod inbox;
mod listing;
mod shared;
mod talk;
mod work;

pub(crate) use inbox::inbox;
pub(crate) use work::view;

use crate::table::Tool;

/// All of them, in the order of the list.
pub(crate) fn all() -> Vec<Tool> {
    [listing::tools(), handing::tools(), inbox::tools(), work::tools(), asking::tools(), talk::tools(), shared::tools()]
        .concat()
}
