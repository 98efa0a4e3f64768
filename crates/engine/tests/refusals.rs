//! Bad asks. Each has its code and says what is wrong, and afterwards nothing has changed.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, delegation, id, one_done, session, success, tenant, user, workers};
use handover_core::{
    agent::Risk,
    command::{Answer, Caller, Command, Goto, NewArtifact, Open, Turn, Update, Write},
    handoff::{Aggregation, Request},
    ids::{ArtifactId, HandoffId, LeaseId, SessionId},
    limits,
    refusal::{Code, HandoffError},
    session::{ArtifactStatus, ArtifactType, LockType},
};
use handover_engine::Engine;
use serde_json::{Value, json};
use std::time::Duration;
use uuid::Uuid;

/// How much there is: records of the tenant, and the version of the session.
async fn state(engine: &Engine) -> (u64, u64) {
    (engine.stats().await.unwrap().records, engine.session(&session("s")).await.unwrap().version)
}

fn write(name: &str, value: Value) -> Command {
    Command::Set { by: id("planner"), writes: vec![Write { name: name.into(), value, expected_version: None }] }
}

fn deep(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!([inner]))
}

/// Everything that can be asked of a session, about this handoff.
fn commands(handoff: HandoffId) -> Vec<Command> {
    let lease = LeaseId(Uuid::nil());
    let (by, text) = (|| id("pilot"), || "why".to_owned());
    let artifact = NewArtifact {
        kind: ArtifactType::File,
        path: "p".into(),
        description: String::new(),
        status: ArtifactStatus::Draft,
    };
    let turn = Box::new(Turn { goto: Goto::End, update: Update::default() });
    vec![
        Command::Say { messages: vec![], after: None },
        write("n", json!(1)),
        Command::Keep { by: by(), artifact },
        Command::MarkArtifact { by: by(), id: ArtifactId(Uuid::nil()), status: ArtifactStatus::Final },
        Command::Decide { by: by(), description: text(), risk: Risk::Low },
        Command::Lock { by: by(), path: text(), lock_type: LockType::Shared, lease_ms: 5 },
        Command::Unlock { by: by(), path: text() },
        Command::CompleteSegment { by: by() },
        Command::End { by: by(), reason: text() },
        Command::Initiate(Box::new(delegation("planner", "pilot"))),
        Command::Turn { by: by(), turn },
        Command::Approve { handoff, by: text(), comment: text(), digest: None, edit: None },
        Command::Amend { handoff, by: text(), edit: handover_core::handoff::Edit::default(), digest: None },
        Command::Deny { handoff, by: text(), comment: text(), digest: None },
        Command::Accept {
            handoff,
            by: by(),
            lease_ms: None,
            in_process: false,
            estimated_completion: None,
            manifest: None,
        },
        Command::Reject { handoff, by: by(), reason: text() },
        Command::Defer { handoff, by: by(), for_ms: 5, reason: text() },
        Command::Heartbeat { handoff, lease },
        Command::Record { handoff, lease, name: text(), output: json!(1), messages: Vec::new() },
        Command::Return { handoff, lease, giving: Box::new(success("x")), then: None },
        Command::Escalate { handoff, lease, assessment: text() },
        Command::Cancel { handoff, by: text(), reason: text() },
        Command::Redirect { handoff, by: text(), to: by(), reason: text() },
        Command::Retry { handoff, by: text(), reason: text() },
        Command::Take { of: handoff.0, by: by() },
    ]
}

