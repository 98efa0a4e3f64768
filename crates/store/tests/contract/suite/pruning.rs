//! What was kept long enough goes, from the beginning of a chain; the rest can still be verified.

use super::whole::all_records;
use crate::{
    Open,
    house::{DAY, House, agent, delegation, session},
};
use handover_core::{
    command::Command,
    digest::Digest,
    handoff::{Kind, Request},
    ids::SessionId,
    time::Timestamp,
};
use handover_store::{HandoffQuery, Prunable, Retention, StoreError};

const PERIODS: Retention = Retention { active_ms: 30 * DAY, completed_ms: 90 * DAY, escalation_ms: 180 * DAY };

async fn prunable(house: &House, at: Timestamp) -> Vec<Prunable> {
    house.store.prunable(PERIODS, at, 100).await.unwrap()
}

pub async fn old_trails_are_removed_from_their_beginning(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let (id, other) = (house.open("one").await, house.open("two").await);
    house.say(&id, "words").await;
    let taken = house.whole(&id, "ann", "bob").await;
    house.run(&id, Command::Take { of: taken.0, by: agent("ann") }).await.unwrap();
    let gone = house.whole(&id, "ann", "bob").await;
    let kept = house.whole(&other, "ann", "bob").await;
    house.wait(DAY);
    house.end(&id).await;
    let ended = house.now;
    let head = house.sessions[&id].head;

    assert_eq!(prunable(&house, Timestamp(ended.0 + 90 * DAY as i64 - 1)).await, vec![], "a millisecond too early");
    let parts = prunable(&house, ended + 90 * DAY).await;
    assert_eq!(parts, vec![Prunable { session: id.clone(), through: head.seq, hash: head.hash }]);
    let before = all_records(&*house.store).await;
    house.prune(parts).await.unwrap();

    let store = house.store.clone();
    let after = all_records(&*store).await;
    let left: Vec<u64> = before.iter().filter(|(_, r)| r.0 != id).map(|(position, _)| *position).collect();
    assert!(after.keys().copied().filter(|position| before.contains_key(position)).eq(left));
    assert_eq!(store.handoff(gone).await.unwrap(), None);
    assert!(store.handoff(kept).await.unwrap().is_some());
    assert_eq!(store.waiting_return(gone.0).await.unwrap(), None);
    assert!(store.waiting_return(kept.0).await.unwrap().is_some());
    assert_eq!(store.messages(&id, 1, 9).await.unwrap(), vec![]);
    assert_eq!(store.count(&id, None, None).await.unwrap(), 0);
    assert_eq!(store.count(&other, None, None).await.unwrap(), 1);
    let stats = store.stats("default").await.unwrap();
    assert_eq!((stats.total_handoffs, stats.sessions), (1, 2));
    assert_eq!(stats.records, house.sessions[&other].head.seq);
    let ends = store.chain(&id).await.unwrap().unwrap();
    assert_eq!((ends.head, ends.pruned), ((head.seq, head.hash), (head.seq, head.hash)));
    assert!(store.session(&id).await.unwrap().is_some_and(|session| session.ended_at.is_some()));
    assert_eq!(prunable(&house, ended + 900 * DAY).await, vec![], "once is enough");
    assert!(store.last_position().await.unwrap().0 > *before.keys().last().unwrap(), "positions are not used twice");
}

pub async fn escalations_are_kept_longer(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let id = house.open("one").await;
    house.say(&id, "words").await;
    let first = house.whole(&id, "ann", "bob").await;
    let mut request = Request::new(Kind::Escalation, agent("ann"), "decide this");
    request.audit.decision_rationale = "it is dangerous".into();
    request.return_protocol.timeout_ms = Some(60_000);
    let escalation = house.initiate(&id, request).await;
    let decider = house.handoffs[&escalation].to_agent.clone();
    let lease = house.accept(&id, escalation, decider.as_str()).await;
    house.give(&id, escalation, lease).await;
    let later = house.whole(&id, "ann", "bob").await;
    house.end(&id).await;
    let ended = house.now;

    let parts = prunable(&house, ended + 90 * DAY).await;
    assert_eq!(parts.len(), 1);
    let through = parts[0].through;
    let head = house.sessions[&id].head;
    assert!(through < head.seq);
    let last = house.records.values().find(|r| r.0 == id && r.1 == through).unwrap();
    assert_eq!(parts[0].hash, last.2);
    house.prune(parts).await.unwrap();
    let store = house.store.clone();
    assert_eq!(store.handoff(first).await.unwrap(), None);
    assert!(store.handoff(escalation).await.unwrap().is_some());
    assert!(store.handoff(later).await.unwrap().is_some(), "behind the escalation nothing can go");
    assert_eq!(store.messages(&id, 1, 9).await.unwrap().len(), 1, "messages stay while something of the session does");
    let ends = store.chain(&id).await.unwrap().unwrap();
    assert_eq!((ends.head.0, ends.pruned.0), (head.seq, through));
    assert_eq!(store.count(&id, None, None).await.unwrap(), 2);
    let query = HandoffQuery { session: Some(id.clone()), limit: 9, ..HandoffQuery::default() };
    assert_eq!(store.handoffs(&query).await.unwrap().len(), 2);

    assert_eq!(prunable(&house, Timestamp((ended + 180 * DAY).0 - 1)).await, vec![]);
    let parts = prunable(&house, ended + 180 * DAY).await;
    assert_eq!(parts[0].through, head.seq);
    house.prune(parts).await.unwrap();
    assert_eq!(store.handoff(escalation).await.unwrap(), None);
    assert_eq!(store.messages(&id, 1, 9).await.unwrap(), vec![]);
}

pub async fn what_goes_on_is_not_removed(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let id = house.open("one").await;
    house.whole(&id, "ann", "bob").await;
    house.initiate(&id, delegation("ann", "bob")).await;
    house.note(Vec::new(), Vec::new()).await;
    assert_eq!(prunable(&house, house.now + 4_000 * DAY).await, vec![]);
    let ends = house.store.chain(&id).await.unwrap().unwrap();
    let part = Prunable { session: id.clone(), through: ends.head.0, hash: ends.head.1 };
    assert!(matches!(house.prune(vec![part]).await, Err(StoreError::Conflict)));
    assert_eq!(all_records(&*house.store).await, house.records);
}

pub async fn a_part_that_no_longer_fits_is_not_removed(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let id = house.open("one").await;
    house.whole(&id, "ann", "bob").await;
    house.end(&id).await;
    house.note(Vec::new(), Vec::new()).await;
    let part = prunable(&house, house.now + 91 * DAY).await.remove(0);
    let wrong = [
        Prunable { hash: Digest::of(b"other"), ..part.clone() },
        Prunable { through: part.through + 1, ..part.clone() },
        Prunable { through: 0, ..part.clone() },
        Prunable { session: session("nobody"), ..part.clone() },
        Prunable { session: SessionId::house(), through: 1, hash: house.book.as_ref().unwrap().head.hash },
    ];
    for wrong in wrong {
        let refused = house.prune(vec![part.clone(), wrong]).await;
        assert!(matches!(refused, Err(StoreError::Conflict)), "{refused:?}");
        assert_eq!(all_records(&*house.store).await, house.records, "all or nothing");
    }
    // The book has moved on since the commit was decided.
    let (_, stale) = house.house_commit(Vec::new(), Vec::new());
    house.note(Vec::new(), Vec::new()).await;
    let mut stale = stale;
    stale.session.expected_version = 77;
    assert!(matches!(house.store.prune(vec![part.clone()], stale).await, Err(StoreError::Conflict)));
    house.prune(vec![part]).await.unwrap();
}
