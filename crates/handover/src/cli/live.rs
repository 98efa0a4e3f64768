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
    event::{Event, StateChange},
    handoff::{Handoff, Phase, Request, ReturnStatus},
    ids::SessionId,
    session::Session,
    workflow::End,
};
use handover_engine::BusMessage;
use std::collections::BTreeSet;
use unicode_width::UnicodeWidthStr;

/// Colours of sessions, in turn.
const COLOURS: [Style; 4] = [Style::Cyan, Style::Yellow, Style::Blue, Style::Green];

/// What a run shows.
pub(crate) struct Live {
    names: Vec<SessionId>,
    /// Sessions whose end is still to be told.
    open: BTreeSet<SessionId>,
    width: usize,
    quiet: bool,
}

impl Live {
    pub(crate) fn new(names: &[SessionId], quiet: bool) -> Self {
        let width = names.iter().map(|name| name.as_str().width()).max().unwrap_or(0);
        Self { names: names.to_vec(), open: names.iter().cloned().collect(), width, quiet }
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

    pub(crate) async fn show(&mut self, message: &BusMessage, out: &mut Out) -> Result<(), Stop> {
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
        let Some((sign, style, what, detail)) = words(message) else { return Ok(()) };
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

type Said = (&'static str, Style, String, String);

/// What is told of an event, if anything.
fn words(message: &BusMessage) -> Option<Said> {
    let between = || {
        let (from, to) = (message.source_agent.as_ref()?, message.target_agent.as_ref()?);
        Some(format!("{from} → {to}"))
    };
    match &message.payload {
        Event::Initiated { request, handoff, .. } => Some(handed_over(request, handoff)),
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
        Event::Rerouted { from, to, .. } => {
            Some(("↷", Style::Yellow, format!("{from} → {to}"), "somebody else takes it".into()))
        }
        Event::LeaseLost { .. } => Some(("↻", Style::Yellow, between()?, "goes on after a break".into())),
        Event::GroupDecided { winners, members, .. } => {
            Some(("✓", Style::Green, format!("{} of {} have answered", winners.len(), members.len()), String::new()))
        }
        _ => None,
    }
}

fn handed_over(request: &Request, handoff: &Handoff) -> Said {
    let path = format!("{} → {}", request.from_agent, handoff.to_agent);
    let rule = request.rule.as_ref().map(|rule| format!("rule {rule}: ")).unwrap_or_default();
    let wait = match &handoff.phase {
        Phase::Deferred { until } => format!(" (in {})", times::length(until.since(handoff.opened_at))),
        Phase::AwaitingApproval { .. } | Phase::Offered { .. } | Phase::Running { .. } | Phase::Closed { .. } => {
            String::new()
        }
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
