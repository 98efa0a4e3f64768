//! Several nodes on one PostgreSQL, against pgbench that writes the same rows one by one on the same server, and against
//! one process on SQLite.

use super::{
    Settings,
    disk::Disk,
    engine::{folder, median},
    load::{self, text},
    report::Report,
    rows,
};
use handover::prelude::*;
use handover_stand::Postgres;
use std::{
    io::{BufRead, BufReader, Write as _},
    process::{Child, ChildStdout, Command, Stdio},
};

/// Sessions that each node keeps busy.
const IN_FLIGHT: usize = 256;
/// Rounds of the same measurements, interleaved, because these machines are noisy; the median counts.
const ROUNDS: usize = 3;
const NODES: [usize; 3] = [1, 2, 3];

pub(super) fn run(report: &mut Report, settings: Settings) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(text)?;
    let time = Duration::from_millis(if settings.quick { 2_000 } else { 10_000 });
    let rounds = if settings.quick { 1 } else { ROUNDS };
    let (mut syncs, mut by_nodes, mut bench, mut sqlite) = (vec![], [vec![], vec![], vec![]], vec![], vec![]);
    let mut batch = vec![];
    for round in 1..=rounds {
        let place = folder()?;
        syncs.push(Disk::open(place.path())?.rate(time / 8)?);
        let server = Postgres::start().map_err(text)?;
        for (nodes, found) in NODES.into_iter().zip(&mut by_nodes) {
            report.doing(&format!("round {round} of {rounds}: {nodes} on one PostgreSQL"));
            let ran = together(&server, &format!("r{nodes}"), nodes, time)?;
            found.push(ran.iter().map(|ran| ran.steps_per_s).sum());
            batch.push(median(ran.iter().map(|ran| ran.steps_per_batch).collect()));
        }
        report.doing(&format!("round {round} of {rounds}: pgbench, row by row"));
        bench.push(rows::pgbench(&server, time)?);
        report.doing(&format!("round {round} of {rounds}: one process on SQLite"));
        sqlite.push(runtime.block_on(async {
            let engine = load::open(place.path(), true).await?;
            let ran = load::busy(&engine, IN_FLIGHT, time).await?;
            engine.close().await.map_err(text)?;
            Ok::<_, String>(ran.steps_per_s)
        })?);
    }
    let (syncs, bench, sqlite) = (median(syncs), median(bench), median(sqlite));
    let [one, two, three] = by_nodes.map(median);
    report.figure("scale.syncs_per_s", syncs, "1/s", "", "one page written and synced, alone".into());
    let note = format!("{IN_FLIGHT} in flight at each node, {:.0} steps in a batch", median(batch));
    report.figure("scale.steps_per_s.1_nodes", one, "1/s", "", note);
    report.figure("scale.steps_per_s.2_nodes", two, "1/s", "", format!("{:.2} × one node", two / one));
    report.figure("scale.steps_per_s.3_nodes", three, "1/s", "", format!("{:.2} × one node", three / one));
    let best = one.max(two).max(three);
    let note = format!("pgbench: {bench:.0} steps/s, one transaction each, {} clients", rows::CLIENTS);
    report.figure("scale.ratio_to_pgbench", best / bench, "ratio", ">= 2", note);
    let note = format!("SQLite: {sqlite:.0} steps/s in one process");
    report.figure("scale.ratio_to_sqlite", best / sqlite, "ratio", "", note);
    Ok(())
}

/// A node as a process of its own.
struct Node {
    process: Child,
    lines: BufReader<ChildStdout>,
}

impl Node {
    fn start(address: &str, name: &str, time: Duration) -> Result<Self, String> {
        let me = std::env::current_exe().map_err(text)?;
        let mut command = Command::new(me);
        command.args(["bench", "node", address, name, &time.as_millis().to_string()]);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(text)?;
        let lines = BufReader::new(process.stdout.take().ok_or("a node without a voice")?);
        Ok(Self { process, lines })
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        self.lines.read_line(&mut line).map_err(text)?;
        if line.is_empty() { Err("a node ended before its time".into()) } else { Ok(line.trim().to_owned()) }
    }

    fn go(&mut self) -> Result<(), String> {
        let input = self.process.stdin.as_mut().ok_or("a node that hears nothing")?;
        input.write_all(b"go\n").map_err(text)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // Fails only for one that has ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// So many nodes at once, in a schema of their own.
fn together(server: &Postgres, schema: &str, nodes: usize, time: Duration) -> Result<Vec<load::Ran>, String> {
    let address = format!("{}?schema={schema}", server.url());
    let mut running = Vec::new();
    for n in 0..nodes {
        running.push(Node::start(&address, &format!("n{n}"), time)?);
    }
    for node in &mut running {
        node.line()?;
    }
    for node in &mut running {
        node.go()?;
    }
    let mut ran = Vec::new();
    for node in &mut running {
        let line = node.line()?;
        let (steps, batch) = line.split_once(' ').ok_or("a node that speaks in riddles")?;
        let number = |word: &str| word.parse::<f64>().map_err(text);
        ran.push(load::Ran { steps_per_s: number(steps)?, steps_per_batch: number(batch)? });
    }
    Ok(ran)
}

/// `bench node ADDRESS NAME MS`: one node, which says when it is ready, waits for a line, and says what it did.
pub(super) fn node(args: &[&str]) -> Result<(), String> {
    let [address, name, ms] = args else { return Err("a node needs an address, a name and a time".into()) };
    let time = Duration::from_millis(ms.parse().map_err(text)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(text)?;
    runtime.block_on(async {
        let options = Options { policy: Policy::without_guards(), node: (*name).to_owned(), ..Options::default() };
        let engine = Engine::connect(address, options).await.map_err(text)?;
        load::staff(&engine).await?;
        let sessions = load::sessions(&engine, name, IN_FLIGHT).await?;
        println!("ready");
        std::io::stdin().read_line(&mut String::new()).map_err(text)?;
        let work = |engine: Engine, id: SessionId, _, i| async move { load::handoff(&engine, &id, i).await };
        let ran = load::keep_busy(&engine, sessions, time, work).await?;
        println!("{} {}", ran.steps_per_s, ran.steps_per_batch);
        // The others still measure: it ends when it is told to.
        std::io::stdin().read_line(&mut String::new()).map_err(text)?;
        engine.close().await.map_err(text)
    })
}
