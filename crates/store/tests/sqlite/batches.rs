//! What shares a transaction: forced to, by a listener that holds the writer until enough has arrived.

use crate::house::{House, delegation};
use handover_core::command::Command;
use handover_store::{
    OnCommit, Store, StoreError,
    sqlite::{Options, SqliteStore},
};
use std::sync::{Arc, mpsc};

/// A store whose writer stops after each batch until it is let go.
fn held(path: &std::path::Path) -> (Arc<SqliteStore>, mpsc::Receiver<usize>, mpsc::Sender<()>) {
    let (told, heard) = mpsc::channel();
    let (go, wait) = mpsc::channel::<()>();
    let wait = parking_lot::Mutex::new(wait);
    let on_commit: OnCommit = Box::new(move |_, records| {
        told.send(records().len()).unwrap();
        wait.lock().recv().unwrap();
    });
    let options = Options { on_commit: Some(on_commit), ..Options::default() };
    (Arc::new(SqliteStore::open(path, options).unwrap()), heard, go)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_arrives_together_is_one_batch_and_only_the_bad_one_fails() {
    let folder = tempfile::tempdir().unwrap();
    let (store, heard, go) = held(&folder.path().join("x.db"));
    let mut house = House::on(store.clone());
    let mut commits = Vec::new();
    for name in ["one", "two", "three", "four", "five"] {
        go.send(()).unwrap();
        let id = house.open(name).await;
        assert_eq!(heard.recv().unwrap(), 1);
        let decided = house.decide(&id, Command::Initiate(Box::new(delegation("ann", "bob")))).unwrap();
        commits.push(house.commit_of(&id, &decided, None));
    }
    commits[3].records[0].seq = 1;
    // The first holds the writer; of the others, the bad one spoils the batch and one is too late.
    commits[4].session.expected_version = 9;
    let tasks: Vec<_> = commits
        .into_iter()
        .enumerate()
        .map(|(i, commit)| {
            let store = store.clone();
            if i == 1 {
                assert_eq!(heard.recv().unwrap(), 1, "the first one is on disk and holds the writer");
            }
            tokio::spawn(async move { store.commit(commit).await })
        })
        .collect();
    // Let the other four arrive before the writer goes on; none of them can be answered before.
    while store.waiting() < 4 {
        tokio::task::yield_now().await;
    }
    for _ in 0..3 {
        go.send(()).unwrap();
    }
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.unwrap());
    }
    assert!(results[0].is_ok() && results[1].is_ok() && results[2].is_ok(), "{results:?}");
    assert!(matches!(results[3], Err(StoreError::Failed(_))), "{results:?}");
    assert!(matches!(results[4], Err(StoreError::Conflict)), "{results:?}");
    assert_eq!(store.stopped(), None);
    assert_eq!(store.stats("default").await.unwrap().total_handoffs, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_without_a_bad_one_is_published_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (store, heard, go) = held(&folder.path().join("x.db"));
    let mut house = House::on(store.clone());
    let mut commits = Vec::new();
    for name in ["one", "two", "three", "four"] {
        go.send(()).unwrap();
        let id = house.open(name).await;
        heard.recv().unwrap();
        let decided = house.decide(&id, Command::Initiate(Box::new(delegation("ann", "bob")))).unwrap();
        commits.push(house.commit_of(&id, &decided, None));
    }
    let mut tasks = Vec::new();
    for (i, commit) in commits.into_iter().enumerate() {
        if i == 1 {
            assert_eq!(heard.recv().unwrap(), 1);
        }
        let store = store.clone();
        tasks.push(tokio::spawn(async move { store.commit(commit).await }));
    }
    while store.waiting() < 3 {
        tokio::task::yield_now().await;
    }
    go.send(()).unwrap();
    assert_eq!(heard.recv().unwrap(), 3, "three commits, one batch");
    assert!(tasks.iter().skip(1).all(|task| !task.is_finished()), "nobody is answered before it is published");
    go.send(()).unwrap();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_arrived_is_finished_before_the_store_closes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let (store, heard, go) = held(&path);
    let mut house = House::on(store.clone());
    let mut commits = Vec::new();
    for i in 0..10 {
        go.send(()).unwrap();
        let id = house.open(&format!("s{i}")).await;
        heard.recv().unwrap();
        let decided = house.decide(&id, Command::Initiate(Box::new(delegation("ann", "bob")))).unwrap();
        commits.push(house.commit_of(&id, &decided, None));
    }
    let mut tasks = Vec::new();
    for (i, commit) in commits.into_iter().enumerate() {
        if i == 1 {
            heard.recv().unwrap();
        }
        let store = store.clone();
        tasks.push(tokio::spawn(async move { store.commit(commit).await }));
    }
    // The first one holds the writer; the others have arrived, and only then the store is closed.
    while store.waiting() < 9 {
        tokio::task::yield_now().await;
    }
    for _ in 0..20 {
        go.send(()).unwrap();
    }
    store.close().await.unwrap();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    drop(house);
    drop(store);
    let again = SqliteStore::open(&path, Options::default()).unwrap();
    assert_eq!(again.stats("default").await.unwrap().total_handoffs, 10);
}
