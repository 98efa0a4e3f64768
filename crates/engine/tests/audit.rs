//! The audit trail: what each handoff leaves in it, how it is asked, exported and thinned out.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, book, delegation, id, one_done, session, success, tenant, user, workers};
use expect_test::expect;
use handover_core::{
    agent::{AgentKind, Profile, Risk},
    command::{Command, Open},
    event::Event,
    handoff::{OnTimeout, Request},
    ids::HandoffId,
    record::Record,
    refusal::Code,
    time::Timestamp,
};
use handover_engine::{Engine, verify_export};
use handover_store::RecordQuery;
use serde_json::Value;
use std::{fs, time::Duration};

fn all() -> RecordQuery {
    RecordQuery { limit: 1000, ..RecordQuery::default() }
}

async fn asked(engine: &Engine, query: RecordQuery) -> Vec<Record> {
    let found = engine.audit(query).await.unwrap();
    found.iter().map(|stored| serde_json::from_str(&stored.text).unwrap()).collect()
}

async fn trail(engine: &Engine, handoff: HandoffId) -> Vec<String> {
    let records = asked(engine, RecordQuery { handoff: Some(handoff), ..all() }).await;
    records.into_iter().map(|record| record.event_type).collect()
}

#[tokio::test]
async fn every_handoff_says_how_it_began_was_answered_and_ended() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "crew"]).await;
    let start = || async { engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0] };
    let done = one_done(&engine, "s", "planner", "pilot").await;
    assert_eq!(trail(&engine, done).await, ["initiated", "accepted", "completed"]);
    let rejected = start().await;
    engine.reject(rejected, &id("pilot"), "no fuel").await.unwrap();
    assert_eq!(trail(&engine, rejected).await, ["initiated", "rejected", "failed"]);
    let cancelled = start().await;
    engine.cancel(cancelled, &id("planner"), "not needed").await.unwrap();
    assert_eq!(trail(&engine, cancelled).await, ["initiated", "cancelled"]);
    let failed = start().await;
    let assignment = engine.accept(failed, &id("pilot"), None, None).await.unwrap();
    let mut giving = success("");
    giving.status = handover_core::handoff::ReturnStatus::Failed;
    engine.give_back(failed, assignment.lease, giving, None).await.unwrap();
    assert_eq!(trail(&engine, failed).await, ["initiated", "accepted", "failed"]);
    let late = start().await;
    engine.accept(late, &id("pilot"), Some(3_600_000), None).await.unwrap();
    house.pass(&engine, 61).await;
    house.pass(&engine, 61).await;
    assert_eq!(trail(&engine, late).await, ["initiated", "accepted", "reminded", "timeout"]);
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn a_record_has_the_fields_of_the_protocol() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let mut request = delegation("planner", "pilot").risking(Risk::Medium).because("no pilot here");
    request.audit.decision_rationale = "the cheapest way".into();
    request.task.id = "task-1".into();
    let handoff = engine.initiate(&session("s"), request).await.unwrap().handoffs[0];
    house.clock.advance(Duration::from_secs(3));
    let assignment = engine.accept(handoff, &id("pilot"), None, None).await.unwrap();
    house.clock.advance(Duration::from_secs(4));
    let mut giving = success("a jet");
    giving.updates.metrics.tokens = 321;
    giving.updates.context.insert("aircraft".into(), "G550".into());
    engine.give_back(handoff, assignment.lease, giving, None).await.unwrap();
    let records = engine.audit(RecordQuery { handoff: Some(handoff), ..all() }).await.unwrap();
    let mut last: Value = serde_json::from_str(&records.last().unwrap().text).unwrap();
    for (field, length) in [("handoff_id", 36), ("prev", 64)] {
        assert_eq!(last[field].as_str().unwrap().len(), length, "{field}");
        last[field] = "…".into();
    }
    last["event"] = "…".into();
    expect![[r#"
        {
          "caller": "local",
          "context_snapshot": {
            "artifact_count": 0,
            "context_variables_hash": "6964ba556a5033d43a8a486f26dceacc303bce6d7982b7c84da732a839cecd2b",
            "task_id": "task-1",
            "task_status": "complete"
          },
          "decision_rationale": "the cheapest way",
          "duration_ms": 7000,
          "event": "…",
          "event_type": "completed",
          "from_agent": "planner",
          "handoff_id": "…",
          "handoff_type": "delegation",
          "outcome": "success",
          "prev": "…",
          "reason": "no pilot here",
          "risk_level": "medium",
          "seq": 5,
          "session_id": "s",
          "tenant": "default",
          "timestamp": "2027-01-15T08:00:07.000Z",
          "to_agent": "pilot",
          "tokens_consumed": 321
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&last).unwrap());
}

