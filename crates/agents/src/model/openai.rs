//! The chat completions of OpenAI, which Ollama, vLLM and many others speak too. Nothing here reads or writes a socket.

use super::{
    Ask, CallResult, Line, Piece, Reply, StopReason, TokensUsed, Trouble,
    growing::{Growing, broke_off, told_arguments, unreadable},
    sse::Event,
    troubles::{Failed, told},
};
use serde_json::{Map, Value, json};

/// How a question is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Manner {
    /// Whether the answer comes in pieces.
    pub stream: bool,
    /// Whether this is OpenAI itself. It wants the longest answer as `max_completion_tokens` and its newer models refuse
    /// `max_tokens`; Ollama knows only `max_tokens`, and vLLM and others know at least that.
    pub official: bool,
    /// Whether several tools may be asked for at once. Left to the provider when nothing is said: the default is yes, and
    /// some models refuse to hear of it.
    pub parallel: Option<bool>,
}

/// The body of a request.
#[must_use]
pub fn body(ask: &Ask, manner: Manner) -> Value {
    let mut messages = Vec::new();
    if !ask.system.is_empty() {
        messages.push(json!({"role": "system", "content": ask.system}));
    }
    for line in &ask.lines {
        match line {
            Line::User(text) => messages.push(json!({"role": "user", "content": text})),
            Line::Model { .. } => messages.push(assistant(line)),
            Line::Results(results) => messages.extend(results.iter().map(result)),
        }
    }
    let mut body = Map::from_iter([
        ("model".to_owned(), json!(ask.model)),
        ("messages".to_owned(), Value::Array(messages)),
        ("stream".to_owned(), json!(manner.stream)),
    ]);
    let mut add = |name: &str, value: Value| body.insert(name.to_owned(), value);
    if manner.stream {
        add("stream_options", json!({"include_usage": true}));
    }
    if !ask.tools.is_empty() {
        add("tools", ask.tools.iter().map(tool).collect());
        if let Some(parallel) = manner.parallel {
            add("parallel_tool_calls", json!(parallel));
        }
    }
    if let Some(most) = ask.max_output_tokens {
        add(if manner.official { "max_completion_tokens" } else { "max_tokens" }, json!(most));
    }
    if let Some(temperature) = ask.temperature {
        add("temperature", json!(temperature));
    }
    Value::Object(body)
}

fn tool(tool: &super::ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    })
}

fn assistant(line: &Line) -> Value {
    let Line::Model { text, calls } = line else { return Value::Null };
    if calls.is_empty() {
        return json!({"role": "assistant", "content": text});
    }
    let content = if text.is_empty() { Value::Null } else { json!(text) };
    let calls: Vec<Value> = calls
        .iter()
        .map(|call| {
            let arguments = told_arguments(&call.arguments).to_string();
            json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
        })
        .collect();
    json!({"role": "assistant", "content": content, "tool_calls": calls})
}

fn result(result: &CallResult) -> Value {
    // There is no field that says so.
    let content = if result.failed { format!("The tool failed: {}", result.content) } else { result.content.clone() };
    json!({"role": "tool", "tool_call_id": result.id, "content": content})
}

/// Reads an answer that came in one piece.
///
/// # Errors
/// When it is no answer, or says that something went wrong.
pub fn read(ask: &Ask, body: &[u8]) -> Result<Reply, Failed> {
    let body: Value = serde_json::from_slice(body).map_err(|error| unreadable("the answer", &error))?;
    if is_error(&body) {
        return Err(told(&body));
    }
    let Some(choice) = body.pointer("/choices/0") else {
        return Err(Failed::new(Trouble::Answer, "the answer has no choices"));
    };
    let mut growing = Growing::new(ask);
    let mut unheard = Vec::new();
    growing.answered_by(body.get("model"));
    growing.used = body.get("usage").and_then(used);
    take(&mut growing, choice.get("message"), &mut unheard)?;
    finish(&mut growing, choice.get("finish_reason"));
    Ok(growing.reply())
}

/// Reads an answer that comes in pieces.
#[derive(Debug)]
pub struct Stream {
    growing: Growing,
    /// Whether anything of an answer came at all.
    begun: bool,
    /// Whether the provider said that this was all.
    ended: bool,
}

impl Stream {
    /// Reads the answer to this question.
    #[must_use]
    pub fn new(ask: &Ask) -> Self {
        Self { growing: Growing::new(ask), begun: false, ended: false }
    }

