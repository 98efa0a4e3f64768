//! A million handoffs: reading them, counting them, opening the file.

use super::{
    Settings,
    load::{self, text},
    report::{Report, percentile},
};
use handover::prelude::{Engine, Options, SessionId};
use std::{path::Path, time::Instant};

const PER_SESSION: u64 = 20;
/// A million handoffs; a tenth of that where a minute must do.
const SESSIONS: u64 = 50_000;
const SESSIONS_QUICK: u64 = 5_000;
const PAGE: usize = 50;

pub(super) fn run(report: &mut Report, runtime: &tokio::runtime::Runtime, settings: Settings) -> Result<(), String> {
    let (place, handoffs) = made(report, runtime, settings)?;
    let (file, sessions) = (place.path().join("bench.db"), handoffs / PER_SESSION);
    let mut reopened = Vec::new();
    for _ in 0..3 {
        let start = Instant::now();
        let engine = runtime.block_on(Engine::open_with(&file, options())).map_err(text)?;
        reopened.push(start.elapsed().as_secs_f64());
        runtime.block_on(engine.close()).map_err(text)?;
    }
    let rounds = if settings.quick { 2_000 } else { 20_000 };
    runtime.block_on(read(report, &file, sessions, rounds))?;
    let note = format!("with {handoffs} handoffs, median of 3");
    report.figure("engine.reopen_s", percentile(&mut reopened, 0.5), "s", "<= 2", note);
    Ok(())
}

/// A file with so many handoffs, in a folder of its own.
pub(super) fn made(
    report: &Report,
    runtime: &tokio::runtime::Runtime,
    settings: Settings,
) -> Result<(tempfile::TempDir, u64), String> {
    let sessions = if settings.quick { SESSIONS_QUICK } else { SESSIONS };
    Ok((filled(report, runtime, sessions, PER_SESSION)?, sessions * PER_SESSION))
}

/// A file with so many sessions, `m-0` and on, each with so many handoffs, in a folder of its own.
pub(super) fn filled(
    report: &Report,
    runtime: &tokio::runtime::Runtime,
    sessions: u64,
    per_session: u64,
) -> Result<tempfile::TempDir, String> {
    report.doing(&format!("{} handoffs: filling the file", sessions * per_session));
    let place = super::engine::folder()?;
    runtime.block_on(template(place.path(), per_session))?;
    let start = Instant::now();
    fill(&place.path().join("bench.db"), sessions)?;
    report.doing(&format!("filled in {:.0} s; reading", start.elapsed().as_secs_f64()));
    Ok(place)
}

/// A session as the engine writes it; the others are made after it.
async fn template(folder: &Path, handoffs: u64) -> Result<(), String> {
    let engine = load::open(folder, true).await?;
    let session = load::session(&engine, "m-0", load::MESSAGES).await?;
    for i in 0..handoffs {
        load::handoff(&engine, &session, i).await?;
    }
    engine.close().await.map_err(text)
}

