//! What a store tells while it is used, passed on to the engine that stands on it. The store comes first: what it tells
//! before there is an engine is only noted.

use super::foreign;
use crate::{
    engine::{Engine, Inner},
    feed::Feed,
};
use handover_core::access::Caller;
use handover_store::Hooks;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};

/// Where a store tells an engine something.
#[derive(Clone, Default)]
pub(crate) struct Ear(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    engine: Option<(Weak<Inner>, Arc<Caller>)>,
    /// Something was told before there was an engine.
    missed: bool,
}

impl Ear {
    /// What the store is given.
    pub(crate) fn hooks(&self, feed: &Feed) -> Hooks {
        let (publisher, foreign, fenced) = (feed.clone(), self.clone(), self.clone());
        Hooks {
            on_commit: Some(Box::new(move |last, records| publisher.publish(last, records))),
            on_foreign: Some(Box::new(move |records| {
                if let Some(engine) = foreign.engine() {
                    foreign::hear(&engine, records);
                }
            })),
            on_fenced: Some(Box::new(move || {
                if let Some(engine) = fenced.engine() {
                    foreign::fenced(&engine);
                }
            })),
        }
    }

    /// From now on this engine is told. Gives whether it missed something.
    pub(crate) fn bind(&self, engine: &Engine) -> bool {
        let mut state = self.0.lock();
        state.engine = Some((Arc::downgrade(&engine.inner), engine.caller.clone()));
        state.missed
    }

    fn engine(&self) -> Option<Engine> {
        let mut state = self.0.lock();
        let Some((inner, caller)) = &state.engine else {
            state.missed = true;
            return None;
        };
        Some(Engine { inner: inner.upgrade()?, caller: caller.clone(), look: None })
    }
}
