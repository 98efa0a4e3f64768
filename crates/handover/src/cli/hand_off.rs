//! `handover hand-off`: work from one agent to another, from the command line.

use super::{
    Job,
    exit::{self, Stop},
    ids, input,
    paint::Style,
    story, words,
};
use clap::Args;
use handover_core::{
    command::{Answer, Open},
    handoff::ReturnStatus,
    ids::{AgentId, SessionId},
    refusal::Code,
};
use serde_json::{Map, Value, json};

/// Arguments of `handover hand-off`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  handover hand-off --session trip --to anna --task 'Review the contract'
  handover hand-off --session trip --capability flights --task 'Find quotes' --payload '{\"seats\": 4}' --wait
  handover hand-off --session trip --to anna,bob --task 'Say what you think'    (a broadcast)")]
#[command(group = clap::ArgGroup::new("request_or_task").required(true).multiple(true).args(["task", "request"]))]
pub struct HandOff {
    /// The session that the work belongs to
    #[arg(long, value_name = "SESSION")]
    session: String,
    /// Opens the session when there is none
    #[arg(long)]
    pub(crate) new: bool,
    /// Who hands over; the owner of the session when left out
    #[arg(long, value_name = "AGENT")]
    from: Option<String>,
    /// To whom; several with a comma for a broadcast. Left out, somebody is found
    #[arg(long, value_name = "AGENT", value_delimiter = ',')]
    to: Vec<String>,
    /// Finds somebody who can do this
    #[arg(long, value_name = "CAPABILITY")]
    capability: Option<String>,
    /// Who may take it, in order of preference, with commas
    #[arg(long, value_name = "AGENTS", value_delimiter = ',')]
    candidates: Vec<String>,
    /// What is to be done
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,
    /// Why the work moves; the task when left out
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Data that goes with it
    #[arg(long, value_name = "JSON|@FILE")]
    payload: Option<String>,
    /// How the work moves [default: delegation]
    #[arg(long = "type", value_parser = ["sequential", "delegation", "broadcast", "escalation"])]
    kind: Option<String>,
    /// How urgent it is
    #[arg(long, value_parser = ["urgent", "high", "normal", "low"])]
    priority: Option<String>,
    /// How long it may take: 30s, 5m, 2h, 1d [default: 1h]
    #[arg(long, value_name = "TIME")]
    timeout: Option<String>,
    /// The risk of the task
    #[arg(long, value_parser = ["low", "medium", "high"])]
    risk: Option<String>,
    /// Asks a person first
    #[arg(long)]
    needs_approval: bool,
    /// The same key hands over once, however often it is said
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// The whole request; the options above change it
    #[arg(long, value_name = "JSON|@FILE")]
    request: Option<String>,
    /// Waits for the result
    #[arg(long)]
    pub(crate) wait: bool,
}

impl HandOff {
    /// The files that it names.
    pub(crate) fn reads(&self) -> Vec<String> {
        [&self.payload, &self.request].into_iter().filter_map(|given| input::named(given.as_ref())).collect()
    }
}

pub(crate) async fn run(args: &HandOff, job: &mut Job<'_>) -> Result<(), Stop> {
    // What was typed is read before anything is changed.
    let given = given(args, job)?;
    let session = session(args, job).await?;
    let request = request(args, given, &session, job).await?;
    let answer = job.engine.initiate_json(&session, &request.to_string()).await?;
    if !args.wait {
        return tell(&answer, job).await;
    }
    if !job.out.look.json {
        tell(&answer, job).await?;
    }
    wait(&answer, job).await
}

/// The session that is meant; a new one where that is allowed.
async fn session(args: &HandOff, job: &mut Job<'_>) -> Result<SessionId, Stop> {
    let id = SessionId::new(&args.session)?;
    if !args.new {
        return ids::session(job, &args.session).await;
    }
    let owner = args
        .from
        .as_deref()
        .ok_or_else(|| Stop::refused("a new session needs an owner", "say who hands over with --from AGENT"))?;
    let open = Open::by(owner)?.asking(args.task.as_deref().unwrap_or_default());
    match job.engine.open_session(&id, open).await {
        Err(error) if error.has(Code::SessionExists) => {}
        opened => {
            opened?;
            job.out.note(format!("{id} is open, owned by {owner}")).await?;
        }
    }
    Ok(id)
}

/// The request as far as it was given as a whole, with the payload.
fn given(args: &HandOff, job: &Job<'_>) -> Result<Map<String, Value>, Stop> {
    let mut fields = match &args.request {
        None => Map::new(),
        Some(given) => match input::json(job, "request", given)? {
            Value::Object(fields) => fields,
            _ => {
                let hint = "give it as {\"task\": {\"description\": …}, …}";
                return Err(Stop::refused("--request is no object", hint));
            }
        },
    };
    if let Some(given) = &args.payload {
        let payload = input::json(job, "payload", given)?;
        within(&mut fields, "task", |part| put(part, [("payload", payload)]));
    }
    Ok(fields)
}