    /// Takes one event, and gives what is heard with it.
    ///
    /// # Errors
    /// When it is none, or says that something went wrong.
    pub fn feed(&mut self, event: &Event) -> Result<Vec<Piece>, Failed> {
        let mut heard = Vec::new();
        if event.data.trim() == "[DONE]" {
            self.ended = true;
            return Ok(heard);
        }
        let chunk: Value =
            serde_json::from_str(&event.data).map_err(|error| unreadable("a piece of the answer", &error))?;
        if is_error(&chunk) {
            return Err(told(&chunk));
        }
        self.growing.answered_by(chunk.get("model"));
        if let Some(used) = chunk.get("usage").and_then(used) {
            self.growing.used = Some(used);
        }
        // The chunk with the usage has no choices.
        if let Some(choice) = chunk.pointer("/choices/0") {
            self.begun = true;
            take(&mut self.growing, choice.get("delta").or_else(|| choice.get("message")), &mut heard)?;
            finish(&mut self.growing, choice.get("finish_reason"));
        }
        Ok(heard)
    }

    /// The whole answer.
    ///
    /// # Errors
    /// When it broke off.
    pub fn finish(self) -> Result<Reply, Failed> {
        if self.growing.stop.is_none() && !(self.ended && self.begun) {
            return Err(broke_off());
        }
        Ok(self.growing.reply())
    }
}

fn is_error(body: &Value) -> bool {
    body.get("error").is_some_and(|error| !error.is_null()) || body.get("object").is_some_and(|kind| kind == "error")
}

/// Takes what a message, or a piece of one, says.
fn take(growing: &mut Growing, message: Option<&Value>, heard: &mut Vec<Piece>) -> Result<(), Failed> {
    let Some(message) = message else { return Ok(()) };
    match message.get("content") {
        Some(Value::String(text)) => growing.say(text, heard),
        Some(Value::Array(parts)) => {
            for text in parts.iter().filter_map(|part| part.get("text")?.as_str()) {
                growing.say(text, heard);
            }
        }
        Some(_) | None => {}
    }
    if let Some(words) = message.get("refusal").and_then(Value::as_str).filter(|words| !words.is_empty()) {
        growing.say(words, heard);
        growing.stop = Some(StopReason::Refused);
    }
    for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        take_call(growing, call, heard)?;
    }
    Ok(())
}

fn take_call(growing: &mut Growing, call: &Value, heard: &mut Vec<Piece>) -> Result<(), Failed> {
    let text = |place: &str| call.pointer(place).and_then(Value::as_str).unwrap_or_default();
    let (id, name) = (text("/id"), text("/function/name"));
    let index = call.get("index").and_then(Value::as_u64);
    let place = match place_of(growing, index, id, name) {
        Some(place) => place,
        None => growing.begin(index)?,
    };
    growing.name(place, name, heard);
    let Some(part) = growing.calls.get_mut(place) else { return Ok(()) };
    if part.id.is_empty() {
        id.clone_into(&mut part.id);
    }
    match call.pointer("/function/arguments") {
        Some(Value::String(fragment)) => part.arguments.push_str(fragment),
        Some(Value::Null) | None => {}
        // Some give an object where a text is due.
        Some(whole) => part.arguments.push_str(&whole.to_string()),
    }
    Ok(())
}

/// The call that a piece belongs to; nothing when it begins another one. Some providers give every call the index 0 or
/// none, and send each of them whole.
fn place_of(growing: &Growing, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
    let place = match index {
        Some(_) => growing.calls.iter().rposition(|part| part.index == index)?,
        None if !id.is_empty() => growing.calls.iter().rposition(|part| part.id == id)?,
        None => growing.calls.len().checked_sub(1)?,
    };
    let part = &growing.calls[place];
    let another =
        if id.is_empty() { !name.is_empty() && part.is_whole() } else { !part.id.is_empty() && part.id != id };
    (!another).then_some(place)
}

fn finish(growing: &mut Growing, reason: Option<&Value>) {
    let Some(reason) = reason.and_then(Value::as_str) else { return };
    let stop = match reason {
        "length" | "max_tokens" => StopReason::Length,
        "content_filter" => StopReason::Refused,
        "tool_calls" | "function_call" => StopReason::Tools,
        // `stop`, and whatever else a provider calls its end.
        _ => StopReason::Done,
    };
    if growing.stop != Some(StopReason::Refused) {
        growing.stop = Some(stop);
    }
}

fn used(usage: &Value) -> Option<TokensUsed> {
    let count = |place: &str| usage.pointer(place).and_then(Value::as_u64);
    Some(TokensUsed {
        input: count("/prompt_tokens")?,
        cached: count("/prompt_tokens_details/cached_tokens").unwrap_or(0),
        output: count("/completion_tokens").unwrap_or(0),
    })
}
