//! The place of a builtin agent in the engine.

use handover_core::time::Timestamp;
use handover_engine::agent::{Failure, Work};
use handover_teams::bench::Bench;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::time::Duration;

/// A piece of work, as an agent of a team sees it.
pub(super) struct AtWork<'a> {
    work: &'a Work,
}

impl<'a> AtWork<'a> {
    pub(super) fn new(work: &'a Work) -> Self {
        Self { work }
    }
}

impl Bench for AtWork<'_> {
    fn payload(&self) -> &Value {
        self.work.payload()
    }

    fn session(&self) -> &str {
        self.work.handoff().session_id.as_str()
    }

    fn now(&self) -> Timestamp {
        self.work.engine().now()
    }

    async fn step<T, R>(&self, name: &str, run: R) -> Result<T, Failure>
    where
        T: Serialize + DeserializeOwned + Send,
        R: Future<Output = T> + Send,
    {
        self.work.step(name, || async { Ok(run.await) }).await
    }

    async fn advance(&self, state: &str) -> Result<(), Failure> {
        Ok(self.work.move_state(state).await?)
    }

    async fn pause(&self, ms: u64) {
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }
}
