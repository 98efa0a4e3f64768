//! Reading it back: a conversation handed over in a chat application's words, its history, counts, stories, statistics.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, delegation, id, one_done, session, success, tenant, user, workers};
use expect_test::expect;
use handover_core::{
    agent::Profile,
    command::{Command, Open},
    handoff::{Request, Status},
    message::{NewMessage, Role},
    refusal::Code,
};
use handover_engine::{Engine, HandoffContext, agent::agent};
use serde_json::Value;

/// The three agents of the dojo; each takes what it is given and keeps the conversation.
async fn dojo(engine: &Engine) {
    for name in ["dojo", "librarian", "debugger"] {
        let work = agent(|_| async { std::future::pending().await });
        engine.register(Profile::named(name).unwrap(), work).await.unwrap();
    }
}

fn context(from: &str, to: &str, history: &[NewMessage]) -> HandoffContext {
    HandoffContext {
        from_agent: id(from),
        to_agent: id(to),
        reason: "User wants to search".into(),
        conversation_history: history.to_vec(),
        user_intent: "Search for similar prompts".into(),
        session_id: session("sess_abc123"),
        harness_trace_id: Some("trace-1".into()),
    }
}

fn said(agent: &str, text: &str) -> NewMessage {
    NewMessage { agent: Some(id(agent)), ..NewMessage::new(Role::Assistant, text) }
}

