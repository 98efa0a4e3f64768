//! The scout: looks at the code that is there already, and finds where the question touches it.

use super::{Settings, question};
use crate::{
    code, files,
    folder::{self, TextFile},
    room::{Room, ended},
    shelf::terms,
    words::counted,
};
use handover_core::limits::FINDINGS_SHOWN;
use handover_engine::agent::{Done, Failure, Work};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A place in the code that the question touches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Touched {
    /// The file.
    pub(super) file: String,
    /// The line.
    pub(super) line: usize,
    /// The function in which it stands.
    pub(super) function: String,
}

/// What a scout found, in the payload of somebody later.
pub(super) fn touched(payload: &Value) -> Vec<Touched> {
    let found = payload.get("existing_code").and_then(|report| report.get("touched"));
    found.and_then(|all| serde_json::from_value(all.clone()).ok()).unwrap_or_default()
}

pub(super) async fn run(work: &Work, room: &Room) -> Result<Done, Failure> {
    let settings: Settings = room.settings()?;
    let folder = room.home(&settings.code)?;
    let source: Vec<TextFile> = files::off_thread(move || folder::read(&folder)).await??;
    let touched = look(&source, &question(work));
    let functions: usize = source.iter().map(|file| code::functions(&file.path, &file.text).len()).sum();
    let say = format!(
        "{} in {}; {} to change",
        counted(functions, "function"),
        counted(source.len(), "file"),
        counted(touched.len(), "place")
    );
    let data = json!({"files": source.len(), "functions": functions, "touched": touched});
    Ok(ended(work, "SCOUTING_COMPLETE", data, say))
}

/// The first line of each function that has a word of the question.
fn look(source: &[TextFile], question: &str) -> Vec<Touched> {
    let wanted = terms(question);
    let mut found: Vec<Touched> = Vec::new();
    for file in source {
        let functions = code::functions(&file.path, &file.text);
        for (at, line) in file.text.lines().enumerate() {
            let Some(function) = code::around(&functions, at + 1) else { continue };
            let known = found.iter().any(|it| it.file == file.path && it.function == function.name);
            if !known && terms(&line.replace('_', " ")).iter().any(|term| wanted.contains(term)) {
                found.push(Touched { file: file.path.clone(), line: at + 1, function: function.name.clone() });
            }
        }
    }
    found.truncate(FINDINGS_SHOWN);
    found
}
