//! The pages of the workflow file: a table for people and a JSON Schema for editors, both from one form.

use super::{MARK, Page};
use handover::workflow::{FORM, Field, Kind, schema};
use std::fmt::Write;

/// The reference page and the schema.
pub fn pages() -> Result<[Page; 2], String> {
    let schema = serde_json::to_string_pretty(&schema()).map_err(|error| error.to_string())?;
    Ok([
        Page { path: "docs/reference/workflow-file.md".into(), text: table() },
        Page { path: "docs/reference/workflow.schema.json".into(), text: schema + "\n" },
    ])
}

fn table() -> String {
    let mut text = format!(
        "{MARK}\n# The workflow file\n\nEvery field of a workflow file. A name that is not in these tables is refused. \
        [The guide](../guides/workflows.md) says\nhow they work together. Editors that know JSON Schema can use \
        [workflow.schema.json](workflow.schema.json).\n"
    );
    for part in FORM {
        let _ = write!(text, "\n## {}\n\n{}\n\n| field | type | meaning |\n|---|---|---|\n", part.name, part.about);
        for Field { name, kind, needed, about } in part.fields {
            let needed = if *needed { ", needed" } else { "" };
            let _ = writeln!(text, "| `{name}` | {}{needed} | {about} |", words(*kind));
        }
    }
    text
}

/// What may stand in a field, for people.
fn words(kind: Kind) -> String {
    let link = |name: &str| format!("[{name}](#{})", name.to_lowercase());
    match kind {
        Kind::Text | Kind::Id => "text".to_owned(),
        Kind::Condition => "[condition](expressions.md)".to_owned(),
        Kind::Texts => "list of texts".to_owned(),
        Kind::OneOrMore => "text, or list of texts".to_owned(),
        Kind::TextsByName => "lists of texts, by name".to_owned(),
        Kind::Whole(min, max) if max >= u64::from(u32::MAX) => format!("whole number from {min}"),
        Kind::Whole(min, max) => format!("whole number from {min} to {max}"),
        Kind::Number => "number from 0".to_owned(),
        Kind::Truth => "`true` or `false`".to_owned(),
        Kind::Time => "length of time, such as `30s`, `5m` or `24h`".to_owned(),
        Kind::Word(all) => all.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        Kind::Part(name) => link(name),
        Kind::Parts(name, max) => format!("list of {}, at most {max}", link(name)),
        Kind::PartsByName(name) => format!("{} by name", link(name)),
        Kind::Anything => "anything".to_owned(),
        Kind::AnythingByName => "anything, by name".to_owned(),
        Kind::Schema => "JSON Schema".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_in_the_table_and_in_the_schema() {
        let [table, schema] = pages().unwrap();
        for field in FORM.iter().flat_map(|part| part.fields) {
            assert!(table.text.contains(&format!("| `{}` | ", field.name)), "{}", field.name);
            assert!(schema.text.contains(&format!("\"{}\": {{", field.name)), "{}", field.name);
        }
        // A link to a part that is not there leads nowhere.
        for part in FORM {
            assert!(table.text.contains(&format!("\n## {}\n", part.name)), "{}", part.name);
        }
    }
}
