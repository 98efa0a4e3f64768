//! Sessions that several nodes write to: none decides by what is old, and nothing is done twice.

use crate::{
    cluster::Cluster,
    common::{delegation, id, session, success, user, words, workers},
};
use handover_core::{
    command::{Open, Write},
    handoff::Status,
    refusal::Code,
};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_node_that_heard_nothing_reads_what_is_stored() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner", "pilot"]).await;
    assert_eq!(two.session(&session("s")).await.unwrap().open.len(), 0);
    cluster.deafen("two").await;
    let handoff = one.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    assert_eq!(two.session(&session("s")).await.unwrap().open.len(), 1);
    one.accept(handoff, &id("pilot"), None, None).await.unwrap();
    assert_eq!(two.handoff(handoff).await.unwrap().status(), Status::Running);
    one.open_session(&session("t"), Open::by("planner").unwrap()).await.unwrap();
    assert_eq!(two.session(&session("t")).await.unwrap().id, session("t"), "it was not known to be missing");
}

#[tokio::test]
async fn what_somebody_else_wrote_first_is_decided_upon_again() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner", "pilot"]).await;
    two.say(&session("s"), vec![user("from two")]).await.unwrap();
    for name in ["one", "two"] {
        cluster.deafen(name).await;
    }
    for round in 0..5 {
        one.say(&session("s"), vec![user(&format!("one {round}"))]).await.unwrap();
        two.say(&session("s"), vec![user(&format!("two {round}"))]).await.unwrap();
    }
    assert_eq!(one.messages(&session("s"), 1, 100).await.unwrap().len(), 11);
    let write = |value: u64| Write { name: "n".into(), value: json!(value), expected_version: Some(value) };
    one.set(&session("s"), &id("planner"), vec![write(0)]).await.unwrap();
    two.set(&session("s"), &id("planner"), vec![write(1)]).await.unwrap();
    let old = one.set(&session("s"), &id("planner"), vec![write(1)]).await.unwrap_err();
    assert_eq!(old.code(), Code::VersionConflict, "what was decided by an old value is still refused: {old}");
    one.verify().await.unwrap();
}

#[tokio::test]
async fn many_at_once_on_one_session_all_come_through() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner", "pilot"]).await;
    let mut tasks = Vec::new();
    for n in 0..40 {
        let engine = if n % 2 == 0 { one.clone() } else { two.clone() };
        tasks.push(tokio::spawn(async move { engine.say(&session("s"), vec![user(&n.to_string())]).await }));
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(two.messages(&session("s"), 1, 100).await.unwrap().len(), 40);
    two.verify().await.unwrap();
}

#[tokio::test]
async fn a_refusal_rests_on_what_is_stored() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner", "pilot"]).await;
    let handoff = one.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    let lease = two.accept(handoff, &id("pilot"), Some(1_000), None).await.unwrap().lease;
    // The first one knows that somebody works on it, and hears of nothing after that.
    assert_eq!(one.accept(handoff, &id("pilot"), None, None).await.unwrap_err().code(), Code::AlreadyRunning);
    cluster.deafen("one").await;
    cluster.clock().advance(Duration::from_secs(2));
    assert_eq!(two.run_due().await.unwrap(), 1, "its holder was silent for too long");
    assert_eq!(two.give_back(handoff, lease, success("late"), None).await.unwrap_err().code(), Code::StaleLease);
    // By what it remembers it would refuse both.
    let taken = one.accept(handoff, &id("pilot"), None, None).await.unwrap();
    cluster.deafen("two").await;
    one.give_back(handoff, taken.lease, success("done"), None).await.unwrap();
    assert_eq!(two.give_back(handoff, lease, success("late"), None).await.unwrap_err().code(), Code::Closed);
    assert_eq!(words(&two, "s").await.iter().filter(|word| *word == "completed").count(), 1);
    two.verify().await.unwrap();
}

#[tokio::test]
async fn the_same_key_on_another_node_gives_the_first_answer() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner", "pilot"]).await;
    two.session(&session("s")).await.unwrap();
    cluster.deafen("two").await;
    let request = || delegation("planner", "pilot").key("k");
    let first = one.initiate(&session("s"), request()).await.unwrap();
    assert_eq!(two.initiate(&session("s"), request()).await.unwrap(), first);
    let mut tasks = Vec::new();
    for n in 0..8 {
        let engine = if n % 2 == 0 { one.clone() } else { two.clone() };
        let request = delegation("planner", "pilot").key("at once");
        tasks.push(tokio::spawn(async move { engine.initiate(&session("s"), request).await.unwrap().handoffs }));
    }
    let mut made = Vec::new();
    for task in tasks {
        made.extend(task.await.unwrap());
    }
    made.dedup();
    assert_eq!(made.len(), 1);
    assert_eq!(words(&one, "s").await.iter().filter(|word| *word == "initiated").count(), 2);
    // A session that the second one knows not to be there, and a key within it.
    assert!(two.session(&session("t")).await.is_err());
    one.open_session(&session("t"), Open::by("planner").unwrap()).await.unwrap();
    let first = one.initiate(&session("t"), request()).await.unwrap();
    assert_eq!(two.initiate(&session("t"), request()).await.unwrap(), first);
}
