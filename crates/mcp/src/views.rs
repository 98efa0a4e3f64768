//! What tools tell: data for programs, and the same in words that a model reads well.

use handover_core::{
    handoff::{Handoff, Kind, Phase, Return, Status},
    message::{Message, NewMessage},
    time::Timestamp,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Something that can be told in words.
pub(crate) trait Told {
    /// In words.
    fn text(&self) -> String;
}

/// A result that came back.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ResultView {
    /// How it ended: success, partial, failed or timeout.
    pub(crate) status: String,
    /// Who did the work, or last had it.
    pub(crate) from_agent: String,
    /// The result: words or data.
    pub(crate) body: Value,
    /// What was added: the reason of a failure, notes.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) notes: String,
}

/// A question that was asked in the course of the work.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct QuestionView {
    /// What was asked.
    pub(crate) question: String,
    /// What was answered; left out as long as nobody did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<String>,
    /// Who answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answered_by: Option<String>,
}

/// A handoff as it stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct HandoffView {
    /// Its id.
    pub(crate) handoff_id: String,
    /// The session that it belongs to.
    pub(crate) session_id: String,
    /// How the work moves: sequential, delegation, broadcast or escalation.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Where it stands: awaiting_approval, offered, deferred, running, completed, failed, timed_out, escalated or cancelled.
    pub(crate) status: String,
    /// Who handed over.
    pub(crate) from_agent: String,
    /// Who has it, or is asked to take it.
    pub(crate) to_agent: String,
    /// What is to be done.
    pub(crate) task: String,
    /// Why it was handed over.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) reason: String,
    /// How urgent it is: urgent, high, normal or low.
    pub(crate) priority: String,
    /// When it was initiated.
    pub(crate) opened_at: String,
    /// When something must happen: an offer runs out, a lease ends, a deadline passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) due_at: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) closed_at: Option<String>,
    /// Who is asked to approve it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) approver: Option<String>,
    /// Questions of whoever works on it, and their answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) questions: Vec<QuestionView>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<ResultView>,
    /// What did not fit but was let pass.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
}

fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

/// A point in time as it is told.
pub(crate) fn time(at: Timestamp) -> String {
    at.to_string()
}

impl HandoffView {
    pub(crate) fn of(handoff: &Handoff) -> Self {
        let asked = matches!(handoff.phase, Phase::AwaitingApproval { .. });
        Self {
            handoff_id: handoff.id.to_string(),
            session_id: handoff.session_id.to_string(),
            kind: word(&handoff.request.kind),
            status: handoff.status().word().to_owned(),
            from_agent: handoff.request.from_agent.to_string(),
            to_agent: handoff.to_agent.to_string(),
            task: handoff.request.task.description.clone(),
            reason: handoff.request.reason.clone(),
            priority: word(&handoff.request.task.priority),
            opened_at: time(handoff.opened_at),
            due_at: handoff.due().map(time),
            closed_at: handoff.closed_at.map(time),
            approver: handoff.approval.as_ref().filter(|_| asked).and_then(|approval| approval.approver.clone()),
            questions: Vec::new(),
            result: handoff.result.as_deref().map(ResultView::of),
            warnings: handoff.warnings.clone(),
        }
    }

    /// One line of a list.
    pub(crate) fn line(&self) -> String {
        let Self { handoff_id, status, from_agent, to_agent, .. } = self;
        format!("- {handoff_id} [{status}, {}] {from_agent} -> {to_agent}: {}", self.priority, brief(&self.task))
    }
}

impl ResultView {
    pub(crate) fn of(result: &Return) -> Self {
        Self {
            status: word(&result.status),
            from_agent: result.from_agent.to_string(),
            body: result.result.body.clone(),
            notes: result.notes.clone(),
        }
    }
}

impl Told for ResultView {
    fn text(&self) -> String {
        let body = match &self.body {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => format!("{other:#}"),
        };
        let mut lines = vec![format!("Result ({}) from {}:", self.status, self.from_agent)];
        lines.extend([body, self.notes.clone()].into_iter().filter(|text| !text.is_empty()).map(|text| quoted(&text)));
        lines.join("\n")
    }
}

impl Told for HandoffView {
    fn text(&self) -> String {
        let mut lines = vec![format!("Handoff {} is {}.", self.handoff_id, self.status)];
        lines.push(format!("From {} to {} ({}, {}).", self.from_agent, self.to_agent, self.kind, self.priority));
        lines.push(format!("Session: {}", self.session_id));
        lines.push(format!("Task: {}", brief(&self.task)));
        if let Some(due) = &self.due_at {
            lines.push(format!("Something must happen until {due}."));
        }
        for asked in &self.questions {
            lines.push(format!("Question:\n{}", quoted(&asked.question)));
            match (&asked.answer, &asked.answered_by) {
                (Some(answer), by) => {
                    lines.push(format!("Answer of {}:\n{}", by.as_deref().unwrap_or("somebody"), quoted(answer)));
                }
                (None, _) => lines.push("Nobody has answered it yet: `answer_question` does.".to_owned()),
            }
        }
        lines.extend(self.warnings.iter().map(|warning| format!("Warning:\n{}", quoted(warning))));
        lines.extend(self.result.as_ref().map(Told::text));
        lines.join("\n")
    }
}

/// A message of a conversation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct MessageView {
    /// Its number in the session.
    pub(crate) n: u64,
    /// Who speaks: system, user, assistant or tool.
    pub(crate) role: String,
    /// The agent that speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// What is said.
    pub(crate) content: String,
    /// When.
    pub(crate) at: String,
}

impl MessageView {
    pub(crate) fn of(message: &Message) -> Self {
        Self::said(message.n, message.at, &message.said)
    }

    pub(crate) fn said(n: u64, at: Timestamp, said: &NewMessage) -> Self {
        let calls = said.tool_calls.iter().map(|call| format!("(calls {} with {})", call.name, call.arguments));
        let parts = [said.content.clone()].into_iter().filter(|text| !text.is_empty()).chain(calls);
        Self {
            n,
            role: word(&said.role),
            agent: said.agent.as_ref().map(ToString::to_string),
            content: parts.collect::<Vec<_>>().join("\n"),
            at: time(at),
        }
    }
}

impl Told for MessageView {
    fn text(&self) -> String {
        let who = self.agent.as_deref().unwrap_or(&self.role);
        format!("#{} {who}:\n{}", self.n, quoted(&self.content))
    }
}

/// Words of others stand behind a mark: they are information, and nothing that this text says.
pub(crate) fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

/// The beginning of a text, on one line.
pub(crate) fn brief(text: &str) -> String {
    handover_core::guidance::in_short(text)
}

/// Whether a handoff moves the session for good.
pub(crate) fn moves(handoff: &Handoff) -> bool {
    handoff.request.kind == Kind::Sequential
}

/// Whether it is over, or on its way for good: nothing more is to be waited for.
pub(crate) fn settled(handoff: &Handoff) -> bool {
    match handoff.status() {
        Status::AwaitingApproval | Status::Offered | Status::Deferred => false,
        Status::Running => moves(handoff),
        Status::Completed | Status::Failed | Status::TimedOut | Status::Escalated | Status::Cancelled => true,
    }
}
