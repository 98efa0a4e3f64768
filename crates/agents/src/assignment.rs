//! Work for somebody outside of this process, as one JSON document, and what comes back as another. Programs read it and
//! write it, services are sent it and answer with it.

use handover_core::{
    command::{Goto, Update},
    handoff::{Handoff, Phase},
    limits::{QUOTE_CHARS_MAX, TEXT_BYTES_MAX},
    message::{NewMessage, Role},
    session::Session,
    time::Timestamp,
    trace, wire,
};
use handover_engine::agent::{Done, Failure, Work};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The work as a document. `with` is what the settings of the agent say.
///
/// # Errors
/// When the session cannot be read.
pub async fn written(work: &Work, with: &Value) -> Result<Value, Failure> {
    let session = work.engine().session(&work.handoff().session_id).await?;
    Ok(document(work.handoff(), &session, &work.brief(), with))
}

/// The work as a document, for whoever takes it by hand.
#[must_use]
pub fn document(handoff: &Handoff, session: &Session, brief: &str, with: &Value) -> Value {
    let variables: Map<String, Value> =
        session.variables.iter().map(|(name, kept)| (name.clone(), kept.value.clone())).collect();
    let task = &handoff.request.task;
    json!({
        "session_id": handoff.session_id,
        "handoff_id": handoff.id,
        "attempt": handoff.attempt,
        "agent": handoff.to_agent,
        "from": handoff.request.from_agent,
        "type": handoff.request.kind,
        "reason": handoff.request.reason,
        "state": session.flow.as_ref().map(|flow| flow.state.clone()),
        "task": {"type": task.kind, "description": task.description, "priority": task.priority},
        "request": handoff.request.original_request,
        "payload": task.payload,
        "variables": variables,
        "deadline": deadline(handoff, session),
        "trace_id": handoff.request.trace_id,
        "traceparent": traceparent(handoff, session),
        "brief": brief,
        "with": with,
    })
}

/// Where whoever has it stands in its trace; nothing while nobody does.
fn traceparent(handoff: &Handoff, session: &Session) -> Option<String> {
    let lease = session.open.get(&handoff.id).and_then(|open| open.lease());
    lease.map(|lease| trace::told(handoff, lease).to_string())
}

/// When it must be done: as it was accepted, which is later than it was offered.
pub(crate) fn deadline(handoff: &Handoff, session: &Session) -> Option<Timestamp> {
    let phase = session.open.get(&handoff.id).map(|open| &open.phase);
    match phase {
        Some(Phase::Running { deadline, .. }) => Some(*deadline),
        Some(_) | None => handoff.hard_deadline,
    }
}

/// What came of the work.
#[derive(Debug, Clone, PartialEq)]
pub enum Came {
    /// It ended so.
    Done(Box<Done>),
    /// It was declined: somebody else should have it.
    Declined(String),
    /// It needs to know something before it goes on.
    Asked(String),
}

/// What is written back. Everything may be left out.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Answer {
    /// How a step of a workflow ended, in the words of its rules.
    signal: Option<String>,
    /// Whether it came to nothing.
    failed: bool,
    /// Why somebody else should have it.
    reject: Option<String>,
    /// What it needs to know before it goes on.
    question: Option<String>,
    /// What came out.
    data: Value,
    /// The same in words.
    text: Option<String>,
    /// A sentence for people.
    notes: String,
    /// How good it is.
    score: Option<f64>,
    /// Variables of the session to set.
    set: Map<String, Value>,
    /// Where the work goes next: an agent, `END`, or a list of sends.
    goto: Value,
    /// What changes in the session with it.
    update: Value,
}

/// The forms that are taken, for messages.
pub const FORMS: &str = "expected one JSON object, such as {\"data\": …}, {\"text\": \"…\"}, {\"failed\": true, \"notes\": \
                         \"why\"}, {\"reject\": \"why\"}, {\"question\": \"what\"} or {\"goto\": \"agent\"}";