#[tokio::test]
async fn what_belongs_to_others_does_not_exist() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let handoff = engine.initiate(&session("s"), delegation("planner", "pilot").key("k")).await.unwrap().handoffs[0];
    let before = state(&engine).await;
    let other = tenant(&engine, "other");
    for command in commands(handoff) {
        for key in [None, Some("k")] {
            let said = format!("{command:?}");
            let error = other.submit(&session("s"), command.clone(), key).await.unwrap_err();
            assert_eq!(error.code().text(), "HO0301", "{said}");
            assert!(!error.to_string().contains("pilot"), "a stranger learns nothing: {error}");
        }
    }
    other.open_session(&session("mine"), Open::by("pilot").unwrap()).await.unwrap();
    for command in commands(handoff).into_iter().filter(|command| command.handoff().is_some()) {
        let error = other.submit(&session("mine"), command, None).await.unwrap_err();
        assert_eq!(error.code().text(), "HO0501", "{error}");
    }
    let by_id = [
        other.handoff(handoff).await.map(|_| ()),
        other.accept(handoff, &id("pilot"), None, None).await.map(|_| ()),
        other.reject(handoff, &id("pilot"), "no").await.map(|_| ()),
        other.cancel(handoff, &id("planner"), "no").await.map(|_| ()),
        other.approve(handoff, "anna", "").await.map(|_| ()),
        other.heartbeat(handoff, LeaseId(Uuid::nil())).await.map(|_| ()),
        other.returned(handoff).await.map(|_| ()),
        other.accepted(handoff).await.map(|_| ()),
        other.trace(handoff).await.map(|_| ()),
        other.view(handoff, None).await.map(|_| ()),
        other.recall(handoff, 1, 1).await.map(|_| ()),
    ];
    for (i, answer) in by_id.into_iter().enumerate() {
        assert_eq!(answer.unwrap_err().code().text(), "HO0501", "{i}");
    }
    let by_session = [
        other.session(&session("s")).await.map(|_| ()),
        other.messages(&session("s"), 1, 1).await.map(|_| ()),
        other.get_handoff_history(&session("s")).await.map(|_| ()),
        other.get_last_handoff(&session("s")).await.map(|_| ()),
        other.get_handoff_count(&session("s"), None, None).await.map(|_| ()),
    ];
    for (i, answer) in by_session.into_iter().enumerate() {
        assert_eq!(answer.unwrap_err().code().text(), "HO0301", "{i}");
    }
    assert!(other.inbox(&id("pilot"), 10).await.unwrap().is_empty());
    assert_eq!(state(&engine).await, before);
}

#[tokio::test]
async fn a_caller_speaks_for_its_own_agents_alone() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let handoff = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    let caller = Caller::new("key-7", "default").acting_as([id("crew")]);
    let bound = engine.for_caller(caller);
    let before = state(&engine).await;
    let mut speaks = user("hi");
    speaks.agent = Some(id("pilot"));
    let answers: Vec<Result<(), HandoffError>> = vec![
        bound.accept(handoff, &id("pilot"), None, None).await.map(|_| ()),
        bound.reject(handoff, &id("pilot"), "no").await.map(|_| ()),
        bound.cancel(handoff, &id("planner"), "no").await.map(|_| ()),
        bound.initiate(&session("s"), delegation("planner", "pilot")).await.map(|_| ()),
        bound.say(&session("s"), vec![speaks]).await.map(|_| ()),
        bound.submit(&session("s"), write("n", json!(1)), None).await.map(|_| ()),
        bound.open_session(&session("new"), Open::by("planner").unwrap()).await.map(|_| ()),
        bound.take_return(&session("s"), one_done_return(&engine).await, &id("planner"), None).await.map(|_| ()),
    ];
    for (i, answer) in answers.into_iter().enumerate() {
        let error = answer.unwrap_err();
        assert!(error.has(Code::NotYourAgent), "{i}: {error}");
    }
    let after = state(&engine).await;
    assert_eq!((after.0 - before.0, after.1 - before.1), (3, 3), "only what the owner did");
}

async fn one_done_return(engine: &Engine) -> HandoffId {
    one_done(engine, "s", "planner", "pilot").await
}

