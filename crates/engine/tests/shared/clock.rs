//! Time where a store is shared is the store's, and not that of the machine.

use crate::twin::Twins;
use handover_core::time::Timestamp;
use handover_engine::{
    Engine, Options,
    clock::{Clock, ManualClock},
};
use handover_store::Store;
use std::{sync::Arc, time::Duration};

#[tokio::test(flavor = "multi_thread")]
async fn a_node_goes_by_the_clock_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    // Years ahead of any machine.
    let theirs = ManualClock::at(Timestamp(4_000_000_000_000));
    let twins = Twins::open(&folder.path().join("shared.db"), theirs.clone());
    let engine = Engine::on_store(Options { background: false, ..Options::default() }, async |hooks| {
        Ok(Arc::new(twins.node("n1", hooks)) as Arc<dyn Store>)
    });
    let engine = Box::pin(engine).await.unwrap();
    assert!(engine.now() >= theirs.now() && engine.now().since(theirs.now()) < 60_000, "{:?}", engine.now());
    // It is set forward, and this one hears of it.
    theirs.advance(Duration::from_secs(3_600));
    assert!(engine.now() >= theirs.now(), "{:?}", engine.now());
    // It is set back: time goes on, and never back.
    let before = engine.now();
    theirs.set(Timestamp(3_900_000_000_000));
    assert!(engine.now() >= before);
    engine.close().await.unwrap();
}
