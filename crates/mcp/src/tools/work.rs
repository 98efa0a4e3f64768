//! Work that an agent holds: kept, asked about, ended.

use super::forms::{ArtifactForm, Ending, Meant};
use crate::{
    ask::{Ask, handoff_id},
    table::{Hints, Tool},
    views::{HandoffView, QuestionView, Told},
};
use handover_core::{
    command::{Command, Giving, Update},
    handoff::{ContentType, Handoff, Outcome, Phase},
    refusal::{Code, HandoffError, Refusal},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "heartbeat",
            "Keep work",
            "Keeps the work that you hold for longer. Any other call does so too; use this one in long work without calls.",
            heartbeat,
        )
        .hints(Hints::SETTLES),
        Tool::new(
            "complete_handoff",
            "Give the result back",
            "Ends the work that you hold and gives the result back to whoever handed it to you. Say `failed` or `partial` \
             honestly, with what is missing in `notes`. Artifacts and variables are kept in the same step.",
            complete,
        ),
        Tool::new(
            "ask_question",
            "Ask about the work",
            "Asks whoever handed you the work, in place of a result, when you cannot go on without an answer. You give the \
             work up until it is answered; then it is in your inbox again, with the answer. Ask one clear question.",
            ask_question,
        ),
        Tool::new(
            "answer_question",
            "Answer a question",
            "Answers the open question of somebody who works on what you handed over. They go on with your answer.",
            answer_question,
        ),
    ]
}

/// A handoff with its questions.
pub(crate) fn view(handoff: &Handoff) -> HandoffView {
    let mut view = HandoffView::of(handoff);
    view.questions = handoff
        .questions
        .iter()
        .map(|asked| QuestionView {
            question: asked.question.clone(),
            answer: asked.answer.as_ref().map(|given| given.text.clone()),
            answered_by: asked.answer.as_ref().map(|given| given.by.clone()),
        })
        .collect();
    view
}

/// Work that is kept.
#[derive(Debug, Serialize, JsonSchema)]
struct Kept {
    /// The handoff.
    handoff_id: String,
    /// When the lease ends unless it is renewed.
    lease_until: String,
    /// When the work must be done.
    deadline: String,
}

impl Told for Kept {
    fn text(&self) -> String {
        let Self { handoff_id, lease_until, deadline } = self;
        format!("You keep handoff {handoff_id} until {lease_until}; it must be done until {deadline}.")
    }
}

async fn heartbeat(ask: Ask, form: Meant) -> Result<Kept, HandoffError> {
    let (handoff, lease) = ask.held(form.handoff_id.as_deref(), form.lease.as_deref()).await?;
    ask.engine.heartbeat(handoff.id, lease).await?;
    let handoff = ask.engine.handoff(handoff.id).await?;
    let Phase::Running { lease_until, deadline, .. } = handoff.phase else {
        return Err(Refusal::new(Code::Closed, format!("handoff {} is over", handoff.id)).into());
    };
    Ok(Kept {
        handoff_id: handoff.id.to_string(),
        lease_until: crate::views::time(lease_until),
        deadline: crate::views::time(deadline),
    })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Completing {
    /// The handoff. May be left out when you hold exactly one.
    #[serde(default)]
    handoff_id: Option<String>,
    /// The lease that you were given. May be left out.
    #[serde(default)]
    lease: Option<String>,
    /// How it ended.
    #[serde(default)]
    status: Ending,
    /// What came out: words, or data.
    #[serde(default)]
    result: Value,
    /// What to add: what is missing, what to look at.
    #[serde(default)]
    notes: String,
    /// What the work produced: references, not contents.
    #[serde(default)]
    artifacts: Vec<ArtifactForm>,
    /// Variables to set in the session.
    #[serde(default)]
    variables: Map<String, Value>,
    /// Tokens that it used, where you know.
    #[serde(default)]
    tokens: u64,
    /// How a step of a workflow ended, in the words of its rules; only where the brief says so.
    #[serde(default)]
    signal: Option<String>,
}

async fn complete(ask: Ask, form: Completing) -> Result<HandoffView, HandoffError> {
    let (id, lease) = (form.handoff_id.as_deref(), form.lease.as_deref());
    let (handoff, lease) = ask.held_or_done(id, lease, "return").await?;
    let Some(lease) = lease else { return Ok(view(&handoff)) };
    let text = form.result.is_string();
    let mut updates = Update {
        context: form.variables,
        artifacts: form.artifacts.into_iter().map(Into::into).collect(),
        ..Update::default()
    };
    updates.metrics.tokens = form.tokens;
    let giving = Giving {
        status: form.status.into(),
        result: Outcome {
            content_type: if text { ContentType::Text } else { ContentType::Json },
            body: form.result,
            score: None,
        },
        updates,
        notes: form.notes,
        signal: form.signal,
    };
    let key = ask.part("return");
    ask.engine.give_back_once(handoff.id, lease, giving, None, Some(&key)).await?;
    Ok(view(&ask.engine.handoff(handoff.id).await?))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Asking {
    /// What you have to know.
    question: String,
    /// The handoff. May be left out when you hold exactly one.
    #[serde(default)]
    handoff_id: Option<String>,
    /// The lease that you were given. May be left out.
    #[serde(default)]
    lease: Option<String>,
}

async fn ask_question(ask: Ask, form: Asking) -> Result<HandoffView, HandoffError> {
    let (id, lease) = (form.handoff_id.as_deref(), form.lease.as_deref());
    let (handoff, lease) = ask.held_or_done(id, lease, "ask").await?;
    let Some(lease) = lease else { return Ok(view(&handoff)) };
    let command = Command::Ask { handoff: handoff.id, lease, question: form.question };
    Ok(view(&hold_and(&ask, &handoff, command, "ask").await?))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Answering {
    /// The handoff whose holder asks.
    handoff_id: String,
    /// What you answer.
    answer: String,
}

async fn answer_question(ask: Ask, form: Answering) -> Result<HandoffView, HandoffError> {
    let (id, me) = (handoff_id(&form.handoff_id)?, ask.me().await?);
    let handoff = ask.engine.handoff(id).await?;
    let command = Command::Answer { handoff: id, by: me.to_string(), text: form.answer };
    Ok(view(&hold_and(&ask, &handoff, command, "answer").await?))
}

/// Ends or passes on work by a command that names its lease, once.
pub(crate) async fn hold_and(
    ask: &Ask,
    handoff: &Handoff,
    command: Command,
    part: &str,
) -> Result<Handoff, HandoffError> {
    ask.submit(&handoff.session_id, command, part).await?;
    ask.engine.handoff(handoff.id).await
}
