//! Budgets: what a handoff may use is set aside before it begins. What cannot be set aside is not begun.

use super::{Draft, initiate::Target, validate::Checks};
use crate::{
    agent::AgentKind,
    budget::{self, Amount, Share},
    handoff::{Handoff, Kind, Request, Reservation},
    ids::{AgentId, HandoffId},
    ledger::{Account, Change, Entry, Posting},
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

/// What is begun together, and what ends by it.
#[derive(Default)]
pub(super) struct Together<'h> {
    /// How many are begun.
    among: u64,
    /// How many of them have their share.
    begun: u64,
    /// What was set aside for those.
    taken: Vec<Reservation>,
    /// The part that its source completes with it.
    ending: Option<&'h Handoff>,
}

impl Together<'_> {
    /// One handoff by itself.
    pub(super) fn alone() -> Self {
        Self { among: 1, ..Self::default() }
    }

    fn taken(&self, counts: impl Fn(&Reservation) -> bool) -> Amount {
        let counted = self.taken.iter().filter(|held| counts(held));
        counted.fold(Amount::default(), |sum, held| sum.plus(held.share.amount()))
    }
}

impl Draft<'_> {
    /// Checks that everything can be set aside, for all targets together.
    pub(super) fn check_budgets(&self, request: &Request, targets: &mut [Target], checks: &mut Checks) {
        let parent = request.parent_id.or_else(|| self.working_on(&request.from_agent));
        let parent = parent.and_then(|id| self.session.open.get(&id));
        let completes = request.kind == Kind::Sequential && request.completes_segment && !self.session.segment_complete;
        let ending = completes.then(|| self.part_of(&request.from_agent)).flatten();
        let mut together =
            Together { among: targets.len() as u64, ending: ending.map(|held| &**held), ..Together::default() };
        for target in targets {
            match self.set_aside(request, &target.to, parent.map(|parent| &**parent), &together) {
                Ok(reservation) => {
                    together.taken.extend(reservation.clone());
                    together.begun += 1;
                    target.reservation = reservation;
                }
                Err(refusal) => return checks.add(refusal),
            }
        }
    }

    /// What is set aside for a handoff, or why it cannot be.
    pub(super) fn set_aside(
        &self,
        request: &Request,
        to: &AgentId,
        parent: Option<&Handoff>,
        together: &Together<'_>,
    ) -> Result<Option<Reservation>, Refusal> {
        let parent = parent.filter(|parent| {
            parent.reservation.is_some() && matches!(request.kind, Kind::Delegation | Kind::Broadcast)
        });
        let tenant = self.tenant_limit().filter(|_| parent.is_none());
        let agent = self.agent_limit(to);
        let mut pools = vec![self.first_pool(parent, together)];
        if let Some((account, limit)) = &tenant {
            pools.push(self.tenant_pool(account, limit, together));
        }
        if let Some((account, limit)) = &agent {
            pools.push(self.agent_pool(to, account, limit, together));
        }
        let share = self.share(request, to, &pools, together)?;
        if share.is_free() {
            return Ok(None);
        }
        Ok(Some(Reservation {
            share,
            within: parent.map(|parent| parent.id),
            tenant: tenant.map(|(account, _)| account),
            agent: agent.map(|(account, _)| account),
        }))
    }

    pub(super) fn tenant_limit(&self) -> Option<(Account, Share)> {
        let limit = self.world.policy.budgets.of_tenant(&self.session.tenant)?;
        Some((Account::tenant(&self.session.tenant, limit.per, self.now), limit.share()))
    }

    pub(super) fn agent_limit(&self, agent: &AgentId) -> Option<(Account, Share)> {
        let own = self.agent(agent).and_then(|known| known.profile.budget);
        // A person is not bought by the token: what holds for every agent does not hold for people.
        let person = self.agent(agent).is_some_and(|known| known.profile.kind == AgentKind::Human);
        let limit = own.or(self.world.policy.budgets.agent.filter(|_| !person))?;
        Some((Account::agent(agent, limit.per, self.now), limit.share()))
    }

    /// An account, with what this very decision has posted so far.
    pub(super) fn entry(&self, account: &Account) -> Entry {
        let mut entry = self.world.ledger.get(account).cloned().unwrap_or_default();
        for posting in self.postings.iter().filter(|posting| posting.account == *account) {
            entry.apply(&posting.change);
        }
        entry
    }

    /// What the parent has left, or the session where there is none.
    fn first_pool(&self, parent: Option<&Handoff>, together: &Together<'_>) -> Pool {
        let waiting = together.among - together.begun;
        let taken = together.taken(|_| true);
        if let Some(parent) = parent {
            let share = parent.reservation.as_ref().map(|held| held.share).unwrap_or_default();
            let rest = share.less(parent.spent_below).less(self.given_by(parent.id)).less(taken);
            // Equal parts: one for each child, and one that the parent keeps.
            return Pool { scope: format!("handoff {}", parent.id), rest, parts: waiting + 1 };
        }
        let used = u64::from(self.session.watch.handoffs) + together.begun;
        let left = self.limits().handoffs.map_or(PARTS, |max| u64::from(max).saturating_sub(used));
        let rest = self.session_rest(together.ending).less(taken);
        Pool { scope: "session".into(), rest, parts: left.max(waiting) + 1 }
    }

    fn tenant_pool(&self, account: &Account, limit: &Share, together: &Together<'_>) -> Pool {
        let mut entry = self.entry(account);
        let ending = together.ending.filter(|held| held.reservation.as_ref().is_some_and(|r| r.tenant.is_some()));
        if let Some(ending) = ending.filter(|held| tenant_of(held) == Some(account)) {
            entry.reserved = entry.reserved.minus(ending.outstanding()).plus(self.given_by(ending.id));
            // What the part used is charged when it ends, before anything is set aside again.
            entry.used = entry.used.plus(self.session.used(ending, &self.shown(ending), self.now));
        }
        let rest = entry.rest(limit).less(together.taken(|held| held.tenant.as_ref() == Some(account)));
        let parts = PARTS.max(together.among) - together.begun;
        Pool { scope: format!("tenant {}", self.session.tenant), rest, parts }
    }

    fn agent_pool(&self, agent: &AgentId, account: &Account, limit: &Share, together: &Together<'_>) -> Pool {
        let mut entry = self.entry(account);
        let ending = together.ending.and_then(|held| held.reservation.as_ref());
        if let Some(ending) = ending.filter(|held| held.agent.as_ref() == Some(account)) {
            entry.reserved = entry.reserved.minus(ending.share.amount());
        }
        let rest = entry.rest(limit).less(together.taken(|held| held.agent.as_ref() == Some(account)));
        Pool { scope: format!("agent {agent}"), rest, parts: PARTS.max(together.among) - together.begun }
    }

    /// What a handoff has given out of its share to work below it that is not over.
    pub(super) fn given_by(&self, parent: HandoffId) -> Amount {
        let children = self.session.open.values().filter(|open| open.within() == Some(parent));
        children.fold(Amount::default(), |sum, child| sum.plus(child.outstanding()))
    }

    /// What of the session's own limits is neither used nor set aside.
    fn session_rest(&self, ending: Option<&Handoff>) -> Share {
        let limits = self.limits();
        let limit = Share { tokens: limits.tokens, micros: limits.cost.map(budget::micros), ms: None };
        let stands = |open: &&std::sync::Arc<Handoff>| {
            let above = open.within();
            let freed = ending.map(|held| held.id);
            Some(open.id) != freed && (above.is_none() || above == freed)
        };
        let top = self.session.open.values().filter(stands);
        let reserved = top.fold(Amount::default(), |sum, open| sum.plus(open.outstanding()));
        limit.less(Amount::used(&self.session.metrics, 0)).less(reserved)
    }

    /// How much of each kind: as asked for, as the house does it, or a part of what is left.
    fn share(
        &self,
        request: &Request,
        to: &AgentId,
        pools: &[Pool],
        together: &Together<'_>,
    ) -> Result<Share, Refusal> {
        let asked = request.context.constraints.budget.map(|budget| budget.share()).unwrap_or_default();
        let usual = self.world.policy.budgets.handoff.map(|budget| budget.share()).unwrap_or_default();
        let rest = pools.iter().fold(Share::default(), |rest, pool| rest.tighter(&pool.rest));
        let part = pools.iter().fold(Share::default(), |part, pool| part.tighter(&pool.rest.part(pool.parts)));
        let time = rest.ms.map(|rest| rest.min(self.usual_ms(request, to)));
        let share = Share {
            tokens: pick(asked.tokens, usual.tokens, rest.tokens, part.tokens),
            micros: pick(asked.micros, usual.micros, rest.micros, part.micros),
            ms: pick(asked.ms, usual.ms, rest.ms, time),
        };
        let share = share.capped();
        // Whoever is above is always asked: a budget that is spent must not keep a question from them.
        if request.kind == Kind::Escalation {
            return Ok(share.tighter(&rest));
        }
        match pools.iter().find_map(|pool| pool.refuses(&share, together)) {
            Some(refusal) => Err(refusal),
            None => Ok(share),
        }
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

    /// Whether another agent has enough left to take over what was set aside for a handoff.
    pub(super) fn can_afford(&self, handoff: &Handoff, to: &AgentId) -> bool {
        let Some((account, limit)) = self.agent_limit(to) else { return true };
        let rest = self.entry(&account).rest(&limit);
        let wanted = handoff.reservation.as_ref().map(|held| held.share.amount()).unwrap_or_default();
        rest.lacks(&wanted).is_none() && rest.spent().is_none()
    }

    /// What was set aside with one agent is set aside with the next, which may be limited in other kinds.
    pub(super) fn move_share(&mut self, handoff: &Handoff, to: &AgentId) -> Option<Reservation> {
        let mut held = handoff.reservation.clone().unwrap_or_default();
        let before = held.share;
        if let Some(account) = held.agent.take() {
            self.postings.push(Posting { account, change: Change::Release(before.amount()) });
        }
        if let Some((account, within)) = self.agent_limit(to) {
            let rest = self.entry(&account).rest(&within);
            let (part, time) = (rest.part(PARTS), rest.ms.map(|ms| ms.min(self.usual_ms(&handoff.request, to))));
            held.share = Share {
                tokens: before.tokens.or(part.tokens),
                micros: before.micros.or(part.micros),
                ms: before.ms.or(time),
            };
            held.share = held.share.capped();
            let change = Change::Reserve { amount: held.share.amount(), within };
            self.postings.push(Posting { account: account.clone(), change });
            held.agent = Some(account);
        }
        // What was used below it of a kind that was not limited before is not set aside now.
        let more = held.share.amount().minus(handoff.spent_below).minus(handoff.outstanding());
        if let Some(account) = held.tenant.clone().filter(|_| !more.is_nothing()) {
            self.postings.push(Posting { account, change: Change::Hold(more) });
        }
        (!held.share.is_free()).then_some(held)
    }
}

