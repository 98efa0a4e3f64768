//! Services that answer at once: what is sent to them, and everything that they may do wrong.

use crate::{
    common::{House, asked, asking, begun, id, session, told, within},
    service::{Does, SECRET, Service, says, signed},
};
use expect_test::expect;
use handover_agents::webhook::{Secret, Times, WebhookAgent};
use handover_core::{
    agent::{AgentKind, Profile},
    event::Event,
    handoff::{Request, Return},
    limits::{COMMAND_OUTPUT_BYTES_MAX, WEBHOOK_TRIES_MAX},
    trace::{self, TraceParent},
};
use handover_engine::Engine;
use serde_json::{Value, json};
use std::time::Duration;

/// A time that is under test.
const SHORT: Times = Times { connect: Duration::from_millis(100), answer: Duration::from_millis(100) };

pub fn profile(name: &str, url: &str) -> Profile {
    let mut profile = Profile::named(name).unwrap().kind(AgentKind::Http);
    profile.url = Some(url.to_owned());
    profile
}

async fn employ(engine: &Engine, name: &str, url: &str, times: Times) {
    let agent = WebhookAgent::with_times(url, Some(Secret::new(SECRET).unwrap()), None, times).unwrap();
    engine.register(profile(name, url).can("count"), agent).await.unwrap();
}

