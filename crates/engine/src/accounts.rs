//! Accounts that nobody needs any more: of windows that are over, and of agents, skills and experiments that do not
//! exist. They are forgotten through the same door as everything else, so that memory and database go on keeping the
//! same.

use crate::{engine::Engine, shared::Leaf};
use handover_core::{
    agent::Agents,
    budget::Period,
    guard::breaker::BreakerState,
    ids::AgentId,
    ledger::{About, Account, Change, Entry, Ledger, Posting},
    limits::PAGE_MAX,
    policy::Policy,
    refusal::HandoffError,
    time::Timestamp,
};
use std::collections::HashSet;

impl Engine {
    /// Forgets accounts in which nothing new is counted, nothing is set aside, and nothing limits anybody any more.
    /// Gives how many.
    ///
    /// # Errors
    /// When the store cannot be read or written, or this caller is no administrator of the house.
    pub async fn forget_accounts(&self) -> Result<usize, HandoffError> {
        self.operator()?;
        self.refresh_ledger().await?;
        // What is stored says which there are: what memory alone has is still on its way there.
        let stored = self.inner.store.ledger().await?;
        let idle = stored.into_iter().filter(|(_, entry)| entry.reserved.is_nothing());
        let over = self.over(idle.map(|(account, _)| account));
        let mut total = 0;
        for piece in over.chunks(PAGE_MAX) {
            // Nobody comes back meanwhile and finds that what it did just now is forgotten.
            let _alone = self.inner.registry.lock().await;
            let mut count = 0;
            self.write_leaf(|_| {
                let still = self.over(piece.iter().cloned()).into_iter();
                let postings: Vec<Posting> = still.map(|account| Posting { account, change: Change::Forget }).collect();
                count = postings.len();
                Ok((count > 0).then(|| Leaf { postings, ..Leaf::default() }))
            })
            .await?;
            total += count;
        }
        Ok(total)
    }

    /// Those of these accounts that nobody needs any more.
    fn over(&self, accounts: impl Iterator<Item = Account>) -> Vec<Account> {
        let (agents, policy) = (self.inner.agents.read(), self.inner.policy.read());
        let ledger = self.inner.ledger.read();
        let present = Present::of(&agents, &policy, &ledger, self.inner.clock.now());
        accounts.filter(|account| present.is_over(account)).collect()
    }
}

/// What there is, and whose absence is not to be taken at its word yet.
struct Present<'a> {
    agents: &'a Agents,
    policy: &'a Policy,
    ledger: &'a Ledger,
    now: Timestamp,
    /// Agents that do not exist, and would come back to something that limits them.
    bound: HashSet<&'a str>,
}

impl<'a> Present<'a> {
    fn of(agents: &'a Agents, policy: &'a Policy, ledger: &'a Ledger, now: Timestamp) -> Self {
        let mut present = Self { agents, policy, ledger, now, bound: HashSet::new() };
        let binding = ledger.iter().filter(|(account, entry)| present.binds(account, entry));
        present.bound = binding.filter_map(|(account, _)| agent_of(account)).collect();
        present
    }

    /// Whether an account would limit its agent: by what was used in a window that goes on, by a breaker that is open,
    /// or by what is still set aside.
    fn binds(&self, account: &Account, entry: &Entry) -> bool {
        // The beginning of time is a window that goes on, where the house limits agents so.
        let from_the_beginning = self.policy.budgets.agent.is_some_and(|limit| limit.per == Period::Total);
        let goes_on = if account.is_window() { !account.is_past(self.now) } else { from_the_beginning };
        !entry.reserved.is_nothing()
            || (goes_on && !entry.used.is_nothing())
            || entry.breaker.state(self.now) == BreakerState::Open
    }

    /// Whether nothing new is counted in an account and, as far as was decided, nothing is set aside in it.
    fn is_over(&self, account: &Account) -> bool {
        let idle = self.ledger.get(account).is_none_or(|entry| entry.reserved.is_nothing());
        idle && (account.is_past(self.now) || !self.is_about_somebody(account))
    }

    fn is_about_somebody(&self, account: &Account) -> bool {
        let known = |name: &str| AgentId::new(name).ok().and_then(|id| self.agents.get(&id));
        match account.about() {
            About::Tenant => true,
            About::Agent(name) => known(name).is_some() || self.bound.contains(name),
            About::Skill { agent, capability } => match known(agent) {
                Some(found) => found.profile.proficiency(capability).is_some(),
                None => self.bound.contains(agent),
            },
            About::Experiment(name) => self.policy.experiments.iter().any(|experiment| experiment.name == name),
        }
    }
}

fn agent_of(account: &Account) -> Option<&str> {
    match account.about() {
        About::Agent(name) => Some(name),
        About::Tenant | About::Skill { .. } | About::Experiment(_) => None,
    }
}
