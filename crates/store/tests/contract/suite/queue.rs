//! What has to happen next is found, in order and once.

use super::whole::check;
use crate::{
    Open,
    house::{House, agent, delegation, profile},
};
use handover_core::{
    agent::Standing,
    command::Command,
    event::Event,
    handoff::{Kind, Priority, Request},
};
use handover_store::{AgentRow, StoreError};
use std::sync::Arc;

pub async fn a_return_is_taken_once(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let id = house.open("one").await;
    let first = house.whole(&id, "ann", "bob").await;
    let second = house.whole(&id, "ann", "cleo").await;
    let waiting = house.store.waiting_returns(&agent("ann"), 10).await.unwrap();
    assert_eq!(waiting.iter().map(|r| r.of).collect::<Vec<_>>(), vec![first.0, second.0], "oldest first");
    assert_eq!(house.store.waiting_returns(&agent("ann"), 1).await.unwrap().len(), 1);
    assert_eq!(house.store.waiting_returns(&agent("bob"), 10).await.unwrap(), vec![]);
    let found = house.store.waiting_return(first.0).await.unwrap().unwrap();
    assert_eq!((found.to, found.session), (agent("ann"), id.clone()));
    let record = house.records.values().find(|r| r.0 == id && r.1 == found.seq).unwrap();
    assert!(record.3.contains(r#""said":"done""#), "the record that it names has the result");

    let take = Command::Take { of: first.0, by: agent("ann") };
    let decided = house.decide(&id, take.clone()).unwrap();
    house.run(&id, take).await.unwrap();
    assert_eq!(house.store.waiting_return(first.0).await.unwrap(), None);
    // Decided on a version that is right, but on a return that is gone: too late all the same.
    let mut late = house.commit_of(&id, &decided, None);
    late.session.expected_version = house.sessions[&id].version;
    late.session.version = late.session.expected_version + 1;
    late.records[0].seq = house.sessions[&id].head.seq + 1;
    assert!(matches!(house.store.commit(late).await, Err(StoreError::Conflict)));
    check(&house).await;
}

pub async fn due_comes_in_order(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    assert_eq!(house.store.next_due().await.unwrap(), None);
    let id = house.open("one").await;
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(house.initiate(&id, delegation("ann", "bob")).await);
        house.wait(1_000);
    }
    let due: Vec<_> = made.iter().map(|id| house.handoffs[id].due().unwrap()).collect();
    assert!(due.is_sorted() && due[0] < due[2]);
    assert_eq!(house.store.next_due().await.unwrap(), Some(due[0]));
    let at = house.store.due(due[1], 10).await.unwrap();
    assert_eq!(at.iter().map(|d| (d.handoff, d.at)).collect::<Vec<_>>(), [(made[0], due[0]), (made[1], due[1])]);
    assert!(at.iter().all(|d| d.session == id));
    assert_eq!(house.store.due(due[2], 1).await.unwrap().len(), 1);
    let lease = house.accept(&id, made[0], "bob").await;
    house.give(&id, made[0], lease).await;
    assert_eq!(house.store.next_due().await.unwrap(), Some(due[1]), "a closed one is not due");
}

pub async fn offers_go_by_level_then_age(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let id = house.open("one").await;
    let mut made = Vec::new();
    for priority in [Priority::Low, Priority::Normal, Priority::Urgent, Priority::Normal, Priority::Urgent] {
        let mut request = delegation("ann", "bob");
        request.task.priority = priority;
        made.push(house.initiate(&id, request).await);
        house.wait(10);
    }
    house.initiate(&id, delegation("ann", "cleo")).await;
    let offers = house.store.offers(&agent("bob"), 10).await.unwrap();
    let order: Vec<_> = offers.iter().map(|offer| offer.handoff).collect();
    assert_eq!(order, [made[2], made[4], made[1], made[3], made[0]]);
    assert_eq!(offers.iter().map(|offer| offer.level).collect::<Vec<_>>(), [1, 1, 5, 5, 10]);
    assert!(offers.iter().all(|offer| offer.session == id && offer.to == agent("bob")));
    assert_eq!(offers[0].since, house.handoffs[&made[2]].opened_at);
    assert_eq!(house.store.offers(&agent("bob"), 2).await.unwrap().len(), 2);
    house.accept(&id, made[2], "bob").await;
    house.run(&id, Command::Cancel { handoff: made[4], by: "ann".into(), reason: "no".into() }).await.unwrap();
    let order: Vec<_> = house.store.offers(&agent("bob"), 10).await.unwrap().iter().map(|o| o.handoff).collect();
    assert_eq!(order, [made[1], made[3], made[0]]);
}

pub async fn running_work_is_found(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let id = house.open("one").await;
    let outside = house.initiate(&id, delegation("ann", "bob")).await;
    house.accept(&id, outside, "bob").await;
    let inside = house.initiate(&id, delegation("ann", "cleo")).await;
    let accept = Command::Accept {
        handoff: inside,
        by: agent("cleo"),
        lease_ms: None,
        in_process: true,
        estimated_completion: None,
        manifest: None,
    };
    house.run(&id, accept).await.unwrap();
    house.initiate(&id, delegation("ann", "dan")).await;
    house.whole(&id, "ann", "eve").await;
    let mut running = house.store.running().await.unwrap();
    running.sort_by_key(|found| found.handoff);
    let seen: Vec<_> = running.iter().map(|r| (r.handoff, r.by.as_str(), r.in_process)).collect();
    let mut expected = vec![(outside, "bob", false), (inside, "cleo", true)];
    expected.sort_by_key(|found| found.0);
    assert_eq!(seen, expected);
}

pub async fn sessions_that_go_on_are_found(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let (two, one, over) = (house.open("two").await, house.open("one").await, house.open("over").await);
    house.open("idle").await;
    house.initiate(&two, delegation("ann", "bob")).await;
    house.initiate(&two, delegation("ann", "cleo")).await;
    let taken = house.initiate(&one, delegation("ann", "bob")).await;
    house.accept(&one, taken, "bob").await;
    house.whole(&over, "ann", "eve").await;
    assert_eq!(house.store.open_sessions().await.unwrap(), [one, two]);
}

pub async fn agents_come_and_go(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let mut bob = profile("bob");
    bob.description = "does it".into();
    let row = |profile: &handover_core::agent::Profile, standing| AgentRow {
        id: profile.id.clone(),
        entry: Some((Arc::new(profile.clone()), standing)),
    };
    let registered =
        |profile: &handover_core::agent::Profile| Event::AgentRegistered { profile: Arc::new(profile.clone()) };
    house.note(vec![registered(&bob)], vec![row(&bob, Standing::Available)]).await;
    house.note(vec![registered(&profile("ann"))], vec![row(&profile("ann"), Standing::Available)]).await;
    house.note(vec![registered(&bob)], vec![row(&bob, Standing::Draining)]).await;
    let all = house.store.agents().await.unwrap();
    assert_eq!(all, vec![(profile("ann"), Standing::Available), (bob.clone(), Standing::Draining)]);
    house.note(vec![Event::AgentRemoved { agent: bob.id.clone() }], vec![AgentRow { id: bob.id, entry: None }]).await;
    assert_eq!(house.store.agents().await.unwrap(), vec![(profile("ann"), Standing::Available)]);
    assert_eq!(house.store.stats("default").await.unwrap().sessions, 0, "the book is nobody's session");
    check(&house).await;
}

pub async fn counts_follow_the_handoffs(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let (one, two) = (house.open("one").await, house.open("two").await);
    house.whole(&one, "ann", "bob").await;
    house.whole(&one, "ann", "bob").await;
    house.initiate(&one, delegation("ann", "cleo")).await;
    house.initiate(&two, delegation("ann", "cleo")).await;
    let (ann, bob, cleo) = (agent("ann"), agent("bob"), agent("cleo"));
    let store = house.store.clone();
    assert_eq!(store.count(&one, None, None).await.unwrap(), 3);
    assert_eq!(store.count(&one, Some(&ann), None).await.unwrap(), 3);
    assert_eq!(store.count(&one, Some(&bob), None).await.unwrap(), 0);
    assert_eq!(store.count(&one, None, Some(&bob)).await.unwrap(), 2);
    assert_eq!(store.count(&one, Some(&ann), Some(&cleo)).await.unwrap(), 1);
    assert_eq!(store.count(&crate::house::session("nobody"), None, None).await.unwrap(), 0);

    // Somebody else has it after a rejection: received moves.
    let mut request = Request::new(Kind::Delegation, agent("ann"), "find somebody");
    request.candidates = vec![bob.clone(), cleo.clone()];
    request.return_protocol.timeout_ms = Some(60_000);
    let routed = house.initiate(&one, request).await;
    let first = house.handoffs[&routed].to_agent.clone();
    house.run(&one, Command::Reject { handoff: routed, by: first.clone(), reason: "no".into() }).await.unwrap();
    let second = house.handoffs[&routed].to_agent.clone();
    assert_ne!(first, second);
    check(&house).await;
    let before = if first == bob { 2 } else { 1 };
    assert_eq!(store.count(&one, None, Some(&first)).await.unwrap(), before);
    assert_eq!(store.count(&one, None, None).await.unwrap(), 4);
    let stats = store.stats("default").await.unwrap();
    assert_eq!((stats.total_handoffs, stats.pending_handoffs, stats.sessions), (5, 3, 2));
    assert_eq!(store.stats("nobody").await.unwrap(), handover_store::Stats::default());
}
