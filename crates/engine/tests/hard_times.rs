//! What goes wrong around the engine must not go wrong in it: agents that fall over, strangers, odd names, odd settings.

mod common;

use common::{House, delegation, id, session, success, workers};
use handover_core::{
    agent::{AgentKind, Profile},
    command::{Caller, Command, Open, Write},
    handoff::{Handoff, ReturnStatus, Status},
    policy::Policy,
    refusal::Code,
};
use handover_engine::{
    Options,
    agent::{Agent, Done, Failure, Reply, Work, agent},
};
use handover_store::RecordQuery;
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

#[tokio::test]
async fn an_agent_of_this_process_works_in_the_session_of_any_tenant() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let work = agent(|work: Work| async move {
        let found: u32 = work.step("search", || async { Ok(7) }).await?;
        work.set(vec![Write { name: "found".into(), value: json!(found), expected_version: None }]).await?;
        Ok(Done::json(json!(found)))
    });
    engine.register(Profile::named("pilot").unwrap(), work).await.unwrap();
    let acme = engine.for_caller(Caller::new("acme", "acme"));
    acme.open_session(&session("theirs"), Open::by("planner").unwrap()).await.unwrap();
    let result = acme.delegate(&session("theirs"), delegation("planner", "pilot")).await.unwrap();
    assert_eq!((result.status, result.result.body), (ReturnStatus::Success, json!(7)), "{}", result.notes);
    assert_eq!(acme.session(&session("theirs")).await.unwrap().variables["found"].value, json!(7));
}

#[tokio::test]
async fn an_agent_that_falls_over_an_offer_keeps_no_place() {
    struct Clumsy(Arc<AtomicU32>);
    #[async_trait::async_trait]
    impl Agent for Clumsy {
        async fn consider(&self, _: &Handoff) -> Reply {
            assert!(self.0.fetch_add(1, Ordering::SeqCst) > 0, "the first offer is too much");
            Reply::Accept
        }
        async fn run(&self, _: Work) -> Result<Done, Failure> {
            Ok(Done::text("a jet"))
        }
    }
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let asked = Arc::new(AtomicU32::new(0));
    engine.register(Profile::named("pilot").unwrap(), Clumsy(asked.clone())).await.unwrap();
    engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap();
    while asked.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    // The only place is free again, so the second offer is taken.
    let second = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    assert_eq!(engine.returned(second).await.unwrap().status, ReturnStatus::Success);
}

#[tokio::test]
async fn more_time_for_an_offer_is_not_a_second_offer() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let (runs, gate) = (Arc::new(AtomicU32::new(0)), Arc::new(tokio::sync::Semaphore::new(0)));
    let work = {
        let (runs, gate) = (runs.clone(), gate.clone());
        agent(move |_| {
            let (runs, gate) = (runs.clone(), gate.clone());
            async move {
                runs.fetch_add(1, Ordering::SeqCst);
                gate.acquire().await?.forget();
                Ok(Done::text("ok"))
            }
        })
    };
    engine.register(Profile::named("pilot").unwrap(), work).await.unwrap();
    let first = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    engine.accepted(first).await.unwrap();
    let second = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    house.pass(&engine, 31).await;
    assert_eq!(engine.handoff(second).await.unwrap().status(), Status::Offered, "it waits in the queue");
    gate.add_permits(2);
    engine.returned(first).await.unwrap();
    engine.returned(second).await.unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    engine.close().await.unwrap();
}

#[tokio::test]
async fn a_book_with_many_agents_is_sealed_and_closed() {
    let house = House::new();
    let engine = house.open().await;
    let mut all = Vec::new();
    for i in 0..1_010 {
        let (engine, name) = (engine.clone(), format!("agent-{i}"));
        let profile = Profile::named(&name).unwrap().kind(AgentKind::Worker);
        all.push(tokio::spawn(async move { engine.register_profile(profile).await.unwrap() }));
    }
    for one in all {
        one.await.unwrap();
    }
    engine.close().await.unwrap();
}

#[tokio::test]
async fn looking_at_a_file_changes_nothing_in_it() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap();
    engine.close().await.unwrap();
    let look = || async {
        let options = Options { background: false, take_up: false, ..Options::default() };
        let engine = handover_engine::Engine::open_with(house.file(), options).await.unwrap();
        let found = engine.verify().await.unwrap();
        engine.close().await.unwrap();
        found
    };
    assert_eq!(look().await, look().await);
}

