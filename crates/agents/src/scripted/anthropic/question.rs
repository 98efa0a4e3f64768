//! A question in the format of Anthropic, with the checks that the service makes.

use super::{
    super::{
        api::{Api, Question},
        spot::{Kind, Refused, Spot},
    },
    blocks::{self, Block},
};
use crate::model::{Ask, Call, CallResult, Line, ToolSpec};
use serde_json::Value;
use std::collections::HashSet;

const FIELDS: [(&str, Kind); 25] = [
    ("model", Kind::Text),
    ("messages", Kind::List),
    ("max_tokens", Kind::Whole(1)),
    ("cache_control", Kind::Any),
    ("container", Kind::Any),
    ("diagnostics", Kind::Any),
    ("context_management", Kind::Object),
    ("inference_geo", Kind::Any),
    ("mcp_servers", Kind::List),
    ("metadata", Kind::Object),
    ("output_config", Kind::Object),
    ("output_format", Kind::Object),
    ("service_tier", Kind::Text),
    ("speed", Kind::Any),
    ("stop_sequences", Kind::List),
    ("stream", Kind::Flag),
    ("system", Kind::Any),
    ("temperature", Kind::Number(0.0, 1.0)),
    ("thinking", Kind::Object),
    ("tool_choice", Kind::Object),
    ("tools", Kind::List),
    ("top_k", Kind::Whole(0)),
    ("top_p", Kind::Number(0.0, 1.0)),
    ("user_profile_id", Kind::Text),
    ("workspace_id", Kind::Text),
];
const TOOL: [(&str, Kind); 10] = [
    ("name", Kind::Text),
    ("description", Kind::Text),
    ("input_schema", Kind::Object),
    ("type", Kind::Any),
    ("allowed_callers", Kind::List),
    ("cache_control", Kind::Any),
    ("strict", Kind::Flag),
    ("defer_loading", Kind::Flag),
    ("input_examples", Kind::List),
    ("eager_input_streaming", Kind::Any),
];
/// Longest name of a tool.
const NAME_CHARS: usize = 128;

/// Reads a question.
pub(in super::super) fn question(body: &Value) -> Result<Question, Refused> {
    let body = Spot::new(Api::Anthropic, body);
    body.known(&FIELDS)?;
    let model = body.need("model")?.text()?.to_owned();
    if model.is_empty() {
        return Err(Refused::question("model: String should have at least 1 character"));
    }
    let limit = body.need("max_tokens")?.value.as_u64();
    let system = body.get("system").map(|system| blocks::text_alone(&system)).transpose()?.unwrap_or_default();
    let temperature = body.get("temperature").and_then(|number| number.value.as_f64());
    let tools = tools(&body)?;
    let lines = lines(&body.need("messages")?)?;
    let stream = body.get("stream").map(|flag| flag.flag()).transpose()?.unwrap_or(false);
    let ask = Ask { model, system, lines, tools, max_output_tokens: limit, temperature, traceparent: None };
    Ok(Question { ask, stream, usage: true })
}

fn tools(body: &Spot<'_>) -> Result<Vec<ToolSpec>, Refused> {
    if let Some(choice) = body.get("tool_choice") {
        choice.need("type")?.one_of(&["auto", "any", "tool", "none"])?;
        if body.get("tools").is_none() {
            return Err(choice.refuse("", "tool_choice: may only be specified while providing tools"));
        }
    }
    let Some(tools) = body.get("tools") else { return Ok(Vec::new()) };
    let tools: Vec<ToolSpec> = tools.list()?.iter().map(tool).collect::<Result<_, _>>()?;
    let mut names = HashSet::new();
    match tools.iter().all(|tool| names.insert(&tool.name)) {
        true => Ok(tools),
        false => Err(Refused::question("tools: Tool names must be unique.")),
    }
}

fn tool(tool: &Spot<'_>) -> Result<ToolSpec, Refused> {
    tool.known(&TOOL)?;
    let spot = tool.need("name")?;
    let name = spot.text()?;
    let fits = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
    if name.is_empty() || !fits || name.len() > NAME_CHARS {
        let message = format!("{}: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'", spot.path());
        return Err(spot.refuse("", message));
    }
    let description = tool.get("description").map(|spot| spot.text()).transpose()?.unwrap_or_default().to_owned();
    let schema = tool.need("input_schema")?;
    let kind = schema.need("type")?;
    if kind.value != "object" {
        return Err(kind.refuse("", format!("{}: Input should be 'object'", kind.path())));
    }
    Ok(ToolSpec { name: name.to_owned(), description, parameters: schema.value.clone() })
}

