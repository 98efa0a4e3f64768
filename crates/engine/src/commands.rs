//! What the door asks of a command before it is decided.

use handover_core::{command::Command, handoff::ReturnStatus, session::Session};

/// Whether a command begins something, which nobody would finish while the engine shuts down.
pub(crate) fn begins_work(command: &Command) -> bool {
    match command {
        Command::Open(_) | Command::Initiate(_) | Command::Turn { .. } | Command::Accept { .. } => true,
        Command::Say { .. }
        | Command::Set { .. }
        | Command::Keep { .. }
        | Command::MarkArtifact { .. }
        | Command::Decide { .. }
        | Command::Lock { .. }
        | Command::Unlock { .. }
        | Command::CompleteSegment { .. }
        | Command::End { .. }
        | Command::Approve { .. }
        | Command::Amend { .. }
        | Command::SetLimits { .. }
        | Command::Reconsider { .. }
        | Command::ChargePick { .. }
        | Command::Deny { .. }
        | Command::Reject { .. }
        | Command::Defer { .. }
        | Command::Heartbeat { .. }
        | Command::Record { .. }
        | Command::MoveState { .. }
        | Command::Return { .. }
        | Command::Escalate { .. }
        | Command::Cancel { .. }
        | Command::Take { .. }
        | Command::Tick { .. }
        | Command::Reclaim { .. } => false,
    }
}

/// When a decision waits for others that decide at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alone {
    /// Nothing is set aside and nobody is chosen by it.
    Never,
    /// Something may be set aside by it: where that is limited over all sessions.
    WhereLimited,
    /// Somebody is chosen: whoever chooses next sees that this one had its turn.
    Always,
}

/// When this command waits for others.
pub(crate) fn alone(command: &Command, session: Option<&Session>) -> Alone {
    match command {
        Command::Initiate(request) if request.to_agent.is_none() => Alone::Always,
        Command::Reject { .. } => Alone::Always,
        Command::Accept { .. }
        | Command::Heartbeat { .. }
        | Command::Record { .. }
        | Command::MoveState { .. }
        | Command::Say { .. }
        | Command::Set { .. }
        | Command::Keep { .. }
        | Command::MarkArtifact { .. }
        | Command::Lock { .. }
        | Command::Unlock { .. }
        | Command::CompleteSegment { .. }
        | Command::Take { .. } => Alone::Never,
        Command::Return { giving, then: None, .. } => {
            let well = matches!(giving.status, ReturnStatus::Success | ReturnStatus::Partial);
            // The rules of a workflow go on with what is given back.
            let goes_on = !well || session.is_some_and(|session| session.workflow.is_some());
            if goes_on { Alone::WhereLimited } else { Alone::Never }
        }
        Command::Return { .. }
        | Command::Initiate(_)
        | Command::Open(_)
        | Command::Decide { .. }
        | Command::End { .. }
        | Command::Turn { .. }
        | Command::Approve { .. }
        | Command::Amend { .. }
        | Command::SetLimits { .. }
        | Command::Reconsider { .. }
        | Command::Deny { .. }
        | Command::Defer { .. }
        | Command::Escalate { .. }
        | Command::Cancel { .. }
        | Command::ChargePick { .. }
        | Command::Tick { .. }
        | Command::Reclaim { .. } => Alone::WhereLimited,
    }
}