#[tokio::test]
async fn the_five_functions() {
    let house = House::new();
    let engine = house.open().await;
    dojo(&engine).await;
    let sess = session("sess_abc123");
    let mut talk = vec![user("find me prompts like this"), said("dojo", "let me hand you over")];
    let first = engine.execute_handoff(context("dojo", "librarian", &talk)).await.unwrap();
    assert_eq!(engine.session(&sess).await.unwrap().active_agent, id("librarian"));
    talk.push(said("librarian", "here are three"));
    let second = engine.execute_handoff(context("librarian", "dojo", &talk)).await.unwrap();
    let third = engine.store_handoff_event(context("dojo", "debugger", &talk)).await.unwrap();
    engine.accepted(third).await.unwrap();
    let history = engine.get_handoff_history(&sess).await.unwrap();
    let ids: Vec<_> = history.iter().map(|handoff| handoff.id).collect();
    assert_eq!(ids, [first, second, third]);
    assert_eq!(history[0].request.trace_id.as_deref(), Some("trace-1"));
    assert_eq!(history[0].request.original_request, "find me prompts like this");
    assert_eq!(engine.get_last_handoff(&sess).await.unwrap().unwrap().id, third);
    let (dojo, librarian) = (id("dojo"), id("librarian"));
    for (from, to, count) in [
        (None, None, 3),
        (Some(&dojo), None, 2),
        (None, Some(&librarian), 1),
        (Some(&dojo), Some(&librarian), 1),
        (Some(&librarian), Some(&librarian), 0),
    ] {
        assert_eq!(engine.get_handoff_count(&sess, from, to).await.unwrap(), count, "{from:?} {to:?}");
    }
    for after in 0..4 {
        let found = engine.handoff_history(&sess, after, 1).await.unwrap();
        assert_eq!(found.first().map(|handoff| handoff.n), (after < 3).then_some(after + 1));
    }
    assert_eq!(engine.messages(&sess, 1, 10).await.unwrap().len(), 3, "each message is stored once");
    let empty = engine.open_session(&session("new"), Open::by("dojo").unwrap()).await;
    empty.unwrap();
    assert_eq!(engine.get_last_handoff(&session("new")).await.unwrap(), None);
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn a_bad_handoff_is_told_all_at_once_and_leaves_nothing() {
    let house = House::new();
    let engine = house.open().await;
    dojo(&engine).await;
    let good = context("dojo", "librarian", &[user("hi")]);
    let cases: Vec<(HandoffContext, Vec<(Code, &str)>)> = vec![
        (HandoffContext { reason: " ".into(), ..good.clone() }, vec![(Code::EmptyField, "reason")]),
        (HandoffContext { user_intent: String::new(), ..good.clone() }, vec![(Code::EmptyField, "user_intent")]),
        (HandoffContext { to_agent: id("dojo"), ..good.clone() }, vec![(Code::SelfHandoff, "to_agent")]),
        (HandoffContext { to_agent: id("libarian"), ..good.clone() }, vec![(Code::UnknownTarget, "to_agent")]),
        (HandoffContext { from_agent: id("dojjo"), ..good.clone() }, vec![(Code::UnknownSource, "from_agent")]),
        (
            HandoffContext {
                from_agent: id("nobody-1"),
                to_agent: id("nobody-2"),
                reason: String::new(),
                user_intent: "\u{0}".into(),
                ..good.clone()
            },
            vec![
                (Code::EmptyField, "reason"),
                (Code::BadText, "user_intent"),
                (Code::UnknownSource, "from_agent"),
                (Code::UnknownTarget, "to_agent"),
            ],
        ),
        (
            HandoffContext { conversation_history: vec![said("stranger", "hi")], ..good.clone() },
            vec![(Code::UnknownAgent, "messages[0].agent")],
        ),
    ];
    for (bad, expected) in cases {
        let agents = format!("{}->{}", bad.from_agent, bad.to_agent);
        let error = engine.execute_handoff(bad).await.unwrap_err();
        let found: Vec<_> = error.refusals.iter().map(|refusal| (refusal.code, refusal.field.as_str())).collect();
        assert_eq!((found, error.agents.as_str()), (expected, agents.as_str()), "{error}");
        let gone = engine.session(&session("sess_abc123")).await.unwrap_err();
        assert_eq!(gone.code(), Code::UnknownSession, "nothing was opened: {error}");
    }
    let hint = engine.execute_handoff(HandoffContext { to_agent: id("libarian"), ..good }).await.unwrap_err();
    assert!(hint.to_string().contains("did you mean \"librarian\"?"), "{hint}");
}

#[tokio::test]
async fn a_history_goes_on_or_is_refused() {
    let house = House::new();
    let engine = house.open().await;
    dojo(&engine).await;
    let sess = session("sess_abc123");
    let secret = format!("the key is sk-ant-api03-{}", "aB3".repeat(31));
    let talk = vec![user(&secret), said("dojo", "one moment")];
    engine.execute_handoff(context("dojo", "librarian", &talk)).await.unwrap();
    let before = engine.session(&sess).await.unwrap().version;
    let other = vec![user("something else"), said("dojo", "one moment")];
    for (what, history) in [("another beginning", other), ("shorter", talk[..1].to_vec()), ("none", vec![])] {
        let error = engine.execute_handoff(context("librarian", "dojo", &history)).await.unwrap_err();
        assert_eq!(error.code().text(), "HO0607", "{what}: {error}");
        assert_eq!(error.agents, "librarian->dojo");
        assert_eq!(engine.session(&sess).await.unwrap().version, before, "{what}");
    }
    // What was cleaned before it was stored is still the same conversation.
    let longer = [talk, vec![said("librarian", "found it")]].concat();
    engine.execute_handoff(context("librarian", "dojo", &longer)).await.unwrap();
    assert_eq!(engine.session(&sess).await.unwrap().mark.messages, 3);
}

#[tokio::test]
async fn nobody_to_take_it_is_an_error_and_taking_it_and_failing_is_not() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["dojo", "librarian"]).await;
    let work = agent(|_| async { Err("no light".into()) });
    engine.register(Profile::named("debugger").unwrap(), work).await.unwrap();
    let handing = tokio::spawn({
        let engine = engine.clone();
        async move { engine.execute_handoff(context("dojo", "librarian", &[])).await }
    });
    let mut feed = engine.subscribe(handover_engine::Filter::default(), Some(0));
    while !matches!(feed.next().await.unwrap(), Some(handover_engine::Notice::Event(e)) if e.kind == "AGENT_HANDOFF") {}
    house.pass(&engine, 31).await;
    let error = handing.await.unwrap().unwrap_err();
    assert_eq!((error.code(), error.agents.as_str()), (Code::NobodyCan, "dojo->librarian"));
    assert!(error.to_string().contains("not acknowledged"), "{error}");
    let id = engine.execute_handoff(context("dojo", "debugger", &[])).await.unwrap();
    assert_eq!(engine.returned(id).await.unwrap().notes, "no light");
}

