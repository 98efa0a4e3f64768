//! Several nodes on one PostgreSQL, against pgbench that writes the same rows one by one on the same server, and against
//! one process on SQLite.

use super::{
    Settings,
    disk::Disk,
    engine::{folder, median},
    load::{self, text},
    report::Report,
    rows,
    spent::{self, Spent},
};
use handover::prelude::*;
use handover_stand::Postgres;
use std::{
    io::{BufRead, BufReader, Write as _},
    process::{Child, ChildStdout, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
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
    let mut alone = vec![];
    for round in 1..=rounds {
        let place = folder()?;
        syncs.push(Disk::open(place.path())?.rate(time / 8)?);
        let server = Postgres::start().map_err(text)?;
        for (nodes, found) in NODES.into_iter().zip(&mut by_nodes) {
            report.doing(&format!("round {round} of {rounds}: {nodes} on one PostgreSQL"));
            let ran = together(&server, &format!("r{nodes}"), nodes, time)?;
            found.push(ran.steps_per_s);
            if nodes == 1 {
                alone.push(ran);
            }
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
    let of_one = |what: fn(&Together) -> f64| median(alone.iter().map(what).collect());
    let note = format!("{IN_FLIGHT} in flight at each node, {:.0} steps in a batch", of_one(|ran| ran.steps_per_batch));
    report.figure("scale.steps_per_s.1_nodes", one, "1/s", "", note);
    report.figure("scale.steps_per_s.2_nodes", two, "1/s", "", format!("{:.2} × one node", two / one));
    report.figure("scale.steps_per_s.3_nodes", three, "1/s", "", format!("{:.2} × one node", three / one));
    let best = one.max(two).max(three);
    let note = format!("pgbench: {bench:.0} steps/s, one transaction each, {} clients", rows::CLIENTS);
    report.figure("scale.ratio_to_pgbench", best / bench, "ratio", ">= 2", note);
    let note = format!("SQLite: {sqlite:.0} steps/s in one process");
    report.figure("scale.ratio_to_sqlite", best / sqlite, "ratio", "", note);
    let note = || "one node".to_owned();
    report.figure("scale.database_us_per_step", of_one(|ran| ran.database_us), "µs", "", note());
    report.figure("scale.node_us_per_step", of_one(|ran| ran.node_us), "µs", "", note());
    report.figure("scale.log_bytes_per_step", of_one(|ran| ran.log_bytes), "B", "", note());
    report.figure("scale.disk_bytes_per_handoff", of_one(|ran| ran.disk_bytes * 3.0), "B", "", note());
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

/// What nodes did together, and what a step cost.
struct Together {
    steps_per_s: f64,
    steps_per_batch: f64,
    database_us: f64,
    node_us: f64,
    log_bytes: f64,
    disk_bytes: f64,
}

/// So many nodes at once, in a schema of their own.
fn together(server: &Postgres, schema: &str, nodes: usize, time: Duration) -> Result<Together, String> {
    let address = format!("{}?schema={schema}", server.url());
    let mut running = Vec::new();
    for n in 0..nodes {
        running.push(Node::start(&address, &format!("n{n}"), time)?);
    }
    for node in &mut running {
        node.line()?;
    }
    let before = Spent::by(server)?;
    for node in &mut running {
        node.go()?;
    }
    let (mut rate, mut batches, mut steps, mut cpu) = (0.0, vec![], 0.0, 0.0);
    for node in &mut running {
        let line = node.line()?;
        let numbers: Vec<f64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [per_s, per_batch, done, spent] = numbers[..] else { return Err("a node that speaks in riddles".into()) };
        rate += per_s;
        batches.push(per_batch);
        steps += done;
        cpu += spent;
    }
    let spent = Spent::by(server)?.since(before);
    Ok(Together {
        steps_per_s: rate,
        steps_per_batch: median(batches),
        database_us: spent.cpu_s * 1e6 / steps,
        node_us: cpu * 1e6 / steps,
        log_bytes: spent.log / steps,
        disk_bytes: spent.disk / steps,
    })
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
        let (cpu, steps) = (spent::cpu_of_me()?, Arc::new(AtomicU64::new(0)));
        let count = steps.clone();
        let work = move |engine: Engine, id: SessionId, _, i| {
            let count = count.clone();
            async move {
                load::handoff(&engine, &id, i).await?;
                count.fetch_add(3, Ordering::Relaxed);
                Ok(())
            }
        };
        let ran = load::keep_busy(&engine, sessions, time, work).await?;
        let (steps, cpu) = (steps.load(Ordering::Relaxed), spent::cpu_of_me()? - cpu);
        println!("{} {} {steps} {cpu}", ran.steps_per_s, ran.steps_per_batch);
        // The others still measure: it ends when it is told to.
        std::io::stdin().read_line(&mut String::new()).map_err(text)?;
        engine.close().await.map_err(text)
    })
}
