//! Services that answer later: who may call back, when it is said to be taken, and what a restart leaves.

use crate::{
    common::{House, START, asking, begun, told, within},
    service::{SECRET, Service, says, signed},
    services::profile,
};
use expect_test::expect;
use handover_agents::webhook::{CallbackSettings, Callbacks, Secret, WebhookAgent};
use handover_core::{
    ids::HandoffId,
    limits::{CALLBACK_MS, COMMAND_OUTPUT_BYTES_MAX, SIGNATURE_WINDOW_MS},
};
use handover_engine::{Engine, clock::Clock};
use serde_json::Value;
use std::{net::SocketAddr, sync::Arc, time::Duration};

async fn employ(house: &House, engine: &Engine, service: &Service, listen: SocketAddr) {
    let settings = CallbackSettings { listen: Some(listen), url: None };
    let clock = Arc::new(house.clock.clone().unwrap());
    let callbacks = Arc::new(Callbacks::listen(&settings, clock).await.unwrap());
    let secret = Some(Secret::new(SECRET).unwrap());
    let agent = WebhookAgent::new(&service.url(), secret, Some(callbacks)).unwrap();
    engine.register(profile("counter", &service.url()), agent).await.unwrap();
}

fn anywhere() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

/// The address that a service was told to call.
fn callback(service: &Service) -> String {
    let body: Value = serde_json::from_str(&service.seen()[0].body).unwrap();
    body["callback"]["url"].as_str().unwrap().to_owned()
}

