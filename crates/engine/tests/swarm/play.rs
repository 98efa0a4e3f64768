//! What agents do with work: they take it or not, keep it alive, give it back; and what people do.

use super::{
    bounds::{RETURN_TRIES_MAX, STALE_MAX, TAKE_TRIES_MAX},
    cast::Nature,
    sim::{Sim, Todo},
};
use handover_core::{
    budget::{Amount, Share},
    command::{Command, Giving, Goto, Update},
    guard::complexity::Complexity,
    handoff::{Handoff, Kind, Metrics, Outcome, ReturnStatus},
    ids::{HandoffId, LeaseId, SessionId},
    policy::{Mode, SessionLimits},
    refusal::Code,
    session::Session,
};
use serde_json::json;
use std::sync::Arc;
use uuid::Uuid;

impl Sim {
    pub async fn open_session(&mut self, i: usize) {
        let owner = loop {
            let who = self.rng.index(self.players.len());
            if !matches!(self.players[who].nature, Nature::Human | Nature::Silent) {
                break who;
            }
        };
        let mut open = handover_core::command::Open::of(self.players[owner].id.clone()).asking("find a jet for Friday");
        open.complexity = *self.rng.pick(&[
            None,
            None,
            None,
            Some(Complexity::Simple),
            Some(Complexity::Medium),
            Some(Complexity::Complex),
        ]);
        let far = matches!(self.players[owner].nature, Nature::Looper | Nature::Spammer | Nature::Lazy);
        if self.rng.chance(if far { 80 } else { 40 }) {
            open.workflow = Some((*self.rng.pick(&["far", "far", "short", "small", "quick"])).to_owned());
        }
        open.mode =
            *self.rng.pick(&[None, None, None, None, None, None, Some(Mode::Fallback), Some(Mode::Independent)]);
        if self.rng.chance(10) {
            open.limits.tokens = Some(self.rng.between(100, 5_000));
        }
        if self.rng.chance(10) {
            open.limits.agents = Some(u32::try_from(self.rng.between(2, 5)).unwrap());
        }
        let session = self.plays[i].id.clone();
        let result = self.tenant_of(&session).open_session(&session, open).await;
        let opened = self.done(format!("{session} opened by a{owner}"), result).await;
        if opened.is_ok() {
            self.soon(10, 5_000, Todo::Turn(i));
        }
    }

    /// Whoever runs the house raises the limits of a session.
    pub async fn raise(&mut self, i: usize) {
        let session = self.plays[i].id.clone();
        let limits = SessionLimits { handoffs: Some(60), chain: Some(40), escalations: Some(20), ..Default::default() };
        let command = Command::SetLimits { by: "operator".into(), limits };
        let result = self.tenant_of(&session).submit(&session, command, None).await;
        let _ = self.done(format!("{session} limits raised"), result).await;
    }

    /// Somebody who runs the work gives a piece of it to somebody else, or has one tried once more.
    pub async fn step_in(&mut self, session: &SessionId) {
        let found = self.auditor.books.of_session(session);
        if found.is_empty() {
            return;
        }
        let (handoff, to) = (*self.rng.pick(&found), self.rng.index(self.players.len()));
        let (engine, to) = (self.tenant_of(session), self.players[to].id.clone());
        let name = self.auditor.books.name(handoff);
        let result = if self.rng.chance(60) {
            engine.redirect(handoff, "operator", &to, "it is better so").await
        } else {
            engine.retry(handoff, "operator", "once more").await
        };
        let _ = self.done(format!("{session} the operator steps in at {name}"), result).await;
    }

    /// When and whether an agent answers an offer.
    pub fn see_offer(&mut self, handoff: HandoffId, who: usize) {
        let answer = Todo::Answer { handoff, who, tries: 0 };
        match self.players[who].nature {
            Nature::Silent if who.is_multiple_of(2) => {}
            Nature::Human if self.rng.chance(35) => {}
            Nature::Human => self.soon(60_000, 20 * 60 * 60 * 1_000, answer),
            _ => self.soon(100, 8_000, answer),
        }
    }

