//! What a session remembers so that it is not led in circles: how much it has moved, between whom, and whether anything
//! new came of it. Small, whatever happens: it is written with every step.

use crate::{digest::Digest, handoff::Kind, ids::AgentId, limits, time::Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A handoff, as the guards see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Move {
    /// Who handed over.
    pub from: AgentId,
    /// To whom.
    pub to: AgentId,
    /// What: the digest of the task and of the context at that time.
    pub digest: Digest,
}

/// How an agent last handed the work on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Left {
    /// With what.
    pub digest: Digest,
    /// What was new in the session by then.
    pub news: u64,
    /// How often the work came back to it since, with nothing new in the session.
    #[serde(default)]
    pub idle: u32,
}

/// How often one agent handed over to another in the present window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pace {
    /// When the window began.
    pub since: Timestamp,
    /// How often since.
    pub count: u32,
}

/// What the guards remember of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Watch {
    /// Handoffs that count against the limit: asked for by agents, not made by the engine.
    #[serde(default)]
    pub handoffs: u32,
    /// Escalations, counted apart: whoever has used up the rest can still ask a person.
    #[serde(default)]
    pub escalations: u32,
    /// How often something new came into the session: a variable, an artifact, a decision, a word of the user, a result.
    #[serde(default)]
    pub news: u64,
    /// The last few moves, the latest at the end.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub moves: VecDeque<Move>,
    /// How each agent last handed the work on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left: BTreeMap<AgentId, Left>,
    /// How fast each pair is: `from to`, by a space.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub paces: BTreeMap<String, Pace>,
    /// Everybody who had a part in it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub agents: BTreeSet<AgentId>,
}

/// The name of a pair.
#[must_use]
pub fn pair(from: &AgentId, to: &AgentId) -> String {
    format!("{from} {to}")
}

impl Watch {
    /// Remembers a handoff. `counts` says whether an agent asked for it; what the engine does by itself has limits of
    /// its own.
    pub fn note(&mut self, kind: Kind, counts: bool, step: Move, at: Timestamp) {
        if !counts {
            return;
        }
        // The source had its part before, or came in by an escalation of the engine, which has limits of its own.
        self.note_agent(&step.to);
        if kind == Kind::Escalation {
            self.escalations += 1;
            return;
        }
        self.handoffs += 1;
        self.note_pace(&step, at);
        self.note_left(&step);
        self.moves.push_back(step);
        while self.moves.len() > limits::WATCH_MOVES_MAX {
            self.moves.pop_front();
        }
    }

    /// Somebody has a part in the session.
    pub fn note_agent(&mut self, agent: &AgentId) {
        if self.agents.len() < limits::WATCH_AGENTS_MAX && !self.agents.contains(agent) {
            self.agents.insert(agent.clone());
        }
    }

    fn note_pace(&mut self, step: &Move, at: Timestamp) {
        let name = pair(&step.from, &step.to);
        if self.paces.len() >= limits::WATCH_AGENTS_MAX && !self.paces.contains_key(&name) {
            // The pair that has been quiet longest makes room.
            let quiet = self.paces.iter().min_by_key(|(_, pace)| pace.since).map(|(name, _)| name.clone());
            if let Some(quiet) = quiet {
                self.paces.remove(&quiet);
            }
        }
        let pace = self.paces.entry(name).or_insert(Pace { since: at, count: 0 });
        if at.since(pace.since) >= limits::PAIR_WINDOW_MS {
            *pace = Pace { since: at, count: 0 };
        }
        pace.count += 1;
    }

    fn note_left(&mut self, step: &Move) {
        // The work came back to somebody, and nothing is new since it was handed on.
        if let Some(left) = self.left.get_mut(&step.to)
            && left.news == self.news
        {
            left.idle += 1;
        }
        let before = self.left.get(&step.from).filter(|left| left.news == self.news);
        let idle = before.map_or(0, |left| left.idle);
        if self.left.len() < limits::WATCH_AGENTS_MAX || self.left.contains_key(&step.from) {
            self.left.insert(step.from.clone(), Left { digest: step.digest, news: self.news, idle });
        }
    }

    /// A handoff that nobody has taken yet was changed: it counts as what it is now.
    pub fn amend(&mut self, kind: Kind, was: &Move, step: Move) {
        self.note_agent(&step.to);
        if kind == Kind::Escalation {
            return;
        }
        if let Some(left) = self.left.get_mut(&was.from).filter(|left| left.digest == was.digest) {
            left.digest = step.digest;
        }
        if let Some(kept) = self.moves.iter_mut().rev().find(|kept| *kept == was) {
            *kept = step;
        }
    }

    /// The same as if this handoff had not been.
    #[must_use]
    pub fn without(&self, step: &Move) -> Self {
        let mut rest = self.clone();
        if let Some(i) = rest.moves.iter().rposition(|kept| kept == step) {
            rest.moves.remove(i);
        }
        rest
    }

    /// To whom an agent handed over so often in the present window.
    #[must_use]
    pub fn at_pace(&self, from: &AgentId, times: u32, now: Timestamp) -> Vec<AgentId> {
        let often = |pace: &Pace| pace.count >= times && now.since(pace.since) < limits::PAIR_WINDOW_MS;
        let often = self.paces.iter().filter(|(_, pace)| often(pace));
        let to = often.filter_map(|(name, _)| name.strip_prefix(from.as_str())?.strip_prefix(' '));
        to.filter_map(|to| AgentId::new(to).ok()).collect()
    }

    /// How often this pair has moved in the present window.
    #[must_use]
    pub fn pace(&self, from: &AgentId, to: &AgentId, now: Timestamp) -> u32 {
        let pace = self.paces.get(&pair(from, to));
        pace.filter(|pace| now.since(pace.since) < limits::PAIR_WINDOW_MS).map_or(0, |pace| pace.count)
    }
}
