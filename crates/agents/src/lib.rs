//! Agents of every kind: models with tools, programs, services that are called, and the conversation with them.
//!
//! - [`llm`]: an agent that is a model with tools; its turn is made of recorded steps.
//! - [`model`]: what a model is asked and answers, and the clients that speak to providers.
//! - [`tool`]: what models can call: programs, and the tools of MCP servers.
//! - [`program`]: runs a program of somebody else, and always comes to an end.
//! - [`crypto`]: what encrypted connections are made with.
//! - [`scripted`]: a model that answers by a script, over the wire, for tests and demonstrations.

pub mod llm;
pub mod model;
pub mod talk;
pub mod crypto;
pub mod model;
pub mod program;
pub mod tool;
pub mod scripted;