#[tokio::test]
async fn what_is_too_much_is_told_with_the_name_of_its_limit() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let before = state(&engine).await;
    let big = |bytes: usize| "x".repeat(bytes + 1);
    let base = || delegation("planner", "pilot");
    let mut many = base();
    many.candidates = vec![id("pilot"); limits::CANDIDATES_MAX + 1];
    let targets = vec!["pilot"; limits::BROADCAST_TARGETS_MAX + 1];
    let wide = Request::broadcast("planner", &targets, "t", Aggregation::All, Duration::from_secs(1)).unwrap();
    let mut untimely = base();
    untimely.return_protocol.timeout_ms = Some(limits::WAIT_MS_MAX + 1);
    let payload = base().payload(json!(big(limits::PAYLOAD_BYTES_MAX)));
    let requests: Vec<(Request, Code, &str)> = vec![
        (payload, Code::TooLarge, "PAYLOAD_BYTES_MAX"),
        (base().because(&big(limits::TEXT_BYTES_MAX)), Code::TooLarge, "TEXT_BYTES_MAX"),
        (base().key(&big(limits::KEY_CHARS_MAX)), Code::TooLarge, "KEY_CHARS_MAX"),
        (base().key(" "), Code::EmptyField, "idempotency_key"),
        (base().key("a\u{0}"), Code::BadText, "idempotency_key"),
        (base().payload(deep(limits::JSON_DEPTH_MAX + 1)), Code::TooDeep, "JSON_DEPTH_MAX"),
        (base().because("a\u{0}b"), Code::BadText, "reason"),
        (base().because("a\u{1b}[31m"), Code::BadText, "reason"),
        (base().because("\t\n "), Code::EmptyField, "reason"),
        (many, Code::TooLarge, "CANDIDATES_MAX"),
        (wide, Code::TooLarge, "BROADCAST_TARGETS_MAX"),
        (untimely, Code::OutOfRange, "WAIT_MS_MAX"),
        (delegation("planner", "pilt"), Code::UnknownTarget, "did you mean \"pilot\"?"),
        (delegation("plannr", "pilot"), Code::UnknownSource, "did you mean \"planner\"?"),
    ];
    for (request, code, word) in requests {
        let error = engine.initiate(&session("s"), request).await.unwrap_err();
        assert!(error.has(code) && error.to_string().contains(word), "{code} {word}: {error}");
        assert_eq!(state(&engine).await, before, "{code} {word}");
    }
    let messages = |count: usize, bytes: usize| vec![user(&"x".repeat(bytes)); count];
    for (said, word) in [
        (messages(limits::MESSAGES_PER_APPEND_MAX + 1, 1), "MESSAGES_PER_APPEND_MAX"),
        (messages(1, limits::MESSAGE_BYTES_MAX + 1), "MESSAGE_BYTES_MAX"),
    ] {
        let error = engine.say(&session("s"), said).await.unwrap_err();
        assert!(error.has(Code::TooLarge) && error.to_string().contains(word), "{error}");
    }
    let lock = |lease_ms| Command::Lock { by: id("planner"), path: "p".into(), lock_type: LockType::Shared, lease_ms };
    let others: Vec<(Command, Code, &str)> = vec![
        (write(&big(limits::VARIABLE_NAME_CHARS_MAX), json!(1)), Code::TooLarge, "VARIABLE_NAME_CHARS_MAX"),
        (write("n", deep(limits::JSON_DEPTH_MAX + 1)), Code::TooDeep, "JSON_DEPTH_MAX"),
        (lock(limits::LOCK_MS_MAX + 1), Code::OutOfRange, "LOCK_MS_MAX"),
        (lock(0), Code::OutOfRange, "LOCK_MS_MAX"),
        (Command::Tick { handoff: HandoffId(Uuid::nil()) }, Code::NotYours, "only the engine"),
        (Command::Reclaim { handoff: HandoffId(Uuid::nil()) }, Code::NotYours, "only the engine"),
    ];
    for (command, code, word) in others {
        let error = engine.submit(&session("s"), command, None).await.unwrap_err();
        assert!(error.has(code) && error.to_string().contains(word), "{error}");
    }
    assert_eq!(state(&engine).await, before);
}

#[tokio::test]
async fn a_session_does_not_take_more_than_it_may_hold() {
    let house = House::new();
    let engine = house.open_unsynced().await;
    workers(&engine, &["planner", "pilot"]).await;
    let name = |i: usize| Write { name: format!("v{i}"), value: json!(i), expected_version: None };
    let set = |writes| Command::Set { by: id("planner"), writes };
    engine.submit(&session("s"), set((0..limits::VARIABLES_MAX).map(name).collect()), None).await.unwrap();
    let full = engine.submit(&session("s"), set(vec![name(limits::VARIABLES_MAX)]), None).await.unwrap_err();
    assert!(full.to_string().contains("VARIABLES_MAX"), "{full}");
    engine.submit(&session("s"), set(vec![name(0)]), None).await.unwrap();
    for _ in 0..limits::OPEN_HANDOFFS_MAX {
        engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap();
    }
    let full = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap_err();
    assert!(full.to_string().contains("OPEN_HANDOFFS_MAX"), "{full}");
}