async fn call(url: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let mut request = reqwest::Client::new().post(url).body(body.to_owned());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = within(request.send()).await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

async fn call_signed(url: &str, at: i64, id: HandoffId, body: &str) -> (u16, String) {
    let at = at.to_string();
    let signature = signed(SECRET, &at, &id.to_string(), body);
    call(url, &[("handover-timestamp", &at), ("handover-signature", &signature)], body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_good_answer_from_the_right_one_is_taken_and_once() {
    let house = House::by_hand();
    let clock = house.clock.clone().unwrap();
    let service = Service::doing([says(202, "", "")]).await;
    let engine = house.open().await;
    employ(&house, &engine, &service, anywhere()).await;
    let id = begun(&engine, asking("counter")).await;
    service.saw(1).await;
    let url = callback(&service);
    assert!(url.ends_with(&format!("/callback/{id}")), "{url}");
    let other = HandoffId("6f2c8f0e-5b1d-4c6e-9a53-0d6c3d1f7a11".parse().unwrap());
    let elsewhere = url.replace(&id.to_string(), &other.to_string());
    let good = r#"{"data": 2, "notes": "at last"}"#;
    let now = clock.now().0.to_string();
    let of = |at: &str, body: &str| signed(SECRET, at, &id.to_string(), body);
    let mut all = Vec::new();
    all.push(("just started", call_signed(&elsewhere, START.0, other, good).await));
    clock.advance(Duration::from_millis(CALLBACK_MS));
    let later = clock.now().0;
    all.push(("unknown handoff", call_signed(&elsewhere, later, other, good).await));
    all.push(("no handoff", call(&url.replace(&id.to_string(), "x"), &[], good).await));
    all.push(("no signature", call(&url, &[("handover-timestamp", &now)], good).await));
    all.push(("no time", call(&url, &[("handover-signature", &of(&now, good))], good).await));
    let wrong = signed("another secret of others", &now, &id.to_string(), good);
    let sent = [("handover-timestamp", now.as_str()), ("handover-signature", &wrong)];
    all.push(("another secret", call(&url, &sent, good).await));
    let sent = [("handover-timestamp", now.as_str()), ("handover-signature", &of(&now, good))];
    all.push(("another body", call(&url, &sent, &good.replace('2', "3")).await));
    let old = later - SIGNATURE_WINDOW_MS as i64 - 1;
    all.push(("too old", call_signed(&url, old, id, good).await));
    all.push(("garbage", call_signed(&url, later, id, "hello").await));
    let long = "x".repeat(COMMAND_OUTPUT_BYTES_MAX as usize + 1);
    all.push(("too long", call_signed(&url, later, id, &long).await));
    all.push(("good", call_signed(&url, later, id, good).await));
    // Said after it is on disk: whoever looks finds it.
    let story: Vec<String> = engine.story(id).await.unwrap().into_iter().map(|step| step.what).collect();
    assert!(story.iter().any(|what| what.contains("answered")), "{story:?}");
    let result = within(engine.returned(id)).await.unwrap();
    let (again, _) = call_signed(&url, later, id, good).await;
    assert!([404, 409].contains(&again), "{again}");
    assert_eq!(told(&result), "counter success 2 at last");
    let lines: Vec<String> = all
        .iter()
        .map(|(name, (status, said))| format!("{name}: {status} {}\n", said.trim().replace(&other.to_string(), "ID")))
        .collect();
    expect![[r#"
        just started: 503 work is being taken up; call again
        unknown handoff: 404 nobody waits for an answer to ID
        no handoff: 404 this is no handoff
        no signature: 401 the header `handover-signature` is missing
        no time: 401 the header `handover-timestamp` is missing
        another secret: 401 the signature does not fit
        another body: 401 the signature does not fit
        too old: 401 it was signed 300 s away from now, 300 are allowed
        garbage: 400 expected value at line 1 column 1; expected one JSON object, such as {"data": …}, {"text": "…"}, {"failed": true, "notes": "why"}, {"reject": "why"}, {"question": "what"} or {"goto": "agent"}; it was: hello
        too long: 413 at most 4194304 bytes are taken
        good: 200 taken
    "#]].assert_eq(&lines.concat());
}

/// Closes an engine whose agents wait for others.
async fn closed(house: &House, engine: &Engine) {
    let clock = house.clock.clone().unwrap();
    let moving = async {
        loop {
            clock.advance(Duration::from_secs(1));
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        closed = within(engine.close()) => closed.unwrap(),
        () = moving => unreachable!(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_the_answer_is_taken_and_the_work_is_not_posted_again() {
    let house = House::by_hand();
    let service = Service::doing([says(202, "", "")]).await;
    let engine = house.open().await;
    let listen = std::net::TcpListener::bind(anywhere()).unwrap().local_addr().unwrap();
    employ(&house, &engine, &service, listen).await;
    let id = begun(&engine, asking("counter")).await;
    service.saw(1).await;
    let posted = async {
        loop {
            let story = engine.story(id).await.unwrap();
            if story.iter().any(|step| step.what.contains("posted")) {
                break;
            }
            tokio::task::yield_now().await;
        }
    };
    within(posted).await;
    closed(&house, &engine).await;
    drop(engine);
    let engine = house.open().await;
    employ(&house, &engine, &service, listen).await;
    let url = callback(&service);
    let at = house.clock.clone().unwrap().now().0;
    let taken = async {
        loop {
            // Until the work is taken up, the service is told to call again.
            match call_signed(&url, at, id, r#"{"data": 2}"#).await {
                (503, _) => tokio::task::yield_now().await,
                other => break other,
            }
        }
    };
    assert_eq!(within(taken).await.0, 200);
    assert_eq!(told(&within(engine.returned(id)).await.unwrap()), "counter success 2");
    assert_eq!(service.seen().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_secret_nobody_can_call_back() {
    let house = House::by_hand();
    let service = Service::doing([says(202, "", "")]).await;
    let engine = house.open().await;
    let settings = CallbackSettings { listen: Some(anywhere()), url: Some("https://example.org/h/".into()) };
    let callbacks = Callbacks::listen(&settings, Arc::new(house.clock.clone().unwrap())).await.unwrap();
    let id = HandoffId("6f2c8f0e-5b1d-4c6e-9a53-0d6c3d1f7a11".parse().unwrap());
    assert_eq!(callbacks.url_for(id), format!("https://example.org/h/callback/{id}"));
    let agent = WebhookAgent::new(&service.url(), None, Some(Arc::new(callbacks))).unwrap();
    engine.register(profile("counter", &service.url()), agent).await.unwrap();
    let handoff = begun(&engine, asking("counter")).await;
    let result = within(engine.returned(handoff)).await.unwrap();
    assert!(result.notes.ends_with("no callbacks are taken: set a `secret_env`"), "{}", result.notes);
    assert!(!service.seen()[0].body.contains("callback"));
    assert_eq!(service.seen()[0].header("handover-signature"), "");
}
