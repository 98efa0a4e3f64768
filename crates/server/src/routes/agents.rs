//! Agents: registered, changed, drained, asked how they are.

use crate::{
    ask::Ask,
    etag::{self, ETag},
    openapi, page,
    problem::Problem,
    reply::Reply,
    table::{Right, Route},
    views::{AgentView, HandoffView},
};
use handover_core::{
    agent::AgentKind,
    ids::{AgentId, SessionId},
    limits::PAGE_MAX,
    refusal::{Code, Refusal},
    wire,
};
use handover_engine::BreakerView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/agents", "list_agents", "Lists agents.", list).answers::<Vec<AgentView>>(200, "By id."),
        Route::get("/v1/agents/{agent}", "read_agent", "Reads an agent.", read)
            .etag()
            .answers::<AgentView>(200, "The agent."),
        Route::put("/v1/agents/{agent}", "register_agent", "Registers an agent, or changes its profile.", register)
            .if_match()
            .body_of(openapi::profile)
            .answers::<AgentView>(200, "As it is now."),
        Route::delete("/v1/agents/{agent}", "remove_agent", "Removes an agent that has no work.", remove)
            .right(Right::Administer)
            .answers_nothing("It is gone."),
        Route::post("/v1/agents/{agent}/drain", "drain_agent", "Gives an agent nothing new, or brings it back.", drain)
            .right(Right::Operate)
            .body::<Draining>()
            .answers::<AgentView>(200, "As it is now."),
        Route::post("/v1/agents/{agent}/alive", "alive", "A sign of life of an agent that has no work.", alive)
            .answers_nothing("It is noted."),
        Route::get("/v1/agents/{agent}/inbox", "read_inbox", "Reads what is on offer to an agent.", inbox)
            .right(Right::Act)
            .query::<Rows>()
            .answers::<Vec<HandoffView>>(200, "By level, then age."),
        Route::get("/v1/agents/{agent}/returns", "read_returns", "Reads which returns wait for an agent.", returns)
            .right(Right::Act)
            .query::<Rows>()
            .answers::<Vec<WaitingReturn>>(200, "The oldest first."),
        Route::get("/v1/agents/{agent}/breaker", "read_breaker", "Reads whether work passes to an agent.", breaker)
            .answers::<BreakerView>(200, "As it stands."),
        Route::post("/v1/agents/{agent}/breaker/reset", "reset_breaker", "Lets work pass to an agent again.", reset)
            .right(Right::Operate)
            .answers::<BreakerView>(200, "As it stands."),
    ]
}

async fn list(ask: Ask) -> Result<Reply, Problem> {
    let views = ask.engine.agents().into_iter().map(|agent| {
        let breaker = ask.engine.breaker(&agent.profile.id).ok();
        AgentView::of(agent, breaker)
    });
    Ok(Reply::ok(&views.collect::<Vec<_>>()))
}

fn seen(ask: &Ask, id: &AgentId) -> Result<Reply, Problem> {
    let agent = ask.engine.agent(id)?;
    // The profile alone: how busy it is changes all the time and is nobody's to write.
    let etag = ETag::content(&*agent.profile);
    Ok(Reply::ok(&AgentView::of(agent, ask.engine.breaker(id).ok())).etag(etag))
}

async fn read(ask: Ask) -> Result<Reply, Problem> {
    seen(&ask, &ask.agent()?)
}

