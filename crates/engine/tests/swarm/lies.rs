//! What liars try. None of it may succeed.

use super::sim::Sim;
use handover_core::{
    command::{Command, Giving, Update},
    handoff::{Kind, Outcome, Request, ReturnStatus},
    ids::{AgentId, HandoffId, LeaseId, SessionId},
    policy::SessionLimits,
};

/// A handoff that somebody else has.
struct Victim {
    id: HandoffId,
    session: SessionId,
    from: AgentId,
    to: AgentId,
}

impl Sim {
    pub fn must_be_refused(&self, what: &str, is_so: bool) {
        if !is_so {
            self.fail(what);
        }
    }

    /// Somebody else's open handoff.
    fn victim(&mut self, who: usize) -> Option<Victim> {
        let open: Vec<HandoffId> = self.auditor.books.open.values().copied().collect();
        let id = *open.get(self.rng.index(open.len()))?;
        let held = self.auditor.books.find(id)?;
        let own = [&held.from, &held.to].contains(&&self.players[who].id);
        let victim = Victim { id, session: held.session.clone(), from: held.from.clone(), to: held.to.clone() };
        (!own).then_some(victim)
    }

    pub async fn lie(&mut self, who: usize) {
        let Some(victim) = self.victim(who) else { return };
        let session = victim.session.clone();
        let found = self.tenant_of(&session).session(&session).await.unwrap();
        let me = self.players[who].id.clone();
        if found.active_agent == me {
            return;
        }
        let choice = self.rng.below(11);
        let lease = LeaseId(self.rng.uuid());
        let (mine, bound) = (self.tenant_of(&session), self.bound(&session, who));
        let Victim { id, from, to, .. } = victim;
        let nothing = |_| ();
        let result = match choice {
            0 => mine.accept(id, &me, None, None).await.map(|_| ()),
            1 => bound.accept(id, &to, None, None).await.map(|_| ()),
            2 => mine.give_back(id, lease, success(), None).await.map(nothing),
            3 => mine.heartbeat(id, lease).await.map(nothing),
            4 => bound.initiate(&session, Request::new(Kind::Escalation, from, "let me")).await.map(nothing),
            5 => mine.submit(&session, Command::Take { of: id.0, by: me }, None).await.map(nothing),
            6 => mine.cancel(id, &me, "I say so").await.map(nothing),
            7 => self.other_tenant(&session).session(&session).await.map(|_| ()),
            8 => {
                let limits = SessionLimits { handoffs: Some(1_000), ..SessionLimits::default() };
                let command = Command::SetLimits { by: me.to_string(), limits };
                bound.submit(&session, command, None).await.map(nothing)
            }
            9 => mine.submit(&session, Command::End { by: me, reason: "enough".into() }, None).await.map(nothing),
            _ => {
                let Some((id, lease)) = self.stale.pop_front() else { return };
                if self.auditor.books.handoff(id).lease == Some(lease) {
                    return;
                }
                let session = self.auditor.books.handoff(id).session.clone();
                self.tenant_of(&session).give_back(id, lease, success(), None).await.map(nothing)
            }
        };
        let result = self.done(format!("{session} a{who} lies ({choice})"), result).await;
        self.must_be_refused(&format!("lie {choice} of a{who} in {session} was believed"), result.is_err());
    }
}

fn success() -> Giving {
    let (result, updates) = (Outcome::default(), Update::default());
    Giving { status: ReturnStatus::Success, result, updates, notes: String::new(), signal: None }
}
