//! What the server costs: against the engine in process, in memory for those who are there, and until it answers.

use super::{
    Settings,
    disk::Disk,
    engine::{folder, median},
    load::{self, text},
    million,
    report::{Report, percentile},
    served::Served,
    wire::Wire,
};
use serde_json::{Value, json};
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// How many ask at once, and the names of their figures.
const CLIENTS: [(usize, [&str; 2]); 3] = [
    (1, ["server.handoffs_per_s.1", "server.p99_ms.1"]),
    (64, ["server.handoffs_per_s.64", "server.p99_ms.64"]),
    (256, ["server.handoffs_per_s.256", "server.p99_ms.256"]),
];
/// Sessions and listeners whose memory is measured.
const MANY: usize = 10_000;
/// Rounds of the same measurements, interleaved, because these machines are noisy; the median counts.
const ROUNDS: usize = 3;

pub(super) fn run(report: &mut Report, settings: Settings) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(text)?;
    let time = Duration::from_millis(if settings.quick { 800 } else { 4_000 });
    handoffs(report, &runtime, time, if settings.quick { 1 } else { ROUNDS })?;
    memory(report, &runtime)?;
    start(report, &runtime, settings)
}

/// What a run of clients did.
struct Ran {
    per_s: f64,
    /// Milliseconds of each request.
    waits: Vec<f64>,
}

fn handoffs(
    report: &mut Report,
    runtime: &tokio::runtime::Runtime,
    time: Duration,
    rounds: usize,
) -> Result<(), String> {
    let mut syncs = Vec::new();
    let mut served: Vec<(Vec<f64>, Vec<f64>)> = vec![(vec![], vec![]); CLIENTS.len()];
    let mut within: Vec<Vec<f64>> = vec![vec![]; CLIENTS.len()];
    for round in 1..=rounds {
        for (at, (clients, _)) in CLIENTS.iter().enumerate() {
            report.doing(&format!("round {round} of {rounds}: {clients} clients over HTTP, and in process"));
            let place = folder()?;
            syncs.push(Disk::open(place.path())?.rate(time / 4)?);
            let server = Served::start(place.path())?;
            let ran = runtime.block_on(busy(server.address, *clients, time))?;
            drop(server);
            served[at].0.push(ran.per_s);
            served[at].1.extend(ran.waits);
            let place = folder()?;
            within[at].push(runtime.block_on(async {
                let engine = load::open(place.path(), true).await?;
                let ran = load::busy(&engine, *clients, time).await?;
                engine.close().await.map_err(text)?;
                Ok::<_, String>(ran.steps_per_s / 3.0)
            })?);
        }
    }
    report.figure("server.syncs_per_s", median(syncs), "1/s", "", "one page written and synced, alone".into());
    let mut share = 0.0;
    for (at, (clients, names)) in CLIENTS.iter().enumerate() {
        let (per_s, engine) = (median(served[at].0.clone()), median(within[at].clone()));
        let waits = &mut served[at].1;
        let (p50, p99) = (percentile(waits, 0.5), percentile(waits, 0.99));
        share = per_s / engine;
        let note = format!("{engine:.0} in process; {share:.2} of that; three requests each");
        report.figure(names[0], per_s, "1/s", "", note);
        let note = format!("of a request, with {clients} at once; p50 {p50:.2}");
        report.figure(names[1], p99, "ms", "", note);
    }
    let note = "with 256 at once; the clients share the machine with the server".to_owned();
    report.figure("server.share_of_engine", share, "ratio", ">= 0.5", note);
    Ok(())
}

