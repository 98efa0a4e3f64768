//! What crosses with a handoff: views and their manifest, recall, cleaning, variables, locks, artifacts, decisions.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, delegation, id, session, success, user, workers};
use expect_test::expect;
use handover_core::{
    agent::Risk,
    command::{Answer, Command, NewArtifact, Write},
    context::{Include, Manifest, TransferMode, Why},
    handoff::Request,
    limits::VIEW_WINDOW,
    message::{NewMessage, Role, ToolCall},
    refusal::{Code, HandoffError},
    session::{ArtifactStatus, ArtifactType, LockType},
};
use handover_engine::{Assignment, Engine};
use serde_json::json;
use std::time::Duration;

/// One message of each class, between two of plain talk.
async fn conversation(engine: &Engine) {
    let mut call = NewMessage::new(Role::Assistant, "");
    call.tool_calls = vec![ToolCall { id: "c1".into(), name: "search".into(), arguments: json!({"q": "jets"}) }];
    let mut result = NewMessage::new(Role::Tool, "three jets found");
    result.tool_call_id = Some("c1".into());
    result.tool_name = Some("search".into());
    let mut thought = NewMessage::new(Role::Assistant, "they may want the large one");
    thought.reasoning = true;
    let system = NewMessage::new(Role::System, "be polite");
    let messages = vec![system, user("find a jet to Oslo"), call, result, thought, user("the blue one, please")];
    assert_eq!(engine.say(&session("s"), messages).await.unwrap(), 6);
}

async fn taken(engine: &Engine, request: Request) -> Assignment {
    let handoff = engine.initiate(&session("s"), request).await.unwrap().handoffs[0];
    engine.accept(handoff, &id("pilot"), None, None).await.unwrap()
}

fn shown(assignment: &Assignment) -> Vec<u64> {
    assignment.view.items.iter().map(|item| item.n).collect()
}

fn adds_up(manifest: &Manifest) -> bool {
    let withheld: u64 = manifest.withheld.iter().map(|w| w.messages).sum();
    let tokens: u64 = manifest.withheld.iter().map(|w| w.tokens).sum();
    manifest.shown_messages + withheld == manifest.total_messages
        && manifest.shown_tokens + tokens == manifest.total_tokens
}

