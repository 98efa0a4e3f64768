//! `handover check`: a file of agents and settings, with all its mistakes.

use super::{exit::Stop, out::Out, words::count};
use crate::settings;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Arguments of `handover check`.
#[derive(Debug, Clone, Args)]
pub struct Check {
    /// The file
    #[arg(value_name = "FILE", default_value = "handover.yaml")]
    file: PathBuf,
}

pub(crate) async fn run(args: &Check, out: &mut Out) -> Result<(), Stop> {
    let settings = settings::read(&args.file)?;
    if out.look.json {
        let ids: Vec<_> = settings.agents.iter().map(|agent| &agent.id).collect();
        return out.json(&json!({ "file": args.file, "agents": ids, "policy": settings.policy })).await;
    }
    out.line(format!("{}: {}, all good", args.file.display(), count(settings.agents.len() as u64, "agent"))).await
}
