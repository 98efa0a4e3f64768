//! Handing over through the public door: agents of this process and agents that pull, all four types, restarts.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, delegation, id, session, success, user, words, workers};
use handover_core::{
    agent::{AgentKind, Profile, Risk},
    command::{Goto, Open, Turn, Update, Write},
    handoff::{Aggregation, OnTimeout, Priority, Request, ReturnStatus, Status},
    refusal::Code,
};
use handover_engine::agent::{Done, Reply, Work, agent};
use parking_lot::Mutex;
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

#[tokio::test]
async fn a_delegation_comes_back_with_its_result() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let work = agent(|work: Work| async move { Ok(Done::json(json!({"for": work.handoff().request.reason}))) });
    engine.register(Profile::named("pilot").unwrap(), work).await.unwrap();
    let result = engine.delegate(&session("s"), delegation("planner", "pilot")).await.unwrap();
    assert_eq!(result.status, ReturnStatus::Success);
    assert_eq!(result.result.body, json!({"for": "find a jet"}));
    let seen = words(&engine, "s").await;
    assert_eq!(seen, ["session_opened", "initiated", "accepted", "completed", "return_taken"]);
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn a_chain_of_turns_keeps_its_path_and_moves_the_owner() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["a"]).await;
    engine
        .register(
            Profile::named("b").unwrap(),
            agent(|_| async { Ok(Done::text("b").goto(id("c"), "go on", "b is done")) }),
        )
        .await
        .unwrap();
    engine
        .register(
            Profile::named("c").unwrap(),
            agent(|_| async { Ok(Done::text("c").goto(id("a"), "look", "back to you")) }),
        )
        .await
        .unwrap();
    let turn = Turn {
        goto: Goto::One { to_agent: id("b"), task: "begin".into(), reason: String::new() },
        update: Update::default(),
    };
    let first = engine.turn(&session("s"), &id("a"), turn).await.unwrap().handoffs[0];
    assert_eq!(engine.returned(first).await.unwrap().status, ReturnStatus::Success);
    let third = loop {
        let history = engine.get_handoff_history(&session("s")).await.unwrap();
        if let Some(third) = history.get(2) {
            break third.clone();
        }
        tokio::task::yield_now().await;
    };
    let assignment = engine.accept(third.id, &id("a"), None, None).await.unwrap();
    let path: Vec<String> = assignment.handoff.path.iter().map(ToString::to_string).collect();
    assert_eq!(path, ["a", "b", "c", "a"]);
    assert_eq!(engine.session(&session("s")).await.unwrap().active_agent, id("a"));
}

/// Runs something on a runtime of its own and drops it in the middle, as if the process had died.
fn until_death(run: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(run);
}

#[test]
fn what_was_recorded_is_not_done_again_after_a_restart() {
    let house = House::new();
    let steps = Arc::new(AtomicU32::new(0));
    until_death(async {
        let engine = house.open().await;
        workers(&engine, &["planner"]).await;
        let reached = Arc::new(tokio::sync::Notify::new());
        let (counted, here) = (steps.clone(), reached.clone());
        let work = agent(move |work: Work| {
            let (steps, reached) = (counted.clone(), here.clone());
            async move {
                work.step("search", || async { Ok(steps.fetch_add(1, Ordering::SeqCst)) }).await?;
                reached.notify_one();
                std::future::pending().await
            }
        });
        engine.register(Profile::named("pilot").unwrap(), work).await.unwrap();
        engine.initiate(&session("s"), delegation("planner", "pilot").key("one")).await.unwrap();
        reached.notified().await;
    });
    until_death(async {
        let engine = house.open().await;
        let counted = steps.clone();
        let work = agent(move |work: Work| {
            let steps = counted.clone();
            async move {
                assert!(work.resumed());
                let found: u32 = work.step("search", || async { Ok(steps.fetch_add(1, Ordering::SeqCst)) }).await?;
                Ok(Done::json(json!(found)))
            }
        });
        engine.register(Profile::named("pilot").unwrap(), work).await.unwrap();
        let result = engine.delegate(&session("s"), delegation("planner", "pilot").key("one")).await.unwrap();
        assert_eq!((result.result.body, steps.load(Ordering::SeqCst)), (json!(0), 1));
        assert_eq!(engine.get_handoff_count(&session("s"), None, None).await.unwrap(), 1);
        engine.verify().await.unwrap();
    });
}