/// What is asked for: mode, how many, which classes; and the messages that are shown then.
type ViewCase = (&'static str, TransferMode, Option<usize>, Include, Vec<u64>);

#[tokio::test]
async fn a_view_shows_what_was_asked_for_and_the_manifest_says_so() {
    let plain = Include { agent_reasoning: true, ..Include::default() };
    let talk = Include {
        system_messages: false,
        tool_calls: false,
        tool_results: false,
        agent_reasoning: false,
        asides: false,
    };
    let cases: Vec<ViewCase> = vec![
        ("all", TransferMode::Full, None, plain, vec![1, 2, 3, 4, 5, 6]),
        ("the last two", TransferMode::Full, Some(2), plain, vec![5, 6]),
        ("talk", TransferMode::Full, None, talk, vec![2, 6]),
        ("the last of the talk", TransferMode::Full, Some(1), talk, vec![6]),
        ("without thoughts", TransferMode::Full, None, Include::default(), vec![1, 2, 3, 4, 6]),
        (
            "without tools",
            TransferMode::Full,
            None,
            Include { tool_calls: false, tool_results: false, ..plain },
            vec![1, 2, 5, 6],
        ),
        (
            "without instructions",
            TransferMode::Full,
            None,
            Include { system_messages: false, ..plain },
            vec![2, 3, 4, 5, 6],
        ),
        ("a summary", TransferMode::Summary, None, talk, vec![2, 6]),
        ("relevant", TransferMode::RelevantOnly, Some(2), talk, vec![2, 6]),
    ];
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    conversation(&engine).await;
    for (what, mode, max_messages, include, expected) in cases {
        let mut request = delegation("planner", "pilot");
        request.context.transfer.mode = Some(mode);
        request.context.transfer.max_messages = max_messages;
        request.context.transfer.include = include;
        let assignment = taken(&engine, request).await;
        assert_eq!(shown(&assignment), expected, "{what}");
        let manifest = assignment.handoff.manifest.clone().unwrap();
        assert_eq!(*manifest, assignment.view.manifest, "{what}");
        assert!(adds_up(&manifest), "{what}: {manifest:?}");
        assert_eq!((manifest.mode, manifest.total_messages), (mode, 6), "{what}");
        // What was withheld can be recalled, and nothing else.
        let back = engine.recall(assignment.handoff.id, 1, 6).await.unwrap();
        let mut all: Vec<u64> = back.iter().map(|message| message.n).collect();
        assert!(all.iter().all(|n| !expected.contains(n)), "{what}: {all:?}");
        all.extend(&expected);
        all.sort_unstable();
        assert_eq!(all, [1, 2, 3, 4, 5, 6], "{what}");
        // The same view before and after, and after a restart.
        let again = engine.view(assignment.handoff.id, None).await.unwrap();
        assert_eq!(again, assignment.view, "{what}");
        engine.give_back(assignment.handoff.id, assignment.lease, success("ok"), None).await.unwrap();
    }
}

#[tokio::test]
async fn the_manifest_is_recorded_with_the_acceptance() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    conversation(&engine).await;
    let assignment = taken(&engine, delegation("planner", "pilot")).await;
    let records = engine.trace(assignment.handoff.id).await.unwrap();
    let accepted = records.iter().find(|record| record.event_type == "accepted").unwrap();
    let mut manifest = serde_json::to_value(&accepted.event).unwrap()["manifest"].take();
    assert_eq!(manifest["digest"].as_str().unwrap().len(), 64);
    manifest["digest"] = "…".into();
    expect![[r#"
        {
          "digest": "…",
          "mode": "summary",
          "shown": [
            [
              4,
              4
            ],
            [
              6,
              6
            ]
          ],
          "shown_messages": 2,
          "shown_tokens": 8,
          "summarised_by": "extractive",
          "summary_tokens": 9,
          "total_messages": 6,
          "total_tokens": 27,
          "watermark": 6,
          "withheld": [
            {
              "messages": 1,
              "tokens": 6,
              "why": "reasoning_excluded"
            },
            {
              "messages": 3,
              "tokens": 13,
              "why": "summarised"
            }
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&manifest).unwrap());
}

#[tokio::test]
async fn what_is_said_after_the_handoff_is_not_part_of_it() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    conversation(&engine).await;
    let handoff = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    engine.say(&session("s"), vec![user("forget it, I take the train")]).await.unwrap();
    let assignment = engine.accept(handoff, &id("pilot"), None, None).await.unwrap();
    assert_eq!(assignment.view.manifest.watermark, 6);
    assert!(!assignment.brief().contains("train"));
    assert!(engine.recall(handoff, 1, 99).await.unwrap().iter().all(|message| message.n <= 6));
    for (first, last) in [(0, 3), (7, 9), (5, 4)] {
        let error = engine.recall(handoff, first, last).await.unwrap_err();
        assert_eq!(error.code(), Code::OutOfRange, "{first} to {last}");
    }
}

#[tokio::test]
async fn a_long_conversation_costs_a_window() {
    let house = House::new();
    let engine = house.open_unsynced().await;
    workers(&engine, &["planner", "pilot"]).await;
    for page in 0..5 {
        let messages = (0..1_000).map(|i| user(&format!("word {} of the long story", page * 1_000 + i))).collect();
        engine.say(&session("s"), messages).await.unwrap();
    }
    for mode in [TransferMode::Summary, TransferMode::RelevantOnly, TransferMode::Full] {
        let mut request = delegation("planner", "pilot");
        request.context.transfer.mode = Some(mode);
        let handoff = engine.initiate(&session("s"), request.clone()).await.unwrap().handoffs[0];
        let mark = engine.handoff(handoff).await.unwrap().mark;
        let read: u64 =
            handover_core::context::plan(&request, &mark).ranges.iter().map(|(first, last)| last - first + 1).sum();
        assert!(read <= VIEW_WINDOW as u64 + 3, "{mode:?} reads {read}");
        let assignment = engine.accept(handoff, &id("pilot"), None, None).await.unwrap();
        let manifest = &assignment.view.manifest;
        assert!(adds_up(manifest) && manifest.total_messages == 5_000, "{mode:?}: {manifest:?}");
        assert!(assignment.view.items.len() <= VIEW_WINDOW, "{mode:?}");
        if mode == TransferMode::Full {
            let page = engine.view_page(handoff, 1, 5_000, None).await.unwrap();
            assert_eq!((page[0].n, page.len()), (1, 1_000), "the rest is turned page by page");
        } else {
            assert!(manifest.withheld.iter().any(|w| w.why == Why::OutsideWindow), "{mode:?}");
            let page = engine.recall(handoff, 1_000, 2_500).await.unwrap();
            assert_eq!((page[0].n, page.len()), (1_000, 1_000), "a page at the most");
        }
    }
}

#[tokio::test]
async fn secrets_and_hidden_characters_are_gone_before_anything_is_stored() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let key = format!("sk-ant-api03-{}", "aB3".repeat(31));
    let text = format!("my key is {key}\u{202e}\u{0} ok");
    engine.say(&session("s"), vec![user(&text)]).await.unwrap();
    let stored = &engine.messages(&session("s"), 1, 1).await.unwrap()[0];
    assert!(!stored.said.content.contains(&key) && !stored.said.content.contains(['\u{202e}', '\u{0}']));
    assert!(stored.said.content.starts_with("my key is ") && stored.said.content.ends_with(" ok"));
    assert!(stored.redacted.values().sum::<u64>() >= 2, "{:?}", stored.redacted);
    engine.close().await.unwrap();
    for entry in std::fs::read_dir(house.folder.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(key.len()).any(|window| window == key.as_bytes()));
    }
}

