//! A question in the format of OpenAI, with the checks that the service makes.

use super::super::{
    api::{Api, Question},
    spot::{Kind, Refused, Spot},
};
use crate::model::{Arguments, Ask, Call, CallResult, Line, ToolSpec};
use serde_json::{Value, json};

const FIELDS: [(&str, Kind); 35] = [
    ("model", Kind::Text),
    ("messages", Kind::List),
    ("audio", Kind::Object),
    ("frequency_penalty", Kind::Number(-2.0, 2.0)),
    ("logit_bias", Kind::Object),
    ("logprobs", Kind::Flag),
    ("max_completion_tokens", Kind::Whole(1)),
    ("max_tokens", Kind::Whole(1)),
    ("metadata", Kind::Object),
    ("modalities", Kind::List),
    ("moderation", Kind::Object),
    ("n", Kind::Whole(1)),
    ("parallel_tool_calls", Kind::Flag),
    ("prediction", Kind::Object),
    ("presence_penalty", Kind::Number(-2.0, 2.0)),
    ("prompt_cache_key", Kind::Text),
    ("prompt_cache_options", Kind::Object),
    ("prompt_cache_retention", Kind::Text),
    ("reasoning_effort", Kind::Text),
    ("response_format", Kind::Object),
    ("safety_identifier", Kind::Text),
    ("seed", Kind::Whole(i64::MIN)),
    ("service_tier", Kind::Text),
    ("stop", Kind::Any),
    ("store", Kind::Flag),
    ("stream", Kind::Flag),
    ("stream_options", Kind::Object),
    ("temperature", Kind::Number(0.0, 2.0)),
    ("tool_choice", Kind::Any),
    ("tools", Kind::List),
    ("top_logprobs", Kind::Whole(0)),
    ("top_p", Kind::Number(0.0, 1.0)),
    ("user", Kind::Text),
    ("verbosity", Kind::Text),
    ("web_search_options", Kind::Object),
];
const MESSAGE: [(&str, Kind); 9] = [
    ("role", Kind::Text),
    ("content", Kind::Any),
    ("name", Kind::Text),
    ("refusal", Kind::Text),
    ("tool_calls", Kind::List),
    ("tool_call_id", Kind::Text),
    ("annotations", Kind::List),
    ("audio", Kind::Object),
    ("function_call", Kind::Object),
];
const CALL: [(&str, Kind); 3] = [("id", Kind::Text), ("type", Kind::Text), ("function", Kind::Object)];
const FUNCTION: [(&str, Kind); 4] =
    [("name", Kind::Text), ("description", Kind::Text), ("parameters", Kind::Object), ("strict", Kind::Flag)];
/// Longest name of a tool.
const NAME_CHARS: usize = 64;

/// Reads a question.
pub(in super::super) fn question(body: &Value) -> Result<Question, Refused> {
    let body = Spot::new(Api::OpenAi, body);
    body.known(&FIELDS)?;
    let model = match body.get("model") {
        Some(model) if !model.text()?.is_empty() => model.text()?.to_owned(),
        Some(_) | None => return Err(Refused::question("you must provide a model parameter")),
    };
    if body.get("n").is_some_and(|n| n.value != 1) {
        return Err(Refused::question("The scripted model gives one answer: 'n' must be 1."));
    }
    let mut ask = Ask { model, tools: tools(&body)?, ..Ask::default() };
    messages(&body.need("messages")?, &mut ask)?;
    let limit = body.get("max_completion_tokens").or_else(|| body.get("max_tokens"));
    ask.max_output_tokens = limit.and_then(|limit| limit.value.as_u64());
    ask.temperature = body.get("temperature").and_then(|number| number.value.as_f64());
    let stream = body.get("stream").map(|flag| flag.flag()).transpose()?.unwrap_or(false);
    Ok(Question { ask, stream, usage: usage(&body, stream)? })
}

fn usage(body: &Spot<'_>, stream: bool) -> Result<bool, Refused> {
    let Some(options) = body.get("stream_options") else { return Ok(false) };
    if !stream {
        let message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
        return Err(options.refuse("", message));
    }
    options.known(&[("include_usage", Kind::Flag), ("include_obfuscation", Kind::Flag)])?;
    Ok(options.get("include_usage").map(|flag| flag.flag()).transpose()?.unwrap_or(false))
}

fn tools(body: &Spot<'_>) -> Result<Vec<ToolSpec>, Refused> {
    let Some(tools) = body.get("tools") else {
        let alone = ["tool_choice", "parallel_tool_calls"].into_iter().find_map(|name| Some((name, body.get(name)?)));
        return match alone {
            Some((name, spot)) if spot.value != "none" => {
                Err(spot.refuse("", format!("'{name}' is only allowed when 'tools' are specified.")))
            }
            Some(_) | None => Ok(Vec::new()),
        };
    };
    let list = tools.list()?;
    if list.is_empty() {
        return Err(tools.refuse(
            "empty_array",
            "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        ));
    }
    choice(body)?;
    list.iter().map(tool).collect()
}

fn choice(body: &Spot<'_>) -> Result<(), Refused> {
    match body.get("tool_choice") {
        Some(choice) if choice.value.is_string() => choice.one_of(&["none", "auto", "required"]).map(drop),
        Some(choice) => choice.need("type")?.one_of(&["function", "allowed_tools"]).map(drop),
        None => Ok(()),
    }
}

fn tool(tool: &Spot<'_>) -> Result<ToolSpec, Refused> {
    tool.known(&[("type", Kind::Text), ("function", Kind::Object)])?;
    tool.need("type")?.one_of(&["function"])?;
    let function = tool.need("function")?;
    function.known(&FUNCTION)?;
    let name = function.need("name")?;
    let text = |name: &str| Ok(function.get(name).map(|spot| spot.text()).transpose()?.unwrap_or_default().to_owned());
    let parameters = function.get("parameters").map_or_else(|| json!({}), |spot| spot.value.clone());
    Ok(ToolSpec { name: tool_name(&name)?.to_owned(), description: text("description")?, parameters })
}

fn tool_name<'v>(name: &Spot<'v>) -> Result<&'v str, Refused> {
    let text = name.text()?;
    let fits = text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
    if text.is_empty() || !fits || text.len() > NAME_CHARS {
        let message = format!(
            "Invalid '{}': string does not match pattern. \
             Expected a string that matches the pattern '^[a-zA-Z0-9_-]{{1,64}}$'.",
            name.path()
        );
        return Err(name.refuse("invalid_value", message));
    }
    Ok(text)
}

