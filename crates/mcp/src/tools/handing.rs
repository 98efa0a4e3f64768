//! Handing work over, and looking where it stands.

use super::forms::{ArtifactForm, Priority, RiskWord, begun, part, pause};
use crate::{
    ask::{Ask, agent_id, handoff_id},
    elicit,
    table::{Given, Hints, Tool},
    views::{HandoffView, Told, settled},
};
use handover_core::{
    command::{Command, NewArtifact},
    context::TransferMode,
    handoff::{Handoff, Kind, Request, RequiredCapability, Trigger},
    ids::HandoffId,
    limits::{EXECUTION_MS, MCP_WAIT_MS},
    refusal::HandoffError,
    session::Session,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::waiting(
            "handoff_to_specialist",
            "Delegate to a specialist",
            "Hands a task to another agent and brings the result back to you; you stay responsible. Use it when you lack \
             expertise, tools or time for a part of the work. Name `to_agent`, or a `capability`, or leave both out and \
             somebody is found by the task. Say what is done, what was decided and ruled out, and the next step. It waits \
             for a while; if the work takes longer it says so, and `handoff_status` brings the result later.",
            Some(MCP_WAIT_MS),
            delegate,
        )
        .hints(Hints::REACHES),
        Tool::waiting(
            "handoff_to_agent",
            "Hand over to an agent",
            "Hands the whole work over for good: the other agent goes on with it, and your part is over. Use it at the end \
             of your part, or when somebody else should have the conversation. Say which files you touched, what was \
             decided, what was ruled out and why, and the next step: the other one sees nothing else of your context.",
            Some(0),
            hand_over,
        )
        .hints(Hints::REACHES),
        Tool::waiting(
            "handoff_status",
            "Look at a handoff",
            "Tells where a handoff stands, its open question if it has one, and its result once it is over. Give \
             `wait_seconds` to wait for the result. This is how you poll for anything that takes long.",
            Some(0),
            status,
        )
        .hints(Hints::SETTLES),
        Tool::new(
            "cancel_handoff",
            "Take a handoff back",
            "Takes back a handoff that you initiated and that is not over. Whoever works on it is told to stop.",
            cancel,
        )
        .hints(Hints::ENDS),
    ]
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum History {
    Full,
    Summary,
    RelevantOnly,
}

/// What is handed over.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Handing {
    /// What is to be done, so that somebody who knows nothing of it can begin.
    task: String,
    /// To whom, by name. Left out, somebody is found by `capability` or by the task.
    #[serde(default)]
    to_agent: Option<String>,
    /// What the other one must be able to do.
    #[serde(default)]
    capability: Option<String>,
    /// Why you hand it over.
    #[serde(default)]
    reason: Option<String>,
    /// What the user is after.
    #[serde(default)]
    user_intent: Option<String>,
    /// What the user asked for, in their own words.
    #[serde(default)]
    original_request: Option<String>,
    /// Files that you touched, each with what you did to it.
    #[serde(default)]
    files_touched: Vec<String>,
    /// What was decided, with the reason, so that nobody decides it again.
    #[serde(default)]
    decisions: Vec<String>,
    /// What was tried or considered and does not work, and why.
    #[serde(default)]
    ruled_out: Vec<String>,
    /// What to do first.
    #[serde(default)]
    next_step: Option<String>,
    /// What is not known yet.
    #[serde(default)]
    open_questions: Vec<String>,
    /// What the work produced so far: references, not contents.
    #[serde(default)]
    artifacts: Vec<ArtifactForm>,
    /// Any further data for the task.
    #[serde(default)]
    data: Option<Map<String, Value>>,
    /// Capabilities that the other one should have; some of them are enough.
    #[serde(default)]
    required_capabilities: Vec<String>,
    /// How urgent it is.
    #[serde(default)]
    priority: Priority,
    /// How much harm the task can do.
    #[serde(default)]
    risk: RiskWord,
    /// Whether a person must say yes before the other one is asked.
    #[serde(default)]
    needs_approval: bool,
    /// How much of the conversation of the session the other one is shown; it can recall the rest.
    #[serde(default)]
    history: Option<History>,
    /// How long the work may take from its acceptance, in minutes; 60 when left out.
    #[serde(default)]
    timeout_minutes: Option<u64>,
    /// How long to wait here, in seconds, at most 600: for the result of a delegation, or until a handover was taken.
    #[serde(default)]
    wait_seconds: Option<u64>,
    /// The session. Left out: that of the work which you hold, else the one that you have just opened for it, else a new
    /// one.
    #[serde(default)]
    session_id: Option<String>,
}

/// What came of a handoff.
#[derive(Debug, Serialize, JsonSchema)]
struct Handed {
    /// Whether it is over, or, where it was handed over for good, taken by somebody.
    finished: bool,
    /// The handoff.
    handoff: HandoffView,
    /// Whether its session was opened for it. Give its `session_id` with calls that belong to the same piece of work.
    is_new_session: bool,
    /// What to do next.
    next: String,
}

