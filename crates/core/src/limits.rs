//! Every bound of the system, by name and with its unit. A loop, queue, wait or payload without a line here is a mistake.

mod a2a;
mod agents;
mod client;
mod dashboard;
mod mcp;
pub use postgres::*;
