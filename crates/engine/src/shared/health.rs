//! How agents are, over all processes. One that asks here and there is heard of everywhere, and one whose code falls over in
//! one process may be well in another: each process tells the others what it knows, and judges by what all know.

use super::Shared;
use crate::engine::Engine;
use handover_core::{
    ids::AgentId,
    limits::{HEALTH_FAILURES_MAX, PAGE_MAX},
    refusal::HandoffError,
    time::Timestamp,
};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Where processes tell each other.
const SPACE: &str = "handover:health";

/// How often in a row agents of this process were not well.
#[derive(Default)]
pub(crate) struct Told {
    failures: Mutex<HashMap<AgentId, u32>>,
}

impl Told {
    /// Notes an answer. Gives whether the code here is well enough to be given work.
    fn note(&self, agent: &AgentId, well: bool) -> bool {
        let mut failures = self.failures.lock();
        let count = failures.entry(agent.clone()).or_default();
        *count = if well { 0 } else { count.saturating_add(1) };
        *count < HEALTH_FAILURES_MAX
    }
}

/// What one process knows.
#[derive(Default, Serialize, Deserialize)]
struct Note {
    /// When agents that pull work were last heard of.
    heard: BTreeMap<AgentId, Timestamp>,
    /// Whether agents that live in it are well.
    well: BTreeMap<AgentId, bool>,
}

impl Engine {
    /// Tells others how the agents of this process are, and when others were heard of; gives whether those that live
    /// anywhere are well somewhere.
    pub(crate) async fn share_health(
        &self,
        shared: &Shared,
        answers: &[(AgentId, bool)],
    ) -> Result<Vec<(AgentId, bool)>, HandoffError> {
        let mut own = Note { heard: self.inner.heard.lock().clone().into_iter().collect(), ..Note::default() };
        for (agent, well) in answers {
            let well = shared.health.note(agent, *well);
            self.set_well(agent, well);
            own.well.insert(agent.clone(), well);
        }
        let nodes = self.inner.store.nodes().await?;
        let living: Vec<String> = nodes.iter().map(|node| node.id.to_string()).collect();
        if let Some(this) = nodes.iter().find(|node| node.this) {
            let body = serde_json::to_string(&own).unwrap_or_default();
            self.inner.store.keep_note(SPACE, &this.id.to_string(), Some(body)).await?;
        }
        let mut well = own.well;
        for (node, body) in self.inner.store.notes(SPACE, "", PAGE_MAX).await? {
            if !living.contains(&node) {
                self.inner.store.keep_note(SPACE, &node, None).await?;
                continue;
            }
            let Ok(note) = serde_json::from_str::<Note>(&body) else { continue };
            self.hear_of(note.heard);
            for (agent, is_well) in note.well {
                *well.entry(agent).or_default() |= is_well;
            }
        }
        Ok(well.into_iter().collect())
    }

    fn hear_of(&self, others: BTreeMap<AgentId, Timestamp>) {
        let mut heard = self.inner.heard.lock();
        for (agent, at) in others {
            let known = heard.entry(agent).or_insert(at);
            *known = at.max(*known);
        }
    }
}
