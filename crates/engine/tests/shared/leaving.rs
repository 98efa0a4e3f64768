//! Nodes that die, pause and come back: others go on with what they had, and they write nothing that is old.

use crate::{
    cluster::Cluster,
    common::{delegation, id, session, success, until, user, words, workers},
};
use handover_core::{
    agent::Profile,
    handoff::{Handoff, Status},
    ids::HandoffId,
};
use handover_engine::{
    Engine,
    agent::{Agent, Done, Failure, Reply, Work, agent},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;

/// Code that works until it is let go, and counts how often it began.
struct Slow {
    begun: Arc<AtomicUsize>,
    go: Arc<Semaphore>,
}

async fn slow(engine: &Engine, name: &str) -> Slow {
    let (begun, go) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let (count, wait) = (begun.clone(), go.clone());
    let run = move |_: Work| {
        count.fetch_add(1, Ordering::SeqCst);
        let wait = wait.clone();
        async move {
            wait.acquire().await?.forget();
            Ok(Done::text("done"))
        }
    };
    engine.register(Profile::named(name).unwrap(), agent(run)).await.unwrap();
    Slow { begun, go }
}

/// Two nodes, and the first one works on something.
async fn one_works(cluster: &Cluster) -> (Engine, Engine, Slow, HandoffId) {
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner"]).await;
    let pilot = slow(&one, "pilot").await;
    let handoff = one.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    one.accepted(handoff).await.unwrap();
    until(|| pilot.begun.load(Ordering::SeqCst) == 1).await;
    (one, two, pilot, handoff)
}

#[tokio::test]
async fn a_node_that_begins_leaves_the_work_of_others_alone() {
    let cluster = Cluster::new().await;
    let (one, two, pilot, handoff) = one_works(&cluster).await;
    let three = cluster.open("three").await;
    assert_eq!(three.cover().await.unwrap() + two.cover().await.unwrap(), 0);
    assert_eq!(three.agent(&id("pilot")).unwrap().load, 1);
    pilot.go.add_permits(1);
    assert_eq!(two.returned(handoff).await.unwrap().result.body, serde_json::json!("done"));
    assert_eq!(pilot.begun.load(Ordering::SeqCst), 1);
    one.verify().await.unwrap();
}

#[tokio::test]
async fn what_a_dead_node_worked_on_is_done_by_another() {
    let cluster = Cluster::new().await;
    let (one, two, _pilot, handoff) = one_works(&cluster).await;
    let other = slow(&two, "pilot").await;
    other.go.add_permits(1);
    assert_eq!(two.cover().await.unwrap(), 0);
    cluster.deafen("one").await;
    cluster.only_these_live(&["two"]).await;
    assert_eq!(two.cover().await.unwrap(), 1);
    assert_eq!(two.cover().await.unwrap(), 0, "whoever has it now keeps it");
    assert_eq!(two.returned(handoff).await.unwrap().result.body, serde_json::json!("done"));
    assert_eq!(other.begun.load(Ordering::SeqCst), 1);
    assert_eq!(two.live_nodes(), 1);
    drop(one);
    let done = words(&two, "s").await.into_iter().filter(|word| word == "completed").count();
    assert_eq!(done, 1);
    two.verify().await.unwrap();
}

#[tokio::test]
async fn a_node_that_slept_writes_nothing_old() {
    let cluster = Cluster::new().await;
    let (one, two, pilot, handoff) = one_works(&cluster).await;
    let other = slow(&two, "pilot").await;
    cluster.deafen("one").await;
    cluster.only_these_live(&["two"]).await;
    assert_eq!(two.cover().await.unwrap(), 1);
    until(|| other.begun.load(Ordering::SeqCst) == 1).await;
    // It wakes up in the middle of its work, and ends it; and somebody asks it for something else.
    pilot.go.add_permits(1);
    one.say(&session("s"), vec![user("still there?")]).await.unwrap();
    one.close().await.unwrap();
    other.go.add_permits(1);
    assert_eq!(two.returned(handoff).await.unwrap().result.body, serde_json::json!("done"));
    let told = words(&two, "s").await;
    let count = |word: &str| told.iter().filter(|told| *told == word).count();
    assert_eq!((count("accepted"), count("lease_lost"), count("completed")), (2, 1, 1), "{told:?}");
    assert_eq!(count("messages_appended"), 1, "what is not old is written");
    two.verify().await.unwrap();
}

#[tokio::test]
async fn whoever_was_taken_for_gone_stops_and_begins_anew() {
    let cluster = Cluster::new().await;
    let (one, two, pilot, handoff) = one_works(&cluster).await;
    cluster.only_these_live(&["two"]).await;
    // Found gone, and nobody else has this agent: it goes on with its own work as if it had come back.
    assert_eq!(two.cover().await.unwrap(), 1);
    one.say(&session("s"), vec![user("hello")]).await.unwrap();
    one.catch_up().await.unwrap();
    until(|| pilot.begun.load(Ordering::SeqCst) == 2).await;
    assert_eq!(two.cover().await.unwrap(), 0, "it is there again");
    pilot.go.add_permits(1);
    assert_eq!(one.returned(handoff).await.unwrap().result.body, serde_json::json!("done"));
    assert_eq!(two.nodes().await.unwrap().len(), 2);
    one.verify().await.unwrap();
}

#[tokio::test]
async fn timers_of_a_dead_node_go_on() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner", "pilot"]).await;
    let handoff = one.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    one.accept(handoff, &id("pilot"), Some(1_000), None).await.unwrap();
    cluster.deafen("one").await;
    drop(one);
    cluster.clock().advance(Duration::from_secs(2));
    assert_eq!(two.run_due().await.unwrap(), 1);
    assert_eq!(two.handoff(handoff).await.unwrap().status(), Status::Offered, "its holder was silent for too long");
    let taken = two.claim(&id("pilot"), None, None, None).await.unwrap().unwrap();
    two.give_back(handoff, taken.lease, success("done"), None).await.unwrap();
    two.verify().await.unwrap();
}

