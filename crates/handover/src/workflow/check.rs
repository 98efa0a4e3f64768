//! What is wrong with a workflow that can be read, at its place in the file.

use super::{
    Note,
    read::{Parts, SOMEBODY},
};
use crate::yaml::{Document, NodeId};
use handover_core::{
    ids::AgentId,
    refusal::{Code, Refusal},
    workflow::{Member, Noted},
};

/// Fields whose parts have names that people chose.
const BY_NAME: [&str; 3] = ["agents", "states", "transitions"];

/// Checks all of it when all of it could be read, else each part by itself. Gives what is worth a second look.
pub(super) fn all(document: &Document, parts: &Parts) -> Vec<Note> {
    if document.is_clean() {
        return match parts.workflow.check() {
            Ok(noted) => noted.into_iter().map(|noted| note(document, noted)).collect(),
            Err(error) => {
                error.refusals.into_iter().for_each(|refusal| tell(document, refusal));
                Vec::new()
            }
        };
    }
    if document.is_full() {
        return Vec::new();
    }
    let mut workflow = parts.workflow.clone();
    workflow.agents.extend(AgentId::new(SOMEBODY).ok().map(|id| (id, Member::default())));
    for refusal in workflow.check_parts().into_iter().filter(|refusal| !follows(refusal, parts)) {
        tell(document, refusal);
    }
    Vec::new()
}

/// Whether a refusal only follows from a part that could not be read.
fn follows(refusal: &Refusal, parts: &Parts) -> bool {
    let unread = |name| parts.unread.contains(name);
    let transition = refusal.field.strip_prefix("transitions.");
    match refusal.code {
        Code::UnknownAgent if unread("agents") => true,
        Code::UnknownState if unread("states") => true,
        Code::BadWorkflow => transition.is_some_and(|state| parts.broken.contains(state)),
        _ => ["name", "start"].into_iter().any(|name| refusal.field == name && unread(name)),
    }
}

fn tell(document: &Document, mut refusal: Refusal) {
    let root = document.root;
    // What is only counted need not be found first.
    if document.is_full() {
        return document.refuse(root, refusal);
    }
    if let Some(key) = key(document, &refusal.field) {
        return document.refuse(key, refusal);
    }
    if let Some(first) = refusal.details.get("first").and_then(serde_json::Value::as_str) {
        let (first, second) = (document.line_of(root, first), document.line_of(root, &refusal.field));
        refusal.message += &format!(": in line {first} and in line {second}");
    }
    let number = |name| refusal.details.get(name).and_then(serde_json::Value::as_u64).map(|n| n as usize);
    let message = refusal.details.get("message").and_then(serde_json::Value::as_str);
    match (refusal.code, message, number("line").zip(number("column"))) {
        (Code::BadExpression, Some(message), Some(at)) => {
            let message = message.to_owned();
            document.refuse_inside(root, at, Refusal { message, ..refusal });
        }
        _ => document.refuse_below(root, refusal),
    }
}

/// The name of an agent or a state, when it is meant as a whole.
fn key(document: &Document, field: &str) -> Option<NodeId> {
    let (around, name) = field.split_once('.').filter(|(around, _)| BY_NAME.contains(around))?;
    let (_, node) = document.tree.field(document.root, around)?;
    document.tree.field(node, name).map(|(key, _)| key)
}

fn note(document: &Document, noted: Noted) -> Note {
    let refusal = Refusal::new(Code::BadWorkflow, noted.message).at(noted.field);
    document.remark(document.root, refusal.hint("put the narrower one first, or let the conditions exclude each other"))
}
