//! How the engine is served by A2A, and how far agents of others are trusted: `a2a` of the file.

use serde::Deserialize;

/// How others find this house by A2A, and where they may lead it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct A2aSettings {
    /// The address by which others reach this server, such as `https://agents.example.org`. Left out, cards have the
    /// address by which they were asked for.
    pub url: Option<String>,
    /// The name of the house on its card.
    pub name: Option<String>,
    /// What the house does, on its card.
    pub description: Option<String>,
    /// Whether addresses that others name may be such that only this machine or its network can reach them.
    pub allow_private: bool,
}
