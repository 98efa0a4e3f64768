//! One door, two processes: whoever holds the database answers the commands of others, over a socket beside the file.
//!
//! A request is one line of JSON with the arguments as they were typed. What the command writes comes back as lines
//! `{"out": …}` and `{"err": …}`, and `{"exit": n}` at the end. Only the owner of the file can reach the socket.

#[cfg(unix)]
mod ask;
#[cfg(not(unix))]
mod nowhere;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod socket;

#[cfg(unix)]
pub(crate) use ask::ask;
#[cfg(not(unix))]
pub(crate) use nowhere::{Desk as Opened, answers, ask};
#[cfg(unix)]
pub(crate) use socket::answers;

use super::out::Look;
use handover_engine::Engine;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

#[cfg(unix)]
use serve::Opened;

/// What one process asks of another.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Errand {
    /// The version of whoever asks: another one may mean something else by the same words.
    version: String,
    /// The arguments, without the name of the program.
    args: Vec<String>,
    /// The folder that paths are relative to.
    folder: PathBuf,
    /// Who sits at the terminal.
    user: String,
    /// What whoever reads can see.
    look: Look,
}

/// How asking another process ended.
pub(crate) enum Asked {
    /// It was carried out.
    Done(u8),
    /// Nobody answers.
    Nobody,
    /// The answer broke off.
    Lost,
}

/// Answers the commands of other processes for as long as it lives.
pub struct Desk {
    opened: Result<Opened, String>,
}

impl Desk {
    /// Nobody is answered, and nobody needs to be.
    pub(crate) fn none() -> Self {
        Self { opened: Err(String::new()) }
    }

    /// Why nobody can be answered, if so. The engine works without a desk.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        self.opened.as_ref().err().map(String::as_str).filter(|trouble| !trouble.is_empty())
    }

    /// Answers whoever is at the door, for a moment, and nobody else. To be called before the engine is closed.
    pub async fn close(self) {
        if let Ok(opened) = self.opened {
            opened.close().await;
        }
    }

    /// Where it answers.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.opened.as_ref().ok().map(Opened::path)
    }
}

/// Answers the commands of other processes on this engine, which must hold the database `db`. To be called within a
/// Tokio runtime, and closed before the engine is.
#[must_use]
pub fn serve(engine: &Engine, db: &Path) -> Desk {
    Desk { opened: Opened::open(engine, db).map_err(|error| error.to_string()) }
}
