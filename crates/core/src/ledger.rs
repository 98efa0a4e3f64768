//! The ledger: what is counted over all sessions. Budgets of tenants and agents, the breaker of each agent, how well
//! each agent does what, how each arm of an experiment does.
//!
//! A decision makes postings; they are committed together with it. Whoever keeps the ledger (memory, database) applies
//! them with the same function, so that all keep the same.

use crate::{
    budget::{Amount, Period, Share},
    guard::breaker::Breaker,
    ids::{AgentId, HandoffId},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, fmt};

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

/// What an account holds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Entry {
    /// Set aside for work that is not over.
    #[serde(default, skip_serializing_if = "Amount::is_nothing")]
    pub reserved: Amount,
    /// Used.
    #[serde(default, skip_serializing_if = "Amount::is_nothing")]
    pub used: Amount,
    /// Handoffs that ended, one way or the other.
    #[serde(default, skip_serializing_if = "Sample::is_empty")]
    pub sample: Sample,
    /// The breaker, where the account is an agent's.
    #[serde(default, skip_serializing_if = "Breaker::is_quiet")]
    pub breaker: Breaker,
}

/// Sums over handoffs that ended: enough for means and for how far they scatter.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Sample {
    /// How many.
    pub ended: u64,
    /// How many of them well.
    pub succeeded: u64,
    /// Milliseconds from initiation to the end, summed.
    pub ms: f64,
    /// The same, squared and summed.
    pub ms_squares: f64,
    /// Money, summed.
    pub cost: f64,
    /// The same, squared and summed.
    pub cost_squares: f64,
}

impl Sample {
    #[must_use]
    fn is_empty(&self) -> bool {
        self.ended == 0
    }

    fn add(&mut self, succeeded: bool, ms: u64, micros: u64) {
        self.ended += 1;
        self.succeeded += u64::from(succeeded);
        self.add_sums(ms, micros, 1.0);
    }

    fn remove(&mut self, succeeded: bool, ms: u64, micros: u64) {
        self.ended = self.ended.saturating_sub(1);
        self.succeeded = self.succeeded.saturating_sub(u64::from(succeeded));
        self.add_sums(ms, micros, -1.0);
    }

    fn add_sums(&mut self, ms: u64, micros: u64, sign: f64) {
        #[expect(clippy::cast_precision_loss, reason = "a mean needs no last digit")]
        let (ms, cost) = (ms as f64, crate::budget::units(micros));
        self.ms += sign * ms;
        self.ms_squares += sign * ms * ms;
        self.cost += sign * cost;
        self.cost_squares += sign * cost * cost;
    }
}

/// What a posting does to its account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Sets aside, if the limit still holds afterwards.
    Reserve {
        /// How much.
        amount: Amount,
        /// The limit.
        within: Share,
    },
    /// Gives back what was set aside.
    Release(Amount),
    /// Goes on to set aside what stood in a share that is over. It was within the limit then.
    Hold(Amount),
    /// Was used.
    Use(Amount),
    /// A handoff ended.
    Ended {
        /// Whether well.
        succeeded: bool,
        /// Milliseconds from initiation to the end.
        ms: u64,
        /// What it cost, in millionths.
        micros: u64,
    },
    /// The agent failed.
    Failed {
        /// When.
        at: Timestamp,
        /// So many failures in a row open the breaker.
        after: u32,
        /// For how long, in milliseconds.
        cooldown_ms: u64,
    },
    /// The agent did well.
    Well {
        /// When.
        at: Timestamp,
    },
    /// A handoff tries whether the agent is well again; one at a time.
    Probe {
        /// When.
        at: Timestamp,
        /// Which.
        handoff: HandoffId,
    },
    /// The probe came to nothing: another may try.
    ProbeOver {
        /// Which.
        handoff: HandoffId,
    },
    /// An operator closed the breaker.
    Reset,
}

/// A change of one account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Posting {
    /// Which.
    pub account: Account,
    /// How.
    pub change: Change,
}

impl Entry {
    /// What of a limit is left.
    #[must_use]
    pub fn rest(&self, limit: &Share) -> Share {
        limit.less(self.used.plus(self.reserved))
    }

    /// Whether a change can be: no limit is broken by it, and no other probe is under way.
    #[must_use]
    pub fn allows(&self, change: &Change) -> bool {
        match change {
            Change::Reserve { amount, within } => self.rest(within).lacks(amount).is_none(),
            Change::Probe { at, .. } => {
                self.breaker.state(*at) == crate::guard::breaker::BreakerState::HalfOpen && self.breaker.probe.is_none()
            }
            Change::Release(_)
            | Change::Hold(_)
            | Change::Use(_)
            | Change::Ended { .. }
            | Change::Failed { .. }
            | Change::Well { .. }
            | Change::ProbeOver { .. }
            | Change::Reset => true,
        }
    }