#[tokio::test]
async fn anybody_with_sql_reads_the_table_of_the_dojo() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["dojo", "librarian"]).await;
    let mut talk = vec![user("hello"), said("dojo", "hi")];
    engine.store_handoff_event(context("dojo", "librarian", &talk)).await.unwrap();
    let offered = engine.inbox(&id("librarian"), 10).await.unwrap();
    engine.accept(offered[0].id, &id("librarian"), None, None).await.unwrap();
    talk.push(said("librarian", "found"));
    let second = engine.store_handoff_event(context("librarian", "dojo", &talk)).await.unwrap();
    engine.close().await.unwrap();
    let conn = house.raw();
    let mut find = conn.prepare("SELECT * FROM agent_handoffs").unwrap();
    let columns: Vec<String> = find.column_names().map(ToString::to_string).collect();
    let expected = [
        "id",
        "session_id",
        "from_agent",
        "to_agent",
        "reason",
        "conversation_history",
        "harness_trace_id",
        "user_intent",
        "created_at",
    ];
    assert_eq!(columns, expected);
    let rows: Vec<Vec<String>> = find
        .query_map([], |row| (0..9).map(|i| row.get::<_, String>(i)).collect())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let lengths: Vec<usize> =
        rows.iter().map(|row| serde_json::from_str::<Vec<Value>>(&row[5]).unwrap().len()).collect();
    assert_eq!(lengths, [2, 3], "each has the conversation up to it");
    let mut last = rows[1].clone();
    assert_eq!(last[0], second.to_string());
    let history: Vec<Value> = serde_json::from_str(&last.remove(5)).unwrap();
    assert_eq!(history[2]["content"], "found");
    assert_eq!((&history[2]["agent"], &history[2]["role"]), (&"librarian".into(), &"assistant".into()));
    assert_eq!(history[0]["timestamp"], "2027-01-15T08:00:00.000Z");
    assert_eq!(
        last[1..],
        [
            "sess_abc123",
            "librarian",
            "dojo",
            "User wants to search",
            "trace-1",
            "Search for similar prompts",
            "2027-01-15T08:00:00.000Z"
        ]
    );
}

