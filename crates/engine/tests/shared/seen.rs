//! What one node registers, keeps and says, the others know: agents, keys, workflows, events, the feed.

use crate::{
    cluster::Cluster,
    common::{book, delegation, id, session, success, user, workers},
};
use handover_core::{
    access::{Denial, NewKey, Role},
    agent::{AgentKind, Profile, Standing},
    limits::{HEALTH_FAILURES_MAX, HEALTH_MS},
    refusal::Code,
    workflow::Workflow,
};
use handover_engine::{
    Engine, EventRule, Filter, Notice, Start,
    agent::{Agent, Done, Failure, Work},
};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

fn worker(name: &str) -> Profile {
    Profile::named(name).unwrap().kind(AgentKind::Worker)
}

fn workflow(name: &str, agent: &str) -> Workflow {
    let flow = json!({
        "name": name, "agents": {agent: {}}, "start": "LOOKING",
        "states": {"LOOKING": {"agent": agent}, "DONE": {"end": "completed"}},
        "rules": [{"id": "1", "from": agent, "reason": "there it is", "next_state": "DONE"}]
    });
    serde_json::from_value(flow).unwrap()
}

fn standing(engine: &Engine, name: &str) -> Standing {
    engine.agent(&id(name)).unwrap().standing
}

#[tokio::test]
async fn agents_of_one_node_are_known_to_the_other() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner"]).await;
    one.register_profile(worker("pilot")).await.unwrap();
    cluster.hear("two").await;
    assert_eq!(two.agents().len(), 2);
    cluster.deafen("two").await;
    one.register_profile(worker("nurse")).await.unwrap();
    // Nobody told it, and nothing is refused for that.
    two.initiate(&session("s"), delegation("planner", "nurse")).await.unwrap();
    one.drain(&id("pilot"), true).await.unwrap();
    let refused = two.initiate(&session("s"), delegation("planner", "pilot").key("k")).await;
    two.catch_up().await.unwrap();
    assert_eq!(standing(&two, "pilot"), Standing::Draining, "{refused:?}");
    // Both change the directory, each by what the other one wrote.
    two.register_profile(worker("pilot").about("jets", "flies")).await.unwrap();
    assert_eq!(standing(&two, "pilot"), Standing::Draining, "it stays so until somebody says otherwise");
    one.register_profile(worker("clerk")).await.unwrap();
    two.remove_agent(&id("clerk")).await.unwrap();
    one.catch_up().await.unwrap();
    assert_eq!(one.agent(&id("clerk")).unwrap_err().code(), Code::UnknownAgent);
    assert_eq!(one.agent(&id("pilot")).unwrap().profile.specialization, "jets");
    cluster.hear("two").await;
    let names =
        |engine: &Engine| -> Vec<String> { engine.agents().iter().map(|agent| agent.profile.id.to_string()).collect() };
    assert_eq!(names(&one), names(&two));
    one.verify().await.unwrap();
}

#[tokio::test]
async fn two_nodes_register_at_the_same_time() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    let mut tasks = Vec::new();
    for n in 0..20 {
        let engine = if n % 2 == 0 { one.clone() } else { two.clone() };
        tasks.push(tokio::spawn(async move { engine.register_profile(worker(&format!("w{}", n / 2))).await }));
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    for engine in [&one, &two] {
        engine.catch_up().await.unwrap();
        assert_eq!(engine.agents().len(), 10);
    }
    let registered = book(&one).await.iter().filter(|record| record.event_type == "agent_registered").count();
    assert_eq!(registered, 10, "the same profile is written once");
    one.verify().await.unwrap();
}

#[tokio::test]
async fn keys_open_and_close_everywhere() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    let (key, token) = one.make_key(NewKey::of("ci", Role::Viewer)).await.unwrap();
    two.catch_up().await.unwrap();
    assert_eq!(two.key_of(&token).unwrap().id, key.id);
    // Each makes, rotates and takes back by what the other one did, heard of or not.
    for name in ["one", "two"] {
        cluster.deafen(name).await;
    }
    let (other, other_token) = two.make_key(NewKey::of("cd", Role::Viewer)).await.unwrap();
    let (renewed, _) = one.rotate_key(&other.id, 0).await.unwrap();
    assert_eq!(two.rotate_key(&other.id, 0).await.unwrap_err().code(), Code::Closed);
    two.revoke_key(&key.id).await.unwrap();
    for engine in [&one, &two] {
        engine.catch_up().await.unwrap();
        assert_eq!(engine.key_of(&token), Err(Denial::Revoked));
        assert_eq!(engine.key_of(&other_token), Err(Denial::Revoked));
        assert!(engine.key_by_id(&renewed.id).is_some());
        assert_eq!(engine.keys().await.unwrap().len(), 3);
    }
    one.verify().await.unwrap();
}

