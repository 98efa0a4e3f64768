//! The auditor: hears everything that happens, keeps books of its own, and says at once what must not be.

use super::{
    books::{Books, Held, Said},
    cast::{BOOK, Nature, Player},
};
use handover_core::{
    budget::Amount,
    event::Event,
    handoff::{Handoff, Kind, Request, Status},
    ids::{AgentId, HandoffId, SessionId},
    policy::{Policy, SessionLimits},
    time::Timestamp,
};
use handover_engine::BusMessage;
use std::collections::HashMap;
use uuid::Uuid;

/// What somebody should react to.
#[derive(Debug)]
pub enum News {
    /// A handoff is on offer to an agent.
    Offer(HandoffId, AgentId),
    /// A person is asked for approval.
    Approval(HandoffId),
    /// A return waits for somebody.
    Return(Uuid, AgentId, bool),
}

impl News {
    /// Its place among the news of one moment. The order of records may depend on random ids; this one does not.
    pub fn place(&self, books: &Books) -> (u8, u64) {
        match self {
            Self::Offer(id, _) => (0, books.number(*id)),
            Self::Approval(id) => (1, books.number(*id)),
            Self::Return(of, _, false) => (2, books.number(HandoffId(*of))),
            Self::Return(of, _, true) => (3, books.group(*of)),
        }
    }
}

type Verdict = Result<Vec<News>, String>;

/// What the auditor knows.
pub struct Auditor {
    pub policy: Policy,
    pub books: Books,
    natures: HashMap<AgentId, Nature>,
    /// Until when the breaker of an agent is open; nobody is in here whose breaker is closed.
    breakers: HashMap<AgentId, Timestamp>,
    pub trips: u64,
    /// What those used who are no spenders and had nothing left.
    pub unfunded: Amount,
}

impl Auditor {
    pub fn new(policy: Policy, players: &[Player]) -> Self {
        let natures = players.iter().map(|player| (player.id.clone(), player.nature)).collect();
        Self {
            policy,
            books: Books::default(),
            natures,
            breakers: HashMap::new(),
            trips: 0,
            unfunded: Amount::default(),
        }
    }

    /// How far a session may go: its own limits, its workflow, its class, the house, in this order.
    pub fn limits(&self, said: &Said) -> SessionLimits {
        let workflow = said.workflow.as_ref().and_then(|name| self.policy.workflows.get(name)).copied();
        let class = said.complexity.map(|class| self.policy.classes.of(class));
        said.limits.or(workflow.unwrap_or_default()).or(class.unwrap_or_default()).or(self.policy.limits)
    }