/// Keeps this many clients busy for this time.
async fn busy(address: SocketAddr, clients: usize, time: Duration) -> Result<Ran, String> {
    let (stop, counts) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let mut tasks = Vec::new();
    for n in 0..clients {
        let mut wire = Wire::open(address, None).await?;
        let session = session(&mut wire, n).await?;
        let (stop, counts) = (stop.clone(), counts.clone());
        tasks.push(tokio::spawn(async move {
            let mut waits = Vec::new();
            let mut i = 0;
            while !stop.load(Ordering::Relaxed) {
                let took = handoff(&mut wire, &session, i).await?;
                if counts.load(Ordering::Relaxed) {
                    waits.extend(took);
                }
                i += 1;
            }
            Ok::<_, String>(waits)
        }));
    }
    // The first moments warm up caches and fill the queue; they do not count.
    tokio::time::sleep(time / 5).await;
    counts.store(true, Ordering::Relaxed);
    let start = Instant::now();
    tokio::time::sleep(time).await;
    counts.store(false, Ordering::Relaxed);
    let seconds = start.elapsed().as_secs_f64();
    stop.store(true, Ordering::Relaxed);
    let mut waits = Vec::new();
    for task in tasks {
        waits.extend(task.await.map_err(text)??);
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of a few seconds")]
    let per_s = waits.len() as f64 / 3.0 / seconds;
    Ok(Ran { per_s, waits })
}

/// A session like those of the engine's own load.
async fn session(wire: &mut Wire, n: usize) -> Result<String, String> {
    let id = format!("busy-{n}");
    let open = json!({"id": id, "active_agent": "planner", "original_request": "A jet to Nice on Friday for four"});
    wire.ask("POST", "/v1/sessions", open.to_string().as_bytes()).await?;
    let said: Vec<Value> = (0..load::MESSAGES).map(|i| json!(load::message(i))).collect();
    let path = format!("/v1/sessions/{id}/messages");
    wire.ask("POST", &path, json!({ "messages": said }).to_string().as_bytes()).await?;
    let writes: Vec<Value> = (0..load::VARIABLES)
        .map(|i| json!({"name": format!("v{i}"), "value": {"n": i, "note": "a value of some length"}}))
        .collect();
    let path = format!("/v1/sessions/{id}/variables");
    wire.ask("POST", &path, json!({"by": "planner", "writes": writes}).to_string().as_bytes()).await?;
    Ok(id)
}

/// One handoff: initiate, accept, complete. Gives how long each request took.
async fn handoff(wire: &mut Wire, session: &str, i: u64) -> Result<[f64; 3], String> {
    let mut waits = [0.0; 3];
    let ms = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
    let start = Instant::now();
    let request = serde_json::to_vec(&load::request(i)?).map_err(text)?;
    let made = wire.json("POST", &format!("/v1/sessions/{session}/handoffs"), &request).await?;
    waits[0] = ms(start);
    let id = made["handoffs"][0].as_str().ok_or("no handoff was made")?.to_owned();
    let start = Instant::now();
    let taken = wire.json("POST", &format!("/v1/handoffs/{id}/accept"), br#"{"by": "pilot"}"#).await?;
    waits[1] = ms(start);
    let mut giving = serde_json::to_value(load::giving()).map_err(text)?;
    giving["lease"] = taken["lease"].clone();
    let start = Instant::now();
    wire.ask("POST", &format!("/v1/handoffs/{id}/return"), giving.to_string().as_bytes()).await?;
    waits[2] = ms(start);
    Ok(waits)
}

fn memory(report: &mut Report, runtime: &tokio::runtime::Runtime) -> Result<(), String> {
    report.doing(&format!("{MANY} sessions, then {MANY} listeners"));
    let place = folder()?;
    let server = Served::start(place.path())?;
    runtime.block_on(async {
        // The first requests fill pools that are there once, whoever comes.
        let mut wire = Wire::open(server.address, None).await?;
        for n in 0..100 {
            open_only(&mut wire, "first", n).await?;
        }
        let before = server.mib()?;
        many_sessions(server.address).await?;
        let opened = server.mib()?;
        let note = format!("{before:.0} MiB before, {opened:.0} after; opened over 64 connections");
        report.figure("server.mib_per_10000_sessions", opened - before, "MiB", "", note);
        let mut held = Vec::with_capacity(MANY);
        for n in 0..MANY {
            let wire = Wire::open(server.address, None).await?;
            held.push(wire.listen(&format!("/v1/events?session=many-{n}")).await?);
        }
        let heard = server.mib()?;
        let note = format!(
            "each over a connection of its own, to a session of its own; {:.0} KiB each",
            (heard - opened) * 1024.0 / 10_000.0
        );
        report.figure("server.mib_per_10000_listeners", heard - opened, "MiB", "", note);
        let quiet = busy(server.address, 16, Duration::from_millis(800)).await?;
        let note = format!("16 clients, while {} listen", held.len());
        report.figure("server.handoffs_per_s.with_10000_listeners", quiet.per_s, "1/s", "", note);
        drop(held);
        let alone = busy_again(server.address).await?;
        let note = format!("{:.0} with listeners over {alone:.0} without", quiet.per_s);
        report.figure("server.share_with_10000_listeners", quiet.per_s / alone, "ratio", ">= 0.9", note);
        Ok(())
    })
}

async fn busy_again(address: SocketAddr) -> Result<f64, String> {
    let mut tasks = Vec::new();
    let stop = Arc::new(AtomicBool::new(false));
    for n in 0..16 {
        let mut wire = Wire::open(address, None).await?;
        let stop = stop.clone();
        tasks.push(tokio::spawn(async move {
            let mut done = 0_u32;
            while !stop.load(Ordering::Relaxed) {
                handoff(&mut wire, &format!("busy-{n}"), 1_000_000 + u64::from(done)).await?;
                done += 1;
            }
            Ok::<_, String>(done)
        }));
    }
    let start = Instant::now();
    tokio::time::sleep(Duration::from_millis(800)).await;
    stop.store(true, Ordering::Relaxed);
    let mut done = 0.0;
    for task in tasks {
        done += f64::from(task.await.map_err(text)??);
    }
    Ok(done / start.elapsed().as_secs_f64())
}

async fn open_only(wire: &mut Wire, name: &str, n: usize) -> Result<(), String> {
    let open = json!({"id": format!("{name}-{n}"), "active_agent": "planner", "original_request": "A jet to Nice"});
    wire.ask("POST", "/v1/sessions", open.to_string().as_bytes()).await.map(|_| ())
}

async fn many_sessions(address: SocketAddr) -> Result<(), String> {
    let mut tasks = Vec::new();
    for lane in 0..64 {
        tasks.push(tokio::spawn(async move {
            let mut wire = Wire::open(address, None).await?;
            for n in (lane..MANY).step_by(64) {
                open_only(&mut wire, "many", n).await?;
            }
            Ok::<_, String>(())
        }));
    }
    for task in tasks {
        task.await.map_err(text)??;
    }
    Ok(())
}

/// From the start of the process until it says that it is ready.
fn start(report: &mut Report, runtime: &tokio::runtime::Runtime, settings: Settings) -> Result<(), String> {
    let (place, handoffs) = million::made(report, runtime, settings)?;
    let mut times = Vec::new();
    for _ in 0..3 {
        let start = Instant::now();
        let server = Served::start(place.path())?;
        runtime.block_on(async {
            let mut wire = Wire::open(server.address, None).await?;
            wire.ask("GET", "/health/ready", b"").await.map(|_| ())
        })?;
        times.push(start.elapsed().as_secs_f64());
    }
    let note = format!("with {handoffs} handoffs, from the start of the process to ready; median of 3");
    report.figure("server.start_s", median(times), "s", "<= 2", note);
    Ok(())
}
