//! The tools of one agent: found by name, and called with arguments that fit.

use super::{CallContext, Tool, ToolOutcome, arguments};
use crate::model::{Call, ToolSpec};
use handover_core::{
    limits::{SLIP_BYTES_MAX, TOOL_NAME_CHARS_MAX, TOOL_NAMES_SHOWN, TOOLS_MAX},
    nearest::nearest,
    schema::Schema,
};
use std::{collections::BTreeMap, sync::Arc};

/// The tools that an agent has, by name.
#[derive(Default)]
pub struct Toolbox {
    entries: BTreeMap<String, Entry>,
    troubles: Vec<String>,
}

struct Entry {
    tool: Arc<dyn Tool>,
    spec: ToolSpec,
    schema: Schema,
}

impl Toolbox {
    /// Puts a tool in.
    ///
    /// # Errors
    /// When its name cannot be one or is taken, or when there are too many tools.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), String> {
        let spec = tool.spec();
        not_a_name(&spec.name).map_or(Ok(()), Err)?;
        if self.entries.contains_key(&spec.name) {
            return Err(format!("there are two tools with the name `{}`", spec.name));
        }
        if self.entries.len() == TOOLS_MAX {
            let name = &spec.name;
            return Err(format!("`{name}` is left out: an agent has at most {TOOLS_MAX} tools (TOOLS_MAX)"));
        }
        let schema = Schema::lenient(&spec.parameters);
        self.entries.insert(spec.name.clone(), Entry { tool, spec, schema });
        Ok(())
    }

    /// What a model is told of the tools, in the order of their names.
    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.entries.values().map(|entry| entry.spec.clone()).collect()
    }

    /// Why tools that should be here are not.
    #[must_use]
    pub fn troubles(&self) -> &[String] {
        &self.troubles
    }

    pub(super) fn note(&mut self, trouble: String) {
        self.troubles.push(trouble);
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// The tool with this name.
    ///
    /// # Errors
    /// When there is none: with the names that there are, and why some are missing.
    pub fn find(&self, name: &str) -> Result<&Arc<dyn Tool>, String> {
        self.entry(name).map(|entry| &entry.tool)
    }

    /// Calls a tool. Whatever goes wrong is told in the outcome.
    pub async fn call(&self, call: &Call, at: &CallContext) -> ToolOutcome {
        let ready = self
            .entry(&call.name)
            .and_then(|entry| Ok((entry, arguments::fitting(&entry.spec, &entry.schema, &call.arguments)?)));
        match ready {
            Ok((entry, arguments)) => entry.tool.call(arguments, at).await.bounded(),
            Err(why) => ToolOutcome::failed(why),
        }
    }

    fn entry(&self, name: &str) -> Result<&Entry, String> {
        self.entries.get(name).ok_or_else(|| {
            let mut told = unknown(name, self.entries.keys().map(String::as_str));
            for trouble in &self.troubles {
                told.push_str("\nNote: ");
                told.push_str(trouble);
            }
            told
        })
    }
}

/// That there is no such tool, and which one may be meant.
pub(super) fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let shown: String = name.chars().take(TOOL_NAME_CHARS_MAX).collect();
    let near = if name.len() <= SLIP_BYTES_MAX { nearest(name, known.clone().map(|one| (one, one))) } else { None };
    let meant = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let mut names: Vec<&str> = known.collect();
    if names.is_empty() {
        return format!("there is no tool `{shown}`: there are no tools");
    }
    let more = if names.len() > TOOL_NAMES_SHOWN { ", …" } else { "" };
    names.truncate(TOOL_NAMES_SHOWN);
    format!("there is no tool `{shown}`{meant} There are: {}{more}", names.join(", "))
}

/// Why a text cannot be the name of a tool.
pub(super) fn not_a_name(name: &str) -> Option<String> {
    let shown: String = name.chars().take(TOOL_NAME_CHARS_MAX).collect();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || name.len() > TOOL_NAME_CHARS_MAX {
        return Some(format!(
            "`{shown}` cannot be a name: it has {} characters, 1 to {TOOL_NAME_CHARS_MAX} are allowed",
            name.chars().count()
        ));
    }
    let bad = name.chars().find(|c| !fits(*c));
    bad.map(|c| format!("`{shown}` cannot be a name: it contains {c:?}; letters, digits, `_` and `-` are allowed"))
}
