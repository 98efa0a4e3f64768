//! A whole installation moves from a file into a database: every question has the same answer there, and work goes on.

use crate::{
    dice::Dice,
    house::{DAY, House, NAMES, agent, delegation, profile, session},
    programs, stores,
    whole::check,
};
use handover_core::{
    agent::Standing,
    budget::{Amount, Limit},
    command::Command,
    digest::Digest,
    event::Event,
    handoff::Status,
    ledger::{Account, Change, Posting},
    time::Timestamp,
};
use handover_store::{
    AgentRow, Commit, FiguresQuery, FlowRow, HandoffQuery, Hooks, KeyRow, RecordQuery, Retention, Store, StoreError,
    copy,
    sqlite::{Options, SqliteStore},
};
use std::{fmt::Debug, path::Path, sync::Arc};

const PERIODS: Retention = Retention { active_ms: DAY, completed_ms: DAY, escalation_ms: DAY };

fn file(folder: &Path) -> Arc<SqliteStore> {
    Arc::new(SqliteStore::open(&folder.join("handover.db"), Options::default()).unwrap())
}

/// A house in which there is something of everything.
async fn full_house(store: Arc<dyn Store>) -> House {
    let mut house = House::on(store);
    house.policy.budgets.tenant = Some(Limit { tokens: Some(100_000), ..Limit::default() });
    let row = |name: &str| AgentRow { id: agent(name), entry: Some((Arc::new(profile(name)), Standing::Available)) };
    let registered = Event::AgentRegistered { profile: Arc::new(profile("ann")) };
    house.note(vec![registered], NAMES.map(row).into()).await;
    let gone = house.open("gone").await;
    house.whole(&gone, "ann", "bob").await;
    house.end(&gone).await;
    house.wait(2 * DAY);
    let parts = house.store.prunable(PERIODS, house.now, 10).await.unwrap();
    assert_eq!(parts.len(), 1);
    house.prune(parts).await.unwrap();
    house.waiting.clear();
    let mut dice = Dice::new(11);
    let ids = [house.open("one").await, house.open("two").await];
    for _ in 0..150 {
        let id = dice.pick(&ids).unwrap().clone();
        house.wait(dice.below(12 * 3_600_000));
        programs::step(&mut house, &id, &mut dice).await;
    }
    some_more(&mut house).await;
    house
}

async fn some_more(house: &mut House) {
    let id = house.open("three").await;
    house.whole(&id, "ann", "eve").await;
    for to in ["bob", "cleo"] {
        let handoff = house.initiate(&id, delegation("ann", to)).await;
        let accept = Command::Accept {
            handoff,
            by: agent(to),
            lease_ms: None,
            in_process: to == "bob",
            estimated_completion: None,
            manifest: None,
        };
        house.run(&id, accept).await.unwrap();
    }
    let decided = house.decide(&id, Command::Initiate(Box::new(delegation("ann", "dan")))).unwrap();
    let key = KeyRow { key: "k".into(), digest: Digest::of(b"asked"), answer: "{}".into() };
    let mut commit = house.commit_of(&id, &decided, Some(key));
    commit.session.flow = Some(FlowRow { workflow: "w".into(), state: "PACKING".into() });
    let post = |change| Posting { account: Account::of_agent(&agent("bob")), change };
    let failed = Change::Failed { at: house.now, after: 1, cooldown_ms: 5 };
    commit.postings.extend([post(Change::Ended { succeeded: true, ms: 7, micros: 123_457 }), post(failed)]);
    commit.postings.push(post(Change::Use(Amount { tokens: 1, micros: 2, ms: 3 })));
    let Commit { postings, .. } = commit.clone();
    let positions = house.store.commit(commit).await.unwrap();
    house.remember(&id, &handover_core::decide::Decided { postings, ..decided }, &positions);
    house.store.keep_note("space", "key", Some("body".into())).await.unwrap();
}

fn same<T: PartialEq + Debug>(one: Result<T, StoreError>, other: Result<T, StoreError>, what: &str) {
    assert_eq!(one.unwrap(), other.unwrap(), "{what}");
}

/// Asks both the same.
macro_rules! ask_both {
    ($one:ident, $other:ident: $($method:ident ($($value:expr),*))*) => {$(
        same($one.$method($($value),*).await, $other.$method($($value),*).await, stringify!($method));
    )*};
}

