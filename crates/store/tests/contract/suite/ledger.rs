//! What is counted over all sessions is counted with the commit that says so, once.

use crate::{
    Open,
    house::{House, agent, delegation, session},
};
use handover_core::{
    budget::{Amount, Limit, Share},
    command::Command,
    ledger::{Account, Change, Entry, Ledger, Posting},
    time::Timestamp,
};
use handover_store::{Commit, StoreError};

const WRITERS: u64 = 8;
const COMMITS: u64 = 25;

fn tokens(tokens: u64) -> Amount {
    Amount { tokens, ..Amount::default() }
}

fn account() -> Account {
    Account::of_tenant("default")
}

/// One of each kind of change that adds up.
fn postings(n: u64) -> Vec<Posting> {
    let within = Share::default();
    let one = |account, change| Posting { account, change };
    vec![
        one(account(), Change::Reserve { amount: tokens(n), within }),
        one(account(), Change::Use(tokens(1))),
        one(account(), Change::Release(tokens(n / 2))),
        one(Account::of_agent(&agent("bob")), Change::Ended { succeeded: true, ms: n, micros: 2 }),
        one(Account::of_agent(&agent("bob")), Change::Failed { at: Timestamp(0), after: 9_999, cooldown_ms: 1 }),
    ]
}

async fn stored(house: &House, account: &Account) -> Entry {
    let all = house.store.ledger().await.unwrap();
    all.into_iter().find(|(stored, _)| stored == account).map(|(_, entry)| entry).unwrap_or_default()
}

/// A commit that opens a session and posts.
fn opening(house: &mut House, name: &str, postings: Vec<Posting>) -> Commit {
    let id = session(name);
    let open = Command::Open(handover_core::command::Open::of(agent("ann")));
    let decided = house.decide(&id, open).unwrap();
    Commit { postings, ..house.commit_of(&id, &decided, None) }
}

pub async fn postings_of_many_writers_add_up(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let mut expected = Ledger::default();
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let mut commits = Vec::new();
        for n in 0..COMMITS {
            expected.post(&postings(n)).unwrap();
            commits.push(opening(&mut house, &format!("{writer}-{n}"), postings(n)));
        }
        let store = house.store.clone();
        writers.push(tokio::spawn(async move {
            for commit in commits {
                store.commit(commit).await.unwrap();
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    for opened in 0..2 {
        assert_eq!(house.store.ledger().await.unwrap().len(), 2, "opened {opened} times");
        for (account, entry) in expected.iter() {
            assert_eq!(stored(&house, account).await, *entry, "{account}, opened {opened} times");
        }
        house = house.reopened(|| open(folder.path(), None));
    }
}

pub async fn postings_go_with_their_commit(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let used = |n| vec![Posting { account: account(), change: Change::Use(tokens(n)) }];
    let mut batch = Vec::new();
    for (name, n) in [("one", 1), ("two", 10), ("three", 100)] {
        batch.push(opening(&mut house, name, used(n)));
    }
    batch[1].session.expected_version = 7;
    let store = house.store.clone();
    let outcomes = batch.into_iter().map(|commit| {
        let store = store.clone();
        tokio::spawn(async move { store.commit(commit).await })
    });
    let mut conflicts = 0;
    for outcome in outcomes.collect::<Vec<_>>() {
        conflicts += usize::from(matches!(outcome.await.unwrap(), Err(StoreError::Conflict)));
    }
    drop(store);
    assert_eq!(conflicts, 1);
    assert_eq!(stored(&house, &account()).await.used, tokens(101), "the one that was too late does not count");
    house = house.reopened(|| open(folder.path(), None));
    assert_eq!(stored(&house, &account()).await.used, tokens(101));
}

pub async fn what_is_forgotten_is_gone_and_what_is_set_aside_is_not(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let of = |name: &str, change| Posting { account: Account::of_tenant(name), change };
    let reserve = || Change::Reserve { amount: tokens(2), within: Share::default() };
    let first = vec![of("used", Change::Use(tokens(1))), of("held", reserve()), of("freed", reserve())];
    let then = vec![of("used", Change::Forget), of("held", Change::Forget), of("never", Change::Forget)];
    // One in which nothing was ever used is not kept either.
    let then = [then, vec![of("freed", Change::Release(tokens(2)))]].concat();
    let again = vec![of("used", Change::Use(tokens(5))), of("held", Change::Use(tokens(1)))];
    for (name, postings, left) in [
        ("one", first, vec!["tenant freed", "tenant held", "tenant used"]),
        ("two", then, vec!["tenant held"]),
        ("three", again, vec!["tenant held", "tenant used"]),
    ] {
        let commit = opening(&mut house, name, postings);
        house.store.commit(commit).await.unwrap();
        house = house.reopened(|| open(folder.path(), None));
        let all = house.store.ledger().await.unwrap();
        assert_eq!(all.iter().map(|(account, _)| account.as_str()).collect::<Vec<_>>(), left, "after {name}");
    }
    assert_eq!(stored(&house, &Account::of_tenant("used")).await.used, tokens(5), "it counts from the beginning");
    assert_eq!(stored(&house, &Account::of_tenant("held")).await.reserved, tokens(2));
}

pub async fn what_is_set_aside_is_told_twice(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    house.policy.budgets.tenant = Some(Limit { tokens: Some(1_000), ..Limit::default() });
    let id = house.open("one").await;
    let first = house.initiate(&id, delegation("ann", "bob")).await;
    house.initiate(&id, delegation("ann", "cleo")).await;
    let told = house.store.reserved().await.unwrap();
    assert_eq!(told.len(), 1);
    assert_eq!((told[0].account.clone(), told[0].counted), (account(), tokens(100 + 90)));
    assert_eq!(told[0].held, told[0].counted);
    let cancel = Command::Cancel { handoff: first, by: "ann".into(), reason: "no".into() };
    house.run(&id, cancel).await.unwrap();
    house = house.reopened(|| open(folder.path(), None));
    let told = house.store.reserved().await.unwrap();
    assert_eq!((told[0].counted, told[0].held), (tokens(90), tokens(90)));
}
