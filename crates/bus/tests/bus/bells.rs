//! Bells wake other nodes up, and not the one that rang.

use crate::house::{House, PATIENCE, until};
use futures_util::StreamExt;
use handover_bus::{Bus, BusSettings, Wiring};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::time::timeout;

fn counting(house: &House) -> (Wiring, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let looked = count.clone();
    let look = Arc::new(move || {
        looked.fetch_add(1, Ordering::SeqCst);
    });
    (Wiring { look, ..Wiring::of(&house.engine) }, count)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_wrote_rings_for_the_others() {
    let (mut house, other) = (House::new().await, House::new().await);
    house.settings.bell = Some("store".into());
    let mut elsewhere = BusSettings { node: "two".into(), ..house.settings.clone() };
    elsewhere.stream = other.settings.stream.clone();
    let ((mine, rung_here), (theirs, rung_there)) = (counting(&house), counting(&other));
    let _one = Bus::start(&house.engine, &house.settings, mine).await.unwrap();
    let _two = Bus::start(&other.engine, &elsewhere, theirs).await.unwrap();
    until(async || {
        house.talk("one", 1).await;
        rung_there.load(Ordering::SeqCst) > 0
    })
    .await;
    assert_eq!(rung_here.load(Ordering::SeqCst), 0, "it does not wake itself up");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_writes_ring_few_bells() {
    let mut house = House::new().await;
    house.settings.bell = Some("my store".into());
    let client = house.client().await;
    let mut bells = client.subscribe(format!("{}.bell.my%20store", house.settings.prefix)).await.unwrap();
    client.flush().await.unwrap();
    let _bus = house.bus().await;
    house.talk("one", 1).await;
    let bell = timeout(PATIENCE, bells.next()).await.unwrap().unwrap();
    assert_eq!(bell.payload, "one");
    let begun = std::time::Instant::now();
    house.talk("one", 300).await;
    let most = begun.elapsed().as_millis() / 5 * 2 + 4;
    client.flush().await.unwrap();
    let mut count = 0;
    while let Some(Some(_)) = futures_util::FutureExt::now_or_never(bells.next()) {
        count += 1;
    }
    assert!(count <= most, "{count} bells in the time of {most}");
}
