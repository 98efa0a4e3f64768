//! A person's yes or no, asked at the host: only where the caller's key could decide it in any other way, too.

use crate::{ask::Ask, table::Question, views::quoted};
use handover_core::{
    access::Right,
    digest::Digest,
    handoff::{Handoff, Status},
    ids::HandoffId,
    refusal::HandoffError,
};

/// Who decides, when the person at the host does.
fn decider(ask: &Ask) -> &str {
    ask.person.as_deref().unwrap_or(&ask.engine.caller().name)
}

/// What the person at the host could be asked now; nothing where the caller is an agent, or somebody else is to decide.
pub(crate) async fn question(ask: &Ask, handoff: &Handoff) -> Option<Question> {
    let caller = ask.engine.caller();
    if handoff.status() != Status::AwaitingApproval || caller.acts_as.is_some() || caller.may(Right::Operate).is_err() {
        return None;
    }
    let who = decider(ask);
    let mine = ask.engine.approvals(Some(who)).await.ok()?;
    let pending = mine.into_iter().find(|pending| pending.handoff.id == handoff.id)?;
    let request = &pending.handoff.request;
    let mut text = format!("{} asks for approval:\n{}", request.from_agent, quoted(&request.task.description));
    if request.reason != request.task.description {
        text.push_str(&format!("\nWhy:\n{}", quoted(&request.reason)));
    }
    if !request.task.payload.is_null() {
        let shown: String =
            format!("{:#}", request.task.payload).chars().take(handover_core::limits::TEXT_BYTES_MAX).collect();
        text.push_str(&format!("\nWith:\n{}", quoted(&shown)));
    }
    Some(Question { handoff: handoff.id, digest: pending.digest, text })
}

/// The person at the host has decided about what they saw.
pub(crate) async fn decide(
    ask: &Ask,
    id: HandoffId,
    digest: Digest,
    yes: bool,
    comment: &str,
) -> Result<(), HandoffError> {
    let who = decider(ask);
    if yes {
        ask.engine.approve_exactly(id, who, comment, digest).await.map(drop)
    } else {
        ask.engine.deny_exactly(id, who, comment, digest).await.map(drop)
    }
}