#[tokio::test]
async fn a_node_that_closes_leaves_its_work_to_the_others() {
    let cluster = Cluster::new().await;
    let (one, two, pilot, handoff) = one_works(&cluster).await;
    let closing = tokio::spawn({
        let one = one.clone();
        async move { one.close().await }
    });
    until(|| one.is_closing()).await;
    // It is given time to end what it has, and this one does not.
    let over = Duration::from_millis(handover_core::limits::CLOSE_MS + 1);
    for _ in 0..3 {
        tokio::task::yield_now().await;
    }
    cluster.clock().advance(over);
    closing.await.unwrap().unwrap();
    assert_eq!(two.cover().await.unwrap(), 1);
    let other = slow(&two, "pilot").await;
    other.go.add_permits(1);
    assert_eq!(two.returned(handoff).await.unwrap().result.body, serde_json::json!("done"));
    assert_eq!(pilot.begun.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn whoever_hears_nothing_stops_when_it_wakes_up() {
    let cluster = Cluster::new().await;
    let (one, two, pilot, handoff) = one_works(&cluster).await;
    cluster.deafen("one").await;
    cluster.only_these_live(&["two"]).await;
    assert_eq!(two.cover().await.unwrap(), 1);
    let taken = two.claim(&id("pilot"), None, None, None).await.unwrap().unwrap();
    // All that it learns is that others took it for gone, when it writes for the first time.
    one.say(&session("s"), vec![user("hello")]).await.unwrap();
    until(|| Arc::strong_count(&pilot.go) == 2).await;
    two.give_back(handoff, taken.lease, success("done"), None).await.unwrap();
    assert_eq!(one.returned(handoff).await.unwrap().result.body, serde_json::json!("done"));
}

/// Takes its time before it takes an offer.
struct Thoughtful {
    asked: Arc<AtomicUsize>,
    go: Arc<Semaphore>,
}

#[async_trait::async_trait]
impl Agent for Thoughtful {
    async fn consider(&self, _: &Handoff) -> Reply {
        self.asked.fetch_add(1, Ordering::SeqCst);
        drop(self.go.acquire().await);
        Reply::Accept
    }
    async fn run(&self, _: Work) -> Result<Done, Failure> {
        Ok(Done::text("done"))
    }
}

#[tokio::test]
async fn what_is_taken_while_the_node_begins_anew_is_carried_out() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner"]).await;
    let (asked, go) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let pilot = Thoughtful { asked: asked.clone(), go: go.clone() };
    one.register(Profile::named("pilot").unwrap(), pilot).await.unwrap();
    let handoff = one.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    until(|| asked.load(Ordering::SeqCst) == 1).await;
    cluster.only_these_live(&["two"]).await;
    assert_eq!(two.cover().await.unwrap(), 0);
    // Its acceptance is the first thing that it writes after that.
    go.add_permits(1);
    assert_eq!(two.returned(handoff).await.unwrap().result.body, serde_json::json!("done"));
    let told = words(&two, "s").await;
    assert_eq!(told.iter().filter(|told| *told == "accepted").count(), 1, "{told:?}");
}
