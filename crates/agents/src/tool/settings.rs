//! How people configure tools. Reading finds what is no setting at all; [`ToolSettings::mistakes`] finds the rest.

use super::toolbox::not_a_name;
use handover_core::{
    limits::{
        COMMAND_WORDS_MAX, MCP_HEADERS_MAX, MCP_SERVERS_MAX, PROGRAM_VARIABLES_MAX, TOOL_DESCRIPTION_BYTES_MAX,
        TOOL_MS_MAX, TOOL_NAME_CHARS_MAX, TOOL_SCHEMA_BYTES_MAX, TOOLS_MAX,
    },
    schema::{Fault, Schema},
    workflow::span,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::PathBuf};

/// All tools from outside.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolSettings {
    /// Tools that are programs, by name.
    pub tools: BTreeMap<String, CommandSettings>,
    /// MCP servers, by name.
    pub mcp: BTreeMap<String, McpSettings>,
}

/// A tool that is a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandSettings {
    /// What it does and when to use it.
    pub description: String,
    /// A JSON Schema of its arguments.
    #[serde(default = "no_parameters")]
    pub parameters: Value,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The folder in which it runs, from the folder of the configuration.
    #[serde(default)]
    pub folder: PathBuf,
    /// Variables that it gets, with their values.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Names of variables of ours that it gets; `AWS_*` stands for all that begin so.
    #[serde(default)]
    pub pass: Vec<String>,
    /// How long one call may take, in milliseconds; written as `timeout: 30s`.
    #[serde(default, rename = "timeout", skip_serializing_if = "Option::is_none", with = "span::maybe")]
    pub timeout_ms: Option<u64>,
}

/// An MCP server: a program, or an address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpSettings {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The folder in which it runs, from the folder of the configuration.
    pub folder: PathBuf,
    /// Variables that it gets, with their values.
    pub env: BTreeMap<String, String>,
    /// Names of variables of ours that it gets; `AWS_*` stands for all that begin so.
    pub pass: Vec<String>,
    /// The address of a server that speaks streamable HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Headers that are sent with every request.
    pub headers: BTreeMap<String, String>,
    /// The variable of ours that holds the key, sent as `Authorization: Bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// The tools that are used, by the names that the server gives them; all when this is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// How long one call may take, in milliseconds; written as `timeout: 30s`.
    #[serde(rename = "timeout", skip_serializing_if = "Option::is_none", with = "span::maybe")]
    pub timeout_ms: Option<u64>,
}

fn no_parameters() -> Value {
    json!({"type": "object", "properties": {}})
}

/// Collects mistakes with their places.
struct Mistakes(Vec<Fault>);

impl Mistakes {
    fn add(&mut self, at: &str, message: impl Into<String>) {
        self.0.push(Fault { at: at.to_owned(), message: message.into() });
    }

    fn when(&mut self, wrong: bool, at: &str, message: impl FnOnce() -> String) {
        if wrong {
            self.add(at, message());
        }
    }
}

impl ToolSettings {
    /// Everything that is wrong with the settings, with its place.
    #[must_use]
    pub fn mistakes(&self) -> Vec<Fault> {
        let mut found = Mistakes(Vec::new());
        found.when(self.tools.len() > TOOLS_MAX, "tools", || format!("at most {TOOLS_MAX} are allowed (TOOLS_MAX)"));
        found.when(self.mcp.len() > MCP_SERVERS_MAX, "mcp", || {
            format!("at most {MCP_SERVERS_MAX} servers are allowed (MCP_SERVERS_MAX)")
        });
        for (name, tool) in &self.tools {
            of_tool(&format!("tools.{name}"), name, tool, &mut found);
        }
        for (name, server) in &self.mcp {
            of_server(&format!("mcp.{name}"), name, server, &mut found);
            found.when(self.tools.contains_key(name), &format!("mcp.{name}"), || {
                "a tool has this name too; give one of them another".to_owned()
            });
        }
        found.0
    }
}

fn of_tool(at: &str, name: &str, tool: &CommandSettings, found: &mut Mistakes) {
    if let Some(why) = not_a_name(name) {
        found.add(at, why);
    }
    let description = format!("{at}.description");
    found.when(tool.description.trim().is_empty(), &description, || {
        "it is empty; say what the tool does and when to use it".to_owned()
    });
    found.when(tool.description.len() > TOOL_DESCRIPTION_BYTES_MAX, &description, || {
        format!("it has more than {TOOL_DESCRIPTION_BYTES_MAX} bytes (TOOL_DESCRIPTION_BYTES_MAX)")
    });
    of_parameters(&format!("{at}.parameters"), &tool.parameters, found);
    of_words(at, &tool.command, found);
    of_variables(at, &tool.env, &tool.pass, found);
    of_time(at, tool.timeout_ms, found);
}

