//! Metrics: counted from the feed and by whoever serves, completed by what the engine knows, told in two forms.

mod fold;
mod registry;
pub mod table;
mod text;

pub use registry::{OTHER, Point, Registry, Snapshot};
pub use table::{Metric, MetricKind};
pub use text::{CONTENT_TYPE, text};

use handover_core::{handoff::Status, time::Timestamp};
use handover_engine::Engine;
use std::sync::{
    Arc,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

/// All metrics of a process. Cheap to clone; all clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Metrics {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    registry: Registry,
    in_flight: AtomicI64,
    listeners: AtomicI64,
    /// The position of the feed up to which these metrics have seen everything.
    seen: AtomicU64,
    /// When counting began, in milliseconds since 1970; 0 before that.
    since: AtomicI64,
}

/// Something that goes on, counted until it is dropped.
#[derive(Debug)]
pub struct GoingOn {
    inner: Arc<Inner>,
    metric: Metric,
}

impl Drop for GoingOn {
    fn drop(&mut self) {
        self.inner.count_of(self.metric).fetch_sub(1, Ordering::Relaxed);
    }
}

impl Inner {
    fn count_of(&self, metric: Metric) -> &AtomicI64 {
        if metric == Metric::Listeners { &self.listeners } else { &self.in_flight }
    }
}

impl Metrics {
    /// Where it is counted.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    /// A request that was answered. The route is its pattern and never its path, so that there are only so many.
    pub fn http(&self, method: &str, route: &str, status: u16, seconds: f64) {
        self.registry().count(Metric::HttpRequests, &[method, route, &status.to_string()]);
        self.registry().observe(Metric::HttpSeconds, &[method, route], seconds);
    }

    /// A request that is being answered, until what is given back is dropped.
    #[must_use]
    pub fn http_in_flight(&self) -> GoingOn {
        self.going_on(Metric::HttpInFlight)
    }

    /// Somebody who listens to live events, until what is given back is dropped.
    #[must_use]
    pub fn sse_listener(&self) -> GoingOn {
        self.going_on(Metric::Listeners)
    }

    /// A request above a rate limit.
    pub fn rate_limited(&self) {
        self.registry().count(Metric::RateLimited, &[]);
    }

    /// A request without a key that allows it.
    pub fn denied(&self) {
        self.registry().count(Metric::Denied, &[]);
    }

    /// All metrics as Prometheus reads them, as they are now.
    pub async fn render(&self, engine: &Engine) -> String {
        text(&self.read(engine).await)
    }

    /// All metrics as they are now.
    pub async fn read(&self, engine: &Engine) -> Vec<Snapshot> {
        self.look(engine).await;
        self.registry().snapshot()
    }

    fn going_on(&self, metric: Metric) -> GoingOn {
        self.inner.count_of(metric).fetch_add(1, Ordering::Relaxed);
        GoingOn { inner: self.inner.clone(), metric }
    }

    /// When counting began.
    pub(crate) fn since(&self) -> Timestamp {
        Timestamp(self.inner.since.load(Ordering::Relaxed))
    }

    pub(crate) fn begin(&self, now: Timestamp) {
        self.inner.since.store(now.0, Ordering::Relaxed);
    }

    pub(crate) fn seen(&self) -> u64 {
        self.inner.seen.load(Ordering::SeqCst)
    }

    pub(crate) fn saw(&self, position: u64) {
        self.inner.seen.fetch_max(position, Ordering::SeqCst);
    }

    /// Asks the engine for what it knows. What it cannot say is left as it was.
    async fn look(&self, engine: &Engine) {
        let registry = self.registry();
        if let Ok(totals) = engine.totals().await {
            let open = |status: &&Status| !status.is_closed();
            let count = |status: &Status| number(totals.by_status.get(status).copied().unwrap_or(0));
            let by_status = Status::ALL.iter().filter(open).map(|s| (vec![s.word().to_owned()], count(s)));
            registry.replace(Metric::HandoffsOpen, by_status);
            registry.set(Metric::ApprovalsWaiting, &[], count(&Status::AwaitingApproval));
            registry.set(Metric::SessionsActive, &[], number(totals.active_sessions));
        }
        self.look_at_agents(engine);
        let counted = engine.counted();
        let refusals = counted.refusals.iter().map(|(code, n)| (vec![code.text().to_owned()], number(*n)));
        registry.replace(Metric::Refusals, refusals);
        registry.set(Metric::Commits, &[], number(counted.commits));
        registry.set(Metric::Batches, &[], number(counted.batches));
        registry.set(Metric::Stopped, &[], f64::from(u8::from(engine.stopped().is_some())));
        registry.set(Metric::Nodes, &[], number(engine.live_nodes() as u64));
        let apart = engine.clock_apart_ms();
        let seconds = number(apart.unsigned_abs()) / 1_000.0;
        registry.set(Metric::ClockApart, &[], if apart < 0 { -seconds } else { seconds });
        let position = engine.feed_position();
        registry.set(Metric::FeedPosition, &[], number(position));
        registry.set(Metric::FeedLag, &[], number(position.saturating_sub(self.seen())));
        for metric in [Metric::HttpInFlight, Metric::Listeners] {
            let now = self.inner.count_of(metric).load(Ordering::Relaxed);
            registry.set(metric, &[], number(u64::try_from(now).unwrap_or(0)));
        }
    }

    fn look_at_agents(&self, engine: &Engine) {
        let agents = engine.agents();
        let standings = agents.iter().map(|agent| (vec![crate::steps::word(&agent.standing)], 1.0));
        self.registry().replace(Metric::Agents, standings);
        let of = |value: fn(&handover_core::agent::Agent) -> u32| {
            agents.iter().map(move |agent| (vec![agent.profile.id.to_string()], f64::from(value(agent))))
        };
        self.registry().replace(Metric::AgentLoad, of(|agent| agent.load));
        self.registry().replace(Metric::AgentQueue, of(|agent| agent.waiting));
        let breakers = engine.breakers().into_iter();
        let states = breakers.map(|(agent, view)| (vec![agent.to_string(), view.state.word().to_owned()], 1.0));
        self.registry().replace(Metric::Breaker, states);
    }
}

#[expect(clippy::cast_precision_loss, reason = "a metric needs no more than 53 bits")]
pub(crate) fn number(n: u64) -> f64 {
    n as f64
}
