//! The contract itself, one function per promise.

mod feed;
mod ledger;
mod pruning;
mod queries;
mod queue;
mod whole;

pub use feed::*;
pub use ledger::*;
pub use pruning::*;
pub use queries::*;
pub use queue::*;
pub use whole::*;
