//! Cards: what they fill, how they are kept up to date, and which of them are refused.

use crate::{
    common::{House, KEY, asking, begun, employ, id, profile, told, within},
    peer::{By, Does, Peer, done},
};
use expect_test::expect;
use handover_agents::{
    a2a::{A2aAgent, A2aSettings, Card, Speaks, place},
    staff::{Staff, StaffSettings},
};
use handover_core::{
    a2a::{LINEAGE, PUBLIC},
    agent::{AgentKind, Profile},
    handoff::Status,
    limits::{CAPABILITIES_MAX, REMOTE_CARD_BYTES_MAX, REMOTE_CARD_FRESH_MS},
};
use handover_engine::Engine;
use serde_json::{Value, json};
use std::time::Duration;

fn counter(engine: &Engine) -> Profile {
    Profile::clone(&engine.agent(&id("counter")).unwrap().profile)
}

fn capabilities(profile: &Profile) -> Vec<String> {
    profile.capabilities.iter().map(|capability| capability.id.clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn skills_become_capabilities_and_the_card_says_what_the_profile_leaves_open() {
    let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
    let engine = house.open().await;
    let agent = A2aAgent::new(&peer.url(), Some(KEY), A2aSettings::default(), None).unwrap();
    let mut given = profile(&peer.url()).can("sums");
    given.description = "Ours".to_owned();
    agent.employ(&engine, given).await.unwrap();
    let found = counter(&engine);
    assert_eq!((found.name.as_str(), found.description.as_str(), found.version.as_str()), ("Counter", "Ours", "2.1.0"));
    assert_eq!(capabilities(&found), ["sums", "count-words", "counting"]);
    assert_eq!(
        (found.tags, found.examples),
        (vec!["counting".to_owned()], vec!["How many words are there?".to_owned()])
    );
    let asked = &peer.asked_for("card")[0];
    assert_eq!((asked.path.as_str(), asked.header("a2a-version")), ("/.well-known/agent-card.json", "1.0"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_changes_changes_the_profile_and_one_that_does_not_is_not_sent() {
    let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
    peer.etag("\"one\"");
    let engine = house.open().await;
    employ(&engine, &peer).await;
    let looked = async {
        while peer.asked_for("card").len() < 2 {
            house.clock.advance(Duration::from_millis(REMOTE_CARD_FRESH_MS));
            tokio::task::yield_now().await;
        }
    };
    within(looked).await;
    assert_eq!(peer.asked_for("card")[1].header("if-none-match"), "\"one\"");
    peer.card(|card| {
        card["skills"] = json!([{"id": "translate", "name": "T", "description": "T", "tags": []}]);
        card["name"] = json!("Translator");
    });
    peer.etag("\"two\"");
    let changed = async {
        while counter(&engine).name != "Translator" {
            house.clock.advance(Duration::from_millis(REMOTE_CARD_FRESH_MS));
            tokio::task::yield_now().await;
        }
    };
    within(changed).await;
    let found = counter(&engine);
    assert_eq!(capabilities(&found), ["translate"]);
    assert_eq!((found.examples.len(), found.tags.len()), (0, 0));
    // The marks say whose words these are, also after a restart.
    house.close(engine).await;
    peer.card(|card| card["name"] = json!("Writer"));
    peer.etag("\"three\"");
    let engine = house.open().await;
    let kept = counter(&engine);
    A2aAgent::new(&peer.url(), None, A2aSettings::default(), None).unwrap().employ(&engine, kept).await.unwrap();
    assert_eq!(counter(&engine).name, "Writer");
}

fn interface(binding: &str, version: &str, url: &str) -> Value {
    json!({"protocolBinding": binding, "protocolVersion": version, "url": url})
}

fn read(card: &Value) -> Result<Card, String> {
    let home = place("https://example.org").unwrap();
    Card::read(&card.to_string(), &home, false)
}

fn with_interfaces(interfaces: &Value) -> Value {
    json!({"name": "x", "supportedInterfaces": interfaces})
}

#[test]
fn the_first_interface_that_is_spoken_is_taken() {
    let (rpc, rest) = ("https://example.org/rpc", "https://example.org/rest");
    let grpc = || interface("GRPC", "1.0", "https://example.org/grpc");
    let table = [
        (json!([interface("JSONRPC", "1.0", rpc), interface("HTTP+JSON", "1.0", rest)]), Speaks::JsonRpc, rpc),
        (json!([interface("HTTP+JSON", "1.0", rest), interface("JSONRPC", "1.0", rpc)]), Speaks::HttpJson, rest),
        (json!([grpc(), interface("HTTP+JSON", "1.0", rest)]), Speaks::HttpJson, rest),
        (json!([interface("HTTP+JSON", "0.3", rest), interface("JSONRPC", "0.3.0", rpc)]), Speaks::Old, rpc),
        (json!([interface("JSONRPC", "2.0", rest), interface("JSONRPC", "1.0.7", rpc)]), Speaks::JsonRpc, rpc),
        (
            json!([interface("JSONRPC", "1.0", "https://10.0.0.1/x"), interface("JSONRPC", "1.0", rpc)]),
            Speaks::JsonRpc,
            rpc,
        ),
    ];
    for (interfaces, speaks, url) in table {
        let card = read(&with_interfaces(&interfaces)).unwrap();
        assert_eq!((card.interface.speaks, card.interface.url.as_str()), (speaks, url), "{interfaces}");
    }
}

#[test]
fn cards_that_cannot_be_used_say_why() {
    let good = || json!([interface("JSONRPC", "1.0", "https://example.org/rpc")]);
    let required = |uri: &str| json!({"name": "x", "supportedInterfaces": good(), "capabilities": {"extensions": [{"uri": uri, "required": true}]}});
    let many: Vec<Value> = (0..200).map(|n| json!({"uri": n.to_string()})).collect();
    let table = [
        ("a list", json!([])),
        ("nothing", json!({})),
        ("no interfaces", json!({"name": "x"})),
        ("no binding that is spoken", with_interfaces(&json!([interface("GRPC", "1.0", "https://example.org")]))),
        ("no version that is spoken", with_interfaces(&json!([interface("JSONRPC", "9.9", "https://example.org")]))),
        ("no address", with_interfaces(&json!([interface("JSONRPC", "1.0", "/rpc")]))),
        ("a private address", with_interfaces(&json!([interface("JSONRPC", "1.0", "https://192.168.0.1/rpc")]))),
        ("this machine", with_interfaces(&json!([interface("JSONRPC", "1.0", "https://localhost/rpc")]))),
        ("plain http", with_interfaces(&json!([interface("JSONRPC", "1.0", "http://example.org:80/rpc")]))),
        ("another extension", required("https://example.org/must")),
        (
            "too many extensions",
            json!({"name": "x", "supportedInterfaces": good(), "capabilities": {"extensions": many}}),
        ),
    ];
    let lines: String = table.iter().map(|(name, card)| format!("{name}: {}\n", read(card).unwrap_err())).collect();
    expect![[r#"
        a list: the card is no JSON object
        nothing: the card has no `name`
        no interfaces: the card has no `supportedInterfaces`
        no binding that is spoken: none of the interfaces of the card can be used (JSONRPC 1.0, HTTP+JSON 1.0 and JSONRPC 0.3 are): GRPC 1.0 is not spoken here
        no version that is spoken: none of the interfaces of the card can be used (JSONRPC 1.0, HTTP+JSON 1.0 and JSONRPC 0.3 are): JSONRPC 9.9 is not spoken here
        no address: none of the interfaces of the card can be used (JSONRPC 1.0, HTTP+JSON 1.0 and JSONRPC 0.3 are): `/rpc` is no address: relative URL without a base
        a private address: none of the interfaces of the card can be used (JSONRPC 1.0, HTTP+JSON 1.0 and JSONRPC 0.3 are): 192.168.0.1 is a private address; it is refused unless `a2a: { allow_private: true }` is set
        this machine: none of the interfaces of the card can be used (JSONRPC 1.0, HTTP+JSON 1.0 and JSONRPC 0.3 are): localhost is a private address; it is refused unless `a2a: { allow_private: true }` is set
        plain http: none of the interfaces of the card can be used (JSONRPC 1.0, HTTP+JSON 1.0 and JSONRPC 0.3 are): the card comes by https, and this address is plain http
        another extension: the agent asks for an extension that is not spoken here: https://example.org/must
        too many extensions: the card has more than 128 extensions (REMOTE_EXTENSIONS_MAX)
    "#]].assert_eq(&lines);
    assert!(read(&required(LINEAGE)).unwrap().knows_lineage);
}

#[test]
fn a_card_with_thousands_of_skills_fills_as_much_as_there_is_room_for() {
    let skills: Vec<Value> =
        (0..5_000).map(|n| json!({"id": format!("s{n}"), "tags": ["t", format!("t{n}")], "examples": ["x"]})).collect();
    let mut card = with_interfaces(&json!([interface("JSONRPC", "1.0", "https://example.org/rpc")]));
    card["skills"] = json!(skills);
    card["description"] = json!("word\n".repeat(10_000));
    let card = read(&card).unwrap();
    let filled = handover_agents::a2a::filled(&profile("https://example.org"), &card);
    assert_eq!((filled.capabilities.len(), filled.tags.len()), (CAPABILITIES_MAX, CAPABILITIES_MAX));
    assert!(filled.description.len() <= 400 && !filled.description.contains('\n'));
    assert_eq!(filled.bare(), profile("https://example.org"));
}

#[test]
fn a_card_publishes_nobody() {
    let mut card = with_interfaces(&json!([interface("JSONRPC", "1.0", "https://example.org/rpc")]));
    card["skills"] = json!([{"id": "a", "tags": ["public", "fun"]}, {"id": "public", "tags": [" public ", "public"]}]);
    let card = read(&card).unwrap();
    let ours = profile("https://example.org");
    let filled = handover_agents::a2a::filled(&ours, &card);
    assert!(!filled.tags.iter().any(|tag| tag.trim() == PUBLIC), "{:?}", filled.tags);
    assert!(filled.tags.contains(&"fun".to_owned()));
    // An earlier card may have said so when nobody looked.
    let mut known = ours.clone();
    (known.tags, known.from_card) = (vec![PUBLIC.to_owned()], vec![format!("tags/{PUBLIC}")]);
    assert_eq!(handover_agents::a2a::filled(&known, &card), filled);
    // Whoever registers it may.
    let mut open = ours;
    open.tags = vec![PUBLIC.to_owned()];
    assert_eq!(handover_agents::a2a::filled(&open, &card).tags, [PUBLIC, "fun"]);
}

#[test]
fn the_place_of_a_card_follows_from_the_address() {
    let table = [
        ("https://example.org", "https://example.org/.well-known/agent-card.json"),
        ("https://example.org/", "https://example.org/.well-known/agent-card.json"),
        ("https://example.org/a/b/?x=1#y", "https://example.org/a/b/.well-known/agent-card.json"),
        ("https://example.org/cards/x.json", "https://example.org/cards/x.json"),
    ];
    for (url, wanted) in table {
        assert_eq!(place(url).unwrap().as_str(), wanted);
    }
    for url in ["example.org", "ftp://example.org", "", "https://"] {
        assert!(place(url).is_err(), "{url}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_whose_card_cannot_be_had_lacks_it_and_works_when_it_is_there() {
    let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
    peer.card_does(Some(Does::Sends(503, "text/plain", Vec::new())));
    peer.does("SendMessage", [Does::Gives(done(&json!([{"data": 2}])))]);
    let engine = house.open().await;
    let staff = Staff::new(&StaffSettings::default(), std::path::Path::new("."), &engine).await.unwrap();
    engine.register_profile(profile(&peer.url())).await.unwrap();
    let employed = staff.employ_registered(&engine).await;
    assert_eq!((employed.at_work.len(), employed.lacking.len()), (0, 1));
    let told_so = employed.lacking[0].1.to_string();
    assert!(told_so.contains("its card cannot be had: 127.0.0.1 answered 503 Service Unavailable"), "{told_so}");
    let handoff = begun(&engine, asking()).await;
    let put_off = async {
        while engine.handoff(handoff).await.unwrap().deferrals == 0 {
            tokio::task::yield_now().await;
        }
    };
    within(put_off).await;
    let why = engine.handoff(handoff).await.unwrap().acceptance.unwrap().reason;
    assert!(why.starts_with("its card cannot be had"), "{why}");
    peer.card_does(None);
    let going = async {
        loop {
            // An offer has a window by the same clock: whoever looks at it has all the time that it needs.
            if engine.handoff(handoff).await.unwrap().status() == Status::Deferred {
                house.clock.advance(Duration::from_millis(500));
                engine.run_due().await.unwrap();
            }
            tokio::task::yield_now().await;
        }
    };
    let result = tokio::select! {
        result = within(engine.returned(handoff)) => result.unwrap(),
        () = going => unreachable!(),
    };
    assert_eq!(told(&result), "success 2");
    within(async {
        while counter(&engine).name != "Counter" {
            house.clock.advance(Duration::from_millis(500));
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(staff.lacks(&id("counter")), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn cards_of_hostile_agents_are_refused() {
    let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
    let engine = house.open().await;
    let sends = |status, kind, text: &str| Does::Sends(status, kind, text.as_bytes().to_vec());
    let table = [
        ("no JSON", sends(200, "application/json", "hello")),
        ("a page", sends(200, "text/html", "<html>")),
        ("a redirect", sends(302, "text/html", "")),
        ("no card", sends(404, "application/json", "{}")),
        ("unchanged, though there was none", sends(304, "application/json", "")),
        ("too large", sends(200, "application/json", &"x".repeat(REMOTE_CARD_BYTES_MAX + 1))),
        ("an abyss", sends(200, "application/json", &"[".repeat(100_000))),
    ];
    let mut lines = String::new();
    for (name, does) in table {
        peer.card_does(Some(does));
        let agent = employ(&engine, &peer).await;
        lines += &format!("{name}: {}\n", agent.lacks().unwrap());
    }
    expect![[r#"
        no JSON: its card cannot be had: the card is no JSON: expected value at line 1 column 1
        a page: its card cannot be had: 127.0.0.1 sent no JSON, but `text/html`
        a redirect: its card cannot be had: 127.0.0.1 answered 302 Found
        no card: its card cannot be had: 127.0.0.1 answered 404 Not Found
        unchanged, though there was none: its card cannot be had: 127.0.0.1 answered 304 Not Modified
        too large: its card cannot be had: the answer of 127.0.0.1 has more than 1048576 bytes (REMOTE_CARD_BYTES_MAX)
        an abyss: its card cannot be had: the card is no JSON: recursion limit exceeded at line 1 column 128
    "#]]
    .assert_eq(&lines);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_points_to_private_places_only_where_that_is_allowed_and_the_key_stays_at_home() {
    let (house, home, other) = (House::new(), Peer::new(By::JsonRpc).await, Peer::new(By::JsonRpc).await);
    let elsewhere = format!("{}/rpc", other.url());
    home.card(|card| card["supportedInterfaces"][0]["url"] = json!(elsewhere));
    other.does("SendMessage", [Does::Gives(done(&json!([{"data": 2}])))]);
    let engine = house.open().await;
    let refused = employ(&engine, &home).await.lacks().unwrap();
    assert!(refused.contains("127.0.0.1 is a private address; it is refused unless"), "{refused}");
    let agent = A2aAgent::new(&home.url(), Some(KEY), A2aSettings { allow_private: true }, None).unwrap();
    agent.employ(&engine, profile(&home.url())).await.unwrap();
    assert_eq!(told(&house.asked(&engine, asking()).await), "success 2");
    assert_eq!(other.asked()[0].header("authorization"), "");
    assert_eq!(home.asked_for("card").last().unwrap().header("authorization"), format!("Bearer {KEY}"));
    assert_eq!(home.asked().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_house_registers_remote_agents() {
    let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
    let engine = house.open().await;
    let tenant = handover_core::command::Caller::new("other", "tenant-b");
    let refused = engine.for_caller(tenant).register_profile(profile(&peer.url())).await.unwrap_err();
    assert!(refused.to_string().contains("not of the house"), "{refused}");
    let mut lacks = Profile::named("counter").unwrap().kind(AgentKind::A2a);
    lacks.url = Some("example.org".to_owned());
    assert!(engine.register_profile(lacks).await.unwrap_err().to_string().contains("address of its card"));
}
