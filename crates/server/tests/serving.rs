//! Starting, TLS, rates, versions, live events, metrics and the end.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::World;
use handover_core::{
    access::{NewKey, Role},
    command::Write,
    limits::SUBSCRIBER_LAG_MAX,
};
use handover_engine::Engine;
use handover_server::{Options, Server, StartError, TlsFiles};
use serde_json::{Value, json};
use std::{net::SocketAddr, path::Path};

fn files() -> TlsFiles {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls");
    TlsFiles { cert: folder.join("cert.pem"), key: folder.join("key.pem") }
}

fn refused(started: Result<Server, StartError>) -> String {
    let error = started.err().expect("it must not start");
    format!("{error} ({})", error.hint())
}

#[tokio::test(flavor = "multi_thread")]
async fn beyond_this_machine_it_starts_with_keys_and_tls_alone() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path().join("h.db")).await.unwrap();
    let beyond = || Options::at(SocketAddr::from(([0, 0, 0, 0], 0)));
    let said = refused(Server::start(engine.clone(), beyond()).await);
    assert!(said.contains("no keys") && said.contains("handover keys make"), "{said}");
    let made = engine.make_key(NewKey::of("ops", Role::Admin)).await.unwrap().0;
    let said = refused(Server::start(engine.clone(), beyond()).await);
    assert!(said.contains("no TLS") && said.contains("--tls-cert"), "{said}");
    for options in [Options { tls: Some(files()), ..beyond() }, Options { behind_proxy: true, ..beyond() }] {
        Server::start(engine.clone(), options).await.unwrap().close().await;
    }
    let swapped = TlsFiles { cert: files().key, key: files().cert };
    let nowhere = TlsFiles { cert: "nowhere.pem".into(), key: files().key };
    for (tls, word) in [(swapped, "key.pem"), (nowhere, "nowhere.pem")] {
        let said = refused(Server::start(engine.clone(), Options { tls: Some(tls), ..beyond() }).await);
        assert!(said.contains(word) && said.contains("PEM"), "{said}");
    }
    // A key that opens nothing is none.
    engine.revoke_key(&made.id).await.unwrap();
    let said = refused(Server::start(engine.clone(), Options { tls: Some(files()), ..beyond() }).await);
    assert!(said.contains("no keys"), "{said}");
}

