//! What was committed comes back, to the last field, also after a restart.

use crate::{
    Open,
    dice::Dice,
    house::{House, agent, delegation},
    programs,
};
use handover_core::{command::Command, glance::Glance, handoff::Status, record::Record};
use handover_store::{HandoffQuery, RecordQuery, Store, StoreError};
use std::collections::BTreeMap;

/// Everything that the house remembers is in the store, and equal.
pub async fn check(house: &House) {
    let store = &house.store;
    for (id, session) in &house.sessions {
        assert_eq!(store.session(id).await.unwrap().as_ref(), Some(session), "session {id}");
        let said = &house.messages[id];
        assert_eq!(store.messages(id, 1, u64::MAX).await.unwrap(), *said);
        let query = HandoffQuery { session: Some(id.clone()), limit: 1_000, ..HandoffQuery::default() };
        let history = store.handoffs(&query).await.unwrap();
        let mut expected: Vec<_> = house.handoffs.values().filter(|h| h.session_id == *id).collect();
        expected.sort_by_key(|h| h.n);
        assert_eq!(history.iter().collect::<Vec<_>>(), expected.iter().map(|h| &***h).collect::<Vec<_>>());
        assert_eq!(store.count(id, None, None).await.unwrap(), expected.len() as u64);
        let ends = store.chain(id).await.unwrap().unwrap();
        assert_eq!(ends.head, (session.head.seq, session.head.hash));
    }
    let ids: Vec<_> = house.sessions.keys().rev().cloned().collect();
    let expected: Vec<_> = house.sessions.values().rev().map(Glance::of).collect();
    let unknown = handover_core::ids::SessionId::new("nobody-opened-it").unwrap();
    let asked: Vec<_> = ids.iter().chain([&unknown]).cloned().collect();
    assert_eq!(store.glances(&asked).await.unwrap(), expected);
    for (id, handoff) in &house.handoffs {
        assert_eq!(store.handoff(*id).await.unwrap().as_ref(), Some(&**handoff));
        let waits = house.waiting.get(&id.0);
        assert_eq!(store.waiting_return(id.0).await.unwrap().map(|found| found.to).as_ref(), waits);
    }
    let records = all_records(&**store).await;
    assert_eq!(records, house.records);
    check_stats(house).await;
    let due = house.handoffs.values().filter_map(|h| h.due()).min();
    assert_eq!(store.next_due().await.unwrap(), due);
}

/// Every record by position, read page by page.
pub async fn all_records(
    store: &dyn Store,
) -> BTreeMap<u64, (handover_core::ids::SessionId, u64, handover_core::digest::Digest, String)> {
    let mut found = BTreeMap::new();
    let mut after = 0;
    loop {
        let page = store.records(&RecordQuery { after, limit: 7, ..RecordQuery::default() }).await.unwrap();
        let Some(last) = page.last() else { return found };
        assert!(page.iter().is_sorted_by_key(|record| record.position));
        after = last.position;
        for record in page {
            let row = (record.session_id, record.seq, record.hash, record.text.to_string());
            assert!(found.insert(record.position, row).is_none());
        }
    }
}

async fn check_stats(house: &House) {
    let stats = house.store.stats("default").await.unwrap();
    assert_eq!(stats.total_handoffs, house.handoffs.len() as u64);
    for status in Status::ALL {
        let expected = house.handoffs.values().filter(|h| h.status() == status).count() as u64;
        assert_eq!(stats.by_status.get(status.word()).copied().unwrap_or(0), expected, "{status:?}");
    }
    for (name, counted) in &stats.handoffs_by_agent {
        let sent = house.handoffs.values().filter(|h| h.request.from_agent.as_str() == name).count() as u64;
        let received = house.handoffs.values().filter(|h| h.to_agent.as_str() == name).count() as u64;
        assert_eq!((counted.sent, counted.received), (sent, received), "{name}");
    }
    let sent: u64 = stats.handoffs_by_agent.values().map(|counted| counted.sent).sum();
    assert_eq!(sent, stats.total_handoffs);
    let tenants: Vec<_> = house.sessions.values().filter(|s| s.tenant == "default").collect();
    assert_eq!(stats.sessions, tenants.len() as u64);
    assert_eq!(stats.records, tenants.iter().map(|s| s.head.seq).sum::<u64>());
}

