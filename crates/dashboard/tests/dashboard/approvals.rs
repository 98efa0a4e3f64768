//! Approvals: what is shown of what waits, who may decide, and that only what was seen is decided.

use crate::{
    desk::{HOSTILE, delegation, id, is_tame, said, session},
    house::{Browser, House, Seen},
};
use axum::http::StatusCode;
use handover_core::{
    access::{NewKey, Role},
    agent::Risk,
    handoff::{Edit, Priority, Request, Status},
    ids::HandoffId,
    policy::{ApprovalRule, Approver, OnExpiry, Policy, When},
};
use serde_json::json;

pub fn asking(task: &str) -> Request {
    Request { needs_approval: true, ..delegation("planner", "buyer", task) }
}

pub async fn house() -> House {
    let house = House::open().await;
    house.staffed(&["planner", "buyer", "clerk"], &["ann", "bob"]).await;
    house
}

/// The rule that asks ann, then bob.
fn policy() -> Policy {
    let who = |who: &str| Approver { who: who.to_owned(), within_ms: Some(60_000) };
    let when = When { to: vec![id("buyer")], tokens_above: Some(100), ..When::default() };
    let rule =
        ApprovalRule { name: "dear".into(), when, approvers: vec![who("ann"), who("bob")], on_expiry: OnExpiry::Deny };
    Policy { approvals: vec![rule], ..Policy::default() }
}

/// The digest that the form of a handoff carries.
fn digest(seen: &Seen, handoff: HandoffId) -> String {
    let (_, form) = seen.text.split_once(&format!("action=\"/approvals/{handoff}\"")).expect("a form");
    let (_, rest) = form.split_once("name=\"digest\" value=\"").expect("a digest");
    rest.split('"').next().unwrap().to_owned()
}

async fn decide(house: &House, by: &Browser, handoff: HandoffId, fields: &[(&str, &str)]) -> Seen {
    let page = house.get(by, "/approvals").await;
    let digest = digest(&page, handoff);
    let mut all = vec![("digest", digest.as_str())];
    all.extend_from_slice(fields);
    house.act(by, "/approvals", &format!("/approvals/{handoff}"), &all).await
}

async fn status(house: &House, handoff: HandoffId) -> Status {
    house.engine.handoff(handoff).await.unwrap().status()
}

#[tokio::test]
async fn nothing_waits_and_the_page_says_how_to_ask() {
    let house = house().await;
    let seen = house.get(&house.local(), "/approvals").await;
    seen.shows("All decided").shows("on_expiry: deny").shows("Nothing was decided");
    house.get(&house.local(), "/approvals?who=ann").await.shows("Nothing waits for ann");
}

#[tokio::test]
async fn all_that_a_decision_needs_is_on_the_page() {
    let house = house().await;
    house.engine.set_policy(policy()).unwrap();
    let mut request = delegation("planner", "buyer", "buy two jets").risking(Risk::Low);
    request.reason = "the old ones are worn".into();
    request.task.payload = json!({"seats": 8});
    request.task.priority = Priority::Urgent;
    request.audit.decision_rationale = "cheaper than repairs".into();
    request.context.constraints.budget = Some(serde_json::from_value(json!({"tokens": 5000, "cost": 2.5})).unwrap());
    house.engine.say(&session("s"), said("we need jets")).await.unwrap();
    let handoff = house.handed(request).await;
    let seen = house.get(&house.local(), "/approvals").await;
    for text in [
        "buy two jets",
        "the old ones are worn",
        "&quot;seats&quot;: 8",
        "urgent",
        "low risk",
        "cheaper than repairs",
        "5,000 tokens, cost 2.50",
        "the rule <b>dear</b>",
        "it goes to buyer",
        "more than 100 tokens",
        "bob is asked, too",
        "<dt>Path so far</dt><dd>planner</dd>",
        "<summary>Details</summary>",
        "1 of 1 messages",
        "we need jets",
        "data-until",
        &format!("/handoffs/{handoff}"),
        "/sessions/s",
        "data-press=\"a\"",
        "data-press=\"e\"",
        "data-press=\"r\"",
    ] {
        seen.shows(text);
    }
}

#[tokio::test]
async fn a_yes_offers_it_and_the_next_one_is_looked_at() {
    let house = house().await;
    let (first, second) = (house.handed(asking("one")).await, house.handed(asking("two")).await);
    let local = house.local();
    let page = house.get(&local, "/approvals").await;
    page.hides("autofocus");
    let next = second.to_string();
    let fields = [("decision", "approve"), ("by", "carla"), ("comment", "go on"), ("next", &next)];
    let seen = decide(&house, &local, first, &fields).await;
    assert_eq!(seen.status, StatusCode::SEE_OTHER, "{}", seen.text);
    assert_eq!(seen.to(), format!("/approvals?next={second}&done=approved"));
    assert_eq!(status(&house, first).await, Status::Offered);
    let page = house.get(&local, seen.to()).await;
    page.shows("Approved. It is on its way.").shows("autofocus").shows("carla").shows("go on");
}

