//! A process that dies at any place loses nothing that it promised, and leaves nothing half done.

use crate::{
    child,
    house::{House, delegation, session},
};
use handover_core::record::Record;
use handover_store::{
    RecordQuery, Store, failpoint,
    sqlite::{Options, SqliteStore},
};
use std::{os::unix::process::ExitStatusExt, path::Path, process::Output, sync::Arc};

const SIGABRT: i32 = 6;

fn last(output: &Output, word: &str) -> u64 {
    child::lines(output, word).last().map_or(0, |line| line.parse().unwrap())
}

/// Opens what the dead process left, and looks at all of it.
async fn check(folder: &Path, output: &Output, place: &str) -> u64 {
    let store = Arc::new(SqliteStore::open(&folder.join("x.db"), Options::default()).unwrap());
    let (asked, promised) = (last(output, "asked "), last(output, "promised "));
    let id = session("one");
    let head = store.chain(&id).await.unwrap().map_or(0, |ends| ends.head.0);
    assert!((promised..=asked).contains(&head), "{place}: {head} is not between {promised} and {asked}");
    let records = store.records(&RecordQuery { limit: 1_000, ..RecordQuery::default() }).await.unwrap();
    let positions: Vec<u64> = records.iter().map(|record| record.position).collect();
    assert_eq!(positions, (1..=positions.len() as u64).collect::<Vec<_>>(), "{place}");
    let own: Vec<Record> = records
        .iter()
        .filter(|record| record.session_id == id)
        .map(|record| serde_json::from_str(&record.text).unwrap())
        .collect();
    assert_eq!(own.iter().map(|record| record.seq).collect::<Vec<_>>(), (1..=head).collect::<Vec<_>>(), "{place}");
    let initiated = own.iter().filter(|record| record.event_type == "initiated").count() as u64;
    assert_eq!(store.count(&id, None, None).await.unwrap(), initiated, "{place}: half a commit");
    let stats = store.stats("default").await.unwrap();
    assert_eq!((stats.total_handoffs, stats.records), (initiated, head), "{place}: half a commit");
    if let Some(found) = store.session(&id).await.unwrap() {
        assert_eq!(found.head.seq, head, "{place}: half a commit");
        // It goes on where it was.
        let mut house = House::on(store.clone());
        house.ids.0 += 1 << 40;
        house.now = found.last_at;
        house.sessions.insert(id.clone(), found);
        house.initiate(&id, delegation("ann", "bob")).await;
    }
    store.close().await.unwrap();
    head
}

#[tokio::test(flavor = "multi_thread")]
async fn death_at_any_place_breaks_no_promise() {
    let mut heads = std::collections::BTreeSet::new();
    for place in failpoint::ALL {
        for n in [1, 3] {
            let folder = tempfile::tempdir().unwrap();
            let output = child::run(folder.path(), 4, Some(&format!("{place}:{n}")), None);
            let once = n > 1 && place.starts_with("close.");
            assert!(once || output.status.signal() == Some(SIGABRT), "{place}:{n} was not reached: {output:?}");
            heads.insert(check(folder.path(), &output, place).await);
        }
    }
    assert!(heads.len() > 4, "the deaths were all at the same moment: {heads:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_death_everything_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let output = child::run(folder.path(), 4, None, None);
    assert_eq!(child::lines(&output, "finished").len(), 1, "{output:?}");
    assert_eq!(check(folder.path(), &output, "nowhere").await, 1 + 4 * 4);
}

#[test]
fn a_place_that_does_not_exist_is_refused() {
    for wrong in ["nowhere:1", "sqlite.after_begin:x", "sqlite.after_begin:1:explode", "sqlite.after_begin:1:error:x"] {
        let folder = tempfile::tempdir().unwrap();
        let output = child::run(folder.path(), 1, Some(wrong), None);
        assert_eq!(child::lines(&output, "refused").len(), 1, "{wrong}: {output:?}");
    }
}
