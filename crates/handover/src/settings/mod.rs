//! The registry and the settings of the house by file: `handover.yaml`.
//!
//! ```yaml
//! policy:
//!   human: ops
//! agents:
//!   - id: librarian
//!     capabilities: [{id: search, proficiency: 0.9}]
//!     escalates_to: ops
//!   - id: ops
//!     kind: human
//! ```
//!
//! [`read`] and [`parse`] tell all mistakes of a file at once, each with its line and column. [`Settings::apply`] makes
//! the engine as the file says, and leaves alone what it does not speak of; to apply the same file again changes nothing.

mod a2a;
mod apply;
#[cfg(feature = "bus")]
mod bus;
mod check;
mod read;
mod server;

pub use crate::yaml::{FileError, Mistake};
pub use a2a::A2aSettings;
pub use apply::Applied;
#[cfg(feature = "bus")]
pub use bus::BusSection;
pub use read::{parse, parse_agents, parse_with, read};
pub use server::{ServerSettings, TlsSettings};

use handover_core::{
    agent::Profile,
    ids::AgentId,
    policy::Policy,
    refusal::{Code, HandoffError, Refusal},
};
use std::collections::BTreeMap;

/// What a file says: the policy, and everybody who can be given work.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// The settings that decisions depend on, where the file has any; what it leaves out of them has its default.
    pub policy: Option<Policy>,
    /// The agents, in the order of the file.
    pub agents: Vec<Profile>,
    /// How agents work: providers of models, tools, callbacks.
    #[cfg(feature = "teams")]
    pub staff: handover_agents::staff::StaffSettings,
    /// How the engine is served.
    pub server: ServerSettings,
    /// The bus that it is on.
    #[cfg(feature = "bus")]
    pub bus: BusSection,
    /// How it is served by A2A, and how far agents of others are trusted.
    pub a2a: A2aSettings,
    /// Where traces and metrics are sent.
    #[cfg(feature = "telemetry")]
    pub telemetry: handover_telemetry::TelemetrySettings,
    /// The file that it came from, as it was named.
    pub file: String,
    /// The line of each agent, so that a refusal of the engine can name it.
    lines: BTreeMap<AgentId, usize>,
}

impl Settings {
    /// The profile of one agent, for a program that registers it together with its code.
    ///
    /// # Errors
    /// When the file has no such agent.
    pub fn agent(&self, id: &str) -> Result<&Profile, HandoffError> {
        let found = self.agents.iter().find(|agent| agent.id.as_str() == id);
        found.ok_or_else(|| {
            let refusal = Refusal::new(Code::UnknownAgent, format!("\"{id}\" is not in {}", self.file));
            let names = self.agents.iter().map(|agent| agent.id.as_str());
            refusal.hint(crate::yaml::did_you_mean(id, names).unwrap_or_default()).into()
        })
    }

    /// The folder that paths of the file are relative to.
    #[must_use]
    pub fn folder(&self) -> &std::path::Path {
        std::path::Path::new(&self.file).parent().unwrap_or(std::path::Path::new(""))
    }

    /// Where an agent stands in the file, as `file:line`.
    fn place(&self, id: &AgentId) -> String {
        match self.lines.get(id) {
            Some(line) => format!("{}:{line}", self.file),
            None => self.file.clone(),
        }
    }
}
