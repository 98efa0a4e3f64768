//! Two processes are never given the same: what one holds the other passes over, until it is let go or its time is over.

use crate::{
    house::{House, agent, delegation},
    sql::shell,
    stores,
};
use handover_core::{
    budget::Amount,
    command::Command,
    ids::{HandoffId, SessionId},
    ledger::{Account, Change, Posting},
    limits::HOLD_MS,
    time::Timestamp,
};
use handover_store::{Commit, Place, Store, StoreError};
use std::{collections::BTreeSet, path::Path, sync::Arc};

struct Two {
    house: House,
    id: SessionId,
    other: Arc<dyn Store>,
}

async fn two(folder: &Path) -> Two {
    let mut house = House::on(stores::postgres(folder, None));
    let id = house.open("one").await;
    Two { house, id, other: stores::postgres(folder, None) }
}

impl Two {
    async fn offers(&mut self, count: usize) -> Vec<HandoffId> {
        let mut made = Vec::new();
        for _ in 0..count {
            made.push(self.house.initiate(&self.id, delegation("ann", "bob")).await);
            self.house.wait(1);
        }
        made
    }
}

async fn offers(store: &Arc<dyn Store>, limit: usize) -> Vec<HandoffId> {
    store.take_offers(&agent("bob"), limit).await.unwrap().iter().map(|offer| offer.handoff).collect()
}

async fn due(store: &Arc<dyn Store>, now: Timestamp, limit: usize) -> Vec<HandoffId> {
    store.take_due(now, limit).await.unwrap().iter().map(|due| due.handoff).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offer_is_given_to_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut two = two(folder.path()).await;
    let made = two.offers(12).await;
    let (this, other) = (two.house.store.clone(), two.other.clone());
    assert_eq!(offers(&this, 4).await, made[..4], "the first ones come first");
    assert_eq!(offers(&other, 5).await, made[4..9], "and the other gets those behind them");
    assert_eq!(offers(&this, 100).await, [&made[..4], &made[9..]].concat());
    this.let_go(&made[..2]).await.unwrap();
    other.let_go(&made[9..]).await.unwrap();
    assert_eq!(offers(&other, 100).await, [&made[..2], &made[4..9]].concat(), "nobody lets go of what others hold");
    // Whoever does not come back has it no longer than a while.
    let late = "UPDATE open SET held_until = now() - interval '1 millisecond' WHERE held_until IS NOT NULL";
    shell(folder.path()).await.execute(late, &[]).await.unwrap();
    assert_eq!(offers(&this, 100).await, made);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_due_is_given_to_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut two = two(folder.path()).await;
    let made = two.offers(6).await;
    let at = two.house.handoffs[&made[5]].due().unwrap();
    let (this, other) = (two.house.store.clone(), two.other.clone());
    assert_eq!(due(&this, at, 4).await, made[..4]);
    assert_eq!(due(&other, at, 4).await, made[4..]);
    assert_eq!(due(&this, at, 100).await, made[..4]);
    assert_eq!(due(&other, at + (HOLD_MS - 1), 100).await, made[4..], "not before the time is over");
    assert_eq!(due(&other, at + HOLD_MS, 100).await, made, "then it is somebody else's");
}

