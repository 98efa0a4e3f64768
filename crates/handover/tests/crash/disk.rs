//! A file system that refuses to write: the file may not grow any more.

use crate::{
    check::{self, How},
    client::KINDS,
    log::Log,
    process::{Child, Plan},
};
use std::process::Command;

/// Runs the child with a limit on the size of the files that it writes. The signal that would kill it is ignored, so
/// that the write itself fails.
const LIMITED: &str = "trap '' XFSZ && ulimit -f \"$LIMIT\" && exec \"$0\" \"$@\"";

fn limited() -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", LIMITED]).arg(std::env::current_exe().unwrap());
    command
}

/// Blocks of 512 bytes: little enough to fail while the first agents register, and later and later in the work.
#[test]
fn a_file_that_cannot_grow_stops_writing_and_loses_nothing() {
    for blocks in [400, 4_000, 8_000, 16_000] {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Log::default();
        log.next_round();
        let limit = blocks.to_string();
        let plan = Plan { clients: KINDS, pullers: 0, ..Plan::endless(folder.path()) };
        let status = Child::start_with(&plan, limited(), &[("LIMIT", &limit)]).finish(&mut log);
        assert!(status.success(), "limit {blocks}: the child did not end well: {status}; it said {:?}", log.tail());
        assert!(log.open, "limit {blocks}: too small to open the engine at all; it said {:?}", log.tail());
        let told = !log.refused.is_empty() && log.refused.iter().all(|code| code == "HO0801");
        assert!(told, "limit {blocks}: refused {:?}", log.refused);
        check::must_hold(folder.path(), &log, How { clients: plan.clients, last: false });
        let acknowledged = log.acknowledgements;
        log.next_round();
        let last = Plan { jobs: log.last_job() + KINDS, ..plan };
        let status = Child::start(&last).finish(&mut log);
        assert!(status.success() && log.finished, "limit {blocks}: {status}; it said {:?}", log.tail());
        check::must_hold(folder.path(), &log, How { clients: plan.clients, last: true });
        assert!(blocks < 4_000 || acknowledged > 0, "limit {blocks}: the disk was full before anything was done");
        println!("{blocks} blocks: {acknowledged} acknowledged before the disk was full, lost 0");
    }
}
