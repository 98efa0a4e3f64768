//! Runs a program of somebody else: it gets an input and a bounded time, and whatever it does, it comes to an end.
//!
//! A program may write without end, never end, leave others behind that hold its pipes, or ignore that it is told to
//! end. None of that reaches whoever runs it as anything but a [`Ran`].

mod environment;
mod group;
mod pipes;

pub use environment::{Environment, SAFE, TRACEPARENT};
pub(crate) use group::Group;
pub(crate) use pipes::Tail;

use handover_core::limits::{
    COMMAND_OUTPUT_BYTES_MAX, COMMAND_REST_MS, COMMAND_WORDS_SHOWN, PROGRAM_ERR_BYTES_KEPT, PROGRAM_GRACE_MS, TOOL_MS,
};
use pipes::Pipes;
use std::{path::PathBuf, process::Stdio, time::Duration};
use tokio::{
    process::{Child, Command},
    time::{Instant, timeout, timeout_at},
};

/// A program, where it runs and what it knows of its surroundings.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Its name and its arguments.
    pub words: Vec<String>,
    /// The folder in which it runs.
    pub folder: PathBuf,
    /// The variables that it gets.
    pub environment: Environment,
}

/// What a run may take.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The time until it is told to end.
    pub time: Duration,
    /// The time that it then has until it is ended by force.
    pub grace: Duration,
    /// The most that it may write as its result, in bytes. It is ended when it writes more.
    pub out_bytes: usize,
    /// How much is kept of the end of what it says of its trouble, in bytes.
    pub err_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            time: Duration::from_millis(TOOL_MS),
            grace: Duration::from_millis(PROGRAM_GRACE_MS),
            out_bytes: usize::try_from(COMMAND_OUTPUT_BYTES_MAX).unwrap_or(usize::MAX),
            err_bytes: PROGRAM_ERR_BYTES_KEPT,
        }
    }
}

/// How a program came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// By itself, with this number; 0 is success.
    Exit(i32),
    /// A signal that did not come from us ended it.
    Signal(i32),
    /// It was ended because its time was over.
    Time,
    /// It was ended because it wrote too much.
    Output,
}

/// What came of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// How it ended.
    pub status: Status,
    /// What it wrote, up to the bound. What is no text in it is replaced.
    pub out: String,
    /// The end of what it said of its trouble.
    pub err: String,
    /// Whether there was more to its output than is here.
    pub cut: bool,
}

/// Why a program did not run at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CannotStart(pub String);

impl Ran {
    /// Whether it ended by itself and well.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status == Status::Exit(0)
    }

    /// What went wrong, in words, with the last words of the program; nothing when all went well.
    #[must_use]
    pub fn trouble(&self, program: &Program, bounds: &Bounds) -> Option<String> {
        let name = program.name();
        let what = match self.status {
            Status::Exit(0) => return None,
            Status::Exit(code) => format!("`{name}` ended with exit status {code}"),
            Status::Signal(signal) => format!("`{name}` was ended by a signal: {}", signal_name(signal)),
            Status::Time => format!("`{name}` did not end within {} ms and was ended", bounds.time.as_millis()),
            Status::Output => format!("`{name}` wrote more than {} bytes and was ended", bounds.out_bytes),
        };
        Some(format!("{what}: {}", last_words(&self.err)))
    }
}

impl Program {
    /// The name of the program, for messages.
    #[must_use]
    pub fn name(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// Starts it in a group of its own, with all its pipes open.
    pub(crate) fn start(&self) -> Result<(Child, Group), CannotStart> {
        let (program, arguments) = self.words.split_first().ok_or(CannotStart("there is no program to run".into()))?;
        let mut command = Command::new(program);
        // A group of its own: an interrupt at the terminal is for us, and what it starts ends with it.
        #[cfg(unix)]
        command.process_group(0);
        command.args(arguments).env_clear().envs(self.environment.of(std::env::vars_os()));
        if !self.folder.as_os_str().is_empty() {
            command.current_dir(&self.folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let child = command.spawn().map_err(|error| self.cannot_start(&error))?;
        let group = Group::of(&child);
        Ok((child, group))
    }

    fn cannot_start(&self, error: &std::io::Error) -> CannotStart {
        let (name, folder) = (self.name(), self.folder.display());
        let here = self.folder.as_os_str().is_empty() || self.folder.is_dir();
        CannotStart(if here {
            format!("`{name}` cannot be started in `{folder}`: {error}")
        } else {
            format!("`{name}` cannot be started: there is no folder `{folder}`")
        })
    }
}

/// Runs a program to its end. It is ended, with all that it started, when it goes beyond its bounds or when this is
/// dropped.
///
/// # Errors
/// When it cannot be started.
pub async fn run(program: &Program, input: Vec<u8>, bounds: &Bounds) -> Result<Ran, CannotStart> {
    let deadline = Instant::now() + bounds.time;
    let (mut child, group) = program.start()?;
    let mut pipes = Pipes::of(&mut child, input, bounds);
    let exit = tokio::select! {
        status = timeout_at(deadline, child.wait()) => status.ok(),
        () = pipes.overflow() => None,
    };
    let status = match exit {
        Some(status) => ended(&status),
        None => {
            let status = if pipes.is_over() { Status::Output } else { Status::Time };
            end(&mut child, &group, &mut pipes, bounds.grace).await;
            status
        }
    };
    let rest = Duration::from_millis(COMMAND_REST_MS);
    // What it left behind may hold its pipes open: that is ended too, and what even then does not end is not waited for.
    if timeout(rest, pipes.finish()).await.is_err() {
        group.kill();
        let _ = timeout(rest, pipes.finish()).await;
    }
    drop(group);
    let (out, err, cut) = pipes.kept();
    // A program that was faster to end than to be ended wrote too much all the same.
    let status = if cut && status == Status::Exit(0) { Status::Output } else { status };
    Ok(Ran { status, out, err, cut })
}

/// Tells a program to end, and after a grace makes it.
async fn end(child: &mut Child, group: &Group, pipes: &mut Pipes, grace: Duration) {
    group.terminate();
    let gone = tokio::select! {
        status = timeout(grace, child.wait()) => status.is_ok(),
        // It may have more to say before it ends.
        () = pipes.forever() => false,
    };
    group.kill();
    if !gone {
        // Only a program that the system itself cannot end is still there after this.
        let _ = child.start_kill();
        let _ = timeout(Duration::from_millis(PROGRAM_GRACE_MS), child.wait()).await;
    }
}

fn ended(status: &std::io::Result<std::process::ExitStatus>) -> Status {
    let Ok(status) = status else { return Status::Exit(-1) };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(status) {
        return Status::Signal(signal);
    }
    Status::Exit(status.code().unwrap_or(-1))
}

/// A signal as people know it.
fn signal_name(signal: i32) -> String {
    #[cfg(unix)]
    if let Ok(known) = nix::sys::signal::Signal::try_from(signal) {
        return format!("{signal} ({})", known.as_str());
    }
    signal.to_string()
}

/// The end of what a program said of its trouble, in a few words.
#[must_use]
pub fn last_words(err: &str) -> String {
    let words: Vec<&str> = err.split_whitespace().collect();
    let skipped = words.len().saturating_sub(COMMAND_WORDS_SHOWN);
    let words = words[skipped..].join(" ");
    if words.is_empty() { "it said nothing".to_owned() } else { words }
}