#[tokio::test]
async fn a_panic_is_a_failed_return_and_not_a_silence() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let work = agent(|_| async move { if id("a") == id("a") { panic!("out of fuel") } else { Ok(Done::text("")) } });
    engine.register(Profile::named("pilot").unwrap(), work).await.unwrap();
    let result = engine.delegate(&session("s"), delegation("planner", "pilot")).await.unwrap();
    assert_eq!(result.status, ReturnStatus::Failed);
    assert!(result.notes.contains("the agent stopped"), "{}", result.notes);
    assert_eq!(engine.agent(&id("pilot")).unwrap().load, 0);
}

#[tokio::test]
async fn an_impossible_ending_is_told_to_the_source() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let work = agent(|_| async move { Ok(Done::text("done").goto(id("nobody-at-all"), "x", "y")) });
    engine.register(Profile::named("pilot").unwrap(), work).await.unwrap();
    let result = engine.delegate(&session("s"), delegation("planner", "pilot")).await.unwrap();
    assert_eq!(result.status, ReturnStatus::Failed);
    assert!(result.notes.contains("HO0202"), "{}", result.notes);
}

#[tokio::test]
async fn capacity_is_never_exceeded_and_the_urgent_goes_first() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let order = Arc::new(Mutex::new(Vec::new()));
    let (now, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let work = {
        let (order, now, most, gate) = (order.clone(), now.clone(), most.clone(), gate.clone());
        agent(move |work: Work| {
            let (order, now, most, gate) = (order.clone(), now.clone(), most.clone(), gate.clone());
            async move {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                order.lock().push(work.handoff().request.task.priority);
                gate.acquire().await?.forget();
                now.fetch_sub(1, Ordering::SeqCst);
                Ok(Done::text("ok"))
            }
        })
    };
    engine.register(Profile::named("pilot").unwrap(), work).await.unwrap();
    let mut handoffs = Vec::new();
    // The first takes the only place; the others wait in the queue.
    for priority in [Priority::Normal, Priority::Low, Priority::Normal, Priority::High, Priority::Urgent] {
        let answer = engine.initiate(&session("s"), delegation("planner", "pilot").priority(priority)).await.unwrap();
        let id = answer.handoffs[0];
        if handoffs.is_empty() {
            engine.accepted(id).await.unwrap();
        }
        handoffs.push(id);
    }
    gate.add_permits(5);
    for id in handoffs {
        assert_eq!(engine.returned(id).await.unwrap().status, ReturnStatus::Success);
    }
    use Priority::{High, Low, Normal, Urgent};
    assert_eq!(*order.lock(), [Normal, Urgent, High, Normal, Low]);
    assert_eq!(most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_agent_that_says_no_or_later_is_heard() {
    struct Picky(AtomicU32);
    #[async_trait::async_trait]
    impl handover_engine::agent::Agent for Picky {
        async fn consider(&self, _: &handover_core::handoff::Handoff) -> Reply {
            match self.0.fetch_add(1, Ordering::SeqCst) {
                0 => Reply::Defer(5_000, "after lunch".into()),
                _ => Reply::Reject("not my field".into()),
            }
        }
        async fn run(&self, _: Work) -> Result<Done, handover_engine::agent::Failure> {
            Ok(Done::text("never"))
        }
    }
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    engine.register(Profile::named("pilot").unwrap(), Picky(AtomicU32::new(0))).await.unwrap();
    let mut feed = engine.subscribe(handover_engine::Filter::default(), None);
    let answer = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap();
    loop {
        match feed.next().await.unwrap() {
            Some(handover_engine::Notice::Event(event)) if event.kind == "DEFERRED" => break,
            Some(_) => {}
            None => panic!("the feed ended"),
        }
    }
    house.pass(&engine, 6).await;
    let result = engine.returned(answer.handoffs[0]).await.unwrap();
    assert_eq!(result.status, ReturnStatus::Failed);
    let seen = words(&engine, "s").await;
    assert_eq!(seen, ["session_opened", "initiated", "deferred", "offered", "rejected", "failed"]);
}

#[tokio::test]
async fn the_first_success_decides_a_broadcast_and_stops_the_rest() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    engine.register(Profile::named("slow").unwrap(), agent(|_| async { std::future::pending().await })).await.unwrap();
    engine.register(Profile::named("bad").unwrap(), agent(|_| async { Err("no fuel".into()) })).await.unwrap();
    engine.register(Profile::named("good").unwrap(), agent(|_| async { Ok(Done::text("a jet")) })).await.unwrap();
    let all = ["slow", "bad", "good"];
    let request = Request::broadcast("planner", &all, "find a jet", Aggregation::Any, Duration::from_secs(60)).unwrap();
    let result = engine.broadcast(&session("s"), request).await.unwrap();
    assert_eq!(result.status, ReturnStatus::Success);
    assert_eq!(result.winners[0].result.body, json!("a jet"));
    let others: Vec<&str> = result.others.iter().map(|other| other.notes.as_str()).collect();
    assert_eq!(others.len(), 2, "{others:?}");
    assert!(others.contains(&"the broadcast is decided"), "{others:?}");
    assert!(engine.session(&session("s")).await.unwrap().open.is_empty());
    assert_eq!(engine.agent(&id("slow")).unwrap().load, 0);
}

#[tokio::test]
async fn whoever_does_not_acknowledge_is_passed_over_and_comes_back() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    for name in ["one", "two"] {
        let profile = Profile::named(name).unwrap().kind(AgentKind::Worker).can("flying");
        engine.register_profile(profile).await.unwrap();
    }
    let request = Request::delegation_by("planner", "flying", "find a jet", Duration::from_secs(60)).unwrap();
    let handoff = engine.initiate(&session("s"), request).await.unwrap().handoffs[0];
    house.pass(&engine, 31).await;
    let moved = engine.handoff(handoff).await.unwrap();
    assert_eq!((moved.to_agent.as_str(), moved.status()), ("two", Status::Offered));
    let refused = engine.accept(handoff, &id("one"), None, None).await.unwrap_err();
    assert_eq!(refused.code(), Code::OfferedElsewhere);
    let assignment = engine.accept(handoff, &id("two"), None, None).await.unwrap();
    engine.give_back(handoff, assignment.lease, success("a jet"), None).await.unwrap();
    let stale = engine.give_back(handoff, assignment.lease, success("again"), None).await.unwrap_err();
    assert_eq!(stale.code(), Code::Closed);
}

