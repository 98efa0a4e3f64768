//! The way from a front to an engine: in this process, or wherever else one is.

use crate::call::{Call, Fault, What, carry_out};
use async_trait::async_trait;
use handover_engine::Engine;
use rmcp::{ErrorData, model::Extensions};
use serde_json::Value;
use std::sync::Arc;

/// A way to an engine, for one caller.
#[async_trait]
pub trait Way: Send + Sync + 'static {
    /// Asks. The same key with the same question is carried out once.
    async fn ask(&self, what: What, key: &str) -> Result<Value, Fault>;

    /// Whose way it is, where clients of several callers reach this process.
    fn whose(&self) -> String {
        String::new()
    }
}

/// Finds the way of a request by what came with it.
pub type Ways = Arc<dyn Fn(&Extensions) -> Result<Arc<dyn Way>, ErrorData> + Send + Sync>;

/// An engine of this process.
pub(crate) struct Here {
    pub(crate) engine: Engine,
    pub(crate) agent: Option<String>,
}

#[async_trait]
impl Way for Here {
    async fn ask(&self, what: What, key: &str) -> Result<Value, Fault> {
        let call = Call { agent: self.agent.clone(), person: None, key: key.to_owned(), what };
        Box::pin(carry_out(&self.engine, call)).await
    }

    fn whose(&self) -> String {
        let caller = self.engine.caller();
        serde_json::json!([caller.tenant, caller.name, caller.acts_as, self.agent]).to_string()
    }
}
