//! From a handoff of ours to a task of A2A (pure): states one to one, results as artifacts, what was said as history.

use crate::inward::{self, NOTE};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use handover_core::{
    a2a::{LINEAGE, write_used},
    handoff::{AcceptanceStatus, ContentType, Handoff, Outcome, Phase, ReturnStatus, Status},
    ids::HandoffId,
    limits::A2A_HISTORY_MAX,
    message::{Message, Role},
    session::{Artifact, Session},
    time::Timestamp,
};
use serde_json::{Map, Value, json};

/// The states of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Submitted,
    Working,
    InputRequired,
    Completed,
    Failed,
    Canceled,
    Rejected,
}

impl State {
    pub(crate) const ALL: [Self; 7] = [
        Self::Submitted,
        Self::Working,
        Self::InputRequired,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
        Self::Rejected,
    ];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Submitted => "TASK_STATE_SUBMITTED",
            Self::Working => "TASK_STATE_WORKING",
            Self::InputRequired => "TASK_STATE_INPUT_REQUIRED",
            Self::Completed => "TASK_STATE_COMPLETED",
            Self::Failed => "TASK_STATE_FAILED",
            Self::Canceled => "TASK_STATE_CANCELED",
            Self::Rejected => "TASK_STATE_REJECTED",
        }
    }

    pub(crate) fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled | Self::Rejected)
    }

    /// Whether whoever waits for it need not wait any longer: it is over, or somebody has to say something first.
    pub(crate) fn rests(self) -> bool {
        self.is_terminal() || self == Self::InputRequired
    }

    /// The state of a handoff. One that was escalated is never seen: the one that goes on with it is.
    pub(crate) fn of(handoff: &Handoff) -> Self {
        match &handoff.phase {
            Phase::AwaitingApproval { .. } => Self::InputRequired,
            Phase::Offered { .. } => Self::Submitted,
            Phase::Deferred { .. } if handoff.open_question().is_some() => Self::InputRequired,
            Phase::Deferred { .. } => Self::Submitted,
            Phase::Running { .. } => Self::Working,
            Phase::Closed { status } => Self::ended(handoff, *status),
        }
    }

    fn ended(handoff: &Handoff, status: Status) -> Self {
        let notes = handoff.result.as_ref().map(|result| result.notes.as_str()).unwrap_or_default();
        let said_no = handoff.acceptance.as_ref().is_some_and(|answer| answer.status == AcceptanceStatus::Rejected);
        match status {
            Status::Completed => Self::Completed,
            Status::Failed if said_no => Self::Rejected,
            Status::Failed | Status::TimedOut => Self::Failed,
            Status::Cancelled if handoff.approval.is_some() && notes.starts_with("denied by ") => Self::Rejected,
            Status::Cancelled => Self::Canceled,
            Status::Escalated => Self::Working,
            Status::AwaitingApproval | Status::Offered | Status::Deferred | Status::Running => Self::Submitted,
        }
    }
}

/// A task as it is now: the handoff that was asked for, the one that goes on with it, and the session around them.
pub(crate) struct Seen<'a> {
    pub(crate) first: &'a Handoff,
    pub(crate) latest: &'a Handoff,
    pub(crate) session: &'a Session,
}

