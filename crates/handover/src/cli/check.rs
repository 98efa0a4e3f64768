//! `handover check`: a workflow, or a file of agents and settings, with all its mistakes.

use super::{door, exit::Stop, out::Out, paint::Style, words::count};
use crate::{settings, workflow};
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Arguments of `handover check`.
#[derive(Debug, Clone, Args)]
pub struct Check {
    /// A workflow, its folder, or a file of agents and settings; several are checked together
    #[arg(value_name = "FILE", default_value = door::CONFIG)]
    files: Vec<PathBuf>,
}

pub(crate) async fn run(args: &Check, out: &mut Out) -> Result<(), Stop> {
    let (mut found, mut wrong) = (Vec::new(), 0);
    for file in args.files.iter().flat_map(|path| inside(path)) {
        match one(&file, out).await {
            Ok(value) => found.push(value),
            // The next file has mistakes of its own.
            Err(stop @ (Stop::File(_) | Stop::Refused(_))) => {
                wrong += 1;
                out.tell(&stop).await;
            }
            Err(stop) => return Err(stop),
        }
    }
    if wrong > 0 {
        return Err(Stop::Said(super::exit::REFUSED));
    }
    match (out.look.json, found.len()) {
        (true, 1) => out.json(&found[0]).await,
        (true, _) => out.json(&found).await,
        (false, _) => Ok(()),
    }
}

/// What there is to check in a folder; a file is itself.
fn inside(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_path_buf()];
    }
    let known = ["workflow.yaml", door::CONFIG].map(|name| path.join(name));
    let there: Vec<PathBuf> = known.iter().filter(|file| file.exists()).cloned().collect();
    // Told by the reader that there is no such file.
    if there.is_empty() { known.into_iter().take(1).collect() } else { there }
}

async fn one(file: &Path, out: &mut Out) -> Result<Value, Stop> {
    if is_workflow(file) { a_workflow(file, out).await } else { some_settings(file, out).await }
}

/// Whether a file is a workflow, by what stands at its top or by its name.
fn is_workflow(file: &Path) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let tops = ["states:", "rules:", "start:", "transitions:"];
    let named = file.file_name().is_some_and(|name| name == "workflow.yaml");
    named || text.lines().any(|line| tops.iter().any(|top| line.starts_with(top)))
}

async fn a_workflow(path: &Path, out: &mut Out) -> Result<Value, Stop> {
    let file = workflow::read(path)?;
    let flow = &file.workflow;
    if !out.look.json {
        for note in &file.notes {
            let text = out.paint(Style::Yellow, &note.to_string());
            out.line(text).await?;
        }
        let parts = [
            count(flow.agents.len() as u64, "agent"),
            count(flow.states.len() as u64, "state"),
            count(flow.rules.len() as u64, "rule"),
        ];
        out.line(format!("{}: {}, all good", path.display(), parts.join(", "))).await?;
    }
    let notes: Vec<String> = file.notes.iter().map(ToString::to_string).collect();
    Ok(json!({
        "file": path, "workflow": flow.name, "agents": flow.agents.keys().collect::<Vec<_>>(),
        "states": flow.states.keys().collect::<Vec<_>>(), "rules": flow.rules.len(), "notes": notes,
    }))
}

async fn some_settings(path: &Path, out: &mut Out) -> Result<Value, Stop> {
    let settings = settings::read(path)?;
    if !out.look.json {
        let agents = count(settings.agents.len() as u64, "agent");
        out.line(format!("{}: {agents}, all good", path.display())).await?;
    }
    let ids: Vec<_> = settings.agents.iter().map(|agent| &agent.id).collect();
    Ok(json!({ "file": path, "agents": ids, "policy": settings.policy }))
}
