//! Moves a whole installation from a SQLite file into an empty PostgreSQL database: every row of every table, to the letter, with
//! the positions that it has. All of it is one transaction: an attempt that ends early leaves nothing behind, and can be
//! made again.

use crate::{Store, StoreError, postgres::PostgresStore, sqlite::SqliteStore};
use handover_core::{ids::SessionId, limits::COPY_PAGES_MAX};
use serde::Serialize;
use tokio::sync::mpsc;

pub(crate) use rusqlite::types::Value;

/// Rows on their way from one store to the other.
pub(crate) type Page = Vec<Vec<Value>>;

/// What was copied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Copied {
    /// The tables in order, each with its number of rows.
    pub tables: Vec<(&'static str, u64)>,
    /// The last position: what is written next comes after it.
    pub last_position: u64,
}

impl Copied {
    /// How many rows of a table were copied.
    #[must_use]
    pub fn rows(&self, table: &str) -> u64 {
        self.tables.iter().find(|(name, _)| *name == table).map_or(0, |(_, rows)| *rows)
    }
}

/// A table: where it goes, and what it is made of. What the databases have alike comes first by the same names.
struct Table {
    name: &'static str,
    columns: &'static str,
    select: &'static str,
}

const TABLES: &[Table] = &[
    Table {
        name: "sessions",
        columns: "no, id, tenant, version, head_seq, head_hash, pruned_seq, pruned_hash, opened_at, ended_at, workflow, \
                  flow_state, state, pruned_n, over_at",
        select: "SELECT no, id, tenant, version, head_seq, head_hash, pruned_seq, pruned_hash, opened_at, ended_at, \
                 workflow, flow_state, state, 0, CASE WHEN pruned_seq < head_seq THEN ended_at END \
                 FROM sessions ORDER BY no",
    },
    Table {
        name: "records",
        columns: "position, session_no, seq, at, event_type, handoff_no, hash, text, period",
        select: "SELECT position, session_no, seq, at, event_type, handoff_no, hash, text, CASE \
                 WHEN session_no = (SELECT no FROM sessions WHERE id = ?1) THEN 0 \
                 ELSE CAST(strftime('%Y%m', at / 1000, 'unixepoch') AS INTEGER) END FROM records ORDER BY position",
    },
    Table { name: "spans", columns: "span, first, last", select: "SELECT span, first, last FROM spans ORDER BY span" },
    Table {
        name: "handoffs",
        columns: "no, id, session_no, tenant, n, from_agent, to_agent, type, status, level, task_id, offered_since, \
                  in_process, due_at, opened_at, closed_at, closed_position, state, ended_badly",
        select: "SELECT no, id, session_no, tenant, n, from_agent, to_agent, type, status, level, task_id, \
                 offered_since, in_process, due_at, opened_at, closed_at, closed_position, state, \
                 CASE WHEN status IN ('failed', 'timed_out', 'escalated', 'cancelled') THEN status END \
                 FROM handoffs ORDER BY no",
    },
    // Whoever works in a process of ours worked in one that is gone now: no process has this id.
    Table {
        name: "open",
        columns: "no, id, session_no, to_agent, level, offered_since, due_at, running, node",
        select: "SELECT no, id, session_no, to_agent, level, offered_since, due_at, status = 'running', \
                 CASE WHEN in_process THEN zeroblob(16) END FROM handoffs WHERE due_at IS NOT NULL ORDER BY no",
    },
    Table {
        name: "messages",
        columns: "session_no, n, at, tokens, body, period",
        select: "SELECT session_no, n, at, tokens, body, CAST(strftime('%Y%m', at / 1000, 'unixepoch') AS INTEGER) \
                 FROM messages ORDER BY session_no, n",
    },
    Table {
        name: "items",
        columns: "session_no, kind, key, body",
        select: "SELECT session_no, kind, key, body FROM items",
    },
    Table {
        name: "keys",
        columns: "session_no, key, digest, answer, seq",
        select: "SELECT session_no, key, digest, answer, seq FROM keys",
    },
    Table {
        name: "returns",
        columns: "of, session_no, to_agent, position, seq",
        select: "SELECT of, session_no, to_agent, position, seq FROM returns",
    },
    Table { name: "agents", columns: "id, profile, standing", select: "SELECT id, profile, standing FROM agents" },
    Table {
        name: "counts",
        columns: "session_no, from_agent, to_agent, n",
        select: "SELECT session_no, from_agent, to_agent, n FROM counts",
    },
    Table {
        name: "tenant_counts",
        columns: "tenant, from_agent, to_agent, n",
        select: "SELECT tenant, from_agent, to_agent, n FROM tenant_counts",
    },
    Table { name: "totals", columns: "tenant, name, n", select: "SELECT tenant, name, n FROM totals" },
    Table { name: "notes", columns: "space, key, body", select: "SELECT space, key, body FROM notes" },
];

/// The months of everything that is not kept apart from them.
const PERIODS: &str = "SELECT DISTINCT CAST(strftime('%Y%m', at / 1000, 'unixepoch') AS INTEGER) FROM \
                       (SELECT at FROM records WHERE session_no IS NOT (SELECT no FROM sessions WHERE id = ?1) \
                       UNION ALL SELECT at FROM messages)";

/// Copies everything. Nothing else may write to the first store meanwhile; whoever writes to the second one waits.
///
/// # Errors
/// `Failed` when the second store is not empty, or whatever went wrong on the way: nothing was written then.
pub async fn copy(from: &SqliteStore, to: &PostgresStore) -> Result<Copied, StoreError> {
    let import = to.import().await?;
    let periods = collected(from, PERIODS).await?;
    import.make_partitions(&periods).await?;
    let mut tables = Vec::with_capacity(TABLES.len() + 1);
    for table in TABLES {
        tables.push((table.name, copy_table(from, &import, table).await?));
    }
    let (last_position, at) = from.last_position().await?;
    let ledger = from.ledger().await?;
    import.ledger(&ledger, last_position).await?;
    tables.push(("ledger", ledger.len() as u64));
    import.finish(last_position, at).await?;
    Ok(Copied { tables, last_position })
}

/// One table, from one to the other. A few pages at the most are on their way.
async fn copy_table(
    from: &SqliteStore,
    import: &crate::postgres::Import<'_>,
    table: &Table,
) -> Result<u64, StoreError> {
    let (sender, pages) = mpsc::channel(COPY_PAGES_MAX);
    let reading = from.export(table.select, house(table.select), sender);
    let (read, written) = tokio::join!(reading, import.table(table.name, table.columns, pages));
    // What the writer says comes first: when it gives up, the reader can only say that nobody listens.
    let written = written?;
    read?;
    Ok(written)
}

/// Everything that a question gives, where that is little.
async fn collected(from: &SqliteStore, select: &'static str) -> Result<Page, StoreError> {
    let (sender, mut pages) = mpsc::channel(COPY_PAGES_MAX);
    let mut all = Page::new();
    let collecting = async {
        while let Some(page) = pages.recv().await {
            all.extend(page);
        }
    };
    let (read, ()) = tokio::join!(from.export(select, house(select), sender), collecting);
    read?;
    Ok(all)
}

/// The book of the house, where a question asks for it.
fn house(select: &str) -> Option<SessionId> {
    select.contains("?1").then(SessionId::house)
}
