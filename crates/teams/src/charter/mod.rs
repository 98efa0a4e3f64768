//! The charter team: six agents that turn a request for a flight into three proposals in the client's mailbox.
//!
//! | agent | it ends with | or fails with |
//! |---|---|---|
//! | `orchestrator` | `ANALYZING_COMPLETE` | `ANALYZING_FAILED` |
//! | `client_data` | `CLIENT_DATA_COMPLETE` | `CLIENT_DATA_FAILED` |
//! | `flight_search` | `QUOTES_RECEIVED`, by way of the state `AWAITING_QUOTES` | `SEARCHING_FLIGHTS_FAILED` |
//! | `proposal_analysis` | `ANALYSIS_COMPLETE` | `ANALYSIS_FAILED` |
//! | `communication` | `PROPOSAL_SENT`, by way of the state `SENDING_PROPOSAL` | `SENDING_PROPOSAL_FAILED` |
//! | `error_monitor` | `ERROR_RETRY` or `ERROR_FINAL` | |
//!
//! Every failure names its `error_type`, `error_message`, `service`, `retryable` and the `retry_count` of that service.

mod client_data;
mod communication;
mod days;
mod error_monitor;
mod flight_search;
mod letter;
mod orchestrator;
mod proposal_analysis;
mod request;
mod scoring;
mod sentence;

pub use client_data::client_data;
pub use communication::communication;
pub use error_monitor::error_monitor;
pub use flight_search::flight_search;
pub use orchestrator::orchestrator;
pub use proposal_analysis::proposal_analysis;
pub use scoring::{Dropped, Proposal, Scores, Wishes, rank};

use crate::{
    bench::{Bench, Ending, Failure},
    faults::{FaultCounter, Faults},
    mail::{Delivery, Mailer},
    market::MarketClient,
};
use handover_core::limits::QUOTES_POLL_MS;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{io, path::PathBuf};

/// The agents of the team, by name.
pub const AGENTS: [&str; 6] =
    ["orchestrator", "client_data", "flight_search", "proposal_analysis", "communication", "error_monitor"];

/// The register of clients, as failures name it.
pub const REGISTER: &str = "client_register";
/// The charter market, as failures name it.
pub const MARKET: &str = "charter_market";
/// The delivery of mail, as failures name it.
pub const MAIL: &str = "mail";

/// Where the services of the team are, and how it works.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CharterSettings {
    /// The CSV file with the clients.
    pub register: PathBuf,
    /// The charter market, as `host:port`.
    pub market: String,
    /// Where mail goes.
    pub mail: Delivery,
    /// The name under which the team writes.
    #[serde(default = "default_sender_name")]
    pub sender_name: String,
    /// The address under which the team writes. A proposal for somebody without an address goes there too.
    #[serde(default = "default_sender")]
    pub sender: String,
    /// How often the market is asked for quotes, in milliseconds.
    #[serde(default = "default_poll")]
    pub poll_ms: u64,
    /// What goes wrong on purpose: `register` and `mail`. The market has its own settings.
    #[serde(default)]
    pub faults: Faults,
    /// Where it is counted what has gone wrong, so that a restart does not begin anew; in memory when it is not said.
    #[serde(default)]
    pub state: Option<PathBuf>,
}

impl CharterSettings {
    /// The usual settings, with these services.
    #[must_use]
    pub fn new(register: PathBuf, market: String, mail: Delivery) -> Self {
        Self {
            register,
            market,
            mail,
            sender_name: default_sender_name(),
            sender: default_sender(),
            poll_ms: default_poll(),
            faults: Faults::default(),
            state: None,
        }
    }
}

fn default_sender_name() -> String {
    "Charter Desk".to_owned()
}

fn default_sender() -> String {
    "desk@charter.example".to_owned()
}

fn default_poll() -> u64 {
    QUOTES_POLL_MS
}

/// What all agents of the team share.
#[derive(Debug, Clone)]
pub struct Office {
    settings: CharterSettings,
    counter: FaultCounter,
    market: MarketClient,
    mailer: Mailer,
}

impl Office {
    /// Opens the office. No service is asked yet.
    ///
    /// # Errors
    /// When the folder `state` cannot be used.
    pub fn open(settings: CharterSettings) -> io::Result<Self> {
        let counter = match &settings.state {
            Some(folder) => FaultCounter::open(folder)?,
            None => FaultCounter::default(),
        };
        let market = MarketClient::at(&settings.market);
        let mailer = Mailer::new(settings.mail.clone(), settings.faults.mail, counter.clone());
        Ok(Self { settings, counter, market, mailer })
    }

    /// The settings that it was opened with.
    #[must_use]
    pub fn settings(&self) -> &CharterSettings {
        &self.settings
    }
}

/// Lets an agent of the team work, by its name; `client-data` is `client_data` too.
///
/// # Errors
/// When the name is not one of [`AGENTS`], or the engine takes the work away.
pub async fn run<B: Bench>(agent: &str, bench: &B, office: &Office) -> Result<Ending, Failure> {
    match agent.replace('-', "_").as_str() {
        "orchestrator" => orchestrator(bench).await,
        "client_data" => client_data(bench, office).await,
        "flight_search" => flight_search(bench, office).await,
        "proposal_analysis" => proposal_analysis(bench, office).await,
        "communication" => communication(bench, office).await,
        "error_monitor" => error_monitor(bench).await,
        _ => Err(format!("`{agent}` is not one of the charter team: {}", AGENTS.join(", ")).into()),
    }
}

/// How often a service was tried again for this handoff. A count of another service is none.
fn retries(payload: &Value, service: &str) -> u64 {
    let same = payload.get("service").is_none_or(|known| known.is_null() || known == service);
    let count = payload.get("retry_count").and_then(Value::as_u64);
    count.filter(|_| same).unwrap_or(0)
}

/// What every failure of a service says.
fn trouble(payload: &Value, service: &str, retryable: bool) -> Value {
    json!({ "service": service, "retryable": retryable, "retry_count": retries(payload, service) })
}

#[cfg(test)]
mod tests;
