//! What other processes wrote, as far as it concerns this one: who waits here is woken, what runs here without a lease
//! stops, and what is remembered is noted as old.

use crate::engine::Engine;
use handover_core::ids::{AgentId, GroupId, HandoffId};
use handover_store::StoredRecord;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::{borrow::Cow, sync::atomic::Ordering};

/// After these a handoff may be on offer.
const OFFERING: [&str; 6] = ["initiated", "approved", "offered", "rerouted", "lease_lost", "answered"];
/// With these it is over.
const CLOSING: [&str; 5] = ["completed", "failed", "timeout", "escalated", "cancelled"];

/// What is read of a record: as little as there is a use for.
#[derive(Deserialize)]
struct Told<'a> {
    #[serde(borrow)]
    tenant: Cow<'a, str>,
    #[serde(borrow)]
    event_type: Cow<'a, str>,
    #[serde(default)]
    handoff_id: Option<HandoffId>,
    #[serde(default)]
    to_agent: Option<AgentId>,
    #[serde(borrow)]
    event: &'a RawValue,
}

#[derive(Deserialize)]
struct Decided {
    group: GroupId,
}

/// Others wrote these. Quick, and without a look at the store.
pub(crate) fn hear(engine: &Engine, records: &[StoredRecord]) {
    let Some(shared) = &engine.inner.shared else { return };
    for stored in records {
        if stored.session_id.is_house() {
            engine.hear_book(shared, stored);
        }
        // Before anybody is woken: whoever looks then looks at the store.
        engine.inner.cache.heard(&stored.session_id, stored.seq);
        if !stored.session_id.is_house()
            && let Ok(told) = serde_json::from_str::<Told<'_>>(&stored.text)
        {
            pass_on(engine, &told);
        }
    }
    shared.ring();
}

fn pass_on(engine: &Engine, told: &Told<'_>) {
    let word = told.event_type.as_ref();
    if word == "group_decided"
        && let Ok(decided) = serde_json::from_str::<Decided>(told.event.get())
    {
        engine.inner.waiters.wake(decided.group.0);
    }
    let Some(id) = told.handoff_id else { return };
    if CLOSING.contains(&word) {
        engine.inner.cache.forget_place(id);
    }
    engine.inner.waiters.wake(id.0);
    // Whoever runs it here looks whether its lease still holds.
    engine.stop_local(id);
    if let Some(agent) = told.to_agent.as_ref().filter(|_| OFFERING.contains(&word)) {
        engine.inner.claims.ring(agent, &told.tenant);
        engine.offered_elsewhere(agent);
    }
}

/// Others took this process for gone, and its work with it. Nothing that it remembers is to be trusted, and nothing that
/// it runs is its own.
pub(crate) fn fenced(engine: &Engine) {
    let Some(shared) = &engine.inner.shared else { return };
    shared.fences.fetch_add(1, Ordering::SeqCst);
    shared.distrusted.store(true, Ordering::SeqCst);
    engine.inner.cache.distrust();
    for stop in engine.inner.running.lock().values().flatten() {
        stop.notify_one();
    }
    engine.inner.waiters.wake_all();
    shared.ring();
}
