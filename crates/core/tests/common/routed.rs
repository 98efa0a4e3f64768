//! Routing in the language: `about b invoices_and_refunds`, `breaker after=2`, `failing b 2`, `spent b`, `pick c why`,
//! `past b testing 7/9`, `experiment e a=best_match b=learned share=1 shadow`, `house-strategy learned`.

use super::{
    Play, START, name,
    words::{Words, known, span},
};
use handover_core::{
    budget::{Amount, Limit, Period},
    decide::{Picked, World},
    event::{Event, Routed},
    ids::AgentId,
    ledger::{Account, Change, Posting},
    policy::{BreakerPolicy, Experiment},
};
use std::sync::Arc;

impl Play {
    /// Statements that set the scene for routing.
    pub fn routing_scenery(&mut self, w: &Words<'_>) -> bool {
        match w.verb() {
            "about" => self.describe(&name(w.nth(1)), &w.nth(2).replace('_', " ")),
            "breaker" => {
                let failures = w.get("after").map_or(3, |n| n.parse().expect("a number"));
                let cooldown_ms = w.get("for").map_or(30_000, span);
                self.policy.breaker = BreakerPolicy { failures, cooldown_ms };
            }
            "failing" => {
                let (at, policy) = (self.now, self.policy.breaker);
                let change = Change::Failed { at, after: policy.failures, cooldown_ms: policy.cooldown_ms };
                let times: usize = w.nth(2).parse().expect("a number");
                (0..times).for_each(|_| self.post(Account::of_agent(&name(w.nth(1))), change.clone()));
            }
            "spent" => self.spend(&name(w.nth(1))),
            "pick" => {
                let picked = match (w.nth(1), w.nth(2)) {
                    ("nobody", why) => Picked::Nobody(why.into()),
                    ("silence", why) => Picked::NoAnswer(why.into()),
                    (agent, why) => Picked::Agent(name(agent), why.into()),
                };
                self.picked = Some(picked.into());
            }
            "past" => self.past(w),
            "house-strategy" => self.policy.routing.strategy = known(w.nth(1)),
            "experiment" => self.policy.experiments.push(Experiment {
                name: w.nth(1).into(),
                a: known(w.get("a").expect("a strategy")),
                b: known(w.get("b").expect("a strategy")),
                share: w.get("share").map_or(0.5, |n| n.parse().expect("a number")),
                shadow: w.has("shadow"),
            }),
            _ => return false,
        }
        true
    }

    fn describe(&mut self, agent: &AgentId, text: &str) {
        let known = self.agents.get(agent).expect("a registered agent").clone();
        let mut profile = handover_core::agent::Profile::clone(&known.profile);
        profile.description = text.to_owned();
        self.agents.put(Arc::new(profile), known.standing);
    }

    fn spend(&mut self, agent: &AgentId) {
        let known = self.agents.get(agent).expect("a registered agent").clone();
        let mut profile = handover_core::agent::Profile::clone(&known.profile);
        profile.budget = Some(Limit { tokens: Some(100), ..Limit::default() });
        self.agents.put(Arc::new(profile), known.standing);
        let used = Amount { tokens: 100, ..Amount::default() };
        self.post(Account::agent(agent, Period::Total, START), Change::Use(used));
    }

    /// `past b testing 7/9`: it succeeded in 7 of 9. `past b * 7/9`: in anything.
    fn past(&mut self, w: &Words<'_>) {
        let agent = name(w.nth(1));
        let account = if w.nth(2) == "*" { Account::of_agent(&agent) } else { Account::skill(&agent, w.nth(2)) };
        let (well, all) = w.nth(3).split_once('/').expect("7/9");
        let (well, all): (u32, u32) = (well.parse().expect("a number"), all.parse().expect("a number"));
        for n in 0..all {
            self.post(account.clone(), Change::Ended { succeeded: n < well, ms: 1_000, micros: 0 });
        }
    }

    pub fn post(&mut self, account: Account, change: Change) {
        self.ledger.post(&[Posting { account, change }]).expect("it can be counted");
    }

    /// Shows the world as it is now.
    pub fn world<T>(&self, look: impl FnOnce(&World<'_>) -> T) -> T {
        look(&World {
            agents: handover_core::agent::Known::to(&self.agents, &self.caller.tenant),
            policy: &self.policy,
            ledger: &self.ledger,
            workflows: &self.workflows,
            picked: self.picked.as_ref(),
            caller: &self.caller,
            awake_since: self.awake_since,
            now: self.now,
        })
    }

    /// Runs a program and gives how the last handoff was routed, or the last line where nothing was.
    pub fn routed(&mut self, program: &str) -> String {
        let before = self.texts.len();
        let lines = self.run(program);
        let records = self.texts[before..].iter().rev().map(|text| {
            let record: handover_core::record::Record = serde_json::from_str(text).expect("a record");
            record.event
        });
        let routed = records.into_iter().find_map(|event| match event {
            Event::Initiated { routing, .. } | Event::Rerouted { routing, .. } => Some(routing),
            _ => None,
        });
        match routed {
            Some(Some(routed)) => show_routed(&routed),
            Some(None) | None => lines.last().cloned().unwrap_or_default(),
        }
    }
}

/// A routing decision, one line for each candidate.
pub fn show_routed(routed: &Routed) -> String {
    let agent = routed.agent.as_ref().map_or("nobody", |agent| agent.as_str());
    let mut text = format!("{agent}, {} by {}", routed.strategy.word(), routed.by);
    if let Some(arm) = &routed.experiment {
        text += &format!(", {} {}", arm.experiment, arm.arm);
    }
    if let Some(shadow) = &routed.shadow {
        text += &format!(", shadow {shadow}");
    }
    if !routed.note.is_empty() {
        text += &format!(" ({})", routed.note);
    }
    for candidate in &routed.candidates {
        text += &format!("\n  {} {:.2}", candidate.agent, candidate.score);
        text += &if candidate.excluded.is_empty() {
            format!(": {}", candidate.why)
        } else {
            format!(" not: {}", candidate.excluded)
        };
    }
    text
}
