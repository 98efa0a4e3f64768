//! Settling: when a handoff is over, what was set aside for it is given back and what it used is charged.

use super::Draft;
use crate::{
    budget::{self, Amount},
    command::Update,
    context::tokens,
    handoff::{Handoff, Metrics, Return, ReturnStatus, Status},
    ids::AgentId,
    ledger::{Account, Change, Posting},
    time::Timestamp,
};
use std::sync::Arc;

impl Draft<'_> {
    /// What a handoff used: as reported, priced by model, or what it was shown and about what it said.
    pub(super) fn used(&self, by: &AgentId, handoff: Option<&Handoff>, update: &Update, body: &str) -> Metrics {
        let mut metrics = update.metrics;
        if metrics.tokens == 0 {
            let sum = |sum: u64, used: &budget::Usage| {
                sum.saturating_add(used.input_tokens).saturating_add(used.output_tokens)
            };
            metrics.tokens = update.usage.iter().fold(0, sum);
        }
        let model = self.agent(by).and_then(|agent| agent.profile.model.as_deref());
        let limited = handoff.and_then(|h| h.reservation.as_ref()).is_some_and(|held| held.share.tokens.is_some());
        let mut usage = update.usage.clone();
        if metrics.tokens == 0 && (model.is_some() || limited) {
            let shown = handoff
                .and_then(|h| h.manifest.as_ref())
                .map_or(0, |m| m.shown_tokens.saturating_add(m.summary_tokens));
            let said = tokens::estimate(body);
            metrics.tokens = shown.saturating_add(said);
            usage = vec![budget::Usage { model: String::new(), input_tokens: shown, output_tokens: said }];
        }
        if metrics.cost == 0.0 {
            metrics.cost = self.priced(usage, metrics.tokens, model.unwrap_or_default());
        }
        metrics
    }

    /// What usage costs. Tokens without a model, or with one that has no price, cost what the agent's own model costs.
    fn priced(&self, mut usage: Vec<budget::Usage>, tokens: u64, own: &str) -> f64 {
        let prices = &self.world.policy.budgets.prices;
        if prices.is_empty() {
            return 0.0;
        }
        if usage.is_empty() && tokens > 0 {
            usage.push(budget::Usage { model: String::new(), input_tokens: 0, output_tokens: tokens });
        }
        for used in usage.iter_mut().filter(|used| !prices.contains_key(&used.model)) {
            own.clone_into(&mut used.model);
        }
        budget::cost(&usage, prices)
    }

    /// What is charged for work that ended without a return: whoever took it was shown something. No more than was set
    /// aside, because nobody said that it was read.
    pub(super) fn shown(&self, handoff: &Handoff) -> Metrics {
        // What an attempt before was shown was charged when that ended.
        if handoff.lease().is_none() || handoff.metrics != Metrics::default() {
            return handoff.metrics;
        }
        let mut used = self.used(&handoff.to_agent, Some(handoff), &Update::default(), "");
        if let Some(held) = &handoff.reservation {
            let earlier = handoff.earlier.unwrap_or_default().used;
            let left = held.share.less(handoff.spent_below).less(earlier).less(self.given_by(handoff.id));
            used.tokens = left.tokens.map_or(used.tokens, |left| left.min(used.tokens));
            if left.micros.is_some_and(|left| left < budget::micros(used.cost)) {
                used.cost = 0.0;
            }
        }
        used
    }

    /// Settles a handoff that is over: gives back what was set aside, charges what was used until its end, and remembers
    /// how it went. Gives what was used.
    pub(super) fn settle(&mut self, handoff: &Handoff, status: Status, result: &Return, ended: Timestamp) -> Amount {
        let used = self.session.used(handoff, &result.metrics, ended);
        self.release(handoff);
        self.charge_work(handoff, used);
        let counts = matches!(status, Status::Completed | Status::Failed | Status::TimedOut);
        if counts {
            let well = matches!(result.status, ReturnStatus::Success | ReturnStatus::Partial);
            self.remember(handoff, well, used);
        }
        self.end_probe(handoff);
        used
    }

    /// Charges an attempt that ends without a return, and gives what it used. What is set aside stays for the next one.
    pub(super) fn settle_attempt(&mut self, handoff: &Handoff) -> Amount {
        let used = self.session.used(handoff, &self.shown(handoff), handoff.attempt_end(self.now));
        self.charge_work(handoff, used);
        used
    }

    /// Charges whoever worked, the tenant, and the share above.
    fn charge_work(&mut self, handoff: &Handoff, used: Amount) {
        let top = self.top_of(handoff);
        if let Some(top) = &top {
            self.release_above(top, used);
        }
        let agent = handoff.reservation.as_ref().and_then(|held| held.agent.clone());
        let agent = agent.or_else(|| self.agent_limit(&handoff.to_agent).map(|(account, _)| account));
        self.charge(Account::of_agent(&handoff.to_agent), agent, used);
        // What is used counts where it was set aside, also after the day has changed.
        let held = top.as_deref().unwrap_or(handoff).reservation.as_ref();
        let tenant = held.and_then(|held| held.tenant.clone());
        let tenant = tenant.or_else(|| self.tenant_limit().map(|(account, _)| account));
        self.charge(Account::of_tenant(&self.session.tenant), tenant, used);
    }

    /// Gives back what was set aside. What goes on below keeps its part.
    fn release(&mut self, handoff: &Handoff) {
        let Some(held) = handoff.reservation.clone() else { return };
        if let Some(account) = held.agent {
            self.postings.push(Posting { account, change: Change::Release(held.share.amount()) });
        }
        if let Some(account) = held.tenant {
            let change = Change::Release(handoff.outstanding());
            self.postings.push(Posting { account: account.clone(), change });
            let below = self.given_by(handoff.id);
            if !below.is_nothing() {
                self.postings.push(Posting { account, change: Change::Hold(below) });
            }
        }
    }

    /// What was used of a share above is no longer set aside there: it is spent.
    fn release_above(&mut self, top: &Handoff, used: Amount) {
        let account = top.reservation.as_ref().and_then(|held| held.tenant.clone());
        let before = top.outstanding();
        let amount = before.minus(before.minus(used));
        if let Some(account) = account.filter(|_| !amount.is_nothing()) {
            self.postings.push(Posting { account, change: Change::Release(amount) });
        }
    }

    /// The handoff at the top of a chain of shares, where this one is not it.
    fn top_of(&self, handoff: &Handoff) -> Option<Arc<Handoff>> {
        let mut at = handoff.within();
        let mut top = None;
        for _ in 0..crate::limits::PATH_MAX {
            let Some(parent) = at.and_then(|id| self.session.open.get(&id)) else { break };
            at = parent.within();
            top = Some(parent.clone());
        }
        top
    }

    /// Charges an account, and the one with the limit where that is another.
    pub(super) fn charge(&mut self, total: Account, limited: Option<Account>, used: Amount) {
        if used.is_nothing() {
            return;
        }
        if let Some(account) = limited.filter(|account| *account != total) {
            self.postings.push(Posting { account, change: Change::Use(used) });
        }
        self.postings.push(Posting { account: total, change: Change::Use(used) });
    }

    /// How it went: for the agent, for each thing it was asked to be able to do, and for the experiment.
    fn remember(&mut self, handoff: &Handoff, succeeded: bool, used: Amount) {
        if self.unjudged == Some(handoff.id) {
            return;
        }
        let mut accounts = self.records_of(handoff);
        if let Some(arm) = &handoff.arm {
            accounts.push(Account::arm(&arm.experiment, &arm.arm));
        }
        self.post_end(accounts, succeeded, self.now.since(handoff.opened_at), used);
    }

    /// Whoever said no, said nothing or was lost was tried too, and somebody else goes on with it.
    pub(super) fn remember_no(&mut self, handoff: &Handoff) {
        if self.unjudged == Some(handoff.id) {
            return;
        }
        let accounts = self.records_of(handoff);
        self.post_end(accounts, false, self.now.since(handoff.opened_at), Amount::default());
    }

    /// The records of whoever has a handoff: in general, and in what it says it can do.
    fn records_of(&self, handoff: &Handoff) -> Vec<Account> {
        let agent = &handoff.to_agent;
        let mut accounts = vec![Account::of_agent(agent)];
        let required = &handoff.request.validation.required_capabilities;
        let wanted = required.iter().map(|needed| needed.capability_id.as_str());
        let wanted = wanted.chain(handoff.request.capability.as_deref());
        // Only what the profile declares: a name that somebody made up is nobody's skill.
        let can =
            |capability: &&str| self.agent(agent).is_some_and(|known| known.profile.proficiency(capability).is_some());
        accounts.extend(wanted.filter(can).map(|capability| Account::skill(agent, capability)));
        accounts.sort();
        accounts.dedup();
        accounts
    }

    fn post_end(&mut self, accounts: Vec<Account>, succeeded: bool, ms: u64, used: Amount) {
        let change = Change::Ended { succeeded, ms, micros: used.micros };
        for account in accounts {
            self.postings.push(Posting { account, change: change.clone() });
        }
    }
}