pub async fn everything_comes_back_equal(open: Open) {
    let mut accepted = 0;
    let mut seen = std::collections::BTreeSet::new();
    for seed in 1..=6 {
        let folder = tempfile::tempdir().unwrap();
        let mut house = House::on(open(folder.path(), None));
        let mut dice = Dice::new(seed);
        let ids = [house.open("one").await, house.open("two").await];
        for _ in 0..120 {
            let id = dice.pick(&ids).unwrap().clone();
            accepted += u64::from(programs::step(&mut house, &id, &mut dice).await);
        }
        check(&house).await;
        let records = house.records.values().map(|record| serde_json::from_str::<Record>(&record.3).unwrap());
        seen.extend(records.map(|record| record.event_type));
    }
    for word in ["artifact_kept", "locked", "unlocked", "decision_made", "variables_set", "messages_appended"] {
        assert!(seen.contains(word), "no program had {word}");
    }
    for word in
        ["initiated", "accepted", "completed", "rerouted", "escalated", "cancelled", "return_taken", "lease_lost"]
    {
        assert!(seen.contains(word), "no program had {word}");
    }
    for word in ["group_opened", "group_decided", "amended", "approval_requested", "approved", "deferred", "heartbeat"]
    {
        assert!(seen.contains(word), "no program had {word}");
    }
    assert!(accepted > 300, "only {accepted} commands were accepted: the programs test too little");
}

pub async fn a_reopened_store_has_everything(open: Open) {
    for closes in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let mut house = House::on(open(folder.path(), None));
        let mut dice = Dice::new(99);
        let id = house.open("one").await;
        for _ in 0..4 {
            for _ in 0..30 {
                programs::step(&mut house, &id, &mut dice).await;
            }
            if closes {
                house.store.close().await.unwrap();
            }
            house = house.reopened(|| open(folder.path(), None));
            check(&house).await;
        }
    }
}

pub async fn a_stale_version_is_a_conflict_and_leaves_no_trace(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let id = house.open("one").await;
    let first = house.decide(&id, Command::Initiate(Box::new(delegation("ann", "bob")))).unwrap();
    let stale = house.decide(&id, Command::Initiate(Box::new(delegation("ann", "cleo")))).unwrap();
    let (first_commit, stale_commit) = (house.commit_of(&id, &first, None), house.commit_of(&id, &stale, None));
    let positions = house.store.commit(first_commit).await.unwrap();
    let refused = house.store.commit(stale_commit.clone()).await;
    assert!(matches!(refused, Err(StoreError::Conflict)), "{refused:?}");
    house.remember(&id, &first, &positions);
    check(&house).await;

    let mut ahead = stale_commit.clone();
    ahead.session.expected_version = 77;
    assert!(matches!(house.store.commit(ahead).await, Err(StoreError::Conflict)));
    let mut again = stale_commit;
    again.session.expected_version = 0;
    assert!(matches!(house.store.commit(again.clone()).await, Err(StoreError::Conflict)), "it exists already");
    again.session.id = crate::house::session("other");
    again.session.expected_version = 3;
    assert!(matches!(house.store.commit(again).await, Err(StoreError::Conflict)), "it does not exist");
    check(&house).await;
    assert_eq!(house.store.stopped(), None);
}

pub async fn one_bad_commit_does_not_harm_its_neighbours(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let mut commits = Vec::new();
    for name in ["one", "two", "three", "four", "five"] {
        let id = house.open(name).await;
        let decided = house.decide(&id, Command::Initiate(Box::new(delegation("ann", "bob")))).unwrap();
        let commit = house.commit_of(&id, &decided, None);
        commits.push((id, decided, commit));
    }
    // The third writes a record that is there already, after it has changed its session.
    commits[2].2.records[0].seq = 1;
    let store = house.store.clone();
    let (a, b, c, d, e) = tokio::join!(
        store.commit(commits[0].2.clone()),
        store.commit(commits[1].2.clone()),
        store.commit(commits[2].2.clone()),
        store.commit(commits[3].2.clone()),
        store.commit(commits[4].2.clone()),
    );
    assert!(matches!(c, Err(StoreError::Failed(_))), "{c:?}");
    for ((id, decided, _), written) in commits.iter().zip([a, b, c, d, e]) {
        if let Ok(positions) = written {
            house.remember(id, decided, &positions);
        }
    }
    assert_eq!(house.handoffs.len(), 4);
    assert_eq!(house.store.stopped(), None);
    check(&house).await;
    let id = crate::house::session("three");
    house.initiate(&id, delegation("ann", "cleo")).await;
    check(&house).await;
}

pub async fn a_closed_store_says_so(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let id = house.open("one").await;
    let decided = house.decide(&id, Command::Initiate(Box::new(delegation("ann", "bob")))).unwrap();
    let commit = house.commit_of(&id, &decided, None);
    house.store.close().await.unwrap();
    house.store.close().await.unwrap();
    assert!(matches!(house.store.commit(commit).await, Err(StoreError::Closed)));
    assert!(matches!(house.store.session(&id).await, Err(StoreError::Closed)));
    assert!(matches!(house.store.stats("default").await, Err(StoreError::Closed)));
    assert!(matches!(house.store.waiting_returns(&agent("ann"), 1).await, Err(StoreError::Closed)));
    assert_eq!(house.store.stopped(), None);
}
