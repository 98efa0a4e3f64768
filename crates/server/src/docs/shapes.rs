//! Shapes in words: what a field is, and which fields an object has.

use super::{plain, prose};
use serde_json::Value;
use std::fmt::Write as _;

/// All shapes, each with an anchor.
pub(super) fn chapter(document: &Value) -> String {
    let mut out = String::from("<h2 id=\"shapes\">Shapes</h2>");
    for (name, shape) in document["components"]["schemas"].as_object().into_iter().flatten() {
        let says = prose(shape["description"].as_str().unwrap_or_default());
        let _ =
            write!(out, "<section id=\"{name}\"><h3>{name} <a class=\"here\" href=\"#{name}\">#</a></h3><p>{says}</p>");
        out.push_str(&inside(shape));
        out.push_str("</section>");
    }
    out
}

/// The body of a request: its fields where it has some, else what it is.
pub(super) fn body(shape: &Value, document: &Value) -> String {
    let found = name_of(shape).map_or(shape, |name| &document["components"]["schemas"][name]);
    let link = words(shape);
    if found["properties"].is_object() { format!("<p>{link}</p>{}", inside(found)) } else { format!("<p>{link}</p>") }
}

/// The fields of an object, or the ways that it can be.
fn inside(shape: &Value) -> String {
    let Some(fields) = shape["properties"].as_object() else { return format!("<p>{}</p>", words(shape)) };
    let needed: Vec<&str> = shape["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut out = String::from("<table>");
    let is_needed = |name: &str| needed.contains(&name);
    let (first, rest): (Vec<_>, Vec<_>) = fields.iter().partition(|(name, _)| is_needed(name));
    for (name, field) in first.into_iter().chain(rest) {
        let optional = if is_needed(name) { "" } else { " <small>optional</small>" };
        let says = prose(field["description"].as_str().unwrap_or_default());
        let words = words(field);
        let _ = write!(out, "<tr><td><code>{}</code>{optional}</td><td>{words}</td><td>{says}</td></tr>", plain(name));
    }
    out + "</table>"
}

fn name_of(shape: &Value) -> Option<&str> {
    shape["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

/// What a value is, in a few words.
pub(super) fn words(shape: &Value) -> String {
    if let Some(name) = name_of(shape) {
        return format!("<a href=\"#{name}\">{name}</a>");
    }
    if let Some(word) = shape.get("const") {
        return format!("<code>{}</code>", plain(&said(word)));
    }
    if let Some(all) = shape["enum"].as_array() {
        let all: Vec<String> = all.iter().map(|word| format!("<code>{}</code>", plain(&said(word)))).collect();
        return all.join(", ");
    }
    if let Some(ways) = shape["anyOf"].as_array().or(shape["oneOf"].as_array()) {
        let ways: Vec<String> = ways.iter().filter(|way| way["type"] != "null").map(words).collect();
        return ways.join(", or ");
    }
    simple(shape)
}

fn said(word: &Value) -> String {
    word.as_str().map_or_else(|| word.to_string(), str::to_owned)
}

fn simple(shape: &Value) -> String {
    let types = shape["type"].as_array().and_then(|types| types.iter().find(|word| *word != "null"));
    let word = types.unwrap_or(&shape["type"]).as_str().unwrap_or("anything");
    match word {
        "array" => {
            let most = shape["maxItems"].as_u64().map_or(String::new(), |most| format!(", at most {most}"));
            format!("list of {}{most}", words(&shape["items"]))
        }
        "object" if shape["properties"].is_object() => fields_in_short(shape),
        "object" if shape["additionalProperties"].is_object() => {
            format!("{} by name", words(&shape["additionalProperties"]))
        }
        "integer" | "number" => {
            let word = if word == "integer" { "whole number" } else { "number" };
            format!("{word}{}", range(shape))
        }
        "string" => match shape["format"].as_str() {
            Some(format) => plain(format),
            None => shape["maxLength"].as_u64().map_or("text".into(), |most| format!("text of at most {most}")),
        },
        "boolean" => "true or false".into(),
        other => other.into(),
    }
}

fn fields_in_short(shape: &Value) -> String {
    let fields = shape["properties"].as_object().into_iter().flatten();
    let names: Vec<String> =
        fields.map(|(name, field)| format!("<code>{}</code> {}", plain(name), words(field))).collect();
    format!("object of {}", names.join("; "))
}

fn range(shape: &Value) -> String {
    let least = shape.get("minimum").map(|least| format!(" from {least}")).unwrap_or_default();
    // The largest number that fits says nothing to people.
    let most = shape.get("maximum").filter(|most| most.as_u64() != Some(u64::MAX));
    least + &most.map(|most| format!(" to {most}")).unwrap_or_default()
}
