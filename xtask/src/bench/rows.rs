//! pgbench doing what a handoff does, row by row: three transactions, each with the rows that the store writes for that step
//! into the tables that the store has. Positions come from a sequence, and what is counted over all sessions is left out, so
//! that nobody waits for anybody: that is kinder to it than to us.

use super::load::text;
use handover_stand::Postgres;
use std::{process::Command, time::Duration};

/// Clients at once: what did best here among 16, 32, 64 and 128.
pub(super) const CLIENTS: usize = 64;
/// The schema that one node has filled before, whose rows tell how long texts are.
const SCHEMA: &str = "r1";

/// Steps per second.
pub(super) fn pgbench(server: &Postgres, time: Duration) -> Result<f64, String> {
    let ask = |sql: &str| server.sql("handover", &format!("SET search_path = {SCHEMA}; {sql}")).map_err(text);
    let length = |sql: &str| -> Result<usize, String> {
        let said = ask(sql)?;
        said.lines().last().unwrap_or_default().trim().parse().map_err(text)
    };
    let record = |event: &str| {
        length(&format!("SELECT coalesce(avg(length(text)), 0)::int FROM records WHERE event_type = '{event}'"))
    };
    let (session, handoff) = (
        length("SELECT avg(length(state))::int FROM sessions WHERE id LIKE 'n%'")?,
        length("SELECT avg(length(state))::int FROM handoffs")?,
    );
    ask(SEQUENCE)?;
    let script = script(&[record("initiated")?, record("accepted")?, record("completed")?], session, handoff);
    let folder = super::engine::folder()?;
    let file = folder.path().join("steps.sql");
    std::fs::write(&file, script).map_err(text)?;
    let seconds = time.as_secs().max(1).to_string();
    let program = handover_stand::postgres_program("pgbench").map_err(text)?;
    let output = Command::new(program)
        .args(["--no-vacuum", "--protocol", "prepared", "--jobs", "2", "--time", &seconds])
        .args(["--client", &CLIENTS.to_string(), "--file"])
        .arg(&file)
        .arg(server.url())
        .env("PGOPTIONS", format!("-c search_path={SCHEMA}"))
        .output()
        .map_err(text)?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("pgbench failed: {}", said.lines().next().unwrap_or_default()));
    }
    let line = said.lines().find(|line| line.starts_with("tps = ")).ok_or("pgbench says no tps")?;
    let tps: f64 = line.trim_start_matches("tps = ").split(' ').next().unwrap_or_default().parse().map_err(text)?;
    Ok(tps * 3.0)
}

const SEQUENCE: &str = "CREATE SEQUENCE IF NOT EXISTS bench_position START 1000000000 CACHE 50";

/// A handoff as three transactions. Each client has a session of its own, as each of ours has.
fn script(records: &[usize; 3], session: usize, handoff: usize) -> String {
    let words = |n: usize| "x".repeat(n);
    let (state, held) = (words(session), words(handoff));
    let [initiated, accepted, completed] = records.map(words);
    let hash = "decode(repeat('ab', 32), 'hex')";
    let moved = format!(
        "UPDATE sessions SET version = version + 1, head_seq = head_seq + 1, head_hash = {hash}, state = '{state}' WHERE no = :own;"
    );
    let wrote = |event: &str, text: &str, no: &str| {
        format!(
            "INSERT INTO records (position, period, session_no, seq, at, event_type, handoff_no, hash, text) VALUES \
             ({no}, 0, :own, {no}, 1800000000000, '{event}', :no, {hash}, '{text}');"
        )
    };
    format!(
        "\\set own 3 + :client_id\n\
         SELECT nextval('bench_position') AS no, gen_random_uuid() AS id \\gset\n\
         BEGIN;\n{moved}\n{first}\n\
         INSERT INTO handoffs (no, id, session_no, tenant, n, from_agent, to_agent, type, status, level, in_process, due_at, opened_at, offered_since, state) \
         VALUES (:no, :id, :own, 'default', :no, 'planner', 'pilot', 'delegation', 'offered', 5, false, 1800000600000, 1800000000000, 1800000000000, '{held}');\n\
         INSERT INTO open (no, id, session_no, to_agent, level, offered_since, due_at, running) VALUES (:no, :id, :own, 'pilot', 5, 1800000000000, 1800000600000, false);\n\
         COMMIT;\n\
         SELECT nextval('bench_position') AS next \\gset\n\
         BEGIN;\n{moved}\n{second}\n\
         UPDATE handoffs SET status = 'running', offered_since = NULL, state = '{held}' WHERE no = :no;\n\
         UPDATE open SET running = true, offered_since = NULL WHERE no = :no;\n\
         COMMIT;\n\
         SELECT nextval('bench_position') AS last \\gset\n\
         BEGIN;\n{moved}\n{third}\n\
         UPDATE handoffs SET status = 'completed', due_at = NULL, closed_at = 1800000001000, closed_position = :last, state = '{held}' WHERE no = :no;\n\
         DELETE FROM open WHERE no = :no;\n\
         INSERT INTO returns (of, session_no, to_agent, position, seq) VALUES (:id, :own, 'planner', :last, :last);\n\
         COMMIT;\n",
        first = wrote("initiated", &initiated, ":no"),
        second = wrote("accepted", &accepted, ":next"),
        third = wrote("completed", &completed, ":last"),
    )
}
