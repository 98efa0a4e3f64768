//! What people say about the bus.

use crate::address::Address;
use std::time::Duration;

/// How an engine uses the bus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusSettings {
    /// Where it is.
    pub address: Address,
    /// How this node is called there.
    pub node: String,
    /// What all subjects begin with.
    pub prefix: String,
    /// The stream of the feed.
    pub stream: String,
    /// How much of the feed the stream keeps.
    pub keep: Keep,
    /// Whether events that others publish hand work over.
    pub events: bool,
    /// The name of the store that the nodes share, where they wake each other up.
    pub bell: Option<String>,
}

/// How much of the feed a stream keeps. The oldest goes first; the store keeps everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keep {
    /// So long; without an end when nothing is said.
    pub age: Option<Duration>,
    /// So many bytes; all when nothing is said.
    pub bytes: Option<u64>,
    /// On so many servers of a cluster; on one when nothing is said.
    pub copies: Option<usize>,
}

/// A setting that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {why}")]
pub struct BadSetting {
    /// Which.
    pub field: &'static str,
    /// Why.
    pub why: String,
}

impl BusSettings {
    /// The settings that most people need, for this address.
    #[must_use]
    pub fn new(address: Address, node: impl Into<String>) -> Self {
        Self {
            address,
            node: node.into(),
            prefix: "handover".to_owned(),
            stream: "HANDOVER".to_owned(),
            keep: Keep::default(),
            events: false,
            bell: None,
        }
    }

    /// Finds what cannot be.
    ///
    /// # Errors
    /// With the first setting that cannot be.
    pub fn check(&self) -> Result<(), BadSetting> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let names = [("stream", self.stream.as_str(), ""), ("prefix", self.prefix.as_str(), ".")];
        for (field, text, also) in names {
            let parts_fine = text.split('.').all(|part| !part.is_empty());
            if !parts_fine || !text.chars().all(|c| plain(c) || also.contains(c)) {
                let why = format!("{text:?} is no name for the bus: letters, digits, '-' and '_' are allowed");
                return Err(BadSetting { field, why });
            }
        }
        if self.keep.copies.is_some_and(|copies| !(1..=5).contains(&copies)) {
            return Err(BadSetting { field: "copies", why: "a stream has one to five copies".to_owned() });
        }
        Ok(())
    }

    /// The stream of events from outside.
    #[must_use]
    pub fn events_stream(&self) -> String {
        format!("{}_EVENTS", self.stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_nats_does_not_take_are_refused() {
        let settings = BusSettings::new(Address::new("nats://one").unwrap(), "a");
        assert_eq!(settings.check(), Ok(()));
        for (stream, prefix, field) in
            [("A.B", "a", "stream"), ("", "a", "stream"), ("A", "a..b", "prefix"), ("A", "a.>", "prefix")]
        {
            let bad = BusSettings { stream: stream.into(), prefix: prefix.into(), ..settings.clone() };
            assert_eq!(bad.check().unwrap_err().field, field);
        }
        let fine = BusSettings { prefix: "acme.handover".into(), ..settings.clone() };
        assert_eq!(fine.check(), Ok(()));
        let bad = BusSettings { keep: Keep { copies: Some(6), ..Keep::default() }, ..settings };
        assert_eq!(bad.check().unwrap_err().field, "copies");
    }
}