impl Seen<'_> {
    pub(crate) fn state(&self) -> State {
        State::of(self.latest)
    }

    /// When it came to be as it is.
    pub(crate) fn since(&self) -> Timestamp {
        since(self.latest)
    }

    /// The status of the task.
    pub(crate) fn status(&self) -> Value {
        status(self.first, self.state(), self.since(), self.words().as_deref())
    }

    /// What is said with the status: what is asked for, or why it ended so.
    fn words(&self) -> Option<String> {
        match self.state() {
            State::InputRequired => Some(wanted(self.latest)),
            State::Completed | State::Failed | State::Canceled | State::Rejected => why(self.latest),
            State::Submitted | State::Working => None,
        }
    }

    /// What came out: the result, and what was kept in the session in the course of it.
    pub(crate) fn artifacts(&self) -> Vec<Value> {
        let result = result(self.latest, &modes(self.first));
        let until = self.latest.closed_at.unwrap_or(Timestamp(i64::MAX));
        let mine = |artifact: &&Artifact| {
            artifact.created_by == self.latest.to_agent
                && artifact.created_at >= self.first.opened_at
                && artifact.created_at <= until
        };
        result.into_iter().chain(self.session.artifacts.values().filter(mine).map(kept)).collect()
    }

    /// The whole task.
    pub(crate) fn task(&self, messages: &[Message], history: Option<usize>, artifacts: bool) -> Value {
        let mut task = Map::from_iter([
            ("id".to_owned(), json!(self.first.id)),
            ("contextId".to_owned(), json!(self.first.session_id)),
            ("status".to_owned(), self.status()),
        ]);
        if artifacts {
            task.insert("artifacts".to_owned(), Value::Array(self.artifacts()));
        }
        let said = history_of(self.first, self.latest, messages, history);
        if !said.is_empty() {
            task.insert("history".to_owned(), Value::Array(said));
        }
        task.insert("metadata".to_owned(), Value::Object(self.metadata()));
        Value::Object(task)
    }

    fn metadata(&self) -> Map<String, Value> {
        let latest = self.latest;
        let said = json!({"agent": latest.to_agent, "status": latest.status().word(), "attempt": latest.attempt});
        let mut metadata = Map::from_iter([(LINEAGE.to_owned(), said)]);
        write_used(&latest.metrics, &mut metadata);
        if latest.result.as_ref().is_some_and(|result| result.status == ReturnStatus::Partial) {
            metadata[LINEAGE]["partial"] = json!(true);
        }
        metadata
    }
}

/// When a handoff came to be as it is.
pub(crate) fn since(handoff: &Handoff) -> Timestamp {
    match &handoff.phase {
        Phase::Offered { since, .. } => *since,
        Phase::Running { .. } => handoff.accepted_at.unwrap_or(handoff.opened_at),
        Phase::Closed { .. } => handoff.closed_at.unwrap_or(handoff.opened_at),
        Phase::Deferred { .. } => {
            let answered = handoff.acceptance.as_ref().map(|answer| answer.acknowledged_at);
            handoff.open_question().map(|asked| asked.asked_at).or(answered).unwrap_or(handoff.opened_at)
        }
        // Whoever is asked has so long from then on.
        Phase::AwaitingApproval { until } => {
            let within = handoff.approval.as_ref().map(|approval| approval.within_ms);
            let asked = within.and_then(|within| until.0.checked_sub_unsigned(within)).map(Timestamp);
            asked.unwrap_or(handoff.opened_at).max(handoff.opened_at)
        }
    }
}

/// A status, with words where there are any. Its message has an id that follows from where it belongs.
pub(crate) fn status(first: &Handoff, state: State, at: Timestamp, words: Option<&str>) -> Value {
    let mut status = json!({"state": state.word(), "timestamp": at});
    if let Some(words) = words {
        status["message"] = by_agent(first, &format!("{}/{}/{}", first.id, state.word().to_lowercase(), at.0), words);
    }
    status
}

fn by_agent(first: &Handoff, id: &str, words: &str) -> Value {
    json!({
        "messageId": id, "role": "ROLE_AGENT", "parts": [{"text": words}],
        "taskId": first.id, "contextId": first.session_id,
    })
}

/// What somebody has to say before it goes on.
pub(crate) fn wanted(handoff: &Handoff) -> String {
    if let Some(asked) = handoff.open_question() {
        return asked.question.clone();
    }
    let who = handoff.approval.as_ref().and_then(|approval| approval.approver.as_deref()).unwrap_or("a person");
    approval_words(who, &handoff.to_agent)
}

pub(crate) fn approval_words(who: &str, to: &handover_core::ids::AgentId) -> String {
    format!(
        "Before {to} is given this task, {who} has to approve it. Answer with a data part \
         {{\"approve\": true or false, \"comment\": \"why\"}}, or with yes or no."
    )
}

fn why(handoff: &Handoff) -> Option<String> {
    let result = handoff.result.as_ref()?;
    Some(result.notes.clone()).filter(|notes| !notes.is_empty())
}

/// The media types that the caller takes, as the request remembers them.
pub(crate) fn modes(first: &Handoff) -> Vec<String> {
    let said = first.request.context.metadata[NOTE]["modes"].as_array();
    said.into_iter().flatten().filter_map(Value::as_str).map(str::to_ascii_lowercase).collect()
}