#[tokio::test]
async fn a_timeout_reminds_retries_and_gives_up_across_restarts() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let request = delegation("planner", "pilot").on_timeout(OnTimeout::Retry);
    let handoff = engine.initiate(&session("s"), request).await.unwrap().handoffs[0];
    let mut engine = engine;
    for _ in 0..4 {
        engine.accept(handoff, &id("pilot"), Some(600_000), None).await.unwrap();
        house.pass(&engine, 60).await;
        engine.close().await.unwrap();
        engine = house.open().await;
        house.pass(&engine, 7).await;
        house.pass(&engine, 17).await;
    }
    let ended = engine.handoff(handoff).await.unwrap();
    assert_eq!((ended.status(), ended.attempt), (Status::TimedOut, 4));
    let waiting = engine.waiting_returns(&id("planner"), 10).await.unwrap();
    assert_eq!(waiting.len(), 1, "the source is told once");
    let result = engine.take_return(&session("s"), handoff, &id("planner"), None).await.unwrap();
    assert_eq!(result.status, ReturnStatus::Timeout);
    let again = engine.take_return(&session("s"), handoff, &id("planner"), None).await.unwrap_err();
    assert_eq!(again.code(), Code::NoReturn);
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn an_escalation_climbs_by_itself_and_returns_to_whoever_asked() {
    let house = House::new().with_human("anna");
    let engine = house.open().await;
    let human = Profile::named("anna").unwrap().kind(AgentKind::Human);
    engine.register_profile(human).await.unwrap();
    let reviewer = Profile::named("reviewer").unwrap().kind(AgentKind::Worker);
    engine.register_profile(reviewer).await.unwrap();
    let worker = Profile::named("worker").unwrap().may_risk(Risk::Low).escalates_to("reviewer").unwrap();
    engine.register_profile(worker).await.unwrap();
    engine.open_session(&session("s"), Open::by("worker").unwrap()).await.unwrap();
    let command = handover_core::command::Command::Decide {
        by: id("worker"),
        description: "drop the table".into(),
        risk: Risk::High,
    };
    let first = engine.submit(&session("s"), command, None).await.unwrap().handoffs[0];
    // The reviewer never looks; the next rung is a person.
    house.pass(&engine, 31).await;
    let inbox = engine.inbox(&id("anna"), 10).await.unwrap();
    assert_eq!(inbox.len(), 1);
    let assignment = engine.accept(inbox[0].id, &id("anna"), None, None).await.unwrap();
    assert_eq!(assignment.handoff.climb.as_ref().unwrap().assessments.len(), 1);
    assert!(assignment.brief().contains("reviewer"), "{}", assignment.brief());
    assert_eq!(engine.session(&session("s")).await.unwrap().active_agent, id("anna"));
    engine.give_back(inbox[0].id, assignment.lease, success("no"), None).await.unwrap();
    assert_eq!(engine.returned(first).await.unwrap().result.body, json!("no"));
    assert_eq!(engine.session(&session("s")).await.unwrap().active_agent, id("worker"));
}