/// Two sessions, several agents, an hour between them.
async fn history(house: &House, engine: &Engine) -> (HandoffId, HandoffId, HandoffId) {
    workers(engine, &["planner", "pilot", "crew"]).await;
    engine.open_session(&session("t"), Open::by("crew").unwrap()).await.unwrap();
    let first = one_done(engine, "s", "planner", "pilot").await;
    house.clock.advance(Duration::from_secs(3_600));
    let second = one_done(engine, "t", "crew", "planner").await;
    let mut request = delegation("planner", "crew");
    request.task.id = "task-9".into();
    let third = engine.initiate(&session("s"), request).await.unwrap().handoffs[0];
    engine.reject(third, &id("crew"), "busy").await.unwrap();
    (first, second, third)
}

#[tokio::test]
async fn it_is_asked_by_everything_and_by_several_things_at_once() {
    let house = House::new();
    let engine = house.open().await;
    let (first, second, third) = history(&house, &engine).await;
    let later = Timestamp(common::START.0 + 3_600_000);
    let done = ["initiated", "accepted", "completed"];
    let no = ["initiated", "rejected", "failed"];
    let cases: Vec<(&str, RecordQuery, Vec<&str>)> = vec![
        ("handoff", RecordQuery { handoff: Some(second), ..all() }, done.to_vec()),
        ("task", RecordQuery { task: Some("task-9".into()), ..all() }, no.to_vec()),
        ("own task", RecordQuery { task: Some(first.to_string()), ..all() }, done.to_vec()),
        (
            "session",
            RecordQuery { session: Some(session("t")), ..all() },
            ["session_opened"].into_iter().chain(done).collect(),
        ),
        ("from", RecordQuery { from: Some(id("crew")), ..all() }, done.to_vec()),
        ("to", RecordQuery { to: Some(id("crew")), ..all() }, no.to_vec()),
        ("type", RecordQuery { event_type: Some("accepted".into()), ..all() }, vec!["accepted"; 2]),
        ("since", RecordQuery { since: Some(later), ..all() }, [done, no].concat()),
        (
            "until",
            RecordQuery { until: Some(later), ..all() },
            ["session_opened", "session_opened"].into_iter().chain(done).collect(),
        ),
        (
            "from and type",
            RecordQuery { from: Some(id("planner")), event_type: Some("initiated".into()), ..all() },
            vec!["initiated"; 2],
        ),
        ("session and since", RecordQuery { session: Some(session("s")), since: Some(later), ..all() }, no.to_vec()),
        (
            "all of it",
            RecordQuery {
                handoff: Some(third),
                task: Some("task-9".into()),
                session: Some(session("s")),
                from: Some(id("planner")),
                to: Some(id("crew")),
                event_type: Some("rejected".into()),
                since: Some(later),
                until: Some(later + 1),
                ..all()
            },
            vec!["rejected"],
        ),
        ("nothing fits", RecordQuery { from: Some(id("pilot")), ..all() }, vec![]),
    ];
    for (what, query, expected) in cases {
        let types: Vec<String> = asked(&engine, query.clone()).await.into_iter().map(|r| r.event_type).collect();
        assert_eq!(types, expected, "{what}");
        let mut pages = Vec::new();
        let mut query = RecordQuery { limit: 2, ..query };
        loop {
            let page = engine.audit(query.clone()).await.unwrap();
            let Some(last) = page.last() else { break };
            query.after = last.position;
            pages.extend(page);
        }
        let paged: Vec<String> =
            pages.iter().map(|s| serde_json::from_str::<Record>(&s.text).unwrap().event_type).collect();
        assert_eq!(paged, expected, "{what}, page by page");
        assert!(tenant(&engine, "other").audit(query).await.unwrap().is_empty(), "{what}, for a stranger");
    }
}

