//! A process that was taken for gone writes nothing more, and comes back as a new one.

use crate::{
    house::{House, agent, delegation, session},
    sql::shell,
    stores,
};
use handover_core::command::{Command, Open};
use handover_store::{Hooks, Node, Store, StoreError};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use uuid::Uuid;

async fn this(store: &dyn Store) -> Node {
    store.nodes().await.unwrap().into_iter().find(|node| node.this).unwrap()
}

/// Lets the time of a process be over, and has another one find that, before it gives the next sign of life.
async fn take_for_gone(folder: &Path, id: Uuid, finder: &dyn Store) {
    let shell = shell(folder).await;
    while finder.nodes().await.unwrap().iter().any(|node| node.id == id) {
        let over = "UPDATE nodes SET until = now() - interval '1 minute' WHERE id = $1";
        shell.execute(over, &[&id]).await.unwrap();
        finder.abandoned().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_was_taken_for_gone_writes_nothing_and_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let told = Arc::new(AtomicUsize::new(0));
    let count = told.clone();
    let hooks = Hooks {
        on_fenced: Some(Box::new(move || {
            count.fetch_add(1, Ordering::SeqCst);
        })),
        ..Hooks::default()
    };
    let mut house = House::on(Arc::new(stores::open_postgres(folder.path(), hooks).await));
    let other = stores::postgres(folder.path(), None);
    let mut fenced = 0;
    for round in 0.. {
        let before = this(&*house.store).await;
        let id = session(&format!("late-{round}"));
        let decided = house.decide(&id, Command::Open(Open::of(agent("ann")))).unwrap();
        let commit = house.commit_of(&id, &decided, None);
        take_for_gone(folder.path(), before.id, &*other).await;
        let (last, _) = other.last_position().await.unwrap();
        match house.store.commit(commit).await {
            Err(StoreError::Fenced) => {
                fenced += 1;
                assert_eq!(other.last_position().await.unwrap().0, last);
                assert_eq!(other.session(&id).await.unwrap(), None);
            }
            // It noticed by itself before it was asked, and was a new process already.
            written => assert!(written.is_ok(), "{written:?}"),
        }
        assert_ne!(this(&*house.store).await.id, before.id);
        assert_eq!(told.load(Ordering::SeqCst), round + 1);
        if fenced > 0 {
            break;
        }
    }
    let id = house.open("anew").await;
    house.whole(&id, "ann", "bob").await;
    assert_eq!(other.session(&id).await.unwrap().as_ref(), house.sessions.get(&id));
}

#[tokio::test(flavor = "multi_thread")]
async fn work_in_a_process_that_is_gone_is_found_by_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(stores::postgres(folder.path(), None));
    let other = stores::postgres(folder.path(), None);
    let id = house.open("one").await;
    let handoff = house.initiate(&id, delegation("ann", "bob")).await;
    let inside = Command::Accept {
        handoff,
        by: agent("bob"),
        lease_ms: None,
        in_process: true,
        estimated_completion: None,
        manifest: None,
    };
    house.run(&id, inside).await.unwrap();
    assert_eq!(other.abandoned().await.unwrap(), vec![], "it is there");
    assert_eq!(house.store.abandoned().await.unwrap(), vec![]);
    let node = this(&*house.store).await;
    let shell = shell(folder.path()).await;
    while other.nodes().await.unwrap().iter().any(|live| live.id == node.id) {
        shell.execute("UPDATE nodes SET until = now() - interval '1 minute' WHERE id = $1", &[&node.id]).await.unwrap();
        let found = other.abandoned().await.unwrap();
        assert!(found.iter().all(|work| work.handoff == handoff && work.session == id));
    }
    let found = other.abandoned().await.unwrap();
    assert_eq!(found.iter().map(|work| work.handoff).collect::<Vec<_>>(), [handoff]);
}
