//! What the door asks of a command before it is decided.

use handover_core::{
    command::{Command, Goto},
    handoff::{Request, ReturnStatus},
    session::Session,
};

/// Whether a command begins something, which nobody would finish while the engine shuts down.
pub(crate) fn begins_work(command: &Command) -> bool {
    match command {
        Command::Open(_)
        | Command::Initiate(_)
        | Command::Turn { .. }
        | Command::Accept { .. }
        | Command::Retry { .. } => true,
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
        | Command::Decline { .. }
        | Command::Ask { .. }
        | Command::Answer { .. }
        | Command::MoveState { .. }
        | Command::Return { .. }
        | Command::Escalate { .. }
        | Command::Cancel { .. }
        | Command::Redirect { .. }
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
    /// Something may be set aside by it, for somebody who is named: where that is limited over all sessions.
    WhereLimited,
    /// Somebody may be chosen by it: whoever chooses next sees that this one had its turn.
    Always,
}

/// When this command waits for others.
pub(crate) fn alone(command: &Command, session: Option<&Session>) -> Alone {
    match command {
        Command::Initiate(request) => of_request(request),
        Command::Turn { turn, .. } => of_goto(&turn.goto),
        Command::Return { then: Some(goto), .. } => of_goto(goto),
        Command::Return { giving, then: None, .. } => {
            let well = matches!(giving.status, ReturnStatus::Success | ReturnStatus::Partial);
            // The rules of a workflow go on with what is given back.
            let goes_on = !well || session.is_some_and(|session| session.workflow.is_some());
            if goes_on { Alone::WhereLimited } else { Alone::Never }
        }
        // Where nobody takes it, or its agent cannot by now, somebody else is asked.
        Command::Reject { .. }
        | Command::Decline { .. }
        | Command::Approve { .. }
        // An answer may come when its agent cannot go on.
        | Command::Answer { .. }
        // What is tried once more may go to somebody else.
        | Command::Retry { .. }
        | Command::Reconsider { .. }
        | Command::Tick { .. }
        | Command::Reclaim { .. } => Alone::Always,
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
        Command::Open(_)
        | Command::Decide { .. }
        | Command::End { .. }
        | Command::Amend { .. }
        | Command::SetLimits { .. }
        | Command::Deny { .. }
        | Command::Defer { .. }
        | Command::Ask { .. }
        | Command::Escalate { .. }
        | Command::Cancel { .. }
        | Command::Redirect { .. }
        | Command::ChargePick { .. } => Alone::WhereLimited,
    }
}

/// A request chooses where nobody is named, or where others may take the place of the one who is.
fn of_request(request: &Request) -> Alone {
    let named = request.to_agent.is_some();
    if named && !request.has_others() { Alone::WhereLimited } else { Alone::Always }
}

fn of_goto(goto: &Goto) -> Alone {
    match goto {
        Goto::Request(request) => of_request(request),
        Goto::End | Goto::One { .. } | Goto::Many { .. } => Alone::WhereLimited,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handover_core::{
        command::{Giving, Update},
        handoff::Outcome,
        ids::{AgentId, HandoffId, LeaseId},
    };
    use std::time::Duration;
    use uuid::Uuid;

    fn named() -> Request {
        Request::delegation("a", "b", "find a jet", Duration::from_secs(60)).unwrap()
    }

    #[test]
    fn whoever_may_choose_waits_for_others() {
        let nobody = Request { to_agent: None, ..named() };
        let among = Request { candidates: vec![AgentId::new("c").unwrap()], ..named() };
        let by_capability = Request { capability: Some("flying".into()), ..named() };
        for (request, expected) in [
            (named(), Alone::WhereLimited),
            (nobody, Alone::Always),
            (among, Alone::Always),
            (by_capability, Alone::Always),
        ] {
            let goto = Goto::Request(Box::new(request.clone()));
            let giving = Giving {
                status: ReturnStatus::Success,
                result: Outcome::default(),
                updates: Update::default(),
                notes: String::new(),
                signal: None,
            };
            let returned = Command::Return {
                handoff: HandoffId(Uuid::nil()),
                lease: LeaseId(Uuid::nil()),
                giving: Box::new(giving),
                then: Some(Box::new(goto)),
            };
            assert_eq!(alone(&returned, None), expected, "{request:?}");
            assert_eq!(alone(&Command::Initiate(Box::new(request)), None), expected);
        }
        let handoff = HandoffId(Uuid::nil());
        for command in [Command::Tick { handoff }, Command::Reclaim { handoff }, Command::Reconsider { handoff }] {
            assert_eq!(alone(&command, None), Alone::Always, "{command:?}");
        }
    }
}