    /// Hears of something. An error is what must not be.
    pub fn hear(&mut self, message: &BusMessage) -> Verdict {
        if message.context.tenant == BOOK {
            if let Event::BreakerMoved { agent, breaker, .. } = &message.payload {
                self.trips += u64::from(breaker.open_until.is_some());
                match breaker.open_until {
                    Some(until) => self.breakers.insert(agent.clone(), until),
                    None => self.breakers.remove(agent),
                };
            }
            return Ok(Vec::new());
        }
        let (session, at) = (&message.context.session_id, message.timestamp);
        match &message.payload {
            Event::SessionOpened { tenant, active_agent, complexity, workflow, limits, .. } => {
                let said = Said::new(tenant, active_agent, *complexity, workflow.clone(), *limits);
                self.books.sessions.insert(session.clone(), said);
                Ok(Vec::new())
            }
            Event::LimitsChanged { limits, .. } => {
                self.books.session(session).limits = *limits;
                Ok(Vec::new())
            }
            Event::SessionEnded { .. } => self.ended(session),
            Event::Used { by, metrics, .. } | Event::ModelAsked { by, metrics } => {
                let used = Amount::used(metrics, 0);
                self.books.use_without_share(session, by, used);
                Ok(Vec::new())
            }
            Event::Initiated { request, handoff, .. } => self.initiated(session, request, handoff, at),
            Event::ApprovalRequested { id, .. } => {
                let held = self.books.handoff(*id);
                (held.offered, held.stuck) = (false, false);
                Ok(vec![News::Approval(*id)])
            }
            // Where its agent is left alone by now, it must go on to somebody else.
            Event::Approved { id, probe, .. } => {
                let to = self.books.handoff(*id).to.clone();
                self.books.handoff(*id).stuck = self.may_be_offered(&to, *probe, at) != Ok(true);
                self.offered(*id)
            }
            Event::Offered { id, .. } => {
                let (to, retried) = (self.books.handoff(*id).to.clone(), self.books.handoff(*id).retried);
                if retried && self.open_until(&to).is_some_and(|until| at < until) {
                    return Err(format!("{to} failed, is left alone, and tries again at {at}"));
                }
                self.offered(*id)
            }
            Event::Deferred { id, .. } => {
                let held = self.books.handoff(*id);
                (held.lease, held.offered) = (None, false);
                Ok(Vec::new())
            }
            Event::Asked(asking) => {
                self.books.lose_attempt(asking.id, asking.used.unwrap_or_default());
                let held = self.books.handoff(asking.id);
                (held.lease, held.offered) = (None, false);
                Ok(Vec::new())
            }
            Event::Retried { id, used, .. } => {
                self.books.lose_attempt(*id, used.unwrap_or_default());
                let held = self.books.handoff(*id);
                (held.lease, held.offered, held.retried) = (None, false, true);
                Ok(Vec::new())
            }
            Event::LeaseLost { id, used, .. } => {
                self.books.lose_attempt(*id, used.unwrap_or_default());
                self.books.handoff(*id).lease = None;
                self.offered(*id)
            }
            Event::Rerouted { id, to, reservation, probe, .. } => {
                let fine = self.may_be_offered(to, *probe, at)?;
                let held = self.books.handoff(*id);
                held.stuck = !fine;
                held.move_to(to, reservation.as_deref());
                self.offered(*id)
            }
            Event::Accepted { id, by, lease, .. } => self.accepted(session, *id, by, *lease),
            Event::Closed { id, status, result, returned_to, successor, .. } => {
                self.closed(*id, *status, result, returned_to.as_ref(), successor.is_some())
            }
            Event::GroupOpened { group, expects_return, from_agent, .. } => {
                if *expects_return {
                    self.books.expect(group.0, from_agent, true);
                }
                Ok(Vec::new())
            }
            Event::GroupDecided { group, returned_to: Some(to), .. } => {
                self.books.returned(group.0, to)?;
                Ok(vec![News::Return(group.0, to.clone(), true)])
            }
            Event::ReturnTaken { of, by } => self.books.taken(*of, by).map(|()| Vec::new()),
            _ => Ok(Vec::new()),
        }
    }

    fn ended(&mut self, session: &SessionId) -> Verdict {
        let said = self.books.session(session);
        if std::mem::replace(&mut said.ended, true) {
            return Err(format!("{session} ended twice"));
        }
        if said.open > 0 {
            return Err(format!("{session} ended with {} open", said.open));
        }
        Ok(Vec::new())
    }

    fn offered(&mut self, id: HandoffId) -> Verdict {
        let held = self.books.handoff(id);
        held.offered = true;
        Ok(vec![News::Offer(id, held.to.clone())])
    }

    /// Until when nothing may go to this agent. A person is never left alone: there is nobody else.
    fn open_until(&self, agent: &AgentId) -> Option<Timestamp> {
        self.breakers.get(agent).copied().filter(|_| self.natures.get(agent) != Some(&Nature::Human))
    }

    /// Nothing goes to somebody who is left alone, but a probe when it is time for one. False where it is time for one
    /// and this is none: it must ask a person first.
    fn may_be_offered(&self, to: &AgentId, probe: bool, at: Timestamp) -> Result<bool, String> {
        match self.open_until(to) {
            Some(until) if at < until => {
                Err(format!("an offer to {to} at {at} (a probe: {probe}), and its breaker is open until {until}"))
            }
            Some(_) => Ok(probe),
            None => Ok(true),
        }
    }

    fn initiated(&mut self, session: &SessionId, request: &Request, handoff: &Handoff, at: Timestamp) -> Verdict {
        let fine = self.may_be_offered(&handoff.to_agent, handoff.probe, at)?;
        // What goes on with an earlier one further up was made by the engine and has limits of its own.
        if handoff.returns_for == handoff.id {
            self.count(session, request, handoff)?;
        }
        let waits = request.expects_return() && handoff.broadcast_group_id.is_none();
        if waits && handoff.returns_for == handoff.id {
            self.books.expect(handoff.id.0, &request.from_agent, false);
        }
        let mut held = Held::new(session, request, handoff);
        held.stuck = !fine;
        let offered = held.offered;
        self.books.begin(handoff.id, held)?;
        Ok(if offered { vec![News::Offer(handoff.id, handoff.to_agent.clone())] } else { Vec::new() })
    }

