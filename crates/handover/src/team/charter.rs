//! The services of the charter team, by the settings of its workflow.

use super::{Places, within};
use handover_core::refusal::{Code, HandoffError, Refusal};
use handover_engine::clock::SystemClock;
use handover_teams::{
    charter::{CharterSettings, Office},
    faults::Faults,
    http::Server,
    mail::Delivery,
    market::{Market, MarketSettings},
};
use serde::Deserialize;
use serde_json::Value;
use std::{path::PathBuf, sync::Arc};

/// The part of the workflow's settings that says where the services are.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Services {
    /// The CSV file with the clients.
    register: PathBuf,
    /// A market of the team's own, or the address of another one.
    #[serde(default)]
    market: MarketAt,
    /// Where mail goes.
    mail: Delivery,
    /// What goes wrong on purpose.
    #[serde(default)]
    faults: Faults,
    /// The name under which the team writes.
    #[serde(default)]
    sender_name: Option<String>,
    /// The address under which the team writes.
    #[serde(default)]
    sender: Option<String>,
    /// How often the market is asked for quotes, in milliseconds.
    #[serde(default)]
    poll_ms: Option<u64>,
}

/// Where the market is.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum MarketAt {
    /// Elsewhere, as `host:port`.
    Address(String),
    /// Here.
    Own(OwnMarket),
}

impl Default for MarketAt {
    fn default() -> Self {
        Self::Own(OwnMarket::default())
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct OwnMarket {
    first_after_ms: u64,
    every_ms: u64,
}

impl Default for OwnMarket {
    fn default() -> Self {
        let usual = MarketSettings::default();
        Self { first_after_ms: usual.first_after_ms, every_ms: usual.every_ms }
    }
}

/// The office of the team, and the market that it runs itself.
pub(super) struct Charter {
    office: Arc<Office>,
    _market: Option<Server>,
}

impl Charter {
    pub(super) async fn open(with: &Value, places: &Places) -> Result<Self, HandoffError> {
        let services: Services = serde_json::from_value(with.clone()).map_err(|error| {
            let refusal = Refusal::new(Code::BadWorkflow, error.to_string()).at("with");
            refusal.hint("see workflows/charter/README.md for what the charter team needs")
        })?;
        let trouble = |what: &str, error: std::io::Error| {
            let message = format!("{what}: {error}");
            HandoffError::from(Refusal::new(Code::BadWorkflow, message).at("with"))
        };
        let faults = services.faults.clone();
        let (address, market) = match services.market {
            MarketAt::Address(address) => (address, None),
            MarketAt::Own(own) => {
                let settings = MarketSettings {
                    first_after_ms: own.first_after_ms,
                    every_ms: own.every_ms,
                    folder: Some(places.run.join("market")),
                    faults: faults.clone(),
                };
                let clock = Arc::new(SystemClock::starting_at_least(handover_core::time::Timestamp(0)));
                let market =
                    Market::open(settings, clock).map_err(|error| trouble("the market cannot be opened", error))?;
                let server =
                    market.listen("127.0.0.1:0").await.map_err(|error| trouble("the market cannot listen", error))?;
                (server.address().to_string(), Some(server))
            }
        };
        let mail = match services.mail {
            Delivery::Outbox(folder) => Delivery::Outbox(within(&places.run, &folder)),
            Delivery::Smtp { server, journal } => Delivery::Smtp { server, journal: within(&places.run, &journal) },
        };
        let mut settings = CharterSettings::new(within(&places.home, &services.register), address, mail);
        settings.faults = faults;
        settings.state = Some(places.run.join("state"));
        settings.sender_name = services.sender_name.unwrap_or(settings.sender_name);
        settings.sender = services.sender.unwrap_or(settings.sender);
        settings.poll_ms = services.poll_ms.unwrap_or(settings.poll_ms);
        let office = Office::open(settings).map_err(|error| trouble("the office cannot be opened", error))?;
        Ok(Self { office: Arc::new(office), _market: market })
    }

    pub(super) fn office(&self) -> Arc<Office> {
        self.office.clone()
    }
}
