//! Workflows: the machine with its sessions, the rules with how often they were used.

use crate::{
    house::House,
    overview::{agent, team},
};
use axum::http::StatusCode;
use handover_core::{
    access::{NewKey, Role},
    command::{Giving, Update},
    handoff::{Outcome, ReturnStatus},
    ids::SessionId,
    limits::PAGE_ROWS,
    workflow::Workflow,
};
use handover_engine::Start;
use serde_json::json;

fn flow() -> Workflow {
    serde_json::from_value(json!({
        "name": "trips", "description": "<i>Trips</i> \"for all\"", "agents": {"bob": {}, "cleo": {}}, "start": "LOOKING",
        "states": {"LOOKING": {"agent": "bob"}, "PACKING": {"agent": "cleo"}, "DONE": {"end": "completed"}, "LOST": {"end": "failed"}},
        "rules": [
            {"id": "1", "from": "bob", "to": "cleo", "trigger_state": "LOOKED", "condition": "outcome.data.price < 10",
             "reason": "<script>cheap</script>", "next_state": "PACKING"},
            {"id": "1b", "from": "bob", "trigger_state": "LOOKED", "reason": "too dear", "next_state": "LOST"},
            {"id": "2", "from": "cleo", "trigger_state": "PACKED", "reason": "it is packed", "next_state": "DONE"}
        ],
    }))
    .unwrap()
}

/// A session that looks; with a price it goes on.
async fn trip(house: &House, name: &str, price: Option<u64>) {
    let id = SessionId::new(name).unwrap();
    let start = Start::of("trips", agent("ann")).asking(format!("{name} <script>asks</script>"));
    let session = house.engine.start(&id, start).await.unwrap();
    let step = session.flow.as_ref().unwrap().step.unwrap();
    let Some(price) = price else { return };
    let lease = house.engine.accept(step, &agent("bob"), None, None).await.unwrap().lease;
    let giving = Giving {
        status: ReturnStatus::Success,
        result: Outcome { body: json!({"price": price}), ..Outcome::default() },
        updates: Update::default(),
        notes: String::new(),
        signal: Some("LOOKED".into()),
    };
    house.engine.give_back(step, lease, giving, None).await.unwrap();
}

#[tokio::test]
async fn without_workflows_the_page_teaches_how_to_make_one() {
    let house = House::open().await;
    house.get(&house.local(), "/workflows").await.shows("No workflow is kept here yet").shows("handover init my-team");
    assert_eq!(house.get(&house.local(), "/workflows/none").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn states_hold_their_sessions_and_rules_their_uses() {
    let house = House::open().await;
    team(&house).await;
    house.engine.define(flow()).await.unwrap();
    trip(&house, "one", None).await;
    trip(&house, "two", Some(5)).await;
    trip(&house, "three", Some(6)).await;
    trip(&house, "four", Some(50)).await;
    house.dashboard.caught_up().await;
    for browser in [house.local(), house.signed_in(Role::Viewer).await] {
        let list = house.get(&browser, "/workflows").await;
        list.shows("href=\"/workflows/trips\"").shows("data-name=\"go on\">3<").shows("data-name=\"ended\">1<");
        let seen = house.get(&browser, "/workflows/trips").await;
        seen.shows("bob · 1 session")
            .shows("cleo · 2 sessions")
            .shows("href=\"/workflows/trips?state=LOOKING#sessions\"");
        seen.shows("2× rule 1").hides("×2");
        seen.shows("Sessions in PACKING").shows("href=\"/sessions/two\"").hides("href=\"/sessions/one\"");
        let used: Vec<&str> =
            seen.text.split("data-name=\"used\">").skip(1).map(|rest| rest.split('<').next().unwrap()).collect();
        assert_eq!(used, ["2", "1", "0"]);
        seen.shows("outcome.data.price &lt; 10").hides("<script>cheap").hides("<script>asks").hides("<i>Trips");
        house
            .get(&browser, "/workflows/trips?state=LOOKING")
            .await
            .shows("Sessions in LOOKING")
            .shows("href=\"/sessions/one\"");
        house.get(&browser, "/workflows/trips?state=LOST").await.shows("href=\"/sessions/four\"");
        house.get(&browser, "/workflows/trips?state=%3Cscript%3E").await.hides("<script>").hides("id=\"sessions\"");
    }
}

#[tokio::test]
async fn a_full_state_comes_in_pages() {
    let house = House::open().await;
    team(&house).await;
    house.engine.define(flow()).await.unwrap();
    for number in 0..PAGE_ROWS + 3 {
        trip(&house, &format!("s{number:03}"), None).await;
    }
    let rows = |text: &str| text.split("id=\"sessions\"").nth(1).unwrap().matches("<tr data-key").count();
    let first = house.get(&house.local(), "/workflows/trips?state=LOOKING").await;
    assert_eq!(rows(&first.text), PAGE_ROWS);
    first.shows("?state=LOOKING&amp;skip=50").shows("bob · 53 sessions").shows("s052");
    let second = house.get(&house.local(), "/workflows/trips?state=LOOKING&skip=50").await;
    assert_eq!(rows(&second.text), 3);
    second.shows("s000").hides("s052");
}

#[tokio::test]
async fn whoever_sees_only_some_sessions_sees_the_machine_alone() {
    let house = House::open().await;
    team(&house).await;
    house.engine.define(flow()).await.unwrap();
    trip(&house, "theirs", Some(5)).await;
    house.dashboard.caught_up().await;
    let mut new = NewKey::of("narrow", Role::Viewer);
    new.sessions = Some([SessionId::new("mine").unwrap()].into());
    let key = house.engine.make_key(new).await.unwrap().1;
    let seen = house.get(&house.with_key(&key).await, "/workflows/trips?state=PACKING").await;
    seen.shows("PACKING")
        .hides("theirs")
        .hides("1 session")
        .shows("for those who see all sessions")
        .hides("data-name=\"used\">1<");
}

#[tokio::test]
async fn a_workflow_that_stopped_is_told_on_the_overview() {
    let house = House::open().await;
    team(&house).await;
    house.engine.define(flow()).await.unwrap();
    house.engine.remove_agent(&agent("cleo")).await.unwrap();
    trip(&house, "stuck", Some(5)).await;
    house.dashboard.caught_up().await;
    let blocked = house.get(&house.local(), "/").await;
    let card = blocked.text.split("id=\"blocked\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(card.contains("stopped") && card.contains("href=\"/sessions/stuck\"") && card.contains("cleo"), "{card}");
    house.get(&house.local(), "/workflows/trips?state=LOST").await.shows("stopped").shows("href=\"/sessions/stuck\"");
    house.engine.register_profile(handover_core::agent::Profile::named("cleo").unwrap()).await.unwrap();
    let stuck = house.engine.session(&SessionId::new("stuck").unwrap()).await.unwrap();
    let step = stuck.flow.as_ref().and_then(|flow| flow.stuck.as_ref()).unwrap().step;
    house.engine.retry(step, "ann", "cleo is back").await.unwrap();
    house.dashboard.caught_up().await;
    house.get(&house.local(), "/").await.hides("badge bad\">stopped");
}

#[tokio::test]
async fn an_end_that_failed_is_not_green() {
    let house = House::open().await;
    team(&house).await;
    house.engine.define(flow()).await.unwrap();
    trip(&house, "dear", Some(50)).await;
    for path in ["/sessions", "/sessions/dear"] {
        house
            .get(&house.local(), path)
            .await
            .shows("<span class=\"badge bad\">over, failed</span>")
            .hides("badge good\">over");
    }
}
