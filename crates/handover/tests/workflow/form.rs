//! The form of the file: the table, the schema for editors and the types that are read say the same.

use super::{EVERYTHING, SMALL, small};
use handover::{
    core::{schema::Schema, workflow as types},
    workflow::{self, FORM},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::{collections::BTreeSet, path::Path};

/// A YAML text as an editor sees it.
fn value(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap()
}

/// The schema, as this project's own checker of schemas understands it.
fn schema() -> Schema {
    serde_json::from_value(workflow::schema()).unwrap()
}

/// The fields that a type knows: it names them all when it meets one that it does not know.
fn fields<T: DeserializeOwned>() -> BTreeSet<String> {
    let error = serde_json::from_value::<T>(json!({"?": 1})).err().map(|error| error.to_string()).unwrap_or_default();
    error.split('`').skip(1).step_by(2).filter(|name| *name != "?").map(str::to_owned).collect()
}

#[test]
fn the_table_has_the_fields_of_the_types_and_no_others() {
    let types = [
        ("Workflow", fields::<types::Workflow>()),
        ("Member", fields::<types::Member>()),
        ("Runner", fields::<types::Runner>()),
        ("LlmRunner", fields::<types::LlmRunner>()),
        ("HttpRunner", fields::<types::HttpRunner>()),
        ("State", fields::<types::State>()),
        ("Rule", fields::<types::Rule>()),
        ("Payload", fields::<types::Payload>()),
        ("Retry", fields::<types::Retry>()),
        ("ErrorRoute", fields::<types::ErrorRoute>()),
        ("EventTrigger", fields::<types::EventTrigger>()),
        ("Limits", fields::<types::Limits>()),
    ];
    assert_eq!(types.each_ref().map(|(name, _)| *name), FORM.map(|part| part.name));
    for ((name, known), part) in types.iter().zip(FORM) {
        let listed: BTreeSet<String> = part.fields.iter().map(|field| field.name.to_owned()).collect();
        assert_eq!(listed, *known, "{name}");
    }
}

#[test]
fn the_table_needs_what_the_types_need() {
    fn needs<T: DeserializeOwned>(name: &str, whole: &Value) {
        let part = FORM.into_iter().find(|part| part.name == name).unwrap();
        for field in part.fields {
            let mut less = whole.clone();
            less.as_object_mut().unwrap().remove(field.name);
            assert_eq!(serde_json::from_value::<T>(less).is_err(), field.needed, "{name}.{}", field.name);
        }
    }
    let whole = serde_json::to_value(workflow::parse("x", EVERYTHING).unwrap().workflow).unwrap();
    needs::<types::Rule>("Rule", &whole["rules"][0]);
    needs::<types::Retry>("Retry", &whole["rules"][3]["retry"]);
    needs::<types::EventTrigger>("EventTrigger", &whole["events"][0]);
    needs::<types::State>("State", &whole["states"]["SORTING"]);
    needs::<types::Member>("Member", &whole["agents"]["triage"]);
    needs::<types::Payload>("Payload", &whole["rules"][0]["payload"]);
    needs::<types::Workflow>("Workflow", &whole);
}

#[test]
fn the_example_uses_every_field() {
    let used = serde_json::to_string(&workflow::parse("x", EVERYTHING).unwrap().workflow).unwrap();
    for field in FORM.iter().flat_map(|part| part.fields) {
        assert!(used.contains(&format!("\"{}\":", field.name)), "{}", field.name);
    }
}

#[test]
fn the_schema_is_one_and_takes_what_is_good() {
    assert_eq!(schema().mistakes(), []);
    for text in [EVERYTHING, SMALL] {
        assert_eq!(schema().check(&value(text)), [], "{text}");
        // What the engine keeps is a file too.
        let kept = serde_json::to_value(workflow::parse("x", text).unwrap().workflow).unwrap();
        assert_eq!(schema().check(&kept), []);
    }
}

/// The workflows that come with the project.
fn examples() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workflows");
    let folders = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.map(|folder| folder.join("workflow.yaml")).filter(|file| file.exists());
    files.map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

#[test]
fn the_workflows_of_the_project_are_good_and_fit_the_schema() {
    let all = examples();
    assert!(!all.is_empty());
    for text in all {
        assert_eq!(schema().check(&value(&text)), [], "{text}");
        workflow::parse("workflow.yaml", &text).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let table = [
        ("name: letters\n", "", "name"),
        ("name: letters", "name: [letters]", "name"),
        ("start: WRITING", "strat: WRITING", "strat"),
        ("{agent: writer}", "{agnt: writer}", "states.WRITING.agnt"),
        ("{agent: writer}", "{agent: writer, timeout: 24}", "states.WRITING.timeout"),
        ("{agent: writer}", "{agent: writer, timeout: 24 hours}", "states.WRITING.timeout"),
        ("{end: completed}", "{end: complete}", "states.DONE.end"),
        ("reason: A draft, ", "", "rules[0].reason"),
        ("reason: A draft", "reason: A draft, priority: hihg", "rules[0].priority"),
        ("reason: A draft", "reason: A draft, retry: {}", "rules[0].retry.max"),
        ("reason: A draft", "reason: A draft, retry: {max: 0}", "rules[0].retry.max"),
        ("reason: A draft", "reason: A draft, retry: {max: 1, backoff: 3}", "rules[0].retry.backoff"),
        ("reason: A draft", "reason: A draft, payload: {required: text}", "rules[0].payload.required"),
        ("reason: A draft", "reason: A draft, needs_approval: 1", "rules[0].needs_approval"),
        ("trigger_state: REJECTED", "trigger_state: {a: 1}", "rules[1].trigger_state"),
        ("writer: {}", "writer: {run: {}}", "agents.writer.run"),
        ("writer: {}", "writer: {at_once: 0}", "agents.writer.at_once"),
        ("start: WRITING", "start: WRITING\nlimits: {time: 90}", "limits.time"),
        ("start: WRITING", "start: WRITING\nlimits: {time_ms: 90}", "limits.time_ms"),
    ];
    for (piece, other, field) in table {
        let text = small(piece, other);
        assert!(workflow::parse("x", &text).is_err(), "{other}");
        let faults = schema().check(&value(&text));
        assert!(faults.iter().any(|fault| fault.at == field), "{other}: {faults:?}");
    }
}
