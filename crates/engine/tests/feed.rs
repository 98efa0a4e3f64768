//! The feed: what is published, to whom, in which order, and how a reader goes on after a pause or a fall.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, delegation, id, one_done, session, success, tenant, user, workers};
use expect_test::expect;
use handover_core::{
    agent::{AgentKind, Profile},
    command::Open,
    limits::SUBSCRIBER_LAG_MAX,
    refusal::Code,
};
use handover_engine::{BusMessage, Engine, Filter, Notice, Subscription};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

async fn event(feed: &mut Subscription) -> Arc<BusMessage> {
    match feed.next().await.unwrap() {
        Some(Notice::Event(message)) => message,
        other => panic!("no event but {other:?}"),
    }
}

async fn take(feed: &mut Subscription, count: usize) -> Vec<Arc<BusMessage>> {
    let mut seen = Vec::new();
    for _ in 0..count {
        seen.push(event(feed).await);
    }
    seen
}

fn kinds(seen: &[Arc<BusMessage>]) -> Vec<&str> {
    seen.iter().map(|message| message.kind.as_str()).collect()
}

#[tokio::test]
async fn what_is_subscribed_to_is_seen_and_nothing_else() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "crew"]).await;
    engine.open_session(&session("t"), Open::by("crew").unwrap()).await.unwrap();
    one_done(&engine, "s", "planner", "pilot").await;
    one_done(&engine, "t", "crew", "planner").await;
    let handoff = ["AGENT_HANDOFF", "TASK_STARTED", "TASK_COMPLETED"];
    let all = ["SESSION_OPENED", "SESSION_OPENED"].into_iter().chain(handoff).chain(handoff).collect::<Vec<_>>();
    let (types, agent) = (|types: &[&str]| types.iter().map(ToString::to_string).collect(), |name| Some(id(name)));
    let none = Filter::default;
    let cases: Vec<(Filter, Vec<&str>)> = vec![
        (none(), all),
        (Filter { types: types(&["TASK_STARTED"]), ..none() }, vec!["TASK_STARTED"; 2]),
        (
            Filter { types: types(&["TASK_STARTED", "SESSION_OPENED"]), session: Some(session("s")), ..none() },
            vec!["SESSION_OPENED", "TASK_STARTED"],
        ),
        (Filter { agent: agent("crew"), ..none() }, handoff.to_vec()),
        (Filter { agent: agent("planner"), ..none() }, [handoff, handoff].concat()),
        (Filter { session: Some(session("t")), ..none() }, ["SESSION_OPENED"].into_iter().chain(handoff).collect()),
        (Filter { agent: agent("crew"), session: Some(session("s")), ..none() }, vec![]),
    ];
    for (filter, expected) in cases {
        let said = format!("{filter:?}");
        let mut feed = engine.subscribe(filter.clone(), Some(0));
        let seen = take(&mut feed, expected.len()).await;
        assert_eq!(kinds(&seen), expected, "{said}");
    }
    // Nothing more was waiting for any of them: the next thing that each sees is what comes now.
    let mut feed = engine.subscribe(Filter { agent: agent("crew"), ..none() }, Some(0));
    take(&mut feed, 3).await;
    one_done(&engine, "s", "planner", "crew").await;
    assert_eq!(kinds(&take(&mut feed, 3).await), handoff);
}

#[tokio::test]
async fn a_message_has_the_form_of_the_bus() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let mut feed = engine.subscribe(Filter::default(), None);
    let mut request = delegation("planner", "pilot");
    request.context.correlation_id = Some("req-7".into());
    let handoff = engine.initiate(&session("s"), request).await.unwrap().handoffs[0];
    let first = event(&mut feed).await;
    let mut seen = serde_json::to_value(&*first).unwrap();
    assert_eq!(seen["payload"]["handoff"]["id"], handoff.to_string());
    seen["payload"] = "…".into();
    expect![[r#"
        {
          "context": {
            "request_id": "req-7",
            "session_id": "s",
            "tenant": "default"
          },
          "id": "s#2",
          "payload": "…",
          "position": 5,
          "source_agent": "planner",
          "target_agent": "pilot",
          "timestamp": "2027-01-15T08:00:00.000Z",
          "type": "AGENT_HANDOFF"
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&seen).unwrap());
    let assignment = engine.accept(handoff, &id("pilot"), None, None).await.unwrap();
    engine.give_back(handoff, assignment.lease, success("a jet"), None).await.unwrap();
    let rest = take(&mut feed, 2).await;
    let ids: Vec<_> = rest.iter().map(|m| (m.id.as_str(), m.context.request_id.clone().unwrap())).collect();
    assert_eq!(ids, [("s#3", handoff.to_string()), ("s#4", handoff.to_string())]);
}

#[tokio::test]
async fn ids_are_the_same_however_often_something_is_seen() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let mut live = engine.subscribe(Filter::default(), None);
    for _ in 0..3 {
        one_done(&engine, "s", "planner", "pilot").await;
    }
    let first = take(&mut live, 9).await;
    engine.close().await.unwrap();
    let engine = house.open().await;
    let again = take(&mut engine.subscribe(Filter::default(), Some(first[0].position - 1)), 9).await;
    assert_eq!(first, again);
    let ids: BTreeSet<&str> = first.iter().map(|message| message.id.as_str()).collect();
    assert_eq!(ids.len(), 9);
}

