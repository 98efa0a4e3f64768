//! Which resources have changed since a position of the feed. Asked again and again it never skips a change, whoever has the
//! engine meanwhile.

use crate::{ask::Ask, uri};
use handover_core::{
    command::Caller,
    event::Event,
    ids::{AgentId, HandoffId, SessionId},
    limits::{MCP_PART_MS, MCP_SUBSCRIPTIONS_MAX},
    refusal::HandoffError,
};
use handover_engine::{BusMessage, Filter, Notice, Subscription};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, sync::Arc, time::Duration};

/// Whose the book of the house is, in which agents come and go.
const HOUSE: &str = "handover:house";

/// What has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Changed {
    /// Up to where it was looked: in the feed of the caller, and in that of the house.
    pub(crate) position: (u64, u64),
    /// The resources.
    pub(crate) uris: BTreeSet<String>,
}

/// A resource that somebody watches.
struct Watched<'a> {
    uri: &'a str,
    place: uri::Place,
}

/// Looks, and waits for a change where there is none yet.
pub(crate) async fn since(
    ask: &Ask,
    uris: &[String],
    after: Option<(u64, u64)>,
    wait_ms: u64,
) -> Result<Changed, HandoffError> {
    let watched: Vec<Watched<'_>> = uris
        .iter()
        .take(MCP_SUBSCRIPTIONS_MAX)
        .filter_map(|uri| Some(Watched { uri, place: uri::read(uri)? }))
        .collect();
    let mut feed = ask.engine.subscribe(Filter::default(), after.map(|(mine, _)| mine));
    let house = watched.iter().any(|one| matches!(one.place, uri::Place::Agents | uri::Place::Agent(_)));
    let (now, uris) = (feed.position(), BTreeSet::new());
    let Some((_, of_house)) = after else {
        return Ok(Changed { position: (now, now), uris }); // From now on.
    };
    let mut agents = house.then(|| the_house(ask, of_house));
    let mut found = Changed { position: (now, of_house), uris };
    let until = tokio::time::sleep(Duration::from_millis(wait_ms.min(MCP_PART_MS)));
    let mut until = std::pin::pin!(until);
    loop {
        tokio::select! {
            biased;
            notice = feed.next() => {
                let Some(message) = heard(notice?) else { break };
                note(ask, &watched, &message, &mut found);
            }
            notice = next(&mut agents) => {
                let Some(message) = heard(notice?) else { break };
                note(ask, &watched, &message, &mut found);
            }
            // What is there already is told together.
            () = std::future::ready(()), if !found.uris.is_empty() => break,
            () = until.as_mut() => break,
        }
    }
    found.position = (feed.position(), agents.as_ref().map_or(of_house, Subscription::position));
    Ok(found)
}

/// Agents are everybody's who may know of them: their comings and goings are told without what they are.
fn the_house(ask: &Ask, after: u64) -> Subscription {
    let house = ask.engine.for_caller(Caller::new("mcp", HOUSE).of_house());
    house.subscribe(Filter::default(), Some(after))
}

async fn next(agents: &mut Option<Subscription>) -> Result<Option<Notice>, HandoffError> {
    match agents {
        Some(agents) => agents.next().await,
        None => std::future::pending().await,
    }
}

/// What happened; nothing at the end, or when it was too slow and has to come back.
fn heard(notice: Option<Notice>) -> Option<Arc<BusMessage>> {
    match notice {
        Some(Notice::Event(message)) => Some(message),
        Some(Notice::Dropped { .. }) | None => None,
    }
}

fn note(ask: &Ask, watched: &[Watched<'_>], message: &BusMessage, found: &mut Changed) {
    let (session, handoff, agent) = (&message.context.session_id, message.payload.handoff(), agent_of(ask, message));
    // Work that comes or goes changes how busy somebody is, and what waits.
    let works = |agent: &str| {
        let mut both = message.source_agent.iter().chain(&message.target_agent);
        handoff.is_some() && both.any(|found| found.as_str() == agent)
    };
    for one in watched {
        let moved = match &one.place {
            uri::Place::Inbox => ask.me_if_known().is_some_and(|me| works(me.as_str())),
            uri::Place::Agent(id) => works(id),
            _ => false,
        };
        if moved || concerns(&one.place, session, handoff, agent) {
            found.uris.insert(one.uri.to_owned());
        }
    }
}

/// The agent that came, changed or went, where it exists for this caller or is gone.
fn agent_of<'a>(ask: &Ask, message: &'a BusMessage) -> Option<&'a AgentId> {
    match &message.payload {
        // The directory may not know it yet.
        Event::AgentRegistered { profile } => {
            let tenant = profile.tenant.as_deref();
            Some(&profile.id).filter(|_| ask.engine.caller().knows_agents_of(tenant))
        }
        Event::AgentStanding { agent, .. } => Some(agent).filter(|id| ask.engine.agent(id).is_ok()),
        Event::AgentRemoved { agent } => Some(agent),
        _ => None,
    }
}

fn concerns(place: &uri::Place, session: &SessionId, handoff: Option<HandoffId>, agent: Option<&AgentId>) -> bool {
    match place {
        uri::Place::Sessions => !session.is_house(),
        uri::Place::Session(id) | uri::Place::Messages { session: id, .. } | uri::Place::Audit { session: id, .. } => {
            session.as_str() == id
        }
        uri::Place::Handoff(id) => handoff.is_some_and(|handoff| handoff.to_string() == *id),
        uri::Place::Agents => agent.is_some(),
        uri::Place::Inbox => false,
        uri::Place::Agent(id) => agent.is_some_and(|agent| agent.as_str() == id),
    }
}