#[tokio::test]
async fn checkpoints_are_written_when_asked_and_at_the_end() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let sealed = |records: &[Record]| {
        let heads = records.iter().filter_map(|record| match &record.event {
            Event::Sealed { heads, .. } => Some(heads.iter().map(|h| (h.session_id.to_string(), h.seq)).collect()),
            _ => None,
        });
        heads.collect::<Vec<Vec<(String, u64)>>>()
    };
    engine.seal().await.unwrap();
    engine.seal().await.unwrap();
    assert_eq!(sealed(&book(&engine).await), [[("s".to_owned(), 1)]], "nothing new, no new checkpoint");
    one_done(&engine, "s", "planner", "pilot").await;
    engine.close().await.unwrap();
    let engine = house.open().await;
    let seals = sealed(&book(&engine).await);
    assert_eq!(seals, [[("s".to_owned(), 1)], [("s".to_owned(), 4)]]);
    let found = engine.verify().await.unwrap();
    assert_eq!((found.sessions, found.checkpoints, found.handoffs), (2, 2, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn verifying_goes_on_while_others_write() {
    let house = House::new();
    let engine = house.open_unsynced().await;
    workers(&engine, &["planner", "pilot"]).await;
    let writing = tokio::spawn({
        let engine = engine.clone();
        async move {
            for i in 0..150 {
                engine.say(&session("s"), vec![user(&i.to_string())]).await.unwrap();
                one_done(&engine, "s", "planner", "pilot").await;
            }
        }
    });
    let mut rounds = 0;
    while !writing.is_finished() {
        engine.verify().await.unwrap();
        engine.seal().await.unwrap();
        rounds += 1;
    }
    writing.await.unwrap();
    assert!(rounds > 1, "the writer was too quick for this to mean something");
    let found = engine.verify().await.unwrap();
    assert_eq!((found.handoffs, found.messages), (150, 150));
}

#[tokio::test]
async fn sums_of_money_are_what_the_records_say() {
    let house = House::new();
    let engine = house.open_unsynced().await;
    workers(&engine, &["planner", "pilot"]).await;
    for i in 0..200 {
        let handoff = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
        let assignment = engine.accept(handoff, &id("pilot"), None, None).await.unwrap();
        let mut giving = success("");
        giving.updates.metrics.cost = f64::from(i) * 0.1 + f64::from(i * i) * 0.000_37;
        engine.give_back(handoff, assignment.lease, giving, None).await.unwrap();
        if i % 20 == 0 {
            engine.verify().await.unwrap();
        }
    }
    let before = engine.session(&session("s")).await.unwrap().metrics;
    engine.close().await.unwrap();
    let engine = house.open().await;
    assert_eq!(engine.session(&session("s")).await.unwrap().metrics, before);
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn an_export_is_verified_without_a_database() {
    let house = House::new();
    let engine = house.open().await;
    history(&house, &engine).await;
    let folder = house.folder.path().join("logs");
    let (path, count) = engine.export(&folder, "charter", all()).await.unwrap();
    assert_eq!(path.parent().unwrap(), folder.join("charter").join("handoff-audit"));
    assert_eq!(path.extension().unwrap(), "jsonl");
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing half written is left");
    let text = fs::read_to_string(&path).unwrap();
    let found = verify_export(text.as_bytes()).unwrap();
    assert_eq!((found.records, found.gaps, text.lines().count() as u64), (count, 0, count));
    let query = RecordQuery { event_type: Some("accepted".into()), ..all() };
    let (filtered, _) = engine.export(&folder, "charter", query).await.unwrap();
    let found = verify_export(fs::read(&filtered).unwrap().as_slice()).unwrap();
    assert_eq!((found.records, found.gaps), (2, 2));
    let (path, count) = tenant(&engine, "other").export(&folder, "other", all()).await.unwrap();
    assert_eq!((count, fs::read(&path).unwrap().len()), (0, 0));
}

#[tokio::test]
async fn an_export_that_was_touched_is_found_out() {
    let house = House::new();
    let engine = house.open().await;
    history(&house, &engine).await;
    let query = RecordQuery { session: Some(session("s")), ..all() };
    let (path, _) = engine.export(house.folder.path(), "p", query).await.unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let join = |lines: &[&str]| lines.join("\n");
    let mut swapped = lines.clone();
    swapped.swap(2, 3);
    let edited = text.replacen("find a jet", "find a bus", 1);
    let cases = [
        ("edited", edited, Err(2)),
        ("reordered", join(&swapped), Err(4)),
        ("twice", join(&[&lines[..3], &lines[2..]].concat()), Err(4)),
        ("cut", lines[0][..lines[0].len() - 9].to_owned(), Err(1)),
        ("a line gone", join(&[&lines[..2], &lines[3..]].concat()), Ok(1)),
    ];
    for (what, text, expected) in cases {
        match (verify_export(text.as_bytes()), expected) {
            (Ok(found), Ok(gaps)) => assert_eq!(found.gaps, gaps, "{what}"),
            (Err(error), Err(line)) => {
                assert_eq!(error.code(), Code::BrokenChain, "{what}");
                assert!(error.to_string().contains(&format!("line {line}:")), "{what}: {error}");
            }
            (found, _) => panic!("{what}: {found:?}"),
        }
    }
}

const DAY: u64 = 24 * 60 * 60;

/// A session with a plain handoff and, if wanted, an escalation; over, or not.
async fn kept(engine: &Engine, name: &str, escalation: bool, ended: bool) {
    engine.open_session(&session(name), Open::by("planner").unwrap()).await.unwrap();
    engine.say(&session(name), vec![user("hello")]).await.unwrap();
    one_done(engine, name, "planner", "pilot").await;
    if escalation {
        let mut request = Request::escalation("planner", "may I?", "it is dear").unwrap();
        request.to_agent = Some(id("crew"));
        let handoff = engine.initiate(&session(name), request).await.unwrap().handoffs[0];
        let assignment = engine.accept(handoff, &id("crew"), None, None).await.unwrap();
        engine.give_back(handoff, assignment.lease, success("yes"), None).await.unwrap();
    }
    if ended {
        let command = Command::End { by: id("planner"), reason: "done".into() };
        engine.submit(&session(name), command, None).await.unwrap();
    }
}

#[tokio::test]
async fn what_was_kept_long_enough_goes_and_the_rest_stays_verifiable() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "crew"]).await;
    kept(&engine, "going-on", false, false).await;
    kept(&engine, "over", false, true).await;
    kept(&engine, "escalated", true, true).await;
    engine.seal().await.unwrap();
    let mut day = 0;
    // After so many days: how many sessions lose records, and what each has left.
    for (at, lost, left) in
        [(29, 0, [5, 6, 9]), (31, 0, [5, 6, 9]), (91, 2, [5, 0, 4]), (179, 0, [5, 0, 4]), (181, 1, [5, 0, 0])]
    {
        house.clock.advance(Duration::from_secs((at - day) * DAY));
        day = at;
        assert_eq!(engine.enforce_retention().await.unwrap(), lost, "day {at}");
        let mut counts = Vec::new();
        for name in ["going-on", "over", "escalated"] {
            counts.push(asked(&engine, RecordQuery { session: Some(session(name)), ..all() }).await.len());
        }
        assert_eq!(counts, left, "day {at}");
        engine.verify().await.unwrap();
    }
    let pruned: Vec<(u64, usize)> = book(&engine)
        .await
        .iter()
        .filter_map(|record| match &record.event {
            Event::Pruned { heads, records } => Some((*records, heads.len())),
            _ => None,
        })
        .collect();
    assert_eq!(pruned, [(11, 2), (4, 1)], "each record is counted once");
    engine.seal().await.unwrap();
    engine.close().await.unwrap();
    house.open().await.verify().await.unwrap();
}

#[tokio::test]
async fn an_escalation_by_timeout_is_kept_like_one() {
    let house = House::new().with_human("anna");
    let engine = house.open().await;
    engine.register_profile(Profile::named("anna").unwrap().kind(AgentKind::Human)).await.unwrap();
    workers(&engine, &["planner", "pilot"]).await;
    let request = delegation("planner", "pilot").on_timeout(OnTimeout::Escalate);
    let handoff = engine.initiate(&session("s"), request).await.unwrap().handoffs[0];
    engine.accept(handoff, &id("pilot"), Some(3_600_000), None).await.unwrap();
    house.pass(&engine, 61).await;
    house.pass(&engine, 61).await;
    assert_eq!(trail(&engine, handoff).await, ["initiated", "accepted", "reminded", "escalated"]);
    let command = Command::End { by: id("planner"), reason: "done".into() };
    engine.submit(&session("s"), command, None).await.unwrap();
    for (days, kept) in [(91, true), (90, false)] {
        house.clock.advance(Duration::from_secs(days * DAY));
        engine.enforce_retention().await.unwrap();
        assert_eq!(!trail(&engine, handoff).await.is_empty(), kept);
        engine.verify().await.unwrap();
    }
}