fn messages(messages: &Spot<'_>, ask: &mut Ask) -> Result<(), Refused> {
    let list = messages.list()?;
    if list.is_empty() {
        return Err(messages.refuse(
            "empty_array",
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        ));
    }
    let mut open: Vec<Call> = Vec::new();
    for message in list {
        message.known(&MESSAGE)?;
        let role = message.need("role")?.one_of(&["system", "developer", "user", "assistant", "tool"])?;
        if role == "tool" {
            let result = result(&message, &mut open)?;
            match ask.lines.last_mut() {
                Some(Line::Results(results)) => results.push(result),
                _ => ask.lines.push(Line::Results(vec![result])),
            }
            continue;
        }
        answered(&open, &message)?;
        match role {
            "assistant" => {
                let (text, calls) = assistant(&message)?;
                open.clone_from(&calls);
                ask.lines.push(Line::Model { text, calls });
            }
            "user" => ask.lines.push(Line::User(content(&message.need("content")?)?)),
            _ => {
                let end = if ask.system.is_empty() { "" } else { "\n" };
                ask.system += &format!("{end}{}", content(&message.need("content")?)?);
            }
        }
    }
    answered(&open, messages)
}

/// Every tool that was asked for must have its result before anything else is said.
fn answered(open: &[Call], at: &Spot<'_>) -> Result<(), Refused> {
    if open.is_empty() {
        return Ok(());
    }
    let ids: Vec<&str> = open.iter().map(|call| call.id.as_str()).collect();
    let message = format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. \
         The following tool_call_ids did not have response messages: {}",
        ids.join(", ")
    );
    Err(at.refuse("", message))
}

fn result(message: &Spot<'_>, open: &mut Vec<Call>) -> Result<CallResult, Refused> {
    let id = message.need("tool_call_id")?.text()?;
    let Some(at) = open.iter().position(|call| call.id == id) else {
        let text = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
        return Err(message.refuse("", text));
    };
    let Call { id, name, .. } = open.remove(at);
    Ok(CallResult { id, name, content: content(&message.need("content")?)?, failed: false })
}

fn assistant(message: &Spot<'_>) -> Result<(String, Vec<Call>), Refused> {
    if let Some(old) = message.get("function_call") {
        return Err(old.refuse("unsupported_value", "'function_call' is deprecated: use 'tool_calls'."));
    }
    let text = message.get("content").map(|spot| content(&spot)).transpose()?;
    let Some(calls) = message.get("tool_calls") else {
        let refusal = message.get("refusal").map(|spot| spot.text().map(str::to_owned)).transpose()?;
        return Ok((text.or(refusal).map_or_else(|| message.need("content").map(|_| String::new()), Ok)?, Vec::new()));
    };
    let list = calls.list()?;
    if list.is_empty() {
        return Err(calls.refuse(
            "empty_array",
            format!(
                "Invalid '{}': empty array. Expected an array with minimum length 1, but got an empty array instead.",
                calls.path()
            ),
        ));
    }
    Ok((text.unwrap_or_default(), list.iter().map(call).collect::<Result<_, _>>()?))
}

fn call(call: &Spot<'_>) -> Result<Call, Refused> {
    call.known(&CALL)?;
    call.need("type")?.one_of(&["function"])?;
    let function = call.need("function")?;
    function.known(&[("name", Kind::Text), ("arguments", Kind::Text)])?;
    let text = function.need("arguments")?.text()?;
    let arguments = match serde_json::from_str::<Value>(text) {
        Ok(value) if value.is_object() => Arguments::Read(value),
        Ok(_) => Arguments::Broken { text: text.to_owned(), why: "it is no object".to_owned() },
        Err(error) => Arguments::Broken { text: text.to_owned(), why: error.to_string() },
    };
    let name = tool_name(&function.need("name")?)?.to_owned();
    Ok(Call { id: call.need("id")?.text()?.to_owned(), name, arguments })
}

/// A text, or the texts of several parts. What is no text is accepted and not read.
fn content(content: &Spot<'_>) -> Result<String, Refused> {
    if let Some(text) = content.value.as_str() {
        return Ok(text.to_owned());
    }
    if !content.value.is_array() {
        return Err(content.wrong("one of a string or array of objects"));
    }
    let mut texts = Vec::new();
    for part in content.list()? {
        part.object()?;
        let kind = part.need("type")?.one_of(&["text", "refusal", "image_url", "input_audio", "file"])?;
        if matches!(kind, "text" | "refusal") {
            texts.push(part.need(kind)?.text()?);
        }
    }
    Ok(texts.join("\n"))
}
