//! The auditor's books: every handoff, what was set aside for it and used, and who got which return.

use handover_core::{
    budget::{Amount, Share},
    digest::Digest,
    guard::complexity::Complexity,
    handoff::{Handoff, Kind, Metrics, Phase, Request, Reservation},
    ids::{AgentId, HandoffId, LeaseId, SessionId},
    limits::PATH_MAX,
    policy::SessionLimits,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use uuid::Uuid;

/// A session, as the auditor has heard of it.
pub struct Said {
    pub tenant: String,
    pub complexity: Option<Complexity>,
    pub workflow: Option<String>,
    pub limits: SessionLimits,
    pub ended: bool,
    pub open: usize,
    pub handoffs: u32,
    pub escalations: u32,
    /// Whoever has a part in it by an agent's wish; those above who are asked do not count.
    pub agents: BTreeSet<AgentId>,
    pub moves: Vec<(AgentId, AgentId, Digest)>,
    pub used: Amount,
    /// What was used above what was set aside.
    pub over: Amount,
}

impl Said {
    pub fn new(
        tenant: &str,
        owner: &AgentId,
        complexity: Option<Complexity>,
        workflow: Option<String>,
        limits: SessionLimits,
    ) -> Self {
        Self {
            tenant: tenant.to_owned(),
            complexity,
            workflow,
            limits,
            ended: false,
            open: 0,
            handoffs: 0,
            escalations: 0,
            agents: BTreeSet::from([owner.clone()]),
            moves: Vec::new(),
            used: Amount::default(),
            over: Amount::default(),
        }
    }

    pub fn takes_part(&mut self, agent: &AgentId, max: Option<u32>, session: &SessionId) -> Result<(), String> {
        if !self.agents.insert(agent.clone()) {
            return Ok(());
        }
        let count = self.agents.len();
        match max.filter(|max| count > *max as usize) {
            Some(max) => Err(format!("{count} agents have a part in {session}, {max} may")),
            None => Ok(()),
        }
    }
}

/// A handoff, as the auditor has heard of it.
pub struct Held {
    pub number: u64,
    pub session: SessionId,
    pub kind: Kind,
    pub from: AgentId,
    pub to: AgentId,
    pub parent: Option<HandoffId>,
    /// Whether its source waits for a result.
    pub waits: bool,
    pub lease: Option<LeaseId>,
    pub offered: bool,
    pub closed: bool,
    /// On offer to somebody who is left alone: it must go on before anybody takes it.
    pub stuck: bool,
    /// Its time ran out before, and it is tried again.
    pub retried: bool,
    pub reservation: Option<Reservation>,
    below: Amount,
}

impl Held {
    pub fn new(session: &SessionId, request: &Request, handoff: &Handoff) -> Self {
        Self {
            number: 0,
            session: session.clone(),
            kind: request.kind,
            from: request.from_agent.clone(),
            to: handoff.to_agent.clone(),
            parent: handoff.parent_id,
            waits: request.expects_return(),
            lease: None,
            offered: matches!(handoff.phase, Phase::Offered { .. }),
            closed: false,
            stuck: false,
            retried: false,
            reservation: handoff.reservation.clone(),
            below: Amount::default(),
        }
    }

    pub fn move_to(&mut self, to: &AgentId, reservation: Option<&Reservation>) {
        self.to = to.clone();
        self.lease = None;
        self.reservation = reservation.cloned();
        self.retried = false;
    }

    fn share(&self) -> Share {
        self.reservation.as_ref().map(|held| held.share).unwrap_or_default()
    }

    /// The handoff of whose share its own is a part.
    fn within(&self) -> Option<HandoffId> {
        self.reservation.as_ref().and_then(|held| held.within)
    }

    fn outstanding(&self) -> Amount {
        self.share().amount().minus(self.below)
    }
}

/// What was used above what was set aside.
pub struct Over {
    pub by: AgentId,
    pub session: SessionId,
    pub more: Amount,
    /// Nothing at all was left for it.
    pub had_nothing: bool,
}

impl Over {
    pub fn is_over(&self) -> bool {
        !self.more.is_nothing()
    }
}

/// A return that somebody waits for.
struct Waiting {
    to: AgentId,
    group: bool,
    number: u64,
    returned: u32,
    taken: u32,
}

/// All of it.
#[derive(Default)]
pub struct Books {
    pub sessions: BTreeMap<SessionId, Said>,
    handoffs: HashMap<HandoffId, Held>,
    /// Whose shares are a part of whose.
    below: HashMap<HandoffId, Vec<HandoffId>>,
    /// Open handoffs by their number, so that the order is the same in every run.
    pub open: BTreeMap<u64, HandoffId>,
    returns: HashMap<Uuid, Waiting>,
    pub over_by_tenant: BTreeMap<String, Amount>,
    pub over_by_agent: BTreeMap<AgentId, Amount>,
    /// Handoffs so far.
    pub count: u64,
    pub returns_taken: u64,
}

impl Books {
    pub fn session(&mut self, id: &SessionId) -> &mut Said {
        self.sessions.get_mut(id).unwrap()
    }

    pub fn handoff(&mut self, id: HandoffId) -> &mut Held {
        self.handoffs.get_mut(&id).unwrap()
    }

    pub fn find(&self, id: HandoffId) -> Option<&Held> {
        self.handoffs.get(&id)
    }

    pub fn number(&self, id: HandoffId) -> u64 {
        self.handoffs.get(&id).map_or(0, |held| held.number)
    }

    /// The number of a group: as many handoffs as there were when it began.
    pub fn group(&self, of: Uuid) -> u64 {
        self.returns.get(&of).map_or(0, |waiting| waiting.number)
    }

    /// A short name for the trace, which must not depend on random ids.
    pub fn name(&self, id: HandoffId) -> String {
        self.handoffs.get(&id).map_or_else(|| "h?".into(), |held| format!("h{}", held.number))
    }

    /// All handoffs of a session, the oldest first.
    pub fn of_session(&self, session: &SessionId) -> Vec<HandoffId> {
        let of_it = self.handoffs.iter().filter(|(_, held)| held.session == *session);
        let mut found: Vec<_> = of_it.map(|(id, held)| (held.number, *id)).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, id)| id).collect()
    }

    pub fn begin(&mut self, id: HandoffId, mut held: Held) -> Result<(), String> {
        self.count += 1;
        held.number = self.count;
        self.session(&held.session.clone()).open += 1;
        self.open.insert(self.count, id);
        if let Some(above) = held.within() {
            self.below.entry(above).or_default().push(id);
        }
        match self.handoffs.insert(id, held) {
            None => Ok(()),
            Some(before) => Err(format!("handoff {} began twice", before.number)),
        }
    }

    /// What was used without anything set aside is all above it.
    pub fn use_without_share(&mut self, session: &SessionId, by: &AgentId, used: Amount) {
        self.note_over(session, by, used);
        let said = self.session(session);
        said.used = said.used.plus(used);
    }

    fn note_over(&mut self, session: &SessionId, by: &AgentId, more: Amount) {
        let said = self.session(session);
        said.over = said.over.plus(more);
        let tenant = said.tenant.clone();
        let add = |sum: &mut Amount| *sum = sum.plus(more);
        add(self.over_by_tenant.entry(tenant).or_default());
        add(self.over_by_agent.entry(by.clone()).or_default());
    }

    /// Ends a handoff. Gives what it used above what was set aside for it and not given on.
    pub fn close(&mut self, id: HandoffId, metrics: &Metrics) -> Result<Over, String> {
        let used = Amount::used(metrics, 0);
        let given = self.given_on(id);
        let held = self.handoff(id);
        if std::mem::replace(&mut held.closed, true) {
            return Err(format!("handoff {} of {} ended twice", held.number, held.session));
        }
        (held.lease, held.offered) = (None, false);
        let left = held.share().less(held.below).less(given);
        let above = |used: u64, left: Option<u64>| left.map_or(0, |left| used.saturating_sub(left));
        let more = Amount { tokens: above(used.tokens, left.tokens), micros: above(used.micros, left.micros), ms: 0 };
        let over = Over {
            by: held.to.clone(),
            session: held.session.clone(),
            more,
            had_nothing: [left.tokens, left.micros].contains(&Some(0)),
        };
        let (number, up) = (held.number, held.within());
        self.use_below(up, used);
        self.open.remove(&number);
        self.leave_shares(id);
        self.note_over(&over.session, &over.by, over.more);
        let said = self.session(&over.session);
        said.open -= 1;
        said.used = said.used.plus(used);
        Ok(over)
    }

    /// An attempt ended without a return. What is set aside stays for the next one, so all that it used is above it.
    pub fn lose_attempt(&mut self, id: HandoffId, used: Amount) {
        let used = Amount { ms: 0, ..used };
        let held = self.handoff(id);
        let (session, by, up) = (held.session.clone(), held.to.clone(), held.within());
        self.use_below(up, used);
        self.use_without_share(&session, &by, used);
    }

    /// What is used below counts for everybody above who set it aside.
    fn use_below(&mut self, mut up: Option<HandoffId>, used: Amount) {
        for _ in 0..PATH_MAX {
            let Some(parent) = up.and_then(|id| self.handoffs.get_mut(&id)).filter(|parent| !parent.closed) else {
                break;
            };
            parent.below = parent.below.plus(used);
            up = parent.within();
        }
    }

    /// What goes on below a handoff that is over keeps its share: in the share above, or on its own.
    fn leave_shares(&mut self, id: HandoffId) {
        let (within, tenant) = (self.handoff(id).within(), self.handoff(id).reservation.clone().and_then(|r| r.tenant));
        for below in self.below.remove(&id).unwrap_or_default() {
            let held = self.handoff(below);
            if let Some(own) = held.reservation.as_mut().filter(|_| !held.closed) {
                (own.within, own.tenant) = (within, tenant.clone());
            }
            if let Some(above) = within {
                self.below.entry(above).or_default().push(below);
            }
        }
    }

    /// What open handoffs below this one hold of its share.
    fn given_on(&self, id: HandoffId) -> Amount {
        let below = self.below.get(&id).into_iter().flatten().filter_map(|below| self.handoffs.get(below));
        let below = below.filter(|held| !held.closed);
        below.fold(Amount::default(), |sum, held| sum.plus(held.outstanding()))
    }

    /// What must be set aside in each account, by the handoffs that are open.
    pub fn reserved(&self) -> BTreeMap<String, Amount> {
        let mut accounts: BTreeMap<String, Amount> = BTreeMap::new();
        for held in self.open.values().filter_map(|open| self.handoffs.get(open)) {
            let Some(reservation) = &held.reservation else { continue };
            let mut add = |account: &handover_core::ledger::Account, amount: Amount| {
                let sum = accounts.entry(account.as_str().to_owned()).or_default();
                *sum = sum.plus(amount);
            };
            if let Some(account) = &reservation.tenant {
                add(account, held.outstanding());
            }
            if let Some(account) = &reservation.agent {
                add(account, reservation.share.amount());
            }
        }
        accounts
    }

    pub fn expect(&mut self, of: Uuid, to: &AgentId, group: bool) {
        self.returns.insert(of, Waiting { to: to.clone(), group, number: self.count, returned: 0, taken: 0 });
    }

    pub fn returned(&mut self, of: Uuid, to: &AgentId) -> Result<(), String> {
        let Some(waiting) = self.returns.get_mut(&of) else {
            return Err(format!("a return for {to}, who waits for none"));
        };
        waiting.returned += 1;
        if waiting.returned > 1 || waiting.to != *to {
            return Err(format!("return {} for {to}, and {} waits for one", waiting.returned, waiting.to));
        }
        Ok(())
    }

    pub fn taken(&mut self, of: Uuid, by: &AgentId) -> Result<(), String> {
        self.returns_taken += 1;
        let waiting = self.returns.get_mut(&of).ok_or_else(|| format!("{by} took a return that nobody waits for"))?;
        waiting.taken += 1;
        if waiting.taken > 1 || waiting.returned != 1 || waiting.to != *by {
            return Err(format!("{by} took a return that is not there for it"));
        }
        Ok(())
    }

    /// Whoever waited got one return, and took it once.
    pub fn all_returned(&self) -> Result<usize, String> {
        let bad = self.returns.values().filter(|waiting| waiting.returned != 1 || waiting.taken != 1);
        let mut names: Vec<String> =
            bad.map(|w| format!("{} (a group: {}) got {} and took {}", w.to, w.group, w.returned, w.taken)).collect();
        names.sort();
        if names.is_empty() { Ok(self.returns.len()) } else { Err(names.join("; ")) }
    }
}
