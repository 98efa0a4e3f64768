//! Who wants to be told of tasks: kept beside the trail, so that it survives, and can be removed with its secrets.

mod config;
mod places;
mod post;
mod turns;

pub(crate) use config::{Asker, Config, Wanted};

use crate::{
    desk::whole,
    follow::{Follow, Told},
    old,
    wrong::{Kind, Wrong},
};
use futures_util::{FutureExt as _, future::BoxFuture};
use handover_core::{
    command::Caller,
    ids::HandoffId,
    limits::{A2A_PUSH_WAIT_MS_MAX, A2A_PUSHES_MAX, A2A_PUSHES_PER_TASK_MAX, A2A_PUSHES_PER_TENANT_MAX, PAGE_MAX},
    refusal::{Code, HandoffError},
};
use handover_engine::Engine;
use parking_lot::Mutex;
use places::Places;
use post::Poster;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio::task::AbortHandle;

/// Under this name they are kept.
const SPACE: &str = "a2a/push";

/// One who wants to be told, and whoever sees to it.
struct Held {
    config: Config,
    /// Nothing where the task was over before: there is nothing to tell.
    courier: Option<AbortHandle>,
}

/// All who want to be told of tasks.
pub(crate) struct Pushes {
    house: Engine,
    poster: Poster,
    held: Mutex<BTreeMap<(HandoffId, String), Held>>,
    /// The first wait before somebody is seen to again.
    wait: Duration,
    places: Places,
    /// One change at a time, so that what is kept and what is held never differ.
    changing: tokio::sync::Mutex<()>,
}

impl Pushes {
    /// Takes up whatever was kept: what was not delivered before is delivered now.
    pub(crate) async fn open(house: Engine, private: bool, wait: Duration) -> Result<Arc<Self>, HandoffError> {
        let pushes = Arc::new(Self {
            poster: Poster::new(private, wait)?,
            held: Mutex::default(),
            wait,
            places: Places::new(),
            changing: tokio::sync::Mutex::default(),
            house,
        });
        if pushes.house.is_shared() {
            tokio::spawn(turns::run(Arc::downgrade(&pushes)));
            return Ok(pushes);
        }
        let mut after = String::new();
        loop {
            let page = pushes.house.notes(SPACE, &after, PAGE_MAX).await?;
            let full = page.len() == PAGE_MAX;
            for (key, body) in page {
                after.clone_from(&key);
                match serde_json::from_str::<Config>(&body).ok().filter(|config| !config.done) {
                    Some(config) => pushes.hold(config),
                    // Of a task that was over when it was made, or not readable: it has been kept long enough.
                    None => pushes.house.keep_note(SPACE, &key, None).await?,
                }
            }
            if !full {
                return Ok(pushes);
            }
        }
    }

    /// Keeps one who wants to be told, in place of one with the same id.
    pub(crate) async fn add(self: &Arc<Self>, mut config: Config) -> Result<Config, Wrong> {
        let _alone = self.changing.lock().await;
        self.make_room(&config).await?;
        // The place comes before the look: an end between the two is told.
        let position = self.house.feed_position();
        let latest = self.reader(&config).latest(config.task).await?;
        // Whoever says the same again is not told less than before.
        let before = self.of(config.task).await?.into_iter().find(|before| before.id == config.id);
        if let Some(before) = before.filter(|before| before.url == config.url && !before.done) {
            config.after = before.after;
        }
        // From its own beginning on it is told; of a task that is over there is nothing to tell.
        config.done = config.after.is_none() && latest.status().is_closed();
        config.after.get_or_insert(position);
        self.keep(&config).await?;
        if self.house.is_shared() {
            // Whoever has the turn finds it, and has it from its beginning.
            self.held.lock().entry(config.key()).or_insert(Held { config: config.clone(), courier: None });
        } else {
            self.hold(config.clone());
        }
        Ok(config)
    }

    async fn make_room(&self, new: &Config) -> Result<(), Wrong> {
        let known = self.held.lock().contains_key(&new.key());
        if !known && self.of(new.task).await?.len() >= A2A_PUSHES_PER_TASK_MAX {
            let message = format!("the task has {A2A_PUSHES_PER_TASK_MAX} already (A2A_PUSHES_PER_TASK_MAX)");
            return Err(Wrong::new(Kind::TooMuch, message));
        }
        if known {
            return Ok(());
        }
        let full = |max: usize, name: &str| Wrong::new(Kind::TooMuch, format!("there are {max} already ({name})"));
        let own = |config: &Config| config.tenant == new.tenant;
        self.within(
            A2A_PUSHES_PER_TENANT_MAX,
            own,
            full(A2A_PUSHES_PER_TENANT_MAX, stringify!(A2A_PUSHES_PER_TENANT_MAX)),
        )
        .await?;
        self.within(A2A_PUSHES_MAX, |_| true, full(A2A_PUSHES_MAX, stringify!(A2A_PUSHES_MAX))).await
    }

    /// Makes room where there are as many of these as may be: whoever has nothing more to be told goes.
    async fn within(&self, max: usize, of: impl Fn(&Config) -> bool, full: Wrong) -> Result<(), Wrong> {
        let done = {
            let held = self.held.lock();
            let these = || held.values().map(|held| &held.config).filter(|config| of(config));
            if these().count() < max {
                return Ok(());
            }
            these().find(|config| config.done).map(Config::key)
        };
        match done {
            Some((task, id)) => self.forget(task, &id).await,
            None => Err(full),
        }
    }