#[tokio::test]
async fn statistics_count_who_sent_and_received() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "crew"]).await;
    one_done(&engine, "s", "planner", "pilot").await;
    one_done(&engine, "s", "planner", "crew").await;
    engine.initiate(&session("s"), delegation("planner", "crew")).await.unwrap();
    let running = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    engine.accept(running, &id("pilot"), None, None).await.unwrap();
    let stats = serde_json::to_string_pretty(&engine.stats().await.unwrap()).unwrap();
    expect![[r#"
        {
          "total_handoffs": 4,
          "pending_handoffs": 1,
          "by_status": {
            "completed": 2,
            "offered": 1,
            "running": 1
          },
          "handoffs_by_agent": {
            "crew": {
              "sent": 0,
              "received": 2
            },
            "pilot": {
              "sent": 0,
              "received": 2
            },
            "planner": {
              "sent": 4,
              "received": 0
            }
          },
          "sessions": 1,
          "records": 10
        }"#]]
    .assert_eq(&stats);
    let none = tenant(&engine, "other").stats().await.unwrap();
    assert_eq!((none.total_handoffs, none.sessions, none.handoffs_by_agent.len()), (0, 0, 0));
    let query = handover_store::HandoffQuery { status: Some(Status::Offered), limit: 10, ..Default::default() };
    assert_eq!(engine.handoffs(query.clone()).await.unwrap().len(), 1);
    assert!(tenant(&engine, "other").handoffs(query).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_story_has_the_ten_steps() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    engine.say(&session("s"), vec![user("a jet, please")]).await.unwrap();
    let handoff = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    let assignment = engine.accept(handoff, &id("pilot"), None, None).await.unwrap();
    let lock = Command::Lock {
        by: id("pilot"),
        path: "plan".into(),
        lock_type: handover_core::session::LockType::Exclusive,
        lease_ms: 1_000,
    };
    engine.submit(&session("s"), lock, None).await.unwrap();
    engine.give_back(handoff, assignment.lease, success("a jet"), None).await.unwrap();
    let story = engine.story(handoff).await.unwrap();
    let told: Vec<String> =
        story.iter().map(|step| format!("{:>2} {}: {}", step.number, step.name, step.what)).collect();
    expect![[r#"
         1 trigger: ExplicitRequest: find a jet
         2 prepare: 1 messages at hand, 0 variables set with it
         3 validate: pilot was found fit
         4 initiate: planner to pilot, as asked
         5 acknowledge: pilot looked at it
         6 accept: pilot took it and is shown 1 messages
         7 execute: pilot works on it
         8 return: Success to planner
         9 complete: completed
        10 release: 1 locks released"#]]
    .assert_eq(&told.join("\n"));
    let numbers: Vec<u8> = story.iter().map(|step| step.number).collect();
    assert_eq!(numbers, (1..=10).collect::<Vec<u8>>());
    let trace = engine.trace(handoff).await.unwrap();
    assert_eq!(
        trace.iter().map(|record| record.event_type.as_str()).collect::<Vec<_>>(),
        ["initiated", "accepted", "completed"]
    );
    assert_eq!(tenant(&engine, "other").story(handoff).await.unwrap_err().code(), Code::UnknownHandoff);
}

#[tokio::test]
async fn an_inbox_is_not_hidden_behind_those_of_other_tenants() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let other = tenant(&engine, "other");
    other.open_session(&session("o"), Open::by("planner").unwrap()).await.unwrap();
    for _ in 0..3 {
        other
            .initiate(&session("o"), delegation("planner", "pilot").priority(handover_core::handoff::Priority::Urgent))
            .await
            .unwrap();
        one_done(&other, "o", "planner", "pilot").await;
    }
    let mine = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    let inbox = engine.inbox(&id("pilot"), 1).await.unwrap();
    assert_eq!(inbox.iter().map(|handoff| handoff.id).collect::<Vec<_>>(), [mine]);
    assert_eq!(other.inbox(&id("pilot"), 10).await.unwrap().len(), 3);
    one_done(&engine, "s", "planner", "pilot").await;
    let returns = engine.waiting_returns(&id("planner"), 1).await.unwrap();
    assert_eq!(returns.iter().map(|found| found.session.as_str()).collect::<Vec<_>>(), ["s"]);
    let request = Request::sequential("planner", "pilot", "go on").unwrap();
    engine.initiate(&session("s"), request).await.unwrap();
    assert_eq!(engine.inbox(&id("pilot"), 10).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_quick_list_passes_only_so_many_rows_of_others() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "crew"]).await;
    // Two of the crew's, then four of others.
    for (n, to) in ["crew", "crew", "pilot", "pilot", "pilot", "pilot"].iter().enumerate() {
        let name = session(&format!("q{n}"));
        engine.open_session(&name, Open::by("planner").unwrap()).await.unwrap();
        engine.initiate(&name, delegation("planner", to)).await.unwrap();
    }
    let crew = engine.for_caller(handover_core::access::Caller::of_agent(id("crew"), "default"));
    for (rows, skip, sessions, handoffs, left_out) in [
        (3, 0, 0, 0, true),
        (4, 0, 2, 2, false),
        (4, 1, 0, 2, true),
        (5, 1, 1, 2, false),
        (4, 2, 0, 2, true),
        (9, 1, 1, 2, false),
    ] {
        let quick = crew.looking_past(rows);
        assert!(!quick.left_out());
        let query = handover_store::HandoffQuery { latest_first: true, limit: 2, ..Default::default() };
        assert_eq!(quick.handoffs(query).await.unwrap().len(), handoffs, "past {rows}");
        assert_eq!(
            quick.sessions(skip, 2 - skip.min(1)).await.unwrap().len(),
            sessions,
            "past {rows}, skipping {skip}"
        );
        assert_eq!(quick.left_out(), left_out, "past {rows}, skipping {skip}");
        assert!(!crew.left_out());
    }
    assert_eq!(crew.sessions(0, 9).await.unwrap().len(), 2, "others look as far as there is something");
}
