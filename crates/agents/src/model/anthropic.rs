//! The messages of Anthropic. Nothing here reads or writes a socket.

use super::{
    Ask, Call, CallResult, Line, Piece, Reply, StopReason, TokensUsed, Trouble,
    growing::{Growing, broke_off, told_arguments, unreadable},
    sse::Event,
    troubles::{Failed, told},
};
use handover_core::limits::MODEL_OUTPUT_TOKENS;
use serde_json::{Map, Value, json};

/// The version of the interface that is spoken here.
pub const VERSION: &str = "2023-06-01";

/// How a question is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Manner {
    /// Whether the answer comes in pieces.
    pub stream: bool,
    /// Whether several tools may be asked for at once; they may when nothing is said.
    pub parallel: Option<bool>,
}

/// The body of a request.
#[must_use]
pub fn body(ask: &Ask, manner: Manner) -> Value {
    let most = ask.max_output_tokens.unwrap_or(MODEL_OUTPUT_TOKENS);
    let mut body = Map::from_iter([
        ("model".to_owned(), json!(ask.model)),
        ("max_tokens".to_owned(), json!(most)),
        ("messages".to_owned(), Value::Array(messages(&ask.lines))),
        ("stream".to_owned(), json!(manner.stream)),
    ]);
    let mut add = |name: &str, value: Value| body.insert(name.to_owned(), value);
    if !ask.system.trim().is_empty() {
        add("system", json!(ask.system));
    }
    if !ask.tools.is_empty() {
        add("tools", ask.tools.iter().map(tool).collect());
        if manner.parallel == Some(false) {
            add("tool_choice", json!({"type": "auto", "disable_parallel_tool_use": true}));
        }
    }
    if let Some(temperature) = ask.temperature {
        add("temperature", json!(temperature));
    }
    Value::Object(body)
}

fn tool(tool: &super::ToolSpec) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
}

