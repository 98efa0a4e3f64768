//! Telling clients that resources have changed: by a stream of their own, or within a session that began with a handshake.

use crate::{
    call::{What, read},
    changes::Changed,
    front::{fault, key},
    way::Way,
};
use handover_core::limits::{MCP_LISTEN_MS_MAX, MCP_LOOK_MS, MCP_PART_MS, MCP_SUBSCRIPTIONS_MAX};
use parking_lot::Mutex;
use rmcp::{ErrorData, Peer, RoleServer, model::ResourceUpdatedNotificationParam, service::SubscriptionContext};
use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{sync::Notify, task::JoinHandle};

/// Goes through the changes of resources, from now on.
struct Follower {
    way: Arc<dyn Way>,
    after: Option<(u64, u64)>,
}

impl Follower {
    /// Begins: everything after this is told.
    async fn begin(way: Arc<dyn Way>) -> Result<Self, ErrorData> {
        let mut follower = Self { way, after: None };
        let began = follower.look(Vec::new()).await.map_err(fault)?;
        follower.after = Some(began.position);
        Ok(follower)
    }

    async fn look(&self, uris: Vec<String>) -> Result<Changed, crate::call::Fault> {
        let what = What::Changes { uris, after: self.after, wait_ms: MCP_PART_MS };
        read(self.way.ask(what, &key()).await?)
    }

    /// The next changes; none where nothing happened for a while, or nobody could be asked.
    async fn next(&mut self, uris: Vec<String>) -> BTreeSet<String> {
        match self.look(uris).await {
            Ok(changed) => {
                self.after = Some(changed.position);
                changed.uris
            }
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(MCP_LOOK_MS)).await;
                BTreeSet::new()
            }
        }
    }
}

/// A stream of its own: until the client has enough, or its time is over.
pub(crate) async fn listen(way: Arc<dyn Way>, context: &SubscriptionContext) -> Result<(), ErrorData> {
    let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let until = Instant::now() + Duration::from_millis(MCP_LISTEN_MS_MAX);
    let mut follower = Follower::begin(way).await?;
    while Instant::now() < until {
        let changed = tokio::select! {
            changed = follower.next(uris.clone()) => changed,
            () = context.cancelled() => return Ok(()),
        };
        for uri in changed {
            if context.sink().notify_resource_updated(uri).await.is_err() {
                return Ok(()); // Nobody hears it any more.
            }
        }
    }
    Ok(())
}

/// What a client with a handshake watches: one task for all of it, which ends with the client.
#[derive(Default)]
pub(crate) struct Watching {
    watched: Arc<Watched>,
    task: Mutex<Option<JoinHandle<()>>>,
}

/// What is watched, and whether there is still somebody who does.
#[derive(Default)]
struct Watched {
    uris: Mutex<BTreeSet<String>>,
    /// Rung when there is one more: who looks already begins anew, so that nothing is missed.
    added: Notify,
    silence: Silence,
}

/// When the client asked something last, and how long it may be silent; for ever where its line says that it is there.
#[derive(Default)]
struct Silence {
    since: Mutex<Option<Instant>>,
    most: Option<Duration>,
}

impl Silence {
    /// Whether the client asked nothing for so long that nobody may be there any more.
    fn is_over(&self) -> bool {
        let silent = self.since.lock().map(|since| since.elapsed());
        self.most.is_some_and(|most| silent.is_some_and(|silent| silent > most))
    }
}

impl Watching {
    /// For a client that may be gone without a word: it is told nothing more when it was silent for so long.
    pub(crate) fn for_silent(most: Duration) -> Self {
        let silence = Silence { most: Some(most), ..Silence::default() };
        Self { watched: Arc::new(Watched { silence, ..Watched::default() }), task: Mutex::default() }
    }

    /// The client asks something.
    pub(crate) fn heard(&self) {
        *self.watched.silence.since.lock() = Some(Instant::now());
    }

    pub(crate) async fn add(&self, way: Arc<dyn Way>, uri: &str, peer: Peer<RoleServer>) -> Result<(), ErrorData> {
        {
            let mut uris = self.watched.uris.lock();
            if uris.len() >= MCP_SUBSCRIPTIONS_MAX && !uris.contains(uri) {
                let message = format!("at most {MCP_SUBSCRIPTIONS_MAX} resources (MCP_SUBSCRIPTIONS_MAX)");
                return Err(ErrorData::invalid_params(message, None));
            }
            uris.insert(uri.to_owned());
        }
        if self.is_followed() {
            self.watched.added.notify_one();
            return Ok(());
        }
        let follower = Follower::begin(way).await?;
        let task = tokio::spawn(follow(follower, self.watched.clone(), peer));
        if let Some(before) = self.task.lock().replace(task) {
            before.abort();
        }
        Ok(())
    }

    fn is_followed(&self) -> bool {
        self.task.lock().as_ref().is_some_and(|task| !task.is_finished())
    }

    pub(crate) fn remove(&self, uri: &str) {
        self.watched.uris.lock().remove(uri);
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        if let Some(task) = self.task.lock().take() {
            task.abort();
        }
    }
}

async fn follow(mut follower: Follower, watched: Arc<Watched>, peer: Peer<RoleServer>) {
    while !watched.silence.is_over() {
        let uris: Vec<String> = watched.uris.lock().iter().cloned().collect();
        let changed = tokio::select! {
            changed = follower.next(uris) => changed,
            () = watched.added.notified() => continue,
        };
        for uri in changed {
            let wanted = watched.uris.lock().contains(&uri);
            if wanted && peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_err() {
                return; // Nobody hears it any more.
            }
        }
    }
}