#[tokio::test]
async fn a_no_needs_a_comment() {
    let house = house().await;
    let handoff = house.handed(asking("one")).await;
    let local = house.local();
    let seen = decide(&house, &local, handoff, &[("decision", "reject"), ("by", "carla")]).await;
    assert_eq!(seen.status, StatusCode::UNPROCESSABLE_ENTITY);
    seen.shows("comment is empty");
    let fields = [("decision", "reject"), ("by", "carla"), ("comment", "too dear")];
    assert_eq!(decide(&house, &local, handoff, &fields).await.status, StatusCode::SEE_OTHER);
    assert_eq!(status(&house, handoff).await, Status::Cancelled);
    house.get(&local, "/approvals").await.shows("too dear").shows("rejected");
    // Whoever reads the story of it reads why.
    house.get(&local, &format!("/handoffs/{handoff}")).await.shows("carla denied it: too dear");
}

#[tokio::test]
async fn what_a_rule_read_is_on_the_page() {
    let house = house().await;
    let mut policy = policy();
    let source = "has(handoff.payload.offers) && handoff.payload.offers[0].price > 6500";
    policy.approvals[0].when = serde_json::from_value(json!({ "expression": source })).unwrap();
    house.engine.set_policy(policy).unwrap();
    let mut request = delegation("planner", "buyer", "buy a jet");
    request.task.payload = json!({"offers": [{"price": 7200}], "client": "Ms Li", "seats": 8});
    let handoff = house.handed(request).await;
    let seen = house.get(&house.local(), "/approvals").await;
    seen.shows("<code>offers[0].price</code> is <b>7200</b>");
    seen.shows("<dt>client</dt><dd>Ms Li</dd>")
        .shows("<dt>offers</dt><dd>1 item</dd>")
        .shows("<dt>seats</dt><dd>8</dd>");
    // A time in a story is one that people can read.
    let story = house.get(&house.local(), &format!("/handoffs/{handoff}")).await;
    story.shows("ann is asked until <time").hides("is asked until 20");
}

#[tokio::test]
async fn long_texts_stay_where_they_belong() {
    let house = house().await;
    let long = "so many words that they are folded ".repeat(20);
    let mut request = asking(&long);
    request.reason = long.repeat(2);
    request.original_request = long.repeat(3);
    request.audit.decision_rationale = long.clone();
    let waits = house.handed(request.clone()).await;
    let task = house.handed(Request { needs_approval: false, to_agent: id("ann").into(), ..request.clone() }).await;
    let asked = house.handed(delegation("planner", "buyer", "read it")).await;
    let taken = house.engine.accept(asked, &id("buyer"), None, None).await.unwrap();
    house.engine.ask(asked, taken.lease, &long).await.unwrap();
    for page in ["/approvals", "/inbox", "/"]
        .map(str::to_owned)
        .into_iter()
        .chain([waits, task, asked].map(|id| format!("/handoffs/{id}")))
    {
        let seen = house.get(&house.local(), &page).await;
        assert_eq!(seen.status, StatusCode::OK, "{page}");
        seen.shows("so many words");
    }
}

#[tokio::test]
async fn a_page_without_any_says_that_there_are_younger_ones() {
    let house = house().await;
    house.engine.set_policy(policy()).unwrap();
    let mut theirs = delegation("planner", "buyer", "buy a jet");
    theirs.context.constraints.budget = Some(serde_json::from_value(json!({"tokens": 5000})).unwrap());
    house.handed(theirs).await;
    house.get(&house.local(), "/approvals?who=bob").await.shows("Nothing waits for bob").hides("younger ones");
}

