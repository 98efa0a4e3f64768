//! What is sent to a remote agent, and what comes back, in every way in which that can go.

use crate::{
    common::{House, KEY, START, asking, begun, employ, id, session, told, within},
    peer::{By, Does, Peer, artifact, done, old, status, task, task_saying},
};
use expect_test::expect;
use handover_core::{
    a2a::{LINEAGE, Lineage},
    budget::Budget,
    handoff::{ReturnStatus, Status},
    limits::{BUDGET_COST_MAX, BUDGET_TOKENS_MAX, REMOTE_FILES_MAX, TEXT_BYTES_MAX},
};
use serde_json::{Value, json};

/// What the peer does when it is asked for what.
type Script = Vec<(&'static str, Vec<Does>)>;

fn two() -> Value {
    json!([{"data": {"words": 2}}, {"text": "Two words."}])
}

#[tokio::test(flavor = "multi_thread")]
async fn work_goes_out_with_all_that_belongs_to_it() {
    for by in [By::JsonRpc, By::HttpJson] {
        let (house, peer) = (House::new(), Peer::new(by).await);
        peer.card(|card| card["capabilities"]["extensions"] = json!([{"uri": LINEAGE}]));
        peer.does("SendMessage", [Does::Gives(done(&two()))]);
        let engine = house.open().await;
        employ(&engine, &peer).await;
        let mut request = asking();
        request.context.constraints.budget = Some(Budget { tokens: Some(1_000), ..Budget::default() });
        request.return_protocol.timeout_ms = Some(60_000);
        let handoff = begun(&engine, request).await;
        let result = within(engine.returned(handoff)).await.unwrap();
        assert_eq!(told(&result), r#"success {"words":2} Two words."#);
        let asked = &peer.asked()[0];
        let wanted = if by == By::JsonRpc {
            ("/rpc", "application/json")
        } else {
            ("/rest/message:send", "application/a2a+json")
        };
        assert_eq!((asked.path.as_str(), asked.header("content-type")), wanted);
        assert_eq!(asked.header("a2a-version"), "1.0");
        assert_eq!(asked.header("a2a-extensions"), LINEAGE);
        assert_eq!(asked.header("authorization"), format!("Bearer {KEY}"));
        let message = &asked.params["message"];
        assert_eq!(message["role"], "ROLE_USER");
        assert_eq!(message["extensions"], json!([LINEAGE]));
        assert!(message["parts"][0]["text"].as_str().unwrap().contains("Count the words"), "{message}");
        assert_eq!(message["parts"][1]["data"], json!({"text": "one two"}));
        assert_eq!((message.get("taskId"), message.get("contextId")), (None, None));
        let configuration = &asked.params["configuration"];
        assert_eq!((&configuration["returnImmediately"], &configuration["historyLength"]), (&json!(true), &json!(0)));
        let lineage = Lineage::read(|name| message["metadata"].get(name));
        assert_eq!(lineage.path, [id("desk"), id("counter")]);
        assert_eq!((lineage.deadline, lineage.remaining_ms), (Some(START + 60_000), Some(60_000)));
        assert_eq!(lineage.budget.and_then(|budget| budget.tokens), Some(1_000));
        assert_eq!((lineage.session.as_deref(), lineage.handoff), (Some("s"), Some(handoff.to_string())));
        assert_eq!(lineage.traceparent.as_deref(), Some(asked.header("traceparent")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_of_following_comes_to_the_same_result() {
    let pieces = || {
        vec![
            artifact(&json!([{"data": {"words": 2}}]), false),
            artifact(&json!([{"text": "Two "}]), true),
            artifact(&json!([{"text": "words."}]), true),
        ]
    };
    let whole = [vec![task("SUBMITTED"), status("WORKING")], pieces(), vec![status("COMPLETED")]].concat();
    for by in [By::JsonRpc, By::HttpJson, By::Old] {
        let form = |value: &Value| if by == By::Old { old(value) } else { value.clone() };
        let all = |values: &[Value]| values.iter().map(form).collect::<Vec<_>>();
        let gives = |value: Value| Does::Gives(form(&value));
        let message = json!({"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": two()}});
        let ways: [(&str, bool, Script); 6] = [
            ("at once", false, vec![("SendMessage", vec![gives(done(&two()))])]),
            ("a message", false, vec![("SendMessage", vec![gives(message.clone())])]),
            (
                "looked at",
                false,
                vec![
                    ("SendMessage", vec![gives(task("SUBMITTED"))]),
                    ("GetTask", vec![gives(task("SUBMITTED")), gives(task("WORKING")), gives(done(&two()))]),
                ],
            ),
            ("a stream", true, vec![("SendStreamingMessage", vec![Does::Tells(all(&whole))])]),
            ("a message by a stream", true, vec![("SendStreamingMessage", vec![Does::Tells(all(&[message]))])]),
            (
                "a stream that the card promises and nobody has",
                true,
                vec![("SendMessage", vec![gives(task("SUBMITTED"))]), ("GetTask", vec![gives(done(&two()))])],
            ),
        ];
        for (name, streams, does) in ways {
            let (house, peer) = (House::new(), Peer::new(by).await);
            peer.card(|card| card["capabilities"]["streaming"] = json!(streams));
            for (what, does) in does {
                peer.does(what, does);
            }
            let engine = house.open().await;
            employ(&engine, &peer).await;
            let result = house.asked(&engine, asking()).await;
            let notes = if name == "a stream" { "Two words." } else { result.notes.as_str() };
            assert_eq!(
                (told(&result), notes),
                (r#"success {"words":2} Two words."#.to_owned(), "Two words."),
                "{name} {by:?}"
            );
            let version = if by == By::Old { "0.3" } else { "1.0" };
            assert!(peer.asked().iter().all(|asked| asked.header("a2a-version") == version), "{name} {by:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_end_of_a_task_is_an_end_here() {
    let mut used = done(&json!([{"text": "One."}, {"text": "Two."}]));
    used["task"]["metadata"] = json!({LINEAGE: {"usage": {"tokens": 12, "cost": 0.5}}});
    let table = [
        ("words", used),
        ("nothing", task("COMPLETED")),
        ("only words to it", task_saying("COMPLETED", "It is done.")),
        ("several data", done(&json!([{"data": 1}, {"data": [2]}]))),
        (
            "a file elsewhere",
            done(&json!([{"url": "https://example.org/f", "filename": "f.txt", "mediaType": "text/plain"}])),
        ),
        ("a small file", done(&json!([{"raw": "aGVsbG8=", "mediaType": "text/plain"}]))),
        ("failed", task_saying("FAILED", "No disk.\u{1b}[31m")),
        ("failed without a word", task("FAILED")),
        ("cancelled", task_saying("CANCELED", "Somebody did.")),
        ("authorisation", task_saying("AUTH_REQUIRED", "Log in at example.org.")),
    ];
    let mut lines = String::new();
    for (name, ended) in table {
        let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
        peer.does("SendMessage", [Does::Gives(ended)]).does("CancelTask", [Does::Gives(task("CANCELED"))]);
        let engine = house.open().await;
        employ(&engine, &peer).await;
        let result = house.asked(&engine, asking()).await;
        let kept: Vec<String> =
            engine.session(&session()).await.unwrap().artifacts.values().map(|kept| kept.path.clone()).collect();
        let kept = if kept.is_empty() { String::new() } else { format!(" {kept:?}") };
        lines += &format!("{name}: {}{kept} tokens {}\n", told(&result), result.metrics.tokens);
    }
    expect![[r#"
        words: success "One.\n\nTwo." tokens 12
        nothing: success null tokens 0
        only words to it: success "It is done." tokens 0
        several data: success [1,[2]] tokens 0
        a file elsewhere: success null ["https://example.org/f"] tokens 0
        a small file: success null ["data:text/plain;base64,aGVsbG8="] tokens 0
        failed: failed null the remote agent failed: No disk. tokens 0
        failed without a word: failed null the remote agent failed: it does not say why tokens 0
        cancelled: failed null the remote agent cancelled the task: Somebody did. tokens 0
        authorisation: failed null the remote agent needs to be authorised, and only an operator can do that: Log in at example.org.; do what it asks for, at the remote agent or by another key in `secret_env`, and hand over again tokens 0
    "#]].assert_eq(&lines);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_cannot_be_kept_are_told_of_and_leave_the_work_in_part() {
    let large = |name: &str| json!({"raw": "QUJD".repeat(TEXT_BYTES_MAX / 4), "filename": name});
    let (small, elsewhere) = (json!({"raw": "QUJD"}), json!({"url": "https://example.org/f"}));
    let noise = "x".repeat(TEXT_BYTES_MAX);
    let table = [
        ("a large one", json!([large("a.bin")]), 0, &["a.bin"][..]),
        ("beside others", json!([small, large("a.bin"), elsewhere, large("b.bin")]), 2, &["a.bin", "b.bin"]),
        ("beside many words", json!([{"text": noise}, {"data": 1}, large("a.bin")]), 0, &["a.bin"]),
        ("too many", json!(vec![elsewhere; REMOTE_FILES_MAX + 1]), REMOTE_FILES_MAX, &["REMOTE_FILES_MAX"]),
        ("an address that is none", json!([{"url": "", "filename": "c"}]), 0, &["The file c"]),
    ];
    for (name, parts, kept, notes) in table {
        let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
        peer.does("SendMessage", [Does::Gives(done(&parts))]);
        let engine = house.open().await;
        employ(&engine, &peer).await;
        let result = house.asked(&engine, asking()).await;
        assert_eq!(result.status, ReturnStatus::Partial, "{name}: {}", result.notes);
        assert_eq!(engine.session(&session()).await.unwrap().artifacts.len(), kept, "{name}");
        assert!(notes.iter().all(|note| result.notes.contains(note)), "{name}: {}", result.notes);
        assert!(result.notes.contains("was left out"), "{name}: {}", result.notes);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_agent_is_charged_for_no_more_than_was_set_aside() {
    let used = |tokens: u64, cost: f64| json!({LINEAGE: {"usage": {"tokens": tokens, "cost": cost}}});
    let of = |tokens, cost| Some(Budget { tokens, cost, ..Budget::default() });
    let most = f64::from(BUDGET_COST_MAX);
    let table = [
        (of(Some(1_000), Some(0.25)), used(999, 0.25), (999, 0.25), false),
        (of(Some(1_000), Some(0.25)), used(1_001, 0.25), (1_000, 0.25), true),
        (of(Some(1_000), Some(0.25)), used(u64::MAX, 1e300), (1_000, 0.25), true),
        (of(Some(1_000), None), used(7, 1e300), (7, most), true),
        (None, used(12, 0.5), (12, 0.5), false),
        (None, used(u64::MAX, 1e300), (BUDGET_TOKENS_MAX, most), true),
    ];
    for (budget, said, charged, warned) in table {
        for alone in [false, true] {
            let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
            let mut told =
                if alone { json!({"message": {"messageId": "m", "parts": [{"text": "x"}]}}) } else { done(&two()) };
            told[if alone { "message" } else { "task" }]["metadata"] = said.clone();
            peer.does("SendMessage", [Does::Gives(told)]);
            let engine = house.open().await;
            employ(&engine, &peer).await;
            let mut request = asking();
            request.context.constraints.budget = budget;
            let result = house.asked(&engine, request).await;
            assert_eq!((result.metrics.tokens, result.metrics.cost), charged, "{budget:?} {said}");
            assert_eq!(result.notes.contains("no more is charged"), warned, "{budget:?} {said}: {}", result.notes);
            assert_eq!(result.status, ReturnStatus::Success);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_agent_rejects_goes_to_somebody_else() {
    let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
    peer.does("SendMessage", [Does::Gives(task_saying("REJECTED", "Not my field."))]);
    let engine = house.open().await;
    employ(&engine, &peer).await;
    let handoff = begun(&engine, asking()).await;
    let result = within(engine.returned(handoff)).await.unwrap();
    assert!(result.notes.contains("the remote agent rejected it: Not my field."), "{}", result.notes);
    assert_ne!(engine.handoff(handoff).await.unwrap().status(), Status::Completed);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_work_of_a_session_is_in_the_same_context() {
    let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
    peer.does("SendMessage", [Does::Gives(done(&two()))]);
    let engine = house.open().await;
    employ(&engine, &peer).await;
    house.asked(&engine, asking()).await;
    house.asked(&engine, asking()).await;
    peer.does("SendMessage", [Does::Refuses(-32001, "the context is forgotten"), Does::Gives(done(&two()))]);
    house.asked(&engine, asking()).await;
    let contexts: Vec<Value> = peer.asked().iter().map(|asked| asked.params["message"]["contextId"].clone()).collect();
    assert_eq!(contexts, [Value::Null, json!("c-1"), json!("c-1"), Value::Null]);
    let ids: Vec<Value> = peer.asked().iter().map(|asked| asked.params["message"]["messageId"].clone()).collect();
    assert_eq!((ids[2] == ids[3], ids[0] == ids[1]), (true, false));
}
