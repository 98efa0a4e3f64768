//! What waits for a person's word.

use super::work::submit;
use crate::{ask::Ask, problem::Problem, reply::Reply, table::Route};
use handover_core::{
    command::{Answer, Command},
    described::{FreeText, Text},
    digest::Digest,
    handoff::Edit,
};
use handover_engine::PendingApproval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/approvals", "list_approvals", "Lists what waits for a person's word.", list)
            .query::<Who>()
            .answers::<Vec<Waiting>>(200, "The oldest first."),
        Route::post(
            "/v1/handoffs/{handoff}/approve",
            "approve",
            "Approves a handoff, with or without a change.",
            approve,
        )
        .once()
        .body::<Approving>()
        .answers::<Answer>(200, "It is on offer."),
        Route::post("/v1/handoffs/{handoff}/deny", "deny", "Denies a handoff.", deny)
            .once()
            .body::<Denying>()
            .answers::<Answer>(200, "The source is told."),
        Route::post(
            "/v1/handoffs/{handoff}/amend",
            "amend",
            "Changes a handoff that waits, without deciding it.",
            amend,
        )
        .once()
        .body::<Amending>()
        .answers::<Answer>(200, "It is changed; what was seen before is void."),
    ]
}

/// A handoff that waits for a person.
#[derive(Debug, Serialize, JsonSchema)]
struct Waiting {
    /// The handoff.
    handoff: crate::views::HandoffView,
    /// The rule that asks; empty where the request or its risk does.
    rule: String,
    /// What is to be approved, as it is now.
    digest: Digest,
    /// Who is asked now; anybody but the source when nobody is named.
    approver: Option<String>,
    /// Who may decide; anybody but the source when nobody is named.
    deciders: Vec<String>,
    /// When the next one is asked, or it expires.
    until: handover_core::time::Timestamp,
    /// What did not fit but was let pass.
    warnings: Vec<String>,
}

impl From<PendingApproval> for Waiting {
    fn from(found: PendingApproval) -> Self {
        Self {
            handoff: crate::views::HandoffView::of(&found.handoff),
            rule: found.rule,
            digest: found.digest,
            approver: found.approver,
            deciders: found.deciders,
            until: found.until,
            warnings: found.warnings,
        }
    }
}

/// Whose word.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Who {
    /// Only what this person may decide.
    #[serde(default)]
    who: Option<String>,
}

async fn list(ask: Ask) -> Result<Reply, Problem> {
    let query: Who = ask.query()?;
    let found = ask.engine.approvals(query.who.as_deref()).await?;
    Ok(Reply::ok(&found.into_iter().map(Waiting::from).collect::<Vec<_>>()))
}

/// A yes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Approving {
    /// Who says so; the name of the key when left out.
    #[serde(default)]
    #[schemars(with = "Option<Text>")]
    by: Option<String>,
    /// Why.
    #[serde(default)]
    #[schemars(with = "FreeText")]
    comment: String,
    /// The digest of what they saw: refused when it has changed.
    #[serde(default)]
    digest: Option<Digest>,
    /// What they change with it.
    #[serde(default)]
    edit: Option<Edit>,
}

async fn approve(ask: Ask) -> Result<Reply, Problem> {
    let Approving { by, comment, digest, edit } = ask.form()?;
    let by = by.unwrap_or_else(|| ask.who.clone());
    submit(&ask, Command::Approve { handoff: ask.handoff()?, by, comment, digest, edit }).await
}

/// A no.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Denying {
    /// Who says so; the name of the key when left out.
    #[serde(default)]
    #[schemars(with = "Option<Text>")]
    by: Option<String>,
    /// Why.
    #[serde(default)]
    #[schemars(with = "FreeText")]
    comment: String,
    /// The digest of what they saw: refused when it has changed.
    #[serde(default)]
    digest: Option<Digest>,
}

async fn deny(ask: Ask) -> Result<Reply, Problem> {
    let Denying { by, comment, digest } = ask.form()?;
    let by = by.unwrap_or_else(|| ask.who.clone());
    submit(&ask, Command::Deny { handoff: ask.handoff()?, by, comment, digest }).await
}

/// A change.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Amending {
    /// Who changes it; the name of the key when left out.
    #[serde(default)]
    #[schemars(with = "Option<Text>")]
    by: Option<String>,
    /// What.
    edit: Edit,
    /// The digest of what they saw: refused when it has changed.
    #[serde(default)]
    digest: Option<Digest>,
}

async fn amend(ask: Ask) -> Result<Reply, Problem> {
    let Amending { by, edit, digest } = ask.form()?;
    let by = by.unwrap_or_else(|| ask.who.clone());
    submit(&ask, Command::Amend { handoff: ask.handoff()?, by, edit, digest }).await
}
