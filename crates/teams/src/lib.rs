//! Teams that ship with Handover: agents that do real work, and the services that they work with.
//!
//! An agent of the charter team is an async function over a [`bench::Bench`]: what it was given, and the few things that
//! it may do through the engine. It ends with a signal and data; the rules of the workflow choose who works next. The
//! services that it uses are beside it. The agents of [`research`], [`specialists`] and [`dojo`] delegate, broadcast and
//! speak, so they have the engine's own piece of work, and a [`room::Room`] with the files that they read and write.

pub mod bench;
pub mod charter;
mod code;
pub mod dojo;
pub mod faults;
mod files;
mod folder;
pub mod http;
pub mod mail;
pub mod market;
pub mod register;
pub mod research;
pub mod room;
mod shelf;
pub mod specialists;
mod words;
