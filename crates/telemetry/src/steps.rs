//! Steps of agents that are models: which model was asked and which tool was called. What was asked and answered stays in
//! the records.

use crate::{
    followed::Followed,
    span::{Attributes, Span, SpanKind},
    spans::Models,
};
use handover_core::{ids::HandoffId, limits::SPAN_NAME_CHARS_MAX, time::Timestamp, trace};
use serde::Serialize;
use serde_json::Value;

/// The span of a recorded step: from the end of the step before, since a model and its tools take turns. Nothing where it
/// is neither a question to a model nor a call of a tool.
pub(crate) fn span(
    open: &mut Followed,
    id: HandoffId,
    (name, output): (&str, &Value),
    at: Timestamp,
    models: Models<'_>,
) -> Option<Span> {
    let invocation = open.invocation.as_mut()?;
    let start = std::mem::replace(&mut invocation.last, at);
    let step = trace::span(id, &format!("step/{}/{name}", invocation.lease));
    let (by, parent) = (invocation.by.clone(), invocation.span);
    let common = || open.common(id).with("gen_ai.agent.name", by.as_str()).with("gen_ai.agent.id", by.as_str());
    let told = if name.starts_with("model/") {
        asked(common, output, &models(&by))
    } else if name.starts_with("tool/") {
        called(common, output)
    } else {
        None
    };
    let Told { name, kind, attributes, error } = told?;
    let attributes = attributes.with_some("error.type", error);
    open.sampled.then(|| Span {
        trace: open.trace,
        id: step,
        parent: Some(parent),
        name,
        kind,
        start,
        end: at,
        attributes,
        links: Vec::new(),
        error,
    })
}

struct Told {
    name: String,
    kind: SpanKind,
    attributes: Attributes,
    error: Option<&'static str>,
}

/// A question to a model, by its answer.
fn asked(common: impl FnOnce() -> Attributes, reply: &Value, of: &crate::spans::ModelOf) -> Option<Told> {
    let answered = named(reply.get("model")?)?;
    let stop = match reply.get("stop")?.as_str()? {
        "done" => "stop",
        "tools" => "tool_calls",
        "length" => "length",
        "refused" => "content_filter",
        _ => return None,
    };
    let model = of.model.clone().unwrap_or_else(|| answered.clone());
    let count = |field| reply.get("used").and_then(|used| used.get(field)).and_then(Value::as_u64);
    let attributes = common()
        .with("gen_ai.operation.name", "chat")
        .with_some("gen_ai.provider.name", of.provider.clone())
        .with("gen_ai.request.model", model.as_str())
        .with("gen_ai.response.model", answered)
        .with("gen_ai.response.finish_reasons", vec![stop])
        .with_some("gen_ai.usage.input_tokens", count("input"))
        .with_some("gen_ai.usage.cache_read.input_tokens", count("cached").filter(|cached| *cached > 0))
        .with_some("gen_ai.usage.output_tokens", count("output"));
    Some(Told { name: format!("chat {model}"), kind: SpanKind::Client, attributes, error: None })
}

/// A call of a tool, by its result.
fn called(common: impl FnOnce() -> Attributes, output: &Value) -> Option<Told> {
    let result = output.get("result")?;
    // A model can ask for a tool by any text, and that would be its words.
    let tool = named(result.get("name")?).unwrap_or_else(|| "other".to_owned());
    let failed = result.get("failed").and_then(Value::as_bool).unwrap_or(false);
    let attributes = common()
        .with("gen_ai.operation.name", "execute_tool")
        .with("gen_ai.tool.name", tool.as_str())
        .with("gen_ai.tool.type", "function")
        .with_some("gen_ai.tool.call.id", result.get("id").and_then(named));
    let error = failed.then_some("tool_error");
    Some(Told { name: format!("execute_tool {tool}"), kind: SpanKind::Internal, attributes, error })
}

/// A text that can be a name; a sentence cannot.
fn named(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/' | '@' | '+');
    let short = !text.is_empty() && text.len() <= SPAN_NAME_CHARS_MAX;
    (short && text.chars().all(fits)).then(|| text.to_owned())
}

/// The word of one of a closed set, as it is written everywhere.
pub(crate) fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
