//! Teams that ship with Handover: agents that do real work, and the services that they work with.
//!
//! An agent is an async function over a [`bench::Bench`]: what it was given, and the few things that it may do through
//! the engine. It ends with a signal and data; the rules of the workflow choose who works next. The charter team is in
//! [`charter`], the services that it uses are beside it.

pub mod bench;
pub mod charter;
pub mod faults;
mod files;
pub mod http;
pub mod mail;
pub mod market;
pub mod register;
mod words;