/// Copies the template's rows under new names and numbers, far quicker than handing over a million times. Of the
/// records only those that reading needs: five gigabytes instead of eight.
fn fill(file: &Path, sessions: u64) -> Result<(), String> {
    let conn = rusqlite::Connection::open(file).map_err(text)?;
    // Nobody needs this file after a crash: no journal, no sync.
    conn.pragma_update(None, "journal_mode", "off").map_err(text)?;
    conn.pragma_update(None, "synchronous", "off").map_err(text)?;
    conn.pragma_update(None, "cache_size", -1_000_000).map_err(text)?;
    // Indexes are built at the end: sorted, and not row by row.
    let indexes = indexes(&conn)?;
    for (name, _) in &indexes {
        conn.execute_batch(&format!("DROP INDEX {name}")).map_err(text)?;
    }
    conn.execute_batch(&format!(
        "BEGIN;
         CREATE TEMP TABLE copies AS
           WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {last}) SELECT i FROM c;
         CREATE TEMP TABLE s AS SELECT * FROM sessions WHERE id = 'm-0';
         CREATE TEMP TABLE r AS SELECT * FROM records WHERE session_no = (SELECT no FROM s);
         CREATE TEMP TABLE h AS SELECT * FROM handoffs WHERE session_no = (SELECT no FROM s);
         CREATE TEMP TABLE k AS SELECT * FROM counts WHERE session_no = (SELECT no FROM s);
         CREATE TEMP TABLE step AS SELECT (SELECT max(position) FROM records) AS by;
         INSERT INTO sessions (no, id, tenant, version, head_seq, head_hash, pruned_seq, pruned_hash, opened_at, ended_at, state)
           SELECT s.no + i * 1000, 'm-' || i, tenant, version, head_seq, head_hash, pruned_seq, pruned_hash, opened_at, ended_at,
             replace(state, '\"m-0\"', '\"m-' || i || '\"') FROM copies, s;
         INSERT INTO records (position, session_no, seq, at, event_type, handoff_no, hash, text)
           SELECT position + i * step.by, session_no + i * 1000, seq, at, event_type, handoff_no + i * step.by, hash, text
           FROM copies, r, step WHERE r.event_type IN ('initiated', 'completed');
         INSERT INTO handoffs (no, id, session_no, n, from_agent, to_agent, type, status, level, task_id, offered_since,
             in_process, due_at, opened_at, closed_at, closed_position, state, tenant)
           SELECT no + i * step.by, randomblob(16), session_no + i * 1000, n, from_agent, to_agent, type, status, level, task_id,
             offered_since, in_process, due_at, opened_at, closed_at, closed_position + i * step.by, state, tenant
           FROM copies, h, step;
         INSERT INTO messages SELECT session_no + i * 1000, n, at, tokens, body FROM copies, messages
           WHERE session_no = (SELECT no FROM s);
         INSERT INTO items SELECT session_no + i * 1000, kind, key, body FROM copies, items
           WHERE session_no = (SELECT no FROM s);
         INSERT INTO counts (session_no, from_agent, to_agent, n)
           SELECT session_no + i * 1000, from_agent, to_agent, n FROM copies, k;
         COMMIT;",
        last = sessions - 1
    ))
    .map_err(text)?;
    for (_, sql) in indexes {
        conn.execute_batch(&sql).map_err(text)?;
    }
    conn.pragma_update(None, "journal_mode", "wal").map_err(text)
}

fn indexes(conn: &rusqlite::Connection) -> Result<Vec<(String, String)>, String> {
    let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL";
    let mut find = conn.prepare(sql).map_err(text)?;
    let rows = find.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(text)?;
    rows.collect::<Result<_, _>>().map_err(text)
}

async fn read(report: &mut Report, file: &Path, sessions: u64, rounds: u64) -> Result<(), String> {
    let engine = Engine::open_with(file, options()).await.map_err(text)?;
    let (mut pages, mut counts) = (Vec::new(), Vec::new());
    let mut at: u64 = 7;
    for _ in 0..rounds {
        // Far apart each time: what was read before is of no help.
        at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let session = SessionId::new(format!("m-{}", (at >> 33) % sessions)).map_err(text)?;
        let start = Instant::now();
        let page = engine.handoff_history(&session, 0, PAGE).await.map_err(text)?;
        pages.push(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        let count = engine.get_handoff_count(&session, None, None).await.map_err(text)?;
        counts.push(start.elapsed().as_secs_f64() * 1e3);
        if page.len() as u64 != PER_SESSION || count != PER_SESSION {
            return Err(format!("session {session} has {} handoffs and counts {count}", page.len()));
        }
    }
    let total = sessions * PER_SESSION;
    let note = format!("{PER_SESSION} of {total} handoffs, whole; p50 {:.3}", percentile(&mut pages, 0.5));
    report.figure("engine.history_page_p99_ms", percentile(&mut pages, 0.99), "ms", "< 1", note);
    let note = format!("p50 {:.3}", percentile(&mut counts, 0.5));
    report.figure("engine.count_p99_ms", percentile(&mut counts, 0.99), "ms", "< 1", note);
    engine.close().await.map_err(text)
}

fn options() -> Options {
    Options { policy: handover::core::policy::Policy::without_guards(), ..Options::default() }
}
