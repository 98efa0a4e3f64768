//! Whoever is told that a person has said yes: an agent of the house that does nothing but pass it on. A request for
//! approval is a handoff to it, so that the answer reaches whoever asked like every other return.

use async_trait::async_trait;
use handover_core::{agent::Profile, command::Caller, handoff::Handoff, ids::AgentId, refusal::HandoffError};
use handover_engine::{
    Engine,
    agent::{Agent, Done, Failure, Reply, Work},
};
use serde_json::json;

/// The agent that passes approvals on. The name is reserved: nobody can take it before it is needed.
pub const APPROVALS: &str = "handover:approvals";
/// The sort of task that it takes.
pub(crate) const TASK: &str = "approval";
/// How many it passes on at once.
const AT_ONCE: u32 = 64;

struct Approvals;

#[async_trait]
impl Agent for Approvals {
    async fn consider(&self, offer: &Handoff) -> Reply {
        if approved_by(offer).is_some() && offer.request.task.kind == TASK {
            return Reply::Accept;
        }
        Reply::Reject("it only passes on what a person has approved: use `request_approval`".into())
    }

    async fn run(&self, work: Work) -> Result<Done, Failure> {
        let by = approved_by(work.handoff()).unwrap_or_default();
        Ok(Done::json(json!({ "approved": true, "by": by })))
    }
}

fn approved_by(handoff: &Handoff) -> Option<String> {
    handoff.approval.as_ref().and_then(|approval| approval.approved_by.clone())
}

/// Lets approvals be asked for on this engine, whoever asks: the agent is of the house. Done again, it changes nothing.
///
/// # Errors
/// When the store cannot write.
pub async fn attend(engine: &Engine) -> Result<(), HandoffError> {
    let (id, engine) = (AgentId::new(APPROVALS)?, engine.for_caller(Caller::local()));
    let about = "Passes on what a person has approved; asked by `request_approval` alone";
    let profile = Profile::of(id).at_once(AT_ONCE).about("", about);
    engine.register(profile, Approvals).await
}

/// The same, where somebody has asked before: what was approved while nobody was here goes on.
///
/// # Errors
/// When the store cannot write.
pub async fn attend_again(engine: &Engine) -> Result<(), HandoffError> {
    let known = AgentId::new(APPROVALS).is_ok_and(|id| engine.agent(&id).is_ok());
    if known { attend(engine).await } else { Ok(()) }
}