#[tokio::test]
async fn the_same_key_gives_the_first_answer_and_other_content_a_conflict() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let first = engine.initiate(&session("s"), delegation("planner", "pilot").key("k")).await.unwrap();
    engine.close().await.unwrap();
    let engine = house.open().await;
    let again = engine.initiate(&session("s"), delegation("planner", "pilot").key("k")).await.unwrap();
    assert_eq!(first, again);
    let other = delegation("planner", "pilot").key("k").because("something else");
    let error = engine.initiate(&session("s"), other).await.unwrap_err();
    assert_eq!((error.code(), error.agents.as_str()), (Code::KeyConflict, "planner->pilot"));
    assert_eq!(engine.get_handoff_count(&session("s"), None, None).await.unwrap(), 1);
}

#[tokio::test]
async fn a_clock_that_goes_back_changes_nothing_that_was_promised() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let handoff = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    house.clock.set(handover_core::time::Timestamp(5));
    engine.run_due().await.unwrap();
    let assignment = engine.accept(handoff, &id("pilot"), None, None).await.unwrap();
    engine.say(&session("s"), vec![user("still there?")]).await.unwrap();
    engine
        .set(&session("s"), &id("pilot"), vec![Write { name: "n".into(), value: json!(1), expected_version: Some(0) }])
        .await
        .unwrap();
    engine.give_back(handoff, assignment.lease, success("a jet"), None).await.unwrap();
    let times: Vec<_> = engine.trace(handoff).await.unwrap().iter().map(|record| record.timestamp).collect();
    assert!(times.windows(2).all(|pair| pair[0] <= pair[1]), "{times:?}");
    engine.verify().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_one_gives_away_the_next_one_takes_at_once() {
    let house = House::new();
    let engine = house.open_unsynced().await;
    workers(&engine, &["planner"]).await;
    let first = agent(|work: Work| async move {
        work.decline("not mine").await?;
        Ok(Done::text("late"))
    });
    engine.register(Profile::named("first").unwrap(), first).await.unwrap();
    let second = agent(|_| async { Ok(Done::text("second")) });
    engine.register(Profile::named("second").unwrap(), second).await.unwrap();
    // Often, because whoever gives it away is still about to end when the next one comes.
    for round in 0..200 {
        let mut request = delegation("planner", "first");
        request.task.payload = json!({"round": round});
        request.candidates = vec![id("first"), id("second")];
        let name = session(&format!("s{round}"));
        engine.open_session(&name, Open::by("planner").unwrap().asking("a jet")).await.unwrap();
        let asked = engine.initiate(&name, request).await.unwrap().handoffs[0];
        // The clock stands still: nothing but the bell of the next one brings it on.
        let result = tokio::time::timeout(Duration::from_secs(60), engine.returned(asked)).await.unwrap().unwrap();
        assert_eq!((result.status, result.result.body), (ReturnStatus::Success, json!("second")));
    }
    engine.verify().await.unwrap();
}
