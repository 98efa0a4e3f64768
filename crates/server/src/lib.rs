//! The server of Handover: every language talks to the engine through it.
//!
//! One table of routes ([`table`]) is the source of everything: the router, the document of the interface, who may do
//! what, and the tests that try each cell of it.

mod ask;
mod auth;
mod bus;
mod commands;
mod docs;
mod door;
mod etag;
mod forms;
mod listen;
mod mount;
pub mod openapi;
mod page;
mod patience;
mod problem;
mod rate;
mod reply;
mod routes;
mod sse;
mod start;
mod strict;
pub mod table;
mod tls;
mod views;

pub use bus::{AskBus, BusHealth};
pub use commands::{Commands, Errand, ErrandLook};
pub use mount::{Guard, Mount};
pub use problem::{Details, Problem, status_of};
pub use start::{Options, Server, StartError};
pub use tls::TlsFiles;
