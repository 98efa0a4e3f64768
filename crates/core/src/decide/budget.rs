//! Budgets: what a handoff may use is set aside before it begins and settled when it is over. What cannot be set aside
//! is not begun.

use super::{Draft, validate::Checks};
use crate::{
    budget::{self, Amount, Share},
    command::Update,
    context::tokens,
    handoff::{Handoff, Kind, Metrics, Request, Reservation, ReturnStatus, Status},
    ids::{AgentId, HandoffId},
    ledger::{Account, Change, Posting},
    refusal::{Code, Refusal},
};
use serde_json::json;

/// Into how many parts the rest of a tenant or an agent is cut for a handoff that asks for nothing itself.
const PARTS: u64 = 10;

/// What is left for a handoff, and who says so.
struct Pool {
    scope: String,
    rest: Share,
    parts: u64,
}

impl Draft<'_> {
    /// What is set aside for a handoff, or why it cannot be. `among` is how many are begun together.
    pub(super) fn set_aside(
        &self,
        request: &Request,
        to: &AgentId,
        parent: Option<&Handoff>,
        among: u64,
    ) -> Result<Option<Reservation>, Refusal> {
        let parent = parent.filter(|parent| {
            parent.reservation.is_some() && matches!(request.kind, Kind::Delegation | Kind::Broadcast)
        });
        let tenant = self.tenant_limit().filter(|_| parent.is_none());
        let agent = self.agent_limit(to);
        let mut pools = vec![self.first_pool(parent, among)];
        for (scope, found) in [("tenant", &tenant), ("agent", &agent)] {
            if let Some((account, limit)) = found {
                let name = if scope == "tenant" { self.session.tenant.clone() } else { to.to_string() };
                let rest = self.rest_of(account, limit);
                pools.push(Pool { scope: format!("{scope} {name}"), rest, parts: PARTS.max(among) });
            }
        }
        let share = self.share(request, to, &pools)?;
        if share.is_free() {
            return Ok(None);
        }
        Ok(Some(Reservation {
            share,
            within_parent: parent.is_some(),
            tenant: tenant.map(|(account, _)| account),
            agent: agent.map(|(account, _)| account),
        }))
    }

    /// What of a limit an account has left, with what this very decision has posted so far.
    pub(super) fn rest_of(&self, account: &Account, limit: &Share) -> Share {
        let mut entry = self.world.ledger.get(account).cloned().unwrap_or_default();
        for posting in self.postings.iter().filter(|posting| posting.account == *account) {
            entry.apply(&posting.change);
        }
        entry.rest(limit)
    }

    pub(super) fn tenant_limit(&self) -> Option<(Account, Share)> {
        let limit = self.world.policy.budgets.of_tenant(&self.session.tenant)?;
        Some((Account::tenant(&self.session.tenant, limit.per, self.now), limit.share()))
    }

    pub(super) fn agent_limit(&self, agent: &AgentId) -> Option<(Account, Share)> {
        let own = self.agent(agent).and_then(|known| known.profile.budget);
        let limit = own.or(self.world.policy.budgets.agent)?;
        Some((Account::agent(agent, limit.per, self.now), limit.share()))
    }

    /// What the parent has left, or the session where there is none.
    fn first_pool(&self, parent: Option<&Handoff>, among: u64) -> Pool {
        if let Some(parent) = parent {
            let share = parent.reservation.as_ref().map(|held| held.share).unwrap_or_default();
            let children = self.session.open.values().filter(|open| {
                open.parent_id == Some(parent.id) && open.reservation.as_ref().is_some_and(|held| held.within_parent)
            });
            let given = children.fold(Amount::default(), |sum, child| sum.plus(child.outstanding()));
            let rest = share.less(parent.spent_below).less(given);
            // Equal parts: one for each child, and one that the parent keeps.
            return Pool { scope: format!("handoff {}", parent.id), rest, parts: among + 1 };
        }
        let limits = self.limits();
        let left = limits.handoffs.map_or(PARTS, |max| u64::from(max.saturating_sub(self.session.watch.handoffs)));
        Pool { scope: "session".into(), rest: self.session_rest(), parts: left.max(among) + 1 }
    }

    /// What of the session's own limits is neither used nor set aside.
    fn session_rest(&self) -> Share {
        let limits = self.limits();
        let limit = Share { tokens: limits.tokens, micros: limits.cost.map(budget::micros), ms: None };
        let top = self.session.open.values().filter(|open| open.reservation.as_ref().is_some_and(|r| !r.within_parent));
        let reserved = top.fold(Amount::default(), |sum, open| sum.plus(open.outstanding()));
        limit.less(Amount::used(&self.session.metrics, 0)).less(reserved)
    }

    /// How much of each kind: as asked for, as the house does it, or a part of what is left.
    fn share(&self, request: &Request, to: &AgentId, pools: &[Pool]) -> Result<Share, Refusal> {
        let asked = request.context.constraints.budget.map(|budget| budget.share()).unwrap_or_default();
        let usual = self.world.policy.budgets.handoff.map(|budget| budget.share()).unwrap_or_default();
        let rest = pools.iter().fold(Share::default(), |rest, pool| rest.tighter(&pool.rest));
        let part = pools.iter().fold(Share::default(), |part, pool| part.tighter(&pool.rest.part(pool.parts)));
        let time = rest.ms.map(|rest| rest.min(self.usual_ms(request, to)));
        let pick = |asked: Option<u64>, usual: Option<u64>, rest: Option<u64>, part: Option<u64>| {
            asked.or_else(|| match rest {
                // What is little is not cut to nothing.
                Some(rest) => Some(usual.or(part.map(|n| n.max(1))).unwrap_or(rest).min(rest)),
                None => usual,
            })
        };
        let share = Share {
            tokens: pick(asked.tokens, usual.tokens, rest.tokens, part.tokens),
            micros: pick(asked.micros, usual.micros, rest.micros, part.micros),
            ms: pick(asked.ms, usual.ms, rest.ms, time),
        };
        // Whoever is above is always asked: a budget that is spent must not keep a question from them.
        if request.kind == Kind::Escalation {
            return Ok(share.tighter(&rest));
        }
        for pool in pools {
            if let Some(lack) = pool.rest.lacks(&share.amount()) {
                let details = json!({"scope": pool.scope, "kind": lack.kind, "rest": lack.rest, "wanted": lack.wanted});
                let message = format!("the {} does not allow it: it {}", pool.scope, lack.words());
                return Err(Refusal::new(Code::BudgetSpent, message).at("context.constraints.budget").details(details));
            }
            if pool.rest.is_spent() {
                let message = format!("the budget of the {} is spent", pool.scope);
                let details = json!({"scope": pool.scope});
                return Err(Refusal::new(Code::BudgetSpent, message).at("context.constraints.budget").details(details));
            }
        }
        Ok(share)
    }

    /// How long the work may take at most, by what is said of it.
    fn usual_ms(&self, request: &Request, to: &AgentId) -> u64 {
        let agent = self.agent(to).and_then(|agent| agent.profile.max_execution_ms);
        let shortest = [request.return_protocol.timeout_ms, agent].into_iter().flatten().min();
        shortest.unwrap_or(self.world.policy.execution_ms)
    }

    /// The postings that set aside what a handoff was promised.
    pub(super) fn post_reservation(&mut self, reservation: &Reservation, to: &AgentId) {
        let amount = reservation.share.amount();
        let tenant = reservation.tenant.clone().zip(self.tenant_limit().map(|(_, limit)| limit));
        let agent = reservation.agent.clone().zip(self.agent_limit(to).map(|(_, limit)| limit));
        for (account, within) in [tenant, agent].into_iter().flatten() {
            self.postings.push(Posting { account, change: Change::Reserve { amount, within } });
        }
    }

    /// Checks that everything can be set aside, for all targets together.
    pub(super) fn check_budgets(
        &self,
        request: &Request,
        targets: &mut [super::initiate::Target],
        checks: &mut Checks,
    ) {
        let parent = request.parent_id.or_else(|| self.working_on(&request.from_agent));
        let parent = parent.and_then(|id| self.session.open.get(&id)).cloned();
        let among = targets.len() as u64;
        let mut total = Amount::default();
        for (i, target) in targets.iter_mut().enumerate() {
            match self.set_aside(request, &target.to, parent.as_deref(), among) {
                Ok(reservation) => {
                    total = total.plus(reservation.as_ref().map(|held| held.share.amount()).unwrap_or_default());
                    target.reservation = reservation;
                }
                Err(refusal) if i == 0 => checks.add(refusal),
                Err(_) => {}
            }
        }
        if among > 1 {
            self.check_together(parent.as_deref(), total, among, checks);
        }
    }

    /// Members that ask for a budget each must fit in together.
    fn check_together(&self, parent: Option<&Handoff>, total: Amount, among: u64, checks: &mut Checks) {
        let pool = self.first_pool(parent.filter(|parent| parent.reservation.is_some()), among);
        let tenant = self.tenant_limit().map(|(account, limit)| self.rest_of(&account, &limit));
        for (scope, rest) in [(pool.scope, Some(pool.rest)), (format!("tenant {}", self.session.tenant), tenant)] {
            if let Some(lack) = rest.and_then(|rest| rest.lacks(&total)) {
                let message = format!("the {scope} does not allow {among} of them: together it {}", lack.words());
                checks.add(Refusal::new(Code::BudgetSpent, message).at("context.constraints.budget"));
            }
        }
    }

    /// What a handoff used: as reported, priced by model, or counted.
    pub(super) fn used(&self, by: &AgentId, handoff: Option<&Handoff>, update: &Update, body: &str) -> Metrics {
        let mut metrics = update.metrics;
        if metrics.tokens == 0 {
            let sum = |sum: u64, used: &budget::Usage| {
                sum.saturating_add(used.input_tokens).saturating_add(used.output_tokens)
            };
            metrics.tokens = update.usage.iter().fold(0, sum);
        }
        let model = self.agent(by).and_then(|agent| agent.profile.model.clone());
        let limited = handoff.and_then(|h| h.reservation.as_ref()).is_some_and(|held| held.share.tokens.is_some());
        let mut usage = update.usage.clone();
        if metrics.tokens == 0 && (model.is_some() || limited) {
            let shown = handoff
                .and_then(|h| h.manifest.as_ref())
                .map_or(0, |m| m.shown_tokens.saturating_add(m.summary_tokens));
            let said = tokens::count(body);
            metrics.tokens = shown.saturating_add(said);
            usage = vec![budget::Usage { model: model.unwrap_or_default(), input_tokens: shown, output_tokens: said }];
        }
        if metrics.cost == 0.0 {
            metrics.cost = budget::cost(&usage, &self.world.policy.budgets.prices);
        }
        metrics
    }

    /// Settles a handoff that is over: gives back what was set aside, charges what was used, and remembers how it went.
    pub(super) fn settle(&mut self, handoff: &Handoff, status: Status, result: &crate::handoff::Return) {
        let used = Amount::used(&result.metrics, handoff.worked_ms(self.now));
        let tenant = self.session.tenant.clone();
        let held = handoff.reservation.clone();
        if let Some(held) = &held {
            self.release(held, handoff);
        }
        self.release_above(handoff, used);
        let agent = held.as_ref().and_then(|held| held.agent.clone());
        let in_tenant = held.as_ref().and_then(|held| held.tenant.clone()).or_else(|| self.tenant_above(handoff));
        self.charge(Account::of_agent(&handoff.to_agent), agent, used);
        self.charge(Account::of_tenant(&tenant), in_tenant, used);
        let counts = matches!(status, Status::Completed | Status::Failed | Status::TimedOut);
        if counts && handoff.accepted_at.is_some() {
            let well = matches!(result.status, ReturnStatus::Success | ReturnStatus::Partial);
            self.remember(handoff, well, used);
        }
        if handoff.probe && !counts {
            let change = Change::ProbeOver { handoff: handoff.id };
            self.postings.push(Posting { account: Account::of_agent(&handoff.to_agent), change });
        }
    }

    fn release(&mut self, held: &Reservation, handoff: &Handoff) {
        if let Some(account) = held.agent.clone() {
            self.postings.push(Posting { account, change: Change::Release(held.share.amount()) });
        }
        if let Some(account) = held.tenant.clone() {
            self.postings.push(Posting { account, change: Change::Release(handoff.outstanding()) });
        }
    }

    /// What was used of a parent's share is no longer set aside there: it is spent.
    fn release_above(&mut self, handoff: &Handoff, used: Amount) {
        let Some(top) = self.top_of(handoff) else { return };
        let account = top.reservation.as_ref().and_then(|held| held.tenant.clone());
        let before = top.outstanding();
        let amount = before.minus(before.minus(used));
        if let Some(account) = account.filter(|_| !amount.is_nothing()) {
            self.postings.push(Posting { account, change: Change::Release(amount) });
        }
    }

    fn tenant_above(&self, handoff: &Handoff) -> Option<Account> {
        let top = self.top_of(handoff)?;
        top.reservation.and_then(|held| held.tenant)
    }

    /// The handoff at the top of a chain of shares, where this one is not it.
    fn top_of(&self, handoff: &Handoff) -> Option<Handoff> {
        let within = |h: &Handoff| h.reservation.as_ref().is_some_and(|held| held.within_parent);
        let mut at: Option<HandoffId> = handoff.parent_id.filter(|_| within(handoff));
        let mut top = None;
        for _ in 0..crate::limits::PATH_MAX {
            let Some(parent) = at.and_then(|id| self.session.open.get(&id)) else { break };
            at = parent.parent_id.filter(|_| within(parent));
            top = Some(Handoff::clone(parent));
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
        let ms = self.now.since(handoff.opened_at);
        let change = Change::Ended { succeeded, ms, micros: used.micros };
        let mut accounts = vec![Account::of_agent(&handoff.to_agent)];
        let request = &handoff.request;
        let wanted = request.validation.required_capabilities.iter().map(|needed| needed.capability_id.as_str());
        for capability in wanted.chain(request.capability.as_deref()).take(crate::limits::CAPABILITIES_MAX) {
            accounts.push(Account::skill(&handoff.to_agent, capability));
        }
        if let Some(arm) = &handoff.arm {
            accounts.push(Account::arm(&arm.experiment, &arm.arm));
        }
        for account in accounts {
            self.postings.push(Posting { account, change: change.clone() });
        }
    }
}