#[tokio::test(flavor = "multi_thread")]
async fn at_once_nobody_is_given_what_another_has() {
    let folder = tempfile::tempdir().unwrap();
    let mut two = two(folder.path()).await;
    let made: BTreeSet<HandoffId> = two.offers(60).await.into_iter().collect();
    let mut tasks = Vec::new();
    for i in 0..30 {
        let store = if i % 2 == 0 { two.house.store.clone() } else { two.other.clone() };
        tasks.push(tokio::spawn(async move {
            let now = Timestamp(crate::house::START) + crate::house::DAY;
            (i % 2, offers(&store, 1 + i * 2).await, due(&store, now, 1 + i * 2).await)
        }));
    }
    let mut offered = [BTreeSet::new(), BTreeSet::new()];
    let mut timed = [BTreeSet::new(), BTreeSet::new()];
    for task in tasks {
        let (who, offers, due) = task.await.unwrap();
        offered[who].extend(offers);
        timed[who].extend(due);
    }
    for [this, other] in [offered, timed] {
        let both: Vec<_> = this.intersection(&other).collect();
        assert!(both.is_empty(), "{} and {} have {both:?}", this.len(), other.len());
        assert!(this.union(&other).all(|id| made.contains(id)));
        assert!(!this.is_empty() || !other.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_lets_go() {
    let folder = tempfile::tempdir().unwrap();
    let mut two = two(folder.path()).await;
    let made = two.offers(2).await;
    let at = two.house.handoffs[&made[1]].due().unwrap();
    let this = two.house.store.clone();
    assert_eq!((offers(&this, 9).await, due(&this, at, 9).await), (made.clone(), made.clone()));
    // Put off and offered again: a new offer, which nobody holds.
    let id = two.id.clone();
    let put_off = Command::Defer { handoff: made[0], by: agent("bob"), for_ms: 1_000, reason: "later".into() };
    two.house.run(&id, put_off).await.unwrap();
    two.house.wait(2_000);
    two.house.run(&id, Command::Tick { handoff: made[0] }).await.unwrap();
    assert_eq!(offers(&two.other, 9).await, made[..1]);
    let again = two.house.handoffs[&made[0]].due().unwrap();
    assert_eq!(due(&two.other, again, 9).await, made[..1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chore_is_done_by_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let Two { house, other, .. } = two(folder.path()).await;
    assert!(house.store.take_chore("sweep", 60_000).await.unwrap());
    assert!(!other.take_chore("sweep", 60_000).await.unwrap());
    assert!(other.take_chore("wash", 60_000).await.unwrap());
    assert!(house.store.take_chore("sweep", 0).await.unwrap(), "who has it may keep it for no time at all");
    assert!(other.take_chore("sweep", 60_000).await.unwrap());
    assert!(!house.store.take_chore("sweep", 60_000).await.unwrap());
    other.close().await.unwrap();
    assert!(house.store.take_chore("sweep", 60_000).await.unwrap(), "whoever closes lets go of it");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_works_on_no_more_than_it_may_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let mut two = two(folder.path()).await;
    let made = two.offers(3).await;
    let id = two.id.clone();
    let mut taken = 0;
    for (i, handoff) in made.into_iter().enumerate() {
        let accept = Command::Accept {
            handoff,
            by: agent("bob"),
            lease_ms: None,
            in_process: true,
            estimated_completion: None,
            manifest: None,
        };
        let decided = two.house.decide(&id, accept).unwrap();
        let place = Some(Place { agent: agent("bob"), most: 2 });
        let commit = Commit { place, ..two.house.commit_of(&id, &decided, None) };
        let store = if i % 2 == 0 { two.house.store.clone() } else { two.other.clone() };
        match store.commit(commit).await {
            Ok(positions) => {
                two.house.remember(&id, &decided, &positions);
                taken += 1;
            }
            Err(StoreError::Full(who)) => assert_eq!((who, taken), (agent("bob"), 2)),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(taken, 2);
    crate::whole::check(&two.house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_kept_any_more_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let Two { mut house, other, .. } = two(folder.path()).await;
    let account = || Account::of_tenant("t");
    let mut through = 0;
    for (name, change, expected) in [
        ("a", Change::Use(Amount { tokens: 3, ..Amount::default() }), Some(3)),
        ("b", Change::Forget, None),
        ("c", Change::Use(Amount { tokens: 2, ..Amount::default() }), Some(2)),
    ] {
        let id = crate::house::session(name);
        let decided = house.decide(&id, Command::Open(handover_core::command::Open::of(agent("ann")))).unwrap();
        let postings = vec![Posting { account: account(), change }];
        house.store.commit(Commit { postings, ..house.commit_of(&id, &decided, None) }).await.unwrap();
        let moved = other.ledger_after(through).await.unwrap();
        assert!(moved.through > through);
        through = moved.through;
        let told: Vec<_> =
            moved.accounts.into_iter().map(|(account, entry)| (account, entry.map(|e| e.used.tokens))).collect();
        assert_eq!(told, [(account(), expected)], "{name}");
        assert_eq!(other.ledger_after(through).await.unwrap().accounts, vec![]);
        assert_eq!(other.ledger().await.unwrap().len(), usize::from(expected.is_some()));
    }
}
