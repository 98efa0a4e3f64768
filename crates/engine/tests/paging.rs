//! Pages of what is long: the audit trail in both directions, with a bound on how much is looked at, and what waits for a yes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, delegation, id, one_done, session, tenant, workers};
use handover_core::{
    command::{Caller, Open},
    handoff::Request,
    ids::HandoffId,
    policy::{ApprovalRule, Approver, OnExpiry, When},
    refusal::Code,
    time::Timestamp,
};
use handover_engine::{Engine, RecordQuery};
use std::time::Duration;

/// Two sessions, one after the other in time, with a rejection at the very beginning.
async fn history(house: &House) -> Engine {
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "crew"]).await;
    engine.open_session(&session("t"), Open::by("crew").unwrap()).await.unwrap();
    let first = engine.initiate(&session("t"), delegation("crew", "pilot")).await.unwrap().handoffs[0];
    engine.reject(first, &id("pilot"), "busy").await.unwrap();
    for _ in 0..4 {
        one_done(&engine, "s", "planner", "pilot").await;
    }
    house.clock.advance(Duration::from_secs(3_600));
    one_done(&engine, "t", "crew", "pilot").await;
    engine
}

/// Every position that a search comes to, page by page, and in how many pages.
async fn walk(engine: &Engine, query: &RecordQuery, look: u64) -> (Vec<u64>, usize) {
    let (mut query, mut all, mut pages) = (query.clone(), Vec::new(), 0);
    loop {
        let (found, next) = engine.audit_page(query.clone(), look).await.unwrap();
        all.extend(found.iter().map(|record| record.position));
        pages += 1;
        assert!(pages < 100, "it does not end: {query:?}");
        let Some(next) = next else { return (all, pages) };
        *(if query.latest_first { &mut query.before } else { &mut query.after }) = next;
    }
}

#[tokio::test]
async fn a_search_comes_to_the_same_in_both_directions_however_little_it_looks_at() {
    let house = House::new();
    let engine = history(&house).await;
    let later = Timestamp(common::START.0 + 3_600_000);
    let base = RecordQuery { limit: 3, ..RecordQuery::default() };
    let queries = [
        base.clone(),
        RecordQuery { event_type: Some("rejected".into()), ..base.clone() },
        RecordQuery { event_type: Some("nothing".into()), ..base.clone() },
        RecordQuery { from: Some(id("crew")), ..base.clone() },
        RecordQuery { since: Some(later), ..base.clone() },
        RecordQuery { until: Some(later), ..base.clone() },
        RecordQuery { until: Some(later), event_type: Some("initiated".into()), ..base.clone() },
        RecordQuery { since: Some(later + 86_400_000), ..base.clone() },
        RecordQuery { session: Some(session("t")), ..base.clone() },
    ];
    let part = engine.for_caller(Caller::of_agent(id("crew"), "default"));
    for query in queries {
        for engine in [&engine, &part, &tenant(&engine, "other")] {
            let whole = RecordQuery { limit: 1_000, ..query.clone() };
            let expected: Vec<u64> = engine.audit(whole).await.unwrap().iter().map(|record| record.position).collect();
            for look in [1, 2, 5, 1_000] {
                let forward = walk(engine, &query, look).await.0;
                assert_eq!(forward, expected, "{query:?}, {look} at a time");
                let backward = RecordQuery { latest_first: true, ..query.clone() };
                let mut found = walk(engine, &backward, look).await.0;
                found.reverse();
                assert_eq!(found, expected, "{query:?}, the latest first, {look} at a time");
            }
        }
    }
}

#[tokio::test]
async fn what_is_rare_is_looked_for_in_parts_and_a_time_says_where_to_begin() {
    let house = House::new();
    let engine = history(&house).await;
    let later = Timestamp(common::START.0 + 3_600_000);
    let rare =
        RecordQuery { event_type: Some("rejected".into()), latest_first: true, limit: 3, ..RecordQuery::default() };
    let (found, next) = engine.audit_page(rare.clone(), 4).await.unwrap();
    assert!(found.is_empty() && next.is_some(), "it was not among the latest four");
    let (_, pages) = walk(&engine, &rare, 1).await;
    let (_, fewer) = walk(&engine, &RecordQuery { until: Some(later), ..rare.clone() }, 1).await;
    assert!(fewer < pages, "{fewer} of {pages}: what is after the time is not looked at");
    let (_, one) = walk(&engine, &RecordQuery { since: Some(later), ..rare }, 4).await;
    assert_eq!(one, 1, "what is before the time is not looked at");
}

#[tokio::test]
async fn the_book_of_the_house_is_paged_too() {
    let house = House::new();
    let engine = history(&house).await;
    let all = engine.house_book(0, 1_000).await.unwrap();
    let query = RecordQuery { latest_first: true, limit: 1_000, ..RecordQuery::default() };
    let mut back = engine.house_page(query.clone()).await.unwrap();
    back.reverse();
    assert_eq!(back, all);
    // Whatever else is asked, it is this book.
    let other = RecordQuery { session: Some(session("s")), handoff: None, from: Some(id("crew")), ..query };
    assert_eq!(engine.house_page(other).await.unwrap().len(), all.len());
    let stranger = tenant(&engine, "other").house_page(RecordQuery::default()).await.unwrap_err();
    assert_eq!(stranger.code(), Code::NotAllowed);
}

fn asking() -> Request {
    Request { needs_approval: true, ..delegation("planner", "pilot") }
}

#[tokio::test]
async fn what_waits_for_a_yes_comes_in_pages() {
    let mut house = House::new();
    let when = When { to: vec![id("crew")], ..When::default() };
    let approvers = vec![Approver { who: "ann".into(), within_ms: None }];
    house.policy.approvals = vec![ApprovalRule { name: "crews".into(), when, approvers, on_expiry: OnExpiry::Deny }];
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "crew"]).await;
    let mut all = Vec::new();
    for n in 0..5 {
        let name = session(&format!("s{n}"));
        engine.open_session(&name, Open::by("planner").unwrap()).await.unwrap();
        let request = if n % 2 == 0 { delegation("planner", "crew") } else { asking() };
        all.push(engine.initiate(&name, request).await.unwrap().handoffs[0]);
    }
    let for_bob = [all[1], all[3]];
    for (who, expected) in [(None, &all[..]), (Some("ann"), &all[..]), (Some("bob"), &for_bob[..])] {
        let (mut found, mut after): (Vec<HandoffId>, u64) = (Vec::new(), 0);
        loop {
            let (page, next) = engine.approvals_page(who, after, 2).await.unwrap();
            assert!(page.len() <= 2);
            found.extend(page.iter().map(|one| one.handoff.id));
            let Some(next) = next else { break };
            after = next;
        }
        assert_eq!(found, expected, "{who:?}");
    }
    assert_eq!(engine.approval_rule("crews").unwrap().approvers[0].who, "ann");
    let bound = engine.for_caller(Caller::new("key", "default").acting_as([id("pilot")]));
    assert_eq!(bound.approvals_page(Some("ann"), 0, 2).await.unwrap_err().code(), Code::NotYourAgent);
}
