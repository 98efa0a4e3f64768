//! The order of commits: positions rise, nothing is skipped, listeners are not late.

use super::whole::{all_records, check};
use crate::{
    Heard, Open,
    house::{House, delegation, session},
};
use handover_core::command::Command;
use handover_store::RecordQuery;
use std::sync::Arc;

pub async fn positions_rise_without_a_gap(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    assert_eq!(house.store.last_position().await.unwrap().0, 0);
    let (one, two) = (house.open("one").await, house.open("two").await);
    for i in 0..20 {
        house.wait(1);
        let id = if i % 3 == 0 { &one } else { &two };
        house.whole(id, "ann", "bob").await;
    }
    let positions: Vec<u64> = house.records.keys().copied().collect();
    let expected: Vec<u64> = (1..=positions.len() as u64).collect();
    assert_eq!(positions, expected);
    let (last, at) = house.store.last_position().await.unwrap();
    assert_eq!((last, at), (positions.len() as u64, house.now));
    let query = RecordQuery { after: last - 2, limit: 100, ..RecordQuery::default() };
    let rest = house.store.records(&query).await.unwrap();
    assert_eq!(rest.iter().map(|r| r.position).collect::<Vec<_>>(), vec![last - 1, last]);
}

pub async fn the_listener_hears_before_the_answer(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let mut house = House::on(open(folder.path(), Some(heard.clone())));
    let id = house.open("one").await;
    for _ in 0..10 {
        house.whole(&id, "ann", "bob").await;
        let positions: Vec<u64> = heard.lock().iter().map(|record| record.position).collect();
        assert_eq!(positions, house.records.keys().copied().collect::<Vec<_>>());
    }
    for record in heard.lock().iter() {
        let expected = &house.records[&record.position];
        assert_eq!(
            (&record.session_id, record.seq, record.hash, &*record.text),
            (&expected.0, expected.1, expected.2, expected.3.as_str())
        );
    }
}

pub async fn many_writers_share_the_store(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let store = open(folder.path(), Some(heard.clone()));
    let mut tasks = Vec::new();
    for i in 0..24 {
        let store = store.clone();
        tasks.push(tokio::spawn(async move {
            let mut house = House::on(store);
            let id = house.open(&format!("s{i}")).await;
            for _ in 0..12 {
                let handoff = house.whole(&id, "ann", "bob").await;
                // What was acknowledged is seen, at once and by every reader.
                assert!(house.store.handoff(handoff).await.unwrap().is_some_and(|h| h.result.is_some()));
                assert_eq!(house.store.session(&id).await.unwrap().as_ref(), house.sessions.get(&id));
            }
            house
        }));
    }
    let mut whole = House::on(store.clone());
    for task in tasks {
        let house = task.await.unwrap();
        whole.sessions.extend(house.sessions);
        whole.handoffs.extend(house.handoffs);
        whole.messages.extend(house.messages);
        whole.waiting.extend(house.waiting);
        for (position, record) in house.records {
            assert!(whole.records.insert(position, record).is_none(), "position {position} was given twice");
        }
    }
    check(&whole).await;
    let positions: Vec<u64> = heard.lock().iter().map(|record| record.position).collect();
    assert!(positions.is_sorted());
    assert_eq!(positions, all_records(&*store).await.into_keys().collect::<Vec<_>>());
}

/// Two ask the same at once: one is first, the other one is told.
pub async fn keys_keep_the_first_answer(open: Open) {
    use handover_core::digest::Digest;
    use handover_store::KeyRow;
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let id = house.open("one").await;
    let decided = house.decide(&id, Command::Initiate(Box::new(delegation("ann", "bob")))).unwrap();
    let key = KeyRow { key: "k1".into(), digest: Digest::of(b"asked"), answer: r#"{"made":1}"#.into() };
    let commit = house.commit_of(&id, &decided, Some(key.clone()));
    let positions = house.store.commit(commit).await.unwrap();
    house.remember(&id, &decided, &positions);
    let first = house.store.answered(&id, "k1").await.unwrap().unwrap();
    assert_eq!((first.digest, first.answer), (key.digest, key.answer.clone()));
    assert_eq!(house.store.answered(&id, "k2").await.unwrap(), None);
    let other = house.open("two").await;
    assert_eq!(house.store.answered(&other, "k1").await.unwrap(), None, "a key is the session's own");

    let again = house.decide(&id, Command::Initiate(Box::new(delegation("ann", "cleo")))).unwrap();
    let other_answer = KeyRow { answer: "other".into(), ..key };
    let commit = house.commit_of(&id, &again, Some(other_answer));
    assert!(house.store.commit(commit).await.is_err(), "a key is used once");
    assert_eq!(house.store.answered(&id, "k1").await.unwrap().unwrap().answer, r#"{"made":1}"#);
    check(&house).await;
}

pub async fn sessions_come_latest_first(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    for name in ["c", "a", "b"] {
        house.open(name).await;
    }
    house.caller.tenant = "other".into();
    house.open("d").await;
    let store = Arc::clone(&house.store);
    let all = store.sessions("default", 0, 10).await.unwrap();
    assert_eq!(all, vec![session("b"), session("a"), session("c")]);
    assert_eq!(store.sessions("default", 1, 1).await.unwrap(), vec![session("a")]);
    assert_eq!(store.sessions("other", 0, 10).await.unwrap(), vec![session("d")]);
    assert_eq!(store.sessions("nobody", 0, 10).await.unwrap(), vec![]);
    let chains = store.chains(None, 2).await.unwrap();
    assert_eq!(chains.iter().map(|c| c.session.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let rest = store.chains(Some(&session("b")), 10).await.unwrap();
    assert_eq!(rest.iter().map(|c| c.session.as_str()).collect::<Vec<_>>(), ["c", "d"]);
    assert_eq!(store.chain(&session("nobody")).await.unwrap(), None);
    assert_eq!(store.session(&session("nobody")).await.unwrap(), None);
    let refused = house.run(&session("a"), Command::CompleteSegment { by: crate::house::agent("ann") }).await;
    assert!(refused.is_err(), "another tenant's session is not there");
}
