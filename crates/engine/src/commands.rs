//! What the door asks of a command before it is decided.

use handover_core::command::Command;

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
        | Command::Return { .. }
        | Command::Escalate { .. }
        | Command::Cancel { .. }
        | Command::Take { .. }
        | Command::Tick { .. }
        | Command::Reclaim { .. } => false,
    }
}

/// Whether a command lets the engine choose who takes the work.
pub(crate) fn chooses(command: &Command) -> bool {
    match command {
        Command::Initiate(request) => request.to_agent.is_none(),
        Command::Reject { .. } => true,
        _ => false,
    }
}