/// Asks while the clock of the engine goes on.
async fn asked_in_time(house: &House, engine: &Engine, request: Request) -> Return {
    let clock = house.clock.clone().unwrap();
    let moving = async {
        loop {
            clock.advance(Duration::from_millis(100));
            tokio::task::yield_now().await;
        }
    };
    // An offer has a window by the same clock: it must be taken before the time runs.
    let handoff = begun(engine, request).await;
    within(engine.accepted(handoff)).await.unwrap();
    tokio::select! {
        result = within(engine.returned(handoff)) => result.unwrap(),
        () = moving => unreachable!(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn work_is_posted_signed_and_answered_at_once() {
    let house = House::new();
    let service = Service::doing([says(200, "", r#"{"data": {"words": 2}, "notes": "counted"}"#)]).await;
    let engine = house.open().await;
    employ(&engine, "counter", &service.url(), Times::default()).await;
    let handoff = begun(&engine, asking("counter")).await;
    let result = within(engine.returned(handoff)).await.unwrap();
    assert_eq!(told(&result), r#"counter success {"words":2} counted"#);
    let seen = service.seen();
    assert_eq!(seen.len(), 1);
    let (request, id) = (&seen[0], handoff.to_string());
    assert!(request.line.starts_with("POST /work "), "{}", request.line);
    assert_eq!((request.header("handover-id"), request.header("idempotency-key")), (id.as_str(), id.as_str()));
    assert_eq!(request.header("content-type"), "application/json");
    let at = request.header("handover-timestamp");
    assert_eq!(request.header("handover-signature"), signed(SECRET, at, &id, &request.body));
    let body: Value = serde_json::from_str(&request.body).unwrap();
    assert_eq!((&body["handoff_id"], &body["payload"]), (&json!(id), &json!({"text": "one two"})));
    assert_eq!(body.get("callback"), None);
    // The service stands below the span of the agent, in the trace of the session.
    let traceparent: TraceParent = request.header("traceparent").parse().unwrap();
    assert_eq!(body["traceparent"], json!(traceparent.to_string()));
    assert_eq!(traceparent.trace, trace::of_session(&session()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_goes_through_a_service_and_a_restart() {
    let given: TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".parse().unwrap();
    let house = House::new();
    let engine = house.open().await;
    // It waits for its service until after the restart.
    let waiting = Profile::named("counter").unwrap().kind(AgentKind::Worker).can("count");
    engine.register_profile(waiting).await.unwrap();
    let mut request = asking("counter");
    request.context.traceparent = Some(given.to_string());
    let handoff = begun(&engine, request).await;
    engine.close().await.unwrap();

    let service = Service::doing([says(200, "", r#"{"data": 2}"#)]).await;
    let engine = house.open().await;
    employ(&engine, "counter", &service.url(), Times::default()).await;
    within(engine.returned(handoff)).await.unwrap();
    let seen: TraceParent = service.seen()[0].header("traceparent").parse().unwrap();
    assert_eq!((seen.trace, seen.flags), (given.trace, given.flags));
    let records = engine.trace(handoff).await.unwrap();
    let lease = records.iter().find_map(|record| match &record.event {
        Event::Accepted { lease, .. } => Some(*lease),
        _ => None,
    });
    assert_eq!(seen.span, trace::invocation_span(handoff, lease.unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_a_service_may_do_wrong_comes_to_an_end() {
    let long = COMMAND_OUTPUT_BYTES_MAX as usize + 1;
    let cases = [
        ("nothing", Times::default(), vec![says(204, "", "")]),
        ("no JSON", Times::default(), vec![says(200, "", "<html>hello</html>")]),
        ("no text", Times::default(), vec![Does::Says(200, "", vec![0xff, 0xfe])]),
        ("unknown fields", Times::default(), vec![says(200, "", r#"{"result": 1}"#)]),
        ("too long", Times::default(), vec![Does::Says(200, "", vec![b' '; long])]),
        ("endless", Times::default(), vec![Does::Endless]),
        ("silent", SHORT, vec![Does::Silent]),
        ("hangs up", Times::default(), vec![Does::HangsUp]),
        ("breaks off", Times::default(), vec![Does::BreaksOff]),
        ("not found", Times::default(), vec![says(404, "", "no\u{1b}[31m such page")]),
        ("not allowed", Times::default(), vec![says(401, "", "")]),
        ("broken", Times::default(), vec![says(500, "", "oh no")]),
        ("busy, then there", Times::default(), vec![says(503, "", "busy"), says(200, "", r#"{"data": 2}"#)]),
        ("calls back where nobody listens", Times::default(), vec![says(202, "", "")]),
        ("says no", Times::default(), vec![says(200, "", r#"{"reject": "not mine"}"#)]),
    ];
    let mut all = String::new();
    for (name, times, does) in cases {
        let house = House::by_hand();
        let service = Service::doing(does).await;
        let engine = house.open().await;
        employ(&engine, "counter", &service.url(), times).await;
        let result = asked_in_time(&house, &engine, asking("counter")).await;
        let tries = service.seen().len();
        all += &format!("{name} ({tries} tries)\n  {}\n", told(&result).replace(&service.address.to_string(), "HOST"));
    }
    expect![[r#"
        nothing (1 tries)
          counter success null
        no JSON (1 tries)
          counter failed null the answer cannot be read: expected value at line 1 column 1; expected one JSON object, such as {"data": …}, {"text": "…"}, {"failed": true, "notes": "why"}, {"reject": "why"}, {"question": "what"} or {"goto": "agent"}; it was: <html>hello</html>
        no text (1 tries)
          counter failed null 127.0.0.1: the answer is no text
        unknown fields (1 tries)
          counter failed null the answer cannot be read: unknown field `result`, expected one of `signal`, `failed`, `reject`, `question`, `data`, `text`, `notes`, `score`, `set`, `goto`, `update`; expected one JSON object, such as {"data": …}, {"text": "…"}, {"failed": true, "notes": "why"}, {"reject": "why"}, {"question": "what"} or {"goto": "agent"}; it was: {"result": 1}
        too long (1 tries)
          counter failed null 127.0.0.1: the answer has more than 4194304 bytes (COMMAND_OUTPUT_BYTES_MAX)
        endless (1 tries)
          counter failed null 127.0.0.1: the answer has more than 4194304 bytes (COMMAND_OUTPUT_BYTES_MAX)
        silent (5 tries)
          counter failed null 127.0.0.1 did not answer in time: error sending request: operation timed out; tried 5 times (WEBHOOK_TRIES_MAX)
        hangs up (5 tries)
          counter failed null 127.0.0.1 cannot be reached: error sending request: client error (SendRequest): connection closed before message completed; tried 5 times (WEBHOOK_TRIES_MAX)
        breaks off (5 tries)
          counter failed null 127.0.0.1: the answer broke off: error decoding response body: request or response body error: error reading a body from connection: end of file before message length reached; tried 5 times (WEBHOOK_TRIES_MAX)
        not found (1 tries)
          counter failed null 127.0.0.1 answered 404 Not Found: no such page
        not allowed (1 tries)
          counter failed null 127.0.0.1 answered 401 Unauthorized: nothing more
        broken (5 tries)
          counter failed null 127.0.0.1 answered 500 Internal Server Error: oh no; tried 5 times (WEBHOOK_TRIES_MAX)
        busy, then there (2 tries)
          counter success 2
        calls back where nobody listens (1 tries)
          counter failed null the service says that it will call back, and no callbacks are taken: set `callbacks` in the settings
        says no (1 tries)
          counter failed null nobody is left to take it: it was rejected (asked 1): not mine
    "#]].assert_eq(&all);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_asks_for_time_gets_it_by_the_engines_clock() {
    for (status, headers, waits) in [(429, "retry-after: 7\r\n", 7_000), (503, "retry-after: 900\r\n", 60_000)] {
        let house = House::by_hand();
        let service = Service::doing([says(status, headers, "later"), says(200, "", r#"{"data": 2}"#)]).await;
        let engine = house.open().await;
        employ(&engine, "counter", &service.url(), Times::default()).await;
        assert_eq!(told(&asked_in_time(&house, &engine, asking("counter")).await), "counter success 2");
        let at: Vec<i64> =
            service.seen().iter().map(|seen| seen.header("handover-timestamp").parse().unwrap()).collect();
        assert!(at.len() == 2 && at[1] - at[0] >= waits, "{at:?}");
        let keys: Vec<String> = service.seen().iter().map(|seen| seen.header("idempotency-key").to_owned()).collect();
        assert_eq!(keys[0], keys[1]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_is_sent_the_work() {
    let house = House::new();
    let other = Service::doing([says(200, "", r#"{"data": "stolen"}"#)]).await;
    for status in [301, 302, 303, 307, 308] {
        let to = format!("location: {}\r\n", other.url());
        let service = Service::doing([Does::Says(status, to.leak(), Vec::new())]).await;
        let engine = house.open().await;
        employ(&engine, "counter", &service.url(), Times::default()).await;
        let mut request = asking("counter");
        request.task.payload = json!({"status": status});
        let result = asked(&engine, request).await;
        assert!(result.notes.contains("redirects are not followed"), "{}", result.notes);
        engine.close().await.unwrap();
    }
    assert!(other.seen().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_tells_the_password_of_an_address() {
    let house = House::by_hand();
    let engine = house.open().await;
    // Nobody listens there: the listener is gone.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    employ(&engine, "counter", &format!("http://me:pass-word@{address}/work?key=pass-word"), Times::default()).await;
    let result = asked_in_time(&house, &engine, asking("counter")).await;
    assert!(result.notes.contains(&format!("tried {WEBHOOK_TRIES_MAX} times")), "{}", result.notes);
    assert!(!result.notes.contains("pass-word"), "{}", result.notes);
    let bad = WebhookAgent::new("ftp://me:pass-word@example.org", None, None).err().unwrap();
    assert!(!bad.contains("pass-word"), "{bad}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_service_declines_another_is_asked() {
    let house = House::new();
    let engine = house.open().await;
    let first = Service::doing([says(200, "", r#"{"reject": "not mine"}"#)]).await;
    let second = Service::doing([says(200, "", r#"{"data": 2}"#)]).await;
    employ(&engine, "first", &first.url(), Times::default()).await;
    employ(&engine, "second", &second.url(), Times::default()).await;
    let mut request = asking("first");
    request.to_agent = None;
    request.capability = Some("count".to_owned());
    request.candidates = vec![id("first"), id("second")];
    let result = asked(&engine, request).await;
    assert_eq!(told(&result), "second success 2");
    assert_eq!((first.seen().len(), second.seen().len()), (1, 1));
    assert_eq!(engine.session(&session()).await.unwrap().active_agent, id("desk"));
}
