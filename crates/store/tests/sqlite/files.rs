//! Whatever lies where the database should be: it is opened, or it is left alone and named.

use crate::house::{House, delegation};
use handover_store::{
    Store, StoreError,
    sqlite::{Options, SqliteStore},
};
use std::{fs, path::Path, sync::Arc};

fn open(path: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(path, Options::default())
}

fn error(path: &Path) -> StoreError {
    match open(path) {
        Ok(_) => panic!("{} was opened", path.display()),
        Err(error) => error,
    }
}

async fn filled(path: &Path) {
    let mut house = House::on(Arc::new(open(path).unwrap()));
    let id = house.open("one").await;
    for _ in 0..20 {
        house.whole(&id, "ann", "bob").await;
    }
    house.store.close().await.unwrap();
}

/// Refused with this text, and not a byte of it is different afterwards.
fn left_alone(path: &Path, content: &[u8], text: &str) {
    fs::write(path, content).unwrap();
    let error = error(path);
    assert!(matches!(error, StoreError::Damaged(_)), "{error:?}");
    assert!(error.to_string().contains(text), "{error}");
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    assert_eq!(fs::read(path).unwrap(), content);
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let mut noise = 7_u32;
    let random: Vec<u8> = std::iter::repeat_with(|| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.to_be_bytes()[0]
    })
    .take(20_000)
    .collect();
    left_alone(&path, &random, "no SQLite database");
    left_alone(&path, b"x", "cut off");
    left_alone(&path, b"SQLite format 3\0", "cut off");
    left_alone(&path, "just a text. ".repeat(50).as_bytes(), "no SQLite database");
    let mut header = random;
    header[..16].copy_from_slice(b"SQLite format 3\0");
    left_alone(&path, &header, "another program");
    assert!(!folder.path().join("x.db.lock").exists(), "not even a lock beside it");

    let other = folder.path().join("other.db");
    let conn = rusqlite::Connection::open(&other).unwrap();
    conn.execute_batch("CREATE TABLE sessions (id)").unwrap();
    drop(conn);
    left_alone(&other, &fs::read(&other).unwrap(), "another program");
}

#[test]
fn a_place_that_cannot_be_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error_at_folder = error(folder.path());
    assert!(error_at_folder.to_string().contains("is not a file"), "{error_at_folder}");
    let nowhere = folder.path().join("no/such/folder/x.db");
    let error_nowhere = error(&nowhere);
    assert!(matches!(error_nowhere, StoreError::Failed(_)), "{error_nowhere:?}");
    assert!(error_nowhere.to_string().contains("no/such/folder"), "{error_nowhere}");
    let unwritable = Path::new("/proc/handover.db");
    assert!(matches!(error(unwritable), StoreError::Failed(_)));
    let below_a_file = folder.path().join("file");
    fs::write(&below_a_file, "x").unwrap();
    assert!(matches!(error(&below_a_file.join("x.db")), StoreError::Failed(_)));
}

#[tokio::test]
async fn an_empty_file_is_a_new_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    fs::write(&path, b"").unwrap();
    filled(&path).await;
    assert_eq!(open(&path).unwrap().stats("default").await.unwrap().total_handoffs, 20);
}

#[tokio::test]
async fn a_draft_that_a_crash_left_is_in_nobodys_way() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    fs::write(folder.path().join("x.db.new"), b"half a database").unwrap();
    fs::write(folder.path().join("x.db.new-journal"), b"half a journal").unwrap();
    filled(&path).await;
    assert!(!folder.path().join("x.db.new").exists());
}

#[tokio::test]
async fn a_database_that_lost_a_part_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    filled(&path).await;
    let whole = fs::read(&path).unwrap();
    for keep in [50, 100, 4_096, whole.len() / 2, whole.len() - 4_096] {
        fs::write(&path, &whole[..keep]).unwrap();
        let error = error(&path);
        assert!(matches!(error, StoreError::Damaged(_)), "{keep}: {error:?}");
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(open(&path).unwrap().stats("default").await.unwrap().total_handoffs, 20, "whole again");
}

#[tokio::test]
async fn any_damage_is_an_error_and_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    filled(&path).await;
    let whole = fs::read(&path).unwrap();
    let mut refused = 0;
    for page in 0..whole.len() / 4_096 {
        for (offset, length) in [(0, 64), (100, 500), (2_048, 2_048)] {
            let mut torn = whole.clone();
            let from = page * 4_096 + offset;
            torn[from..from + length].fill(0xa5);
            fs::write(&path, &torn).unwrap();
            // Damage deep inside may show late or not at all; it must not be worse than an error.
            match open(&path) {
                Err(_) => refused += 1,
                Ok(store) => {
                    let id = crate::house::session("one");
                    let _ = store.session(&id).await;
                    let _ = store.records(&handover_store::RecordQuery { limit: 99, ..Default::default() }).await;
                    let _ = store.stats("default").await;
                    let _ = store.close().await;
                }
            }
        }
    }
    assert!(refused > 0);
}

#[tokio::test]
async fn a_missing_table_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    filled(&path).await;
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch("DROP VIEW agent_handoffs; DROP TABLE items").unwrap();
    drop(conn);
    let error = error(&path);
    assert!(matches!(&error, StoreError::Damaged(text) if text.contains("items")), "{error:?}");
}

#[tokio::test]
async fn a_newer_file_is_left_alone_and_both_versions_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    filled(&path).await;
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.pragma_update(None, "user_version", 99).unwrap();
    drop(conn);
    let before = fs::read(&path).unwrap();
    let error = error(&path);
    let told = |text: &str| text.contains("has version 99") && text.contains("up to 5");
    assert!(matches!(&error, StoreError::Newer(text) if told(text)), "{error:?}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn a_log_without_its_database_is_not_mixed_into_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    fs::write(folder.path().join("x.db-wal"), [7; 5_000]).unwrap();
    let error = error(&path);
    assert!(matches!(&error, StoreError::Damaged(text) if text.contains("x.db-wal")), "{error:?}");
    assert!(!path.exists());
}

#[tokio::test]
async fn a_second_store_is_told_who_has_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let mut house = House::on(Arc::new(open(&path).unwrap()));
    let id = house.open("one").await;
    let error = error(&path);
    let pid = std::process::id().to_string();
    assert!(matches!(&error, StoreError::InUse(text) if text.contains("x.db") && text.contains(&pid)), "{error:?}");
    // The first one is not disturbed.
    house.initiate(&id, delegation("ann", "bob")).await;
    house.store.close().await.unwrap();
    open(&path).unwrap();
}

#[tokio::test]
async fn a_closed_database_is_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    filled(&path).await;
    let log = fs::metadata(folder.path().join("x.db-wal")).map_or(0, |meta| meta.len());
    assert_eq!(log, 0);
}