    /// Those who want to be told of a task.
    pub(crate) async fn of(&self, task: HandoffId) -> Result<Vec<Config>, Wrong> {
        if self.house.is_shared() {
            return Ok(self.kept_of(task).await?);
        }
        let held = self.held.lock();
        let of_task = held.range((task, String::new())..).take_while(|(key, _)| key.0 == task);
        Ok(of_task.map(|(_, held)| held.config.clone()).collect())
    }

    /// Nobody is told there any more. Who is not there is not told either.
    pub(crate) async fn remove(&self, task: HandoffId, id: &str) -> Result<(), Wrong> {
        let _alone = self.changing.lock().await;
        self.forget(task, id).await
    }

    async fn forget(&self, task: HandoffId, id: &str) -> Result<(), Wrong> {
        let held = self.held.lock().remove(&(task, id.to_owned()));
        if let Some(courier) = held.and_then(|held| held.courier) {
            courier.abort();
        }
        Ok(self.house.keep_note(SPACE, &note_key(task, id), None).await?)
    }

    async fn keep(&self, config: &Config) -> Result<(), Wrong> {
        let body = serde_json::to_string(config).unwrap_or_default();
        Ok(self.house.keep_note(SPACE, &note_key(config.task, &config.id), Some(body)).await?)
    }

    fn hold(self: &Arc<Self>, config: Config) {
        let courier = (!config.done).then(|| {
            let (pushes, config) = (Arc::downgrade(self), config.clone());
            tokio::spawn(async move {
                if let Some(pushes) = pushes.upgrade() {
                    pushes.carry(config).await;
                }
            })
            .abort_handle()
        });
        let before = self.held.lock().insert(config.key(), Held { config, courier });
        if let Some(courier) = before.and_then(|held| held.courier) {
            courier.abort();
        }
    }

    /// The engine of whoever made it possible: the tenant whose task it is.
    fn reader(&self, config: &Config) -> Engine {
        self.house.for_caller(Caller::new("a2a push", config.tenant.clone()))
    }

    /// Delivers what happens to a task, in order, until it is over or the receiver is given up.
    async fn carry(&self, config: Config) {
        let (key, task, id) = (config.key(), config.task, config.id.clone());
        // What was told is in the config: another try goes on from there.
        let over = persistently(self.wait, (self, config), |(pushes, config)| pushes.deliver(config).boxed()).await;
        // Otherwise the engine ends: after a restart it goes on.
        if over {
            let _alone = self.changing.lock().await;
            self.held.lock().remove(&key);
            // Should this not be written, the last update is delivered once more after a restart.
            let _ = self.house.keep_note(SPACE, &note_key(task, &id), None).await;
        }
    }

    /// Whether whoever made it may still be told: by its key, or without one as long as the house is open.
    fn lets(&self, config: &Config) -> bool {
        match &config.with {
            Some(key) => self.house.key_opens(key),
            None => !self.house.was_keyed(),
        }
    }

    /// Whether nothing more is to be delivered.
    async fn deliver(&self, config: &mut Config) -> Result<bool, Wrong> {
        let engine = self.reader(config);
        let first = match engine.handoff(config.task).await {
            Err(error) if error.has(Code::UnknownHandoff) => return Ok(true),
            found => found?,
        };
        let mut follow = Follow::after(engine.clone(), &first, config.after.unwrap_or_default()).await?;
        while let Some(Told { update, position, ends, .. }) = follow.next().await? {
            // In version 0.3 a push brings the task as it is by then.
            let update = match config.old {
                true => old::answer("GetTask", whole(&engine, first.clone()).await?.shown(None)),
                false => update,
            };
            let delivered = self.poster.deliver(config, &update, &self.places, || self.lets(config)).await;
            if !delivered || ends {
                return Ok(true);
            }
            config.after = Some(position);
            self.keep_place(config).await?;
        }
        Ok(false)
    }

    /// Remembers how far it was told, unless it was removed meanwhile.
    async fn keep_place(&self, config: &Config) -> Result<(), Wrong> {
        let _alone = self.changing.lock().await;
        let held = self.held.lock().get_mut(&config.key()).map(|held| held.config.after = config.after).is_some();
        // It may have been removed at another process just now.
        let kept =
            held && (!self.house.is_shared() || self.of(config.task).await?.iter().any(|kept| kept.id == config.id));
        if kept { self.keep(config).await } else { Ok(()) }
    }

    /// Ends all couriers. What they had not delivered is delivered after the next start.
    pub(crate) fn stop(&self) {
        for held in self.held.lock().values() {
            if let Some(courier) = &held.courier {
                courier.abort();
            }
        }
    }
}

/// Tries until it comes to something, with growing waits.
async fn persistently<T>(
    mut wait: Duration,
    mut with: T,
    attempt: impl for<'t> Fn(&'t mut T) -> BoxFuture<'t, Result<bool, Wrong>>,
) -> bool {
    loop {
        match attempt(&mut with).await {
            Ok(over) => return over,
            Err(wrong) => tracing::warn!(target: "handover::a2a", ?wrong, "pushes are held up"),
        }
        tokio::time::sleep(wait).await;
        wait = wait.saturating_mul(2).min(Duration::from_millis(A2A_PUSH_WAIT_MS_MAX));
    }
}

fn note_key(task: HandoffId, id: &str) -> String {
    format!("{task}/{id}")
}

#[cfg(test)]
#[path = "push/tests.rs"]
mod tests;
