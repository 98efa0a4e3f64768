//! The file itself: is it ours, is it whole, and how it is made, opened and set up.
//! A file that is not ours is never written to.

use super::{
    Options,
    fault::{Fault, opening},
    lock::beside,
    migrations::{self, APPLICATION_ID},
};
use crate::StoreError;
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    time::Duration,
};

/// How long to wait for somebody else's lock: a shell that looks into the file, a backup.
pub(super) const BUSY: Duration = Duration::from_secs(10);
/// Pages of 4,096 bytes; larger ones wrote more for the same rows.
const PAGE_BYTES: u32 = 4_096;
/// Memory for pages of the writing connection, in KiB. After nearly every commit SQLite looks through all of it, so
/// that more costs more than it saves; what does not fit is in the memory of the system.
const WRITER_CACHE_KIB: i64 = 16 * 1_024;
/// Memory for pages of each reading connection, in KiB.
const READER_CACHE_KIB: i64 = 8 * 1_024;
/// Statements kept prepared by each connection.
const STATEMENTS: usize = 64;
/// The log file is cut back to this when it starts anew, in bytes.
const LOG_KEPT_BYTES: i64 = 256 * 1_024 * 1_024;

/// What a look at the first bytes says, without SQLite and without a trace.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// There is no file, or an empty one.
    New,
    /// It is ours.
    Ours,
}

/// Looks at a file before anything is done with it.
pub(super) fn look(path: &Path) -> Result<Look, StoreError> {
    let failed = |error: std::io::Error| StoreError::Failed(format!("{} cannot be opened: {error}", path.display()));
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return new(path),
        Err(error) => return Err(failed(error)),
    };
    if !meta.is_file() {
        return Err(StoreError::Damaged(format!("{} is not a file", path.display())));
    }
    if meta.len() == 0 {
        return new(path);
    }
    let mut header = Vec::with_capacity(100);
    File::open(path).and_then(|file| file.take(100).read_to_end(&mut header)).map_err(failed)?;
    check_header(path, &header)
}

/// A log without its database belongs to a database that was lost or moved; it must not be mixed into a new one.
fn new(path: &Path) -> Result<Look, StoreError> {
    let log = beside(path, "-wal");
    match fs::metadata(&log) {
        Ok(meta) if meta.len() > 0 => Err(StoreError::Damaged(format!(
            "{} is missing or empty, but its log {} is not; put the database back, or move the log away",
            path.display(),
            log.display()
        ))),
        Ok(_) | Err(_) => Ok(Look::New),
    }
}

fn check_header(path: &Path, header: &[u8]) -> Result<Look, StoreError> {
    let damaged = |why: &str| Err(StoreError::Damaged(format!("{} is not a Handover database: {why}", path.display())));
    if header.len() < 100 {
        return damaged("its header is cut off");
    }
    if !header.starts_with(b"SQLite format 3\0") {
        return damaged("it is no SQLite database");
    }
    let number = |at: usize| header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(i32::from_be_bytes);
    match number(68) {
        Some(APPLICATION_ID) => {}
        Some(_) | None => return damaged("it belongs to another program"),
    }
    newer(path, number(60).unwrap_or_default())?;
    Ok(Look::Ours)
}

fn newer(path: &Path, version: i32) -> Result<(), StoreError> {
    let ours = migrations::VERSION;
    if version > ours {
        return Err(StoreError::Newer(format!(
            "{} has version {version}; this program knows versions up to {ours}",
            path.display()
        )));
    }
    Ok(())
}

