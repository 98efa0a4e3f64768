//! Random programs under limits of every kind: what is set aside is what the open handoffs hold, nothing of it is ever
//! lost, no breaker waits for a try that is over, nobody who keeps to its share breaks a limit, and all working time is
//! charged once to whoever worked, also that of attempts that came to nothing.

use crate::{
    cases,
    common::{Outcome, Play, Words},
    next, programs,
};
use handover_core::{
    budget::{Amount, Limit, Share, money},
    handoff::{Handoff, Status},
    ids::{AgentId, HandoffId, LeaseId},
    ledger::{Account, Entry},
    policy::{BreakerPolicy, Budgets, SessionLimits},
    session::Session,
    time::Timestamp,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What an `initiate` asks for, and how much of its share a `return` uses, in tenths.
type Choices = Vec<(usize, u64)>;

const ASKS: [&str; 9] =
    ["", "", "", "tokens=140 cost=1.5", "tokens=10", "tokens=40 cost=0.5", "cost=0.1", "tokens=300", "time=20s"];

const SESSION: Share = Share { tokens: Some(500), micros: Some(5_000_000), ms: None };
const TENANT: Share = Share { tokens: Some(400), micros: Some(4_000_000), ms: None };
const AGENT: Share = Share { tokens: Some(150), micros: Some(2_000_000), ms: None };

fn choices() -> impl Strategy<Value = (Vec<String>, Choices)> {
    (programs::any(), prop::collection::vec((0..ASKS.len(), 0..=10u64), 80))
}

fn limited() -> Play {
    let mut play = Play::new();
    let limit = |share: Share| Limit { tokens: share.tokens, cost: Some(dollars(share)), ..Limit::default() };
    play.policy.limits = SessionLimits { tokens: SESSION.tokens, cost: Some(dollars(SESSION)), ..play.policy.limits };
    play.policy.budgets = Budgets { tenant: Some(limit(TENANT)), agent: Some(limit(AGENT)), ..Budgets::default() };
    play.policy.breaker = BreakerPolicy { failures: 2, cooldown_ms: 20_000 };
    play
}

fn dollars(share: Share) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a few million")]
    let micros = share.micros.unwrap_or(0) as f64;
    micros / 1e6
}

fn run(program: &[String], choices: &Choices, modest: bool) -> Result<(), String> {
    let mut play = limited();
    if !modest {
        // Time cannot be kept to: it passes. What is set aside of it must add up all the same.
        let mut limit = play.policy.budgets.agent.unwrap();
        limit.time_ms = Some(600_000);
        play.policy.budgets.agent = Some(limit);
    }
    let mut time = Time::default();
    for (i, statement) in program.iter().enumerate() {
        let before = play.session.clone();
        let statement = shaped(&play, statement, choices[i % choices.len()], modest);
        let words = Words::of(&statement);
        let by_holder = matches!(words.verb(), "return" | "escalate").then(|| play.handoff(&words));
        if statement == "next" {
            next(&mut play);
        } else {
            play.step(&statement);
        }
        let held = holds(&play, modest).and_then(|()| time.pass(before.as_ref(), by_holder, &play));
        held.map_err(|why| format!("after `{statement}`: {why}"))?;
    }
    let mut steps = 0;
    while play.earliest().is_some() {
        let before = play.session.clone();
        if let Outcome::Refused(error) = next(&mut play) {
            return Err(format!("a timer was refused: {error}"));
        }
        let held = holds(&play, modest).and_then(|()| time.pass(before.as_ref(), None, &play));
        held.map_err(|why| format!("while winding down: {why}"))?;
        steps += 1;
        assert!(steps < 10_000, "it never ends");
    }
    let left = play.ledger.iter().find(|(_, entry)| !entry.reserved.is_nothing());
    left.map_or(Ok(()), |(account, entry)| Err(format!("{account} keeps {} for ever", entry.reserved.words())))
}