impl Pool {
    /// Why this much cannot come out of it.
    fn refuses(&self, share: &Share, together: &Together<'_>) -> Option<Refusal> {
        let scope = &self.scope;
        let which = if together.among > 1 {
            format!("{} of them: number {}", together.among, together.begun + 1)
        } else {
            "it: it".to_owned()
        };
        let (message, details) = if let Some(lack) = self.rest.lacks(&share.amount()) {
            let details = json!({"scope": scope, "kind": lack.kind, "rest": lack.rest, "wanted": lack.wanted});
            (format!("the {scope} does not allow {which} {}", lack.words()), details)
        } else {
            let kind = self.rest.spent()?;
            let details = json!({"scope": scope, "kind": kind, "rest": 0});
            (format!("the budget of the {scope} is spent: nothing is left of its {kind}"), details)
        };
        Some(Refusal::new(Code::BudgetSpent, message).at("context.constraints.budget").details(details))
    }
}

fn pick(asked: Option<u64>, usual: Option<u64>, rest: Option<u64>, part: Option<u64>) -> Option<u64> {
    asked.or_else(|| match rest {
        // What is little is not cut to nothing.
        Some(rest) => Some(usual.or(part.map(|n| n.max(1))).unwrap_or(rest).min(rest)),
        None => usual,
    })
}

fn tenant_of(handoff: &Handoff) -> Option<&Account> {
    handoff.reservation.as_ref().and_then(|held| held.tenant.as_ref())
}
