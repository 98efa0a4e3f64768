//! What the bus asks of whoever knows the other nodes. A node that is alone has every turn, and nothing to look for.

use futures_util::future::BoxFuture;
use handover_engine::Engine;
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

impl Wiring {
    /// As the store that the engine shares with others says.
    #[must_use]
    pub fn of(engine: &Engine) -> Self {
        let (asks, looks) = (engine.clone(), engine.clone());
        Self {
            turn: Arc::new(move |chore, ms| {
                let engine = asks.clone();
                // A store that cannot be asked gives nobody a turn.
                Box::pin(async move { engine.take_chore(chore, ms).await.unwrap_or(false) })
            }),
            look: Arc::new(move || looks.look()),
        }
    }
}