/// The statement with what it asks for, and, where everybody keeps to its share, with what is left of that.
fn shaped(play: &Play, statement: &str, (ask, tenths): (usize, u64), modest: bool) -> String {
    match statement.split_whitespace().next() {
        Some("initiate") => format!("{statement} {}", ASKS[ask]),
        Some("return") if modest => {
            let kept = statement.split_whitespace().filter(|word| !word.contains("tokens=") && !word.contains("cost="));
            let kept: Vec<&str> = kept.collect();
            let rest = play.session.as_ref().map(|session| rest(session, play, statement)).unwrap_or_default();
            let (tokens, micros) = (rest.tokens * tenths / 10, rest.micros * tenths / 10);
            format!("{} tokens={tokens} cost={}", kept.join(" "), money(micros))
        }
        Some("turn") if modest => statement.replace(" tokens=5", ""),
        _ => statement.to_owned(),
    }
}

/// What a handoff may still use itself: its share, less what was used below and what is given to work below.
fn rest(session: &Session, play: &Play, statement: &str) -> Amount {
    let Some(handoff) = session.open.get(&play.handoff(&Words::of(statement))) else { return Amount::default() };
    let below = session.open.values().filter(|open| open.within() == Some(handoff.id));
    handoff.outstanding().minus(sum(below.map(|child| child.outstanding())))
}

fn sum(amounts: impl Iterator<Item = Amount>) -> Amount {
    amounts.fold(Amount::default(), Amount::plus)
}

fn holds(play: &Play, modest: bool) -> Result<(), String> {
    let Some(session) = &play.session else { return Ok(()) };
    let mut held: BTreeMap<&Account, Amount> = BTreeMap::new();
    for handoff in session.open.values() {
        let Some(reservation) = &handoff.reservation else { continue };
        for (account, amount) in
            [(&reservation.agent, reservation.share.amount()), (&reservation.tenant, handoff.outstanding())]
        {
            if let Some(account) = account {
                let sum = held.entry(account).or_default();
                *sum = sum.plus(amount);
            }
        }
    }
    for (account, entry) in play.ledger.iter() {
        let told = held.remove(account).unwrap_or_default();
        if entry.reserved != told {
            let (counted, told) = (entry.reserved.words(), told.words());
            return Err(format!("{account} has set aside {counted}, and the open handoffs {told}"));
        }
        tries(session, account, entry)?;
        let limit = if account.as_str().starts_with("tenant ") { TENANT } else { AGENT };
        let total = entry.used.plus(entry.reserved);
        // What holds for every agent does not hold for people.
        let person = account.agent_id().and_then(|id| play.agents.get(&id).cloned());
        if person.is_some_and(|known| known.profile.kind == handover_core::agent::AgentKind::Human) {
            continue;
        }
        if modest && limit.lacks(&total).is_some() && !account.as_str().starts_with("skill ") {
            return Err(format!("{account} is over its limit: {}", total.words()));
        }
    }
    if modest { within_session(session) } else { Ok(()) }
}

/// Working time, by a simple model: from each acceptance to whatever ended the attempt, less the work below meanwhile,
/// whether that is over or goes on.
#[derive(Default)]
struct Time {
    attempts: BTreeMap<LeaseId, Attempt>,
    by_agent: BTreeMap<AgentId, u64>,
}

struct Attempt {
    agent: AgentId,
    since: Timestamp,
    /// What the work below had used by then.
    below: u64,
}