/// Reads what was written back. Nothing at all means that it is done and there is nothing to say.
///
/// # Errors
/// When it cannot be read, in words, with what was expected and the beginning of what was there.
pub fn read(text: &str) -> Result<Came, String> {
    let shown = || tame(text).trim().chars().take(QUOTE_CHARS_MAX).collect::<String>();
    let told = |error: String| format!("{error}; {FORMS}; it was: {}", shown());
    let answer: Answer = if text.trim().is_empty() {
        Answer::default()
    } else {
        object(text).map_err(|error| told(error.to_string()))?
    };
    if let Some(why) = answer.reject {
        let why = if why.trim().is_empty() { "it gave no reason".to_owned() } else { tame(&why) };
        return Ok(Came::Declined(why));
    }
    if let Some(question) = answer.question.filter(|question| !question.trim().is_empty()) {
        return Ok(Came::Asked(tame(&question)));
    }
    let (goto, update) = turn(&answer.goto, &answer.update).map_err(told)?;
    let mut update = update;
    update.context.extend(answer.set);
    let done = answer.text.map_or_else(|| Done::json(answer.data), Done::text);
    let mut done = done.notes(answer.notes).update(update);
    if let Some(signal) = answer.signal {
        done = done.signal(signal);
    }
    if let Some(score) = answer.score {
        done = done.score(score);
    }
    if let Some(goto) = goto {
        done = done.then(goto);
    }
    Ok(Came::Done(Box::new(if answer.failed { done.unsuccessful() } else { done })))
}

/// An answer is an object. A list would pass for one: its values would be taken for fields, in their order.
fn object(text: &str) -> Result<Answer, serde_json::Error> {
    let fields: Map<String, Value> = serde_json::from_str(text)?;
    serde_json::from_value(Value::Object(fields))
}

/// Where the work goes, and what changes with it: the command object, as everybody writes it.
fn turn(goto: &Value, update: &Value) -> Result<(Option<Goto>, Update), String> {
    if goto.is_null() && update.is_null() {
        return Ok((None, Update::default()));
    }
    let goes = !goto.is_null();
    let mut object = json!({"goto": if goes { goto.clone() } else { json!("END") }});
    if !update.is_null() {
        object["update"] = update.clone();
    }
    let turn = wire::turn(&object.to_string()).map_err(|error| error.to_string())?;
    Ok((goes.then_some(turn.goto), turn.update))
}

/// A text of somebody else as it can be kept: programs colour what they say, and go on for long.
pub(crate) fn tame(text: &str) -> String {
    let mut kept = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' && chars.next_if_eq(&'[').is_some() {
            // A command to a terminal, up to its letter.
            while chars.next_if(|c| !c.is_ascii_alphabetic()).is_some() {}
            chars.next();
        } else if !c.is_control() || matches!(c, '\n' | '\t') {
            kept.push(c);
        }
    }
    // Room for what is said around it.
    kept[..kept.floor_char_boundary(TEXT_BYTES_MAX / 2)].to_owned()
}