    fn count(&mut self, session: &SessionId, request: &Request, handoff: &Handoff) -> Result<(), String> {
        let limits = self.limits(&self.books.sessions[session]);
        let within = self.policy.loops.repeats_within as usize;
        if matches!(request.kind, Kind::Delegation | Kind::Broadcast) {
            self.waits_above(request, handoff)?;
        }
        let said = self.books.session(session);
        if request.kind == Kind::Escalation {
            said.escalations += 1;
            // Whoever is asked above has a part in it from then on, whatever the limit says.
            said.agents.insert(handoff.to_agent.clone());
            return at_most("escalations", said.escalations, limits.escalations, session);
        }
        said.handoffs += 1;
        at_most("handoffs", said.handoffs, limits.handoffs, session)?;
        at_most("agents in a chain", u32::try_from(handoff.path.len()).unwrap(), limits.chain, session)?;
        said.takes_part(&handoff.to_agent, limits.agents, session)?;
        let step = (request.from_agent.clone(), handoff.to_agent.clone(), handoff.content);
        // What a person has tried once more is the same, and meant to be.
        let again = request.retry_of.is_some();
        if !again && said.moves.iter().rev().take(within).any(|before| *before == step) {
            return Err(format!("{session}: {} handed the same to {} again", step.0, step.1));
        }
        said.moves.push(step);
        Ok(())
    }

    /// Nobody is asked to do a part of what it waits for.
    fn waits_above(&mut self, request: &Request, handoff: &Handoff) -> Result<(), String> {
        let mut above = handoff.parent_id;
        for _ in 0..handover_core::limits::PATH_MAX {
            let Some(held) = above.and_then(|id| self.books.find(id)).filter(|held| !held.closed) else { break };
            if held.from == handoff.to_agent && held.waits {
                let (from, to) = (&request.from_agent, &handoff.to_agent);
                return Err(format!("{from} asks {to}, who waits for this very work"));
            }
            above = held.parent;
        }
        Ok(())
    }

    fn accepted(
        &mut self,
        session: &SessionId,
        id: HandoffId,
        by: &AgentId,
        lease: handover_core::ids::LeaseId,
    ) -> Verdict {
        let limits = self.limits(&self.books.sessions[session]);
        let held = self.books.handoff(id);
        if held.lease.is_some() || held.closed || !held.offered {
            return Err(format!("{by} took a handoff of {session} that is held, closed or not on offer"));
        }
        if held.stuck {
            return Err(format!("{by} took a handoff of {session} while it is left alone, and not to try"));
        }
        if held.to != *by {
            return Err(format!("{by} took a handoff of {session} that was offered to {}", held.to));
        }
        (held.lease, held.offered) = (Some(lease), false);
        if held.kind == Kind::Escalation {
            self.books.session(session).agents.insert(by.clone());
        } else if self.natures.get(by) != Some(&Nature::Human) {
            self.books.session(session).takes_part(by, limits.agents, session)?;
        }
        Ok(Vec::new())
    }

    fn closed(
        &mut self,
        id: HandoffId,
        status: Status,
        result: &handover_core::handoff::Return,
        returned_to: Option<&AgentId>,
        goes_on: bool,
    ) -> Verdict {
        let over = self.books.close(id, &result.metrics)?;
        let (by, name) = (over.by.clone(), over.session.clone());
        let spends = matches!(self.natures.get(&by), Some(Nature::Spender));
        // Whoever has nothing left cannot answer for less than its words, which the engine counts.
        if !spends && over.had_nothing {
            self.unfunded = self.unfunded.plus(over.more);
        } else if !spends && over.is_over() {
            return Err(format!("{by} used {:?} more than was set aside in {name}, and is no spender", over.more));
        }
        if goes_on != (status == Status::Escalated) {
            return Err(format!("a handoff of {name} ended as {status:?} and goes on: {goes_on}"));
        }
        match returned_to {
            Some(to) => {
                if self.books.handoff(id).kind == Kind::Sequential {
                    self.books.expect(result.handoff_id.0, to, false);
                }
                self.books.returned(result.handoff_id.0, to)?;
                Ok(vec![News::Return(result.handoff_id.0, to.clone(), false)])
            }
            None => Ok(Vec::new()),
        }
    }
}

fn at_most(what: &str, count: u32, max: Option<u32>, session: &SessionId) -> Result<(), String> {
    match max.filter(|max| count > *max) {
        Some(max) => Err(format!("{session} has {count} {what}, {max} are allowed")),
        None => Ok(()),
    }
}
