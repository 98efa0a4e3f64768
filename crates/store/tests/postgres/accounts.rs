//! The ledger in the database does what the ledger in memory does, to the last posting, also over two processes.

use crate::{
    house::{House, agent, session},
    stores,
};
use futures_util::future::join_all;
use handover_core::{
    budget::{Amount, Share},
    command::{Command, Open},
    ids::HandoffId,
    ledger::{Account, Change, Entry, Ledger, Posting},
    time::Timestamp,
};
use handover_store::{Commit, StoreError};
use proptest::{collection::vec, prelude::*, test_runner::TestRunner};
use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
};
use uuid::Uuid;

static SESSIONS: AtomicU64 = AtomicU64::new(0);

/// A commit that opens a session and posts.
fn opening(house: &mut House, postings: Vec<Posting>) -> Commit {
    let id = session(&format!("s{}", SESSIONS.fetch_add(1, Ordering::Relaxed)));
    let decided = house.decide(&id, Command::Open(Open::of(agent("ann")))).unwrap();
    Commit { postings, ..house.commit_of(&id, &decided, None) }
}

fn amount() -> impl Strategy<Value = Amount> {
    let few = prop_oneof![3 => 0..60_u64, 1 => Just(0)];
    (few.clone(), few.clone(), few).prop_map(|(tokens, micros, ms)| Amount { tokens, micros, ms })
}

fn share() -> impl Strategy<Value = Share> {
    let limit = prop_oneof![Just(None), (0..200_u64).prop_map(Some)];
    (limit.clone(), limit.clone(), limit).prop_map(|(tokens, micros, ms)| Share { tokens, micros, ms })
}

fn at() -> impl Strategy<Value = Timestamp> {
    (0..40_i64).prop_map(|second| Timestamp(1_700_000_000_000 + second * 1_000))
}

fn handoff() -> impl Strategy<Value = HandoffId> {
    (1..4_u128).prop_map(|n| HandoffId(Uuid::from_u128(n)))
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => (amount(), share()).prop_map(|(amount, within)| Change::Reserve { amount, within }),
        2 => amount().prop_map(|amount| Change::Reserve { amount, within: Share::default() }),
        3 => amount().prop_map(Change::Release),
        2 => amount().prop_map(Change::Hold),
        3 => amount().prop_map(Change::Use),
        3 => (any::<bool>(), 0..5_000_u64, 0..9_000_000_u64)
            .prop_map(|(succeeded, ms, micros)| Change::Ended { succeeded, ms, micros }),
        2 => (at(), 1..4_u32).prop_map(|(at, after)| Change::Failed { at, after, cooldown_ms: 7_000 }),
        3 => at().prop_map(|at| Change::Well { at }),
        1 => (at(), handoff()).prop_map(|(at, handoff)| Change::Probe { at, handoff }),
        1 => handoff().prop_map(|handoff| Change::ProbeOver { handoff }),
        1 => Just(Change::Reset),
        1 => Just(Change::Forget),
    ]
}

/// Accounts of which some see only what adds, some everything: they take different ways.
fn posting() -> impl Strategy<Value = (usize, Change)> {
    let plain = change().prop_filter("only what adds", |change| {
        matches!(
            change,
            Change::Release(_) | Change::Hold(_) | Change::Use(_) | Change::Ended { .. } | Change::Well { .. }
        )
    });
    prop_oneof![(0..2_usize, change()), (2..4_usize, plain)]
}

fn account(case: u64, n: usize) -> Account {
    Account::stored(format!("tenant case{case}-{n}"))
}

/// Equal, but for the last digits of what is no whole number: sums may be added up in another order.
fn same(a: &Entry, b: &Entry) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    let (x, y) = (&a.sample, &b.sample);
    let near = near(x.ms, y.ms)
        && near(x.ms_squares, y.ms_squares)
        && near(x.cost, y.cost)
        && near(x.cost_squares, y.cost_squares);
    let counts = (x.ended, x.succeeded) == (y.ended, y.succeeded);
    near && counts && (a.reserved, a.used, &a.breaker) == (b.reserved, b.used, &b.breaker)
}

