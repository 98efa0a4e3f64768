//! Guards: what stops work that makes no progress, costs too much, or is not the agent's to decide.

pub mod breaker;
pub mod complexity;
pub mod watch;