async fn ask(engine: &Engine, command: Command) -> Result<Answer, HandoffError> {
    engine.submit(&session("s"), command, None).await
}

#[tokio::test]
async fn variables_have_scopes_and_versions() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let write =
        |name: &str, value: i64, expected_version| Write { name: name.into(), value: value.into(), expected_version };
    let set = |by: &str, writes| Command::Set { by: id(by), writes };
    ask(&engine, set("planner", vec![write("shared", 1, Some(0)), write("planner/own", 1, None)])).await.unwrap();
    let foreign = ask(&engine, set("pilot", vec![write("planner/own", 2, None)])).await.unwrap_err();
    assert_eq!(foreign.code(), Code::OutOfScope);
    ask(&engine, set("pilot", vec![write("shared", 2, Some(1))])).await.unwrap();
    // The loser is told both versions, and nothing of its write is there.
    let late = vec![write("shared", 3, Some(1)), write("other", 9, None)];
    let lost = ask(&engine, set("planner", late)).await.unwrap_err();
    assert_eq!(lost.refusals[0].details, json!({"name": "shared", "expected": 1, "current": 2}));
    assert!(lost.to_string().contains("has version 2, not 1"), "{lost}");
    let now = engine.session(&session("s")).await.unwrap();
    let all: Vec<_> = now.variables.iter().map(|(name, v)| (name.as_str(), v.value.clone(), v.version)).collect();
    assert_eq!(all, [("planner/own", json!(1), 1), ("shared", json!(2), 2)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_writers_with_the_same_version_one_wins() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let tasks: Vec<_> = (0..20)
        .map(|i| {
            let engine = engine.clone();
            tokio::spawn(async move {
                let write = Write { name: "n".into(), value: i.into(), expected_version: Some(0) };
                engine.set(&session("s"), &id("planner"), vec![write]).await
            })
        })
        .collect();
    let mut won = 0;
    for task in tasks {
        match task.await.unwrap() {
            Ok(_) => won += 1,
            Err(error) => assert_eq!(error.code(), Code::VersionConflict),
        }
    }
    assert_eq!(won, 1);
}

#[tokio::test]
async fn locks_exclude_share_end_by_the_clock_and_with_the_work() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let lock = |by: &str, lock_type| Command::Lock { by: id(by), path: "a.rs".into(), lock_type, lease_ms: 5_000 };
    let unlock = |by: &str| Command::Unlock { by: id(by), path: "a.rs".into() };
    use LockType::{Exclusive, Shared};
    let code = |answer: Result<Answer, HandoffError>| answer.err().map(|error| error.code());
    assert_eq!(code(ask(&engine, lock("planner", Exclusive)).await), None);
    assert_eq!(code(ask(&engine, lock("pilot", Shared)).await), Some(Code::Locked));
    assert_eq!(code(ask(&engine, unlock("pilot")).await), Some(Code::LockNotHeld));
    house.clock.advance(Duration::from_secs(6));
    assert_eq!(code(ask(&engine, unlock("planner")).await), Some(Code::LockNotHeld), "it ran out");
    assert_eq!(code(ask(&engine, lock("pilot", Shared)).await), None);
    assert_eq!(code(ask(&engine, lock("planner", Shared)).await), None);
    assert_eq!(code(ask(&engine, lock("pilot", Exclusive)).await), Some(Code::Locked));
    assert_eq!(code(ask(&engine, unlock("planner")).await), None);
    assert_eq!(code(ask(&engine, lock("pilot", Exclusive)).await), None, "alone, it may have it whole");
    assert_eq!(code(ask(&engine, unlock("pilot")).await), None);
    let assignment = taken(&engine, delegation("planner", "pilot")).await;
    ask(&engine, lock("pilot", Exclusive)).await.unwrap();
    engine.give_back(assignment.handoff.id, assignment.lease, success("ok"), None).await.unwrap();
    assert_eq!(code(ask(&engine, lock("planner", Exclusive)).await), None, "the end of the work released it");
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn artifacts_and_decisions_are_kept() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let artifact = NewArtifact {
        kind: ArtifactType::Code,
        path: "src/a.rs".into(),
        description: "the plan".into(),
        status: ArtifactStatus::Draft,
    };
    let kept = ask(&engine, Command::Keep { by: id("planner"), artifact }).await.unwrap().artifact.unwrap();
    let mark = |of| Command::MarkArtifact { by: id("pilot"), id: of, status: ArtifactStatus::Final };
    ask(&engine, mark(kept)).await.unwrap();
    let unknown = ask(&engine, mark(handover_core::ids::ArtifactId(uuid::Uuid::nil()))).await.unwrap_err();
    assert_eq!(unknown.code(), Code::UnknownArtifact);
    let decide = Command::Decide { by: id("planner"), description: "the blue one".into(), risk: Risk::Low };
    ask(&engine, decide).await.unwrap();
    engine.close().await.unwrap();
    let engine = house.open().await;
    let now = engine.session(&session("s")).await.unwrap();
    let artifact = &now.artifacts[&kept];
    assert_eq!(
        (artifact.status, artifact.created_by.as_str(), artifact.path.as_str()),
        (ArtifactStatus::Final, "planner", "src/a.rs")
    );
    let decision = &now.decisions[0];
    assert_eq!((decision.description.as_str(), decision.escalated_to), ("the blue one", None));
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn the_brief_tells_a_specialist_everything() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    conversation(&engine).await;
    let mut request = delegation("planner", "pilot").because("no jets here").payload(json!({"to": "Oslo"}));
    request.original_request = "a jet on Friday".into();
    request.context.completed_work = json!(["asked for the colour"]);
    let assignment = taken(&engine, request).await;
    let brief = assignment.brief();
    for part in
        ["a jet on Friday", "no jets here", "find a jet", "Oslo", "asked for the colour", "the blue one, please"]
    {
        assert!(brief.contains(part), "{part} is not in:\n{brief}");
    }
    let total: u64 = assignment.view.manifest.withheld.iter().map(|w| w.messages).sum();
    assert!(brief.contains(&format!("{total} of 6 earlier messages are not shown")), "{brief}");
}
