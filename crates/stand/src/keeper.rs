//! Starts programs so that they end with this process, however it ends.
//!
//! A test that is killed cleans nothing up. Where the system can, a program is told to end when its parent does; the parent
//! is a thread there, so all are started from one that lives as long as the process.

use std::{
    io,
    process::{Child, Command},
    sync::{
        OnceLock,
        mpsc::{Sender, channel},
    },
    thread,
};

type Job = (Command, Sender<io::Result<Child>>);

/// Makes a program end when its parent does, and runs it as another person. A part of every Debian.
const SETPRIV: &str = "setpriv";

/// A command that ends with us by this signal, as this person where one is named.
pub fn command(program: &str, signal: &str, person: Option<&str>) -> Command {
    if !has_setpriv() {
        return Command::new(program);
    }
    let mut command = Command::new(SETPRIV);
    command.args(["--pdeathsig", signal]);
    if let Some(person) = person {
        command.args(["--reuid", person, "--regid", person, "--init-groups"]);
    }
    command.args(["--", program]);
    command
}

fn has_setpriv() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| Command::new(SETPRIV).arg("--version").output().is_ok_and(|output| output.status.success()))
}

/// Starts it from the thread that lives as long as this process.
pub fn spawn(command: Command) -> io::Result<Child> {
    static KEEPER: OnceLock<Sender<Job>> = OnceLock::new();
    let keeper = KEEPER.get_or_init(|| {
        let (jobs, todo) = channel::<Job>();
        thread::spawn(move || {
            for (mut command, answer) in todo {
                let _ = answer.send(command.spawn());
            }
        });
        jobs
    });
    let gone = || io::Error::other("the thread that starts programs is gone");
    let (answer, told) = channel();
    keeper.send((command, answer)).map_err(|_| gone())?;
    told.recv().map_err(|_| gone())?
}
