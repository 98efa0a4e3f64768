//! The live view of a run: one line for each thing that people care about, in the order in which it is on disk.

use super::{
    exit::Stop,
    ids,
    out::Out,
    paint::{Style, tame},
    run::resumed,
    table::cut,
    times,
};
use handover_core::{
    event::{Event, Extension, StateChange},
    handoff::{Handoff, Phase, Request, ReturnStatus},
    ids::{HandoffId, SessionId},
    session::Session,
    workflow::End,
};
use handover_engine::{BusMessage, Engine};
use std::collections::{BTreeMap, BTreeSet};
use unicode_width::UnicodeWidthStr;

/// Colours of sessions, in turn.
const COLOURS: [Style; 4] = [Style::Cyan, Style::Yellow, Style::Blue, Style::Green];

/// What a run shows.
pub(crate) struct Live {
    names: Vec<SessionId>,
    /// Sessions whose end is still to be told.
    open: BTreeSet<SessionId>,
    /// Steps that are held up, each with the reason that was told last.
    held_up: BTreeMap<HandoffId, String>,
    width: usize,
    quiet: bool,
}

impl Live {
    pub(crate) fn new(names: &[SessionId], quiet: bool) -> Self {
        let width = names.iter().map(|name| name.as_str().width()).max().unwrap_or(0);
        Self { names: names.to_vec(), open: names.iter().cloned().collect(), held_up: BTreeMap::new(), width, quiet }
    }

    /// A session is started, or goes on.
    pub(crate) async fn begins(
        &mut self,
        name: &SessionId,
        known: Option<&Session>,
        out: &mut Out,
    ) -> Result<(), Stop> {
        let Some(session) = known else { return Ok(()) };
        if session.ended_at.is_some() {
            self.open.remove(name);
        }
        let line = resumed(session, out);
        if self.quiet || out.look.json { Ok(()) } else { out.line(line).await }
    }

    /// A session was refused: nothing of it will be told.
    pub(crate) fn leave(&mut self, name: &SessionId) {
        self.open.remove(name);
    }

    /// Whether every end was told.
    pub(crate) fn is_told(&self) -> bool {
        self.open.is_empty()
    }

    pub(crate) async fn show(&mut self, message: &BusMessage, engine: &Engine, out: &mut Out) -> Result<(), Stop> {
        let session = &message.context.session_id;
        let Some(number) = self.names.iter().position(|name| name == session) else { return Ok(()) };
        if matches!(message.payload, Event::SessionEnded { .. }) {
            self.open.remove(session);
        }
        if self.quiet {
            return Ok(());
        }
        if out.look.json {
            return out.json_line(message).await;
        }
        if !self.is_news(&message.payload) {
            return Ok(());
        }
        let waits = is_planned(message, engine).await;
        let Some((sign, style, what, detail)) = words(message, waits) else { return Ok(()) };
        let time = times::clock(message.timestamp);
        let name = format!("{:<width$}", session.as_str(), width = self.width);
        let before = time.width() + name.width() + what.width().max(40) + 9;
        let detail = tame(&detail);
        let detail = out.look.width.map_or(detail.clone(), |width| cut(&detail, width.saturating_sub(before).max(12)));
        let line = format!(
            "{}  {}  {} {}  {}",
            out.paint(Style::Dim, &time),
            out.paint(COLOURS[number % COLOURS.len()], &name),
            out.paint(style, sign),
            format_args!("{what:<40}"),
            out.paint(Style::Dim, &detail),
        );
        out.line(line).await
    }
}

impl Live {
    /// Whether an event tells anything new: a step that is tried again and again waits for the same reason.
    fn is_news(&mut self, event: &Event) -> bool {
        match event {
            Event::HeldUp(Extension { id, why, .. }) => {
                self.held_up.insert(*id, why.clone()).is_none_or(|before| before != *why)
            }
            Event::Offered { id, .. } | Event::Closed { id, .. } => {
                self.held_up.remove(id);
                true
            }
            _ => true,
        }
    }
}

