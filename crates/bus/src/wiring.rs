//! What the bus asks of whoever knows the other nodes. A node that is alone has every turn, and nothing to look for.

use futures_util::future::BoxFuture;
use std::sync::Arc;

/// Whether a chore that one node does for all is for this one, for so many milliseconds from now.
pub type MyTurn = Arc<dyn Fn(&'static str, u64) -> BoxFuture<'static, bool> + Send + Sync>;

/// Looks soon for what other nodes wrote.
pub type LookNow = Arc<dyn Fn() + Send + Sync>;

/// What the bus asks for.
#[derive(Clone)]
pub struct Wiring {
    /// Whether it is this node that publishes.
    pub turn: MyTurn,
    /// A bell was rung.
    pub look: LookNow,
}

impl Default for Wiring {
    fn default() -> Self {
        Self { turn: Arc::new(|_, _| Box::pin(async { true })), look: Arc::new(|| {}) }
    }
}