    pub async fn answer(&mut self, handoff: HandoffId, who: usize, tries: u32) {
        let held = self.auditor.books.handoff(handoff);
        if !held.offered || held.to != self.players[who].id {
            return;
        }
        let session = held.session.clone();
        let (engine, id, name) =
            (self.tenant_of(&session), self.players[who].id.clone(), self.auditor.books.name(handoff));
        match self.players[who].nature {
            Nature::Deferrer => {
                let result = engine.defer(handoff, &id, self.rng.between(1_000, 120_000), "not now").await;
                let _ = self.done(format!("{session} {id} defers {name}"), result).await;
            }
            Nature::Rejecter => {
                let result = engine.reject(handoff, &id, "not me").await;
                let _ = self.done(format!("{session} {id} rejects {name}"), result).await;
            }
            _ => self.accept(handoff, who, tries, &session).await,
        }
    }

    async fn accept(&mut self, handoff: HandoffId, who: usize, tries: u32, session: &SessionId) {
        let (id, name) = (self.players[who].id.clone(), self.auditor.books.name(handoff));
        let lease_ms = self.rng.chance(30).then(|| self.rng.between(5_000, 60_000));
        let result = self.tenant_of(session).accept(handoff, &id, lease_ms, None).await;
        match self.done(format!("{session} {id} takes {name}"), result).await {
            Ok(assignment) => {
                let (lease, left) = (assignment.lease, self.rng.below(4));
                // Whoever falls asleep over its work comes back when the lease is gone.
                let asleep = self.rng.chance(4);
                let (first, last) = if asleep { (40_000, 200_000) } else { (500, 9_000) };
                self.soon(first, last, Todo::Work { handoff, lease, who, left, tries: 0 });
            }
            Err(error) if error.has(Code::AtCapacity) && tries < TAKE_TRIES_MAX => {
                self.soon(4_000, 20_000, Todo::Answer { handoff, who, tries: tries + 1 });
            }
            Err(_) => {}
        }
    }

    pub async fn work(&mut self, handoff: HandoffId, lease: LeaseId, who: usize, left: u64, tries: u32) {
        let session = self.auditor.books.handoff(handoff).session.clone();
        let name = self.auditor.books.name(handoff);
        let nature = self.players[who].nature;
        if nature == Nature::Silent {
            return;
        }
        if self.stale.len() == STALE_MAX {
            self.stale.pop_front();
        }
        self.stale.push_back((handoff, lease));
        let next = Todo::Work { handoff, lease, who, left: left.saturating_sub(1), tries };
        if left > 0 {
            let result = self.tenant_of(&session).heartbeat(handoff, lease).await;
            if self.done(format!("{session} a{who} is alive in {name}"), result).await.is_err() {
                return;
            }
            if !self.stopped && self.rng.chance(70) {
                self.act(who, &session, Some(handoff)).await;
            }
            return self.soon(1_000, 9_000, next);
        }
        if self.give_back(&session, handoff, lease, who).await && tries < RETURN_TRIES_MAX {
            let again = Todo::Work { handoff, lease, who, left: 1, tries: tries + 1 };
            self.soon(2_000, 8_000, again);
        }
    }

    /// Gives the work back. True when it has to wait and may try again.
    async fn give_back(&mut self, session: &SessionId, handoff: HandoffId, lease: LeaseId, who: usize) -> bool {
        let found = self.tenant_of(session).session(session).await.unwrap();
        let (name, nature) = (self.auditor.books.name(handoff), self.players[who].nature);
        let Some(held) = found.open.get(&handoff).cloned() else {
            let result = self.tenant_of(session).give_back(handoff, lease, giving(ReturnStatus::Success), None).await;
            return self.done(format!("{session} a{who} returns {name} too late"), result).await.is_ok();
        };
        if !self.stopped && held.climb.is_some() && self.rng.chance(20) {
            let result = self.tenant_of(session).escalate(handoff, lease, "somebody else must decide").await;
            if self.done(format!("{session} a{who} passes {name} up"), result).await.is_ok() {
                return false;
            }
        }
        let status = match nature {
            Nature::Failing => ReturnStatus::Failed,
            _ => self.rng.weighted(&[
                (ReturnStatus::Success, 85),
                (ReturnStatus::Partial, 10),
                (ReturnStatus::Failed, 5),
            ]),
        };
        let mut giving = giving(status);
        giving.updates.metrics = self.usage(&found, &held, nature);
        if nature == Nature::Honest && self.rng.chance(30) {
            giving.updates.context.insert(format!("found-{}", self.rng.below(20)), json!(self.rng.below(1_000)));
        }
        let then = self.after(who, &held);
        let what =
            format!("{session} a{who} returns {name} {status:?}{}", if then.is_some() { " and goes on" } else { "" });
        let result = self.tenant_of(session).give_back(handoff, lease, giving.clone(), then.clone()).await;
        match self.done(what, result).await {
            Err(error) if error.has(Code::Waiting) => true,
            // What follows was refused: the work is given back alone.
            Err(error) if then.is_some() && !error.has(Code::StaleLease) => {
                let result = self.tenant_of(session).give_back(handoff, lease, giving, None).await;
                self.done(format!("{session} a{who} returns {name} alone"), result).await.is_err()
            }
            Ok(_) | Err(_) => false,
        }
    }

