//! The schema and its versions: numbered files, each applied once, each in one transaction with its number.

use super::fault::Fault;
use rusqlite::Connection;

/// Marks a file as ours ("HOvr").
pub(super) const APPLICATION_ID: i32 = 0x484f_7672;

const FILES: &[&str] = &[
    include_str!("migrations/0001_first.sql"),
    include_str!("migrations/0002_ledger.sql"),
    include_str!("migrations/0003_notes.sql"),
    include_str!("migrations/0004_flow.sql"),
];

/// The version of the schema that this program writes.
pub(super) const VERSION: i32 = 4;

/// Brings a database to the current version.
pub(super) fn apply(conn: &Connection) -> Result<(), Fault> {
    let have: i32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let have = usize::try_from(have).unwrap_or(0);
    for (i, sql) in FILES.iter().enumerate().skip(have) {
        let version = i + 1;
        conn.execute_batch(&format!("BEGIN IMMEDIATE;\n{sql}\nPRAGMA user_version = {version};\nCOMMIT;"))?;
    }
    Ok(())
}

/// The tables that a database of this version must have.
pub(super) const TABLES: &[&str] = &[
    "sessions",
    "records",
    "spans",
    "handoffs",
    "messages",
    "items",
    "keys",
    "returns",
    "agents",
    "counts",
    "tenant_counts",
    "totals",
    "ledger",
    "notes",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_number_of_files() {
        assert_eq!(usize::try_from(VERSION).unwrap(), FILES.len());
    }

    #[test]
    fn every_table_is_listed() {
        let conn = Connection::open_in_memory().unwrap();
        apply(&conn).unwrap();
        apply(&conn).unwrap();
        let mut statement = conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
        let names: std::collections::BTreeSet<String> =
            statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert_eq!(names, TABLES.iter().map(|name| (*name).to_owned()).collect());
    }
}
