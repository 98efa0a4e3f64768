//! The page of MCP tools, resources and prompts, made from the tables in the code.

use super::{MARK, Page};
use handover::mcp::{PROMPTS, RESOURCES, TEMPLATES, Tool, tools};
use serde_json::{Map, Value};
use std::fmt::Write;

pub fn page() -> Page {
    let mut text = format!(
        "{MARK}\n# MCP: tools, resources and prompts\n\nWhat `handover mcp` and `/mcp` of `handover serve` offer to the agent of \
         a host, as the [tables](../../crates/mcp/src/table.rs) have it.\n[How to set up a host](../guides/mcp.md). Tools are listed \
         in this order. What is refused comes back as a result with `isError`, its\n[code](../errors/README.md), where the mistake \
         is and what to do.\n\n## Tools\n\n| tool | what it is for | changes | waits |\n|---|---|---|---|\n"
    );
    for tool in tools() {
        let waits = tool.waits.map_or(String::new(), |ms| format!("{} s", ms / 1_000));
        let _ = writeln!(text, "| [`{0}`](#{0}) | {1} | {2} | {waits} |", tool.name, tool.title, changes(tool));
    }
    tools().iter().for_each(|tool| text += &one(tool));
    text += "\n## Resources\n\nAll are JSON. Those with a name in braces are templates; ids are completed.\n\n\
             | address | what it is |\n|---|---|\n";
    for (uri, _, _, says) in RESOURCES.iter().chain(&TEMPLATES) {
        let _ = writeln!(text, "| `{uri}` | {says} |");
    }
    text += "\n## Prompts\n\n| prompt | argument | what it is |\n|---|---|---|\n";
    for (name, _, says, argument) in PROMPTS {
        let argument = argument.map_or(String::new(), |(name, _)| format!("`{name}`"));
        let _ = writeln!(text, "| `{name}` | {argument} | {says} |");
    }
    Page { path: "docs/reference/mcp-tools.md".into(), text }
}

fn changes(tool: &Tool) -> &'static str {
    match (tool.hints.read_only, tool.hints.destructive, tool.hints.open_world) {
        (true, _, _) => "nothing",
        (_, true, _) => "may end or replace something",
        (_, _, true) => "reaches others",
        _ => "adds",
    }
}

fn one(tool: &Tool) -> String {
    let mut text = format!("\n### {}\n\n{}\n", tool.name, tool.says);
    text += &fields("takes", &tool.input);
    text += &fields("gives", &tool.output);
    text
}

fn fields(head: &str, schema: &Map<String, Value>) -> String {
    let empty = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    if properties.is_empty() {
        return format!("\nIt {head} nothing.\n");
    }
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut text = format!("\n| {head} | type | |\n|---|---|---|\n");
    for (name, field) in properties {
        let must = if required.contains(&name.as_str()) { "**" } else { "" };
        let says = field.get("description").and_then(Value::as_str).unwrap_or_default();
        let says = says.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        let _ = writeln!(text, "| {must}`{name}`{must} | {} | {says} |", kind(field));
    }
    text
}

/// The type of a field, in a word or two.
fn kind(field: &Value) -> String {
    if let Some(words) = field.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
        return words.join(", ");
    }
    match field.get("type").and_then(Value::as_str) {
        Some("array") => format!("list of {}", field.get("items").map_or("anything".to_owned(), kind)),
        Some(word) => word.to_owned(),
        None => "anything".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_has_its_chapter() {
        let text = page().text;
        for tool in tools() {
            assert_eq!(text.matches(&format!("\n### {}\n", tool.name)).count(), 1, "{}", tool.name);
        }
        assert!(text.contains("| **`task`** | string |"));
        assert!(text.contains("`urgent`, `high`, `normal`, `low`"));
    }
}
