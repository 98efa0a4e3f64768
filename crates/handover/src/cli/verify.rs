//! `handover verify`: every record, checkpoint, message and handoff of a database.

use super::{Job, exit::Stop, words::count};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `handover verify`.
#[derive(Debug, Clone, Args)]
pub struct Verify {
    /// The database; as --db
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

pub(crate) async fn run(job: &mut Job<'_>) -> Result<(), Stop> {
    job.out.progress("checking every record; this takes a moment for a large database").await?;
    let found = job.engine.verify().await;
    job.out.progress_over().await?;
    let found = found?;
    if job.out.look.json {
        return job.out.json(&found).await;
    }
    let parts = [
        count(found.sessions, "session"),
        count(found.records, "record"),
        count(found.messages, "message"),
        count(found.checkpoints, "checkpoint"),
    ];
    job.out.line(format!("{}: all as they were written", parts.join(", "))).await
}
