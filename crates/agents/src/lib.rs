//! Agents of every kind: models with tools, programs, services that are called, and the conversation with them.
//!
//! - [`model`]: what a model is asked and answers, and the clients that speak to providers.

pub mod model;
