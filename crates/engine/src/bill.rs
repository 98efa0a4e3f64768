//! The bill of a model that was asked: charged with the decision that it was asked for, and by itself where that came to
//! nothing or whoever asked went away.

use crate::{engine::Engine, finish::finish};
use handover_core::{
    budget::Usage,
    command::Command,
    ids::{AgentId, SessionId},
    route::PickUsed,
};
use parking_lot::Mutex;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio::runtime::Handle;

/// Where a model that picks says what it used. What is said here is charged, also when the model then fails, takes too
/// long or is not needed any more.
#[derive(Debug, Default)]
pub struct Meter(Mutex<PickUsed>);

impl Meter {
    /// Adds the tokens of one call. The price table says what they cost.
    pub fn add(&self, usage: Usage) {
        self.0.lock().add(usage, 0.0);
    }

    /// Adds the tokens of one call, and what it cost as the model says.
    pub fn add_priced(&self, usage: Usage, cost: f64) {
        self.0.lock().add(usage, cost);
    }

    /// The sums so far.
    #[must_use]
    pub fn used(&self) -> PickUsed {
        self.0.lock().clone()
    }
}

/// What is to be charged for one question. Whoever drops it unpaid has it charged beside.
pub(crate) struct Bill {
    engine: Engine,
    session: SessionId,
    by: AgentId,
    pub(crate) meter: Arc<Meter>,
    /// Set by whoever commits the charge together with a decision.
    pub(crate) paid: Arc<AtomicBool>,
    /// What the decision charges.
    answered: PickUsed,
    /// What is charged by now, beside a decision or with it.
    charged: Option<PickUsed>,
    /// Where it is charged when it is dropped; there is none where the caller brings a runtime of another kind.
    runtime: Option<Handle>,
}

impl Bill {
    pub(crate) fn new(engine: &Engine, session: &SessionId, by: &AgentId) -> Self {
        Self {
            engine: engine.clone(),
            session: session.clone(),
            by: by.clone(),
            meter: Arc::default(),
            paid: Arc::default(),
            answered: PickUsed::default(),
            charged: None,
            runtime: Handle::try_current().ok(),
        }
    }

    /// What was used by now, which the decision charges.
    pub(crate) fn so_far(&mut self) -> PickUsed {
        self.answered = self.meter.used();
        self.answered.clone()
    }

    /// Charges what is not paid, and waits until it is on disk.
    pub(crate) async fn pay(mut self) {
        if let Some(charge) = self.charge() {
            finish(charge).await;
        }
    }

    /// Charges what is not charged yet. A model that is stopped may say what it used after the decision was made.
    fn charge(&mut self) -> Option<impl Future<Output = ()> + Send + 'static> {
        let all = self.meter.used();
        let paid = self.paid.load(Ordering::SeqCst).then(|| self.answered.clone());
        let used = all.since(&self.charged.take().or(paid).unwrap_or_default());
        self.charged = Some(all);
        if used.is_nothing() {
            return None;
        }
        let (engine, session) = (self.engine.clone(), self.session.clone());
        let command = Command::ChargePick { by: self.by.clone(), used };
        // The store says so itself when it cannot write; there is nobody here to tell.
        Some(async move { drop(engine.submit_as_engine(&session, command).await) })
    }
}

impl Drop for Bill {
    fn drop(&mut self) {
        if let (Some(charge), Some(runtime)) = (self.charge(), &self.runtime) {
            runtime.spawn(charge);
        }
    }
}
