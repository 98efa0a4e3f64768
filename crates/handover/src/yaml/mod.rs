//! YAML that people write, read with all its mistakes at once.
//!
//! The text becomes a tree whose every value knows its line and column. Any type that serde can read is then read from a
//! part of it. What cannot be read is noted and left out, and reading goes on without it, so that one mistake hides
//! no other. Reading is typed: `010` is a text where a text is asked for and a mistake where a number is.

mod access;
mod document;
mod inside;
mod mistake;
mod notes;
mod reader;
mod scalar;
mod stopped;
mod syntax;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod wrong;

pub(crate) use document::Document;
pub use mistake::{FileError, Mistake, Note};
pub(crate) use notes::did_you_mean;
pub(crate) use text::text_of;
pub(crate) use tree::{Content, NodeId};
pub(crate) use wrong::unknown_field;
