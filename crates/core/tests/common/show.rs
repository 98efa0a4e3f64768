//! How events and refusals read: one line each, with the names of the story instead of ids.

use super::{Outcome, Play, START};
use handover_core::{
    event::{Event, Extension, LockTaken},
    handoff::{Handoff, Priority},
    time::Timestamp,
};
use uuid::Uuid;

/// Seconds since the story began.
pub fn at(time: Timestamp) -> String {
    let ms = time.0 - START.0;
    if ms % 1_000 == 0 { format!("{}s", ms / 1_000) } else { format!("{ms}ms") }
}

/// The word of an enum as it is written in JSON.
fn word(value: &impl serde::Serialize) -> String {
    let json = serde_json::to_string(value).unwrap_or_default();
    json.replace(['"', '{', '}'], "")
}

fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(" ")
}

impl Play {
    /// The lines of one outcome.
    pub fn tell(&self, outcome: &Outcome) -> Vec<String> {
        match outcome {
            Outcome::Scenery => Vec::new(),
            Outcome::Refused(error) => {
                let all: Vec<String> = error.refusals.iter().map(|r| self.pretty(&r.to_string())).collect();
                vec![format!("refused {}", all.join("\n        "))]
            }
            Outcome::Decided(decided) => {
                let mut lines: Vec<String> = decided
                    .written
                    .iter()
                    .map(|w| format!("{} {} {}", w.record.seq, w.record.event_type, self.event(&w.record.event)))
                    .map(|line| self.pretty(line.trim_end()))
                    .collect();
                lines.extend(
                    decided.standings.iter().map(|(agent, standing, _)| format!("! {agent} {}", word(standing))),
                );
                lines.extend(decided.answer.warnings.iter().map(|warning| format!("! {warning}")));
                if lines.is_empty() {
                    lines.push("nothing".into());
                }
                lines
            }
        }
    }

    /// The name of the story for an id.
    pub fn named(&self, id: Uuid) -> String {
        self.names.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }

    fn pretty(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (id, label) in &self.names {
            text = text.replace(&id.to_string(), label);
        }
        text
    }

    fn event(&self, event: &Event) -> String {
        match event {
            Event::Initiated { handoff, routing, request, by_hand } => {
                let candidates = routing.iter().flat_map(|routed| &routed.candidates);
                let among: Vec<String> = candidates
                    .map(|c| {
                        if c.excluded.is_empty() {
                            c.agent.to_string()
                        } else {
                            format!("{} ({})", c.agent, c.excluded)
                        }
                    })
                    .collect();
                let among = if among.is_empty() { String::new() } else { format!(" among {}", among.join(", ")) };
                let again = by_hand.as_ref().zip(request.retry_of);
                let again = again.map(|(hand, of)| format!(" again after {of} by {}", hand.by)).unwrap_or_default();
                format!(
                    "{} {}{among}{again}",
                    handoff.id,
                    initiated(handoff, &request.from_agent.to_string(), &word(&request.kind))
                )
            }
            Event::Closed { id, status: _, result, returned_to, successor, released, used: _ } => {
                let mut line = format!("{id} {}", word(&result.status));
                if let Some(to) = returned_to {
                    line += &format!(" returned to {to}");
                }
                if let Some(successor) = successor {
                    line += &format!(" goes on as {successor}");
                }
                if !released.is_empty() {
                    line += &format!(" releases {}", list(released));
                }
                if !result.notes.is_empty() {
                    line += &format!(": {}", result.notes);
                }
                line
            }
            Event::GroupDecided { group, returned_to, status, winners, .. } => {
                let to = returned_to.as_ref().map(|to| format!(" returned to {to}")).unwrap_or_default();
                format!("{group} {}{to} by {}", word(status), list(winners)).trim_end_matches(" by ").to_owned()
            }
            Event::GroupOpened { group, aggregation, members, .. } => {
                format!("{group} {} of {}", word(aggregation), list(members))
            }
            Event::HumanAsked { id, human, .. } => format!("{id} {human}"),
            Event::GroupMoved { group, members } => format!("{group} of {}", list(members)),
            _ => self.step_of_one(event),
        }
    }

