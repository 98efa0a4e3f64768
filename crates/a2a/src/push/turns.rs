//! Several processes on one store: one of them delivers, and all of them know who wants to be told. Whoever delivered and
//! is gone is followed by another one, which goes on from what was kept.

use super::{Config, Held, Pushes, SPACE};
use handover_core::{
    ids::HandoffId,
    limits::{A2A_PUSH_LOOK_MS, A2A_PUSH_TURN_MS, PAGE_MAX},
    refusal::HandoffError,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Weak},
    time::Duration,
};

/// The chore that one process has at a time.
const CHORE: &str = "a2a/push";

/// Looks again and again whose turn it is, for as long as somebody needs it.
pub(super) async fn run(pushes: Weak<Pushes>) {
    loop {
        let Some(held) = pushes.upgrade() else { return };
        // Where the store does not answer it is nobody's turn: another process may have it by then.
        let mine = held.house.take_chore(CHORE, A2A_PUSH_TURN_MS).await.unwrap_or(false);
        if let Err(error) = held.look(mine).await {
            tracing::warn!(target: "handover::a2a", %error, "pushes are held up");
        }
        drop(held);
        tokio::time::sleep(Duration::from_millis(A2A_PUSH_LOOK_MS)).await;
    }
}

impl Pushes {
    /// Takes over what other processes kept and removed. Where it is this one's turn, each has a courier; else none has.
    pub(super) async fn look(self: &Arc<Self>, mine: bool) -> Result<(), HandoffError> {
        let _alone = self.changing.lock().await;
        let kept = self.kept("").await?;
        let mut held = self.held.lock();
        held.retain(|key, held| {
            let stays = kept.contains_key(key);
            if (!stays || !mine)
                && let Some(courier) = held.courier.take()
            {
                courier.abort();
            }
            stays
        });
        let waiting: Vec<Config> = kept
            .into_iter()
            .filter(|(key, _)| held.get(key).is_none_or(|held| held.courier.is_none()))
            .map(|(_, config)| config)
            .collect();
        drop(held);
        for config in waiting {
            if mine {
                self.hold(config);
            } else {
                self.held.lock().insert(config.key(), Held { config, courier: None });
            }
        }
        Ok(())
    }

    /// Those who want to be told of a task, as they are kept.
    pub(super) async fn kept_of(&self, task: HandoffId) -> Result<Vec<Config>, HandoffError> {
        let kept = self.kept(&format!("{task}/")).await?;
        Ok(kept.into_values().filter(|config| config.task == task).collect())
    }

    /// Those who are kept under keys that begin like this, or after it where it is empty.
    async fn kept(&self, begin: &str) -> Result<BTreeMap<(HandoffId, String), Config>, HandoffError> {
        let (mut found, mut after) = (BTreeMap::new(), begin.to_owned());
        loop {
            let page = self.house.notes(SPACE, &after, PAGE_MAX).await?;
            let more = page.len() == PAGE_MAX && page.last().is_some_and(|(key, _)| key.starts_with(begin));
            if let Some((last, _)) = page.last() {
                after.clone_from(last);
            }
            let these = page.into_iter().filter(|(key, _)| key.starts_with(begin));
            let configs = these.filter_map(|(_, body)| serde_json::from_str::<Config>(&body).ok());
            found.extend(configs.map(|config| (config.key(), config)));
            if !more {
                return Ok(found);
            }
        }
    }
}
