//! What came of a commit is never a guess: whenever the connection breaks, it is written once or not at all, and whoever
//! waits is told which.

use crate::{
    house::{House, agent, session},
    proxy::{Break, Proxy, contains},
    sql::shell,
    stores,
    whole::{all_records, check},
};
use handover_core::command::{self, Command};
use handover_store::{
    Hooks, Store, StoreError,
    postgres::{Options, PostgresStore},
};
use std::{path::Path, sync::Arc};
use tokio::sync::oneshot;

async fn open(address: String) -> Arc<dyn Store> {
    Arc::new(PostgresStore::open(Options { address, name: "cut".into(), hooks: Hooks::default() }).await.unwrap())
}

/// A house whose store is at the other end of a way that breaks.
async fn house(folder: &Path) -> (House, Proxy) {
    let proxy = Proxy::to(&stores::address(folder)).await;
    let mut house = House::on(open(proxy.address()).await);
    // The first commit makes the partitions and prepares the statement.
    house.open("first").await;
    (house, proxy)
}

/// How often a session was written.
async fn sessions(folder: &Path, id: &str) -> i64 {
    let sql = "SELECT count(*) FROM records r JOIN sessions s ON s.no = r.session_no WHERE s.id = $1 AND r.seq = 1";
    shell(folder).await.query_one(sql, &[&id]).await.unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_whose_answer_is_lost_is_known_to_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let (mut house, proxy) = house(folder.path()).await;
    proxy.arm("answer-lost", Break::After);
    let id = house.open("answer-lost").await;
    assert!(!proxy.is_armed());
    assert_eq!(sessions(folder.path(), "answer-lost").await, 1);
    check(&house).await;
    house.whole(&id, "ann", "bob").await;
    check(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_is_lost_is_known_not_to_be_written_and_goes_again() {
    let folder = tempfile::tempdir().unwrap();
    let (mut house, proxy) = house(folder.path()).await;
    proxy.arm("statement-lost", Break::Before);
    let id = house.open("statement-lost").await;
    assert!(!proxy.is_armed());
    assert_eq!(sessions(folder.path(), "statement-lost").await, 1);
    house.whole(&id, "ann", "bob").await;
    check(&house).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_arrives_after_it_was_given_up_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (mut house, proxy) = house(folder.path()).await;
    let ((go, gone), (said, heard)) = (oneshot::channel(), oneshot::channel());
    proxy.arm("statement-late", Break::Late { go: gone, said });
    let id = house.open("statement-late").await;
    let before = all_records(&*house.store).await;
    go.send(()).unwrap();
    let answer = heard.await.unwrap();
    assert!(contains(&answer, b"HO002"), "{}", String::from_utf8_lossy(&answer));
    assert_eq!(all_records(&*house.store).await, before);
    assert_eq!(sessions(folder.path(), "statement-late").await, 1);
    house.whole(&id, "ann", "bob").await;
    check(&house).await;
}

/// Commits go on while the database throws everybody out, again and again.
#[tokio::test(flavor = "multi_thread")]
async fn being_thrown_out_loses_and_doubles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(stores::address(folder.path())).await;
    House::on(store.clone()).open("first").await;
    let mut writers = Vec::new();
    for writer in 0..8 {
        let store = store.clone();
        writers.push(tokio::spawn(async move {
            let mut house = House::on(store);
            let id = house.open(&format!("s{writer}")).await;
            for _ in 0..10 {
                house.whole(&id, "ann", "bob").await;
            }
            house
        }));
    }
    let shell = shell(folder.path()).await;
    let throw = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'handover cut'";
    let mut thrown: i64 = 0;
    while !writers.iter().all(tokio::task::JoinHandle::is_finished) {
        thrown += shell.query_one(throw, &[]).await.unwrap().get::<_, i64>(0);
        tokio::task::yield_now().await;
        // As often as others get something done, and no oftener.
        House::on(store.clone()).open(&format!("between-{thrown}")).await;
    }
    assert!(thrown > 0);
    for writer in writers {
        let house = writer.await.unwrap();
        for (id, session) in &house.sessions {
            assert_eq!(store.session(id).await.unwrap().as_ref(), Some(session));
        }
    }
    let positions: Vec<u64> = all_records(&*store).await.into_keys().collect();
    assert_eq!(positions, (1..=positions.len() as u64).collect::<Vec<_>>());
}

/// A way on which nothing arrives and nothing breaks: without a time limit of ours everybody would wait for ever.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_says_nothing_any_more_is_left_for_a_new_connection() {
    let folder = tempfile::tempdir().unwrap();
    let proxy = Proxy::to(&stores::address(folder.path())).await;
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let hooks = Hooks { on_foreign: Some(Box::new(move |_| tell.send(()).unwrap_or_default())), ..Hooks::default() };
    let options = Options { address: proxy.address(), name: "here".into(), hooks };
    let mut here = House::on(Arc::new(PostgresStore::open(options).await.unwrap()));
    here.open("first").await;
    let mut there = House::on(open(stores::address(folder.path())).await);
    there.open("elsewhere").await;
    told.recv().await.unwrap();
    proxy.fall_silent();
    let id = session("second");
    let decided = here.decide(&id, Command::Open(command::Open::of(agent("ann")))).unwrap();
    // Whoever waits is told in time that it was not written; what is asked after that is, what was written there is heard,
    // and nobody is taken for gone.
    let lost = here.store.commit(here.commit_of(&id, &decided, None));
    let heard = async {
        there.open("later").await;
        told.recv().await.unwrap();
    };
    let (lost, ()) = tokio::join!(lost, heard);
    assert!(matches!(lost, Err(StoreError::Away(_))), "{lost:?}");
    assert_eq!(sessions(folder.path(), "second").await, 0);
    let id = here.open("second").await;
    here.whole(&id, "ann", "bob").await;
    let nodes = there.store.nodes().await.unwrap();
    assert_eq!(nodes.len(), 2, "{nodes:?}");
}