    fn step_of_one(&self, event: &Event) -> String {
        match event {
            Event::Approved { id, by, until, comment, .. } if !comment.is_empty() => {
                format!("{id} by {by} until {}: {comment}", at(*until))
            }
            Event::Approved { id, by, until, .. } => format!("{id} by {by} until {}", at(*until)),
            Event::Denied { id, by, .. } => format!("{id} by {by}"),
            Event::Amended { id, by, to, .. } => format!("{id} by {by}, to {to}"),
            Event::ApprovalRequested { id, until, approval, .. } => {
                let mut line = format!("{id} until {}", at(*until));
                if !approval.rule.is_empty() {
                    let who = approval.approver.as_deref().unwrap_or("anybody");
                    line += &format!(", {} asks {who}", approval.rule);
                }
                if !approval.asked.is_empty() {
                    line += &format!(" after {}", approval.asked.join(" "));
                }
                line
            }
            Event::Offered { id, until, .. } => format!("{id} until {}", at(*until)),
            Event::Accepted { id, by, lease, lease_until, deadline, .. } => {
                format!("{id} {by} {lease} until {} deadline {}", at(*lease_until), at(*deadline))
            }
            Event::Rejected { id, by, reason } => format!("{id} {by}: {reason}"),
            Event::Deferred { id, by, until, .. } => format!("{id} {by} until {}", at(*until)),
            Event::Asked(asking) => format!("{} until {}: {}", asking.id, at(asking.until), asking.question),
            Event::Answered(answering) => format!("{} by {}: {}", answering.id, answering.by, answering.text),
            Event::Rerouted { id, from, to, why, to_human, until, by_hand, .. } => {
                let human = if *to_human { " (human)" } else { "" };
                let hand = by_hand.as_ref().map(|hand| format!(" of {}: {}", hand.by, hand.reason)).unwrap_or_default();
                format!("{id} {from}->{to}{human} until {}: {}{hand}", at(*until), word(why))
            }
            Event::Heartbeat { id, lease_until } => format!("{id} until {}", at(*lease_until)),
            Event::StepRecorded { id, name, .. } => format!("{id} {name}"),
            Event::Reminded { id, grace_until } => format!("{id} until {}", at(*grace_until)),
            Event::Retried { id, attempt, until, .. } => format!("{id} attempt {attempt} at {}", at(*until)),
            Event::LeaseLost { id, lease, until, .. } => format!("{id} {lease} until {}", at(*until)),
            Event::DeadlineMoved(moved) => format!("{} to {}", moved.id, at(moved.until)),
            Event::Extended(Extension { id, until, why }) | Event::HeldUp(Extension { id, until, why }) => {
                format!("{id} until {}: {why}", at(*until))
            }
            Event::ReturnTaken { of, by } => format!("{of} by {by}"),
            _ => self.around(event),
        }
    }

    fn around(&self, event: &Event) -> String {
        match event {
            Event::SessionOpened { active_agent, .. } => active_agent.to_string(),
            Event::SessionReopened(hand) => format!("by {}: {}", hand.by, hand.reason),
            Event::SessionEnded { by, reason } => format!("by {by}: {reason}"),
            Event::MessagesAppended { count, mark } => format!("{count}, now {}", mark.messages),
            Event::VariablesSet { by, set } => {
                let set = set.iter().map(|(name, (value, version))| format!("{name}={value}@{version}"));
                format!("by {by} {}", list(set))
            }
            Event::ArtifactKept { artifact } => {
                format!("{} {} by {} {}", artifact.id, artifact.path, artifact.created_by, word(&artifact.status))
            }
            Event::ArtifactMarked { by, id, status } => format!("{id} by {by} {}", word(status)),
            Event::DecisionMade { decision } => {
                let up = decision.escalated_to.map(|id| format!(" left to {id}")).unwrap_or_default();
                format!("by {} at {}{up}: {}", decision.made_by, word(&decision.risk_level), decision.description)
            }
            Event::Locked(LockTaken { path, by, lock_type, until, handoff_id }) => {
                let with = handoff_id.map(|id| format!(" with {id}")).unwrap_or_default();
                format!("{path} by {by} {} until {}{with}", word(lock_type), at(*until))
            }
            Event::Unlocked { path, by } => format!("{path} by {by}"),
            Event::WorkflowMoved { state } => format!("to {state}"),
            Event::StateMoved { id, from, to } => format!("{id} {from}->{to}"),
            Event::StateChanged(change) => {
                let mut line = format!("{}->{}", change.from, change.to);
                if !change.signal.is_empty() {
                    line += &format!(" on {}", change.signal);
                }
                if let Some(rule) = &change.rule {
                    line += &format!(" by rule {rule}");
                }
                if let Some((agent, step)) = change.agent.as_ref().zip(change.step) {
                    line += &format!(": {step} for {agent}");
                }
                if let Some(ended) = change.ended {
                    line += &format!(", {}", word(&ended));
                }
                if change.trouble.is_empty() { line } else { format!("{line}: {}", change.trouble) }
            }
            Event::SegmentCompleted { by } => format!("by {by}"),
            Event::Used { by, metrics } | Event::ModelAsked { by, metrics } => {
                format!("by {by} {} tokens", metrics.tokens)
            }
            _ => String::new(),
        }
    }
}

fn initiated(handoff: &Handoff, from: &str, kind: &str) -> String {
    let mut line = format!("{from}->{} {kind}", handoff.to_agent);
    if let Some(due) = handoff.due() {
        line += &format!(" {} until {}", handoff.status().word(), at(due));
    }
    let priority = handoff.request.task.priority;
    if priority != Priority::Normal {
        line += &format!(" {}", word(&priority));
    }
    if let Some(climb) = &handoff.climb {
        line += &format!(" level {} back to {}", climb.depth, climb.back_to);
        let said: Vec<String> = climb.assessments.iter().map(|a| format!("{}: {}", a.by, a.text)).collect();
        if !said.is_empty() {
            line += &format!(" after [{}]", said.join("; "));
        }
    }
    if handoff.path.len() > 2 {
        let path: Vec<String> = handoff.path.iter().map(ToString::to_string).collect();
        line += &format!(" path {}", path.join(">"));
    }
    line
}
