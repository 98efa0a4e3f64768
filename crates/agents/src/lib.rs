//! Agents of every kind: models with tools, programs, services that are called, and the conversation with them.
//!
//! - [`llm`]: an agent that is a model with tools; its turn is made of recorded steps.
//! - [`model`]: what a model is asked and answers, and the clients that speak to providers.

pub mod llm;
pub mod model;
pub mod talk;
pub mod tool;
