//! The pure core of Handover: what a handoff is, and every decision about one.
//!
//! Nothing here does input or output, waits, or asks for the time or for randomness: `now` and new ids are arguments.

pub mod a2a;
pub mod access;
pub mod agent;
pub mod apply;
pub mod budget;
mod build;
pub mod command;
pub mod context;
pub mod decide;
#[cfg(feature = "schema")]
pub mod described;
pub mod digest;
pub mod event;
pub mod expression;
pub mod glance;
pub mod graph;
pub mod guard;
pub mod guidance;
pub mod handoff;
pub mod ids;
pub mod ledger;
pub mod limits;
pub mod message;
pub mod nearest;
pub mod net;
pub mod policy;
pub mod record;
pub mod refusal;
pub mod route;
pub mod schema;
pub mod session;
pub mod time;
pub mod trace;
pub mod wire;
pub mod words;
pub mod workflow;
