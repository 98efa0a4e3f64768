//! Agents that live in a node, and timers: each piece of work is done once, by whoever has room for it.

use crate::{
    cluster::Cluster,
    common::{delegation, id, session, success, until, words, workers},
};
use handover_core::{agent::Profile, command::Open, handoff::Status};
use handover_engine::{
    Engine,
    agent::{Done, Work, agent},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Code that counts how often it ran.
async fn counting(engine: &Engine, name: &str) -> Arc<AtomicUsize> {
    let count = Arc::new(AtomicUsize::new(0));
    let runs = count.clone();
    let run = move |_: Work| {
        runs.fetch_add(1, Ordering::SeqCst);
        async { Ok(Done::text("done")) }
    };
    engine.register(Profile::named(name).unwrap().at_once(2), agent(run)).await.unwrap();
    count
}

#[tokio::test]
async fn work_for_an_agent_of_another_node_gets_there() {
    let cluster = Cluster::new().await;
    let one = cluster.open("one").await;
    let two = cluster.open_in_background("two").await;
    workers(&one, &["planner"]).await;
    let runs = counting(&two, "pilot").await;
    one.catch_up().await.unwrap();
    let result = one.delegate(&session("s"), delegation("planner", "pilot")).await.unwrap();
    assert_eq!(result.result.body, serde_json::json!("done"));
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_agent_that_lives_in_two_nodes_does_each_piece_once() {
    let cluster = Cluster::new().await;
    let one = cluster.open_in_background("one").await;
    let two = cluster.open_in_background("two").await;
    workers(&one, &["planner"]).await;
    let runs = [counting(&one, "pilot").await, counting(&two, "pilot").await];
    let mut tasks = Vec::new();
    for n in 0..30 {
        let engine = if n % 3 == 0 { two.clone() } else { one.clone() };
        let name = session(&format!("s{n}"));
        tasks.push(tokio::spawn(async move {
            engine.open_session(&name, Open::by("planner").unwrap()).await.unwrap();
            engine.delegate(&name, delegation("planner", "pilot")).await.unwrap()
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(runs.iter().map(|runs| runs.load(Ordering::SeqCst)).sum::<usize>(), 30);
    one.verify().await.unwrap();
}

#[tokio::test]
async fn what_is_due_is_handled_once() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner", "pilot"]).await;
    let handoff = one.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    let taken = one.accept(handoff, &id("pilot"), Some(600_000), None).await.unwrap();
    cluster.clock().advance(Duration::from_secs(61));
    let (first, second) = tokio::join!(one.run_due(), two.run_due());
    assert_eq!(first.unwrap() + second.unwrap(), 1);
    assert_eq!(words(&one, "s").await.iter().filter(|word| *word == "reminded").count(), 1);
    two.give_back(handoff, taken.lease, success("just in time"), None).await.unwrap();
}

#[tokio::test]
async fn one_node_has_a_chore() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    assert!(one.take_chore("bus", 5_000).await.unwrap());
    assert!(!two.take_chore("bus", 5_000).await.unwrap());
    assert!(two.take_chore("another", 5_000).await.unwrap());
    assert!(one.take_chore("bus", 5_000).await.unwrap(), "it keeps it by asking");
    let nodes = two.nodes().await.unwrap();
    assert_eq!(nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(nodes.iter().filter(|node| node.this).count(), 1);
    one.cover().await.unwrap();
    assert_eq!(one.live_nodes(), 2);
    workers(&one, &["planner", "pilot"]).await;
    one.seal().await.unwrap();
    two.seal().await.unwrap();
    one.close().await.unwrap();
    assert_eq!(two.nodes().await.unwrap().len(), 1, "whoever leaves is gone at once");
    two.verify().await.unwrap();
}

#[tokio::test]
async fn a_lease_that_ends_elsewhere_stops_the_work_here() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner"]).await;
    let alive = Arc::new(());
    let held = alive.clone();
    let endless = move |_: Work| {
        let held = held.clone();
        async move {
            let () = std::future::pending().await;
            drop(held);
            Ok(Done::text("never"))
        }
    };
    one.register(Profile::named("pilot").unwrap(), agent(endless)).await.unwrap();
    let handoff = one.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    one.accepted(handoff).await.unwrap();
    until(|| Arc::strong_count(&alive) == 3).await;
    two.cancel(handoff, "planner", "no need").await.unwrap();
    until(|| Arc::strong_count(&alive) == 2).await;
    assert_eq!(one.handoff(handoff).await.unwrap().status(), Status::Cancelled);
}
