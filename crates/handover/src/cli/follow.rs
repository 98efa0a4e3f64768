//! Following what happens across processes: whoever holds the database is asked; where nobody does, what is new is read
//! and somebody is waited for. The database is never held while waiting.

use super::{
    args::Cli,
    desk, door,
    exit::{self, Stop},
    out::Out,
    watch::Watch,
};
use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// How often is looked whether somebody opened the database or wrote to it.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// How a round ended.
enum Round {
    /// All that was wanted was shown.
    Enough,
    /// Nobody has the database open.
    Free,
    /// Somebody has it open and answers nobody: a command that is soon over.
    Busy,
}

/// Shows what happens until it is enough.
pub(crate) async fn run(cli: &Cli, args: &Watch, out: &mut Out) -> Result<(), Stop> {
    let mut cli = cli.clone();
    let db = cli.database();
    let mut told = false;
    loop {
        let before = touched(&db);
        let since = match round(&cli, args, out).await? {
            Round::Enough => return Ok(()),
            Round::Free if args.until_idle => return Ok(()),
            // Looking has touched the files, too.
            Round::Free => touched(&db),
            Round::Busy => before,
        };
        if !told {
            told = true;
            out.note("nobody has the database open now; waiting for somebody who works with it").await?;
        }
        wait(&db, since).await;
        go_on(&mut cli, args, out);
    }
}

/// Shows what happens on a store that several processes share: this one follows it with them.
pub(crate) async fn shared(cli: &Cli, out: &mut Out) -> Result<(), Stop> {
    let engine = door::open(cli, false).await?;
    let shown = tokio::select! {
        shown = door::here(cli, &engine, out, true) => shown,
        () = super::keep::interrupted() => Ok(()),
    };
    engine.close().await?;
    shown
}

/// One round: with whoever holds the database until that one ends, or what is there already.
async fn round(cli: &Cli, args: &Watch, out: &mut Out) -> Result<Round, Stop> {
    match door::open(cli, false).await {
        Ok(engine) => {
            let shown = door::here(cli, &engine, out, false).await;
            engine.close().await?;
            shown?;
        }
        Err(stop) if stop.is_in_use() => match desk::ask(&cli.database(), &cli.given, out).await? {
            desk::Asked::Done(exit::GOOD) => return Ok(Round::Enough),
            desk::Asked::Done(code) => return Err(Stop::Said(code)),
            desk::Asked::Lost => {}
            desk::Asked::Nobody if out.at.is_some() => return Ok(Round::Busy),
            desk::Asked::Nobody => return door::ask(cli, out, stop).await.map(|()| Round::Enough),
        },
        Err(stop) => return Err(stop),
    }
    let enough = args.count.is_some_and(|count| out.shown >= count);
    Ok(if enough { Round::Enough } else { Round::Free })
}

/// The next round begins where this one ended.
fn go_on(cli: &mut Cli, args: &Watch, out: &Out) {
    let mut watch = args.clone();
    watch.after = out.at.or(watch.after);
    watch.count = args.count.map(|count| count.saturating_sub(out.shown));
    if let Some(at) = watch.after {
        cli.given.push(format!("--after={at}"));
    }
    if let Some(count) = watch.count {
        cli.given.push(format!("--count={count}"));
    }
    cli.command = super::Command::Watch(watch);
}

/// Until somebody opened the database or wrote to it.
async fn wait(db: &Path, before: [Option<SystemTime>; 2]) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        if desk::answers(db) || touched(db) != before {
            return;
        }
    }
}

/// When the database and its log were last written.
fn touched(db: &Path) -> [Option<SystemTime>; 2] {
    let mut log = db.as_os_str().to_owned();
    log.push("-wal");
    let time = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    [time(db), time(&PathBuf::from(log))]
}