#[tokio::test]
async fn workflows_and_rules_are_kept_for_all() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner", "pilot"]).await;
    cluster.deafen("two").await;
    one.define(workflow("first", "pilot")).await.unwrap();
    two.define(workflow("second", "pilot")).await.unwrap();
    one.define(workflow("third", "pilot")).await.unwrap();
    two.catch_up().await.unwrap();
    let rule = EventRule {
        name: "alarm".into(),
        on: "alarm".into(),
        from_agent: id("planner"),
        to_agent: Some(id("pilot")),
        capability: None,
        task: "look".into(),
        priority: Default::default(),
    };
    one.on_event(rule.clone()).await.unwrap();
    assert_eq!(two.event_rules().await.unwrap(), [rule]);
    for engine in [&one, &two] {
        engine.catch_up().await.unwrap();
        let names: Vec<String> = engine.workflows().iter().map(|workflow| workflow.name.clone()).collect();
        assert_eq!(names, ["first", "second", "third"]);
    }
    two.start(&session("w"), Start::of("third", id("planner"))).await.unwrap();
    let step = one.claim(&id("pilot"), None, None, None).await.unwrap().unwrap();
    one.give_back(step.handoff.id, step.lease, success("found"), None).await.unwrap();
    assert!(two.ended(&session("w")).await.unwrap().ended_at.is_some());
    one.verify().await.unwrap();
}

#[tokio::test]
async fn the_feed_of_one_node_has_what_the_other_one_wrote() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner", "pilot"]).await;
    let mut live = two.subscribe(Filter::default(), Some(one.feed_position()));
    let handoff = one.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    let taken = two.accept(handoff, &id("pilot"), None, None).await.unwrap();
    one.give_back(handoff, taken.lease, success("done"), None).await.unwrap();
    let mut seen = Vec::new();
    let mut position = 0;
    while seen.last().is_none_or(|kind| kind != "TASK_COMPLETED") {
        let Some(Notice::Event(event)) = live.next().await.unwrap() else { panic!("it ended") };
        assert!(event.position > position);
        position = event.position;
        seen.push(event.kind.clone());
    }
    assert_eq!(seen, ["AGENT_HANDOFF", "TASK_STARTED", "TASK_COMPLETED"]);
}

#[tokio::test]
async fn whoever_waits_on_one_node_hears_of_the_end_on_the_other() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner", "pilot"]).await;
    let waiting = tokio::spawn({
        let one = one.clone();
        async move { one.delegate(&session("s"), delegation("planner", "pilot")).await.unwrap() }
    });
    // Whoever asks for work on the other node is woken by the offer.
    let taken = two.claim_until(&id("pilot"), None, None, None, std::future::pending()).await.unwrap().unwrap();
    two.give_back(taken.handoff.id, taken.lease, success("a jet"), None).await.unwrap();
    assert_eq!(waiting.await.unwrap().result.body, json!("a jet"));
    one.say(&session("s"), vec![user("thanks")]).await.unwrap();
}

struct Patient(Arc<AtomicBool>);

#[async_trait::async_trait]
impl Agent for Patient {
    async fn run(&self, _: Work) -> Result<Done, Failure> {
        Ok(Done::text("ok"))
    }
    async fn health(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn an_agent_is_judged_by_what_all_nodes_know() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner", "pilot"]).await;
    let well = [Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(true))];
    for (engine, well) in [&one, &two].into_iter().zip(&well) {
        engine.register(Profile::named("nurse").unwrap(), Patient(well.clone())).await.unwrap();
    }
    // The pilot asked the first one once, and goes to the second one since.
    one.alive(&id("pilot")).await.unwrap();
    well[0].store(false, Ordering::SeqCst);
    for _ in 0..2 * HEALTH_FAILURES_MAX {
        cluster.clock().advance(Duration::from_millis(HEALTH_MS));
        two.alive(&id("pilot")).await.unwrap();
        two.check_health().await.unwrap();
        one.check_health().await.unwrap();
    }
    for engine in [&one, &two] {
        assert_eq!(standing(engine, "pilot"), Standing::Available, "it is heard of somewhere");
        assert_eq!(standing(engine, "nurse"), Standing::Available, "it is well somewhere");
    }
    well[1].store(false, Ordering::SeqCst);
    for _ in 0..2 * HEALTH_FAILURES_MAX {
        cluster.clock().advance(Duration::from_millis(HEALTH_MS));
        two.check_health().await.unwrap();
        one.check_health().await.unwrap();
    }
    for engine in [&one, &two] {
        engine.catch_up().await.unwrap();
        assert_eq!(standing(engine, "pilot"), Standing::Unavailable, "nobody heard of it");
        assert_eq!(standing(engine, "nurse"), Standing::Unavailable, "it is well nowhere");
    }
}
