//! What is searched for: read from the address, so that it can be shared, and shown as a form.

use crate::{ask::Ask, fields::Fields, parts, wrong::Wrong};
use handover_core::{
    ids::{HandoffId, SessionId},
    refusal::{Code, HandoffError, Refusal},
    time::Timestamp,
};
use handover_engine::RecordQuery;
use maud::{Markup, html};

/// Every event type, in the order in which things happen.
pub(super) const TYPES: [&str; 55] = [
    "session_opened",
    "session_ended",
    "session_reopened",
    "limits_changed",
    "messages_appended",
    "initiated",
    "approval_requested",
    "amended",
    "approved",
    "denied",
    "offered",
    "accepted",
    "rejected",
    "deferred",
    "asked",
    "answered",
    "rerouted",
    "heartbeat",
    "step_recorded",
    "reminded",
    "retried",
    "lease_lost",
    "extended",
    "held_up",
    "deadline_moved",
    "completed",
    "failed",
    "timeout",
    "escalated",
    "cancelled",
    "return_taken",
    "human_asked",
    "fell_back",
    "group_opened",
    "group_moved",
    "group_decided",
    "state_changed",
    "state_moved",
    "workflow_moved",
    "segment_completed",
    "variables_set",
    "artifact_kept",
    "artifact_marked",
    "decision_made",
    "locked",
    "unlocked",
    "used",
    "model_asked",
    "agent_registered",
    "agent_standing",
    "agent_removed",
    "breaker_moved",
    "access_denied",
    "sealed",
    "pruned",
];

/// Times that are one click away: as they are written, and in words.
const SHORT: [(&str, &str); 3] = [("1h", "last hour"), ("24h", "last day"), ("7d", "last week")];

/// The fields that say what is searched for; the others say where the page is.
const FIELDS: [&str; 9] = ["session", "handoff", "task", "from", "to", "type", "since", "until", "book"];

/// A search as the address says it.
pub(super) struct Search {
    pub(super) query: RecordQuery,
    /// Whether it is about the book of the house.
    pub(super) house: bool,
    fields: Fields,
}

impl Search {
    pub(super) async fn read(ask: &Ask) -> Result<Self, Wrong> {
        let fields = ask.query.clone();
        let text = |name: &str| fields.some(name).map(str::to_owned);
        let handoff = match fields.some("handoff") {
            Some(beginning) => Some(handoff(ask, beginning).await?),
            None => None,
        };
        let query = RecordQuery {
            session: fields.some("session").map(session).transpose()?,
            handoff,
            task: text("task"),
            from: fields.some("from").map(|_| fields.agent("from")).transpose()?,
            to: fields.some("to").map(|_| fields.agent("to")).transpose()?,
            event_type: text("type"),
            since: time(&fields, "since", ask.now)?,
            until: time(&fields, "until", ask.now)?,
            after: fields.number("after").unwrap_or(0),
            before: fields.number("before").unwrap_or(0),
            ..RecordQuery::default()
        };
        Ok(Self { query, house: fields.get("book") == "house", fields })
    }

    /// Whether everything is looked for.
    pub(super) fn is_empty(&self) -> bool {
        FIELDS.iter().all(|name| *name == "book" || self.fields.get(name).is_empty())
    }

    /// The address of this search at another place.
    pub(super) fn link(&self, name: &str, place: &str) -> String {
        let mut out = Vec::new();
        for field in FIELDS {
            if let Some(value) = self.fields.some(field) {
                out.push(format!("{field}={}", parts::encoded(value)));
            }
        }
        if !place.is_empty() {
            out.push(format!("{name}={place}"));
        }
        if out.is_empty() { String::new() } else { format!("?{}", out.join("&")) }
    }

    /// The address of this search with another time.
    fn since(&self, short: &str) -> String {
        let mut out = vec![format!("since={short}")];
        for field in FIELDS.into_iter().filter(|name| !["since", "until"].contains(name)) {
            out.extend(self.fields.some(field).map(|value| format!("{field}={}", parts::encoded(value))));
        }
        format!("/audit?{}", out.join("&"))
    }
}

