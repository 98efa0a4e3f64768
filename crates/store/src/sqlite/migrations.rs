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
    include_str!("migrations/0005_lists.sql"),
];

/// The version of the schema that this program writes.
pub(super) const VERSION: i32 = 5;

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
    fn sessions_of_older_files_stand_where_their_state_says() {
        let conn = Connection::open_in_memory().unwrap();
        for sql in &FILES[..3] {
            conn.execute_batch(sql).unwrap();
        }
        conn.pragma_update(None, "user_version", 3).unwrap();
        for (id, state) in
            [("one", r#"{"workflow":"w","flow":{"state":"PACKING"}}"#), ("two", "{}"), ("three", r#"{"workflow":"w"}"#)]
        {
            let values = "'t', 1, 1, x'', 0, x'', 0";
            let columns = "id, state, tenant, version, head_seq, head_hash, pruned_seq, pruned_hash, opened_at";
            conn.execute(&format!("INSERT INTO sessions ({columns}) VALUES (?1, ?2, {values})"), [id, state]).unwrap();
        }
        apply(&conn).unwrap();
        let mut statement = conn.prepare("SELECT id, workflow, flow_state FROM sessions ORDER BY no").unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        let found: Vec<(String, Option<String>, Option<String>)> = rows.map(Result::unwrap).collect();
        let stands = (Some("w".to_owned()), Some("PACKING".to_owned()));
        assert_eq!(found[0], ("one".to_owned(), stands.0, stands.1));
        assert_eq!(found[1..], [("two".to_owned(), None, None), ("three".to_owned(), None, None)]);
    }

    #[test]
    fn handoffs_of_older_files_belong_to_the_tenant_of_their_session() {
        let conn = Connection::open_in_memory().unwrap();
        for sql in &FILES[..4] {
            conn.execute_batch(sql).unwrap();
        }
        conn.pragma_update(None, "user_version", 4).unwrap();
        for (no, tenant) in [(1, "acme"), (2, "beta")] {
            let session = format!("({no}, 's{no}', '{tenant}', 1, 1, x'', 0, x'', 0, '{{}}')");
            let columns = "no, id, tenant, version, head_seq, head_hash, pruned_seq, pruned_hash, opened_at, state";
            conn.execute_batch(&format!("INSERT INTO sessions ({columns}) VALUES {session}")).unwrap();
            let handoff = format!("({no}, x'0{no}', {no}, 1, 'a', 'b', 'delegation', 'offered', 2, 0, 1, 1, '{{}}')");
            let columns = "no, id, session_no, n, from_agent, to_agent, type, status, level, in_process, due_at, \
                           opened_at, state";
            conn.execute_batch(&format!("INSERT INTO handoffs ({columns}) VALUES {handoff}")).unwrap();
        }
        apply(&conn).unwrap();
        let mut statement = conn.prepare("SELECT tenant FROM handoffs ORDER BY no").unwrap();
        let found: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert_eq!(found, ["acme", "beta"]);
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
