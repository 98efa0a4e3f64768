//! `handover init`: a project that runs, to be changed.

use super::{exit::Stop, out::Out, paint::Style};
use clap::Args;
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The files of a new project.
const FILES: [(&str, &str); 7] = [
    ("workflow.yaml", include_str!("template/workflow.yaml")),
    ("handover.yaml", include_str!("template/handover.yaml")),
    ("input.json", include_str!("template/input.json")),
    ("README.md", include_str!("template/README.md")),
    ("agents/reader.sh", include_str!("template/agents/reader.sh")),
    ("agents/writer.sh", include_str!("template/agents/writer.sh")),
    ("agents/reviewer.sh", include_str!("template/agents/reviewer.sh")),
];

/// What a run writes, for version control to leave alone.
const IGNORED: &str = "handover.db*\n*-run/\n";

/// Arguments of `handover init`.
#[derive(Debug, Clone, Args)]
pub struct Init {
    /// The folder; it is made when there is none
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Writes over files that are there
    #[arg(long)]
    force: bool,
}

pub(crate) async fn run(args: &Init, out: &mut Out) -> Result<(), Stop> {
    let files = || FILES.iter().chain(std::iter::once(&(".gitignore", IGNORED)));
    let there: Vec<&str> = files().map(|(name, _)| *name).filter(|name| args.folder.join(name).exists()).collect();
    if !there.is_empty() && !args.force {
        let message = format!("{} has {} already", args.folder.display(), there.join(", "));
        return Err(Stop::refused(message, "choose another folder, or write over them with --force"));
    }
    for (name, text) in files() {
        write(&args.folder.join(name), text)?;
    }
    let names: Vec<&str> = files().map(|(name, _)| *name).collect();
    if out.look.json {
        return out.json(&json!({ "folder": args.folder, "files": names })).await;
    }
    out.line(format!("A team of three that answers letters is in {}:", args.folder.display())).await?;
    for name in names {
        out.line(format!("  {name}")).await?;
    }
    let enter = if args.folder == Path::new(".") { String::new() } else { format!("cd {} && ", args.folder.display()) };
    let next = out.paint(Style::Bold, &format!("{enter}handover run ."));
    out.line(format!("\nRun it:  {next}")).await
}

fn write(path: &Path, text: &str) -> Result<(), Stop> {
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
    written.map_err(|error| {
        Stop::refused(format!("{} cannot be written: {error}", path.display()), "check the path and its permissions")
    })
}
