//! From a file to a workflow. Every agent, state and rule is read by itself, so that a bad one hides no other.

use super::{WorkflowFile, check, form};
use crate::yaml::{Content, Document, FileError, NodeId, text_of, unknown_field};
use handover_core::{
    ids::AgentId,
    limits::{WORKFLOW_AGENTS_MAX, WORKFLOW_EVENTS_MAX, WORKFLOW_RULES_MAX, WORKFLOW_STATES_MAX},
    policy::SessionLimits,
    refusal::{Code, Refusal},
    workflow::{End, Limits, Member, Rule, State, Workflow},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Fields without which a rule cannot be read, and what stands in for one that is missing.
const NEEDED: [&str; 3] = ["id", "from", "reason"];
/// Whoever a rule belongs to that does not say it. A workflow with a stand-in never leaves.
pub(super) const SOMEBODY: &str = "handover:somebody";

/// What could be read, and what could not.
pub(super) struct Parts {
    pub(super) workflow: Workflow,
    /// Fields of the file that are missing, or of which nothing can be read.
    pub(super) unread: BTreeSet<&'static str>,
    /// States with a part that cannot be read.
    pub(super) broken: BTreeSet<String>,
}

/// Reads a file.
///
/// # Errors
/// With everything that is wrong with it.
pub fn read(path: impl AsRef<Path>) -> Result<WorkflowFile, FileError> {
    let name = path.as_ref().display().to_string();
    let text = text_of(&name, path.as_ref())?;
    parse(&name, &text)
}

/// Reads a text; mistakes name it as the file.
///
/// # Errors
/// With everything that is wrong with it.
pub fn parse(name: &str, text: &str) -> Result<WorkflowFile, FileError> {
    let mut document = Document::parse(name, text).map_err(begin_with_name)?;
    let parts = Parts::read(&mut document);
    let notes = check::all(&document, &parts);
    document.verdict()?;
    let folder = Path::new(name).parent().map(Path::to_path_buf).unwrap_or_default();
    Ok(WorkflowFile { workflow: parts.workflow, notes, file: name.to_owned(), folder })
}

/// An empty file is told what a workflow begins with.
fn begin_with_name(mut error: FileError) -> FileError {
    for mistake in error.mistakes.iter_mut().filter(|mistake| mistake.code == Code::EmptyField) {
        mistake.hint = "begin with `name:`".to_owned();
    }
    error
}

impl Parts {
    fn read(document: &mut Document) -> Self {
        let workflow = Workflow {
            name: String::new(),
            description: String::new(),
            agents: BTreeMap::new(),
            start: String::new(),
            states: BTreeMap::new(),
            transitions: BTreeMap::new(),
            rules: Vec::new(),
            on_error: None,
            events: Vec::new(),
            limits: SessionLimits::default(),
            with: serde_json::Value::Null,
        };
        let mut parts = Self { workflow, unread: BTreeSet::new(), broken: BTreeSet::new() };
        if is_object(document) {
            parts.texts(document);
            parts.agents(document);
            parts.states(document);
            parts.rules(document);
            parts.rest(document);
        } else {
            parts.unread.extend(form::names_of("Workflow"));
        }
        parts
    }

    fn texts(&mut self, document: &Document) {
        let name = self.needed(document, "name").and_then(|node| document.read(node));
        self.workflow.name = self.known("name", name);
        let start = self.needed(document, "start").and_then(|node| document.read(node));
        self.workflow.start = self.known("start", start);
        self.workflow.description = value(document, "description").and_then(|at| document.read(at)).unwrap_or_default();
    }

    fn agents(&mut self, document: &Document) {
        let entries = self.entries(document, "agents", WORKFLOW_AGENTS_MAX, "an object: each agent by its name");
        for (key, node) in entries {
            let Some(id) = document.read::<AgentId>(key) else { continue };
            // An agent that is otherwise wrong is still somebody.
            let member = if document.tree.is_nothing(node) { None } else { document.read::<Member>(node) };
            self.workflow.agents.insert(id, member.unwrap_or_default());
        }
    }

    fn states(&mut self, document: &Document) {
        let entries = self.entries(document, "states", WORKFLOW_STATES_MAX, "an object: each state by its name");
        for (key, node) in entries {
            let Some(name) = document.read::<String>(key) else { continue };
            let state = if document.tree.is_nothing(node) { Some(State::default()) } else { document.read(node) };
            let state = state.map(|state| whole(document, node, state));
            let unread = State { end: Some(End::Completed), ..State::default() };
            let (state, broken) = state.unwrap_or((unread, true));
            if broken {
                self.broken.insert(name.clone());
            }
            self.workflow.states.insert(name, state);
        }
    }

    fn rules(&mut self, document: &mut Document) {
        let Some(node) = self.needed(document, "rules") else { return };
        let entries = list(document, node, "rules", WORKFLOW_RULES_MAX);
        let rules = entries.into_iter().enumerate().filter_map(|(i, node)| rule(document, i, node));
        self.workflow.rules = rules.collect();
    }

    fn rest(&mut self, document: &Document) {
        let workflow = &mut self.workflow;
        workflow.transitions = optional(document, "transitions").unwrap_or_default();
        workflow.on_error = optional(document, "on_error");
        workflow.limits = optional::<Limits>(document, "limits").unwrap_or_default().into();
        workflow.with = optional(document, "with").unwrap_or_default();
        if let Some(node) = value(document, "events") {
            let entries = list(document, node, "events", WORKFLOW_EVENTS_MAX);
            workflow.events = entries.into_iter().filter_map(|node| document.read(node)).collect();
        }
    }

    /// The value of a field that must be there.
    fn needed(&mut self, document: &Document, name: &'static str) -> Option<NodeId> {
        let found = value(document, name);
        if found.is_none() {
            document.missing(document.root, name);
            self.unread.insert(name);
        }
        found
    }

    fn known(&mut self, name: &'static str, text: Option<String>) -> String {
        text.unwrap_or_else(|| {
            self.unread.insert(name);
            String::new()
        })
    }

    /// The names and values of an object that must be there.
    fn entries(&mut self, document: &Document, name: &'static str, max: usize, what: &str) -> Vec<(NodeId, NodeId)> {
        let Some(node) = self.needed(document, name) else { return Vec::new() };
        let entries = document.tree.entries(node);
        let refusal = if !matches!(document.tree.content(node), Content::Map(_)) {
            let hint = "write `name: {}` for each, one in a line";
            Refusal::new(Code::WrongType, format!("expected {what}")).hint(hint)
        } else if entries.len() > max {
            too_many(name, entries.len(), max)
        } else {
            return entries.to_vec();
        };
        document.refuse(node, refusal);
        self.unread.insert(name);
        Vec::new()
    }
}

/// Whether the file is an object; fields that it cannot have are told.
fn is_object(document: &Document) -> bool {
    let tree = &document.tree;
    if !matches!(tree.content(document.root), Content::Map(_)) {
        let refusal = Refusal::new(Code::WrongType, "expected the fields of a workflow, found something else");
        document.refuse(document.root, refusal.hint("begin with `name:`"));
        return false;
    }
    let names = form::names_of("Workflow");
    for (key, _) in tree.entries(document.root) {
        let name = tree.text(*key).unwrap_or_default();
        if !names.contains(&name) {
            document.refuse(*key, unknown_field(name, &names));
        }
    }
    true
}

/// The value of a field, where it has one.
fn value(document: &Document, name: &str) -> Option<NodeId> {
    let found = document.tree.field(document.root, name).map(|(_, value)| value);
    found.filter(|value| !document.tree.is_nothing(*value))
}

fn optional<T: serde::de::DeserializeOwned>(document: &Document, name: &str) -> Option<T> {
    value(document, name).and_then(|node| document.read(node))
}

fn list(document: &Document, node: NodeId, name: &str, max: usize) -> Vec<NodeId> {
    let refusal = match document.tree.content(node) {
        Content::List(entries) if entries.len() > max => too_many(name, entries.len(), max),
        Content::List(entries) => return entries.clone(),
        Content::Map(_) | Content::Scalar { .. } => {
            let refusal = Refusal::new(Code::WrongType, format!("expected a list of {name}"));
            refusal.hint("begin each with `- `, or write `[]` for none")
        }
    };
    document.refuse(node, refusal);
    Vec::new()
}

fn too_many(name: &str, count: usize, max: usize) -> Refusal {
    let limit = format!("WORKFLOW_{}_MAX", name.to_uppercase());
    let refusal = Refusal::new(Code::TooLarge, format!("there are {count}; at most {max} are allowed ({limit})"));
    refusal.hint("split it into several workflows")
}

/// A state, and whether a part of it was left out. What stands in for such a part contradicts nothing.
fn whole(document: &Document, node: NodeId, mut state: State) -> (State, bool) {
    let lacks = |name: &str| is_left_out(document, node, name);
    let broken = ["agent", "end", "timeout"].into_iter().any(lacks);
    if lacks("end") || (lacks("agent") && state.end.is_none()) {
        state.end = Some(End::Completed);
    }
    if lacks("timeout") {
        state.timeout_ms = Some(1);
    }
    (state, broken)
}

fn is_left_out(document: &Document, node: NodeId, name: &str) -> bool {
    document.tree.field(node, name).is_some_and(|(_, value)| document.is_left_out(value))
}

/// Reads a rule by itself. What it lacks is told all at once, and something stands in for it, so that the rest of it
/// is looked at too.
fn rule(document: &mut Document, i: usize, node: NodeId) -> Option<Rule> {
    if matches!(document.tree.content(node), Content::Map(_)) {
        for name in NEEDED {
            let there = document.tree.field(node, name).map(|(_, value)| value);
            if there.is_none_or(|value| document.tree.is_nothing(value)) {
                document.missing(node, name);
                stand_in(document, i, node, name);
            }
        }
    }
    let mut rule: Option<Rule> = document.read(node);
    if rule.is_none() && matches!(document.tree.content(node), Content::Map(_)) {
        for name in NEEDED.into_iter().filter(|name| is_left_out(document, node, name)).collect::<Vec<_>>() {
            stand_in(document, i, node, name);
        }
        rule = document.read(node);
    }
    // Whether somebody goes on there cannot be said when it is not known who or where.
    if ["to", "next_state"].into_iter().any(|name| is_left_out(document, node, name)) {
        rule = rule.map(|rule| Rule { next_state: None, ..rule });
    }
    rule
}

fn stand_in(document: &mut Document, i: usize, node: NodeId, name: &str) {
    let text = if name == "id" { format!("handover:unnamed-{i}") } else { SOMEBODY.to_owned() };
    document.stand_in(node, name, text);
}
