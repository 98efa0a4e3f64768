//! The same form that arrives twice is carried out once: an answer can be lost on its way.

use crate::{
    desk::{delegation, id, session},
    house::{Browser, House, Seen},
};
use axum::http::StatusCode;
use handover_core::handoff::Status;

async fn house() -> House {
    let house = House::open().await;
    house.staffed(&["planner", "buyer"], &["ann"]).await;
    house
}

/// Sends the form for an address as this page has it, twice.
async fn twice(house: &House, by: &Browser, page: &str, action: &str, filled: &[(&str, &str)]) -> [Seen; 2] {
    let hidden = house.get(by, page).await.hidden(action);
    let mut fields: Vec<(&str, &str)> = hidden.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    fields.extend_from_slice(filled);
    let both = [house.post(by, action, &fields).await, house.post(by, action, &fields).await];
    for seen in &both {
        assert_eq!(seen.status, StatusCode::SEE_OTHER, "{action}: {}", seen.text);
    }
    assert_eq!(both[0].to(), both[1].to(), "{action}");
    both
}

#[tokio::test]
async fn what_is_said_twice_by_one_form_is_said_once() {
    let house = house().await;
    let local = house.local();
    twice(&house, &local, "/sessions/s", "/sessions/s/say", &[("text", "go on")]).await;
    assert_eq!(house.engine.session(&session("s")).await.unwrap().mark.messages, 1);
    // Another form says the same once more.
    twice(&house, &local, "/sessions/s", "/sessions/s/say", &[("text", "go on")]).await;
    assert_eq!(house.engine.session(&session("s")).await.unwrap().mark.messages, 2);
}

#[tokio::test]
async fn one_form_hands_over_once() {
    let house = house().await;
    let local = house.local();
    let fields = [("to_agent", "buyer"), ("task", "buy it"), ("reason", "so"), ("kind", "sequential")];
    let hidden = house.get(&local, "/sessions/s").await.hidden("/sessions/s/hand-over");
    let mut all: Vec<(&str, &str)> = hidden.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    all.extend_from_slice(&fields);
    let first = house.post(&local, "/sessions/s/hand-over", &all).await;
    assert_eq!(first.status, StatusCode::SEE_OTHER, "{}", first.text);
    // Somebody else has the session by now: the form still means what it meant.
    let made = first.to().trim_start_matches("/handoffs/").split('?').next().unwrap().parse().unwrap();
    house.engine.accept(made, &id("buyer"), None, None).await.unwrap();
    let again = house.post(&local, "/sessions/s/hand-over", &all).await;
    assert_eq!((again.status, again.to()), (StatusCode::SEE_OTHER, first.to()), "{}", again.text);
    assert_eq!(house.engine.session(&session("s")).await.unwrap().handoffs, 1);
    // With other words it is not what was sent first, and nothing is done.
    let other: Vec<(&str, &str)> = all.iter().map(|(n, v)| (*n, if *n == "task" { "buy two" } else { *v })).collect();
    let seen = house.post(&local, "/sessions/s/hand-over", &other).await;
    assert_eq!(seen.status, StatusCode::CONFLICT);
    seen.shows("was sent before with other words").hides("idempotency_key");
    assert_eq!(house.engine.session(&session("s")).await.unwrap().handoffs, 1);
}

#[tokio::test]
async fn steps_by_hand_are_made_once() {
    let house = house().await;
    let local = house.local();
    let made = house.handed(delegation("planner", "buyer", "buy it")).await;
    let (page, why) = (format!("/handoffs/{made}"), [("reason", "so")]);
    let to = [("reason", "so"), ("to_agent", "ann")];
    twice(&house, &local, &page, &format!("{page}/redirect"), &to).await;
    twice(&house, &local, &page, &format!("{page}/cancel"), &why).await;
    twice(&house, &local, &page, &format!("{page}/retry"), &why).await;
    assert_eq!(house.engine.session(&session("s")).await.unwrap().handoffs, 2);
}

#[tokio::test]
async fn people_work_once() {
    let house = house().await;
    let local = house.local();
    let task = house.handed(delegation("planner", "ann", "count them")).await;
    twice(&house, &local, "/inbox", &format!("/inbox/{task}/take"), &[]).await;
    twice(&house, &local, "/inbox", &format!("/inbox/{task}/ask"), &[("question", "all?")]).await;
    assert_eq!(house.engine.handoff(task).await.unwrap().questions.len(), 1);
    twice(&house, &local, "/inbox", &format!("/inbox/{task}/answer"), &[("text", "yes")]).await;
    twice(&house, &local, "/inbox", &format!("/inbox/{task}/take"), &[]).await;
    twice(&house, &local, "/inbox", &format!("/inbox/{task}/give-back"), &[("result", "seven")]).await;
    assert_eq!(house.engine.handoff(task).await.unwrap().status(), Status::Completed);
}