#[tokio::test]
async fn nothing_is_published_that_is_not_stored_and_nobody_else_sees_it() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let mut feed = engine.subscribe(Filter::default(), None);
    let other = tenant(&engine, "other");
    let mut strange = other.subscribe(Filter::default(), Some(0));
    let mut named = other.subscribe(Filter { session: Some(session("s")), ..Filter::default() }, Some(0));
    // Refused, so never published.
    engine.initiate(&session("s"), delegation("planner", "nobody")).await.unwrap_err();
    let handoff = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    let seen = event(&mut feed).await;
    assert_eq!((seen.kind.as_str(), seen.context.session_id.as_str()), ("AGENT_HANDOFF", "s"));
    // Whoever hears of it can read it.
    assert_eq!(engine.handoff(handoff).await.unwrap().id, handoff);
    other.open_session(&session("mine"), Open::by("pilot").unwrap()).await.unwrap();
    let first = event(&mut strange).await;
    assert_eq!((first.kind.as_str(), first.context.session_id.as_str()), ("SESSION_OPENED", "mine"));
    engine.close().await.unwrap();
    assert_eq!(strange.next().await.unwrap(), None);
    assert_eq!(named.next().await.map_err(|error| error.code()).unwrap_or(None), None);
}

#[tokio::test]
async fn a_closed_engine_ends_the_feed() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let mut feed = engine.subscribe(Filter::default(), None);
    one_done(&engine, "s", "planner", "pilot").await;
    engine.close().await.unwrap();
    assert_eq!(take(&mut feed, 3).await.len(), 3);
    assert_eq!(feed.next().await.unwrap(), None);
    let mut late = engine.subscribe(Filter::default(), None);
    assert_eq!(late.next().await.unwrap(), None);
    let mut later = engine.subscribe(Filter::default(), Some(0));
    assert_eq!(later.next().await.unwrap_err().code(), Code::ShuttingDown);
}

const WRITERS: usize = 4;
const EACH: usize = 60;

async fn write(engine: Engine, name: String) {
    for i in 0..EACH {
        engine.say(&session(&name), vec![user(&i.to_string())]).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_comes_and_goes_sees_everything_once_while_others_write() {
    let house = House::new();
    let engine = house.open().await;
    engine.register_profile(Profile::named("a").unwrap().kind(AgentKind::Worker)).await.unwrap();
    for i in 0..WRITERS {
        engine.open_session(&session(&format!("w{i}")), Open::by("a").unwrap()).await.unwrap();
    }
    let start = engine.subscribe(Filter::default(), None).position();
    let tasks: Vec<_> = (0..WRITERS).map(|i| tokio::spawn(write(engine.clone(), format!("w{i}")))).collect();
    let mut position = start;
    let mut seen: Vec<Arc<BusMessage>> = Vec::new();
    // Subscribes anew after every few events: at the seam nothing may be lost, and nothing seen twice.
    while seen.len() < WRITERS * EACH {
        let mut feed = engine.subscribe(Filter::default(), Some(position));
        let count = (1 + seen.len() % 7).min(WRITERS * EACH - seen.len());
        seen.extend(take(&mut feed, count).await);
        position = seen.last().unwrap().position;
    }
    for task in tasks {
        task.await.unwrap();
    }
    let positions: Vec<u64> = seen.iter().map(|message| message.position).collect();
    let expected: Vec<u64> = (start + 1..=start + (WRITERS * EACH) as u64).collect();
    assert_eq!(positions, expected);
    let mut numbers: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for message in &seen {
        let (name, seq) = message.id.split_once('#').unwrap();
        numbers.entry(name.to_owned()).or_default().push(seq.parse().unwrap());
    }
    for (name, seqs) in numbers {
        assert_eq!(seqs, (2..=EACH as u64 + 1).collect::<Vec<_>>(), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_too_slow_is_dropped_and_goes_on_without_loss() {
    let house = House::new();
    let engine = house.open_unsynced().await;
    workers(&engine, &["a"]).await;
    let mut slow = engine.subscribe(Filter::default(), None);
    let mut quick = engine.subscribe(Filter::default(), None);
    let start = slow.position();
    engine.say(&session("s"), vec![user("first")]).await.unwrap();
    assert_eq!(event(&mut slow).await.position, start + 1);
    // One batch each, more than a subscriber may lag; the writer waits for nobody.
    let reader = tokio::spawn(async move { take(&mut quick, SUBSCRIBER_LAG_MAX + 11).await });
    for _ in 0..SUBSCRIBER_LAG_MAX + 10 {
        engine.say(&session("s"), vec![user("x")]).await.unwrap();
    }
    let all: Vec<String> = reader.await.unwrap().iter().map(|message| message.id.clone()).collect();
    let Some(Notice::Dropped { resume_after }) = slow.next().await.unwrap() else { panic!("not dropped") };
    assert_eq!(resume_after, start + 1);
    assert_eq!(slow.next().await.unwrap(), None);
    let mut again = engine.subscribe(Filter::default(), Some(resume_after));
    let rest: Vec<String> =
        take(&mut again, SUBSCRIBER_LAG_MAX + 10).await.iter().map(|message| message.id.clone()).collect();
    assert_eq!(rest, all[1..]);
}
