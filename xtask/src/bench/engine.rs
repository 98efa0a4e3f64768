//! What the engine costs: against the disk, against bare SQLite, against itself without syncing, and at scale.

use super::{
    Settings,
    disk::Disk,
    load::{self, text},
    million, raw,
    report::{Report, percentile},
};
use std::time::{Duration, Instant};

const IN_FLIGHT: usize = 256;
/// Steps and syncs that are measured in a row when one step is measured alone.
const BLOCK: u64 = 50;
/// Rounds of the same measurements, interleaved, because these machines are noisy; the median counts.
const ROUNDS: usize = 3;

pub(super) fn run(report: &mut Report, settings: Settings) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(text)?;
    let time = Duration::from_millis(if settings.quick { 1_000 } else { 5_000 });
    throughput(report, &runtime, time)?;
    runtime.block_on(latency(report, if settings.quick { 300 } else { 2_000 }))?;
    runtime.block_on(long_history(report, if settings.quick { 60 } else { 300 }))?;
    million::run(report, &runtime, settings)
}

pub(super) fn folder() -> Result<tempfile::TempDir, String> {
    // On the disk of the project, not on a memory file system that some machines have for temporary files.
    let target = std::path::Path::new("target");
    std::fs::create_dir_all(target).map_err(text)?;
    tempfile::Builder::new().prefix("bench-").tempdir_in(target).map_err(text)
}

pub(super) fn median(mut values: Vec<f64>) -> f64 {
    percentile(&mut values, 0.5)
}

fn throughput(report: &mut Report, runtime: &tokio::runtime::Runtime, time: Duration) -> Result<(), String> {
    let (mut syncs, mut steps, mut batch, mut bare, mut off) = (vec![], vec![], vec![], vec![], vec![]);
    for round in 1..=ROUNDS {
        report.doing(&format!("round {round} of {ROUNDS}: disk, engine, bare SQLite, engine without sync"));
        let place = folder()?;
        syncs.push(Disk::open(place.path())?.rate(time / 4)?);
        let ran = runtime.block_on(async {
            let engine = load::open(place.path(), true).await?;
            let ran = load::busy(&engine, IN_FLIGHT, time).await?;
            engine.close().await.map_err(text)?;
            Ok::<_, String>(ran)
        })?;
        let place = folder()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the size of a batch")]
        let size = ran.steps_per_batch.round() as usize;
        let seconds = time.as_secs().max(1);
        let rows = raw::make(IN_FLIGHT, 1 + seconds * 25_000 / 3 / IN_FLIGHT as u64)?;
        bare.push(raw::run(place.path(), &rows, size, time)?);
        drop(rows);
        let place = folder()?;
        let unsynced = runtime.block_on(async {
            let engine = load::open(place.path(), false).await?;
            let ran = load::busy(&engine, IN_FLIGHT, time).await?;
            engine.close().await.map_err(text)?;
            Ok::<_, String>(ran.steps_per_s)
        })?;
        steps.push(ran.steps_per_s);
        batch.push(ran.steps_per_batch);
        off.push(unsynced);
    }
    let (syncs, steps, batch, bare, off) = (median(syncs), median(steps), median(batch), median(bare), median(off));
    report.figure("engine.syncs_per_s", syncs, "1/s", "", "one page written and synced, alone".into());
    let note = format!("{IN_FLIGHT} in flight, {batch:.0} steps share a sync");
    report.figure("engine.steps_per_s", steps, "1/s", "", note);
    report.figure("engine.steps_per_sync", steps / syncs, "ratio", "", "steps per second over syncs per second".into());
    let note = format!("bare SQLite: {bare:.0} steps/s in the same batches");
    report.figure("engine.share_of_raw_sqlite", steps / bare, "ratio", ">= 0.7", note);
    report.figure(
        "engine.share_of_sync_off",
        steps / off,
        "ratio",
        ">= 0.5",
        format!("without sync: {off:.0} steps/s"),
    );
    Ok(())
}

/// One step alone, next to one sync alone, in turn.
async fn latency(report: &mut Report, rounds: u64) -> Result<(), String> {
    report.doing("one step at a time");
    let place = folder()?;
    let engine = load::open(place.path(), true).await?;
    let session = load::session(&engine, "alone", load::MESSAGES).await?;
    let mut disk = Disk::open(place.path())?;
    let (mut steps, mut syncs) = (Vec::new(), Vec::new());
    let planner = handover::prelude::AgentId::new("planner").map_err(text)?;
    for i in 0..rounds {
        // In blocks: two files that are synced in turn disturb each other in the journal of the file system.
        if i % BLOCK == 0 {
            for _ in 0..BLOCK {
                syncs.push(disk.sync()?.as_secs_f64());
            }
        }
        let start = Instant::now();
        let answer = engine.initiate(&session, load::request(i)?).await.map_err(text)?;
        steps.push(start.elapsed().as_secs_f64());
        let id = answer.handoffs.first().copied().ok_or("no handoff was made")?;
        engine.cancel(id, &planner, "only measured").await.map_err(text)?;
    }
    let (step, sync) = (percentile(&mut steps, 0.5), percentile(&mut syncs, 0.5));
    let note = format!("{:.0} µs against {:.0} µs, medians of {rounds}", step * 1e6, sync * 1e6);
    report.figure("engine.single_step_in_syncs", step / sync, "syncs", "<= 1.5", note);
    engine.close().await.map_err(text)
}

/// A whole handoff in a long conversation and in a short one, in turn.
async fn long_history(report: &mut Report, rounds: u64) -> Result<(), String> {
    report.doing("a handoff after 20 and after 20,000 messages");
    let place = folder()?;
    let engine = load::open(place.path(), true).await?;
    let short = load::session(&engine, "short", 20).await?;
    let long = load::session(&engine, "long", 20_000).await?;
    let (mut after_short, mut after_long) = (Vec::new(), Vec::new());
    for i in 0..rounds {
        for (session, times) in [(&short, &mut after_short), (&long, &mut after_long)] {
            let start = Instant::now();
            load::handoff(&engine, session, i).await?;
            times.push(start.elapsed().as_secs_f64());
        }
    }
    let (short, long) = (percentile(&mut after_short, 0.5), percentile(&mut after_long, 0.5));
    let note = format!("{:.2} ms against {:.2} ms for three steps", long * 1e3, short * 1e3);
    report.figure("engine.history_20000_over_20", long / short, "ratio", "<= 1.2", note);
    engine.close().await.map_err(text)
}
