//! What several processes on one store need of it, as far as it holds for one alone, too.

use crate::{
    Open,
    house::{House, agent, delegation, session},
};
use handover_core::{
    budget::Amount,
    command::Command,
    ids::HandoffId,
    ledger::{Account, Change, Posting},
    time::Timestamp,
};
use handover_store::{Commit, FlowRow, Load};
use std::collections::BTreeMap;

pub async fn the_version_is_the_stored_one(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    assert_eq!(house.store.version(&session("one")).await.unwrap(), 0);
    let id = house.open("one").await;
    for _ in 0..3 {
        house.whole(&id, "ann", "bob").await;
        assert_eq!(house.store.version(&id).await.unwrap(), house.sessions[&id].version);
    }
}

fn accept_inside(handoff: HandoffId, by: &str) -> Command {
    Command::Accept {
        handoff,
        by: agent(by),
        lease_ms: None,
        in_process: true,
        estimated_completion: None,
        manifest: None,
    }
}

pub async fn what_is_taken_is_what_is_there(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let id = house.open("one").await;
    let mut made = Vec::new();
    for _ in 0..4 {
        made.push(house.initiate(&id, delegation("ann", "bob")).await);
        house.wait(1_000);
    }
    let store = house.store.clone();
    let due: Vec<Timestamp> = made.iter().map(|id| house.handoffs[id].due().unwrap()).collect();
    // The same process may ask again: whoever fell in between finds it again.
    for _ in 0..2 {
        assert_eq!(store.take_due(Timestamp(due[0].0 - 1), 10).await.unwrap(), vec![]);
        assert_eq!(store.take_due(due[1], 10).await.unwrap(), store.due(due[1], 10).await.unwrap());
        assert_eq!(store.take_due(due[3], 2).await.unwrap(), store.due(due[3], 2).await.unwrap());
        assert_eq!(store.take_offers(&agent("bob"), 3).await.unwrap(), store.offers(&agent("bob"), 3).await.unwrap());
        assert_eq!(store.take_offers(&agent("cleo"), 3).await.unwrap(), vec![]);
        assert_eq!(store.take_offers(&agent("bob"), 0).await.unwrap(), vec![]);
    }
    let found = store.take_offers(&agent("bob"), 10).await.unwrap();
    assert_eq!(found.iter().map(|offer| offer.handoff).collect::<Vec<_>>(), made);
    store.let_go(&made[1..]).await.unwrap();
    store.let_go(&[]).await.unwrap();
    house.accept(&id, made[0], "bob").await;
    let left = store.take_offers(&agent("bob"), 10).await.unwrap();
    assert_eq!(left.iter().map(|offer| offer.handoff).collect::<Vec<_>>(), made[1..]);
}

pub async fn what_a_process_held_is_left_behind(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let id = house.open("one").await;
    let outside = house.initiate(&id, delegation("ann", "bob")).await;
    house.accept(&id, outside, "bob").await;
    let inside = house.initiate(&id, delegation("ann", "cleo")).await;
    house.run(&id, accept_inside(inside, "cleo")).await.unwrap();
    house.initiate(&id, delegation("ann", "dan")).await;
    house.store.close().await.unwrap();
    house = house.reopened(|| open(folder.path(), None));
    let left = house.store.abandoned().await.unwrap();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!((left[0].handoff, &left[0].session, left[0].by.as_str()), (inside, &id, "cleo"));
    assert!(left[0].in_process);
}

pub async fn loads_are_counted(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    assert_eq!(house.store.loads().await.unwrap(), vec![]);
    let (one, two) = (house.open("one").await, house.open("two").await);
    for id in [&one, &two] {
        let taken = house.initiate(id, delegation("ann", "bob")).await;
        house.accept(id, taken, "bob").await;
        house.initiate(id, delegation("ann", "cleo")).await;
    }
    house.initiate(&one, delegation("ann", "bob")).await;
    house.whole(&two, "ann", "dan").await;
    let load = |name: &str, running, waiting| Load { agent: agent(name), running, waiting };
    assert_eq!(house.store.loads().await.unwrap(), [load("bob", 2, 1), load("cleo", 0, 2)]);
}

