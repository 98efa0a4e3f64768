//! The names of accounts: of whom, of what, and in which window of time.

use crate::{budget::Period, ids::AgentId, time::Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Account(String);

/// What an account is about, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About<'a> {
    /// What a tenant uses.
    Tenant,
    /// An agent: its breaker, what it uses.
    Agent(&'a str),
    /// How well an agent does something.
    Skill {
        /// Who.
        agent: &'a str,
        /// What.
        capability: &'a str,
    },
    /// How an arm of an experiment does.
    Experiment(&'a str),
}

impl Account {
    /// Everything that a tenant uses, in a period.
    #[must_use]
    pub fn tenant(tenant: &str, per: Period, at: Timestamp) -> Self {
        Self(format!("tenant{} {tenant}", window(per, at)))
    }

    /// Everything that an agent uses, in a period.
    #[must_use]
    pub fn agent(agent: &AgentId, per: Period, at: Timestamp) -> Self {
        Self(format!("agent{} {agent}", window(per, at)))
    }

    /// The agent itself: its breaker, and all that it ever used.
    #[must_use]
    pub fn of_agent(agent: &AgentId) -> Self {
        Self(format!("agent {agent}"))
    }

    /// All that a tenant ever used.
    #[must_use]
    pub fn of_tenant(tenant: &str) -> Self {
        Self(format!("tenant {tenant}"))
    }

    /// How well an agent does something.
    #[must_use]
    pub fn skill(agent: &AgentId, capability: &str) -> Self {
        Self(format!("skill {agent} {capability}"))
    }

    /// One arm of an experiment.
    #[must_use]
    pub fn arm(experiment: &str, arm: &str) -> Self {
        Self(format!("arm {experiment} {arm}"))
    }

    /// The agent, where the account is an agent's own.
    #[must_use]
    pub fn agent_id(&self) -> Option<AgentId> {
        self.0.strip_prefix("agent ").and_then(|id| AgentId::new(id).ok())
    }

    /// What it is about.
    #[must_use]
    pub fn about(&self) -> About<'_> {
        let (kind, about) = self.0.split_once(' ').unwrap_or((&self.0, ""));
        match kind.split('@').next() {
            Some("agent") => About::Agent(about),
            Some("skill") => {
                let (agent, capability) = about.split_once(' ').unwrap_or((about, ""));
                About::Skill { agent, capability }
            }
            Some("arm") => About::Experiment(about.rsplit_once(' ').map_or(about, |(experiment, _)| experiment)),
            _ => About::Tenant,
        }
    }

    /// Whether it counts over a window of time, and not from the beginning.
    #[must_use]
    pub fn is_window(&self) -> bool {
        self.window().is_some()
    }

    /// Whether it is a window, and a later one has begun.
    #[must_use]
    pub fn is_past(&self, now: Timestamp) -> bool {
        let Some(window) = self.window() else { return false };
        now.to_string().get(..window.len()).is_some_and(|current| window < current)
    }

    fn window(&self) -> Option<&str> {
        let kind = self.0.split(' ').next().unwrap_or_default();
        kind.split_once('@').map(|(_, window)| window)
    }

    /// An account as it is stored.
    #[must_use]
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// As it is stored.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The window of a period that this time is in, such as `@2026-11-16`: a new window is a new account.
fn window(per: Period, at: Timestamp) -> String {
    let chars = match per {
        Period::Total => return String::new(),
        Period::Hour => "2026-11-16T07".len(),
        Period::Day => "2026-11-16".len(),
        Period::Month => "2026-11".len(),
    };
    let text = at.to_string();
    format!("@{}", text.get(..chars).unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_past_with_its_window() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let began = at("2026-11-16T07:59:59.999Z");
        let agent = AgentId::new("here").unwrap();
        for (account, now, past) in [
            (Account::tenant("t", Period::Hour, began), "2026-11-16T07:59:59.999Z", false),
            (Account::tenant("t", Period::Hour, began), "2026-11-16T08:00:00Z", true),
            (Account::tenant("t", Period::Day, began), "2026-11-16T23:59:59Z", false),
            (Account::tenant("t", Period::Day, began), "2026-11-17T00:00:00Z", true),
            (Account::tenant("t", Period::Month, began), "2026-11-30T23:59:59Z", false),
            (Account::tenant("t", Period::Month, began), "2026-12-01T00:00:00Z", true),
            (Account::tenant("t", Period::Total, began), "2036-12-01T00:00:00Z", false),
            // A clock that was set back finds windows of the future, and leaves them.
            (Account::tenant("t", Period::Hour, began), "2026-11-16T06:00:00Z", false),
            // A tenant may be called like anything.
            (Account::tenant("gone@2001", Period::Total, began), "2026-11-16T08:00:00Z", false),
            (Account::agent(&agent, Period::Day, began), "2026-11-16T08:00:00Z", false),
            (Account::agent(&agent, Period::Day, began), "2026-11-17T08:00:00Z", true),
            (Account::of_agent(&agent), "2036-11-16T08:00:00Z", false),
            (Account::skill(&agent, "to fly@1"), "2036-11-16T08:00:00Z", false),
            (Account::arm("gone@1", "a"), "2036-11-16T08:00:00Z", false),
        ] {
            assert_eq!(account.is_past(at(now)), past, "{account} at {now}");
            assert_eq!(account.is_window(), account.as_str().split(' ').next().unwrap().contains('@'), "{account}");
        }
    }

    #[test]
    fn an_account_says_what_it_is_about() {
        let (agent, at) = (AgentId::new("b").unwrap(), Timestamp(0));
        for (account, about) in [
            (Account::of_tenant("agent b"), About::Tenant),
            (Account::tenant("t", Period::Day, at), About::Tenant),
            (Account::of_agent(&agent), About::Agent("b")),
            (Account::agent(&agent, Period::Hour, at), About::Agent("b")),
            (Account::skill(&agent, "to fly"), About::Skill { agent: "b", capability: "to fly" }),
            (Account::arm("by text or not", "a"), About::Experiment("by text or not")),
            (Account::stored("nonsense".into()), About::Tenant),
        ] {
            assert_eq!(account.about(), about, "{account}");
        }
    }
}
