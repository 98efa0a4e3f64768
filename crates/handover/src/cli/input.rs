//! JSON that is given on the command line: itself, or `@FILE`.

use super::{Job, exit::Stop};
use handover_core::{
    limits::FILE_BYTES_MAX,
    refusal::{Code, Refusal},
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// Where the files are that a command names.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Files<'a> {
    /// On this machine, relative to this folder.
    Here(&'a Path),
    /// On the machine of whoever asks: what they sent of them, by the names that were typed. None of this machine is
    /// touched, whatever the name.
    Away(&'a BTreeMap<String, String>),
}

impl Files<'_> {
    /// The folder that names are relative to, where files may be touched at all.
    pub(crate) fn folder(&self, what: &str) -> Result<PathBuf, Stop> {
        match self {
            Self::Here(folder) => Ok(folder.to_path_buf()),
            Self::Away(_) => Err(Stop::refused(
                format!("{what} is on the machine of the server, and nobody touches its files from elsewhere"),
                "do it on that machine, without --server",
            )),
        }
    }
}

/// The name of a file in an argument such as `@FILE`.
pub(crate) fn named(given: Option<&String>) -> Option<String> {
    given.and_then(|given| given.strip_prefix('@')).map(str::to_owned)
}

/// The JSON of an argument. A text that is no JSON is refused, with its place.
pub(crate) fn json(job: &Job<'_>, name: &str, given: &str) -> Result<Value, Stop> {
    let text = match given.strip_prefix('@') {
        Some(path) => file(job, path)?,
        None => given.to_owned(),
    };
    serde_json::from_str(&text).map_err(|error| {
        let refusal = Refusal::new(Code::NotJson, error.to_string()).at(name);
        refusal.hint("give JSON such as '{\"seats\": 4}' or '\"done\"', or a file as @FILE").into()
    })
}

/// A document in a file: JSON, or YAML by the name of the file.
pub(crate) fn document(path: &Path) -> Result<Value, Stop> {
    let shown = path.display().to_string();
    let text = text(path, &shown)?;
    let wrong = |error: String| {
        let refusal = Refusal::new(Code::NotJson, format!("{shown}: {error}")).at("input");
        Stop::from(refusal.hint("give a JSON document, or YAML in a file that ends with .yaml"))
    };
    let yaml = path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    if yaml {
        serde_saphyr::from_str(&text).map_err(|error| wrong(error.to_string()))
    } else {
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
    }
}

/// The text of a file, not longer than it may be.
pub(crate) fn file(job: &Job<'_>, path: &str) -> Result<String, Stop> {
    match job.files {
        Files::Here(folder) => text(&folder.join(path), path),
        Files::Away(sent) => sent.get(path).cloned().ok_or_else(|| {
            Stop::refused(format!("{path} was not sent"), "files are read where the command is typed, and sent along")
        }),
    }
}

/// A file of this machine, to be sent along with a command.
pub(crate) fn to_send(path: &str) -> Result<String, Stop> {
    text(Path::new(path), path)
}

/// What stands at stdin, not longer than a file may be.
pub(crate) fn stdin() -> Result<String, Stop> {
    let mut text = String::new();
    let read = std::io::stdin().take(FILE_BYTES_MAX as u64 + 1).read_to_string(&mut text);
    if let Err(error) = read {
        return Err(Stop::refused(format!("stdin cannot be read: {error}"), "write the answer to it as text"));
    }
    if text.len() > FILE_BYTES_MAX {
        let message = format!("stdin has more than {FILE_BYTES_MAX} bytes (FILE_BYTES_MAX)");
        return Err(Refusal::new(Code::TooLarge, message).into());
    }
    // An answer that begins so would be taken for something else.
    Ok(text.trim().trim_start_matches(['@', '-']).to_owned())
}

fn text(at: &Path, path: &str) -> Result<String, Stop> {
    let mut text = String::new();
    let opened = File::open(at);
    let read = opened.and_then(|file| file.take(FILE_BYTES_MAX as u64 + 1).read_to_string(&mut text));
    if let Err(error) = read {
        return Err(Stop::refused(format!("{path} cannot be read: {error}"), "check the path and its permissions"));
    }
    if text.len() > FILE_BYTES_MAX {
        let message = format!("{path} has more than {FILE_BYTES_MAX} bytes (FILE_BYTES_MAX)");
        return Err(Refusal::new(Code::TooLarge, message).into());
    }
    Ok(text)
}
