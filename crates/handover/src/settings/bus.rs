//! How the engine uses a bus: `bus` of `handover.yaml`.

use handover_bus::{Address, BusSettings, Keep};
use serde::{Deserialize, Deserializer, de::Error};
use std::time::Duration;

/// How the engine uses a bus. Flags and the environment come first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BusSection {
    /// Where it is: `nats://host:port`.
    #[serde(deserialize_with = "address")]
    pub address: Option<Address>,
    /// What all subjects begin with; `handover` when left out.
    pub prefix: Option<String>,
    /// The stream of the feed; `HANDOVER` when left out.
    pub stream: Option<String>,
    /// Whether events that others publish hand work over.
    pub events: Option<bool>,
    /// How many hours the stream keeps a message; without an end when left out.
    pub keep_hours: Option<u32>,
    /// How many megabytes the stream keeps; all when left out.
    pub keep_megabytes: Option<u32>,
    /// On how many servers of a cluster the stream is kept.
    pub copies: Option<usize>,
}

fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Address>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    text.map(|text| Address::new(&text).map_err(D::Error::custom)).transpose()
}

impl BusSection {
    /// The settings of the bus at this address, or at that of the file; nothing where there is none.
    #[must_use]
    pub fn of(&self, address: Option<Address>, node: &str) -> Option<BusSettings> {
        let mut settings = BusSettings::new(address.or_else(|| self.address.clone())?, node);
        if let Some(prefix) = &self.prefix {
            settings.prefix.clone_from(prefix);
        }
        if let Some(stream) = &self.stream {
            settings.stream.clone_from(stream);
        }
        settings.events = self.events.unwrap_or(false);
        settings.keep = Keep {
            age: self.keep_hours.map(|hours| Duration::from_secs(u64::from(hours) * 3_600)),
            bytes: self.keep_megabytes.map(|megabytes| u64::from(megabytes) << 20),
            copies: self.copies,
        };
        Some(settings)
    }
}
