//! What the engine does by itself now and then: checkpoints, health checks, retention, accounts that are over.

use crate::{agent::Agent, engine::Engine};
use handover_core::{
    agent::{AgentKind, Profile, Standing},
    ids::AgentId,
    limits::{CHECKPOINT_MS, HEALTH_AT_ONCE_MAX, HEALTH_FAILURES_MAX, HEALTH_MS, HEALTH_TIMEOUT_MS, RETENTION_MS},
    refusal::HandoffError,
};
use std::{sync::Arc, time::Duration};
use tokio::task::JoinSet;

pub(crate) async fn run(engine: Engine) {
    let now = engine.inner.clock.now();
    let (mut seal_at, mut prune_at) = (now + CHECKPOINT_MS, now + RETENTION_MS);
    loop {
        engine.inner.clock.until(seal_at.min(prune_at)).await;
        let now = engine.inner.clock.now();
        // The store tells everybody who asks when it is in trouble; there is nobody here to tell.
        if seal_at <= now {
            if engine.has_chore("checkpoints", CHECKPOINT_MS).await {
                let _ = engine.seal().await;
            }
            seal_at = now + CHECKPOINT_MS;
        }
        if prune_at <= now {
            if engine.has_chore("retention", RETENTION_MS).await {
                let _ = engine.enforce_retention().await;
                let _ = engine.forget_accounts().await;
            } else {
                // Whoever has it forgets accounts, of which no record tells.
                let _ = engine.reload_ledger().await;
            }
            prune_at = now + RETENTION_MS;
        }
    }
}

/// Health by itself: an agent that hangs must not keep checkpoints and retention waiting.
pub(crate) async fn watch_health(engine: Engine) {
    loop {
        let next = engine.inner.clock.now() + HEALTH_MS;
        engine.inner.clock.until(next).await;
        // The store tells everybody who asks when it is in trouble; there is nobody here to tell.
        let _ = engine.check_health().await;
    }
}

impl Engine {
    /// Whether something that one process does for all is for this one now. The next round finds another where it goes away.
    async fn has_chore(&self, chore: &str, for_ms: u64) -> bool {
        self.take_chore(chore, for_ms).await.unwrap_or(false)
    }

    /// Asks every agent of this process how it is, and looks when those who pull work were last heard of. Three failures
    /// in a row make an agent unavailable; one good answer or sign of life brings it back.
    ///
    /// # Errors
    /// When a change cannot be written, or this caller is no administrator of the house.
    pub async fn check_health(&self) -> Result<(), HandoffError> {
        self.operator()?;
        let locals: Vec<_> =
            self.inner.locals.lock().iter().map(|(id, local)| (id.clone(), local.agent().clone())).collect();
        let mut locals = locals.into_iter();
        let mut asked = JoinSet::new();
        let mut answers = Vec::new();
        loop {
            let room = HEALTH_AT_ONCE_MAX - asked.len();
            for (id, agent) in locals.by_ref().take(room) {
                asked.spawn(async move { (id, is_well(agent).await) });
            }
            let Some(answer) = asked.join_next().await else { break };
            match answer {
                Ok(answer) if self.is_shared() => answers.push(answer),
                Ok((id, well)) => self.note_health(&id, well).await?,
                Err(_) => {}
            }
        }
        if let Some(shared) = &self.inner.shared {
            self.judge(self.share_health(shared, &answers).await?).await?;
        }
        for (id, well) in self.pulling() {
            self.note_health(&id, well).await?;
        }
        Ok(())
    }

    /// Agents that pull work and were heard of since this process began: whether that was within one round of checks.
    /// One that was never heard of is not judged here; its first offer does that. Nor is one that works: its lease says
    /// how long it may be silent.
    fn pulling(&self) -> Vec<(AgentId, bool)> {
        let now = self.inner.clock.now();
        let heard = self.inner.heard.lock();
        let agents = self.inner.agents.read();
        let idle = |id: &AgentId| {
            let judged = |known: &Profile| known.kind == AgentKind::Worker && !known.is_patient();
            agents.get(id).is_some_and(|known| judged(&known.profile) && known.load == 0)
        };
        let found = heard.iter().filter(|(id, _)| idle(id));
        // What other processes heard they tell once a round.
        let rounds = if self.is_shared() { 2 } else { 1 };
        found.map(|(id, at)| (id.clone(), now.since(*at) <= rounds * HEALTH_MS + HEALTH_TIMEOUT_MS)).collect()
    }

    /// Agents whose code is well somewhere can be reached, and those whose code is well nowhere cannot.
    async fn judge(&self, agents: Vec<(AgentId, bool)>) -> Result<(), HandoffError> {
        for (id, well) in agents {
            let standing = self.inner.agents.read().get(&id).map(|agent| agent.standing);
            match standing {
                Some(Standing::Unavailable) if well => {
                    self.set_standing(&id, Standing::Available, "it is well again").await?;
                }
                Some(Standing::Available) if !well => {
                    self.set_standing(&id, Standing::Unavailable, "it failed its health checks").await?;
                }
                Some(_) | None => {}
            }
        }
        Ok(())
    }

    async fn note_health(&self, id: &AgentId, well: bool) -> Result<(), HandoffError> {
        let (standing, failures) = {
            let mut agents = self.inner.agents.write();
            let Some(agent) = agents.get_mut(id) else { return Ok(()) };
            agent.failures = if well { 0 } else { agent.failures + 1 };
            (agent.standing, agent.failures)
        };
        match standing {
            Standing::Unavailable if well => self.set_standing(id, Standing::Available, "it is well again").await,
            Standing::Available if failures >= HEALTH_FAILURES_MAX => {
                self.set_standing(id, Standing::Unavailable, "it failed its health checks").await
            }
            Standing::Available | Standing::Unavailable | Standing::Draining => Ok(()),
        }
    }
}

/// Asks one agent. The question is a task of its own, because an agent may panic or hold its thread; it ends with this
/// one, because one that hangs is asked again in a minute and the questions must not add up.
async fn is_well(agent: Arc<dyn Agent>) -> bool {
    let mut question = JoinSet::new();
    question.spawn(async move { agent.health().await });
    let answer = tokio::time::timeout(Duration::from_millis(HEALTH_TIMEOUT_MS), question.join_next()).await;
    matches!(answer, Ok(Some(Ok(true))))
}
