//! A model that answers by a script: for tests and demonstrations, over the wire, in the formats of two providers.
//!
//! It is as strict as the real services are, and it can fail in the ways that they fail. Nothing about it is left to
//! chance: the same question gets the same answer, also from a server that was started anew. The guide
//! `docs/guides/scripted-model.md` has every key of a script.

mod anthropic;
mod api;
mod asked;
mod body;
mod choose;
mod fields;
mod mistake;
mod openai;
mod pattern;
mod read;
mod said;
mod script;
mod seen;
mod server;
mod spot;
mod template;
mod yaml;

pub use api::Api;
pub use asked::Asked;
pub use mistake::{Mistake, ScriptError};
pub use script::Script;
pub use server::{Server, serve};
