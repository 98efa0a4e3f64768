//! Who may do what, and what exists for whom: one place for every rim.

mod denials;
mod keys;
mod sight;

pub(crate) use denials::Denials;
pub use denials::Denied;
pub(crate) use keys::Keys;
pub(crate) use sight::{Look, exists_for};

use crate::engine::Engine;
use handover_core::{
    access::Right,
    agent::{AgentKind, Profile, Risk},
    command::{Caller, Command},
    refusal::{Code, HandoffError, Refusal},
};

impl Engine {
    /// Who asks through this handle.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Whether this caller speaks for all agents.
    pub(crate) fn unbound(&self) -> Result<(), HandoffError> {
        if self.caller.acts_as.is_none() {
            return Ok(());
        }
        let message = format!("{} is bound to certain agents", self.caller.name);
        Err(Refusal::new(Code::NotYourAgent, message).into())
    }

    /// Whether this caller may change an agent: one of the house is changed by the house, one of a tenant by the tenant.
    pub(crate) fn may_change(&self, known: &Profile) -> Result<(), HandoffError> {
        if self.caller.house || known.tenant.as_deref() == Some(&self.caller.tenant) {
            return Ok(());
        }
        let message = format!("{} is of the house; {} is not", known.id, self.caller.name);
        Err(Refusal::new(Code::NotAllowed, message).into())
    }

    /// What the house itself runs, calls or pays for is for the house to say: programs, services and models.
    pub(crate) fn runs_nothing(&self, new: &Profile) -> Result<(), HandoffError> {
        if self.caller.house || matches!(new.kind, AgentKind::Worker | AgentKind::Human) {
            return Ok(());
        }
        let message = format!("{} is not of the house: its agents ask for their work", self.caller.name);
        let hint = "register it as a worker or a human, or let the house register it";
        Err(Refusal::new(Code::NotAllowed, message).at("kind").hint(hint).into())
    }

    /// A new agent of a caller that is bound to certain agents: one that asks for its work, with as little as can be.
    pub(crate) fn asks_for_little(&self, new: &Profile) -> Result<(), HandoffError> {
        let fields = [
            ("kind", matches!(new.kind, AgentKind::Worker | AgentKind::Human), "worker or human"),
            ("autonomy_budget.max_risk", new.autonomy_budget.max_risk == Risk::Low, "low"),
            ("budget", new.budget.is_none(), "left out, as the policy has it"),
            ("max_concurrent_tasks", new.max_concurrent_tasks <= 1, "1"),
        ];
        let Some((field, _, least)) = fields.into_iter().find(|(_, fine, _)| !fine) else { return Ok(()) };
        let message =
            format!("{} is bound to certain agents; a new one may only have the least: {least}", self.caller.name);
        let hint = "register it so, and let an administrator widen it";
        Err(Refusal::new(Code::NotYourAgent, message).at(field).hint(hint).into())
    }

    /// A caller that is bound to certain agents does not widen what they may do, nor what the house does for them.
    pub(crate) fn widens_nothing(&self, known: &Profile, new: &Profile) -> Result<(), HandoffError> {
        let longer = match (known.max_execution_ms, new.max_execution_ms) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(known), Some(new)) => new > known,
        };
        let fields = [
            ("autonomy_budget.max_risk", new.autonomy_budget.max_risk <= known.autonomy_budget.max_risk),
            ("budget", new.budget == known.budget),
            ("kind", new.kind == known.kind),
            ("escalates_to", new.escalates_to == known.escalates_to),
            ("max_concurrent_tasks", new.max_concurrent_tasks <= known.max_concurrent_tasks),
            ("max_execution_ms", !longer),
            ("accepts_handoffs", known.accepts_handoffs || !new.accepts_handoffs),
            ("model", new.model == known.model),
            ("provider", new.provider == known.provider),
            ("instructions", new.instructions == known.instructions),
            ("tools", new.tools == known.tools),
            ("command", new.command == known.command),
            ("folder", new.folder == known.folder),
            ("url", new.url == known.url),
            ("secret_env", new.secret_env == known.secret_env),
        ];
        let Some((field, _)) = fields.into_iter().find(|(_, fine)| !fine) else { return Ok(()) };
        let message = format!("{} is bound to certain agents; this is not its to change", self.caller.name);
        Err(Refusal::new(Code::NotYourAgent, message).at(field).into())
    }
}

/// What a command needs. Whether it speaks for the right agent is for the decision to say.
pub(crate) fn right_of(command: &Command) -> Right {
    match command {
        Command::SetLimits { .. } | Command::Redirect { .. } | Command::Retry { .. } => Right::Operate,
        // An agent decides where it is named, and changes what it asked for: the decision looks at that.
        Command::Approve { .. }
        | Command::Amend { .. }
        | Command::Deny { .. }
        | Command::Open(_)
        | Command::Say { .. }
        | Command::Set { .. }
        | Command::Keep { .. }
        | Command::MarkArtifact { .. }
        | Command::Decide { .. }
        | Command::Lock { .. }
        | Command::Unlock { .. }
        | Command::CompleteSegment { .. }
        | Command::End { .. }
        | Command::Initiate(_)
        | Command::Turn { .. }
        | Command::Accept { .. }
        | Command::Reject { .. }
        | Command::Defer { .. }
        | Command::Heartbeat { .. }
        | Command::Decline { .. }
        | Command::Ask { .. }
        | Command::Answer { .. }
        | Command::Record { .. }
        | Command::MoveState { .. }
        | Command::Return { .. }
        | Command::Escalate { .. }
        | Command::Cancel { .. }
        | Command::Take { .. } => Right::Act,
        // Only the engine says these, and the door refuses them to everybody else.
        Command::Tick { .. } | Command::Reclaim { .. } | Command::Reconsider { .. } | Command::ChargePick { .. } => {
            Right::Act
        }
    }
}
