//! The contract itself, one function per promise.

mod feed;
mod ledger;
mod notes;
mod pruning;
mod queries;
mod queue;
mod shared;
mod whole;

pub use feed::*;
pub use ledger::*;
pub use notes::*;
pub use pruning::*;
pub use queries::*;
pub use queue::*;
pub use shared::*;
pub use whole::*;
