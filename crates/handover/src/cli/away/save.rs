//! What a command writes into a file is written here, where it was typed, and nowhere but where it was typed to go: the
//! server names no file.

use crate::cli::{args::Command, audit, exit::Stop, graph, out::Out};
use handover_core::refusal::{Code, Refusal};
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Component, Path, PathBuf},
};

/// Where what comes is saved.
pub(super) enum Saving {
    /// The command writes no file.
    Nowhere,
    /// A drawing.
    Drawing(PathBuf),
    /// Records, in a folder and a folder within it.
    Records { folder: PathBuf, project: String, file: Option<(PathBuf, BufWriter<File>)> },
}

impl Drop for Saving {
    fn drop(&mut self) {
        // What was not finished is no export.
        if let Self::Records { file: Some((path, _)), .. } = self {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn trouble(path: &Path, error: &std::io::Error) -> Stop {
    Stop::trouble(format!("{}: {error}", path.display()), "check the path and its permissions")
}

impl Saving {
    pub(super) fn of(command: &Command) -> Self {
        match command {
            Command::Graph(args) => args.output.clone().map_or(Self::Nowhere, Self::Drawing),
            Command::Audit(args) => match args.exports_to() {
                Some((folder, project)) => {
                    Self::Records { folder: folder.to_owned(), project: project.to_owned(), file: None }
                }
                None => Self::Nowhere,
            },
            _ => Self::Nowhere,
        }
    }

    /// Writes a piece.
    pub(super) fn write(&mut self, text: &str) -> Result<(), Stop> {
        match self {
            Self::Nowhere => Err(unasked()),
            Self::Drawing(path) => graph::save(path, path, text),
            Self::Records { folder, project, file } => {
                let (path, file) = match file {
                    Some(open) => open,
                    none => none.insert(begun(folder, project)?),
                };
                file.write_all(text.as_bytes()).map_err(|error| trouble(path, &error))
            }
        }
    }

    /// All records are there.
    pub(super) async fn finish(&mut self, first: u64, last: u64, records: u64, out: &mut Out) -> Result<(), Stop> {
        let Self::Records { folder, project, file } = self else { return Err(unasked()) };
        let (temporary, mut written) = match file.take() {
            Some(open) => open,
            None => begun(folder, project)?,
        };
        let path = place(folder, project)?.join(format!("records-{first:012}-{last:012}.jsonl"));
        let synced = written.flush().and_then(|()| written.get_ref().sync_all());
        synced.and_then(|()| std::fs::rename(&temporary, &path)).map_err(|error| trouble(&path, &error))?;
        audit::exported(&path, records, out).await
    }
}

fn unasked() -> Stop {
    Stop::trouble("the server sent a file that nobody asked for", "use the same version at both ends")
}

fn place(folder: &Path, project: &str) -> Result<PathBuf, Stop> {
    let one_name: Vec<Component<'_>> = Path::new(project).components().collect();
    if !matches!(one_name.as_slice(), [Component::Normal(_)]) {
        let message = format!("{project:?} is not the name of one folder");
        return Err(Refusal::new(Code::BadText, message).at("project").into());
    }
    Ok(folder.join(project).join("handoff-audit"))
}

fn begun(folder: &Path, project: &str) -> Result<(PathBuf, BufWriter<File>), Stop> {
    let folder = place(folder, project)?;
    std::fs::create_dir_all(&folder).map_err(|error| trouble(&folder, &error))?;
    let path = folder.join(format!(".writing-{}", uuid::Uuid::new_v4()));
    let file = File::create_new(&path).map_err(|error| trouble(&path, &error))?;
    Ok((path, BufWriter::new(file)))
}
