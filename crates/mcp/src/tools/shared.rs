//! What a session shares: variables, artifacts, locks on files.

use super::forms::{ArtifactForm, ArtifactWord, Finish};
use crate::{
    ask::Ask,
    table::{Hints, Tool},
    views::{Told, time},
};
use handover_core::{
    command::{Command, Write},
    limits::{LOCK_MS_MAX, MCP_LEASE_MS},
    refusal::HandoffError,
    session::LockType,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "set_variable",
            "Set a variable",
            "Sets a value that everybody in the session reads. A name such as `you/plan` is yours alone to write; a name \
             without a slash is shared. Give `expected_version` to be told when somebody else wrote meanwhile.",
            set,
        )
        .hints(Hints { destructive: true, ..Hints::SETTLES }),
        Tool::new(
            "add_artifact",
            "Add an artifact",
            "Keeps a reference to something that the work produced: a file, a document, a result of tests. The content stays \
             where it is.",
            add,
        ),
        Tool::new(
            "lock_file",
            "Lock a file",
            "Locks a file before you change it, so that no other agent of the session changes it at the same time. It is \
             released when you end your work, when you unlock it, or when its time is over.",
            lock,
        )
        .hints(Hints::SETTLES),
        Tool::new("unlock_file", "Unlock a file", "Gives a lock back that you hold.", unlock).hints(Hints::SETTLES),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Setting {
    /// Its name.
    name: String,
    /// Its value: anything that is JSON.
    value: Value,
    /// The version that it must have now: 0 for none. Left out, the write does not care.
    #[serde(default)]
    expected_version: Option<u64>,
    /// The session. May be left out.
    #[serde(default)]
    session_id: Option<String>,
}

/// A variable.
#[derive(Debug, Serialize, JsonSchema)]
struct Variable {
    /// Its name.
    name: String,
    /// How often it was written.
    version: u64,
    /// The session.
    session_id: String,
}

impl Told for Variable {
    fn text(&self) -> String {
        format!("{} is set (version {}) in session {}.", self.name, self.version, self.session_id)
    }
}

async fn set(ask: Ask, form: Setting) -> Result<Variable, HandoffError> {
    let by = ask.me().await?;
    let session = ask.session(form.session_id.as_deref(), "").await?;
    let name = form.name.clone();
    let write = Write { name: form.name, value: form.value, expected_version: form.expected_version };
    ask.submit(&session.id, Command::Set { by, writes: vec![write] }, "set").await?;
    let session = ask.engine.session(&session.id).await?;
    let version = session.variables.get(&name).map_or(0, |variable| variable.version);
    Ok(Variable { name, version, session_id: session.id.to_string() })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Adding {
    /// Where it is: a path or a URI.
    path: String,
    /// What it is.
    #[serde(rename = "type", default)]
    kind: ArtifactWord,
    /// What it is, in a sentence.
    #[serde(default)]
    description: String,
    /// How finished it is.
    #[serde(default)]
    status: Finish,
    /// The session. May be left out.
    #[serde(default)]
    session_id: Option<String>,
}

/// An artifact.
#[derive(Debug, Serialize, JsonSchema)]
struct Artifact {
    /// Its id.
    artifact_id: String,
    /// Where it is.
    path: String,
    /// The session.
    session_id: String,
}

impl Told for Artifact {
    fn text(&self) -> String {
        format!("{} is kept as artifact {} of session {}.", self.path, self.artifact_id, self.session_id)
    }
}

async fn add(ask: Ask, form: Adding) -> Result<Artifact, HandoffError> {
    let by = ask.me().await?;
    let session = ask.session(form.session_id.as_deref(), "").await?;
    let Adding { path, kind, description, status, .. } = form;
    let artifact = ArtifactForm { path: path.clone(), kind, description, status };
    let answer = ask.submit(&session.id, Command::Keep { by, artifact: artifact.into() }, "keep").await?;
    let artifact_id = answer.artifact.map(|id| id.to_string()).unwrap_or_default();
    Ok(Artifact { artifact_id, path, session_id: session.id.to_string() })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Locking {
    /// The file.
    path: String,
    /// Whether others that share may hold it too.
    #[serde(default)]
    shared: bool,
    /// For how long, in minutes; 30 when left out. Lock it again to keep it.
    #[serde(default)]
    minutes: Option<u64>,
    /// The session. May be left out.
    #[serde(default)]
    session_id: Option<String>,
}

/// A lock.
#[derive(Debug, Serialize, JsonSchema)]
struct Locked {
    /// The file.
    path: String,
    /// Whether you hold it.
    held: bool,
    /// Until when.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    /// The session.
    session_id: String,
}

impl Told for Locked {
    fn text(&self) -> String {
        match &self.until {
            Some(until) => format!("You hold the lock on {} until {until}.", self.path),
            None => format!("You do not hold the lock on {} any more.", self.path),
        }
    }
}

async fn lock(ask: Ask, form: Locking) -> Result<Locked, HandoffError> {
    let by = ask.me().await?;
    let session = ask.session(form.session_id.as_deref(), "").await?;
    let lock_type = if form.shared { LockType::Shared } else { LockType::Exclusive };
    let lease_ms = form.minutes.map_or(MCP_LEASE_MS, |minutes| minutes.saturating_mul(60_000)).min(LOCK_MS_MAX);
    let command = Command::Lock { by: by.clone(), path: form.path.clone(), lock_type, lease_ms };
    ask.submit(&session.id, command, "lock").await?;
    let session = ask.engine.session(&session.id).await?;
    let now = ask.engine.now();
    let mine = session.valid_locks(&form.path, now).find(|lock| lock.owner == by);
    let until = mine.map(|lock| time(lock.until));
    Ok(Locked { held: until.is_some(), path: form.path, until, session_id: session.id.to_string() })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Unlocking {
    /// The file.
    path: String,
    /// The session. May be left out.
    #[serde(default)]
    session_id: Option<String>,
}

async fn unlock(ask: Ask, form: Unlocking) -> Result<Locked, HandoffError> {
    let by = ask.me().await?;
    let session = ask.known_session(form.session_id.as_deref()).await?;
    ask.submit(&session.id, Command::Unlock { by, path: form.path.clone() }, "unlock").await?;
    Ok(Locked { path: form.path, held: false, until: None, session_id: session.id.to_string() })
}
