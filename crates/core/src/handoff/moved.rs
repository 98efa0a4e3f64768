//! Who had a handoff before, and what stays with whoever had it.

use super::Handoff;
use crate::{ids::AgentId, limits::TRIED_MAX};

impl Handoff {
    /// Remembers that somebody had it and is not asked again by itself.
    pub(crate) fn try_no_more(&mut self, agent: &AgentId) {
        self.tried.push(agent.clone());
        let excess = self.tried.len().saturating_sub(TRIED_MAX);
        self.tried.drain(..excess);
    }

    /// A person gives it to somebody, who may have had it before. What is asked by then stays without an answer.
    pub(crate) fn give_to(&mut self, to: &AgentId) {
        if self.to_agent == *to {
            self.tried.retain(|agent| agent != to);
        } else {
            self.tried.retain(|agent| *agent != *to && *agent != self.to_agent);
            self.try_no_more(&self.to_agent.clone());
            // Whom a person chose says nothing about a strategy.
            self.arm = None;
        }
        self.questions.retain(|exchange| exchange.answer.is_some());
    }
}
