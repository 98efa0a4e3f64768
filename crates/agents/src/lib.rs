//! Agents of every kind: models with tools, programs, services that are called, and the conversation with them.
//!
//! - [`model`]: what a model is asked and answers, and the clients that speak to providers.
//! - [`scripted`]: a model that answers by a script, over the wire, for tests and demonstrations.

pub mod model;
pub mod scripted;
