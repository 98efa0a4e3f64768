//! Agents of every kind: models with tools, programs, services that are called, and the conversation with them.
//!
//! - [`llm`]: an agent that is a model with tools; its turn is made of recorded steps.
//! - [`model`]: what a model is asked and answers, and the clients that speak to providers.
//! - [`tool`]: what a model can call: programs, and the tools of MCP servers.
//! - [`a2a`]: agents somewhere else that speak A2A.
//! - [`talk`]: a conversation that goes on, whoever has it.
//! - [`program`]: a program that is run to its end, whatever it does.
//! - [`scripted`]: a model for tests and demonstrations that answers from a file.

pub mod a2a;
pub mod assignment;
pub mod command;
pub mod crypto;
pub mod llm;
pub mod model;
pub mod program;
pub mod scripted;
pub mod staff;
pub mod talk;
pub mod tool;
pub mod webhook;
