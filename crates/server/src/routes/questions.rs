//! What agents ask before they go on.

use super::work::submit;
use crate::{ask::Ask, problem::Problem, reply::Reply, table::Route, views::HandoffView};
use handover_core::{
    command::{Answer, Command},
    described::Text,
    ids::{AgentId, LeaseId},
};
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/questions", "list_questions", "Lists handoffs whose agent waits for an answer.", list)
            .query::<Whose>()
            .answers::<Vec<HandoffView>>(200, "The oldest first."),
        Route::post("/v1/handoffs/{handoff}/ask", "ask", "Asks something before the work goes on.", ask_back)
            .once()
            .body::<Asking>()
            .answers::<Answer>(200, "The lease is given up until somebody answers."),
        Route::post("/v1/handoffs/{handoff}/answer", "answer", "Answers what an agent asked.", answer)
            .once()
            .body::<Answering>()
            .answers::<Answer>(200, "The work is offered to its agent again."),
    ]
}

/// Whose questions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Whose {
    /// Only about what this agent handed over.
    #[serde(default)]
    from_agent: Option<AgentId>,
}

async fn list(ask: Ask) -> Result<Reply, Problem> {
    let whose: Whose = ask.query()?;
    let found = ask.engine.questions(whose.from_agent.as_ref()).await?;
    Ok(Reply::ok(&found.iter().map(HandoffView::of).collect::<Vec<_>>()))
}

/// A question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Asking {
    /// The lease.
    lease: LeaseId,
    /// What is asked.
    #[schemars(with = "Text")]
    question: String,
}

async fn ask_back(ask: Ask) -> Result<Reply, Problem> {
    let form: Asking = ask.form()?;
    submit(&ask, Command::Ask { handoff: ask.handoff()?, lease: form.lease, question: form.question }).await
}

/// An answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Answering {
    /// Who answers.
    #[schemars(with = "Text")]
    by: String,
    /// What.
    #[schemars(with = "Text")]
    text: String,
}

async fn answer(ask: Ask) -> Result<Reply, Problem> {
    let form: Answering = ask.form()?;
    submit(&ask, Command::Answer { handoff: ask.handoff()?, by: form.by, text: form.text }).await
}