fn of_parameters(at: &str, parameters: &Value, found: &mut Mistakes) {
    if parameters.get("type").and_then(Value::as_str) != Some("object") {
        found.add(at, "it is a JSON Schema with `type: object`");
    }
    found.when(parameters.to_string().len() > TOOL_SCHEMA_BYTES_MAX, at, || {
        format!("it has more than {TOOL_SCHEMA_BYTES_MAX} bytes (TOOL_SCHEMA_BYTES_MAX)")
    });
    let Ok(schema) = serde_json::from_value::<Schema>(parameters.clone()) else { return };
    for fault in schema.mistakes() {
        let place = if fault.at.is_empty() { at.to_owned() } else { format!("{at}.{}", fault.at) };
        found.add(&place, fault.message);
    }
}

fn of_server(at: &str, name: &str, server: &McpSettings, found: &mut Mistakes) {
    if let Some(why) = not_a_name(name) {
        found.add(at, why);
    }
    found.when(name.len() > TOOL_NAME_CHARS_MAX / 2, at, || {
        format!("the name of a server has at most {} characters", TOOL_NAME_CHARS_MAX / 2)
    });
    match &server.url {
        Some(url) => of_address(at, url, server, found),
        None if server.command.is_empty() => found.add(at, "it needs a `command` or a `url`"),
        None => {
            of_words(at, &server.command, found);
            found.when(server.key_env.is_some() || !server.headers.is_empty(), at, || {
                "`headers` and `key_env` go with a `url`; a program gets `env` and `pass`".to_owned()
            });
        }
    }
    of_variables(at, &server.env, &server.pass, found);
    of_time(at, server.timeout_ms, found);
}

fn of_address(at: &str, url: &str, server: &McpSettings, found: &mut Mistakes) {
    found.when(!server.command.is_empty(), at, || "it has a `command` or a `url`, not both".to_owned());
    let given = reqwest::Url::parse(url);
    found.when(!given.is_ok_and(|url| matches!(url.scheme(), "http" | "https")), &format!("{at}.url"), || {
        "it is no address that begins with http:// or https://".to_owned()
    });
    found.when(server.headers.len() > MCP_HEADERS_MAX, &format!("{at}.headers"), || {
        format!("at most {MCP_HEADERS_MAX} are allowed (MCP_HEADERS_MAX)")
    });
    for (name, value) in &server.headers {
        let place = format!("{at}.headers.{name}");
        if let Err(why) = super::mcp::header(name, value) {
            found.add(&place, why);
        }
    }
    found.when(!server.env.is_empty() || !server.pass.is_empty(), at, || {
        "`env` and `pass` go with a `command`; an address gets `headers` and `key_env`".to_owned()
    });
}

fn of_words(at: &str, words: &[String], found: &mut Mistakes) {
    let at = format!("{at}.command");
    found.when(words.first().is_none_or(|word| word.trim().is_empty()), &at, || {
        "it names no program; write it as a list such as [python3, tool.py]".to_owned()
    });
    found.when(words.len() > COMMAND_WORDS_MAX, &at, || {
        format!("it has more than {COMMAND_WORDS_MAX} words (COMMAND_WORDS_MAX)")
    });
    found.when(words.iter().any(|word| word.contains('\0')), &at, || "a word contains a NUL".to_owned());
}

fn of_variables(at: &str, set: &BTreeMap<String, String>, pass: &[String], found: &mut Mistakes) {
    found.when(set.len() + pass.len() > PROGRAM_VARIABLES_MAX, at, || {
        format!("`env` and `pass` name more than {PROGRAM_VARIABLES_MAX} variables (PROGRAM_VARIABLES_MAX)")
    });
    for (name, value) in set {
        let bad = name.is_empty() || name.contains(['=', '\0']) || value.contains('\0');
        found.when(bad, &format!("{at}.env.{name}"), || "this cannot be the name or value of a variable".to_owned());
    }
    for name in pass {
        let bad = name.is_empty() || name.contains(['=', '\0']);
        found.when(bad, &format!("{at}.pass"), || format!("{name:?} cannot be the name of a variable"));
    }
}

fn of_time(at: &str, ms: Option<u64>, found: &mut Mistakes) {
    found.when(ms.is_some_and(|ms| ms == 0 || ms > TOOL_MS_MAX), &format!("{at}.timeout"), || {
        format!("it is from 1ms to {TOOL_MS_MAX}ms (TOOL_MS_MAX)")
    });
}