impl Told for Handed {
    fn text(&self) -> String {
        let session = &self.handoff.session_id;
        let new = if self.is_new_session {
            format!("\nThe session is a new one: give `session_id` {session} with what belongs to it.")
        } else {
            String::new()
        };
        format!("{}{new}\n\nNext: {}", self.handoff.text(), self.next)
    }
}

async fn delegate(ask: Ask, form: Handing) -> Result<Given<Handed>, HandoffError> {
    let wait = part(form.wait_seconds, MCP_WAIT_MS)?;
    hand(ask, form, Kind::Delegation, wait).await
}

async fn hand_over(ask: Ask, form: Handing) -> Result<Given<Handed>, HandoffError> {
    let wait = part(form.wait_seconds, 0)?;
    hand(ask, form, Kind::Sequential, wait).await
}

async fn hand(ask: Ask, form: Handing, kind: Kind, wait: u64) -> Result<Given<Handed>, HandoffError> {
    let asked = form.original_request.clone().unwrap_or_else(|| form.task.clone());
    let (session, is_new) = ask.session_for_work(form.session_id.as_deref(), &asked).await?;
    let artifacts: Vec<NewArtifact> = form.artifacts.iter().cloned().map(Into::into).collect();
    let id = match begin(&ask, form, kind, &session).await {
        Ok(id) => id,
        Err(error) => {
            if is_new {
                leave(&ask, &session).await;
            }
            return Err(error);
        }
    };
    keep(&ask, &session, artifacts).await;
    let handoff = waited(&ask, id, wait).await?;
    let mut given = given(&ask, &handoff, wait > 0).await?;
    given.told.is_new_session = is_new;
    Ok(given)
}

async fn begin(ask: &Ask, form: Handing, kind: Kind, session: &Session) -> Result<HandoffId, HandoffError> {
    let request = request(ask, form, kind, session).await?;
    begun(ask.engine.initiate(&session.id, request).await?)
}

/// Nothing came of it: a session that was opened for it alone is not left behind. One that has a handoff stays, whatever went
/// wrong: the same call may have arrived before.
async fn leave(ask: &Ask, session: &Session) {
    let empty = ask.engine.session(&session.id).await.is_ok_and(|session| session.handoffs == 0);
    if let Ok(by) = ask.me().await
        && empty
    {
        let command = Command::End { by, reason: "nothing was handed over".into() };
        let _ = ask.submit(&session.id, command, "leave").await;
    }
}

async fn request(ask: &Ask, form: Handing, kind: Kind, session: &Session) -> Result<Request, HandoffError> {
    let me = ask.me().await?;
    let mut request = Request::new(kind, me, form.task.clone());
    request.idempotency_key = Some(ask.part("handoff"));
    request.context.traceparent.clone_from(&ask.traceparent);
    request.context.completed_work = work_so_far(&form);
    request.context.artifacts = form.artifacts.iter().map(|artifact| artifact.path.clone()).collect();
    request.context.transfer.mode = form.history.map(|history| match history {
        History::Full => TransferMode::Full,
        History::Summary => TransferMode::Summary,
        History::RelevantOnly => TransferMode::RelevantOnly,
    });
    request.to_agent = form.to_agent.as_deref().map(|name| agent_id(name, "to_agent")).transpose()?;
    request.capability = form.capability;
    let kept = Some(session.original_request.clone()).filter(|text| !text.is_empty());
    request.original_request = form.original_request.or(kept).unwrap_or_else(|| form.task.clone());
    request.user_intent = form.user_intent.unwrap_or(form.task);
    request.reason = form.reason.unwrap_or_else(|| request.task.description.clone());
    request.trigger = if kind == Kind::Sequential { Trigger::TaskCompletion } else { Trigger::ExplicitRequest };
    request.task.payload = form.data.map_or(Value::Null, Value::Object);
    request.task.priority = form.priority.into();
    request.audit.risk_level = form.risk.into();
    request.needs_approval = form.needs_approval;
    request.completes_segment = kind == Kind::Sequential;
    let required = form.required_capabilities.into_iter();
    request.validation.required_capabilities =
        required.map(|capability_id| RequiredCapability { capability_id, min_proficiency: None }).collect();
    let minutes = form.timeout_minutes.map(|minutes| minutes.saturating_mul(60_000));
    request.return_protocol.timeout_ms = match kind {
        Kind::Delegation => Some(minutes.unwrap_or(EXECUTION_MS)),
        Kind::Sequential | Kind::Broadcast | Kind::Escalation => minutes,
    };
    Ok(request)
}

/// What the receiver sees of the work so far. What was not said is left out.
fn work_so_far(form: &Handing) -> Value {
    let mut told = Map::new();
    let lists = [
        ("files_touched", &form.files_touched),
        ("decisions", &form.decisions),
        ("ruled_out", &form.ruled_out),
        ("open_questions", &form.open_questions),
    ];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        told.insert(name.to_owned(), json!(list));
    }
    if let Some(next) = form.next_step.as_ref().filter(|next| !next.trim().is_empty()) {
        told.insert("next_step".to_owned(), json!(next));
    }
    if told.is_empty() { Value::Null } else { Value::Object(told) }
}