/// The artifact of the result; nothing where there is none.
pub(crate) fn result(handoff: &Handoff, modes: &[String]) -> Option<Value> {
    let result = handoff.result.as_ref()?;
    let part = part(&result.result, modes)?;
    Some(json!({"artifactId": format!("{}/result", handoff.returns_for), "name": "result", "parts": [part]}))
}

fn part(outcome: &Outcome, modes: &[String]) -> Option<Value> {
    let takes_json = modes.is_empty() || modes.iter().any(|mode| mode.contains("json") || mode.ends_with("/*"));
    match (&outcome.body, outcome.content_type) {
        (Value::Null, _) => None,
        (Value::String(path), ContentType::ArtifactRef) => Some(reference(path)),
        (Value::String(text), _) => Some(json!({"text": text, "mediaType": "text/plain"})),
        (data, _) if takes_json => Some(json!({"data": data, "mediaType": "application/json"})),
        // Whoever takes text alone gets the same data as text.
        (data, _) => Some(json!({"text": data.to_string(), "mediaType": "text/plain"})),
    }
}

/// A reference as a part: an address that others can reach as such, what holds its content as content, and whatever only
/// means something here by its name.
fn reference(path: &str) -> Value {
    if let Some((media, content)) = path.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"))
        && STANDARD.decode(content).is_ok()
    {
        let media = if media.is_empty() { "text/plain" } else { media };
        return json!({"raw": content, "mediaType": media});
    }
    match reqwest::Url::parse(path) {
        Ok(url) if url.has_host() => json!({"url": path}),
        _ => json!({"text": path, "filename": path}),
    }
}

/// The artifact of something that is kept in the session: the reference travels, the content does not.
pub(crate) fn kept(artifact: &Artifact) -> Value {
    json!({
        "artifactId": artifact.id.to_string(), "name": artifact.path, "description": artifact.description,
        "parts": [reference(&artifact.path)],
        "metadata": {LINEAGE: {"type": artifact.kind, "status": artifact.status, "by": artifact.created_by}},
    })
}

/// What was said about a task, the earliest first: the message that made it, questions and answers, and what the user
/// added in the conversation meanwhile.
fn history_of(first: &Handoff, latest: &Handoff, messages: &[Message], most: Option<usize>) -> Vec<Value> {
    let most = most.unwrap_or(A2A_HISTORY_MAX).min(A2A_HISTORY_MAX);
    let note = &first.request.context.metadata[NOTE];
    let id = note["message_id"].as_str().map_or_else(|| format!("{}/asked", first.id), str::to_owned);
    let by_user = |id: &str, parts: Vec<Value>| {
        let (task, context) = (first.id, &first.session_id);
        json!({"messageId": id, "role": "ROLE_USER", "parts": parts, "taskId": task, "contextId": context})
    };
    let mut said = vec![(first.opened_at, by_user(&id, inward::parts_of(&first.request)))];
    for (n, asked) in latest.questions.iter().enumerate() {
        let id = format!("{}/question/{}", first.id, n + 1);
        said.push((asked.asked_at, by_agent(first, &id, &asked.question)));
        if let Some(given) = &asked.answer {
            said.push((given.at, by_user(&format!("{id}/answer"), vec![json!({"text": given.text})])));
        }
    }
    let added = messages.iter().filter(|message| message.said.role == Role::User && !message.said.aside);
    for message in added {
        let id = format!("{}#{}", first.session_id, message.n);
        said.push((message.at, by_user(&id, vec![json!({"text": message.said.content})])));
    }
    said.sort_by_key(|(at, _)| *at);
    let skip = said.len().saturating_sub(most);
    said.into_iter().skip(skip).map(|(_, message)| message).collect()
}

/// The update of a stream or a push that says a status.
pub(crate) fn status_update(task: HandoffId, context: &str, status: &Value) -> Value {
    json!({"statusUpdate": {"taskId": task, "contextId": context, "status": status}})
}

/// The update of a stream or a push that brings an artifact, as a whole.
pub(crate) fn artifact_update(task: HandoffId, context: &str, artifact: &Value) -> Value {
    json!({"artifactUpdate": {
        "taskId": task, "contextId": context, "artifact": artifact, "append": false, "lastChunk": true,
    }})
}
