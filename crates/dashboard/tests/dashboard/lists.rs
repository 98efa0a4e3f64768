//! Lists that are longer than a page: everything in them can be reached, and the end of a long story is told.

use crate::{
    desk::{delegation, id, session},
    house::{Browser, House, Seen},
};
use axum::http::StatusCode;
use handover_core::{
    agent::{AgentKind, Profile},
    command::Caller,
    limits::{PAGE_HANDOFFS, PAGE_RECORDS, PAGE_ROWS, SUGGESTED_AGENTS},
    policy::{Policy, SessionLimits},
    workflow::Workflow,
};
use handover_engine::Start;
use serde_json::json;

async fn house() -> House {
    let house = House::open().await;
    house.staffed(&["planner", "pilot"], &["anna"]).await;
    let limits = SessionLimits { handoffs: Some(1_000), ..SessionLimits::usual() };
    house.engine.set_policy(Policy { limits, ..Policy::without_guards() }).unwrap();
    house
}

fn rows(seen: &Seen) -> usize {
    seen.text.matches("<tr data-key").count()
}

/// Where a link with these words leads.
fn link(seen: &Seen, words: &str) -> String {
    let before = seen.text.split(words).next().unwrap();
    before.rsplit("href=\"").next().unwrap().split('"').next().unwrap().replace("&amp;", "&")
}

#[tokio::test]
async fn every_handoff_of_a_session_can_be_reached() {
    let house = house().await;
    let local = house.local();
    for n in 0..PAGE_HANDOFFS + PAGE_ROWS + 1 {
        let made = house.handed(delegation("planner", "pilot", &format!("weigh {n};"))).await;
        house.engine.cancel(made, "planner", "enough").await.unwrap();
    }
    let page = house.get(&local, "/sessions/s").await;
    page.hides("weigh 50;").shows("51 earlier ones");
    let place = link(&page, "51 earlier ones");
    let list = house.get(&local, &place).await;
    assert_eq!(rows(&list), PAGE_ROWS, "{place}");
    list.shows("weigh 50;").hides("weigh 51;").hides("weigh 0;").shows("value=\"s\"");
    let last = house.get(&local, &format!("/handoffs{}", link(&list, "Earlier →"))).await;
    assert_eq!(rows(&last), 1);
    last.shows("weigh 0;");
    assert_eq!(rows(&house.get(&local, "/handoffs?session=s&status=failed").await), 0);
    assert_eq!(rows(&house.get(&local, "/handoffs?session=s&status=cancelled&to=pilot").await), PAGE_ROWS);
    let stranger = Browser { open: Some(house.engine.for_caller(Caller::new("x", "other"))), ..Browser::default() };
    assert_eq!(rows(&house.get(&stranger, "/handoffs?session=s").await), 0);
    let wrong = house.get(&local, "/handoffs?session=%20%0a%3Cb%3E").await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    wrong.hides("<b>");
}

#[tokio::test]
async fn sessions_are_shown_by_where_they_stand() {
    let house = house().await;
    let text = json!({
        "name": "packing",
        "agents": {"pilot": {}},
        "states": {"PACKING": {"agent": "pilot"}, "DONE": {"end": "completed"}, "STOPPED": {"end": "failed"}},
        "start": "PACKING",
        "rules": [{"id": "1", "from": "pilot", "reason": "it is packed", "next_state": "DONE"}],
    });
    let workflow: Workflow = serde_json::from_value(text).unwrap();
    house.engine.define(workflow).await.unwrap();
    for name in ["w1", "w2"] {
        house.engine.start(&session(name), Start::of("packing", id("planner"))).await.unwrap();
    }
    house.handed(delegation("planner", "anna", "sign")).await;
    let local = house.local();
    let all = house.get(&local, "/sessions").await;
    assert_eq!(rows(&all), 3);
    all.shows("<optgroup label=\"packing\">").shows("waiting for a person");
    let packing = house.get(&local, "/sessions?show=packing%3APACKING").await;
    assert_eq!(rows(&packing), 2);
    packing.shows("value=\"packing:PACKING\" selected");
    house.get(&local, "/sessions?show=packing%3ADONE").await.shows("No session of packing is in DONE.");
    let waiting = house.get(&local, "/sessions?show=waiting").await;
    assert_eq!(rows(&waiting), 1);
    waiting.shows("data-key=\"s\"");
    assert_eq!(house.get(&local, "/sessions?show=nothing%3A%3Cb%3E").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_end_of_a_long_story_is_told() {
    let house = house().await;
    let made = house.handed(delegation("planner", "pilot", "fly around the world")).await;
    let lease = house.engine.accept(made, &id("pilot"), None, None).await.unwrap().lease;
    for _ in 0..2 * PAGE_RECORDS {
        house.engine.heartbeat(made, lease).await.unwrap();
    }
    let landed = r#"{"status": "success", "result": {}, "notes": "landed"}"#;
    house.engine.give_back_json(made, lease, landed).await.unwrap();
    let seen = house.get(&house.local(), &format!("/handoffs/{made}")).await;
    let card = seen.text.split("data-part=\"story\"").nth(1).unwrap().split("</section>").next().unwrap();
    for told in ["trigger", "accept", "completed landed", "release", "What is between them"] {
        assert!(card.contains(told), "{told}: {card}");
    }
}

#[tokio::test]
async fn work_goes_to_anybody_however_many_there_are() {
    let house = house().await;
    for n in 0..SUGGESTED_AGENTS {
        let profile = Profile::named(&format!("b{n:03}")).unwrap().kind(AgentKind::Worker);
        house.engine.register_profile(profile).await.unwrap();
    }
    house.engine.drain(&id("b001"), true).await.unwrap();
    let made = house.handed(delegation("planner", "pilot", "fly")).await;
    let (local, page) = (house.local(), format!("/handoffs/{made}"));
    for place in ["/sessions/s", page.as_str()] {
        let seen = house.get(&local, place).await;
        seen.shows("<option value=\"b001\">draining</option>").shows("<option value=\"b000\"></option>");
        assert_eq!(seen.text.matches("id=\"agents\"").count(), 1, "{place}");
        assert!(seen.text.matches("list=\"agents\" required").count() >= 1, "{place}");
    }
    let fields = [("to_agent", "b199"), ("reason", "it flies better")];
    let seen = house.act(&local, &page, &format!("{page}/redirect"), &fields).await;
    assert_eq!(seen.status, StatusCode::SEE_OTHER, "{}", seen.text);
    assert_eq!(house.engine.handoff(made).await.unwrap().to_agent, id("b199"));
}
