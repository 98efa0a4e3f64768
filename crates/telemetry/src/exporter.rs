//! Follows the feed of the whole house, counts it, makes spans of it, and has them sent.

use crate::{
    metrics::{Metric, Metrics, number},
    queue::Queue,
    sender::Sender,
    settings::{BadSetting, TelemetrySettings},
    span::Span,
    spans::{ModelOf, Seen, Spans},
};
use handover_core::{
    ids::{AgentId, HandoffId},
    limits::{TELEMETRY_CLOSE_MS, TELEMETRY_WAIT_MS},
    refusal::HandoffError,
};
use handover_engine::{BusMessage, Engine, Filter, Notice, Subscription};
use parking_lot::Mutex;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Notify, watch},
    task::JoinHandle,
    time::timeout,
};

/// Traces and metrics of an engine, from now on.
pub struct Telemetry {
    engine: Engine,
    metrics: Metrics,
    progress: Arc<Progress>,
    stop: watch::Sender<bool>,
    follower: Mutex<Option<JoinHandle<()>>>,
    sender: Mutex<Option<JoinHandle<()>>>,
}

/// How far the feed was followed.
#[derive(Default)]
struct Progress {
    bell: Notify,
    /// Whether nobody follows it any more.
    over: AtomicBool,
}

/// Says that nobody follows any more, however that came to be.
struct Ending(Arc<Progress>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::SeqCst);
        self.0.bell.notify_waiters();
    }
}

/// Why it cannot start.
#[derive(Debug, thiserror::Error)]
pub enum CannotStart {
    /// A setting cannot be.
    #[error(transparent)]
    Setting(#[from] BadSetting),
    /// The engine does not show the whole house to this caller.
    #[error(transparent)]
    Engine(#[from] HandoffError),
}

impl Telemetry {
    /// Follows the engine, which must be that of the house. Metrics are counted also where nothing is sent.
    ///
    /// # Errors
    /// When a setting cannot be, or this caller does not run the house.
    pub fn start(engine: &Engine, settings: &TelemetrySettings) -> Result<Self, CannotStart> {
        Self::start_with(engine, settings, Metrics::default())
    }

    /// The same, counting where others count already.
    ///
    /// # Errors
    /// As [`Telemetry::start`].
    pub fn start_with(engine: &Engine, settings: &TelemetrySettings, metrics: Metrics) -> Result<Self, CannotStart> {
        if let Some(fault) = settings.faults().into_iter().next() {
            return Err(fault.into());
        }
        let (queue, progress) = (Arc::new(Queue::default()), Arc::new(Progress::default()));
        let (stop, stopped) = watch::channel(false);
        let sender = Sender::new(settings, engine, &metrics, (&queue, stopped))?;
        metrics.begin(engine.now());
        let subscription = engine.subscribe_all(Filter::default(), None)?;
        metrics.saw(subscription.position());
        let follower = Follower {
            engine: engine.clone(),
            metrics: metrics.clone(),
            queue: sender.is_some().then_some(queue),
            progress: Ending(progress.clone()),
            spans: Spans::default(),
        };
        Ok(Self {
            engine: engine.clone(),
            metrics,
            progress,
            stop,
            follower: Mutex::new(Some(tokio::spawn(follower.run(subscription)))),
            sender: Mutex::new(sender.map(|sender| tokio::spawn(sender.run()))),
        })
    }

    /// The metrics.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Waits until everything that is on disk now has been seen.
    pub async fn caught_up(&self) {
        let until = self.engine.feed_position();
        loop {
            let mut bell = std::pin::pin!(self.progress.bell.notified());
            bell.as_mut().enable();
            if self.progress.over.load(Ordering::SeqCst) || self.metrics.seen() >= until {
                return;
            }
            bell.await;
        }
    }

    /// Sends what is left, and ends; both together take at most `TELEMETRY_CLOSE_MS`. To be called before the engine is
    /// closed, so that the last of what happened can be read.
    pub async fn close(&self) {
        let sender = self.sender.lock().take();
        let closing = async {
            self.caught_up().await;
            self.stop.send_replace(true);
            if let Some(sender) = sender {
                let _ending = AbortOnDrop(sender.abort_handle());
                let _ = sender.await;
            }
        };
        // What cannot be sent in time is lost: whoever closes must not wait for a collector that is gone.
        let _ = timeout(Duration::from_millis(TELEMETRY_CLOSE_MS), closing).await;
        if let Some(follower) = self.follower.lock().take() {
            follower.abort();
        }
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        for task in [self.follower.lock().take(), self.sender.lock().take()].into_iter().flatten() {
            task.abort();
        }
    }
}

/// Ends a task when nobody waits for it any more.
struct AbortOnDrop(tokio::task::AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct Follower {
    engine: Engine,
    metrics: Metrics,
    /// Nothing where nothing is sent.
    queue: Option<Arc<Queue>>,
    progress: Ending,
    spans: Spans,
}

impl Follower {
    async fn run(mut self, mut subscription: Subscription) {
        loop {
            match subscription.next().await {
                Ok(Some(Notice::Event(message))) => self.take(&message).await,
                // It was too slow: everything is on disk, and it goes on where it was.
                Ok(Some(Notice::Dropped { resume_after })) => {
                    let Some(again) = self.again(resume_after) else { break };
                    subscription = again;
                }
                Ok(None) => break,
                Err(_) => {
                    // The store may be read again later.
                    self.engine.wait(TELEMETRY_WAIT_MS).await;
                    let Some(again) = self.again(subscription.position()) else { break };
                    subscription = again;
                }
            }
            self.metrics.saw(subscription.position());
            self.progress.0.bell.notify_waiters();
        }
    }

    fn again(&self, after: u64) -> Option<Subscription> {
        self.engine.subscribe_all(Filter::default(), Some(after)).ok()
    }

    async fn take(&mut self, message: &BusMessage) {
        if let Some(id) = self.spans.lacks(&message.payload) {
            self.learn(id, message).await;
        }
        let about = message.payload.handoff().and_then(|id| self.spans.followed(id));
        self.metrics.note(&message.payload, message.timestamp, about);
        let seen = Seen {
            tenant: &message.context.tenant,
            session: &message.context.session_id,
            at: message.timestamp,
            event: &message.payload,
        };
        let engine = &self.engine;
        let ended = self.spans.fold(seen, &|agent| model_of(engine, agent));
        self.send(ended);
    }

    fn send(&self, ended: Vec<Span>) {
        let Some(queue) = self.queue.as_ref().filter(|_| !ended.is_empty()) else { return };
        let dropped = queue.add(ended);
        if dropped > 0 {
            self.metrics.registry().add(Metric::SpansDropped, &["queue_full"], number(dropped as u64));
        }
    }

    /// Reads what happened to a handoff before. Its spans that ended then were for whoever followed it then.
    async fn learn(&mut self, id: HandoffId, message: &BusMessage) {
        let Ok(records) = self.engine.trace_any(id).await else { return };
        let seq = message.id.rsplit('#').next().and_then(|seq| seq.parse::<u64>().ok()).unwrap_or(0);
        let engine = &self.engine;
        for record in records.iter().filter(|record| record.seq < seq) {
            let seen = Seen {
                tenant: &record.tenant,
                session: &record.session_id,
                at: record.timestamp,
                event: &record.event,
            };
            self.spans.fold(seen, &|agent| model_of(engine, agent));
        }
    }
}

fn model_of(engine: &Engine, agent: &AgentId) -> ModelOf {
    let Ok(known) = engine.agent(agent) else { return ModelOf::default() };
    ModelOf { model: known.profile.model.clone(), provider: known.profile.provider.clone() }
}
