//! Nobody counts between a decision that waits and what it counts.

use super::*;
use crate::{Options, clock::ManualClock};
use handover_core::{
    budget::{Amount, Share},
    decide,
    event::Event,
    ids::RandomIds,
    ledger::{Account, Change},
    time::Timestamp,
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

const TURNS: usize = 100_000;

fn tokens(tokens: u64) -> Amount {
    Amount { tokens, ..Amount::default() }
}

async fn engine(folder: &tempfile::TempDir) -> Engine {
    let clock = ManualClock::at(Timestamp(1_800_000_000_000));
    let options = Options { clock: Some(Arc::new(clock)), background: false, ..Options::default() };
    Engine::open_with(folder.path().join("t.db"), options).await.unwrap()
}

/// Decides to set 60 of 100 tokens aside, while somebody else is about to count 50 as used.
fn race(engine: &Engine, alone: Alone) -> Result<(), HandoffError> {
    let account = Account::of_tenant("t");
    let within = Share { tokens: Some(100), ..Share::default() };
    let reserve = Posting { account: account.clone(), change: Change::Reserve { amount: tokens(60), within } };
    let other = [Posting { account, change: Change::Use(tokens(50)) }];
    let began = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let caller = engine.engine_caller();
        let outcome = engine.decide_and_post(&caller, None, None, alone, |world| {
            scope.spawn(|| {
                began.store(true, Ordering::SeqCst);
                engine.post(&other).unwrap();
            });
            // Nobody can read once somebody waits to write. Where the ledger is held for this decision, nobody waits so.
            let waits = || began.load(Ordering::SeqCst) && engine.inner.ledger.try_read().is_none();
            (0..TURNS).take_while(|_| !waits()).for_each(|_| std::thread::yield_now());
            let mut decided = decide::house(None, Vec::<Event>::new(), world, &mut RandomIds);
            decided.postings = vec![reserve];
            Ok(decided)
        });
        outcome.map(|_| ())
    })
}

#[tokio::test]
async fn what_was_decided_alone_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(&folder).await;
    race(&engine, Alone::Always).unwrap();
    // The other one counted right after.
    let entry = engine.inner.ledger.read().get(&Account::of_tenant("t")).cloned().unwrap();
    assert_eq!((entry.reserved, entry.used), (tokens(60), tokens(50)));
}

#[tokio::test]
async fn what_did_not_wait_is_refused_where_somebody_was_faster() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(&folder).await;
    let refused = race(&engine, Alone::Never).unwrap_err();
    assert_eq!(refused.code(), Code::Overloaded);
}
