//! Processes that start at the same time make one schema, and those of the version before go on beside a newer one.

use crate::{house::House, sql::shell, stores, whole::check};
use handover_store::{
    Hooks, Store, StoreError,
    postgres::{Options, PostgresStore},
};
use std::{collections::BTreeSet, path::Path, sync::Arc};

async fn open(folder: &Path, name: &str) -> Result<PostgresStore, StoreError> {
    let address = stores::address(folder);
    PostgresStore::open(Options { address, name: name.into(), hooks: Hooks::default() }).await
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_start_at_once_make_one_schema() {
    let folder = tempfile::tempdir().unwrap();
    stores::address(folder.path());
    let mut opening = Vec::new();
    for i in 0..8 {
        let path = folder.path().to_owned();
        opening.push(tokio::spawn(async move { open(&path, &format!("n{i}")).await.unwrap() }));
    }
    let mut opened = Vec::new();
    for one in opening {
        opened.push(Arc::new(one.await.unwrap()));
    }
    let nodes = opened[0].nodes().await.unwrap();
    let names: BTreeSet<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, BTreeSet::from(["n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"]));
    assert_eq!(nodes.iter().filter(|node| node.this).count(), 1);
    for (i, store) in opened.iter().enumerate() {
        let mut house = House::on(store.clone());
        let id = house.open(&format!("s{i}")).await;
        house.whole(&id, "ann", "bob").await;
        assert_eq!(house.store.session(&id).await.unwrap().as_ref(), house.sessions.get(&id));
    }
    let shell = shell(folder.path()).await;
    let row = shell.query_one("SELECT count(*), min(version) = max(version) FROM schema_version", &[]).await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, bool>(1)), (1, true));
    for store in &opened {
        store.close().await.unwrap();
    }
    let left: i64 = shell.query_one("SELECT count(*) FROM nodes", &[]).await.unwrap().get(0);
    assert_eq!(left, 0, "whoever closes says so");
}

/// What a newer version would do: it adds, and leaves alone what is there.
const NEWER: &str = "BEGIN; ALTER TABLE sessions ADD COLUMN mood text; ALTER TABLE records ADD COLUMN weight bigint; \
                     CREATE TABLE moods (name text PRIMARY KEY); \
                     UPDATE schema_version SET version = version + 1; COMMIT";

#[tokio::test(flavor = "multi_thread")]
async fn the_version_before_goes_on_while_a_newer_one_migrates() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(Arc::new(open(folder.path(), "old").await.unwrap()));
    let id = house.open("one").await;
    house.whole(&id, "ann", "bob").await;
    let store = house.store.clone();
    let busy = tokio::spawn(async move {
        let mut house = House::on(store);
        let id = house.open("busy").await;
        for _ in 0..20 {
            house.whole(&id, "ann", "bob").await;
        }
    });
    let shell = shell(folder.path()).await;
    shell.batch_execute(NEWER).await.unwrap();
    busy.await.unwrap();
    house.whole(&id, "ann", "bob").await;
    // One of the version before that starts only now works, too, and so does one that starts anew.
    let mut beside = House::on(Arc::new(open(folder.path(), "beside").await.unwrap()));
    let other = beside.open("two").await;
    beside.whole(&other, "ann", "bob").await;
    assert_eq!(house.store.session(&other).await.unwrap().as_ref(), beside.sessions.get(&other));
    shell.batch_execute("UPDATE schema_version SET oldest = version").await.unwrap();
    let refused = open(folder.path(), "late").await.map(|_| ());
    assert!(matches!(refused, Err(StoreError::Newer(_))), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn opening_again_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(Arc::new(open(folder.path(), "first").await.unwrap()));
    let id = house.open("one").await;
    house.whole(&id, "ann", "bob").await;
    let again: Arc<dyn Store> = Arc::new(open(folder.path(), "again").await.unwrap());
    let first = std::mem::replace(&mut house.store, again);
    check(&house).await;
    first.close().await.unwrap();
    house.whole(&id, "ann", "bob").await;
    check(&house).await;
}