type Said = (&'static str, Style, String, String);

/// Whether a step begins later because its rule says so. One whose agent can take nothing now begins nobody knows when.
async fn is_planned(message: &BusMessage, engine: &Engine) -> bool {
    let Event::Initiated { handoff, .. } = &message.payload else { return false };
    let is_deferred = matches!(handoff.phase, Phase::Deferred { .. });
    is_deferred && engine.handoff(handoff.id).await.is_ok_and(|handoff| handoff.held_up == 0)
}

/// What is told of an event, if anything.
fn words(message: &BusMessage, waits: bool) -> Option<Said> {
    let between = || {
        let (from, to) = (message.source_agent.as_ref()?, message.target_agent.as_ref()?);
        Some(format!("{from} → {to}"))
    };
    match &message.payload {
        Event::Initiated { request, handoff, .. } => Some(handed_over(request, handoff, waits)),
        Event::Closed { result, .. } => {
            let who = result.from_agent.to_string();
            Some(match result.status {
                ReturnStatus::Success | ReturnStatus::Partial => ("✓", Style::Green, who, result.notes.clone()),
                ReturnStatus::Failed | ReturnStatus::Timeout => ("✗", Style::Red, who, result.notes.clone()),
            })
        }
        Event::StateChanged(change) => state_changed(change),
        Event::StateMoved { from, to, .. } => Some(("·", Style::Dim, format!("{from} ⇒ {to}"), String::new())),
        Event::ApprovalRequested { id, approval, .. } => {
            let who = approval.approver.as_deref().unwrap_or("somebody");
            let how = format!("{who} has to say yes: handover approve {}", ids::short(*id));
            Some(("?", Style::Yellow, between()?, how))
        }
        Event::Approved { by, .. } => Some(("✓", Style::Green, between()?, format!("approved by {by}"))),
        Event::Denied { by, .. } => Some(("✗", Style::Red, between()?, format!("denied by {by}"))),
        Event::SessionReopened(hand) => {
            Some(("↻", Style::Yellow, hand.by.clone(), format!("takes the workflow up again: {}", hand.reason)))
        }
        Event::Rerouted { from, to, by_hand: Some(hand), .. } => {
            Some(("↷", Style::Yellow, format!("{from} → {to}"), format!("{} decided so: {}", hand.by, hand.reason)))
        }
        Event::Rerouted { from, to, .. } => {
            Some(("↷", Style::Yellow, format!("{from} → {to}"), "somebody else takes it".into()))
        }
        Event::Asked(asking) => {
            let how = format!("asks: {}; handover answer {} TEXT", asking.question, ids::short(asking.id));
            Some(("?", Style::Yellow, between()?, how))
        }
        Event::Answered(answering) => {
            Some(("✓", Style::Green, between()?, format!("{} answered: {}", answering.by, answering.text)))
        }
        Event::HeldUp(Extension { why, .. }) => Some(("⏸", Style::Yellow, between()?, format!("waits: {why}"))),
        Event::LeaseLost { .. } => Some(("↻", Style::Yellow, between()?, "goes on after a break".into())),
        Event::GroupDecided { winners, members, .. } => {
            Some(("✓", Style::Green, format!("{} of {} have answered", winners.len(), members.len()), String::new()))
        }
        _ => None,
    }
}

fn handed_over(request: &Request, handoff: &Handoff, waits: bool) -> Said {
    let path = format!("{} → {}", request.from_agent, handoff.to_agent);
    let rule = request.rule.as_ref().map(|rule| format!("rule {rule}: ")).unwrap_or_default();
    let wait = match &handoff.phase {
        Phase::Deferred { until } if waits => format!(" (in {})", times::length(until.since(handoff.opened_at))),
        _ => String::new(),
    };
    ("→", Style::Bold, path, format!("{rule}{}{wait}", request.reason))
}

fn state_changed(change: &StateChange) -> Option<Said> {
    match change.ended {
        Some(End::Completed) => Some(("■", Style::Green, format!("{} ⇒ {}", change.from, change.to), "done".into())),
        Some(End::Failed) => {
            Some(("■", Style::Red, format!("{} ⇒ {}", change.from, change.to), change.trouble.clone()))
        }
        None if change.from != change.to => {
            Some(("·", Style::Dim, format!("{} ⇒ {}", change.from, change.to), String::new()))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_is_held_up_is_told_when_the_reason_is_new() {
        let mut live = Live::new(&[], false);
        let id: HandoffId = "3f2a0000-0000-0000-0000-000000000000".parse().unwrap();
        let until = handover_core::time::Timestamp(0);
        let held_up = |why: &str| Event::HeldUp(Extension { id, until, why: why.into() });
        let offered = Event::Offered { id, until, probe: false };
        let cases = [
            (held_up("it is draining"), true),
            (held_up("it is draining"), false),
            (held_up("its breaker is open"), true),
            (held_up("its breaker is open"), false),
            (offered, true),
            (held_up("its breaker is open"), true),
        ];
        for (n, (event, told)) in cases.into_iter().enumerate() {
            assert_eq!(live.is_news(&event), told, "{n}");
        }
    }
}