#[tokio::test]
async fn it_is_edited_with_a_yes_or_without() {
    let house = house().await;
    let local = house.local();
    let task = |to: &'static str, payload: &'static str| {
        [("to_agent", to), ("description", "buy one jet"), ("payload", payload), ("priority", "high"), ("by", "carla")]
    };
    let changed = house.handed(asking("buy jets")).await;
    let fields = [&task("clerk", "{\"n\": 1}")[..], &[("decision", "amend")]].concat();
    let seen = decide(&house, &local, changed, &fields).await;
    assert_eq!(seen.to(), format!("/approvals?next={changed}&done=edited"), "{}", seen.text);
    let handoff = house.engine.handoff(changed).await.unwrap();
    assert_eq!(handoff.status(), Status::AwaitingApproval);
    assert_eq!(handoff.to_agent, id("clerk"));
    let edit = handoff.edit.unwrap();
    assert_eq!(edit.payload, Some(json!({"n": 1})));
    assert_eq!(edit.priority, Some(Priority::High));
    // The same again changes nothing more, and decides it.
    let fields = [&task("clerk", "{\"n\": 1}")[..], &[("decision", "edit")]].concat();
    let seen = decide(&house, &local, changed, &fields).await;
    assert_eq!(seen.status, StatusCode::SEE_OTHER, "{}", seen.text);
    let handoff = house.engine.handoff(changed).await.unwrap();
    assert_eq!((handoff.status(), handoff.request.task.description.as_str()), (Status::Offered, "buy one jet"));
    let broken = house.handed(asking("buy ships")).await;
    let fields = [&task("clerk", "{n: 1}")[..], &[("decision", "edit")]].concat();
    let seen = decide(&house, &local, broken, &fields).await;
    assert_eq!(seen.status, StatusCode::UNPROCESSABLE_ENTITY);
    seen.shows("the data is no JSON");
    assert_eq!(status(&house, broken).await, Status::AwaitingApproval);
}

#[tokio::test]
async fn only_what_is_edited_has_its_data_in_a_form() {
    let house = house().await;
    let mut request = asking("large");
    request.task.payload = json!({"text": "x".repeat(100_000), "to_its_end": {"deep": "the end of it"}});
    let large = house.handed(request).await;
    let small = house.handed(asking("small")).await;
    let local = house.local();
    let seen = house.get(&local, "/approvals?who=").await;
    seen.hides("the end of it").hides("<textarea class=\"code\"").shows("Cut here");
    seen.shows(&format!("href=\"?edit={large}\" data-press=\"e\"")).shows(&format!("href=\"?edit={small}\""));
    assert!(seen.text.len() < 60_000, "{}", seen.text.len());
    let seen = house.get(&local, &format!("/approvals?edit={large}")).await;
    seen.shows("the end of it").shows("Approve with these changes").shows(&format!("id=\"edit-{large}\" open"));
    assert_eq!(seen.text.matches("<textarea class=\"code\"").count(), 1);
    house.get(&local, "/approvals?edit=%22%3E%3Cscript%3Ealert").await.hides("<script>alert");
}

#[tokio::test]
async fn what_was_changed_since_it_was_seen_is_not_decided() {
    let house = house().await;
    let local = house.local();
    for decision in ["approve", "reject", "edit", "amend"] {
        let handoff = house.handed(asking(decision)).await;
        let old = digest(&house.get(&local, "/approvals").await, handoff);
        let edit = Edit { description: Some(format!("{decision} more")), ..Edit::default() };
        house.engine.amend(handoff, "carla", edit).await.unwrap();
        let fields = [
            ("decision", decision),
            ("digest", &old),
            ("by", "carla"),
            ("comment", "so"),
            ("to_agent", "clerk"),
            ("description", "x"),
        ];
        let seen = house.act(&local, "/approvals", &format!("/approvals/{handoff}"), &fields).await;
        assert_eq!(seen.status, StatusCode::CONFLICT, "{decision}: {}", seen.text);
        seen.shows("changed since");
        assert_eq!(status(&house, handoff).await, Status::AwaitingApproval, "{decision}");
    }
}

#[tokio::test]
async fn each_is_offered_what_they_may() {
    let house = house().await;
    house.handed(asking("anybody's")).await;
    house.engine.set_policy(policy()).unwrap();
    let mut request = delegation("planner", "buyer", "named");
    request.context.constraints.budget = Some(serde_json::from_value(json!({"tokens": 5000})).unwrap());
    house.handed(request).await;
    let forms = |seen: &Seen| seen.text.matches("value=\"approve\"").count();
    let cases = [
        (house.local(), 2, ""),
        (house.signed_in(Role::Operator).await, 2, ""),
        (house.signed_in(Role::Viewer).await, 0, "Your role is viewer"),
        (house.bound(Role::Agent, &["planner"]).await, 0, "ann may decide it, and you do not speak for them"),
        (house.bound(Role::Operator, &["planner"]).await, 0, "You asked for this or would get it"),
        (house.bound(Role::Operator, &["ann"]).await, 2, ""),
    ];
    for (i, (browser, expected, why)) in cases.iter().enumerate() {
        let seen = house.get(browser, "/approvals").await;
        assert_eq!(forms(&seen), *expected, "case {i}: {}", seen.text);
        seen.shows(why).shows("named");
    }
    let ann = house.bound(Role::Operator, &["ann"]).await;
    assert_eq!(house.get(&ann, "/approvals?who=bob").await.status, StatusCode::FORBIDDEN);
    let seen = house.get(&house.local(), "/approvals?who=clerk").await;
    assert_eq!(forms(&seen), 1, "what clerk may decide");
}

