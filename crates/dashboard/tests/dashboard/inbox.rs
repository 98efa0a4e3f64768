//! The inbox: people take work, do it, put it off, decline it, ask and answer; and only as themselves.

use crate::{
    desk::{HOSTILE, delegation, id, is_tame, said, session},
    house::{Browser, House, Seen},
};
use axum::http::StatusCode;
use handover_core::{
    access::Role,
    agent::{AgentKind, Profile},
    command::{Caller, Open},
    handoff::{Handoff, Phase, ReturnStatus, Status},
    ids::HandoffId,
    limits::{LEASE_MS_MAX, PAGE_TASKS, PEOPLE_LOOK_MAX},
    workflow::Workflow,
};
use handover_engine::Start;
use serde_json::json;

async fn house() -> House {
    let house = House::open().await;
    house.staffed(&["planner", "pilot"], &["anna", "bert"]).await;
    house
}

async fn act(house: &House, by: &Browser, id: HandoffId, way: &str, fields: &[(&str, &str)]) -> Seen {
    house.act(by, "/inbox", &format!("/inbox/{id}/{way}"), fields).await
}

async fn now(house: &House, id: HandoffId) -> Handoff {
    house.engine.handoff(id).await.unwrap()
}

/// Takes it, and gives the lease.
async fn taken(house: &House, id: HandoffId) -> String {
    let seen = act(house, &house.local(), id, "take", &[("as", "anna")]).await;
    assert_eq!((seen.status, seen.to()), (StatusCode::SEE_OTHER, "/inbox?done=taken"), "{}", seen.text);
    now(house, id).await.lease().unwrap().to_string()
}

/// What the menu counts for the inbox.
fn in_menu(seen: &Seen) -> Option<String> {
    let menu = seen.text.split("href=\"/inbox\"").nth(1).unwrap().split("</a>").next().unwrap();
    menu.split("class=\"count\">").nth(1).map(|count| count.split('<').next().unwrap().to_owned())
}

#[tokio::test]
async fn nothing_to_do_says_what_to_do_next() {
    let house = House::open().await;
    house.get(&house.local(), "/inbox").await.shows("No people yet").shows("--kind human");
    house.staffed(&["planner"], &["anna"]).await;
    house.get(&house.local(), "/inbox").await.shows("Nothing to do").shows("anna");
    house.get(&house.local(), "/inbox?as=anna").await.shows("Nothing waits for anna");
}

#[tokio::test]
async fn the_menu_counts_what_waits_for_people() {
    let house = house().await;
    assert_eq!(in_menu(&house.get(&house.local(), "/team").await), None);
    house.handed(delegation("planner", "anna", "call the client")).await;
    house.handed(delegation("planner", "pilot", "fly")).await;
    for page in ["/", "/team"] {
        assert_eq!(in_menu(&house.get(&house.local(), page).await).as_deref(), Some("1"), "{page}");
    }
}

#[tokio::test]
async fn people_of_the_house_bring_a_tenant_only_its_own_work() {
    let house = house().await;
    house.handed(delegation("planner", "anna", "secret of the first")).await;
    let other = house.engine.for_caller(Caller::new("olga", "other"));
    let browser = Browser { open: Some(other.clone()), ..Browser::default() };
    for page in ["/", "/team", "/inbox"] {
        let seen = house.get(&browser, page).await;
        assert_eq!(in_menu(&seen), None, "{page}");
        seen.hides("secret of the first").hides("anna (1)");
    }
    other.open_session(&session("o"), Open::by("planner").unwrap()).await.unwrap();
    other.initiate(&session("o"), delegation("planner", "anna", "their own")).await.unwrap();
    let seen = house.get(&browser, "/inbox").await;
    assert_eq!(in_menu(&seen).as_deref(), Some("1"));
    seen.shows("their own").hides("secret of the first");
}