/// Makes a new database under another name and gives it its own when it is complete and on disk: a crash leaves
/// either no database or a whole one.
pub(super) fn create(path: &Path) -> Result<(), StoreError> {
    let draft = beside(path, ".new");
    let failed = |error: std::io::Error| StoreError::Failed(format!("{} cannot be made: {error}", path.display()));
    for leftover in [draft.clone(), beside(&draft, "-journal"), beside(&draft, "-wal"), beside(&draft, "-shm")] {
        match fs::remove_file(&leftover) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
    }
    fill(&draft).map_err(|fault| opening(path, fault))?;
    File::open(&draft).and_then(|file| file.sync_all()).map_err(failed)?;
    fs::rename(&draft, path).map_err(failed)?;
    File::open(folder(path)).and_then(|folder| folder.sync_all()).map_err(failed)
}

fn fill(draft: &Path) -> Result<(), Fault> {
    let conn = Connection::open(draft)?;
    conn.pragma_update(None, "page_size", PAGE_BYTES)?;
    conn.pragma_update(None, "application_id", APPLICATION_ID)?;
    migrations::apply(&conn)?;
    set_journal(&conn)?;
    conn.close().map_err(|(_, error)| error)?;
    Ok(())
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        Some(_) | None => PathBuf::from("."),
    }
}

fn set_journal(conn: &Connection) -> Result<(), Fault> {
    let mode: String = conn.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode == "wal" { Ok(()) } else { Err(Fault::Broken(format!("no write-ahead log here, only {mode}"))) }
}

/// The connection that writes. The database exists, is ours and is locked for us.
pub(super) fn writer(path: &Path, options: &Options) -> Result<Connection, StoreError> {
    let conn = open_writer(path, options).map_err(|fault| opening(path, fault))?;
    newer(path, version(&conn).map_err(|fault| opening(path, fault))?)?;
    migrations::apply(&conn).and_then(|()| check_tables(&conn)).map_err(|fault| opening(path, fault))?;
    Ok(conn)
}

fn open_writer(path: &Path, options: &Options) -> Result<Connection, Fault> {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(BUSY)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    keep_plans(&conn)?;
    set_journal(&conn)?;
    conn.pragma_update(None, "synchronous", if options.sync { "FULL" } else { "OFF" })?;
    conn.pragma_update(None, "foreign_keys", false)?;
    conn.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "journal_size_limit", LOG_KEPT_BYTES)?;
    // Checkpoints are started by us, beside the writing.
    conn.pragma_update(None, "wal_autocheckpoint", 0)?;
    Ok(conn)
}

fn version(conn: &Connection) -> Result<i32, Fault> {
    Ok(conn.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

fn check_tables(conn: &Connection) -> Result<(), Fault> {
    let mut find = conn.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1")?;
    for table in migrations::TABLES {
        if !find.exists([table])? {
            return Err(Fault::Damaged(format!("the table {table} is missing")));
        }
    }
    // One row of the largest table: a file that was cut off shows it here and not at the first request.
    conn.query_row("SELECT coalesce(max(position), 0) FROM records", [], |row| row.get::<_, i64>(0))?;
    Ok(())
}

/// The one path of a file, whatever links lead to it: two names must not mean two locks.
pub(super) fn whole(path: &Path) -> PathBuf {
    if let Ok(whole) = path.canonicalize() {
        return whole;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        (Ok(_) | Err(_), _) => path.to_owned(),
    }
}

/// A statement keeps its plan whatever values it is given. Without this SQLite plans a range query anew for every call.
fn keep_plans(conn: &Connection) -> Result<(), Fault> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// A connection that reads.
pub(super) fn reader(path: &Path) -> Result<Connection, StoreError> {
    let open = || -> Result<Connection, Fault> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(path, flags)?;
        conn.busy_timeout(BUSY)?;
        conn.set_prepared_statement_cache_capacity(STATEMENTS);
        keep_plans(&conn)?;
        conn.pragma_update(None, "query_only", true)?;
        conn.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
        Ok(conn)
    };
    open().map_err(|fault| opening(path, fault))
}

/// A connection that moves the log into the database.
pub(super) fn checkpointer(path: &Path, options: &Options) -> Result<Connection, StoreError> {
    open_writer(path, options).map_err(|fault| opening(path, fault))
}
