//! A task of a remote agent, as far as it is known: put together from what was told, piece by piece, and bounded. What is
//! told of another task or of another context is refused: it is a mistake, or somebody else's.

use a2a::{Artifact, Part, PartContent, StreamResponse, Task, TaskState, TaskStatus};
use handover_core::limits::{REMOTE_ANSWER_BYTES_MAX, REMOTE_ARTIFACTS_MAX, REMOTE_ID_BYTES_MAX, REMOTE_PARTS_MAX};
use serde_json::Value;
use std::collections::HashMap;

/// A task, by what was told of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    pub(super) id: String,
    pub(super) context: String,
    pub(super) status: TaskStatus,
    pub(super) artifacts: Vec<Artifact>,
    pub(super) metadata: HashMap<String, Value>,
}

/// Whether somebody else's id can be one.
pub(super) fn check_id(what: &str, id: &str) -> Result<(), String> {
    if id.is_empty() || id.len() > REMOTE_ID_BYTES_MAX || matches!(id, "." | "..") || id.chars().any(char::is_control) {
        return Err(format!("the {what} has no usable id: at most {REMOTE_ID_BYTES_MAX} bytes (REMOTE_ID_BYTES_MAX)"));
    }
    Ok(())
}

impl Seen {
    /// A task that is new to us.
    pub(super) fn first(task: Task) -> Result<Self, String> {
        check_id("task", &task.id)?;
        if !task.context_id.is_empty() {
            check_id("context", &task.context_id)?;
        }
        let mut seen = Self::expected(task.id.clone(), task.context_id.clone());
        seen.whole(task)?;
        Ok(seen)
    }

    /// A task of which nothing but its id is known.
    pub(super) fn expected(id: String, context: String) -> Self {
        let status = TaskStatus { state: TaskState::Unspecified, message: None, timestamp: None };
        Self { id, context, status, artifacts: Vec::new(), metadata: HashMap::new() }
    }

    /// Takes in what was told.
    pub(super) fn take(&mut self, told: StreamResponse) -> Result<(), String> {
        match told {
            StreamResponse::Task(task) => self.whole(task),
            StreamResponse::StatusUpdate(update) => {
                self.is_mine(&update.task_id, &update.context_id)?;
                self.metadata.extend(update.metadata.unwrap_or_default());
                self.stands(update.status)
            }
            StreamResponse::ArtifactUpdate(update) => {
                self.is_mine(&update.task_id, &update.context_id)?;
                self.add(update.artifact, update.append == Some(true))
            }
            // Something said on the way: nothing that counts may be told so.
            StreamResponse::Message(_) => Ok(()),
        }
    }

    fn is_mine(&mut self, id: &str, context: &str) -> Result<(), String> {
        if id != self.id {
            return Err("it tells of another task".to_owned());
        }
        if self.context.is_empty() && !context.is_empty() {
            check_id("context", context)?;
            context.clone_into(&mut self.context);
        }
        if !context.is_empty() && context != self.context {
            return Err("it tells of another context".to_owned());
        }
        Ok(())
    }

    /// All that there is of it, at once.
    fn whole(&mut self, task: Task) -> Result<(), String> {
        self.is_mine(&task.id, &task.context_id)?;
        self.artifacts = Vec::new();
        self.metadata = task.metadata.unwrap_or_default();
        for artifact in task.artifacts.unwrap_or_default() {
            self.add(artifact, false)?;
        }
        self.stands(task.status)
    }

    fn stands(&mut self, status: TaskStatus) -> Result<(), String> {
        let parts = status.message.as_ref().map_or(0, |message| message.parts.len());
        check_parts(parts)?;
        self.status = status;
        Ok(())
    }

    fn add(&mut self, artifact: Artifact, append: bool) -> Result<(), String> {
        let known = self.artifacts.iter_mut().find(|known| known.artifact_id == artifact.artifact_id);
        match known {
            Some(known) if append => appended(&mut known.parts, artifact.parts),
            // One without an id is one of its own.
            Some(known) if !artifact.artifact_id.is_empty() => *known = artifact,
            Some(_) | None => self.artifacts.push(artifact),
        }
        if self.artifacts.len() > REMOTE_ARTIFACTS_MAX {
            return Err(format!("the task has more than {REMOTE_ARTIFACTS_MAX} artifacts (REMOTE_ARTIFACTS_MAX)"));
        }
        check_parts(self.artifacts.iter().map(|artifact| artifact.parts.len()).sum())?;
        let bytes: usize = self.artifacts.iter().flat_map(|artifact| &artifact.parts).map(size).sum();
        if bytes > REMOTE_ANSWER_BYTES_MAX {
            return Err(format!(
                "its artifacts have more than {REMOTE_ANSWER_BYTES_MAX} bytes (REMOTE_ANSWER_BYTES_MAX)"
            ));
        }
        Ok(())
    }
}

pub(super) fn check_parts(parts: usize) -> Result<(), String> {
    let told = || format!("it has more than {REMOTE_PARTS_MAX} parts (REMOTE_PARTS_MAX)");
    if parts > REMOTE_PARTS_MAX { Err(told()) } else { Ok(()) }
}

/// Words that come in pieces are one text.
fn appended(parts: &mut Vec<Part>, more: Vec<Part>) {
    for part in more {
        match (parts.last_mut().map(|last| &mut last.content), &part.content) {
            (Some(PartContent::Text(text)), PartContent::Text(next)) => text.push_str(next),
            _ => parts.push(part),
        }
    }
}

fn size(part: &Part) -> usize {
    match &part.content {
        PartContent::Text(text) | PartContent::Url(text) => text.len(),
        PartContent::Raw(bytes) => bytes.len(),
        // It came within the bound of one answer; what matters is that many of them do not add up.
        PartContent::Data(value) => nodes(value),
    }
}

fn nodes(value: &Value) -> usize {
    match value {
        Value::Array(items) => 2 + items.iter().map(nodes).sum::<usize>(),
        Value::Object(map) => 2 + map.iter().map(|(name, item)| name.len() + nodes(item)).sum::<usize>(),
        Value::String(text) => 2 + text.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    }
}
