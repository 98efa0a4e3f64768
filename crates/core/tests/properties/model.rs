//! The model: deliberately simple, and kept from the records alone. It knows which arrows there are, how often each may
//! be taken, who owns the session, and who must be told once.

use crate::common::{Outcome, Play};
use handover_core::{
    decide::Decided,
    event::{Event, RerouteReason},
    handoff::{Kind, Phase, Status},
    ids::{AgentId, HandoffId, LeaseId},
    limits, record,
    session::Session,
};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

type Holds = Result<(), String>;

#[derive(Default)]
pub struct Model {
    handoffs: BTreeMap<HandoffId, Seen>,
    expected: BTreeSet<Uuid>,
    returned: BTreeMap<Uuid, u32>,
    leases: BTreeSet<LeaseId>,
    /// Who owns the session but for escalations, and by which handoff.
    owner: Option<(AgentId, Option<HandoffId>)>,
    records: u64,
}

struct Seen {
    kind: Kind,
    from: AgentId,
    /// The one by which its source had the session.
    parent: Option<HandoffId>,
    status: Status,
    retries: u32,
    reroutes: u32,
    losses: u32,
    deferrals: u32,
}

fn must(holds: bool, why: impl Fn() -> String) -> Holds {
    if holds { Ok(()) } else { Err(why()) }
}

impl Model {
    /// Every promise that holds after each statement.
    pub fn after(&mut self, play: &Play, before: Option<&Session>, outcome: &Outcome) -> Holds {
        match outcome {
            Outcome::Scenery => {}
            Outcome::Refused(error) => {
                must(!error.refusals.is_empty(), || "a refusal without a reason".into())?;
                must(play.session.as_ref() == before, || "a refusal changed the session".into())?;
            }
            Outcome::Decided(decided) => {
                self.chained(before, decided)?;
                for written in &decided.written {
                    self.event(&written.record.event).map_err(|why| format!("{why}: {:?}", written.record.event))?;
                }
            }
        }
        self.agrees(play)
    }

    fn chained(&mut self, before: Option<&Session>, decided: &Decided) -> Holds {
        let mut hash = before.map(|session| session.head.hash).unwrap_or_default();
        for written in &decided.written {
            self.records += 1;
            let last = before.map_or(written.record.timestamp, |session| session.last_at);
            must(written.record.timestamp >= last, || "time ran backwards".into())?;
            must(written.record.prev == hash, || format!("record {} does not follow", written.record.seq))?;
            hash = record::hash(&written.text);
            must(written.record.seq == self.records, || format!("record {} is out of order", written.record.seq))?;
            must(written.hash == hash, || format!("record {} breaks the chain", written.record.seq))?;
        }
        let version = before.map_or(0, |session| session.version) + u64::from(!decided.written.is_empty());
        must(decided.session.version == version, || format!("version {} is not {version}", decided.session.version))?;
        must(decided.session.head.hash == hash, || "the head is not the last record".into())
    }

    fn event(&mut self, event: &Event) -> Holds {
        match event {
            Event::SessionOpened { active_agent, .. } => self.owner = Some((active_agent.clone(), None)),
            Event::Initiated { request, handoff, .. } => {
                let status = handoff.status();
                let seen = Seen {
                    kind: request.kind,
                    from: request.from_agent.clone(),
                    parent: handoff.parent_id,
                    status,
                    retries: 0,
                    reroutes: 0,
                    losses: 0,
                    deferrals: 0,
                };
                let new = self.handoffs.insert(handoff.id, seen).is_none();
                must(new, || "it was initiated twice".into())?;
                must(matches!(status, Status::Offered | Status::AwaitingApproval), || "it begins elsewhere".into())?;
                let depth = handoff.climb.as_ref().map_or(0, |climb| climb.depth);
                must(depth <= limits::ESCALATION_DEPTH_MAX, || format!("level {depth}"))?;
                must(request.from_agent != handoff.to_agent, || "it goes to its own source".into())?;
                if request.expects_return() && handoff.broadcast_group_id.is_none() {
                    self.expected.insert(handoff.returns_for.0);
                }
            }
            Event::GroupOpened { group, expects_return: true, .. } => {
                self.expected.insert(group.0);
            }
            Event::GroupDecided { group, returned_to: Some(_), .. } => self.told(group.0)?,
            Event::Closed { result, returned_to, .. } => {
                // Work that was given away for good and came to nothing is told to its source, too.
                let gave_away = matches!(event, Event::Closed { status, .. } if *status != Status::Completed);
                if returned_to.is_some() && gave_away {
                    self.expected.insert(result.handoff_id.0);
                }
                if returned_to.is_some() {
                    self.told(result.handoff_id.0)?;
                }
                self.step(event)?;
            }
            _ => self.step(event)?,
        }
        Ok(())
    }

