//! Who is registered and how they stand: profiles, draining, and events that hand work over by rule.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, book, delegation, id, one_done, session, success, until, workers};
use handover_core::{
    agent::{AgentKind, Profile, Standing},
    budget::{Limit, Period},
    command::{Caller, Open},
    event::Event,
    handoff::{Priority, Request, ReturnStatus, Status, Trigger},
    limits::{QUEUE_LOOK_MAX, RETENTION_MS},
    record::Record,
    refusal::Code,
};
use handover_engine::{
    Engine, EventRule, Options, OutsideEvent,
    agent::{Done, agent},
};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use tokio::sync::Semaphore;

fn profile(name: &str) -> Profile {
    Profile::named(name).unwrap().kind(AgentKind::Worker)
}

fn standing(engine: &Engine, name: &str) -> Standing {
    engine.agent(&id(name)).unwrap().standing
}

#[tokio::test]
async fn agents_come_change_and_go() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    engine.register_profile(profile("pilot").can("flying")).await.unwrap();
    engine.register_profile(profile("pilot").can("flying")).await.unwrap();
    engine.register_profile(profile("pilot").can("sailing").at_once(2)).await.unwrap();
    let by = |capability| Request::delegation_by("planner", capability, "x", Duration::from_secs(60)).unwrap();
    assert_eq!(engine.initiate(&session("s"), by("flying")).await.unwrap_err().code(), Code::NobodyCan);
    let handoff = engine.initiate(&session("s"), by("sailing")).await.unwrap().handoffs[0];
    assert_eq!(engine.remove_agent(&id("pilot")).await.unwrap_err().code(), Code::AgentBusy);
    let lease = engine.accept(handoff, &id("pilot"), None, None).await.unwrap().lease;
    assert_eq!(engine.remove_agent(&id("pilot")).await.unwrap_err().code(), Code::AgentBusy);
    // A new profile keeps the count of what it works on.
    engine.register_profile(profile("pilot").can("sailing").at_once(1)).await.unwrap();
    assert_eq!(engine.agent(&id("pilot")).unwrap().load, 1);
    engine.give_back(handoff, lease, success("ok"), None).await.unwrap();
    engine.remove_agent(&id("pilot")).await.unwrap();
    assert_eq!(engine.remove_agent(&id("pilot")).await.unwrap_err().code(), Code::UnknownAgent);
    let words: Vec<String> = book(&engine).await.into_iter().map(|record| record.event_type).collect();
    let expected = [
        "session_opened",
        "agent_registered",
        "agent_registered",
        "agent_registered",
        "agent_registered",
        "agent_removed",
    ];
    assert_eq!(words, expected, "what does not change anything is not written");
    engine.close().await.unwrap();
    let names: Vec<String> = house.open().await.agents().iter().map(|a| a.profile.id.to_string()).collect();
    assert_eq!(names, ["planner"]);
}

#[tokio::test]
async fn accounts_that_are_over_are_forgotten_by_themselves() {
    let mut house = House::new();
    house.policy.budgets.tenant = Some(Limit { tokens: Some(1_000), per: Period::Hour, ..Limit::default() });
    let options = Options { background: true, ..house.options() };
    let engine = Engine::open_with(house.file(), options).await.unwrap();
    workers(&engine, &["planner", "pilot"]).await;
    one_done(&engine, "s", "planner", "pilot").await;
    let accounts = async || engine.verify().await.unwrap().accounts;
    assert_eq!(accounts().await, 3, "the tenant, its hour and the pilot");
    house.clock.advance(Duration::from_millis(RETENTION_MS));
    for _ in 0..1_000 {
        if accounts().await == 2 {
            break;
        }
    }
    assert_eq!(accounts().await, 2, "the hour is over");
    engine.close().await.unwrap();
}

