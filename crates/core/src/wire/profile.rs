//! The profile of an agent.

use super::{
    duration::duration,
    fields::Fields,
    place::{Limit, Place},
    request::autonomy,
};
use crate::{
    agent::{Autonomy, Capability, Profile},
    limits,
};

const CAPABILITIES: Limit = (limits::CAPABILITIES_MAX, "CAPABILITIES_MAX");
const TOOLS: Limit = (limits::TOOLS_MAX, "TOOLS_MAX");
const MARKS: Limit = (limits::CARD_MARKS_MAX, "CARD_MARKS_MAX");
const WORDS: Limit = (limits::COMMAND_WORDS_MAX, "COMMAND_WORDS_MAX");

pub(super) fn profile(f: &mut Fields<'_>) -> Profile {
    Profile {
        id: f.agent("id"),
        tenant: f.optional_text("tenant"),
        name: f.free_text("name"),
        specialization: f.free_text("specialization"),
        capabilities: f.list("capabilities", Some(CAPABILITIES), capability),
        description: f.free_text("description"),
        examples: f.list("examples", Some(CAPABILITIES), Place::free_text),
        accepts_handoffs: f.boolean("accepts_handoffs", true),
        max_concurrent_tasks: f.get("max_concurrent_tasks").and_then(tasks).unwrap_or(1),
        max_execution_ms: duration(f, "max_execution_ms", "max_execution_time"),
        accept_within_ms: duration(f, "accept_within_ms", "accept_within"),
        autonomy_budget: f
            .get("autonomy_budget")
            .and_then(autonomy)
            .map_or_else(Autonomy::default, |max_risk| Autonomy { max_risk }),
        escalates_to: f.optional_agent("escalates_to"),
        kind: f.optional_word("kind").unwrap_or_default(),
        version: f.free_text("version"),
        tags: f.list("tags", Some(CAPABILITIES), Place::free_text),
        budget: f.get("budget").and_then(|place| place.object(limit)),
        model: f.optional_text("model"),
        provider: f.optional_text("provider"),
        instructions: f.free_text("instructions"),
        tools: f.list("tools", Some(TOOLS), Place::free_text),
        command: f.list("command", Some(WORDS), Place::free_text),
        folder: f.optional_text("folder"),
        url: f.optional_text("url"),
        secret_env: f.optional_text("secret_env"),
        from_card: f.list("from_card", Some(MARKS), Place::free_text),
    }
}

fn limit(f: &mut Fields<'_>) -> crate::budget::Limit {
    crate::budget::Limit {
        tokens: f.get("tokens").and_then(|place| place.whole(0, u64::MAX)),
        cost: f.get("cost").and_then(|place| place.number(0.0, f64::MAX)),
        time_ms: f.get("time_ms").and_then(|place| place.whole(0, u64::MAX)),
        per: f.optional_word("per").unwrap_or_default(),
    }
}

/// 0 is let pass: whoever registers the profile is told what to say instead.
fn tasks(place: Place<'_>) -> Option<u32> {
    place.whole(0, u64::from(u32::MAX)).and_then(|tasks| u32::try_from(tasks).ok())
}

/// A capability by its name, or with how well it is mastered.
fn capability(place: Place<'_>) -> Option<Capability> {
    let named = |place: Place<'_>| place.text().map(|id| Capability { id, proficiency: 1.0 });
    place.text_or_object(named, |f| Capability {
        id: f.text("id"),
        proficiency: f.get("proficiency").and_then(|place| place.number(0.0, 1.0)).unwrap_or(1.0),
    })
}