pub async fn accounts_that_changed_are_told(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let using = |name: &str, tokens| Posting {
        account: Account::of_tenant(name),
        change: Change::Use(Amount { tokens, ..Amount::default() }),
    };
    let mut through = 0;
    let mut copy = BTreeMap::new();
    for (name, postings) in
        [("one", vec![using("a", 1), using("b", 2)]), ("two", vec![using("b", 3)]), ("three", vec![using("c", 5)])]
    {
        let open = Command::Open(handover_core::command::Open::of(agent("ann")));
        let decided = house.decide(&session(name), open).unwrap();
        let commit = Commit { postings, ..house.commit_of(&session(name), &decided, None) };
        let positions = house.store.commit(commit).await.unwrap();
        let moved = house.store.ledger_after(through).await.unwrap();
        assert_eq!(moved.through, *positions.last().unwrap());
        through = moved.through;
        copy.extend(moved.accounts.into_iter().filter_map(|(account, entry)| Some((account, entry?))));
        let stored: BTreeMap<_, _> = house.store.ledger().await.unwrap().into_iter().collect();
        assert_eq!(copy, stored, "after {name}");
    }
}

pub async fn a_chore_stays_with_whoever_has_it(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), None);
    for _ in 0..2 {
        assert!(store.take_chore("sweep", 60_000).await.unwrap());
        assert!(store.take_chore("wash", 60_000).await.unwrap());
    }
    store.close().await.unwrap();
    drop(store);
    let again = open(folder.path(), None);
    assert!(again.take_chore("sweep", 60_000).await.unwrap(), "whoever closes lets go of its chores");
}

pub async fn rows_of_handoffs_fit(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let id = house.open("one").await;
    for _ in 0..3 {
        house.whole(&id, "ann", "bob").await;
        house.initiate(&id, delegation("ann", "cleo")).await;
    }
    let rows = house.store.handoff_rows(&id, 1, 4).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.handoff.n).collect::<Vec<_>>(), [2, 3, 4, 5]);
    for row in rows {
        assert!(row.fits, "{row:?}");
        assert_eq!(row.handoff, *house.handoffs[&row.handoff.id]);
    }
    assert_eq!(house.store.handoff_rows(&session("nobody"), 0, 4).await.unwrap(), vec![]);
}

/// Everything that JSON can say comes back to the letter, whatever a database thinks of it.
pub async fn strange_words_come_back(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    let id = house.open("one").await;
    let words = "nothing \u{0} in between, \u{1f980}, \"quoted\", a\\b, \r\n\t, ',', {}, 1e400";
    house.say(&id, words).await;
    let mut request = delegation("ann", "bob");
    request.reason = words.replace(char::from(0), "");
    request.task.id = "T, \"1\" \\ {x}".into();
    let handoff = house.initiate(&id, request).await;
    let lease = house.accept(&id, handoff, "bob").await;
    house.give(&id, handoff, lease).await;
    super::whole::check(&house).await;
    let query = handover_store::RecordQuery { task: Some("T, \"1\" \\ {x}".into()), limit: 9, ..Default::default() };
    assert_eq!(house.store.records(&query).await.unwrap().len(), 3);
}

pub async fn sessions_are_counted_by_state(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(open(folder.path(), None));
    for (name, state) in [("a", "PACKING"), ("b", "SENDING"), ("c", "PACKING"), ("d", "PACKING")] {
        let open = Command::Open(handover_core::command::Open::of(agent("ann")));
        let decided = house.decide(&session(name), open).unwrap();
        let mut commit = house.commit_of(&session(name), &decided, None);
        commit.session.flow = Some(FlowRow { workflow: "w".into(), state: state.into() });
        house.store.commit(commit).await.unwrap();
    }
    let store = house.store.clone();
    let states: Vec<String> = ["SENDING", "PACKING", "NOWHERE"].map(String::from).into();
    assert_eq!(store.in_states("default", "w", &states, 10).await.unwrap(), [1, 3, 0]);
    assert_eq!(store.in_states("default", "w", &states, 2).await.unwrap(), [1, 2, 0]);
    assert_eq!(store.in_states("default", "other", &states, 2).await.unwrap(), [0, 0, 0]);
    let packing = FlowRow { workflow: "w".into(), state: "PACKING".into() };
    let found = store.sessions_in_state("default", &packing, 0, 2).await.unwrap();
    assert_eq!(found, [session("d"), session("c")]);
    assert_eq!(store.sessions_in_state("default", &packing, 2, 2).await.unwrap(), [session("a")]);
    let totals = store.totals().await.unwrap();
    assert_eq!((totals.sessions, totals.active_sessions), (4, 0));
}