#[tokio::test]
async fn odd_settings_names_and_callers_are_refused() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let error = engine.set_policy(Policy { accept_ms: 0, queue_ms: u64::MAX, ..Policy::default() }).unwrap_err();
    assert_eq!(error.refusals.len(), 2);
    assert!(error.has(Code::OutOfRange));
    for project in ["..", "../x", "/x", "a/b", ""] {
        let error = engine.export(house.folder.path(), project, RecordQuery::default()).await.unwrap_err();
        assert_eq!(error.code(), Code::BadText, "{project:?}");
    }
    let bound = engine.for_caller(Caller::new("key", "default").acting_as([id("pilot")]));
    let refusals = [
        bound.register_profile(Profile::named("planner").unwrap()).await.unwrap_err(),
        bound.drain(&id("planner"), true).await.unwrap_err(),
        bound.inbox(&id("planner"), 9).await.unwrap_err(),
        bound.set_policy(Policy::default()).unwrap_err(),
        bound.house_book(0, 9).await.unwrap_err(),
    ];
    assert!(refusals.iter().all(|error| error.code() == Code::NotYourAgent), "{refusals:?}");
    assert!(!engine.house_book(0, 9).await.unwrap().is_empty());
}

#[tokio::test]
async fn whoever_asks_for_work_is_back() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap();
    house.pass(&engine, 31).await;
    while engine.agent(&id("pilot")).unwrap().standing == handover_core::agent::Standing::Available {
        tokio::task::yield_now().await;
    }
    engine.inbox(&id("pilot"), 9).await.unwrap();
    let handoff = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    let assignment = engine.accept(handoff, &id("pilot"), None, None).await.unwrap();
    engine.give_back(handoff, assignment.lease, success("a jet"), None).await.unwrap();
}

#[tokio::test]
async fn a_draining_agent_that_registers_again_is_still_draining() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    engine.drain(&id("pilot"), true).await.unwrap();
    workers(&engine, &["pilot"]).await;
    let error = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap_err();
    assert_eq!(error.code(), Code::TargetUnavailable);
}

#[tokio::test]
async fn json_goes_through_the_same_doors_with_all_its_mistakes() {
    let house = House::new();
    let engine = house.open().await;
    engine.register_json(r#"{"id": "planner", "kind": "worker"}"#).await.unwrap();
    engine.register_json(r#"{"id": "pilot", "kind": "worker", "capabilities": ["flying"]}"#).await.unwrap();
    engine.open_session(&session("s"), Open::by("planner").unwrap()).await.unwrap();
    engine.say_json(&session("s"), r#"[{"role": "user", "content": "A jet, please"}]"#).await.unwrap();
    let bad = r#"{"from_agent": "planner", "type": "delegatoin", "reason": "", "priorty": 1}"#;
    let error = engine.initiate_json(&session("s"), bad).await.unwrap_err();
    let codes: Vec<Code> = error.refusals.iter().map(|refusal| refusal.code).collect();
    for code in [Code::MissingField, Code::EmptyField, Code::UnknownValue, Code::UnknownField] {
        assert!(codes.contains(&code), "{code} is not among {codes:?}");
    }
    let good = r#"{"from_agent": "planner", "capability": "flying", "type": "delegation", "reason": "a client asks",
        "user_intent": "to fly", "original_request": "A jet, please", "task": {"description": "Find a jet"},
        "return_protocol": {"timeout": "60s"}, "context": {"conversation_history": [
            {"role": "user", "content": "A jet, please"}, {"role": "assistant", "content": "At once"}]}}"#;
    let handoff = engine.initiate_json(&session("s"), good).await.unwrap().handoffs[0];
    let assignment = engine.accept(handoff, &id("pilot"), None, None).await.unwrap();
    assert_eq!(assignment.handoff.mark.messages, 2);
    let result = r#"{"status": "success", "result": {"content_type": "text", "body": "CJ3"},
        "context_updates": {"variables_changed": {"jet": "CJ3"}}}"#;
    engine.give_back_json(handoff, assignment.lease, result).await.unwrap();
    let result = engine.take_return(&session("s"), handoff, &id("planner"), None).await.unwrap();
    assert_eq!(result.context_updates.variables_changed["jet"], json!("CJ3"));
}

#[tokio::test]
async fn a_return_that_is_told_once_is_told_with_the_longest_key_too() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    engine.register(Profile::named("pilot").unwrap(), agent(|_| async { Ok(Done::text("ok")) })).await.unwrap();
    let key = "k".repeat(200);
    for _ in 0..2 {
        let result = engine.delegate(&session("s"), delegation("planner", "pilot").key(&key)).await.unwrap();
        assert_eq!(result.status, ReturnStatus::Success);
    }
    assert_eq!(engine.get_handoff_count(&session("s"), None, None).await.unwrap(), 1);
}

#[tokio::test]
async fn an_agent_that_ends_while_it_waits_ends_all_the_same() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "helper"]).await;
    let work = agent(|work: Work| async move {
        let mut request = delegation("pilot", "helper");
        request.blocking = true;
        let command = Command::Initiate(Box::new(request));
        work.engine().submit(&work.handoff().session_id, command, None).await?;
        Ok(Done::text("I do not wait"))
    });
    engine.register(Profile::named("pilot").unwrap(), work).await.unwrap();
    let result = engine.delegate(&session("s"), delegation("planner", "pilot")).await.unwrap();
    assert_eq!(result.status, ReturnStatus::Failed);
    assert!(result.notes.contains("HO0307"), "{}", result.notes);
    assert!(engine.session(&session("s")).await.unwrap().open.is_empty());
}