#[tokio::test]
async fn nobody_decides_in_the_name_of_another_unseen() {
    let house = house().await;
    house.engine.set_policy(policy()).unwrap();
    let mut request = delegation("planner", "buyer", "named");
    request.context.constraints.budget = Some(serde_json::from_value(json!({"tokens": 5000})).unwrap());
    let handoff = house.handed(request).await;
    let (other, own) = ("You decide in the name of", "You decide as");
    let hidden = "type=\"hidden\" name=\"by\"";
    let (olga, ann) = (house.signed_in(Role::Operator).await, house.bound(Role::Operator, &["ann"]).await);
    house.get(&ann, "/approvals").await.shows("You decide as <b>ann</b>").hides(other);
    let seen = house.get(&olga, "/approvals").await;
    seen.shows(other).shows("<option value=\"ann\">ann</option>").hides(own).hides(hidden);
    let fields = [("decision", "approve"), ("comment", "so")];
    let refused = decide(&house, &olga, handoff, &fields).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "a name that is not given is one's own: {}", refused.text);
    let seen = decide(&house, &olga, handoff, &[&fields[..], &[("by", "ann")]].concat()).await;
    assert_eq!(seen.status, StatusCode::SEE_OTHER, "{}", seen.text);
    house.get(&olga, "/approvals").await.shows("ann <small class=\"soft\">through operator (");
    // Whoever is asked by the name of their key is asked in person.
    let mut again = delegation("planner", "buyer", "named again");
    again.context.constraints.budget = Some(serde_json::from_value(json!({"tokens": 6000})).unwrap());
    let again = house.handed(again).await;
    let (_, key) = house.engine.make_key(NewKey::of("ann", Role::Operator)).await.unwrap();
    let unbound = house.with_key(&key).await;
    house.get(&unbound, "/approvals").await.shows("You decide as <b>ann</b>").hides(other);
    decide(&house, &unbound, again, &[("decision", "approve"), ("by", "ann")]).await;
    // Where nobody is named it is one's own, whatever the list is narrowed to.
    house.handed(asking("anybody's")).await;
    for page in ["/approvals", "/approvals?who=carla"] {
        house.get(&olga, page).await.shows("You decide as <b>operator (").hides(other);
    }
}

#[tokio::test]
async fn a_viewer_who_tries_all_the_same_is_refused() {
    let house = house().await;
    let handoff = house.handed(asking("one")).await;
    let digest = digest(&house.get(&house.local(), "/approvals").await, handoff);
    let viewer = house.signed_in(Role::Viewer).await;
    for decision in ["approve", "reject", "amend", "edit"] {
        let fields = [
            ("decision", decision),
            ("digest", digest.as_str()),
            ("comment", "so"),
            ("to_agent", "clerk"),
            ("description", "x"),
        ];
        let seen = house.act(&viewer, "/approvals", &format!("/approvals/{handoff}"), &fields).await;
        assert_eq!(seen.status, StatusCode::FORBIDDEN, "{decision}: {}", seen.text);
        seen.shows("this needs");
    }
    assert_eq!(status(&house, handoff).await, Status::AwaitingApproval);
    let unsigned = house.post(&house.local(), &format!("/approvals/{handoff}"), &[("decision", "approve")]).await;
    assert_eq!(unsigned.status, StatusCode::FORBIDDEN);
    unsigned.shows("HO1107");
}

#[tokio::test]
async fn hostile_texts_are_texts() {
    let house = house().await;
    let mut request = asking(HOSTILE);
    request.reason = format!("why {HOSTILE}");
    request.task.payload = json!({"html": HOSTILE});
    request.audit.decision_rationale = HOSTILE.into();
    request.context.variables.insert("note".into(), json!(HOSTILE));
    request.context.completed_work = json!(HOSTILE);
    house.engine.say(&session("s"), said(HOSTILE)).await.unwrap();
    let handoff = house.handed(request).await;
    is_tame(&house.get(&house.local(), "/approvals").await);
    house.get(&house.local(), "/approvals?who=%3Cscript%3Ealert").await.hides("<script>alert");
    let fields = [("decision", "reject"), ("by", HOSTILE), ("comment", HOSTILE)];
    assert_eq!(decide(&house, &house.local(), handoff, &fields).await.status, StatusCode::SEE_OTHER);
    is_tame(&house.get(&house.local(), "/approvals").await);
}
