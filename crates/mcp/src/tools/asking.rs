//! Asking those above: a decision that is not the agent's to make, or a person's yes or no.

use super::{
    forms::{RiskWord, begun, part, pause},
    work::{hold_and, view},
};
use crate::{
    approvals,
    ask::{Ask, handoff_id},
    elicit,
    table::{Given, Hints, Tool},
    views::{HandoffView, Told, quoted, time},
};
use handover_core::{
    command::Command,
    event::Event,
    handoff::{Handoff, Kind, Phase, Request, Status},
    ids::AgentId,
    limits::{HUMAN_ACCEPT_MS, RUNG_MS},
    refusal::{Code, HandoffError, Refusal},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "escalate",
            "Escalate",
            "Hands a decision up that is not yours to make. With work in your hands the work itself goes up, with your \
             assessment, and you do not hold it any more. Without, it asks the one above you and the answer comes back; \
             `handoff_status` brings it.",
            escalate,
        )
        .hints(Hints::REACHES),
        Tool::waiting(
            "request_approval",
            "Ask a person for approval",
            "Asks a person whether you may do something: a deletion, a deployment, a payment, anything that is not easily \
             undone. Say exactly what you want to do and why. Do it only when `decision` is `approved`. While it is \
             `pending` do something else, and call again with `handoff_id` to see what was decided.",
            Some(0),
            request_approval,
        )
        .hints(Hints::REACHES),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Escalating {
    /// What has to be decided, what you think, and why it is not yours to decide.
    reason: String,
    /// The work to hand up. May be left out: then it is the only one that you hold, or a question of its own.
    #[serde(default)]
    handoff_id: Option<String>,
    /// Whether to ask a question of its own although you hold work.
    #[serde(default)]
    as_question: bool,
    /// The session of a question. May be left out.
    #[serde(default)]
    session_id: Option<String>,
}