/// Posts here and there, and compares what came of each commit and what the accounts hold.
async fn compare(house: &mut House, case: u64, batches: Vec<Vec<Vec<(usize, Change)>>>) -> Result<(), TestCaseError> {
    let mut ledger = Ledger::default();
    for batch in batches {
        let mut expected = Vec::new();
        let mut commits = Vec::new();
        for commit in batch {
            let of = |(n, change)| Posting { account: account(case, n), change };
            let postings: Vec<Posting> = commit.into_iter().map(of).collect();
            expected.push(ledger.post(&postings).map(|_| ()));
            commits.push(opening(house, postings));
        }
        let written = join_all(commits.into_iter().map(|commit| house.store.commit(commit))).await;
        for (expected, written) in expected.iter().zip(written) {
            match (expected, written) {
                (Ok(()), Ok(_)) => {}
                (Err(expected), Err(StoreError::Refuted(found))) => prop_assert_eq!(expected, &found),
                (expected, written) => prop_assert!(false, "{expected:?} in memory, {written:?} in the database"),
            }
        }
        let stored: BTreeMap<Account, Entry> = house.store.ledger().await.unwrap().into_iter().collect();
        for n in 0..4 {
            let (found, kept) = (stored.get(&account(case, n)), ledger.get(&account(case, n)));
            let equal = found.zip(kept).map_or(found.is_none() && kept.is_none(), |(found, kept)| same(found, kept));
            prop_assert!(equal, "account {n}: {kept:?} in memory, {found:?} in the database");
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_counts_as_memory_does() {
    let folder = tempfile::tempdir().unwrap();
    let house = parking_lot::Mutex::new(House::on(stores::postgres(folder.path(), None)));
    let cases = AtomicU64::new(0);
    let handle = tokio::runtime::Handle::current();
    let run = || {
        let config = ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() };
        TestRunner::new(config).run(&vec(vec(vec(posting(), 0..6), 1..6), 1..5), |batches| {
            let case = cases.fetch_add(1, Ordering::Relaxed);
            handle.block_on(compare(&mut house.lock(), case, batches))
        })
    };
    tokio::task::block_in_place(run).unwrap();
}

fn tokens(tokens: u64) -> Amount {
    Amount { tokens, ..Amount::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_holds_over_two_processes() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(stores::postgres(folder.path(), None));
    let other = stores::postgres(folder.path(), None);
    let budget = Account::of_tenant("default");
    let within = Share { tokens: Some(100), ..Share::default() };
    let reserve = || vec![Posting { account: budget.clone(), change: Change::Reserve { amount: tokens(30), within } }];
    let commits: Vec<Commit> = (0..8).map(|_| opening(&mut house, reserve())).collect();
    let stores = [house.store.clone(), other.clone()];
    let written =
        join_all(commits.into_iter().zip(stores.iter().cycle()).map(|(commit, store)| store.commit(commit))).await;
    assert_eq!(written.iter().filter(|written| written.is_ok()).count(), 3);
    for refused in written.iter().filter_map(|written| written.as_ref().err()) {
        assert!(matches!(refused, StoreError::Refuted(account) if *account == budget), "{refused:?}");
    }
    let held = other.ledger().await.unwrap();
    assert_eq!(
        held.iter().map(|(account, entry)| (account, entry.reserved)).collect::<Vec<_>>(),
        [(&budget, tokens(90))]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_tries_whether_an_agent_is_well_again_over_two_processes() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(stores::postgres(folder.path(), None));
    let other = stores::postgres(folder.path(), None);
    let bob = Account::of_agent(&agent("bob"));
    let post = |change| vec![Posting { account: bob.clone(), change }];
    let failed = opening(&mut house, post(Change::Failed { at: Timestamp(0), after: 1, cooldown_ms: 1_000 }));
    house.store.commit(failed).await.unwrap();
    let probe = |n| Change::Probe { at: Timestamp(2_000), handoff: HandoffId(Uuid::from_u128(n)) };
    let (one, two) = (opening(&mut house, post(probe(1))), opening(&mut house, post(probe(2))));
    let (one, two) = tokio::join!(house.store.commit(one), other.commit(two));
    assert_eq!(usize::from(one.is_ok()) + usize::from(two.is_ok()), 1, "{one:?} {two:?}");
    let early = opening(&mut house, post(Change::ProbeOver { handoff: HandoffId(Uuid::from_u128(9)) }));
    house.store.commit(early).await.unwrap();
    let third = opening(&mut house, post(probe(3)));
    assert!(matches!(other.commit(third).await, Err(StoreError::Refuted(_))), "it was another that is over");
}
