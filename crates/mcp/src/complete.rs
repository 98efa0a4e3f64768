//! What a name could be that somebody begins to type: sessions, agents and handoffs that exist for the caller.

use crate::ask::Ask;
use handover_core::{
    limits::{MCP_SESSIONS_LOOKED_AT, MCP_SESSIONS_PASSED_MAX, MCP_SUGGESTIONS_MAX},
    refusal::HandoffError,
};
use handover_engine::HandoffQuery;

/// Names that begin like this, at most as many as a client may be told.
pub(crate) async fn suggest(ask: &Ask, argument: &str, value: &str) -> Result<Vec<String>, HandoffError> {
    let names: Vec<String> = match argument {
        "session" | "session_id" => {
            let ids = ask.engine.sessions_nearby(MCP_SESSIONS_LOOKED_AT, MCP_SESSIONS_PASSED_MAX).await?;
            ids.iter().map(ToString::to_string).collect()
        }
        "agent" | "agent_id" => ask.engine.agents().iter().map(|agent| agent.profile.id.to_string()).collect(),
        "handoff" | "handoff_id" => {
            let query = HandoffQuery { latest_first: true, limit: MCP_SESSIONS_LOOKED_AT, ..HandoffQuery::default() };
            ask.engine.handoffs(query).await?.iter().map(|handoff| handoff.id.to_string()).collect()
        }
        _ => Vec::new(),
    };
    Ok(names.into_iter().filter(|name| name.starts_with(value)).take(MCP_SUGGESTIONS_MAX).collect())
}