#[tokio::test]
async fn a_profile_that_cannot_be_is_refused() {
    let house = House::new();
    let engine = house.open().await;
    engine.register_profile(profile("c").escalates_to("a").unwrap()).await.unwrap();
    engine.register_profile(profile("b").escalates_to("c").unwrap()).await.unwrap();
    let cases: Vec<(Profile, &[(Code, &str)])> = vec![
        (profile("a").at_once(0), &[(Code::BadProfile, "max_concurrent_tasks")]),
        (profile("a").can_at("x", 1.5), &[(Code::OutOfRange, "capabilities[0].proficiency")]),
        (profile("a").can_at("x", f64::NAN), &[(Code::OutOfRange, "capabilities[0].proficiency")]),
        (profile("a").can(" "), &[(Code::EmptyField, "capabilities[0].id")]),
        (profile("a").escalates_to("a").unwrap(), &[(Code::BadProfile, "escalates_to")]),
        (profile("a").escalates_to("b").unwrap(), &[(Code::BadProfile, "escalates_to")]),
        (
            Profile { name: "a\u{0}".into(), ..profile("a").at_once(0) },
            &[(Code::BadText, "name"), (Code::BadProfile, "max_concurrent_tasks")],
        ),
    ];
    let before = book(&engine).await.len();
    for (bad, expected) in cases {
        let error = engine.register_profile(bad).await.unwrap_err();
        let found: Vec<_> = error.refusals.iter().map(|refusal| (refusal.code, refusal.field.as_str())).collect();
        assert_eq!(found, expected, "{error}");
    }
    let circle = engine.register_profile(profile("a").escalates_to("b").unwrap()).await.unwrap_err();
    assert!(circle.to_string().contains("a -> b -> c -> a"), "{circle}");
    assert_eq!(book(&engine).await.len(), before);
}

#[tokio::test]
async fn a_draining_agent_finishes_and_gets_nothing_new() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let gate = Arc::new(Semaphore::new(0));
    let held = gate.clone();
    let work = agent(move |_| {
        let gate = held.clone();
        async move {
            gate.acquire().await?.forget();
            Ok(Done::text("landed"))
        }
    });
    engine.register(Profile::named("pilot").unwrap().can("flying"), work).await.unwrap();
    let handoff = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    engine.accepted(handoff).await.unwrap();
    engine.drain(&id("pilot"), true).await.unwrap();
    let named = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap_err();
    assert_eq!(named.code(), Code::TargetUnavailable);
    assert!(named.to_string().contains("draining"), "{named}");
    let request = Request::delegation_by("planner", "flying", "x", Duration::from_secs(60)).unwrap();
    assert_eq!(engine.initiate(&session("s"), request).await.unwrap_err().code(), Code::NobodyCan);
    gate.add_permits(1);
    assert_eq!(engine.returned(handoff).await.unwrap().result.body, json!("landed"));
    engine.close().await.unwrap();
    let engine = house.open().await;
    assert_eq!(standing(&engine, "pilot"), Standing::Draining, "a restart does not forget it");
    engine.drain(&id("pilot"), false).await.unwrap();
    engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap();
    assert_eq!(engine.drain(&id("pilt"), true).await.unwrap_err().code(), Code::UnknownAgent);
}

#[tokio::test]
async fn the_book_says_who_took_an_agent_out_of_work_and_why() {
    let house = House::new();
    let engine = house.open().await;
    engine.register_profile(Profile::named("pilot").unwrap()).await.unwrap();
    let olga = engine.for_caller(Caller::new("olga", "default").of_house());
    olga.drain_because(&id("pilot"), true, " too many mistakes ").await.unwrap();
    olga.drain(&id("pilot"), false).await.unwrap();
    let book = engine.house_book(0, 100).await.unwrap();
    let events = book.iter().map(|stored| serde_json::from_str::<Record>(&stored.text).unwrap().event);
    let why: Vec<String> = events
        .filter_map(|event| match event {
            Event::AgentStanding { why, .. } => Some(why),
            _ => None,
        })
        .collect();
    assert_eq!(why, ["too many mistakes, by olga", "asked for, by olga"]);
    for (reason, code) in [("  ", Code::EmptyField), ("\u{7}", Code::BadText), (&"x".repeat(20_000), Code::TooLarge)] {
        assert_eq!(olga.drain_because(&id("pilot"), true, reason).await.unwrap_err().code(), code, "{reason}");
        assert_eq!(olga.reset_breaker_because(&id("pilot"), reason).await.unwrap_err().code(), code, "{reason}");
    }
    assert_eq!(standing(&engine, "pilot"), Standing::Available);
}