async fn answers_are_the_same(house: &House, one: &dyn Store, other: &dyn Store) {
    let far = Timestamp(i64::MAX / 4);
    let figures = FiguresQuery { tenant: "default".into(), limit: 1_000, falls_back: true, ..FiguresQuery::default() };
    let packing = FlowRow { workflow: "w".into(), state: "PACKING".into() };
    ask_both!(one, other:
        sessions("default", 0, 100) chains(None, 100) agents() ledger() reserved() running() open_sessions()
        offers_waiting() loads() due(far, 1_000) next_due() last_position() stats("default") totals()
        notes("space", "", 10) sessions_in_state("default", &packing, 0, 10) figures(&figures)
        prunable(PERIODS, far, 100) abandoned()
        answered(&session("three"), "k") answered(&session("three"), "other")
    );
    for name in NAMES {
        let by = agent(name);
        ask_both!(one, other: offers(&by, 1_000) waiting_returns(&by, 1_000));
        let from = RecordQuery { from: Some(by.clone()), limit: 1_000, ..RecordQuery::default() };
        let to = RecordQuery { to: Some(by), latest_first: true, limit: 1_000, ..RecordQuery::default() };
        ask_both!(one, other: records(&from) records(&to));
    }
    for id in house.sessions.keys() {
        ask_both!(one, other: session(id) tenant(id) whose(id) version(id) chain(id) messages(id, 1, 1_000)
            handoff_rows(id, 0, 1_000) count(id, None, None) count(id, Some(&agent("ann")), None));
    }
    for status in Status::ALL {
        let query = HandoffQuery { status: Some(status), limit: 1_000, ..HandoffQuery::default() };
        ask_both!(one, other: handoffs(&query));
    }
    let middle = Timestamp((crate::house::START + house.now.0) / 2);
    let times = RecordQuery { since: Some(middle), limit: 1_000, ..RecordQuery::default() };
    ask_both!(one, other: records(&times));
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_moves_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let from = file(folder.path());
    let mut house = full_house(from.clone()).await;
    let to = Arc::new(stores::open_postgres(folder.path(), Hooks::default()).await);
    let copied = copy(&from, &to).await.unwrap();
    let last = from.last_position().await.unwrap().0;
    assert_eq!((copied.last_position, copied.rows("sessions")), (last, house.sessions.len() as u64));
    assert_eq!(copied.rows("handoffs"), from.totals().await.unwrap().by_status.values().sum::<u64>());
    for table in
        ["records", "messages", "items", "keys", "returns", "agents", "counts", "totals", "ledger", "notes", "open"]
    {
        assert!(copied.rows(table) > 0, "nothing of {table} was there to be copied");
    }
    answers_are_the_same(&house, &*from, &*to).await;

    // Twice is once too often; what is there stays.
    let again = copy(&from, &to).await;
    assert!(matches!(&again, Err(StoreError::Failed(why)) if why.contains("empty")), "{again:?}");
    answers_are_the_same(&house, &*from, &*to).await;

    house.store = to;
    house.sessions.remove(&session("gone"));
    house.handoffs.retain(|_, handoff| handoff.session_id != session("gone"));
    let before = house.records.len();
    let id = session("one");
    house.whole(&id, "ann", "eve").await;
    let positions: Vec<u64> = house.records.keys().copied().skip(before).collect();
    assert_eq!(
        positions,
        (last + 1..=last + positions.len() as u64).collect::<Vec<_>>(),
        "it goes on behind the last one"
    );
    house.open("new").await;
    let offered = house.sessions[&session("three")].open.values().find(|h| h.to_agent == agent("dan")).unwrap().id;
    let lease = house.accept(&session("three"), offered, "dan").await;
    house.give(&session("three"), offered, lease).await;
    for (id, session) in &house.sessions {
        assert_eq!(house.store.session(id).await.unwrap().as_ref(), Some(session), "session {id}");
    }
}

/// An empty installation moves, too; what could not be finished leaves nothing behind.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_of_an_attempt_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    let from = file(folder.path());
    let to = Arc::new(stores::open_postgres(folder.path(), Hooks::default()).await);
    assert_eq!(copy(&from, &to).await.unwrap().last_position, 0);
    let mut house = House::on(from.clone());
    house.open("one").await;
    // A database cannot hold this word: the copy ends in the middle, in the last of its tables.
    from.keep_note("space", "zero \u{0}", Some("body".into())).await.unwrap();
    assert!(matches!(copy(&from, &to).await, Err(StoreError::Failed(_))));
    assert_eq!(to.last_position().await.unwrap().0, 0);
    assert_eq!(to.sessions("default", 0, 10).await.unwrap(), vec![]);
    from.keep_note("space", "zero \u{0}", None).await.unwrap();
    assert_eq!(copy(&from, &to).await.unwrap().rows("sessions"), 1);
    house.store = to;
    check(&house).await;
}
