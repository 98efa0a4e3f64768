//! The ledger as a copy. What is decided here counts in it at once; what others count comes from the store, account by
//! account, and takes the place of what was there. Whether a limit holds is for the store to say.

use super::{Shared, rounds::Rounds};
use crate::engine::Engine;
use handover_core::{
    decide::Decided,
    guard::breaker::Breaker,
    ids::AgentId,
    ledger::{Account, Change, Ledger, Posted, Posting},
    refusal::HandoffError,
    session::Session,
    time::Timestamp,
};
use handover_store::Moved;
use parking_lot::Mutex;
use std::{
    collections::{BTreeSet, HashMap},
    sync::atomic::{AtomicU64, Ordering},
};

/// What a decision counted, and when: by how many looks at the store were taken over before.
#[derive(Debug, Default)]
pub(crate) struct Count {
    pub(crate) posted: Posted,
    look: u64,
}

/// How far the copy is.
#[derive(Default)]
pub(crate) struct Copied {
    rounds: Rounds,
    /// What was counted here: a look that was begun before may not know of it.
    posts: AtomicU64,
    state: Mutex<State>,
    /// Until when each breaker is open as the book of the house was told.
    noted: Mutex<HashMap<AgentId, Option<Timestamp>>>,
}

#[derive(Default)]
struct State {
    /// The position up to which the store's own was taken over.
    through: u64,
    /// How many looks were taken over, and how many of them brought something new.
    looks: u64,
    news: u64,
    /// By which of them each account was replaced.
    replaced: HashMap<Account, u64>,
}

impl Count {
    /// What was just counted. The ledger is held by whoever says so.
    pub(crate) fn of(posted: Posted, shared: Option<&Shared>) -> Self {
        let Some(shared) = shared else { return Self { posted, look: 0 } };
        shared.ledger.posts.fetch_add(1, Ordering::SeqCst);
        Self { posted, look: shared.ledger.state.lock().looks }
    }
}

impl Copied {
    /// How often something new was taken over.
    pub(crate) fn news(&self) -> u64 {
        self.state.lock().news
    }

    /// The book of the house was told of a breaker.
    pub(crate) fn note(&self, agent: &AgentId, breaker: &Breaker) {
        self.noted.lock().insert(agent.clone(), breaker.open_until);
    }

    /// Whether the book of the house knows this of a breaker.
    pub(crate) fn is_noted(&self, agent: &AgentId, breaker: &Breaker) -> bool {
        self.noted.lock().get(agent).copied().flatten() == breaker.open_until
    }
}

impl Engine {
    /// Takes over what changed in the accounts of the store. Gives whether any is another one than was known here.
    pub(crate) async fn refresh_ledger(&self) -> Result<bool, HandoffError> {
        let Some(shared) = &self.inner.shared else { return Ok(false) };
        let posts = shared.ledger.posts.load(Ordering::SeqCst);
        let through = shared.ledger.state.lock().through;
        let Some(moved) = shared.ledger.rounds.look(self.inner.store.ledger_after(through)).await? else {
            return Ok(true); // Somebody else took something over meanwhile.
        };
        let changed = self.take_over(&shared.ledger, moved);
        if shared.ledger.posts.load(Ordering::SeqCst) != posts {
            shared.ring();
        }
        Ok(changed)
    }

    fn take_over(&self, copied: &Copied, moved: Moved) -> bool {
        let mut ledger = self.inner.ledger.write();
        let mut state = copied.state.lock();
        state.looks += 1;
        state.through = state.through.max(moved.through);
        let look = state.looks;
        let mut changed = false;
        for (account, entry) in moved.accounts {
            changed |= ledger.replace(&account, entry);
            state.replaced.insert(account, look);
        }
        state.news += u64::from(changed);
        state.replaced.retain(|account, at| *at == look || ledger.get(account).is_some());
        changed
    }

    /// Reads the whole ledger.
    pub(crate) async fn reload_ledger(&self) -> Result<(), HandoffError> {
        let Some(shared) = &self.inner.shared else { return Ok(()) };
        let moved = self.inner.store.ledger_after(0).await?;
        let kept = moved.accounts.into_iter().filter_map(|(account, entry)| Some((account, entry?)));
        let fresh = Ledger::of(kept);
        let mut ledger = self.inner.ledger.write();
        let mut state = shared.ledger.state.lock();
        state.looks += 1;
        state.news += 1;
        state.through = moved.through;
        let look = state.looks;
        let known = ledger.iter().chain(fresh.iter()).map(|(account, _)| (account.clone(), look));
        state.replaced = known.collect();
        let open = fresh.iter().filter_map(|(account, entry)| Some((account.agent_id()?, entry.breaker.open_until)));
        *shared.ledger.noted.lock() = open.filter(|(_, until)| until.is_some()).collect();
        *ledger = fresh;
        Ok(())
    }

    /// What was counted and could not be written does not count. An account that was replaced since never had it.
    pub(crate) fn take_back(&self, before: Option<&Session>, decided: &Decided, count: &Count) {
        self.uncount(&decided.postings, count);
        self.inner.agents.write().unfollow(&decided.offers_moved(before));
        if let Some(shared) = &self.inner.shared {
            shared.ring();
        }
    }

    fn uncount(&self, postings: &[Posting], count: &Count) {
        let mut ledger = self.inner.ledger.write();
        let Some(shared) = &self.inner.shared else {
            ledger.take_back(postings, &count.posted);
            return;
        };
        let state = shared.ledger.state.lock();
        let still = |account: &Account| state.replaced.get(account).is_none_or(|look| *look <= count.look);
        let mine: Vec<Posting> = postings.iter().filter(|posting| still(&posting.account)).cloned().collect();
        ledger.take_back(&mine, &count.posted.only(still));
    }

    /// The breakers that opened or closed by what was committed just now, and that nobody told the book of the house of.
    /// Others count failures as well: only the store knows what they come to.
    pub(crate) async fn breakers_moved(&self, postings: &[Posting], count: &Count) -> Vec<(AgentId, Breaker)> {
        if postings.is_empty() {
            return Vec::new();
        }
        let Some(shared) = &self.inner.shared else { return count.posted.moved() };
        let open = |agent: &AgentId| !shared.ledger.is_noted(agent, &Breaker::default());
        let about = postings.iter().filter_map(|posting| Some((posting.account.agent_id()?, &posting.change)));
        let about = about.filter(|(agent, change)| match change {
            Change::Failed { .. } | Change::Reset => true,
            // Doing well moves only what is not closed.
            Change::Well { .. } | Change::Forget => open(agent),
            _ => false,
        });
        let agents: BTreeSet<AgentId> = about.map(|(agent, _)| agent).collect();
        if agents.is_empty() || self.refresh_ledger().await.is_err() {
            return Vec::new();
        }
        let ledger = self.inner.ledger.read();
        let now = agents.into_iter().map(|agent| (ledger.breaker(&agent), agent));
        now.filter(|(breaker, agent)| !shared.ledger.is_noted(agent, breaker))
            .map(|(breaker, agent)| (agent, breaker))
            .collect()
    }
}
