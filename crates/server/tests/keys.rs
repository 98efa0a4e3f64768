//! Keys: what is taken back opens nothing, whoever stays is sent away, and nobody gets more than their own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::World;
use handover_core::access::{NewKey, Role};
use handover_engine::{Filter, Notice};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_taken_back_opens_nothing_at_once() {
    let world = World::open().await;
    let house = world.house_key().await;
    let mut denials =
        world.engine.subscribe_all(Filter { types: vec!["ACCESS_DENIED".into()], ..Filter::default() }, None).unwrap();
    let made = world.ask("POST", "/v1/keys", Some(&house), Some(&json!({"name": "ops", "role": "operator"}))).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let (id, token) =
        (made.json()["key"]["id"].as_str().unwrap().to_owned(), made.json()["token"].as_str().unwrap().to_owned());
    assert_eq!(world.ask("GET", "/v1/me", Some(&token), None).await.json()["role"], "operator");
    let rotated =
        world.ask("POST", &format!("/v1/keys/{id}/rotate"), Some(&house), Some(&json!({"grace_ms": 60_000}))).await;
    let newer = rotated.json()["token"].as_str().unwrap().to_owned();
    for token in [&token, &newer] {
        assert_eq!(world.ask("GET", "/v1/me", Some(token), None).await.status, 200);
    }
    let id = rotated.json()["key"]["id"].as_str().unwrap().to_owned();
    assert_eq!(world.ask("DELETE", &format!("/v1/keys/{id}"), Some(&house), None).await.status, 200);
    let said = world.ask("GET", "/v1/me", Some(&newer), None).await;
    assert_eq!((said.status, said.json()["code"].as_str()), (401, Some("HO0311")));
    let listed = world.ask("GET", "/v1/keys", Some(&house), None).await;
    assert!(!listed.text.contains(&newer[20..]), "a list shows no secret");
    assert!(matches!(denials.next().await.unwrap(), Some(Notice::Event(_))), "a denial is in the book");
    let book = world.ask("GET", "/v1/audit/house", Some(&house), None).await;
    assert!(book.text.contains("access_denied"), "a denial is in the book: {}", book.text);
    assert!(!book.text.contains(&newer[20..]), "the book has no secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_stays_is_sent_away_with_the_key() {
    let world = World::open().await;
    world.worker("acme", "pilot").await;
    let mut new = NewKey::of("listener", Role::Agent);
    (new.tenant, new.agents) = (Some("acme".into()), Some(vec![common::id("pilot")]));
    let (key, token) = world.engine.make_key(new).await.unwrap();
    let url = format!("{}/v1/events", world.server.url());
    let mut heard = world.http.get(url).bearer_auth(&token).send().await.unwrap();
    assert_eq!(heard.status(), 200);
    let body = json!({"wait_ms": 60_000});
    let (claimed, ()) = tokio::join!(world.ask("POST", "/v1/agents/pilot/claim", Some(&token), Some(&body)), async {
        world.engine.revoke_key(&key.id).await.unwrap();
    });
    assert!([204, 401].contains(&claimed.status), "no work for whoever was sent away: {}", claimed.text);
    let mut text = String::new();
    while let Some(piece) = heard.chunk().await.unwrap() {
        text.push_str(&String::from_utf8_lossy(&piece));
    }
    assert!(text.contains("event: DROPPED"), "the stream ended: {text}");
    // A house that had keys is not open to everybody when the last one is gone.
    assert_eq!(world.ask("GET", "/v1/sessions", None, None).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_comes_to_run_programs_over_the_network() {
    let world = World::open().await;
    let program = json!({"kind": "command", "command": ["touch", "was-here"]});
    let service = json!({"kind": "http", "url": "http://169.254.169.254/"});
    let without = world.ask("PUT", "/v1/agents/x", None, Some(&program)).await;
    assert_eq!((without.status, without.json()["code"].as_str()), (403, Some("HO0309")), "{}", without.text);
    let (house, admin) = (world.house_key().await, world.key("acme", Role::Admin, &[]).await);
    let agent = world.key("acme", Role::Agent, &["x"]).await;
    for (key, body, status) in [
        (&house, &program, 403),
        (&admin, &program, 403),
        (&admin, &service, 403),
        (&agent, &program, 403),
        (&agent, &service, 403),
        (&house, &service, 200),
    ] {
        let said = world.ask("PUT", "/v1/agents/x", Some(key), Some(body)).await;
        assert_eq!(said.status, status, "{body}: {}", said.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_registers_itself_and_again_after_a_restart() {
    let world = World::open().await;
    let key = world.key("acme", Role::Agent, &["counter"]).await;
    let profile = json!({"kind": "worker", "capabilities": ["count"]});
    for _ in 0..2 {
        let said = world.ask("PUT", "/v1/agents/counter", Some(&key), Some(&profile)).await;
        assert_eq!(said.status, 200, "{}", said.text);
        assert_eq!(said.json()["profile"]["autonomy_budget"]["max_risk"], "low", "it asks for the least");
        assert_eq!(said.json()["profile"]["tenant"], "acme");
    }
    let wider = json!({"kind": "worker", "autonomy_budget": {"max_risk": "high"}});
    assert_eq!(world.ask("PUT", "/v1/agents/counter", Some(&key), Some(&wider)).await.status, 403);
    let claimed = world.ask("POST", "/v1/agents/counter/claim", Some(&key), None).await;
    assert_eq!(claimed.status, 204, "{}", claimed.text);
}