fn lines(messages: &Spot<'_>) -> Result<Vec<Line>, Refused> {
    let list = messages.list()?;
    if list.is_empty() {
        return Err(messages.refuse("", "messages: at least one message is required"));
    }
    let mut lines = Vec::new();
    let mut open: Vec<Call> = Vec::new();
    let mut ids = HashSet::new();
    for (at, message) in list.iter().enumerate() {
        let role = role(message, at)?;
        let content = message.need("content")?;
        let blocks = blocks::read(&content)?;
        let last = at + 1 == list.len();
        if blocks.is_empty() && !(role == "assistant" && last) {
            let text = format!(
                "{}: all messages must have non-empty content except for the optional final assistant message",
                message.path()
            );
            return Err(message.refuse("", text));
        }
        if role == "user" {
            lines.extend(user(message, blocks, std::mem::take(&mut open))?);
        } else {
            let (text, calls) = assistant(message, blocks)?;
            if let Some(call) = calls.iter().find(|call| !ids.insert(call.id.clone())) {
                return Err(
                    message.refuse("", format!("{}: `tool_use` ids must be unique: {}", message.path(), call.id))
                );
            }
            open.clone_from(&calls);
            lines.push(Line::Model { text, calls });
        }
    }
    unanswered(messages, &open)?;
    Ok(lines)
}

fn role<'v>(message: &Spot<'v>, at: usize) -> Result<&'v str, Refused> {
    message.known(&[("role", Kind::Text), ("content", Kind::Any)])?;
    let spot = message.need("role")?;
    let role = spot.text()?;
    let expected = if at.is_multiple_of(2) { "user" } else { "assistant" };
    let message = match role {
        "system" => "messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, \
                     not \"system\" as an input message role."
            .to_owned(),
        "user" | "assistant" if role == expected => return Ok(role),
        "assistant" if at == 0 => "messages: first message must use the \"user\" role".to_owned(),
        "user" | "assistant" => format!(
            "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"{role}\" roles \
             in a row"
        ),
        _ => return spot.one_of(&["user", "assistant"]),
    };
    Err(spot.refuse("", message))
}

fn assistant(message: &Spot<'_>, blocks: Vec<Block>) -> Result<(String, Vec<Call>), Refused> {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for block in blocks {
        match block {
            Block::Text(more) => text += &more,
            Block::Use(call) => calls.push(call),
            Block::Other => {}
            Block::Result { .. } => {
                let text = format!("{}: `tool_result` blocks can only be in `user` messages", message.path());
                return Err(message.refuse("", text));
            }
        }
    }
    Ok((text, calls))
}

/// The results of the tools that were asked for come first, then what the user says.
fn user(message: &Spot<'_>, blocks: Vec<Block>, mut open: Vec<Call>) -> Result<Vec<Line>, Refused> {
    let (mut results, mut texts) = (Vec::new(), Vec::new());
    let mut first = true;
    for (at, block) in blocks.into_iter().enumerate() {
        match block {
            Block::Result { id, content, failed } if first => {
                let Some(found) = open.iter().position(|call| call.id == id) else {
                    let text = format!(
                        "{}.content.{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. \
                         Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
                        message.path()
                    );
                    return Err(message.refuse("", text));
                };
                results.push(CallResult { id, name: open.remove(found).name, content, failed });
            }
            Block::Result { .. } => {
                let text =
                    format!("{}.content.{at}: `tool_result` blocks must come before all other content", message.path());
                return Err(message.refuse("", text));
            }
            Block::Use(_) => {
                let text = format!("{}: `tool_use` blocks can only be in `assistant` messages", message.path());
                return Err(message.refuse("", text));
            }
            Block::Text(text) => {
                first = false;
                texts.push(text);
            }
            Block::Other => first = false,
        }
    }
    unanswered(message, &open)?;
    let results = (!results.is_empty()).then_some(Line::Results(results));
    let said = (!first).then(|| Line::User(texts.join("\n")));
    Ok(results.into_iter().chain(said).collect())
}

fn unanswered(at: &Spot<'_>, open: &[Call]) -> Result<(), Refused> {
    if open.is_empty() {
        return Ok(());
    }
    let ids: Vec<&str> = open.iter().map(|call| call.id.as_str()).collect();
    let message = format!(
        "{}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. \
         Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        at.path(),
        ids.join(", ")
    );
    Err(at.refuse("", message))
}