    fn told(&mut self, of: Uuid) -> Holds {
        let times = self.returned.entry(of).or_default();
        *times += 1;
        must(*times == 1, || "told twice".into())?;
        must(self.expected.contains(&of), || "told though nobody waits".into())
    }

    /// The arrows of the lifecycle.
    fn step(&mut self, event: &Event) -> Holds {
        use Status::{AwaitingApproval, Deferred, Offered, Running};
        let Some(id) = event.handoff() else { return Ok(()) };
        let seen = self.handoffs.get_mut(&id).ok_or("it was never initiated")?;
        let (from, to): (&[Status], Option<Status>) = match event {
            Event::Approved { .. } => (&[AwaitingApproval], Some(Offered)),
            Event::Denied { .. } | Event::Amended { .. } => (&[AwaitingApproval], None),
            // What was approved for one target and goes to another is asked about again.
            Event::ApprovalRequested { .. } => (&[AwaitingApproval, Offered], Some(AwaitingApproval)),
            Event::Offered { .. } => (&[Deferred], Some(Offered)),
            Event::Accepted { .. } => (&[Offered], Some(Running)),
            Event::Rejected { .. } => (&[Offered], None),
            Event::Deferred { .. } => (&[Offered], Some(Deferred)),
            Event::Rerouted { why: RerouteReason::ByHand, .. } => (&[Offered, Deferred], Some(Offered)),
            Event::Rerouted { .. } => (&[Offered], Some(Offered)),
            Event::LeaseLost { .. } => (&[Running], Some(Offered)),
            Event::Retried { .. } | Event::Asked(_) => (&[Running], Some(Deferred)),
            Event::Answered(_) => (&[Deferred], None),
            Event::Heartbeat { .. } | Event::StepRecorded { .. } | Event::Reminded { .. } => (&[Running], None),
            Event::Extended(_) => (&[AwaitingApproval, Offered, Running], None),
            Event::DeadlineMoved(_) => (&[AwaitingApproval, Offered, Deferred, Running], None),
            Event::Closed { status, .. } => (closes(*status), Some(*status)),
            Event::HumanAsked { .. } => (&[Status::Failed, Status::TimedOut], None),
            _ => return Err("it is not about a handoff".into()),
        };
        must(from.contains(&seen.status), || format!("no such arrow from {}", seen.status.word()))?;
        seen.status = to.unwrap_or(seen.status);
        seen.count(event)?;
        self.ownership(id, event)
    }