#[tokio::test]
async fn a_queue_is_by_level_and_only_what_exists_for_whoever_looks() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let offer = async |by: &Engine, name: &str, priority| {
        by.resume_session(&session(name), Open::by("planner").unwrap()).await.unwrap();
        let mut request = delegation("planner", "pilot");
        request.task.priority = priority;
        by.initiate(&session(name), request).await.unwrap();
    };
    let levels = async |by: &Engine| {
        let queue = by.queue(&id("pilot"), 3).await.unwrap();
        queue.iter().map(|handoff| handoff.request.task.priority).collect::<Vec<_>>()
    };
    for n in 0..4 {
        offer(&engine, &format!("n{n}"), Priority::Normal).await;
    }
    offer(&engine, "u", Priority::Urgent).await;
    assert_eq!(levels(&engine).await, [Priority::Urgent, Priority::Normal, Priority::Normal]);
    let other = engine.for_caller(Caller::new("olga", "other"));
    assert_eq!(levels(&other).await, []);
    // What others have before it does not hide what is one's own.
    for n in 0..QUEUE_LOOK_MAX {
        offer(&engine, &format!("m{n}"), Priority::Urgent).await;
    }
    offer(&other, "o", Priority::Low).await;
    assert_eq!(levels(&other).await, [Priority::Low]);
    assert_eq!(other.queue(&id("nobody"), 3).await.unwrap_err().code(), Code::UnknownAgent);
}

#[tokio::test]
async fn queues_of_several_are_one_by_level_then_age() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "crew"]).await;
    let others = engine.for_caller(Caller::new("olga", "other"));
    let offers = [
        (&engine, "a", "pilot", Priority::Normal),
        (&engine, "b", "crew", Priority::Normal),
        (&engine, "c", "crew", Priority::Urgent),
        (&others, "d", "crew", Priority::Urgent),
    ];
    for (by, name, to, priority) in offers {
        by.resume_session(&session(name), Open::by("planner").unwrap()).await.unwrap();
        let mut request = delegation("planner", to);
        request.task.priority = priority;
        by.initiate(&session(name), request).await.unwrap();
        house.clock.advance(std::time::Duration::from_secs(1));
    }
    let (found, more) = engine.queues(&[id("pilot"), id("crew")]).await.unwrap();
    assert_eq!(found.iter().map(|offer| offer.session.as_str()).collect::<Vec<_>>(), ["c", "a", "b"]);
    assert!(!more);
    assert_eq!(others.queues(&[id("pilot")]).await.unwrap().0, []);
}

#[tokio::test]
async fn whoever_does_not_acknowledge_is_away_until_it_takes_something() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let early = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    house.clock.advance(Duration::from_secs(20));
    let late = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    house.pass(&engine, 11).await;
    assert_eq!(engine.returned(early).await.unwrap().status, ReturnStatus::Failed);
    until(|| standing(&engine, "pilot") == Standing::Unavailable).await;
    engine.accept(late, &id("pilot"), None, None).await.unwrap();
    until(|| standing(&engine, "pilot") == Standing::Available).await;
    engine.verify().await.unwrap();
}

fn rule(name: &str, on: &str) -> EventRule {
    EventRule {
        name: name.into(),
        on: on.into(),
        from_agent: id("watch"),
        to_agent: None,
        capability: Some("security".into()),
        task: "look into it".into(),
        priority: Priority::Urgent,
    }
}

fn alert(event: &str, data: serde_json::Value) -> OutsideEvent {
    OutsideEvent { id: event.into(), kind: "security.alert".into(), data, session_id: None }
}

async fn guarded(engine: &Engine) {
    engine.register_profile(profile("watch")).await.unwrap();
    engine.register_profile(profile("guard").can("security").at_once(10)).await.unwrap();
}