    /// Applies a change that was allowed when it was decided.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Reserve { amount, .. } | Change::Hold(amount) => self.reserved = self.reserved.plus(*amount),
            Change::Release(amount) => self.reserved = self.reserved.minus(*amount),
            Change::Use(amount) => self.used = self.used.plus(*amount),
            Change::Ended { succeeded, ms, micros } => self.sample.add(*succeeded, *ms, *micros),
            Change::Failed { at, after, cooldown_ms } => self.breaker.failed(*at, *after, *cooldown_ms),
            Change::Well { at } => self.breaker.well(*at),
            Change::Probe { handoff, .. } => self.breaker.probe = Some(*handoff),
            Change::ProbeOver { handoff } => self.breaker.probe_over(*handoff),
            Change::Reset => self.breaker = Breaker::default(),
        }
    }

    /// The opposite of a change, for sums. A breaker is not a sum: whoever takes it back knows how it was.
    fn take_back(&mut self, change: &Change) {
        match change {
            Change::Reserve { amount, .. } | Change::Hold(amount) => self.reserved = self.reserved.minus(*amount),
            Change::Release(amount) => self.reserved = self.reserved.plus(*amount),
            Change::Use(amount) => self.used = self.used.minus(*amount),
            Change::Ended { succeeded, ms, micros } => self.sample.remove(*succeeded, *ms, *micros),
            Change::Failed { .. }
            | Change::Well { .. }
            | Change::Probe { .. }
            | Change::ProbeOver { .. }
            | Change::Reset => {}
        }
    }
}

/// All accounts.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    entries: HashMap<Account, Entry>,
    /// Breakers that are not closed.
    tripped: usize,
}

impl Ledger {
    /// The ledger as it was stored.
    #[must_use]
    pub fn of(entries: impl IntoIterator<Item = (Account, Entry)>) -> Self {
        let entries: HashMap<Account, Entry> = entries.into_iter().collect();
        let tripped = entries.values().filter(|entry| entry.breaker.open_until.is_some()).count();
        Self { entries, tripped }
    }

    /// What an account holds; nothing when nothing was ever posted.
    #[must_use]
    pub fn get(&self, account: &Account) -> Option<&Entry> {
        self.entries.get(account)
    }

    /// What of a limit an account has left.
    #[must_use]
    pub fn rest(&self, account: &Account, limit: &Share) -> Share {
        self.get(account).map_or(*limit, |entry| entry.rest(limit))
    }

    /// The breaker of an agent.
    #[must_use]
    pub fn breaker(&self, agent: &AgentId) -> Breaker {
        self.get(&Account::of_agent(agent)).map(|entry| entry.breaker.clone()).unwrap_or_default()
    }

    /// All accounts.
    pub fn iter(&self) -> impl Iterator<Item = (&Account, &Entry)> {
        self.entries.iter()
    }

    /// Whether any breaker is not closed.
    #[must_use]
    pub fn is_tripped(&self) -> bool {
        self.tripped > 0
    }

    /// Applies all postings, or none of them.
    ///
    /// # Errors
    /// With the account whose limit or breaker does not allow it any more.
    pub fn post(&mut self, postings: &[Posting]) -> Result<Posted, Account> {
        let mut before: Vec<(Account, Entry)> = Vec::new();
        for posting in postings {
            let entry = match self.entries.get_mut(&posting.account) {
                Some(entry) => entry,
                None => self.entries.entry(posting.account.clone()).or_default(),
            };
            if before.iter().all(|(account, _)| *account != posting.account) {
                before.push((posting.account.clone(), entry.clone()));
            }
            if !entry.allows(&posting.change) {
                self.entries.extend(before);
                return Err(posting.account.clone());
            }
            entry.apply(&posting.change);
        }
        let mut posted = Posted::default();
        for (account, was) in before {
            let now = self.entries.get(&account).map(|entry| entry.breaker.clone()).unwrap_or_default();
            self.count_tripped(&was.breaker, &now);
            if was.breaker != now {
                posted.breakers.push((account, was.breaker, now));
            }
        }
        Ok(posted)
    }

    /// Takes back what was counted and could not be written. Others may have counted meanwhile: what they did stays.
    pub fn take_back(&mut self, postings: &[Posting], posted: &Posted) {
        for posting in postings {
            if let Some(entry) = self.entries.get_mut(&posting.account) {
                entry.take_back(&posting.change);
            }
        }
        for (account, was, left) in &posted.breakers {
            let Some(entry) = self.entries.get_mut(account).filter(|entry| entry.breaker == *left) else { continue };
            entry.breaker = was.clone();
            self.count_tripped(left, was);
        }
    }

    fn count_tripped(&mut self, was: &Breaker, now: &Breaker) {
        self.tripped += usize::from(now.open_until.is_some());
        self.tripped -= usize::from(was.open_until.is_some());
    }
}

/// What postings did to breakers: how each was, and how it was left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Posted {
    breakers: Vec<(Account, Breaker, Breaker)>,
}

impl Posted {
    /// The breakers that opened or closed.
    #[must_use]
    pub fn moved(&self) -> Vec<(AgentId, Breaker)> {
        let moved = self.breakers.iter().filter(|(_, was, now)| was.open_until != now.open_until);
        moved.filter_map(|(account, _, now)| Some((account.agent_id()?, now.clone()))).collect()
    }
}

#[cfg(test)]
mod tests;
