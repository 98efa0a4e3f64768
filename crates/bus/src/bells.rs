//! Bells: a node that wrote something rings, and the others look at once instead of a little later. They carry nothing and
//! may be lost.

use crate::{link::Link, subject};
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};
use handover_core::limits::{BUS_BELL_MS, BUS_RETRY_MS};
use handover_engine::{Filter, Notice};
use std::time::Duration;
use tokio::time::sleep;

/// Rings after what this node wrote, at most once in `BUS_BELL_MS`.
pub async fn ring(link: Link) {
    let Some(subject) = subject_of(&link) else { return };
    let mut after = None;
    let mut rung = link.engine.counted().commits;
    while let Ok(mut feed) = link.engine.subscribe_all(Filter::default(), after) {
        loop {
            match feed.next().await {
                Ok(Some(Notice::Event(_))) => {}
                Ok(Some(Notice::Dropped { .. })) => break,
                Ok(None) => return,
                Err(_) => {
                    sleep(Duration::from_millis(BUS_RETRY_MS)).await;
                    break;
                }
            }
            rung = ring_after(&link, &subject, rung).await;
            sleep(Duration::from_millis(BUS_BELL_MS)).await;
            while let Some(Ok(Some(Notice::Event(_)))) = feed.next().now_or_never() {}
            rung = ring_after(&link, &subject, rung).await;
        }
        after = Some(link.engine.feed_position());
    }
}

/// Rings where this node wrote something since it last rang. Others ring for what they wrote.
async fn ring_after(link: &Link, subject: &str, rung: u64) -> u64 {
    let wrote = link.engine.counted().commits;
    if wrote != rung {
        let name = Bytes::from(link.settings.node.clone());
        // A bell that is lost makes others slower and nothing else.
        let _ = link.client.publish(subject.to_owned(), name).await;
    }
    wrote
}

/// Looks when others ring.
pub async fn listen(link: Link) {
    let Some(subject) = subject_of(&link) else { return };
    loop {
        if let Ok(mut bells) = link.client.subscribe(subject.clone()).await {
            while let Some(bell) = bells.next().await {
                if bell.payload != link.settings.node.as_bytes() {
                    (link.wiring.look)();
                }
            }
        }
        sleep(Duration::from_millis(BUS_RETRY_MS)).await;
    }
}

fn subject_of(link: &Link) -> Option<String> {
    let store = link.settings.bell.as_ref()?;
    Some(subject::of_bell(&link.settings.prefix, store))
}