/// What is answered to the user is part of the conversation, whoever answers. It is said once.
async fn said(work: &Work, done: &Done) -> Result<(), Failure> {
    let handoff = work.handoff();
    let session = work.engine().session(&handoff.session_id).await?;
    let asked = session.serves(&handoff.request.from_agent);
    let owner = session.user_id.is_some() && *session.lasting_owner() == handoff.to_agent;
    let text = match done.body() {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if session.flow.is_some() || !(asked || owner) || text.trim().is_empty() {
        return Ok(());
    }
    let mut message = NewMessage::new(Role::Assistant, text);
    message.agent = Some(handoff.to_agent.clone());
    work.step_saying("answer", || async { Ok(((), vec![message])) }).await
}

/// Gives the outcome to the engine: what was declined goes to the next one.
///
/// # Errors
/// When the work was given to somebody else meanwhile.
pub async fn settled(work: &Work, came: Came) -> Result<Done, Failure> {
    match came {
        Came::Done(done) => {
            said(work, &done).await?;
            Ok(*done)
        }
        Came::Declined(why) => {
            work.decline(&why).await?;
            // The lease is gone with it: whatever is given back now is nobody's.
            Ok(Done::text(""))
        }
        Came::Asked(question) => {
            work.ask(&question).await?;
            Ok(Done::text(""))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn answers_of_every_form() {
        let texts = [
            "",
            r#"{"data": {"n": 1}, "notes": "counted"}"#,
            r#"{"text": "Hello", "score": 0.5}"#,
            r#"{"failed": true, "notes": "no disk"}"#,
            r#"{"reject": "not my field"}"#,
            r#"{"reject": ""}"#,
            r#"{"question": "which one?"}"#,
            r#"{"goto": "anna", "update": {"context": {"a": 1}}, "set": {"b": 2}}"#,
            r#"{"signal": "READY"}"#,
            "hello",
            r#"{"date": 1}"#,
            r#"{"goto": 7}"#,
            "[]",
        ];
        let told: Vec<String> = texts.iter().map(|text| format!("{text}\n  {:?}\n", read(text))).collect();
        expect![[r#"

              Ok(Done(Done { giving: Giving { status: Success, result: Outcome { content_type: Json, body: Null, score: None }, updates: Update { context: {}, artifacts: [], workflow_state: Null, metrics: Metrics { tokens: 0, cost: 0.0, iterations: 0, duration_ms: 0 }, usage: [] }, notes: "", signal: None }, then: None }))
            {"data": {"n": 1}, "notes": "counted"}
              Ok(Done(Done { giving: Giving { status: Success, result: Outcome { content_type: Json, body: Object {"n": Number(1)}, score: None }, updates: Update { context: {}, artifacts: [], workflow_state: Null, metrics: Metrics { tokens: 0, cost: 0.0, iterations: 0, duration_ms: 0 }, usage: [] }, notes: "counted", signal: None }, then: None }))
            {"text": "Hello", "score": 0.5}
              Ok(Done(Done { giving: Giving { status: Success, result: Outcome { content_type: Text, body: String("Hello"), score: Some(0.5) }, updates: Update { context: {}, artifacts: [], workflow_state: Null, metrics: Metrics { tokens: 0, cost: 0.0, iterations: 0, duration_ms: 0 }, usage: [] }, notes: "", signal: None }, then: None }))
            {"failed": true, "notes": "no disk"}
              Ok(Done(Done { giving: Giving { status: Failed, result: Outcome { content_type: Json, body: Null, score: None }, updates: Update { context: {}, artifacts: [], workflow_state: Null, metrics: Metrics { tokens: 0, cost: 0.0, iterations: 0, duration_ms: 0 }, usage: [] }, notes: "no disk", signal: None }, then: None }))
            {"reject": "not my field"}
              Ok(Declined("not my field"))
            {"reject": ""}
              Ok(Declined("it gave no reason"))
            {"question": "which one?"}
              Ok(Asked("which one?"))
            {"goto": "anna", "update": {"context": {"a": 1}}, "set": {"b": 2}}
              Ok(Done(Done { giving: Giving { status: Success, result: Outcome { content_type: Json, body: Null, score: None }, updates: Update { context: {"a": Number(1), "b": Number(2)}, artifacts: [], workflow_state: Null, metrics: Metrics { tokens: 0, cost: 0.0, iterations: 0, duration_ms: 0 }, usage: [] }, notes: "", signal: None }, then: Some(One { to_agent: AgentId("anna"), task: "", reason: "" }) }))
            {"signal": "READY"}
              Ok(Done(Done { giving: Giving { status: Success, result: Outcome { content_type: Json, body: Null, score: None }, updates: Update { context: {}, artifacts: [], workflow_state: Null, metrics: Metrics { tokens: 0, cost: 0.0, iterations: 0, duration_ms: 0 }, usage: [] }, notes: "", signal: Some("READY") }, then: None }))
            hello
              Err("expected value at line 1 column 1; expected one JSON object, such as {\"data\": …}, {\"text\": \"…\"}, {\"failed\": true, \"notes\": \"why\"}, {\"reject\": \"why\"}, {\"question\": \"what\"} or {\"goto\": \"agent\"}; it was: hello")
            {"date": 1}
              Err("unknown field `date`, expected one of `signal`, `failed`, `reject`, `question`, `data`, `text`, `notes`, `score`, `set`, `goto`, `update`; expected one JSON object, such as {\"data\": …}, {\"text\": \"…\"}, {\"failed\": true, \"notes\": \"why\"}, {\"reject\": \"why\"}, {\"question\": \"what\"} or {\"goto\": \"agent\"}; it was: {\"date\": 1}")
            {"goto": 7}
              Err("HO0104 goto: expected \"END\", an agent, a list of sends or an object, found a number; expected one JSON object, such as {\"data\": …}, {\"text\": \"…\"}, {\"failed\": true, \"notes\": \"why\"}, {\"reject\": \"why\"}, {\"question\": \"what\"} or {\"goto\": \"agent\"}; it was: {\"goto\": 7}")
            []
              Err("invalid type: sequence, expected a map at line 1 column 0; expected one JSON object, such as {\"data\": …}, {\"text\": \"…\"}, {\"failed\": true, \"notes\": \"why\"}, {\"reject\": \"why\"}, {\"question\": \"what\"} or {\"goto\": \"agent\"}; it was: []")
        "#]].assert_eq(&told.concat());
    }
}
