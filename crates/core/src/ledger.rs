//! The ledger: what is counted over all sessions. Budgets of tenants and agents, the breaker of each agent, how well
//! each agent does what, how each arm of an experiment does.
//!
//! A decision makes postings; they are committed together with it. Whoever keeps the ledger (memory, database) applies
//! them with the same function, so that all keep the same.

mod account;

pub use account::{About, Account};

use crate::{
    budget::{Amount, Share},
    guard::breaker::Breaker,
    ids::{AgentId, HandoffId},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What an account holds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

    /// Adds what another one counted.
    fn join(&mut self, other: &Self) {
        self.ended += other.ended;
        self.succeeded += other.succeeded;
        self.ms += other.ms;
        self.ms_squares += other.ms_squares;
        self.cost += other.cost;
        self.cost_squares += other.cost_squares;
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Nothing new is counted in the account. It is forgotten, unless something is still set aside in it.
    Forget,
}

/// A change of one account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Posting {
    /// Which.
    pub account: Account,
    /// How.
    pub change: Change,
}

impl Entry {
    /// Whether there is nothing to remember: an account like this is not kept.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.reserved.is_nothing() && self.used.is_nothing() && self.sample.is_empty() && self.breaker.is_quiet()
    }

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
            | Change::Reset
            | Change::Forget => true,
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
            Change::Forget if self.reserved.is_nothing() => *self = Self::default(),
            Change::Forget => {}
        }
    }

    /// The opposite of a change, for sums. A breaker is not a sum, and what was forgotten is not in the change: whoever
    /// takes it back knows how it was.
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
            | Change::Reset
            | Change::Forget => {}
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

    /// Applies all postings, or none of them. An account that holds nothing afterwards is not kept.
    ///
    /// # Errors
    /// With the account whose limit or breaker does not allow it any more.
    pub fn post(&mut self, postings: &[Posting]) -> Result<Posted, Account> {
        let mut before: Vec<(Account, Entry)> = Vec::new();
        let mut posted = Posted::default();
        for posting in postings {
            let entry = match self.entries.get_mut(&posting.account) {
                Some(entry) => entry,
                None => self.entries.entry(posting.account.clone()).or_default(),
            };
            if before.iter().all(|(account, _)| *account != posting.account) {
                before.push((posting.account.clone(), entry.clone()));
            }
            if !entry.allows(&posting.change) {
                self.put_back(before);
                return Err(posting.account.clone());
            }
            if posting.change == Change::Forget && entry.reserved.is_nothing() {
                posted.forgotten.push((posting.account.clone(), entry.clone()));
            }
            entry.apply(&posting.change);
        }
        for (account, was) in before {
            let now = self.entries.get(&account).map(|entry| entry.breaker.clone()).unwrap_or_default();
            self.count_tripped(&was.breaker, &now);
            self.keep_or_drop(&account);
            if was.breaker != now {
                posted.breakers.push((account, was.breaker, now));
            }
        }
        Ok(posted)
    }

    /// Takes back what was counted and could not be written. Others may have counted meanwhile: what they did stays.
    pub fn take_back(&mut self, postings: &[Posting], posted: &Posted) {
        for posting in postings {
            self.entries.entry(posting.account.clone()).or_default().take_back(&posting.change);
        }
        for (account, was) in &posted.forgotten {
            let entry = self.entries.entry(account.clone()).or_default();
            entry.used = entry.used.plus(was.used);
            entry.sample.join(&was.sample);
        }
        for (account, was, left) in &posted.breakers {
            let Some(entry) = self.entries.get_mut(account).filter(|entry| entry.breaker == *left) else { continue };
            entry.breaker = was.clone();
            self.count_tripped(left, was);
        }
        for posting in postings {
            self.keep_or_drop(&posting.account);
        }
    }

    /// Holds an account as somebody else keeps it; nothing where it is not kept. Gives whether that is new.
    pub fn replace(&mut self, account: &Account, entry: Option<Entry>) -> bool {
        let entry = entry.filter(|entry| !entry.is_nothing());
        if self.get(account) == entry.as_ref() {
            return false;
        }
        let breaker = |entry: Option<&Entry>| entry.map(|entry| entry.breaker.clone()).unwrap_or_default();
        self.count_tripped(&breaker(self.get(account)), &breaker(entry.as_ref()));
        match entry {
            Some(entry) => drop(self.entries.insert(account.clone(), entry)),
            None => drop(self.entries.remove(account)),
        }
        true
    }

    fn put_back(&mut self, before: Vec<(Account, Entry)>) {
        for (account, was) in before {
            self.entries.insert(account.clone(), was);
            self.keep_or_drop(&account);
        }
    }

    fn keep_or_drop(&mut self, account: &Account) {
        if self.entries.get(account).is_some_and(Entry::is_nothing) {
            self.entries.remove(account);
        }
    }

    fn count_tripped(&mut self, was: &Breaker, now: &Breaker) {
        self.tripped += usize::from(now.open_until.is_some());
        self.tripped -= usize::from(was.open_until.is_some());
    }
}

/// What postings did that is no sum.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Posted {
    /// What accounts held that were forgotten.
    forgotten: Vec<(Account, Entry)>,
    /// Breakers: how each was, and how it was left.
    breakers: Vec<(Account, Breaker, Breaker)>,
}

impl Posted {
    /// The same for the accounts that are wanted.
    #[must_use]
    pub fn only(&self, wanted: impl Fn(&Account) -> bool) -> Self {
        Self {
            forgotten: self.forgotten.iter().filter(|(account, _)| wanted(account)).cloned().collect(),
            breakers: self.breakers.iter().filter(|(account, ..)| wanted(account)).cloned().collect(),
        }
    }

    /// The breakers that opened or closed.
    #[must_use]
    pub fn moved(&self) -> Vec<(AgentId, Breaker)> {
        let moved = self.breakers.iter().filter(|(_, was, now)| was.open_until != now.open_until);
        moved.filter_map(|(account, _, now)| Some((account.agent_id()?, now.clone()))).collect()
    }
}

#[cfg(test)]
mod tests;