async fn escalate(ask: Ask, form: Escalating) -> Result<HandoffView, HandoffError> {
    let me = ask.me().await?;
    let holds = form.handoff_id.is_some() || !ask.holding().await?.is_empty();
    if holds && !form.as_question {
        let (handoff, lease) = ask.held_or_done(form.handoff_id.as_deref(), None, "escalate").await?;
        let Some(lease) = lease else { return Ok(view(&handoff)) };
        let command = Command::Escalate { handoff: handoff.id, lease, assessment: form.reason };
        return Ok(view(&hold_and(&ask, &handoff, command, "escalate").await?));
    }
    let session = ask.session(form.session_id.as_deref(), &form.reason).await?;
    let mut request = Request::new(Kind::Escalation, me, form.reason.clone());
    request.audit.decision_rationale = form.reason;
    request.return_protocol.timeout_ms = Some(HUMAN_ACCEPT_MS.max(RUNG_MS));
    request.idempotency_key = Some(ask.part("escalate"));
    request.context.traceparent.clone_from(&ask.traceparent);
    let answer = ask.engine.initiate(&session.id, request).await?;
    Ok(view(&ask.engine.handoff(begun(answer)?).await?))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Approving {
    /// What you want to do, exactly. Left out only together with `handoff_id`.
    #[serde(default)]
    action: Option<String>,
    /// Why.
    #[serde(default)]
    reason: Option<String>,
    /// How much harm it can do.
    #[serde(default)]
    risk: Option<RiskWord>,
    /// Anything that helps to decide: a command, a diff, a plan.
    #[serde(default)]
    details: Option<Map<String, Value>>,
    /// An approval that you asked for before: tells what was decided.
    #[serde(default)]
    handoff_id: Option<String>,
    /// How long to wait for the decision, in seconds, at most 600.
    #[serde(default)]
    wait_seconds: Option<u64>,
    /// The session that it belongs to. Left out, it has one of its own.
    #[serde(default)]
    session_id: Option<String>,
}

/// What was decided.
#[derive(Debug, Serialize, JsonSchema)]
struct Decided {
    /// approved, denied, expired or pending. Act only on approved.
    decision: String,
    /// What was asked for.
    action: String,
    /// Who decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    /// What they said to it.
    #[serde(skip_serializing_if = "String::is_empty")]
    comment: String,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// The id to ask again with.
    handoff_id: String,
    /// The session.
    session_id: String,
}

impl Told for Decided {
    fn text(&self) -> String {
        let by = self.by.as_deref().unwrap_or("somebody");
        let said = match self.decision.as_str() {
            "approved" => format!("Approved by {by}."),
            "pending" => format!(
                "Nobody has decided yet. Do not do it. Call `request_approval` with `handoff_id` {id} later; a person decides \
                 with `handover approve {id}` or `handover reject {id}`.",
                id = self.handoff_id
            ),
            other => format!("Not approved ({other}). Do not do it; tell the user."),
        };
        let mut lines = vec![said, format!("What was asked for:\n{}", quoted(&self.action))];
        if !self.comment.is_empty() {
            lines.push(format!("Said to it:\n{}", quoted(&self.comment)));
        }
        lines.join("\n")
    }
}

async fn request_approval(ask: Ask, form: Approving) -> Result<Given<Decided>, HandoffError> {
    let wait = part(form.wait_seconds, 0)?;
    let handoff = match (&form.handoff_id, &form.action) {
        (Some(id), _) => ask.engine.handoff(handoff_id(id)?).await?,
        (None, Some(action)) => asked(&ask, &form, action).await?,
        (None, None) => {
            return Err(Refusal::new(Code::MissingField, "what do you want to do?").at("action").into());
        }
    };
    let waits = wait > 0 && handoff.status() == Status::AwaitingApproval;
    let handoff = if waits {
        ask.engine.returned_until(handoff.id, pause(wait)).await?;
        ask.engine.handoff(handoff.id).await?
    } else {
        handoff
    };
    let told = decided(&ask, &handoff).await?;
    let pending = told.decision == "pending";
    let question = if pending { elicit::question(&ask, &handoff).await } else { None };
    Ok(Given { told, again: waits && pending, question })
}

async fn asked(ask: &Ask, form: &Approving, action: &str) -> Result<Handoff, HandoffError> {
    let me = ask.me().await?;
    approvals::attend(&ask.engine).await?;
    let session = match form.session_id.as_deref() {
        Some(_) => ask.session(form.session_id.as_deref(), action).await?,
        // A session of its own: asking is no part of the work, and is counted by none of its guards.
        None => ask.aside(action).await?,
    };
    let mut request = Request::new(Kind::Delegation, me, action);
    request.to_agent = Some(AgentId::new(approvals::APPROVALS)?);
    request.task.kind = approvals::TASK.into();
    request.task.payload = json!({
        "action": action,
        "risk": form.risk.unwrap_or_default(),
        "details": form.details.clone().unwrap_or_default(),
    });
    request.reason = form.reason.clone().unwrap_or_else(|| action.to_owned());
    request.needs_approval = true;
    request.return_protocol.timeout_ms = Some(HUMAN_ACCEPT_MS);
    request.idempotency_key = Some(ask.part("approval"));
    request.context.traceparent.clone_from(&ask.traceparent);
    let answer = ask.engine.initiate(&session.id, request).await?;
    ask.engine.handoff(begun(answer)?).await
}

async fn decided(ask: &Ask, handoff: &Handoff) -> Result<Decided, HandoffError> {
    let mut told = Decided {
        decision: "pending".into(),
        action: handoff.request.task.description.clone(),
        by: None,
        comment: String::new(),
        expires_at: None,
        handoff_id: handoff.id.to_string(),
        session_id: handoff.session_id.to_string(),
    };
    if let Phase::AwaitingApproval { until } = handoff.phase {
        told.expires_at = Some(time(until));
        return Ok(told);
    }
    told.decision = "expired".into();
    for record in ask.engine.trace(handoff.id).await? {
        match record.event {
            Event::Approved { by, comment, .. } => {
                (told.decision, told.by, told.comment) = ("approved".into(), Some(by), comment);
            }
            Event::Denied { by, comment, .. } => {
                (told.decision, told.by, told.comment) = ("denied".into(), Some(by), comment);
            }
            _ => {}
        }
    }
    Ok(told)
}