/// The paths have crossed with the handoff. What cannot be kept besides is no reason to refuse what is done.
async fn keep(ask: &Ask, session: &Session, artifacts: Vec<NewArtifact>) {
    let Ok(by) = ask.me().await else { return };
    for (i, artifact) in artifacts.into_iter().enumerate() {
        let command = Command::Keep { by: by.clone(), artifact };
        let _ = ask.submit(&session.id, command, &format!("artifact/{i}")).await;
    }
}

/// The handoff after so much time, or as soon as there is nothing more to wait for.
async fn waited(ask: &Ask, id: HandoffId, wait: u64) -> Result<Handoff, HandoffError> {
    if wait > 0 {
        let handoff = ask.engine.handoff(id).await?;
        if crate::views::moves(&handoff) {
            tokio::select! {
                taken = ask.engine.accepted(id) => drop(taken?),
                () = pause(wait) => {}
            }
        } else {
            ask.engine.returned_until(id, pause(wait)).await?;
        }
    }
    ask.engine.handoff(id).await
}

async fn given(ask: &Ask, handoff: &Handoff, waits: bool) -> Result<Given<Handed>, HandoffError> {
    let (handoff, result) = last(ask, handoff).await?;
    let finished = settled(&handoff) && (result.is_some() || !handoff.request.expects_return());
    if finished && handoff.request.expects_return() {
        take(ask, &handoff).await;
    }
    let mut view = super::work::view(&handoff);
    view.result = view.result.or(result);
    let next = next(&view, finished);
    let question = if finished { None } else { elicit::question(ask, &handoff).await };
    Ok(Given {
        told: Handed { finished, handoff: view, is_new_session: false, next },
        again: waits && !finished,
        question,
    })
}

/// Where the work has come to, when it went further up, and how it ended.
async fn last(ask: &Ask, handoff: &Handoff) -> Result<(Handoff, Option<crate::views::ResultView>), HandoffError> {
    if !handoff.status().is_closed() {
        return Ok((handoff.clone(), None));
    }
    let result = ask.engine.returned_until(handoff.id, std::future::ready(())).await?;
    Ok((handoff.clone(), result.as_ref().map(crate::views::ResultView::of)))
}

/// The result has reached whoever waited for it. It may have been taken before.
async fn take(ask: &Ask, handoff: &Handoff) {
    if let Ok(by) = ask.me().await
        && handoff.request.from_agent == by
    {
        let command = Command::Take { of: handoff.id.0, by };
        let _ = ask.engine.submit(&handoff.session_id, command, Some(&format!("take/{}", handoff.id))).await;
    }
}

fn next(view: &HandoffView, finished: bool) -> String {
    let id = &view.handoff_id;
    let asked = view.questions.iter().any(|asked| asked.answer.is_none());
    match (finished, view.status.as_str(), view.kind.as_str()) {
        (true, _, "sequential") => "your part is over: the other agent goes on.".to_owned(),
        (true, "completed", _) => "use the result, and report it in your own words.".to_owned(),
        (true, _, _) => {
            "it did not succeed: mend it, do it yourself, hand it to somebody else, or tell the user.".into()
        }
        (false, "awaiting_approval", _) => {
            format!(
                "a person has to approve it first. Ask again with `handoff_status` of {id}; do not do it meanwhile."
            )
        }
        (false, _, _) if asked => format!("answer the open question with `answer_question` of {id}."),
        (false, _, "sequential") => format!("it waits to be taken. `handoff_status` of {id} tells when it is."),
        (false, _, _) => {
            format!("it is still going on. Ask later with `handoff_status` of {id}, with `wait_seconds` to wait.")
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Looking {
    /// The handoff. May be left out when you hold exactly one.
    #[serde(default)]
    handoff_id: Option<String>,
    /// How long to wait for its end, in seconds, at most 600.
    #[serde(default)]
    wait_seconds: Option<u64>,
}

async fn status(ask: Ask, form: Looking) -> Result<Given<Handed>, HandoffError> {
    let wait = part(form.wait_seconds, 0)?;
    let id = ask.handoff(form.handoff_id.as_deref()).await?.id;
    let handoff = waited(&ask, id, wait).await?;
    given(&ask, &handoff, wait > 0).await
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Cancelling {
    /// The handoff.
    handoff_id: String,
    /// Why.
    reason: String,
}

async fn cancel(ask: Ask, form: Cancelling) -> Result<HandoffView, HandoffError> {
    let (id, by) = (handoff_id(&form.handoff_id)?, ask.me().await?.to_string());
    let handoff = ask.engine.handoff(id).await?;
    ask.submit(&handoff.session_id, Command::Cancel { handoff: id, by, reason: form.reason }, "cancel").await?;
    Ok(super::work::view(&ask.engine.handoff(id).await?))
}