/// The conversation in turns: whatever comes after one another from the same side is one message.
fn messages(lines: &[Line]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for line in lines {
        let (role, blocks) = match line {
            Line::User(text) => ("user", vec![text_block(if text.trim().is_empty() { "(nothing)" } else { text })]),
            Line::Model { text, calls } => ("assistant", said(text, calls)),
            Line::Results(results) => ("user", results.iter().map(result).collect()),
        };
        match turns.last_mut() {
            Some((last, before)) if *last == role => before.extend(blocks),
            Some(_) | None if blocks.is_empty() => {}
            Some(_) | None => turns.push((role, blocks)),
        }
    }
    turns.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// What the model said. Text without a word in it is refused, so it is left out.
fn said(text: &str, calls: &[Call]) -> Vec<Value> {
    let text = Some(text.trim_end()).filter(|text| !text.is_empty()).map(text_block);
    let calls = calls.iter().map(|call| {
        let input = told_arguments(&call.arguments);
        json!({"type": "tool_use", "id": tame_id(&call.id), "name": call.name, "input": input})
    });
    text.into_iter().chain(calls).collect()
}

fn result(result: &CallResult) -> Value {
    let mut block = json!({"type": "tool_result", "tool_use_id": tame_id(&result.id), "content": result.content});
    if result.failed {
        block["is_error"] = json!(true);
    }
    block
}

/// An id as this provider takes it. Those of others may hold more.
fn tame_id(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
}

/// Reads an answer that came in one piece.
///
/// # Errors
/// When it is no answer, or says that something went wrong.
pub fn read(ask: &Ask, body: &[u8]) -> Result<Reply, Failed> {
    let body: Value = serde_json::from_slice(body).map_err(|error| unreadable("the answer", &error))?;
    if body.get("type").is_some_and(|kind| kind == "error") {
        return Err(told(&body));
    }
    let Some(blocks) = body.get("content").and_then(Value::as_array) else {
        return Err(Failed::new(Trouble::Answer, "the answer has no content"));
    };
    let mut stream = Stream::new(ask);
    let mut unheard = Vec::new();
    for (place, block) in (0_u64..).zip(blocks) {
        stream.begin_block(place, block, &mut unheard)?;
    }
    stream.growing.answered_by(body.get("model"));
    stream.count(body.get("usage"));
    stop(&mut stream.growing, body.get("stop_reason"));
    Ok(stream.growing.reply())
}

/// Reads an answer that comes in pieces.
#[derive(Debug)]
pub struct Stream {
    growing: Growing,
    /// Tokens of the question: new ones, kept before, and kept now.
    input: (u64, u64, u64),
    ended: bool,
}

impl Stream {
    /// Reads the answer to this question.
    #[must_use]
    pub fn new(ask: &Ask) -> Self {
        Self { growing: Growing::new(ask), input: (0, 0, 0), ended: false }
    }

    /// Takes one event, and gives what is heard with it. Events and blocks that are not known are passed over.
    ///
    /// # Errors
    /// When it is none, or says that something went wrong.
    pub fn feed(&mut self, event: &Event) -> Result<Vec<Piece>, Failed> {
        let mut heard = Vec::new();
        let data: Value =
            serde_json::from_str(&event.data).map_err(|error| unreadable("a piece of the answer", &error))?;
        let kind = data.get("type").and_then(Value::as_str).unwrap_or(&event.name);
        let index = data.get("index").and_then(Value::as_u64).unwrap_or(0);
        match kind {
            "message_start" => {
                self.growing.answered_by(data.pointer("/message/model"));
                self.count(data.pointer("/message/usage"));
            }
            "content_block_start" => {
                self.begin_block(index, data.get("content_block").unwrap_or(&Value::Null), &mut heard)?;
            }
            "content_block_delta" => self.grow(index, data.get("delta").unwrap_or(&Value::Null), &mut heard),
            "message_delta" => {
                stop(&mut self.growing, data.pointer("/delta/stop_reason"));
                self.count(data.get("usage"));
            }
            "message_stop" => self.ended = true,
            "error" => return Err(told(&data)),
            _ => {}
        }
        Ok(heard)
    }

    /// The whole answer.
    ///
    /// # Errors
    /// When it broke off.
    pub fn finish(self) -> Result<Reply, Failed> {
        if !self.ended && self.growing.stop.is_none() {
            return Err(broke_off());
        }
        Ok(self.growing.reply())
    }

    fn begin_block(&mut self, index: u64, block: &Value, heard: &mut Vec<Piece>) -> Result<(), Failed> {
        let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "text" => self.growing.say(text("text"), heard),
            "tool_use" => {
                let place = self.growing.begin(Some(index))?;
                self.growing.name(place, text("name"), heard);
                let Some(part) = self.growing.calls.get_mut(place) else { return Ok(()) };
                text("id").clone_into(&mut part.id);
                // In a stream it is empty, and written piece by piece after this.
                let input = block.get("input").filter(|input| !matches!(input, Value::Null));
                if let Some(input) = input.filter(|input| input.as_object().is_none_or(|fields| !fields.is_empty())) {
                    part.arguments = input.to_string();
                }
            }
            // Thinking is the model's own, and others are of no use here.
            _ => {}
        }
        Ok(())
    }

    fn grow(&mut self, index: u64, delta: &Value, heard: &mut Vec<Piece>) {
        let text = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "text_delta" => self.growing.say(text("text"), heard),
            "input_json_delta" => {
                let part = self.growing.calls.iter_mut().rfind(|part| part.index == Some(index));
                if let Some(part) = part {
                    part.arguments.push_str(text("partial_json"));
                }
            }
            _ => {}
        }
    }

    /// Counts are sums so far: a later one takes the place of an earlier one.
    fn count(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else { return };
        let count = |name: &str| usage.get(name).and_then(Value::as_u64);
        let (fresh, kept, keeping) = self.input;
        self.input = (
            count("input_tokens").unwrap_or(fresh),
            count("cache_read_input_tokens").unwrap_or(kept),
            count("cache_creation_input_tokens").unwrap_or(keeping),
        );
        let (fresh, kept, keeping) = self.input;
        let output = count("output_tokens").or(self.growing.used.map(|used| used.output)).unwrap_or(0);
        let input = fresh.saturating_add(kept).saturating_add(keeping);
        self.growing.used = Some(TokensUsed { input, cached: kept, output });
    }
}

fn stop(growing: &mut Growing, reason: Option<&Value>) {
    let Some(reason) = reason.and_then(Value::as_str) else { return };
    growing.stop = Some(match reason {
        "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
        "tool_use" => StopReason::Tools,
        "refusal" => StopReason::Refused,
        // `end_turn`, `stop_sequence`, and whatever else there will be.
        _ => StopReason::Done,
    });
}
