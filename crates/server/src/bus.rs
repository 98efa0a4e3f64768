//! How the bus is, as whoever puts the engine on one says: for `/health/ready` and the metrics.

use handover_telemetry::{Metrics, metrics::Metric};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// How the bus is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BusHealth {
    /// Whether its server answers.
    pub connected: bool,
    /// Whether it is this node that publishes.
    pub publishing: bool,
    /// How many records are not known to be on it yet.
    pub lag: u64,
    /// Whether nothing is wrong with it. What is wrong is in the log.
    pub well: bool,
}

/// Asks how the bus is.
#[derive(Clone)]
pub struct AskBus(Arc<dyn Fn() -> BusHealth + Send + Sync>);

impl AskBus {
    /// By this.
    pub fn new(ask: impl Fn() -> BusHealth + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }

    /// How it is now.
    #[must_use]
    pub fn now(&self) -> BusHealth {
        (self.0)()
    }

    pub(crate) fn measure(&self, metrics: &Metrics) {
        let health = self.now();
        let lag = u32::try_from(health.lag).map_or(f64::from(u32::MAX), f64::from);
        metrics.registry().set(Metric::BusLag, &[], lag);
        metrics.registry().set(Metric::BusConnected, &[], f64::from(u8::from(health.connected)));
    }
}

impl std::fmt::Debug for AskBus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AskBus({:?})", self.now())
    }
}
