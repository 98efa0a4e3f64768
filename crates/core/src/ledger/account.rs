//! The names of accounts: of whom, of what, and in which window of time.

use crate::{budget::Period, ids::AgentId, time::Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Account(String);

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

    /// Whether it is of this agent: its own, one of its skills, one of its windows.
    #[must_use]
    pub fn is_of(&self, agent: &AgentId) -> bool {
        self.of_whom() == Some(agent.as_str())
    }

    /// Whether nothing new is counted in it: its window is over, or its agent does not exist.
    #[must_use]
    pub fn is_over(&self, now: Timestamp, exists: impl Fn(&str) -> bool) -> bool {
        self.is_past(now) || self.of_whom().is_some_and(|agent| !exists(agent))
    }

    /// The agent that it is about, by its name.
    fn of_whom(&self) -> Option<&str> {
        let (kind, about) = self.0.split_once(' ')?;
        match kind.split('@').next()? {
            "agent" => Some(about),
            "skill" => about.split(' ').next(),
            _ => None,
        }
    }

    /// Whether it is a window, and a later one has begun.
    fn is_past(&self, now: Timestamp) -> bool {
        let kind = self.0.split(' ').next().unwrap_or_default();
        let Some((_, window)) = kind.split_once('@') else { return false };
        now.to_string().get(..window.len()).is_some_and(|current| window < current)
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
    fn an_account_is_over_with_its_window_or_its_agent() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let began = at("2026-11-16T07:59:59.999Z");
        let agent = AgentId::new("here").unwrap();
        let gone = AgentId::new("gone").unwrap();
        for (account, now, over) in [
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
            (Account::agent(&gone, Period::Day, began), "2026-11-16T08:00:00Z", true),
            (Account::of_agent(&agent), "2026-11-16T08:00:00Z", false),
            (Account::of_agent(&gone), "2026-11-16T08:00:00Z", true),
            (Account::skill(&agent, "gone"), "2026-11-16T08:00:00Z", false),
            (Account::skill(&gone, "to fly"), "2026-11-16T08:00:00Z", true),
            (Account::arm("gone", "a"), "2026-11-16T08:00:00Z", false),
        ] {
            assert_eq!(account.is_over(at(now), |name| name == "here"), over, "{account} at {now}");
            assert_eq!(account.is_of(&gone), account.as_str().contains(" gone") && over, "{account}");
        }
    }
}