    /// Where the work goes after a part of a sequence.
    fn after(&mut self, who: usize, held: &Handoff) -> Option<Goto> {
        if self.stopped || held.request.kind != Kind::Sequential {
            return None;
        }
        let to = self.friend(who);
        match self.rng.below(10) {
            0 => Some(Goto::End),
            1..=4 => {
                Some(Goto::One { to_agent: self.players[to].id.clone(), task: String::new(), reason: String::new() })
            }
            _ => None,
        }
    }

    /// What the agent says it used: at most what is left for it, or as much as it likes.
    fn usage(&mut self, session: &Session, held: &Handoff, nature: Nature) -> Metrics {
        let left = left_of(session, held);
        let spends = nature == Nature::Spender;
        let mut amount = |left: Option<u64>, usual: u64| match left {
            Some(left) if spends => left.saturating_mul(2) + self.rng.below(usual),
            // Often all of it: a limit that is only held because nobody goes near it is none.
            Some(left) if self.rng.chance(40) => left.min(usual),
            Some(left) => self.rng.between(left.min(1), left.min(usual)),
            None => self.rng.below(usual),
        };
        let (tokens, micros) = (amount(left.tokens, 4_000), amount(left.micros, 300_000));
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let cost = micros as f64 / 1e6;
        Metrics { tokens, cost, iterations: 1, duration_ms: 0 }
    }

    pub async fn approve(&mut self, handoff: HandoffId) {
        let held = self.auditor.books.handoff(handoff);
        let (session, from) = (held.session.clone(), held.from.clone());
        let (engine, name) = (self.tenant_of(&session), self.auditor.books.name(handoff));
        if self.players[self.who(&from)].nature == Nature::Liar {
            let result = engine.approve(handoff, from.as_str(), "me, of course").await;
            let result = self.done(format!("{session} {from} approves its own {name}"), result).await;
            self.must_be_refused("an agent approved its own request", result.is_err());
        }
        match self.rng.below(10) {
            0..=5 => {
                let result = engine.approve(handoff, "boss", "yes").await;
                let _ = self.done(format!("{session} {name} is approved"), result).await;
            }
            6 | 7 => {
                let result = engine.deny(handoff, "boss", "no").await;
                let _ = self.done(format!("{session} {name} is denied"), result).await;
            }
            _ => {}
        }
    }

    /// Takes a return, once. A second time there is none.
    pub async fn take(&mut self, session: &SessionId, of: Uuid, who: usize, group: bool) {
        let (engine, by) = (self.tenant_of(session), self.players[who].id.clone());
        let command = Command::Take { of, by: by.clone() };
        let result = if group {
            engine.submit(session, command.clone(), None).await.map(|_| ())
        } else {
            engine.take_return(session, HandoffId(of), &by, None).await.map(|_| ())
        };
        if let Err(error) = self.done(format!("{session} {by} takes a return"), result).await {
            self.fail(&format!("{by} cannot take its return: {error}"));
        }
        if self.rng.chance(10) {
            let result = engine.submit(session, command, None).await;
            let result = self.done(format!("{session} {by} takes it again"), result).await;
            self.must_be_refused("a return was taken twice", result.is_err_and(|error| error.has(Code::NoReturn)));
        }
    }
}

/// What is left for the holder itself: its share without what was used and given on below.
fn left_of(session: &Session, held: &Handoff) -> Share {
    let within = |child: &&Arc<Handoff>| child.within() == Some(held.id);
    let given =
        session.open.values().filter(within).fold(Amount::default(), |sum, child| sum.plus(child.outstanding()));
    let share = held.reservation.as_ref().map(|held| held.share).unwrap_or_default();
    share.less(held.spent_below).less(given)
}

fn giving(status: ReturnStatus) -> Giving {
    let result = Outcome { body: json!("here it is"), ..Outcome::default() };
    Giving { status, result, updates: Update::default(), notes: String::new(), signal: None }
}
