//! Callers for whom not all sessions of their tenant exist: bound to sessions, or agents.

use crate::{
    common::{House, delegation, id, session, success, user, workers},
    handed_over, heard, heard_in, of_agent, of_role,
};
use handover_core::{
    access::Role,
    command::{Caller, Open},
    handoff::Request,
    policy::{ApprovalRule, Approver, OnExpiry, When},
    refusal::Code,
};
use handover_engine::{Engine, Filter, HandoffQuery, StatsQuery};
use handover_store::RecordQuery;

/// What a caller sees of sessions, in every list.
async fn seen(by: &Engine) -> Vec<Vec<String>> {
    let handoffs = by.handoffs(HandoffQuery { limit: 99, ..HandoffQuery::default() }).await.unwrap();
    let records = by.audit(RecordQuery { limit: 999, ..RecordQuery::default() }).await.unwrap();
    let lists = [
        by.sessions(0, 99).await.unwrap().iter().map(ToString::to_string).collect::<Vec<_>>(),
        handoffs.iter().map(|handoff| handoff.session_id.to_string()).collect(),
        records.iter().map(|record| record.session_id.to_string()).collect(),
    ];
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names.dedup();
        names
    };
    lists.into_iter().map(sorted).collect()
}

#[tokio::test]
async fn for_an_agent_there_are_the_sessions_in_which_it_takes_part() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "clerk"]).await;
    handed_over(&engine, "mine", "planner", "pilot").await;
    let other = handed_over(&engine, "other", "planner", "clerk").await;
    let pilot = of_agent(&engine, "pilot");
    assert_eq!(seen(&pilot).await, [["mine"], ["mine"], ["mine"]]);
    assert_eq!(heard(&engine, &pilot, "mine").await, ["mine"]);
    let counts = pilot.stats().await.unwrap();
    assert_eq!((counts.sessions, counts.total_handoffs), (1, 1));
    let report = pilot.stats_of(StatsQuery::default()).await.unwrap();
    assert!(!report.handoffs_by_agent.contains_key("clerk"), "{report:?}");
    assert_eq!(pilot.handoff(other).await.unwrap_err().code(), Code::UnknownHandoff);
    assert!(pilot.handoffs_between(other, other, 9).await.unwrap().is_empty());
    for hidden in [
        pilot.session(&session("other")).await.map(drop),
        pilot.messages(&session("other"), 1, 1).await.map(drop),
        pilot.say(&session("other"), vec![user("hi")]).await.map(drop),
        pilot.set(&session("other"), &id("pilot"), Vec::new()).await.map(drop),
        pilot.get_handoff_history(&session("other")).await.map(drop),
    ] {
        assert_eq!(hidden.unwrap_err().code(), Code::UnknownSession);
    }
    // It hears of a session from the moment on in which it has a part there, also on a feed that is open.
    let mut feed = pilot.subscribe(Filter::default(), None);
    engine.say(&session("other"), vec![user("more")]).await.unwrap();
    assert_eq!(heard_in(&engine, &mut feed, "mine").await, ["mine"]);
    engine.initiate(&session("other"), delegation("planner", "pilot")).await.unwrap();
    assert_eq!(heard_in(&engine, &mut feed, "mine").await, ["mine", "other"]);
    assert_eq!(seen(&pilot).await[0], ["mine", "other"]);
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn whoever_took_part_still_sees_it_and_after_a_restart() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "clerk"]).await;
    engine.open_session(&session("rerouted"), Open::by("planner").unwrap()).await.unwrap();
    let either =
        Request { to_agent: None, candidates: vec![id("pilot"), id("clerk")], ..delegation("planner", "pilot") };
    let made = engine.initiate(&session("rerouted"), either).await.unwrap().handoffs[0];
    let first = engine.handoff(made).await.unwrap().to_agent;
    engine.reject(made, &first, "no").await.unwrap();
    let second = engine.handoff(made).await.unwrap().to_agent;
    assert_ne!(first, second);
    let lease = engine.accept(made, &second, None, None).await.unwrap().lease;
    engine.give_back(made, lease, success("a jet"), None).await.unwrap();
    let over = handed_over(&engine, "over", "planner", "pilot").await;
    let lease = engine.accept(over, &id("pilot"), None, None).await.unwrap().lease;
    engine.give_back(over, lease, success("a jet"), None).await.unwrap();
    engine.close().await.unwrap();
    let engine = house.open().await;
    for name in ["pilot", "clerk"] {
        assert!(of_agent(&engine, name).session(&session("rerouted")).await.is_ok(), "{name}");
        assert_eq!(of_agent(&engine, name).session(&session("over")).await.is_ok(), name == "pilot");
    }
    let opener = of_agent(&engine, "clerk");
    opener.open_session(&session("own"), Open::by("clerk").unwrap()).await.unwrap();
    assert!(opener.session(&session("own")).await.is_ok());
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn an_agent_approves_only_where_it_is_named() {
    let mut house = House::new();
    let approver = Approver { who: "clerk".into(), within_ms: None };
    house.policy.approvals = vec![ApprovalRule {
        name: "clerk says".into(),
        when: When { to: vec![id("pilot")], ..When::default() },
        approvers: vec![approver],
        on_expiry: OnExpiry::Deny,
    }];
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "clerk", "spare"]).await;
    let named = handed_over(&engine, "named", "planner", "pilot").await;
    engine.open_session(&session("open"), Open::by("planner").unwrap()).await.unwrap();
    let asking = Request { needs_approval: true, ..delegation("planner", "spare") };
    let anybody = engine.initiate(&session("open"), asking).await.unwrap().handoffs[0];
    let clerk = of_agent(&engine, "clerk");
    assert_eq!(clerk.approve(anybody, "clerk", "").await.unwrap_err().code(), Code::UnknownHandoff);
    let waiting = clerk.approvals(Some("clerk")).await.unwrap();
    assert_eq!(waiting.iter().map(|one| one.handoff.id).collect::<Vec<_>>(), [named]);
    let all = of_role(&engine, Role::Agent);
    assert_eq!(all.approve(anybody, "clerk", "").await.unwrap_err().code(), Code::NotAllowed);
    assert_eq!(all.deny(anybody, "clerk", "").await.unwrap_err().code(), Code::NotAllowed);
    assert_eq!(of_agent(&engine, "pilot").approve(named, "clerk", "").await.unwrap_err().code(), Code::NotYourAgent);
    clerk.approve(named, "clerk", "fine").await.unwrap();
}