async fn register(ask: Ask) -> Result<Reply, Problem> {
    let id = ask.agent()?;
    let mut value: Value = ask.form_of(id.as_str(), "id")?;
    leave_as_it_is(&ask, &id, &mut value);
    let profile = wire::profile(&value.to_string())?;
    if profile.kind == AgentKind::Command {
        // Whoever reaches a port must not come to run programs by it, with or without a key.
        let refusal = Refusal::new(Code::NotAllowed, "programs are named on the machine that runs them").at("kind");
        return Err(refusal.hint("put it into handover.yaml there, or use `handover agents register` there").into());
    }
    if let Ok(known) = ask.engine.agent(&id) {
        ETag::content(&*known.profile).must_fit(&ask.headers)?;
        if etag::expected_version(&ask.headers).is_ok_and(|version| version == Some(0)) {
            return Err(Refusal::new(Code::NotFresh, format!("there is an agent \"{id}\" already"))
                .at("If-None-Match")
                .into());
        }
    } else if ask.headers.contains_key(axum::http::header::IF_MATCH) {
        return Err(Refusal::new(Code::NotFresh, format!("there is no agent \"{id}\"")).at("If-Match").into());
    }
    ask.engine.register_profile(profile).await?;
    seen(&ask, &id)
}

/// What an agent that registers itself leaves out stays as it is; where it is new, it asks for the least.
fn leave_as_it_is(ask: &Ask, id: &AgentId, value: &mut Value) {
    let (Some(fields), Some(_)) = (value.as_object_mut(), &ask.engine.caller().acts_as) else { return };
    let kept = match ask.engine.agent(id) {
        Ok(known) => serde_json::to_value(&*known.profile).unwrap_or_default(),
        Err(_) => json!({ "kind": "worker", "autonomy_budget": { "max_risk": "low" } }),
    };
    for (name, value) in kept.as_object().into_iter().flatten() {
        fields.entry(name.clone()).or_insert_with(|| value.clone());
    }
}

async fn remove(ask: Ask) -> Result<Reply, Problem> {
    ask.engine.remove_agent(&ask.agent()?).await?;
    Ok(Reply::nothing())
}

/// Whether it is given anything new.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Draining {
    /// `true` gives it nothing new; `false` brings it back.
    drain: bool,
}

async fn drain(ask: Ask) -> Result<Reply, Problem> {
    let form: Draining = ask.form()?;
    let id = ask.agent()?;
    ask.engine.drain(&id, form.drain).await?;
    seen(&ask, &id)
}

async fn alive(ask: Ask) -> Result<Reply, Problem> {
    let agent = ask.agent()?;
    // One that does not exist for the caller is told as such, and nothing else of it.
    ask.engine.agent(&agent)?;
    ask.engine.alive(&agent).await?;
    Ok(Reply::nothing())
}

/// How many.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rows {
    /// At most so many.
    #[serde(default)]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<u64>,
}

async fn inbox(ask: Ask) -> Result<Reply, Problem> {
    let Rows { limit } = ask.query()?;
    let agent = ask.agent()?;
    ask.engine.agent(&agent)?;
    let found = ask.engine.inbox(&agent, page::rows(limit)?).await?;
    Ok(Reply::ok(&found.iter().map(HandoffView::of).collect::<Vec<_>>()))
}

/// A return that was not taken yet.
#[derive(Debug, Serialize, JsonSchema)]
struct WaitingReturn {
    /// The handoff or the group.
    #[schemars(with = "handover_core::ids::HandoffId")]
    of: uuid::Uuid,
    /// The session.
    session_id: SessionId,
}

async fn returns(ask: Ask) -> Result<Reply, Problem> {
    let Rows { limit } = ask.query()?;
    let agent = ask.agent()?;
    ask.engine.agent(&agent)?;
    let found = ask.engine.waiting_returns(&agent, page::rows(limit)?).await?;
    let views = found.into_iter().map(|found| WaitingReturn { of: found.of, session_id: found.session });
    Ok(Reply::ok(&views.collect::<Vec<_>>()))
}

async fn breaker(ask: Ask) -> Result<Reply, Problem> {
    Ok(Reply::ok(&ask.engine.breaker(&ask.agent()?)?))
}

async fn reset(ask: Ask) -> Result<Reply, Problem> {
    let agent = ask.agent()?;
    ask.engine.reset_breaker(&agent).await?;
    Ok(Reply::ok(&ask.engine.breaker(&agent)?))
}