impl Time {
    /// After a step: `by_holder` is the handoff that its holder ended, where somebody tried to.
    fn pass(&mut self, before: Option<&Session>, by_holder: Option<HandoffId>, play: &Play) -> Result<(), String> {
        let Some(session) = &play.session else { return Ok(()) };
        let running: BTreeMap<LeaseId, &Handoff> =
            session.open.values().filter_map(|open| Some((open.lease()?, &**open))).collect();
        let mut over = Vec::new();
        for (before, handoff) in before.iter().flat_map(|before| before.open.values().map(move |open| (before, open))) {
            let Some(lease) = handoff.lease().filter(|lease| !running.contains_key(lease)) else { continue };
            let well = play.status(handoff.id) == Some(Status::Completed);
            // What its holder does not end itself ended when its time did.
            let ends_it = well || by_holder == Some(handoff.id);
            let ended = if ends_it { session.last_at } else { handoff.attempt_end(session.last_at) };
            over.push((lease, self.own(before, handoff, ended)));
        }
        for (lease, worked) in over {
            let Some(attempt) = self.attempts.remove(&lease) else { continue };
            *self.by_agent.entry(attempt.agent).or_default() += worked;
        }
        for (lease, handoff) in running {
            if !self.attempts.contains_key(&lease) {
                let below = self.below(session, handoff, session.last_at);
                self.attempts.insert(lease, Attempt { agent: handoff.to_agent.clone(), since: session.last_at, below });
            }
        }
        self.is_charged(session, play)
    }

    /// What the attempt that runs worked itself by this time.
    fn own(&self, session: &Session, handoff: &Handoff, at: Timestamp) -> u64 {
        let attempt = handoff.lease().and_then(|lease| self.attempts.get(&lease));
        attempt.map_or(0, |attempt| {
            let below = self.below(session, handoff, at).saturating_sub(attempt.below);
            at.since(attempt.since).saturating_sub(below)
        })
    }

    /// What was worked below by this time.
    fn below(&self, session: &Session, handoff: &Handoff, at: Timestamp) -> u64 {
        let children = session.open.values().filter(|open| open.within() == Some(handoff.id));
        let going_on = children.map(|child| {
            let deeper = self.below(session, child, at) - child.spent_below.ms;
            self.own(session, child, child.attempt_end(at)) + deeper
        });
        handoff.spent_below.ms + going_on.sum::<u64>()
    }

    fn is_charged(&self, session: &Session, play: &Play) -> Result<(), String> {
        for (agent, worked) in &self.by_agent {
            let charged = play.ledger.get(&Account::of_agent(agent)).map_or(0, |entry| entry.used.ms);
            if charged != *worked {
                return Err(format!("{agent} worked {worked} ms and is charged {charged}"));
            }
        }
        let tenant = play.ledger.get(&Account::of_tenant(&session.tenant)).map_or(0, |entry| entry.used.ms);
        let all: u64 = self.by_agent.values().sum();
        if tenant == all { Ok(()) } else { Err(format!("all worked {all} ms and the tenant is charged {tenant}")) }
    }
}

/// A try is an open handoff to that very agent.
fn tries(session: &Session, account: &Account, entry: &Entry) -> Result<(), String> {
    let Some(probe) = entry.breaker.probe else { return Ok(()) };
    let to = session.open.get(&probe).map(|handoff| &handoff.to_agent);
    if to == account.agent_id().as_ref() { Ok(()) } else { Err(format!("{account} waits for {probe}, which is over")) }
}

fn within_session(session: &Session) -> Result<(), String> {
    let stands = |handoff: &&std::sync::Arc<Handoff>| handoff.within().is_none();
    let reserved = sum(session.open.values().filter(stands).map(|handoff| handoff.outstanding()));
    let total = reserved.plus(Amount::used(&session.metrics, 0));
    match SESSION.lacks(&total) {
        Some(_) => Err(format!("the session is over its limit: {}", total.words())),
        None => Ok(()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_set_aside_adds_up_whatever_is_used((program, choices) in choices()) {
        if let Err(why) = run(&program, &choices, false) {
            return Err(TestCaseError::fail(format!("{why}\n\n{}\n", program.join("\n"))));
        }
    }

    #[test]
    fn nobody_who_keeps_to_its_share_breaks_a_limit((program, choices) in choices()) {
        if let Err(why) = run(&program, &choices, true) {
            return Err(TestCaseError::fail(format!("{why}\n\n{}\n", program.join("\n"))));
        }
    }
}