#[tokio::test]
async fn for_a_caller_of_certain_sessions_there_are_no_others() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let mine = handed_over(&engine, "mine", "planner", "pilot").await;
    let other = handed_over(&engine, "other", "planner", "pilot").await;
    let caller = Caller::new("key", "default").role(Role::Operator);
    let bound = engine.for_caller(caller.within([session("mine"), session("later")]));
    assert_eq!(seen(&bound).await, [["mine"], ["mine"], ["mine"]]);
    assert_eq!(heard(&engine, &bound, "mine").await, ["mine"]);
    assert_eq!(bound.stats().await.unwrap().total_handoffs, 1);
    assert_eq!(bound.inbox(&id("pilot"), 9).await.unwrap().iter().map(|one| one.id).collect::<Vec<_>>(), [mine]);
    assert!(bound.approvals(None).await.unwrap().is_empty());
    for hidden in [
        bound.handoff(other).await.map(drop),
        bound.accept(other, &id("pilot"), None, None).await.map(drop),
        bound.cancel(other, &id("planner"), "x").await.map(drop),
    ] {
        assert_eq!(hidden.unwrap_err().code(), Code::UnknownHandoff);
    }
    for hidden in [
        bound.initiate(&session("other"), delegation("planner", "pilot")).await.map(drop),
        bound.open_session(&session("another"), Open::by("planner").unwrap()).await.map(drop),
        bound.open_session(&session("other"), Open::by("planner").unwrap()).await.map(drop),
    ] {
        assert_eq!(hidden.unwrap_err().code(), Code::UnknownSession);
    }
    bound.open_session(&session("later"), Open::by("planner").unwrap()).await.unwrap();
    bound.accept(mine, &id("pilot"), None, None).await.unwrap();
}

#[tokio::test]
async fn pages_are_full_though_others_lie_between() {
    let house = House::new();
    let engine = house.open_unsynced().await;
    workers(&engine, &["planner", "pilot", "clerk"]).await;
    for n in 0..12 {
        let to = if n % 3 == 0 { "pilot" } else { "clerk" };
        handed_over(&engine, &format!("n{n:02}"), "planner", to).await;
    }
    let pilot = of_agent(&engine, "pilot");
    let named = |found: Vec<handover_core::ids::SessionId>| found.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(named(pilot.sessions(1, 2).await.unwrap()), ["n06", "n03"]);
    for latest_first in [false, true] {
        let query = HandoffQuery { limit: 2, latest_first, ..HandoffQuery::default() };
        let found = pilot.handoffs(query).await.unwrap();
        let expected = if latest_first { ["n09", "n06"] } else { ["n00", "n03"] };
        assert_eq!(named(found.into_iter().map(|handoff| handoff.session_id).collect()), expected);
    }
    let all = engine.audit(RecordQuery { limit: 999, ..RecordQuery::default() }).await.unwrap();
    let own: Vec<u64> = all
        .iter()
        .filter(|record| ["n00", "n03", "n06", "n09"].contains(&record.session_id.as_str()))
        .map(|record| record.position)
        .collect();
    let mut query = RecordQuery { limit: 5, ..RecordQuery::default() };
    let mut read = Vec::new();
    loop {
        let page = pilot.audit(query.clone()).await.unwrap();
        read.extend(page.iter().map(|record| record.position));
        query.after = read.last().copied().unwrap_or(0);
        if page.len() < query.limit {
            break;
        }
    }
    assert_eq!(read, own);
}