#[tokio::test]
async fn what_is_left_out_is_said() {
    let house = house().await;
    for n in 0..PEOPLE_LOOK_MAX {
        let profile = Profile::named(&format!("p{n:03}")).unwrap().kind(AgentKind::Human);
        house.engine.register_profile(profile).await.unwrap();
    }
    let local = house.local();
    house.get(&local, "/inbox").await.shows("people with the most to do").shows("list=\"people\"");
    house.get(&local, "/inbox?as=p199").await.shows("Nothing waits for p199").hides("people with the most to do");
    for n in 0..PAGE_TASKS + 1 {
        let handoff = house.handed_in(&format!("r{n}"), delegation("bert", "pilot", "look it up")).await;
        let lease = house.engine.accept(handoff, &id("pilot"), None, None).await.unwrap().lease;
        house.engine.give_back_json(handoff, lease, r#"{"status": "success", "result": {}}"#).await.unwrap();
    }
    let seen = house.get(&local, "/inbox?as=bert").await;
    seen.shows("They show when these were seen");
    assert_eq!(seen.text.matches("id=\"back-").count(), PAGE_TASKS);
}

#[tokio::test]
async fn a_person_takes_work_and_gives_it_back() {
    let house = house().await;
    house.engine.say(&session("s"), said("the lease is 12 pages")).await.unwrap();
    let mut request = delegation("planner", "anna", "read the contract");
    request.task.payload = json!({"page": 12});
    let handoff = house.handed(request).await;
    let local = house.local();
    let seen = house.get(&local, "/inbox").await;
    seen.shows("read the contract")
        .shows("&quot;page&quot;: 12")
        .shows("Take it as anna")
        .shows("the lease is 12 pages");
    seen.shows("## Your Specific Task").hides("Give it back");
    let lease = taken(&house, handoff).await;
    let Phase::Running { lease_ms, .. } = now(&house, handoff).await.phase else { panic!("it runs") };
    assert_eq!(lease_ms, LEASE_MS_MAX);
    house.get(&local, "/inbox?as=anna").await.shows("Give it back").shows(&lease).hides("Take it as");
    let fields = [("lease", lease.as_str()), ("form", "json"), ("result", "{\"fine\": true}"), ("notes", "quick")];
    let seen = act(&house, &local, handoff, "give-back", &fields).await;
    assert_eq!(seen.to(), "/inbox?done=given-back", "{}", seen.text);
    let result = now(&house, handoff).await.result.unwrap();
    assert_eq!((result.status, &result.result.body), (ReturnStatus::Success, &json!({"fine": true})));
    assert_eq!(result.notes, "quick");
}

#[tokio::test]
async fn words_are_a_result_and_so_is_a_failure() {
    let house = house().await;
    let handoff = house.handed(delegation("planner", "anna", "read")).await;
    let lease = taken(&house, handoff).await;
    let local = house.local();
    let wrong = [("lease", lease.as_str()), ("form", "json"), ("result", "not so")];
    let seen = act(&house, &local, handoff, "give-back", &wrong).await;
    assert_eq!(seen.status, StatusCode::UNPROCESSABLE_ENTITY);
    seen.shows("the result is no JSON");
    let fields = [("lease", lease.as_str()), ("form", "text"), ("result", "no page 12"), ("status", "failed")];
    assert_eq!(act(&house, &local, handoff, "give-back", &fields).await.status, StatusCode::SEE_OTHER);
    let handoff = now(&house, handoff).await;
    assert_eq!((handoff.status(), &handoff.result.unwrap().result.body), (Status::Failed, &json!("no page 12")));
}

#[tokio::test]
async fn offers_are_put_off_and_declined_with_a_reason() {
    let house = house().await;
    let local = house.local();
    let later = house.handed(delegation("planner", "anna", "later")).await;
    for (way, fields) in [("defer", vec![("as", "anna"), ("for", "60000")]), ("decline", vec![("as", "anna")])] {
        let seen = act(&house, &local, later, way, &fields).await;
        assert_eq!(seen.status, StatusCode::UNPROCESSABLE_ENTITY, "{way}");
        seen.shows("reason is empty");
    }
    let fields = [("as", "anna"), ("for", "60000"), ("reason", "lunch"), ("view", "anna")];
    let seen = act(&house, &local, later, "defer", &fields).await;
    assert_eq!(seen.to(), "/inbox?as=anna&done=put-off", "{}", seen.text);
    assert_eq!(now(&house, later).await.status(), Status::Deferred);
    let never = house.handed(delegation("planner", "anna", "never")).await;
    let seen = act(&house, &local, never, "decline", &[("as", "anna"), ("reason", "not my field")]).await;
    assert_eq!(seen.to(), "/inbox?done=declined", "{}", seen.text);
    assert_eq!(now(&house, never).await.status(), Status::Failed);
    let held = house.handed(delegation("planner", "anna", "held")).await;
    let lease = taken(&house, held).await;
    let fields = [("lease", lease.as_str()), ("reason", "too long")];
    assert_eq!(act(&house, &local, held, "decline", &fields).await.status, StatusCode::SEE_OTHER);
    assert_eq!(now(&house, held).await.status(), Status::Failed);
}

#[tokio::test]
async fn a_lease_is_kept_and_an_old_one_is_refused() {
    let house = house().await;
    let handoff = house.handed(delegation("planner", "anna", "read")).await;
    let lease = taken(&house, handoff).await;
    let local = house.local();
    assert_eq!(act(&house, &local, handoff, "keep", &[("lease", &lease)]).await.to(), "/inbox?done=kept");
    let old = "00000000-0000-7000-8000-000000000000";
    for way in ["keep", "give-back", "ask", "decline"] {
        let fields = [("lease", old), ("question", "x"), ("reason", "x")];
        let seen = act(&house, &local, handoff, way, &fields).await;
        assert_eq!(seen.status, StatusCode::CONFLICT, "{way}: {}", seen.text);
    }
    assert_eq!(now(&house, handoff).await.status(), Status::Running);
}

#[tokio::test]
async fn questions_are_asked_and_answered() {
    let house = house().await;
    let local = house.local();
    let handoff = house.handed(delegation("planner", "anna", "read the contract")).await;
    let lease = taken(&house, handoff).await;
    let seen = act(&house, &local, handoff, "ask", &[("lease", &lease), ("question", "which contract?")]).await;
    assert_eq!(seen.to(), "/inbox?done=asked", "{}", seen.text);
    for (browser, answers) in [
        (house.local(), true),
        (house.signed_in(Role::Operator).await, true),
        (house.bound(Role::Agent, &["planner"]).await, true),
        (house.signed_in(Role::Viewer).await, false),
        (house.bound(Role::Agent, &["anna"]).await, false),
    ] {
        let seen = house.get(&browser, "/inbox").await;
        seen.shows("which contract?").shows("read the contract");
        assert_eq!(seen.text.contains("name=\"text\""), answers, "{}", seen.text);
    }
    let empty = act(&house, &local, handoff, "answer", &[("by", "carla")]).await;
    assert_eq!(empty.status, StatusCode::UNPROCESSABLE_ENTITY);
    let viewer = house.signed_in(Role::Viewer).await;
    let seen = act(&house, &viewer, handoff, "answer", &[("by", "planner"), ("text", "x")]).await;
    assert_eq!(seen.status, StatusCode::FORBIDDEN);
    let fields = [("by", "carla"), ("text", "the one from May")];
    assert_eq!(act(&house, &local, handoff, "answer", &fields).await.to(), "/inbox?done=answered");
    house.get(&local, "/inbox").await.shows("the one from May").shows("Take it as anna").hides("asks <a");
}

#[tokio::test]
async fn nobody_works_as_somebody_else() {
    let house = house().await;
    let handoff = house.handed(delegation("planner", "anna", "for anna")).await;
    let (anna, bert) = (house.bound(Role::Agent, &["anna"]).await, house.bound(Role::Agent, &["bert"]).await);
    house.get(&anna, "/inbox").await.shows("for anna").shows("Take it as anna");
    house.get(&bert, "/inbox").await.hides("for anna").hides("anna</option>");
    assert_eq!(house.get(&bert, "/inbox?as=anna").await.status, StatusCode::FORBIDDEN);
    let viewer = house.signed_in(Role::Viewer).await;
    house.get(&viewer, "/inbox").await.shows("for anna").shows("Your role is viewer").hides("Take it as");
    for (who, browser) in [("bert", &bert), ("viewer", &viewer)] {
        let seen = act(&house, browser, handoff, "take", &[("as", "anna")]).await;
        assert!([StatusCode::FORBIDDEN, StatusCode::NOT_FOUND].contains(&seen.status), "{who}: {}", seen.status);
    }
    let lease = taken(&house, handoff).await;
    for browser in [&bert, &viewer] {
        let seen = act(&house, browser, handoff, "give-back", &[("lease", &lease), ("result", "x")]).await;
        assert!([StatusCode::FORBIDDEN, StatusCode::NOT_FOUND].contains(&seen.status), "{}", seen.status);
    }
    let strange = house.post(&house.local(), &format!("/inbox/{handoff}/keep"), &[("lease", &lease)]).await;
    assert_eq!(strange.status, StatusCode::FORBIDDEN);
    assert_eq!(now(&house, handoff).await.status(), Status::Running);
}

#[tokio::test]
async fn what_came_back_is_listed_until_it_is_seen() {
    let house = house().await;
    let local = house.local();
    house.engine.open_session(&session("a"), handover_core::command::Open::by("anna").unwrap()).await.unwrap();
    let request = delegation("anna", "pilot", "fly there");
    let handoff = house.engine.initiate(&session("a"), request).await.unwrap().handoffs[0];
    let lease = house.engine.accept(handoff, &id("pilot"), None, None).await.unwrap().lease;
    let giving = json!({"status": "success", "result": {"content_type": "text", "body": "landed"}});
    house.engine.give_back_json(handoff, lease, &giving.to_string()).await.unwrap();
    house.get(&local, "/inbox").await.shows("Came back").shows("landed").shows("fly there");
    let (of, s) = (handoff.to_string(), "a");
    let bert = house.bound(Role::Agent, &["bert"]).await;
    house.get(&bert, "/inbox").await.hides("landed");
    let fields = [("of", of.as_str()), ("session", s), ("as", "anna")];
    let seen = house.act(&local, "/inbox", "/inbox/returns", &fields).await;
    assert_eq!(seen.to(), "/inbox?done=noted", "{}", seen.text);
    house.get(&local, "/inbox").await.hides("landed");
}

#[tokio::test]
async fn a_step_of_a_workflow_ends_with_one_of_its_signals() {
    let house = house().await;
    let workflow: Workflow = serde_json::from_value(json!({
        "name": "review",
        "agents": {"anna": {}, "pilot": {}},
        "states": {
            "READING": {"agent": "anna", "about": "somebody reads it"},
            "FLYING": {"agent": "pilot"},
            "DONE": {"end": "completed"},
            "STOPPED": {"end": "failed"},
        },
        "start": "READING",
        "rules": [
            {"id": "1", "from": "anna", "to": "pilot", "trigger_state": "GOOD", "reason": "it is good", "next_state": "FLYING",
             "payload": {"required": ["seat"]}},
            {"id": "2", "from": "anna", "trigger_state": "BAD", "reason": "it is bad", "next_state": "STOPPED"},
            {"id": "3", "from": "pilot", "reason": "landed", "next_state": "DONE"},
        ],
    }))
    .unwrap();
    house.engine.define(workflow).await.unwrap();
    house.engine.start(&session("w"), Start::of("review", id("planner"))).await.unwrap();
    let step = house.engine.session(&session("w")).await.unwrap().flow.clone().unwrap().step.unwrap();
    let lease = taken(&house, step).await;
    let seen = house.get(&house.local(), "/inbox").await;
    seen.shows("READING: somebody reads it").shows("value=\"GOOD\"").shows("value=\"BAD\"");
    seen.shows("it is good").shows("&quot;seat&quot;: &quot;&quot;");
    let lacking = [("lease", lease.as_str()), ("form", "json"), ("result", "{}"), ("signal", "GOOD")];
    assert_eq!(act(&house, &house.local(), step, "give-back", &lacking).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    let fields = [("lease", lease.as_str()), ("form", "json"), ("result", "{\"seat\": \"1A\"}"), ("signal", "GOOD")];
    let seen = act(&house, &house.local(), step, "give-back", &fields).await;
    assert_eq!(seen.status, StatusCode::SEE_OTHER, "{}", seen.text);
    assert_eq!(house.engine.session(&session("w")).await.unwrap().flow.clone().unwrap().state, "FLYING");
}

#[tokio::test]
async fn hostile_texts_are_texts() {
    let house = house().await;
    house.engine.say(&session("s"), said(HOSTILE)).await.unwrap();
    let mut request = delegation("planner", "anna", HOSTILE);
    request.reason = format!("why {HOSTILE}");
    request.original_request = format!("asked {HOSTILE}");
    request.task.payload = json!({"html": HOSTILE});
    let handoff = house.handed(request).await;
    is_tame(&house.get(&house.local(), "/inbox").await);
    let lease = taken(&house, handoff).await;
    is_tame(&house.get(&house.local(), "/inbox").await);
    act(&house, &house.local(), handoff, "ask", &[("lease", &lease), ("question", HOSTILE)]).await;
    is_tame(&house.get(&house.local(), "/inbox").await);
    act(&house, &house.local(), handoff, "answer", &[("by", HOSTILE), ("text", HOSTILE)]).await;
    is_tame(&house.get(&house.local(), "/inbox").await);
}

#[tokio::test]
async fn a_page_has_its_bound() {
    let house = house().await;
    for n in 0..=PAGE_TASKS {
        house.handed_in(&format!("s{n}"), delegation("planner", "anna", &format!("task {n}"))).await;
    }
    let seen = house.get(&house.local(), "/inbox").await;
    assert_eq!(seen.text.matches("Take it as anna").count(), PAGE_TASKS);
    seen.shows("There are more");
}
