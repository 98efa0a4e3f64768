//! The model that picks agents: it is asked only about what could pass, and what it used is charged.

use super::{Draft, World, initiate::Target, unknown_session, validate::Checks};
use crate::{
    budget::Amount,
    event::Event,
    handoff::{Kind, Request},
    ids::{AgentId, CountedIds},
    ledger::Account,
    refusal::HandoffError,
    route::{PickQuestion, PickUsed},
    session::Session,
};

/// What a model said to a request, and what that used.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAnswer {
    /// Whom it picked.
    pub picked: Picked,
    /// What it used for it; charged with the decision.
    pub used: PickUsed,
}

impl From<Picked> for ModelAnswer {
    fn from(picked: Picked) -> Self {
        Self { picked, used: PickUsed::default() }
    }
}

/// Whom a model picked.
#[derive(Debug, Clone, PartialEq)]
pub enum Picked {
    /// This agent, for this reason.
    Agent(AgentId, String),
    /// Nobody fits.
    Nobody(String),
    /// It gave no usable answer; routing goes on without it.
    NoAnswer(String),
    /// It was not asked, because the request is refused whomever it picks: for this.
    NotAsked(Box<HandoffError>),
}

/// Whether a model has a say in this request: not where the request goes up by itself. Every check is made as if the
/// model had picked one candidate after the other, until one passes.
///
/// # Errors
/// When the request is refused whomever the model picks, as it is for the first candidate.
pub fn before_pick(
    session: &Session,
    request: &Request,
    question: &PickQuestion,
    world: &World<'_>,
) -> Result<bool, HandoffError> {
    if session.tenant != world.caller.tenant {
        return Err(unknown_session(&session.id));
    }
    let mut first = None;
    for candidate in &question.candidates {
        let answer = ModelAnswer::from(Picked::Agent(candidate.id.clone(), String::new()));
        let world = World { picked: Some(&answer), ..*world };
        let mut request = request.clone();
        match Draft::new(session, &world, &mut CountedIds::default()).prepare(&mut request) {
            Ok(_) => return Ok(request.kind != Kind::Escalation),
            Err(error) => drop(first.get_or_insert(error)),
        }
    }
    first.map_or(Ok(true), Err)
}

impl Draft<'_> {
    /// Why no model was asked, where the request could not pass.
    pub(super) fn not_asked(&self) -> Option<&HandoffError> {
        match self.world.picked.map(|answer| &answer.picked) {
            Some(Picked::NotAsked(error)) => Some(error),
            Some(Picked::Agent(..) | Picked::Nobody(_) | Picked::NoAnswer(_)) | None => None,
        }
    }

    /// A request for which no model was asked, and for which the text finds nobody, is refused for what kept the model
    /// from being asked.
    pub(super) fn say_why_not_asked(&self, targets: &[Target], checks: &mut Checks) {
        if let Some(error) = self.not_asked().filter(|_| targets.is_empty()) {
            checks.add_missing(&error.refusals);
        }
    }

    /// What the model used that was asked about this very command. Before the checks: what is left is what it left.
    pub(super) fn charge_answer(&mut self, by: &AgentId) {
        if let Some(answer) = self.world.picked {
            self.charge_pick(by, &answer.used);
        }
    }

    /// What a model used to pick somebody is the session's and the tenant's. It is no agent's: none of them asked it.
    pub(super) fn charge_pick(&mut self, by: &AgentId, used: &PickUsed) {
        if used.is_nothing() {
            return;
        }
        let metrics = used.metrics(&self.world.policy.budgets.prices);
        let limited = self.tenant_limit().map(|(account, _)| account);
        self.charge(Account::of_tenant(&self.session.tenant), limited, Amount::used(&metrics, 0));
        self.emit(Event::ModelAsked { by: by.clone(), metrics });
    }
}
