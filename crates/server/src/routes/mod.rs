//! The routes, one file per subject.

mod agents;
mod approvals;
mod audit;
mod by_hand;
mod commands;
mod events;
mod handoffs;
mod house;
mod keys;
mod questions;
mod sessions;
mod shared;
mod work;
mod workflows;

use crate::table::{Describe, Route, shape};
use handover_core::access::KeyId;
use handover_core::ids::{AgentId, ArtifactId, GroupId, HandoffId, SessionId};
use schemars::{Schema, SchemaGenerator, json_schema};

/// All routes, in the order of the document.
pub(crate) fn all() -> Vec<Route> {
    let chapters: [(&str, Vec<Route>); 14] = [
        ("Sessions", sessions::routes()),
        ("Shared things", shared::routes()),
        ("Handoffs", handoffs::routes()),
        ("Work", work::routes()),
        ("Approvals", approvals::routes()),
        ("Questions", questions::routes()),
        ("Stepping in", by_hand::routes()),
        ("Agents", agents::routes()),
        ("Workflows", workflows::routes()),
        ("Events", events::routes()),
        ("Audit and figures", audit::routes()),
        ("Keys", keys::routes()),
        ("Command line", commands::routes()),
        ("House", house::routes()),
    ];
    let tagged = |(tag, routes): (&'static str, Vec<Route>)| routes.into_iter().map(move |route| route.tag(tag));
    chapters.into_iter().flat_map(tagged).collect()
}

/// What a named part of an address stands for.
pub(crate) fn part(name: &str) -> (&'static str, Describe) {
    match name {
        "session" => ("The session.", shape::<SessionId>),
        "handoff" => ("The handoff.", shape::<HandoffId>),
        "agent" => ("The agent.", shape::<AgentId>),
        "group" => ("The broadcast.", shape::<GroupId>),
        "artifact" => ("The artifact.", shape::<ArtifactId>),
        "workflow" => ("The workflow.", shape::<handover_core::described::FileName>),
        "variable" => ("The variable.", name_shape),
        "rule" => ("The rule.", shape::<AgentId>),
        "experiment" => ("The experiment.", name_shape),
        "key" => ("The key.", shape::<KeyId>),
        "code" => ("The code.", code_shape),
        _ => ("A name.", name_shape),
    }
}

fn name_shape(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "minLength": 1, "maxLength": 200 })
}

fn code_shape(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": "^HO[0-9]{4}$" })
}