/// The request in the form of the protocol, so that its mistakes are told as everywhere.
async fn request(
    args: &HandOff,
    mut given: Map<String, Value>,
    id: &SessionId,
    job: &mut Job<'_>,
) -> Result<Value, Stop> {
    let session = job.engine.session(id).await?;
    let fields = &mut given;
    let task = [("description", json!(args.task)), ("priority", json!(args.priority))];
    within(fields, "task", |part| put(part, task));
    within(fields, "audit", |part| put(part, [("risk_level", json!(args.risk))]));
    within(fields, "return_protocol", |part| put(part, [("timeout", json!(args.timeout))]));
    put(
        fields,
        [
            ("from_agent", json!(args.from)),
            ("capability", json!(args.capability)),
            ("idempotency_key", json!(args.key)),
            ("type", json!(args.kind)),
            ("reason", json!(args.reason)),
        ],
    );
    if !args.candidates.is_empty() {
        fields.insert("candidates".to_owned(), json!(args.candidates));
    }
    if args.needs_approval {
        fields.insert("needs_approval".to_owned(), json!(true));
    }
    address(args, fields);
    let asked = Some(session.original_request.clone()).filter(|text| !text.is_empty());
    fill(fields, session.active_agent.as_str(), asked);
    Ok(Value::Object(given))
}

/// To whom: one agent, or the targets of a broadcast.
fn address(args: &HandOff, fields: &mut Map<String, Value>) {
    match args.to.as_slice() {
        [] => {}
        [one] if fields.get("type") != Some(&json!("broadcast")) => {
            fields.insert("to_agent".to_owned(), json!(one));
        }
        several => {
            within(fields, "broadcast", |part| put(part, [("targets", json!(several))]));
            fields.entry("type").or_insert_with(|| json!("broadcast"));
        }
    }
}

/// What a request cannot do without and nobody has said.
fn fill(fields: &mut Map<String, Value>, owner: &str, asked: Option<String>) {
    let task = fields["task"]["description"].clone();
    let asked = asked.map_or_else(|| task.clone(), Value::String);
    let usual = [
        ("from_agent", json!(owner)),
        ("type", json!("delegation")),
        ("reason", task),
        ("user_intent", asked.clone()),
        ("original_request", asked),
    ];
    for (name, value) in usual {
        fields.entry(name).or_insert(value);
    }
    if fields["type"] == "sequential" {
        // Whoever hands the session over has done its part.
        fields.entry("completes_segment").or_insert(json!(true));
    }
    within(fields, "return_protocol", |part| {
        if !part.contains_key("timeout") && !part.contains_key("timeout_ms") {
            part.insert("timeout".to_owned(), json!("1h"));
        }
    });
}

fn put<const N: usize>(fields: &mut Map<String, Value>, given: [(&str, Value); N]) {
    let given = given.into_iter().filter(|(_, value)| !value.is_null());
    fields.extend(given.map(|(name, value)| (name.to_owned(), value)));
}

/// Changes a part of the request; what is no object is replaced, because the options have the last word.
fn within(fields: &mut Map<String, Value>, name: &str, change: impl FnOnce(&mut Map<String, Value>)) {
    let mut part = match fields.remove(name) {
        Some(Value::Object(part)) => part,
        Some(_) | None => Map::new(),
    };
    change(&mut part);
    fields.insert(name.to_owned(), Value::Object(part));
}

async fn tell(answer: &Answer, job: &mut Job<'_>) -> Result<(), Stop> {
    if job.out.look.json {
        return job.out.json(answer).await;
    }
    if let Some(error) = &answer.fallback {
        job.out.note(format!("nothing was handed over: {error}")).await?;
    }
    for id in &answer.handoffs {
        let handoff = job.engine.handoff(*id).await?;
        let path = format!("{} → {}", handoff.request.from_agent, handoff.to_agent);
        let status = words::status(handoff.status());
        let status = job.out.paint(words::status_style(handoff.status()), &status);
        let shown = job.out.paint(Style::Bold, &ids::short(*id));
        job.out.line(format!("{shown}  {path}  {status}")).await?;
    }
    for warning in &answer.warnings {
        job.out.note(format!("note: {warning}")).await?;
    }
    if let Some(id) = answer.handoffs.first() {
        job.out.note(format!("its story: handover handoffs show {}", ids::short(*id))).await?;
    }
    Ok(())
}

async fn wait(answer: &Answer, job: &mut Job<'_>) -> Result<(), Stop> {
    let mut good = true;
    let mut all = Vec::new();
    for id in &answer.handoffs {
        job.out.progress("waiting for the result; Ctrl-C ends the waiting, not the work").await?;
        let returned = job.engine.returned(*id).await?;
        job.out.progress_over().await?;
        good &= matches!(returned.status, ReturnStatus::Success | ReturnStatus::Partial);
        if job.out.look.json {
            all.push(returned);
            continue;
        }
        let by: &AgentId = &returned.from_agent;
        let notes = if returned.notes.is_empty() { String::new() } else { format!(": {}", returned.notes) };
        job.out.note(format!("{by}: {}{notes}", ending(returned.status))).await?;
        if !returned.result.body.is_null() {
            job.out.line(story::body(&returned.result.body)).await?;
        }
    }
    if job.out.look.json {
        job.out.json(&json!({ "answer": answer, "returns": all })).await?;
    }
    if good { Ok(()) } else { Err(Stop::Said(exit::REFUSED)) }
}

/// How it ended, in a word.
fn ending(status: ReturnStatus) -> &'static str {
    match status {
        ReturnStatus::Success => "done",
        ReturnStatus::Partial => "done in part",
        ReturnStatus::Failed => "failed",
        ReturnStatus::Timeout => "time ran out",
    }
}