    fn ownership(&mut self, id: HandoffId, event: &Event) -> Holds {
        let seen = &self.handoffs[&id];
        if seen.kind != Kind::Sequential {
            if let Event::Accepted { lease, .. } = event {
                return must(self.leases.insert(*lease), || "a lease was given twice".into());
            }
            return Ok(());
        }
        match event {
            Event::Accepted { by, lease, .. } => {
                self.owner = Some((by.clone(), Some(id)));
                must(self.leases.insert(*lease), || "a lease was given twice".into())
            }
            Event::Closed { status: Status::Completed, .. } => Ok(()),
            // Whoever had it has it no more, by its end or by hand.
            Event::Closed { .. } | Event::Rerouted { why: RerouteReason::ByHand, .. } => {
                if let Some((owner, by)) = &mut self.owner
                    && *by == Some(id)
                {
                    *owner = seen.from.clone();
                    // What is taken away by hand leaves everything as it was before; what has ended does not.
                    *by = seen.parent.filter(|_| matches!(event, Event::Rerouted { .. }));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The session says the same as the model.
    fn agrees(&self, play: &Play) -> Holds {
        let Some(session) = &play.session else { return Ok(()) };
        must(play.agents.get(&session.active_agent).is_some(), || "the owner is not registered".into())?;
        let owner = self.owner.as_ref().map(|(owner, _)| owner);
        must(owner == Some(session.lasting_owner()), || format!("{owner:?} owns it, not {}", session.lasting_owner()))?;
        for (id, seen) in &self.handoffs {
            let open = session.open.get(id);
            must(open.is_some() != seen.status.is_closed(), || format!("{id} is {}", seen.status.word()))?;
            let handoff = open.or_else(|| play.closed.get(id)).ok_or("a handoff is gone")?;
            must(handoff.status() == seen.status, || format!("{id}: {:?}, not {:?}", handoff.status(), seen.status))?;
            must(handoff.due().is_some() != seen.status.is_closed(), || format!("{id} is stuck: no timer"))?;
            must(handoff.lease().is_some() == matches!(handoff.phase, Phase::Running { .. }), || {
                "a loose lease".into()
            })?;
            must(handoff.closed_at.is_some() == seen.status.is_closed(), || "closed without a time".into())?;
        }
        for group in session.open.values().filter_map(|handoff| handoff.broadcast_group_id) {
            let entry = session.groups.get(&group).ok_or("a member without its group")?;
            must(!entry.decided || !entry.expects_return, || "a decided broadcast goes on".into())?;
        }
        must(session.open.len() <= self.handoffs.len(), || "a handoff that nobody initiated".into())
    }

    /// Whoever waits was told: exactly once.
    pub fn at_the_end(&self, play: &Play) -> Holds {
        for of in &self.expected {
            let times = self.returned.get(of).copied().unwrap_or(0);
            must(times == 1, || format!("{} was told {times} times", play.named(*of)))?;
        }
        let Some(session) = &play.session else { return Ok(()) };
        must(session.groups.is_empty(), || "a broadcast is never over".into())?;
        let held = session.locks.values().flatten().find(|lock| lock.handoff_id.is_some());
        must(held.is_none(), || format!("a lock outlives its handoff: {held:?}"))?;
        let owner = self.owner.as_ref().map(|(owner, _)| owner);
        must(owner == Some(&session.active_agent), || format!("{} keeps what it was lent", session.active_agent))
    }
}

impl Seen {
    fn count(&mut self, event: &Event) -> Holds {
        match event {
            Event::Retried { .. } => self.retries += 1,
            Event::LeaseLost { .. } => self.losses += 1,
            Event::Deferred { .. } => self.deferrals += 1,
            Event::Rerouted { why, .. } => {
                self.reroutes += u32::from(*why != RerouteReason::ByHand);
                self.losses = 0;
                self.deferrals = 0;
            }
            _ => {}
        }
        must(self.retries <= limits::RETRIES_MAX, || "too many retries".into())?;
        must(self.reroutes <= limits::REROUTES_MAX + 1, || "too many reroutes".into())?;
        must(self.losses <= limits::LEASE_LOSSES_MAX + 1, || "too many leases lost".into())?;
        must(self.deferrals <= limits::DEFERRALS_MAX, || "put off too often".into())
    }
}

/// From where a handoff can end like this.
fn closes(status: Status) -> &'static [Status] {
    use Status::{AwaitingApproval, Cancelled, Completed, Deferred, Escalated, Failed, Offered, Running, TimedOut};
    match status {
        Completed => &[Running],
        Failed => &[Running, Offered],
        Escalated | TimedOut => &[Running, Offered, Deferred],
        Cancelled => &[AwaitingApproval, Offered, Deferred, Running],
        AwaitingApproval | Offered | Deferred | Running => &[],
    }
}
