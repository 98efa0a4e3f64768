//! The arguments of a call against the schema of its tool. What is wrong is told so that a model can mend it.

use crate::model::{Arguments, ToolSpec};
use handover_core::{
    limits::{HTTP_SHOWN_CHARS_MAX, QUOTE_CHARS_MAX, TOOL_NAMES_SHOWN},
    schema::{Fault, Schema},
};
use serde_json::Value;

/// The arguments when they fit; else everything that is wrong with them.
pub(super) fn fitting(spec: &ToolSpec, schema: &Schema, given: &Arguments) -> Result<Value, String> {
    match given {
        Arguments::Broken { text, why } => Err(format!(
            "`{}` was not called: its arguments are no JSON object ({why}). They were: {}\n{}",
            spec.name,
            quoted(text, HTTP_SHOWN_CHARS_MAX),
            takes(&spec.parameters)
        )),
        Arguments::Read(value) => {
            let faults = if value.is_object() { schema.check(value) } else { vec![no_object()] };
            if faults.is_empty() { Ok(value.clone()) } else { Err(told(spec, &faults, value)) }
        }
    }
}

fn no_object() -> Fault {
    Fault { at: String::new(), message: "an object with the arguments as its fields is needed".to_owned() }
}

fn told(spec: &ToolSpec, faults: &[Fault], value: &Value) -> String {
    let lines: Vec<String> = faults.iter().map(|fault| line(fault, value)).collect();
    format!(
        "`{}` was not called: its arguments do not fit.\n{}\n{}\nMend the arguments and call it again.",
        spec.name,
        lines.join("\n"),
        takes(&spec.parameters)
    )
}

fn line(fault: &Fault, value: &Value) -> String {
    let given = at(value, &fault.at).map(|given| format!(" (given: {})", quoted(&given.to_string(), QUOTE_CHARS_MAX)));
    let place = if fault.at.is_empty() { "the arguments" } else { fault.at.as_str() };
    format!("- {place}: {}{}", fault.message, given.unwrap_or_default())
}

/// What is at a place such as `legs[0].from`.
fn at<'a>(value: &'a Value, place: &str) -> Option<&'a Value> {
    let parts = place.split(['.', '[']).filter(|part| !part.is_empty());
    parts.into_iter().try_fold(value, |value, part| match part.strip_suffix(']') {
        Some(index) => value.get(index.parse::<usize>().ok()?),
        None => value.get(part),
    })
}

/// The fields of a tool's arguments in a line.
fn takes(parameters: &Value) -> String {
    let Some(fields) = parameters.get("properties").and_then(Value::as_object).filter(|all| !all.is_empty()) else {
        return "It names no arguments.".to_owned();
    };
    let required: Vec<&str> =
        parameters.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let one = |(name, schema): (&String, &Value)| {
        let kind = schema.get("type").and_then(Value::as_str).unwrap_or("any");
        let needed = if required.contains(&name.as_str()) { ", required" } else { "" };
        format!("{name} ({kind}{needed})")
    };
    let shown: Vec<String> = fields.iter().take(TOOL_NAMES_SHOWN).map(one).collect();
    let more = if fields.len() > shown.len() { ", …" } else { "" };
    format!("It takes: {}{more}.", shown.join(", "))
}

fn quoted(text: &str, chars: usize) -> String {
    let mut shown: String = text.chars().take(chars).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
