//! A disk that fails stops the writing for good; nothing that failed was promised, and reading goes on.

use crate::{child, house::session};
use handover_store::{
    Store,
    sqlite::{Options, SqliteStore},
};
use std::{path::Path, process::Output};

fn check_stopped(output: &Output, place: &str) -> u64 {
    let stopped = child::lines(output, "stopped ");
    assert_eq!(stopped.len(), 1, "{place}: {output:?}");
    assert_eq!(child::lines(output, "refused "), stopped, "{place}: every later commit hears the same");
    assert_eq!(child::lines(output, "unexpected ").len(), 0, "{place}: {output:?}");
    assert_eq!(child::lines(output, "finished").len(), 0, "{place}");
    let read = child::lines(output, "read ");
    let promised = child::lines(output, "promised ");
    let (read, promised): (u64, u64) = (read[0].parse().unwrap(), promised.last().unwrap().parse().unwrap());
    assert!(read >= promised, "{place}: {read} < {promised}");
    promised
}

async fn head(folder: &Path) -> u64 {
    let store = SqliteStore::open(&folder.join("x.db"), Options::default()).unwrap();
    store.chain(&session("one")).await.unwrap().unwrap().head.0
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_at_any_stage_of_the_writer_stops_it() {
    for place in ["received", "after_begin", "after_writes", "before_commit"] {
        let folder = tempfile::tempdir().unwrap();
        let output = child::run(folder.path(), 4, Some(&format!("sqlite.{place}:5:error")), None);
        let promised = check_stopped(&output, place);
        assert_eq!(head(folder.path()).await, promised, "{place}: what failed was not written");
    }
    for place in ["after_commit", "after_publish", "after_answer"] {
        let folder = tempfile::tempdir().unwrap();
        let output = child::run(folder.path(), 4, Some(&format!("sqlite.{place}:5:error")), None);
        let promised = check_stopped(&output, place);
        let head = head(folder.path()).await;
        assert!(head == promised || head == promised + 1, "{place}: {head}, {promised}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_cannot_grow_stops_it() {
    let mut promises = Vec::new();
    for kib in [300, 350, 400, 500] {
        let folder = tempfile::tempdir().unwrap();
        let output = child::run(folder.path(), 200, None, Some(kib));
        let promised = check_stopped(&output, "limit");
        assert_eq!(head(folder.path()).await, promised, "exactly what was promised is there");
        promises.push(promised);
    }
    assert!(promises.is_sorted() && promises[0] < promises[3], "{promises:?}");
}
