//! Agents of every kind: models with tools, programs, services that are called, and the conversation with them.
//!
//! - [`model`]: what a model is asked and answers, and the clients that speak to providers.
//! - [`tool`]: what models can call: programs, and the tools of MCP servers.
//! - [`program`]: runs a program of somebody else, and always comes to an end.
//! - [`crypto`]: what encrypted connections are made with.

pub mod crypto;
pub mod model;
pub mod program;
pub mod tool;
