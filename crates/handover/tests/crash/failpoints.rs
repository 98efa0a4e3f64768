//! An abort at every place of the store, and a failure at every stage of its writer.

use crate::{
    check::{self, How},
    client::KINDS,
    kill,
    log::Log,
    process::{Child, Plan, aborted, this_test},
};
use handover::store::failpoint::{ALL, OF_POSTGRES, VARIABLE};
use std::path::Path;

/// How often a place is passed before it acts: a stage of the writer, and the door of a method.
const HITS: [u64; 3] = [1, 2, 7];
const HITS_AT_DOORS: [u64; 2] = [1, 7];
/// Places that no job passes: none lists or counts sessions, defines a workflow, counts the house, keeps a note or sees only a part of it.
const NOT_PASSED: [&str; 18] = [
    "sessions.enter",
    "sessions.exit",
    "glances.enter",
    "glances.exit",
    "in_states.enter",
    "in_states.exit",
    "sessions_in_state.enter",
    "sessions_in_state.exit",
    "open_sessions.enter",
    "open_sessions.exit",
    "totals.enter",
    "whose.enter",
    "whose.exit",
    "totals.exit",
    "keep_note.enter",
    "keep_note.exit",
    "notes.enter",
    "notes.exit",
];
/// Jobs of each client in one process: enough for a message.
const JOBS: u64 = 3;
const STOPPED: &str = "HO0801";

/// Jobs of each kind at the same time; each process has a few more of them to do than the one before.
fn plan(folder: &Path, log: &Log) -> Plan {
    Plan { folder: folder.to_owned(), jobs: log.round * JOBS, clients: KINDS, pullers: 0 }
}

/// A child that goes on and must come to the end of all jobs, and then the checks.
fn recover(folder: &Path, log: &mut Log, what: &str) {
    log.next_round();
    let plan = plan(folder, log);
    let status = Child::start(&plan).finish(log);
    assert!(status.success() && log.finished, "after {what}: {status}; the last it said: {:?}", log.tail());
    assert!(log.refused.is_empty(), "after {what}: refused {:?}", log.refused);
    let behind: Vec<_> = (0..KINDS).filter(|client| log.set.get(client) != Some(&plan.jobs)).collect();
    assert!(behind.is_empty(), "after {what}: clients {behind:?} did not do all their jobs");
    check::must_hold(folder, log, How { clients: KINDS, last: true });
}

/// Aborts at the n-th passing of a place. Gives whether it was passed so often.
fn abort_at(folder: &Path, log: &mut Log, armed: &str) -> bool {
    log.next_round();
    let status = Child::start_with(&plan(folder, log), this_test(), &[(VARIABLE, armed)]).finish(log);
    let passed = aborted(status);
    assert!(passed || status.success() && log.finished, "{armed}: {status}; it said {:?}", log.tail());
    assert!(log.refused.is_empty(), "{armed}: refused {:?}", log.refused);
    passed
}

fn walk(places: impl Iterator<Item = &'static str>, hits: &[u64]) {
    let mut aborts = 0;
    for place in places {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Log::default();
        for &n in hits {
            let passed = abort_at(folder.path(), &mut log, &format!("{place}:{n}"));
            aborts += u32::from(passed);
            let expected = !NOT_PASSED.contains(&place);
            assert!(n > 1 || passed == expected, "{place} was passed: {passed}; the list in this test says {expected}");
        }
        recover(folder.path(), &mut log, place);
    }
    println!("{aborts} aborts: lost 0, repeated 0");
}

fn of_writer(place: &str) -> bool {
    place.starts_with("sqlite.")
}

#[test]
fn an_abort_at_any_stage_of_the_writer_loses_nothing() {
    walk(ALL.iter().copied().filter(|place| of_writer(place)), &HITS);
}

#[test]
fn an_abort_at_the_door_of_any_method_loses_nothing() {
    walk(ALL.iter().copied().filter(|place| !of_writer(place)), &HITS_AT_DOORS);
}

/// One store for all of them: what the dead leave behind there takes seconds to be found.
#[test]
fn an_abort_at_any_stage_of_a_batch_to_postgresql_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    kill::elsewhere(folder.path());
    let mut log = Log::default();
    for place in OF_POSTGRES.iter().chain(&["commit.enter", "commit.exit"]) {
        // In the middle of the clients' work.
        assert!(abort_at(folder.path(), &mut log, &format!("{place}:9")), "{place} was not passed nine times");
    }
    recover(folder.path(), &mut log, "all of them");
}

/// The disk fails at a stage: this write and every later one is refused, reading goes on, and the process ends well.
fn fail_at(place: &str, n: u64) {
    let folder = tempfile::tempdir().unwrap();
    let mut log = Log::default();
    log.next_round();
    let armed = format!("{place}:{n}:error");
    let status = Child::start_with(&plan(folder.path(), &log), this_test(), &[(VARIABLE, &armed)]).finish(&mut log);
    assert!(status.success(), "{armed}: {status}; it said {:?}", log.tail());
    assert!(!log.finished, "{armed}: the child has done everything without a disk");
    assert!(!log.refused.is_empty(), "{armed}: nobody was told");
    assert!(log.refused.iter().all(|code| code == STOPPED), "{armed}: refused {:?}", log.refused);
    check::must_hold(folder.path(), &log, How { clients: KINDS, last: false });
    recover(folder.path(), &mut log, &armed);
}

#[test]
fn a_failure_at_any_stage_of_the_writer_stops_writing_and_loses_nothing() {
    for place in ALL.iter().filter(|place| of_writer(place)) {
        // The last ones fall into the middle of the clients' work.
        for n in [1, 2, 7, 30] {
            fail_at(place, n);
        }
    }
}