#[tokio::test]
async fn an_event_hands_over_once_however_often_it_comes() {
    let house = House::new();
    let engine = house.open().await;
    guarded(&engine).await;
    for bad in [rule(" ", "x"), rule("r", ""), EventRule { capability: None, ..rule("r", "x") }] {
        engine.on_event(bad).await.unwrap_err();
    }
    let stranger = EventRule { from_agent: id("wach"), ..rule("r", "x") };
    assert!(engine.on_event(stranger).await.unwrap_err().to_string().contains("did you mean \"watch\"?"));
    engine.on_event(rule("all", "security.*")).await.unwrap();
    engine.on_event(rule("other", "deploy.failed")).await.unwrap();
    engine.close().await.unwrap();
    let engine = house.open().await;
    assert_eq!(engine.event_rules().await.unwrap().len(), 2, "rules survive a restart");
    let made = engine.raise(alert("e1", json!({"host": "a"}))).await.unwrap();
    assert_eq!(made.len(), 1);
    let handoff = engine.handoff(made[0]).await.unwrap();
    assert_eq!((handoff.request.trigger, handoff.request.task.priority), (Trigger::Event, Priority::Urgent));
    assert_eq!((handoff.to_agent.as_str(), &handoff.request.task.payload), ("guard", &json!({"host": "a"})));
    assert_eq!(engine.raise(alert("e1", json!({"host": "a"}))).await.unwrap(), made);
    // The session has another owner by now; it is still the same event.
    let assignment = engine.accept(made[0], &id("guard"), None, None).await.unwrap();
    assert_eq!(engine.raise(alert("e1", json!({"host": "a"}))).await.unwrap(), made);
    engine.give_back(made[0], assignment.lease, success("nothing"), None).await.unwrap();
    engine.on_event(EventRule { task: "look harder".into(), ..rule("all", "security.*") }).await.unwrap();
    engine.close().await.unwrap();
    let engine = house.open().await;
    assert_eq!(engine.raise(alert("e1", json!({"host": "a"}))).await.unwrap(), made);
    let other = engine.raise(alert("e1", json!({"host": "b"}))).await.unwrap_err();
    assert_eq!(other.code(), Code::KeyConflict);
    assert_eq!(engine.raise(alert("e2", json!(null))).await.unwrap().len(), 1);
    let unknown = OutsideEvent { kind: "weather.rain".into(), ..alert("e3", json!(null)) };
    assert!(engine.raise(unknown).await.unwrap().is_empty());
    assert_eq!(engine.stats().await.unwrap().total_handoffs, 2);
    engine.verify().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_raised_by_many_at_once_hands_over_once() {
    let house = House::new();
    let engine = house.open().await;
    guarded(&engine).await;
    engine.on_event(rule("all", "security.*")).await.unwrap();
    // Whoever is quick takes it while others still raise it.
    engine
        .register(Profile::named("guard").unwrap().can("security"), agent(|_| async { Ok(Done::text("ok")) }))
        .await
        .unwrap();
    for round in 0..5 {
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let engine = engine.clone();
                tokio::spawn(async move { engine.raise(alert(&format!("e{round}"), json!(round))).await })
            })
            .collect();
        let mut made = Vec::new();
        for task in tasks {
            made.extend(task.await.unwrap().unwrap());
        }
        made.dedup();
        assert_eq!(made.len(), 1);
        assert_eq!(engine.returned(made[0]).await.unwrap().status, ReturnStatus::Success);
    }
    assert_eq!(engine.stats().await.unwrap().total_handoffs, 5);
}

#[tokio::test]
async fn an_event_of_a_session_goes_from_whoever_owns_it() {
    let house = House::new();
    let engine = house.open().await;
    guarded(&engine).await;
    workers(&engine, &["planner"]).await;
    engine.on_event(rule("all", "security.*")).await.unwrap();
    let event = OutsideEvent { session_id: Some(session("s")), ..alert("e", json!(1)) };
    let made = engine.raise(event).await.unwrap();
    let handoff = engine.handoff(made[0]).await.unwrap();
    assert_eq!((handoff.session_id.as_str(), handoff.request.from_agent.as_str()), ("s", "planner"));
    assert_eq!(handoff.status(), Status::Offered);
    let other = common::tenant(&engine, "other");
    let into = |id: &str| OutsideEvent { session_id: Some(session("s")), ..alert(id, json!(1)) };
    assert!(other.raise(into("f")).await.unwrap().is_empty(), "the rules of one tenant are not those of another");
    other.on_event(rule("all", "security.*")).await.unwrap();
    let foreign = other.raise(into("f")).await;
    assert_eq!(foreign.unwrap_err().code(), Code::UnknownSession);
    engine.open_session(&session("t"), Open::by("guard").unwrap()).await.unwrap();
}
