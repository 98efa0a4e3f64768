//! SIGKILL at random moments under load, again and again, on one and the same store.

use crate::{
    check::{self, How},
    client::KINDS,
    log::Log,
    process::{Child, ELSEWHERE, Plan},
};
use std::{
    path::Path,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

const ROUNDS: u64 = 200;
const CHECK_EVERY: u64 = 25;
/// On PostgreSQL one for so many on a file: what a dead process held is taken up when others take it for gone, after seconds.
const ONE_OF: u64 = 40;
const ROUNDS_MIN: u64 = 3;

/// Small and good enough: which moments are hit is all that depends on it.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, from: u64, to: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        from + (z ^ (z >> 31)) % (to - from)
    }
}

fn from_environment(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

fn now_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs())
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_completed_is_done_again() {
    let folder = tempfile::tempdir().unwrap();
    survive(folder.path(), from_environment("HANDOVER_CRASH_ROUNDS").unwrap_or(ROUNDS));
}

/// Everything of this folder is kept in a schema of its own on PostgreSQL.
pub fn elsewhere(folder: &Path) {
    let name = folder.file_name().unwrap().to_str().unwrap().to_lowercase();
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let store = format!("{}?schema=crash_{name}", handover_stand::told_postgres().unwrap());
    std::fs::write(folder.join(ELSEWHERE), store).unwrap();
}

#[test]
fn the_same_holds_on_postgresql() {
    let folder = tempfile::tempdir().unwrap();
    elsewhere(folder.path());
    let rounds = from_environment("HANDOVER_CRASH_ROUNDS").unwrap_or(ROUNDS);
    survive(folder.path(), (rounds / ONE_OF).max(ROUNDS_MIN));
}

fn survive(folder: &Path, rounds: u64) {
    let seed = from_environment("HANDOVER_CRASH_SEED").unwrap_or_else(now_seed);
    println!("seed {seed}: HANDOVER_CRASH_SEED={seed} repeats the moments of this run");
    let (mut log, mut dice, mut kills) = (Log::default(), Dice(seed), 0);
    let (clients, begun) = (Plan::endless(folder).clients, Instant::now());
    for round in 1..=rounds {
        log.next_round();
        kills += u64::from(one_round(folder, &mut log, &mut dice));
        assert!(log.refused.is_empty(), "round {round}: refused {:?}", log.refused);
        assert!(log.repeated.is_empty(), "executed again after completion: {:#?}", log.repeated);
        if round.is_multiple_of(CHECK_EVERY) {
            check::must_hold(folder, &log, How { clients, last: false });
        }
    }
    finish(folder, &mut log);
    let found = check::must_hold(folder, &log, How { clients, last: true });
    println!(
        "{rounds} rounds, {kills} kills, {} acknowledged, {} jobs, {} handoffs ({} completed, {} given up after too \
         many deaths), {} runs resumed, {} records verified: lost 0, repeated 0, in {:.1} s",
        log.acknowledgements,
        log.acked.len(),
        found.handoffs,
        found.completed,
        found.given_up,
        log.resumed,
        found.records,
        begun.elapsed().as_secs_f64(),
    );
    assert!(kills * 10 >= rounds * 9, "only {kills} of {rounds} children were killed");
    assert!(log.acked.len() as u64 >= rounds, "only {} jobs were done in {rounds} rounds", log.acked.len());
}

/// One child, killed while it starts or while it works.
fn one_round(folder: &Path, log: &mut Log, dice: &mut Dice) -> bool {
    let child = Child::start(&Plan::endless(folder));
    // Some while they start, some while they take up what the dead have left, most under load, some under load and
    // talking.
    let (from, word) = match dice.roll(0, 16) {
        0 | 1 => (0, None),
        2 | 3 => (0, Some("opened")),
        4..=13 => (10, Some("run")),
        _ => (10, Some("said")),
    };
    let wait = dice.roll(from, if from == 0 { 20 } else { 150 });
    if word.is_none_or(|word| child.listen_for(log, word)) {
        child.listen(log, Instant::now() + Duration::from_millis(wait));
    }
    child.kill(log)
}

/// A last round without a kill: everything that was begun must come to its end.
fn finish(folder: &Path, log: &mut Log) {
    log.next_round();
    let plan = Plan { jobs: log.last_job() + KINDS, ..Plan::endless(folder) };
    let status = Child::start(&plan).finish(log);
    assert!(status.success() && log.finished, "{status}; the last it said: {:?}", log.tail());
    assert!(log.refused.is_empty(), "refused {:?}", log.refused);
    let behind: Vec<_> = (0..plan.clients).filter(|client| log.set.get(client) != Some(&plan.jobs)).collect();
    assert!(behind.is_empty(), "clients {behind:?} did not do all their jobs");
}
