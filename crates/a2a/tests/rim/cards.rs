//! Cards: what they say, to whom, and how long they may be kept.

use crate::house::{House, agent, id, worker};
use a2a::AgentCard;
use handover_core::{
    access::{NewKey, Role},
    command::Caller,
};
use serde_json::{Value, json};

const CARD: &str = "/.well-known/agent-card.json";

fn skills(card: &Value) -> Vec<&str> {
    card["skills"].as_array().unwrap().iter().map(|skill| skill["id"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_has_all_that_the_specification_asks_for() {
    let house = House::new().await;
    let client = house.local();
    for (path, name, url) in [
        (CARD, "Handover", "http://agents.example.org/a2a"),
        ("/a2a/agents/bob/.well-known/agent-card.json", "bob", "http://agents.example.org/a2a/agents/bob"),
    ] {
        let answer = client.get(path).await;
        assert_eq!((answer.status, &answer.headers["content-type"]), (200, &"application/json".parse().unwrap()));
        let card: AgentCard = serde_json::from_value(answer.body.clone()).unwrap();
        assert_eq!(card.name, name);
        assert!(!card.description.is_empty() && !card.version.is_empty() && !card.skills.is_empty());
        assert!(card.skills.iter().all(|skill| !skill.tags.is_empty()));
        let interfaces: Vec<_> = card
            .supported_interfaces
            .iter()
            .map(|one| (one.url.as_str(), one.protocol_binding.as_str(), one.protocol_version.as_str()))
            .collect();
        assert_eq!(interfaces, [(url, "JSONRPC", "1.0"), (url, "HTTP+JSON", "1.0"), (url, "JSONRPC", "0.3")]);
        let can = &card.capabilities;
        assert_eq!(
            (can.streaming, can.push_notifications, can.extended_agent_card),
            (Some(true), Some(true), Some(true))
        );
        let extensions = can.extensions.clone().unwrap();
        assert_eq!(extensions[0].uri, handover_core::a2a::LINEAGE);
        // For readers of 0.3.
        assert_eq!((&answer.body["url"], &answer.body["preferredTransport"]), (&json!(url), &json!("JSONRPC")));
    }
    assert_eq!(client.get("/a2a/agents/nobody/.well-known/agent-card.json").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_is_kept_for_a_while_and_asked_for_by_its_tag() {
    let house = House::new().await;
    let client = house.local();
    let first = client.get(CARD).await;
    assert!(first.headers["cache-control"].to_str().unwrap().contains("max-age="));
    let tag = first.headers["etag"].clone();
    let again =
        || axum::http::Request::get(CARD).header("host", "agents.example.org").header("if-none-match", tag.clone());
    let fresh = client.ask(again().body(axum::body::Body::empty()).unwrap()).await;
    assert_eq!(fresh.status(), 304);
    house.engine.register_profile(worker("dan", "juggling")).await.unwrap();
    let changed = client.ask(again().body(axum::body::Body::empty()).unwrap()).await;
    assert_eq!(changed.status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_key_a_card_shows_what_is_public() {
    let house = House::new().await;
    let none = house.stranger().get(CARD).await.body;
    assert_eq!(skills(&none), ["handover"]);
    let mut open = worker("dan", "juggling");
    open.tags = vec!["public".to_owned(), "fun".to_owned()];
    house.engine.register_profile(open).await.unwrap();
    let mut theirs = worker("spy", "spying");
    theirs.tenant = Some("acme".to_owned());
    theirs.tags = vec!["public".to_owned()];
    house.engine.register_profile(theirs).await.unwrap();
    house.engine.make_key(NewKey::of("k", Role::Viewer)).await.unwrap();

    let stranger = house.stranger();
    let card = stranger.get(CARD).await.body;
    assert_eq!(skills(&card), ["juggling"]);
    assert_eq!(card["skills"][0]["tags"], json!(["juggling", "fun"]));
    assert_eq!(card["securitySchemes"]["bearer"]["httpAuthSecurityScheme"]["scheme"], "Bearer");
    assert_eq!(card["securityRequirements"], json!([{"schemes": {"bearer": {"list": []}}}]));
    serde_json::from_value::<AgentCard>(card).unwrap();
    let hidden = "/a2a/agents/bob/.well-known/agent-card.json";
    assert_eq!(stranger.get(hidden).await.status, 404);
    assert_eq!(stranger.get("/a2a/agents/dan/.well-known/agent-card.json").await.status, 200);

    // With a key all that the caller may see.
    let client = house.client(agent("ann", "default"));
    assert_eq!(skills(&client.get(CARD).await.body), ["adding", "juggling", "writing"]);
    let extended = client.rpc("GetExtendedAgentCard", json!({})).await["result"].clone();
    assert_eq!(skills(&extended), ["adding", "juggling", "writing"]);
    assert_eq!(extended, client.get("/a2a/extendedAgentCard").await.body);
    let of_agent = client.get("/a2a/agents/bob/extendedAgentCard").await.body;
    assert_eq!((&of_agent["name"], skills(&of_agent)), (&json!("bob"), vec!["adding"]));
    let acme = house.client(agent("mallory", "acme"));
    assert_eq!(
        skills(&acme.rpc("GetExtendedAgentCard", json!({})).await["result"]),
        ["adding", "juggling", "spying", "writing"]
    );
    // Who hands over and takes nothing is no agent to be sent to.
    house.task(&client, "dan", "juggle").await;
    assert_eq!(client.get("/a2a/agents/ann/.well-known/agent-card.json").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_catalogue_has_all_cards_page_by_page() {
    let house = House::new().await;
    for n in 0..150 {
        house.engine.register_profile(worker(&format!("w-{n:03}"), "counting")).await.unwrap();
    }
    let client = house.client(Caller::local());
    let (mut path, mut names) = ("/.well-known/ai-catalog.json".to_owned(), Vec::new());
    loop {
        let page = client.get(&path).await;
        assert_eq!(page.headers["access-control-allow-origin"], "*");
        assert_eq!(page.body["specVersion"], "1.0");
        for entry in page.body["entries"].as_array().unwrap() {
            assert_eq!(entry["type"], "application/a2a-agent-card+json");
            let url = entry["url"].as_str().unwrap().strip_prefix("http://agents.example.org").unwrap().to_owned();
            names.push((entry["displayName"].as_str().unwrap().to_owned(), url));
        }
        match page.body["next"].as_str() {
            Some(next) => path = next.strip_prefix("http://agents.example.org").unwrap().to_owned(),
            None => break,
        }
    }
    assert_eq!(names.len(), 1 + 2 + 150);
    for (name, url) in [&names[0], &names[1], &names[152]] {
        assert_eq!(client.get(url).await.body["name"], json!(name));
    }
    let _ = id("bob");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_house_says_of_its_agent_makes_nothing_public() {
    let house = House::new().await;
    let mut theirs = worker("dan", "juggling");
    theirs.tags = vec!["public".to_owned()];
    theirs.from_card = vec!["tags/public".to_owned()];
    house.engine.register_profile(theirs).await.unwrap();
    house.engine.make_key(NewKey::of("k", Role::Viewer)).await.unwrap();
    let stranger = house.stranger();
    assert_eq!(skills(&stranger.get(CARD).await.body), ["handover"]);
    assert_eq!(stranger.get("/a2a/agents/dan/.well-known/agent-card.json").await.status, 404);
}