/// As when the database goes away in the middle of a write: what came of it is not known, and that is said.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_does_not_come_is_not_waited_for_without_end() {
    let world = World::with(|options| Options { answer: std::time::Duration::from_millis(50), ..options }).await;
    let counter = json!({"id": "counter", "kind": "worker"});
    assert_eq!(world.ask("PUT", "/v1/agents/counter", None, Some(&counter)).await.status, 200);
    let waits = json!({"wait_ms": 30_000});
    let said = world.ask("POST", "/v1/agents/counter/claim", None, Some(&waits)).await;
    assert_eq!((said.status, &said.json()["code"]), (503, &json!("HO0809")), "{}", said.text);
    assert_eq!(said.headers["retry-after"], "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_is_spoken_in_both_versions_of_http() {
    let world = World::with(|options| Options { tls: Some(files()), ..options }).await;
    let pem = std::fs::read(files().cert).unwrap();
    let trusted = || reqwest::Client::builder().tls_certs_only([reqwest::Certificate::from_pem(&pem).unwrap()]);
    let url = format!("{}/health/ready", world.server.url());
    let said = trusted().build().unwrap().get(&url).send().await.unwrap();
    assert_eq!(said.status(), 200);
    let said = trusted().http1_only().build().unwrap().get(&url).send().await.unwrap();
    assert_eq!((said.status().as_u16(), said.version()), (200, reqwest::Version::HTTP_11));
    assert!(reqwest::Client::new().get(&url).send().await.is_err(), "nobody trusts it unasked");
    let plain = url.replace("https", "http");
    assert!(reqwest::Client::new().get(&plain).send().await.is_err(), "nothing is said in the clear");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_has_a_rate_of_its_own() {
    let world = World::open().await;
    let mut new = NewKey::of("slow", Role::Viewer);
    new.per_second = Some(1);
    let slow = world.engine.make_key(new).await.unwrap().1;
    let other = world.key("default", Role::Viewer, &[]).await;
    let mut statuses = Vec::new();
    for _ in 0..6 {
        let said = world.ask("GET", "/v1/me", Some(&slow), None).await;
        if said.status == 429 {
            assert_eq!(said.json()["code"], "HO1101");
            assert!(said.headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
        } else {
            assert_eq!(said.headers["ratelimit-limit"], "1");
        }
        statuses.push(said.status);
    }
    assert!(statuses.contains(&200) && statuses.contains(&429), "{statuses:?}");
    assert_eq!(world.ask("GET", "/v1/me", Some(&other), None).await.status, 200, "nobody else pays for it");
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_keep_writers_from_overwriting_each_other() {
    let world = World::open().await;
    world.ask("PUT", "/v1/agents/a", None, Some(&json!({"kind": "worker"}))).await;
    world.ask("POST", "/v1/sessions", None, Some(&json!({"id": "s", "active_agent": "a"}))).await;
    let path = "/v1/sessions/s/variables/plan";
    let write = |value: u32, header: (&'static str, &'static str)| {
        let world = &world;
        async move { world.ask_with("PUT", path, None, Some(&json!({"by": "a", "value": value})), &[header]).await.status }
    };
    assert_eq!(write(1, ("if-none-match", "*")).await, 200, "there is none yet");
    assert_eq!(write(2, ("if-none-match", "*")).await, 412, "now there is");
    assert_eq!(write(2, ("if-match", "\"1\"")).await, 200);
    assert_eq!(write(3, ("if-match", "\"1\"")).await, 412, "somebody wrote meanwhile");
    let read = world.ask("GET", path, None, None).await;
    let etag = read.headers["etag"].to_str().unwrap().to_owned();
    let again = world.ask_with("GET", path, None, None, &[("if-none-match", &etag)]).await;
    assert_eq!((again.status, again.text.as_str()), (304, ""));
    let agent = world.ask("GET", "/v1/agents/a", None, None).await;
    let etag = agent.headers["etag"].to_str().unwrap().to_owned();
    let change = json!({"kind": "worker", "capabilities": ["fly"]});
    for status in [200, 412] {
        let said = world.ask_with("PUT", "/v1/agents/a", None, Some(&change), &[("if-match", &etag)]).await;
        assert_eq!(said.status, status, "{}", said.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_gives_the_first_answer_everywhere() {
    let world = World::open().await;
    for name in ["a", "b"] {
        world.ask("PUT", &format!("/v1/agents/{name}"), None, Some(&json!({"kind": "worker"}))).await;
    }
    let twice = |path: String, body: Value, key: &'static str| {
        let world = &world;
        async move {
            let first = world.ask_with("POST", &path, None, Some(&body), &[("idempotency-key", key)]).await;
            let again = world.ask_with("POST", &path, None, Some(&body), &[("idempotency-key", key)]).await;
            assert!(first.status < 300, "{path}: {}", first.text);
            assert_eq!((first.status, &first.json()["lease"]), (again.status, &again.json()["lease"]), "{path}");
            for name in ["id", "version", "handoffs", "session_id"] {
                assert_eq!(first.json()[name], again.json()[name], "{path}");
            }
            first.json()
        }
    };
    let session =
        twice("/v1/sessions".into(), json!({"active_agent": "a"}), "open").await["id"].as_str().unwrap().to_owned();
    let said = json!({"messages": [{"role": "user", "content": "hello"}]});
    twice(format!("/v1/sessions/{session}/messages"), said, "say").await;
    let request = json!({
        "from_agent": "a", "to_agent": "b", "type": "delegation", "reason": "r", "user_intent": "i",
        "original_request": "o", "task": {"description": "d"}, "return_protocol": {"timeout_ms": 60_000}});
    let made = twice(format!("/v1/sessions/{session}/handoffs"), request, "hand").await;
    let taken = twice("/v1/agents/b/claim".into(), json!({}), "claim").await;
    assert_eq!(taken["handoff"]["id"], made["handoffs"][0]);
    let back = json!({"lease": taken["lease"], "status": "success", "result": {"body": 1}});
    twice(format!("/v1/handoffs/{}/return", taken["handoff"]["id"].as_str().unwrap()), back, "back").await;
    let other = json!({"active_agent": "b"});
    let said = world.ask_with("POST", "/v1/sessions", None, Some(&other), &[("idempotency-key", "open")]).await;
    assert_eq!((said.status, said.json()["code"].as_str()), (409, Some("HO0601")), "{}", said.text);
    let messages = world.ask("GET", &format!("/v1/sessions/{session}/messages"), None, None).await;
    assert_eq!(messages.json()["items"].as_array().unwrap().len(), 1, "said once");
}

/// Reads a stream until it has heard this.
async fn heard(stream: &mut reqwest::Response, word: &str) -> String {
    let mut text = String::new();
    while !text.contains(word) {
        let piece = stream.chunk().await.unwrap().unwrap_or_else(|| panic!("it ended before {word}: {text}"));
        text.push_str(&String::from_utf8_lossy(&piece));
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_hears_what_it_asked_for_and_goes_on_where_it_was() {
    let world = World::open().await;
    for name in ["a", "b"] {
        world.worker("default", name).await;
    }
    for name in ["one", "two"] {
        world.opened("default", name, "a").await;
    }
    let url = |query: &str| format!("{}/v1/events?{query}", world.server.url());
    let mut one = world.http.get(url("session=one&types=AGENT_HANDOFF")).send().await.unwrap();
    let mut all = world.http.get(url("agent=b")).send().await.unwrap();
    heard(&mut one, ": from").await;
    heard(&mut all, ": from").await;
    world.offered("default", "two", "a", "b").await;
    world.taken("default", "one", "a", "b").await;
    let text = heard(&mut one, "event: AGENT_HANDOFF").await;
    assert!(!text.contains("\"two\"") && !text.contains("TASK_STARTED"), "{text}");
    let text = heard(&mut all, "event: TASK_STARTED").await;
    assert_eq!(text.matches("event: AGENT_HANDOFF").count(), 2, "{text}");
    let id: u64 = text.lines().find_map(|line| line.strip_prefix("id: ")).unwrap().parse().unwrap();
    let mut again = world.http.get(url("agent=b")).header("last-event-id", id).send().await.unwrap();
    let text = heard(&mut again, "event: TASK_STARTED").await;
    assert_eq!(text.matches("event: AGENT_HANDOFF").count(), 1, "what was heard is not told again: {text}");
    world.server.close().await;
    let text = heard(&mut again, "event: DROPPED").await;
    assert!(text.contains("resume_after"), "{text}");
    assert!(again.chunk().await.unwrap().is_none(), "and that is the end");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_listener_is_dropped_with_a_notice_and_harms_nobody() {
    let world = World::open().await;
    world.worker("default", "a").await;
    world.opened("default", "s", "a").await;
    let url = format!("{}/v1/events", world.server.url());
    let mut slow = world.http.get(&url).send().await.unwrap();
    heard(&mut slow, ": from").await;
    // More than the pipes hold, and more than is kept for one who does not read.
    let (engine, by) = (world.tenant("default"), common::id("a"));
    for n in 0..SUBSCRIBER_LAG_MAX + 2_000 {
        let value = json!({"n": n, "text": "x".repeat(8 * 1024)});
        let writes = vec![Write { name: "much".into(), value, expected_version: None }];
        engine.set(&common::session("s"), &by, writes).await.unwrap();
    }
    let text = heard(&mut slow, "event: DROPPED").await;
    let after = text.rsplit("\"resume_after\":").next().unwrap();
    let after: String = after.chars().take_while(char::is_ascii_digit).collect();
    let mut again = world.http.get(format!("{url}?after={after}")).send().await.unwrap();
    let next = heard(&mut again, "\nid: ").await;
    let id: u64 = next.split("\nid: ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    assert!(id > after.parse::<u64>().unwrap(), "it goes on after what it heard");
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_for_the_house() {
    let world = World::open().await;
    world.ask("GET", "/v1/agents", None, None).await;
    let open = world.ask("GET", "/metrics", None, None).await;
    assert_eq!(open.status, 200);
    assert!(open.text.contains("handover_http_requests_total{"), "{}", open.text);
    assert!(open.text.contains("route=\"/v1/agents\""), "{}", open.text);
    let viewer = world.key("acme", Role::Viewer, &[]).await;
    assert_eq!(world.ask("GET", "/metrics", Some(&viewer), None).await.status, 403);
    let mut new = NewKey::of("prometheus", Role::Viewer);
    new.house = true;
    let house = world.engine.make_key(new).await.unwrap().1;
    assert_eq!(world.ask("GET", "/metrics", Some(&house), None).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_that_comes_in_is_kept_in_the_handoff() {
    let world = World::open().await;
    for name in ["a", "b"] {
        world.worker("default", name).await;
    }
    world.opened("default", "s", "a").await;
    let request = json!({
        "from_agent": "a", "to_agent": "b", "type": "delegation", "reason": "r", "user_intent": "i",
        "original_request": "o", "task": {"description": "d"}, "return_protocol": {"timeout_ms": 60_000}});
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for (given, kept) in [(trace, Some(trace)), ("nonsense", None)] {
        let mut request = request.clone();
        request["task"]["description"] = given.into();
        let path = "/v1/sessions/s/handoffs";
        let made = world.ask_with("POST", path, None, Some(&request), &[("traceparent", given)]).await;
        assert_eq!(made.status, 201, "{}", made.text);
        let path = format!("/v1/handoffs/{}", made.json()["handoffs"][0].as_str().unwrap());
        let read = world.ask("GET", &path, None, None).await.json();
        assert_eq!(read["request"]["context"]["traceparent"].as_str(), kept);
    }
}
