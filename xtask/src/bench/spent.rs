//! What processes and a database spent: processor time, log, disk.

use super::load::text;
use handover_stand::Postgres;
use std::fs;

/// The clock of `/proc` ticks so often in a second, whatever that of the kernel does.
const TICKS_PER_S: f64 = 100.0;

/// What a database spent until now.
#[derive(Clone, Copy, Default)]
pub(super) struct Spent {
    /// Processor time of all its processes, in seconds.
    pub(super) cpu_s: f64,
    /// Bytes of its log.
    pub(super) log: f64,
    /// Bytes of its files.
    pub(super) disk: f64,
}

impl Spent {
    pub(super) fn by(server: &Postgres) -> Result<Self, String> {
        let asked =
            "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint || ' ' || pg_database_size('handover')";
        let said = server.sql("handover", asked).map_err(text)?;
        let (log, disk) = said.trim().split_once(' ').ok_or("PostgreSQL speaks in riddles")?;
        let number = |word: &str| word.parse::<f64>().map_err(text);
        Ok(Self { cpu_s: cpu_of_server(server)?, log: number(log)?, disk: number(disk)? })
    }

    pub(super) fn since(self, before: Self) -> Self {
        Self { cpu_s: self.cpu_s - before.cpu_s, log: self.log - before.log, disk: self.disk - before.disk }
    }
}

/// Processor time of this very process, in seconds.
pub(super) fn cpu_of_me() -> Result<f64, String> {
    let fields = fields("self").ok_or("/proc tells nothing of this process")?;
    Ok(ticks(&fields[11..13]) / TICKS_PER_S)
}

/// The first process of the server, those that it started, and those of them that have ended.
fn cpu_of_server(server: &Postgres) -> Result<f64, String> {
    let file = server.folder().join("data").join("postmaster.pid");
    let first = fs::read_to_string(file).map_err(text)?;
    let first = first.lines().next().unwrap_or_default().trim().to_owned();
    let own = fields(&first).ok_or("PostgreSQL is not there")?;
    let mut sum = ticks(&own[11..15]);
    for entry in fs::read_dir("/proc").map_err(text)?.flatten() {
        let Some(fields) = entry.file_name().to_str().and_then(fields) else { continue };
        if fields[1] == first {
            sum += ticks(&fields[11..13]);
        }
    }
    Ok(sum / TICKS_PER_S)
}

/// What `/proc` tells of a process after its name, which may hold anything.
fn fields(process: &str) -> Option<Vec<String>> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = line.rsplit_once(')')?;
    let fields: Vec<String> = rest.split_whitespace().map(str::to_owned).collect();
    (fields.len() > 15).then_some(fields)
}

fn ticks(fields: &[String]) -> f64 {
    fields.iter().filter_map(|field| field.parse::<f64>().ok()).sum()
}
