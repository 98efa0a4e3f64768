//! The book of the house: agents come and go, checkpoints are written, old records are removed.

use super::{Decided, Draft, World, session, validate::Checks};
use crate::{
    agent::{Agents, Profile},
    event::Event,
    ids::{AgentId, Ids, SessionId},
    limits,
    refusal::{Code, HandoffError, Refusal},
    session::Session,
};

/// Writes events into the book of the house, which begins with its first entry.
#[must_use]
pub fn house(book: Option<&Session>, events: Vec<Event>, world: &World<'_>, ids: &mut dyn Ids) -> Decided {
    let begun;
    let (book, first) = match book {
        Some(book) => (book, None),
        None => {
            begun = session::begin(&SessionId::house(), opening(), world);
            (&begun.session, Some(begun.written.clone()))
        }
    };
    let mut draft = Draft::new(book, world, ids);
    for event in events {
        draft.emit(event);
    }
    let mut decided = draft.finish();
    if let Some(mut written) = first {
        written.append(&mut decided.written);
        decided.written = written;
        decided.session.version = 1;
    }
    decided
}

fn opening() -> Event {
    #[expect(clippy::expect_used, reason = "the text is a constant that is a valid name")]
    let active_agent = AgentId::new("handover").expect("a valid name");
    Event::SessionOpened {
        tenant: "handover:house".into(),
        active_agent,
        user_id: None,
        original_request: String::new(),
        metadata: serde_json::Value::Null,
        complexity: None,
        workflow: None,
        limits: crate::policy::SessionLimits::default(),
        mode: None,
    }
}

/// Checks a profile before it is registered.
///
/// # Errors
/// With everything that is wrong with it.
pub fn check_profile(profile: &Profile, agents: &Agents) -> Result<(), HandoffError> {
    let mut checks = Checks::default();
    for (field, text) in [
        ("name", &profile.name),
        ("specialization", &profile.specialization),
        ("description", &profile.description),
        ("version", &profile.version),
    ] {
        checks.optional_text(field, text);
    }
    for (field, texts) in [("examples", &profile.examples), ("tags", &profile.tags)] {
        for (i, text) in texts.iter().enumerate() {
            checks.optional_text(&format!("{field}[{i}]"), text);
        }
    }
    checks.count("examples", profile.examples.len(), limits::CAPABILITIES_MAX, "CAPABILITIES_MAX");
    checks.count("tags", profile.tags.len(), limits::CAPABILITIES_MAX, "CAPABILITIES_MAX");
    checks.count("capabilities", profile.capabilities.len(), limits::CAPABILITIES_MAX, "CAPABILITIES_MAX");
    for (i, capability) in profile.capabilities.iter().enumerate() {
        checks.text(&format!("capabilities[{i}].id"), &capability.id);
        checks.range(&format!("capabilities[{i}].proficiency"), capability.proficiency, 0.0, 1.0);
    }
    if profile.max_concurrent_tasks == 0 {
        let refusal = Refusal::new(Code::BadProfile, "0 leaves no room for even one task");
        checks.add(refusal.at("max_concurrent_tasks").hint("use accepts_handoffs: false to take none"));
    }
    if let Some(budget) = &profile.budget {
        crate::policy::check_limit("budget", budget, &mut checks);
    }
    checks.optional_text("model", profile.model.as_deref().unwrap_or_default());
    if let Some(ms) = profile.max_execution_ms {
        checks.wait("max_execution_ms", ms);
    }
    if let Some(cycle) = ladder_cycle(profile, agents) {
        checks.add(Refusal::new(Code::BadProfile, format!("escalation goes in a circle: {cycle}")).at("escalates_to"));
    }
    let new = usize::from(agents.get(&profile.id).is_none());
    checks.count("agents", agents.len() + new, limits::AGENTS_MAX, "AGENTS_MAX");
    checks.done()
}

/// The circle that this profile would close, in words.
fn ladder_cycle(profile: &Profile, agents: &Agents) -> Option<String> {
    let mut path = vec![profile.id.clone()];
    let mut next = profile.escalates_to.clone();
    while let Some(agent) = next {
        let seen = path.contains(&agent);
        path.push(agent.clone());
        if agent == profile.id {
            return Some(path.iter().map(AgentId::as_str).collect::<Vec<_>>().join(" -> "));
        }
        if seen || path.len() > limits::PATH_MAX {
            return None;
        }
        next = agents.get(&agent).and_then(|known| known.profile.escalates_to.clone());
    }
    None
}
