//! What must be so whenever the engine is closed, and at the end.

use super::sim::Sim;
use handover_core::{
    agent::Profile,
    budget::{Amount, Limit, Share},
    command::Command,
    ids::{AgentId, SessionId},
};
use handover_store::{Store, sqlite::SqliteStore};
use std::collections::BTreeMap;

impl Sim {
    /// Every account is within its limit, and exactly what open handoffs hold is set aside.
    pub async fn check_ledger(&self, store: &SqliteStore) {
        let agents: BTreeMap<AgentId, Profile> =
            store.agents().await.unwrap().into_iter().map(|(profile, _)| (profile.id.clone(), profile)).collect();
        let mut reserved = self.auditor.books.reserved();
        for (account, entry) in store.ledger().await.unwrap() {
            let expected = reserved.remove(account.as_str()).unwrap_or_default();
            if entry.reserved != expected {
                self.fail(&format!("{account} has {:?} set aside, open handoffs hold {expected:?}", entry.reserved));
            }
            if expected.is_nothing() && account.is_past(self.now()) {
                self.fail(&format!("{account} is over, and is kept"));
            }
            let (kind, name) = account.as_str().split_once(' ').unwrap();
            let books = &self.auditor.books;
            let (limit, over) = match kind.split('@').next() {
                Some("tenant") => {
                    (self.auditor.policy.budgets.of_tenant(name).copied(), books.over_by_tenant.get(name))
                }
                Some("agent") => {
                    let limit = agents.get(name).and_then(|profile| profile.budget);
                    (limit, books.over_by_agent.get(name))
                }
                _ => (None, None),
            };
            if let Some(limit) = limit.filter(|limit| counts_here(limit, kind)) {
                let taken = entry.used.plus(entry.reserved);
                self.check_within(account.as_str(), &limit.share(), taken, over.copied().unwrap_or_default());
            }
        }
        if let Some((account, amount)) = reserved.into_iter().find(|(_, amount)| !amount.is_nothing()) {
            self.fail(&format!("open handoffs hold {amount:?} of {account}, and nothing is set aside there"));
        }
    }

    /// A limit is exceeded by what was used above what was set aside, and by nothing else.
    fn check_within(&self, what: &str, limit: &Share, taken: Amount, over: Amount) {
        if let Some(lack) = limit.lacks(&taken.minus(over)) {
            self.fail(&format!(
                "{what} is exceeded: {}, and only {over:?} was used above what was set aside",
                lack.words()
            ));
        }
    }

    /// Every session is what the auditor has heard of it.
    pub async fn check_sessions(&self) {
        for (id, said) in &self.auditor.books.sessions {
            let found = self.tenant_of(id).session(id).await.unwrap();
            if found.open.len() != said.open || found.ended_at.is_some() != said.ended {
                self.fail(&format!("{id} has {} open, the auditor heard of {}", found.open.len(), said.open));
            }
            let limits = self.auditor.limits(said);
            let limit =
                Share { tokens: limits.tokens, micros: limits.cost.map(handover_core::budget::micros), ms: None };
            self.check_within(id.as_str(), &limit, said.used, said.over);
        }
    }

    /// After the end: nothing is open, everybody got their return, sessions can be ended, the trail verifies.
    pub async fn check_end(&mut self) {
        let returns = self.auditor.books.all_returned().unwrap_or_else(|why| self.fail(&why));
        self.check_sessions().await;
        let running: Vec<SessionId> =
            self.auditor.books.sessions.iter().filter(|(_, said)| !said.ended).map(|(id, _)| id.clone()).collect();
        for id in running {
            let session = self.tenant_of(&id).session(&id).await.unwrap();
            if !session.open.is_empty() || !session.groups.is_empty() || session.lent_by.is_some() {
                self.fail(&format!(
                    "{id} is not at rest: {} groups, lent by {:?}",
                    session.groups.len(),
                    session.lent_by
                ));
            }
            let command = Command::End { by: session.active_agent.clone(), reason: "the end".into() };
            let result = self.tenant_of(&id).submit(&id, command, None).await;
            if let Err(error) = self.done(format!("{id} ends"), result).await {
                self.fail(&format!("{id} cannot be ended by its owner: {error}"));
            }
        }
        if let Some(busy) = self.engine.agents().iter().find(|agent| agent.load > 0) {
            self.fail(&format!("{} still has a load of {}", busy.profile.id, busy.load));
        }
        if let Err(error) = self.engine.verify().await {
            self.fail(&format!("the audit trail does not verify: {error}"));
        }
        self.close().await;
        self.line(|_| format!("{returns} returns, each taken once"));
    }
}

/// Whether the limit counts in this account: the one without a window for all time, one with a window for a period.
fn counts_here(limit: &Limit, kind: &str) -> bool {
    kind.contains('@') == (limit.per != handover_core::budget::Period::Total)
}
