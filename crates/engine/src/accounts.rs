//! Accounts that nobody needs any more: windows that are over, and accounts of agents that do not exist. They are
//! forgotten through the same door as everything else, so that memory and database go on keeping the same.

use crate::engine::Engine;
use handover_core::{
    ids::AgentId,
    ledger::{Account, Change, Posting},
    limits::PAGE_MAX,
    refusal::HandoffError,
};

impl Engine {
    /// Forgets accounts in which nothing new is counted and nothing is set aside. Gives how many.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub async fn forget_accounts(&self) -> Result<usize, HandoffError> {
        // What is stored says which there are: what memory alone has is still on its way there.
        let stored = self.inner.store.ledger().await?;
        let idle = stored.into_iter().filter(|(_, entry)| entry.reserved.is_nothing());
        let over: Vec<Account> = idle.map(|(account, _)| account).filter(|account| self.is_over(account)).collect();
        let mut total = 0;
        for piece in over.chunks(PAGE_MAX) {
            // Nobody comes back meanwhile and finds that what it did just now is forgotten.
            let _alone = self.inner.registry.lock().await;
            let still = piece.iter().filter(|account| self.is_over(account)).cloned();
            let postings: Vec<Posting> = still.map(forget).collect();
            if postings.is_empty() {
                continue;
            }
            total += postings.len();
            self.write_house_posting(Vec::new(), Vec::new(), postings).await?;
        }
        Ok(total)
    }

    /// The postings that forget an agent. Those in which something is set aside are left to [`Self::forget_accounts`].
    pub(crate) fn forget_agent(&self, agent: &AgentId) -> Vec<Posting> {
        let ledger = self.inner.ledger.read();
        let idle = ledger.iter().filter(|(account, entry)| account.is_of(agent) && entry.reserved.is_nothing());
        idle.take(PAGE_MAX).map(|(account, _)| forget(account.clone())).collect()
    }

    /// Whether nothing new is counted in an account and, as far as was decided, nothing is set aside in it.
    fn is_over(&self, account: &Account) -> bool {
        let agents = self.inner.agents.read();
        let ledger = self.inner.ledger.read();
        let idle = ledger.get(account).is_none_or(|entry| entry.reserved.is_nothing());
        idle && account
            .is_over(self.inner.clock.now(), |name| AgentId::new(name).is_ok_and(|id| agents.get(&id).is_some()))
    }
}

fn forget(account: Account) -> Posting {
    Posting { account, change: Change::Forget }
}