#[tokio::test]
async fn names_that_cannot_be() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let before = state(&engine).await;
    for (name, code) in
        [("handover:house", Code::UnknownSession), ("handover:mine", Code::ReservedName), ("s", Code::SessionExists)]
    {
        let error = engine.open_session(&session(name), Open::by("planner").unwrap()).await.unwrap_err();
        assert_eq!(error.code(), code, "{name}");
    }
    let house_book = SessionId::house();
    for answer in [
        engine.submit(&house_book, write("n", json!(1)), None).await.map(|_| ()),
        engine.say(&house_book, vec![user("hi")]).await.map(|_| ()),
        engine.session(&house_book).await.map(|_| ()),
        tenant(&engine, "handover:house").session(&house_book).await.map(|_| ()),
        tenant(&engine, "handover:house").say(&house_book, vec![user("hi")]).await.map(|_| ()),
    ] {
        assert_eq!(answer.unwrap_err().code(), Code::UnknownSession);
    }
    for (name, code) in [("", Code::EmptyField), ("a b", Code::BadText), ("a\u{0}", Code::BadText)] {
        let error: HandoffError = SessionId::new(name).unwrap_err().into();
        assert_eq!(error.code(), code, "{name:?}");
    }
    let unknown = engine.open_session(&session("new"), Open::by("planer").unwrap()).await.unwrap_err();
    assert!(unknown.to_string().contains("did you mean \"planner\"?"), "{unknown}");
    assert_eq!(engine.agent(&id("nobody-there")).unwrap_err().code(), Code::UnknownAgent);
    assert_eq!(state(&engine).await, before);
}

#[tokio::test]
async fn a_lease_that_is_over_writes_nothing() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let nothing = HandoffId(Uuid::nil());
    assert_eq!(engine.handoff(nothing).await.unwrap_err().code(), Code::UnknownHandoff);
    let handoff = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    let give = |lease| engine.give_back(handoff, lease, success("x"), None);
    let code = |answer: Result<Answer, HandoffError>| answer.unwrap_err().code();
    assert_eq!(code(give(LeaseId(Uuid::nil())).await), Code::NotRunning);
    for lease_ms in [limits::LEASE_MS_MIN - 1, limits::LEASE_MS_MAX + 1] {
        let error = engine.accept(handoff, &id("pilot"), Some(lease_ms), None).await.unwrap_err();
        assert_eq!(error.code(), Code::OutOfRange);
        assert_eq!(engine.agent(&id("pilot")).unwrap().load, 0, "the place is free again");
    }
    let first = engine.accept(handoff, &id("pilot"), Some(5_000), None).await.unwrap().lease;
    assert_eq!(engine.accept(handoff, &id("pilot"), None, None).await.unwrap_err().code(), Code::AlreadyRunning);
    let before = state(&engine).await;
    assert_eq!(code(give(LeaseId(Uuid::nil())).await), Code::StaleLease);
    house.clock.advance(Duration::from_secs(6));
    assert_eq!(code(give(first).await), Code::StaleLease, "late, and nobody has noticed yet");
    assert_eq!(code(engine.heartbeat(handoff, first).await), Code::StaleLease);
    assert_eq!(state(&engine).await, before);
    engine.run_due().await.unwrap();
    assert_eq!(code(give(first).await), Code::StaleLease, "late, and on offer again");
    let second = engine.accept(handoff, &id("pilot"), Some(5_000), None).await.unwrap().lease;
    assert_eq!(code(give(first).await), Code::StaleLease, "somebody else has it");
    give(second).await.unwrap();
    assert_eq!(code(give(second).await), Code::Closed);
    assert_eq!(engine.agent(&id("pilot")).unwrap().load, 0);
    assert_eq!(engine.handoff(handoff).await.unwrap().result.unwrap().result.body, json!("x"));
}