fn session(text: &str) -> Result<SessionId, HandoffError> {
    SessionId::new(text).map_err(|_| Refusal::new(Code::WrongType, "this is no id of a session").at("session").into())
}

/// The one handoff whose id begins so.
async fn handoff(ask: &Ask, beginning: &str) -> Result<HandoffId, HandoffError> {
    let refusal = |code, words: String| HandoffError::from(Refusal::new(code, words).at("handoff"));
    let Some((first, last)) = HandoffId::between(&beginning.to_ascii_lowercase()) else {
        return Err(refusal(Code::WrongType, "this is no id of a handoff, nor the beginning of one".to_owned()));
    };
    match *ask.engine.handoffs_between(first, last, 2).await? {
        [one] => Ok(one),
        // The trail of one that never was is empty, and so is that of one which exists for others.
        [] => Ok(first),
        _ => Err(refusal(Code::WrongType, format!("more than one handoff begins with {beginning}: write more of it"))),
    }
}

/// A time as a browser or a person writes it: `2026-03-01T08:00` (UTC), `2026-03-01`, the whole of it, or `24h` ago.
fn time(fields: &Fields, name: &str, now: Timestamp) -> Result<Option<Timestamp>, HandoffError> {
    let Some(text) = fields.some(name) else { return Ok(None) };
    let ways = [text.to_owned(), format!("{text}:00Z"), format!("{text}Z"), format!("{text}T00:00:00Z")];
    let exact = ways.iter().find_map(|text| text.parse::<Timestamp>().ok());
    let found = exact.or_else(|| ago(text).map(|ms| Timestamp(now.0.saturating_sub(ms).max(0))));
    let refusal = || {
        let refusal = Refusal::new(Code::WrongType, format!("\"{text}\" is no time")).at(name);
        HandoffError::from(refusal.hint("write it as 2026-03-01T08:00 (UTC), 2026-03-01, or as 30m, 24h, 7d ago"))
    };
    found.map(Some).ok_or_else(refusal)
}

/// `30m`, `24h`, `7d`, in milliseconds.
fn ago(text: &str) -> Option<i64> {
    let (count, unit) = text.split_at(text.len().checked_sub(1).filter(|at| text.is_char_boundary(*at))?);
    let unit = match unit {
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    count.parse::<i64>().ok().filter(|count| *count >= 0)?.checked_mul(unit)
}

/// As a browser's field for times has it.
fn local(time: Option<Timestamp>) -> String {
    time.map(|time| time.to_string().chars().take(16).collect()).unwrap_or_default()
}

pub(super) fn form(ask: &Ask, search: &Search) -> Markup {
    let text = |id: &str, label: &str, list: Option<&str>| {
        html! {
            div {
                label for=(id) { (label) }
                input id=(id) name=(id) value=(search.fields.get(id)) list=[list] autocomplete="off";
            }
        }
    };
    let moment = |id: &str, label: &str, value: Option<Timestamp>| {
        html! {
            div {
                label for=(id) { (label) }
                input id=(id) name=(id) type="datetime-local" value=(local(value));
            }
        }
    };
    html! {
        form.card.search method="get" action="/audit" role="search" {
            @if search.house { (parts::hidden("book", "house")) }
            div.fields {
                @if !search.house {
                    (text("session", "Session", None))
                    (text("handoff", "Handoff", None))
                    (text("from", "From agent", Some("agents")))
                    (text("to", "To agent", Some("agents")))
                    (text("task", "Task id", None))
                }
                div {
                    label for="type" { "What happened" }
                    select id="type" name="type" {
                        option value="" { "anything" }
                        @for word in TYPES {
                            option value=(word) selected[search.fields.get("type") == word] { (word.replace('_', " ")) }
                        }
                    }
                }
                (moment("since", "Since (UTC)", search.query.since))
                (moment("until", "Until (UTC)", search.query.until))
            }
            div.buttons {
                button.main type="submit" { "Search" }
                span.shortcuts { @for (short, words) in SHORT { a href=(search.since(short)) { (words) } } }
                @if !search.is_empty() { a href=(if search.house { "/audit?book=house" } else { "/audit" }) { "Clear" } }
            }
        }
        (parts::agent_list(&ask.engine))
    }
}
