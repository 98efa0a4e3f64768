//! The book of the house: agents come and go, checkpoints are written, old records are removed.

use super::{Decided, Draft, World, session, validate::Checks};
use crate::{
    access::check_tenant,
    agent::{AgentKind, Agents, Profile},
    event::Event,
    ids::{AgentId, Ids, SessionId},
    limits,
    refusal::{Code, HandoffError, Refusal},
    session::Session,
};
use std::collections::BTreeMap;

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
        state: None,
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
    if let Some(tenant) = &profile.tenant {
        check_tenant(tenant, &mut checks);
    }
    for (field, texts) in [("examples", &profile.examples), ("tags", &profile.tags)] {
        for (i, text) in texts.iter().enumerate() {
            checks.optional_text(&format!("{field}[{i}]"), text);
        }
    }
    checks.count("examples", profile.examples.len(), limits::CAPABILITIES_MAX, "CAPABILITIES_MAX");
    checks.count("tags", profile.tags.len(), limits::CAPABILITIES_MAX, "CAPABILITIES_MAX");
    checks.count("capabilities", profile.capabilities.len(), limits::CAPABILITIES_MAX, "CAPABILITIES_MAX");
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, capability) in profile.capabilities.iter().enumerate() {
        let earlier = *first.entry(&capability.id).or_insert(i);
        if earlier < i && !capability.id.is_empty() {
            let refusal = Refusal::new(Code::BadProfile, format!("capabilities[{earlier}] has the same id"));
            checks.add(refusal.at(format!("capabilities[{i}].id")).hint("keep one of them"));
        }
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
    check_runner(profile, &mut checks);
    if let Some(ms) = profile.max_execution_ms {
        checks.wait("max_execution_ms", ms);
    }
    if let Some(ms) = profile.accept_within_ms {
        checks.wait("accept_within_ms", ms);
    }
    if let Some(cycle) = ladder_cycle(profile, agents) {
        let refusal = Refusal::new(Code::BadProfile, format!("escalation goes in a circle: {cycle}"));
        let hint = "let one of them escalate to somebody outside of the circle, or to nobody";
        checks.add(refusal.at("escalates_to").hint(hint));
    }
    let new = usize::from(agents.get(&profile.id).is_none());
    checks.count("agents", agents.len() + new, limits::AGENTS_MAX, "AGENTS_MAX");
    checks.done()
}

/// How its work is done: what its kind needs must be there, and nothing that belongs to another kind.
fn check_runner(profile: &Profile, checks: &mut Checks) {
    for (field, text) in [
        ("model", profile.model.as_deref()),
        ("provider", profile.provider.as_deref()),
        ("instructions", Some(profile.instructions.as_str())),
        ("folder", profile.folder.as_deref()),
        ("url", profile.url.as_deref()),
        ("secret_env", profile.secret_env.as_deref()),
    ] {
        checks.optional_text(field, text.unwrap_or_default());
    }
    checks.count("tools", profile.tools.len(), limits::TOOLS_MAX, "TOOLS_MAX");
    checks.count("from_card", profile.from_card.len(), limits::CARD_MARKS_MAX, "CARD_MARKS_MAX");
    checks.count("command", profile.command.len(), limits::COMMAND_WORDS_MAX, "COMMAND_WORDS_MAX");
    let is = |kind| profile.kind == kind;
    let web = profile.url.as_deref().is_some_and(|url| url.starts_with("http://") || url.starts_with("https://"));
    let named = profile.command.first().is_some_and(|word| !word.trim().is_empty());
    let outside = is(AgentKind::Http) || is(AgentKind::A2a);
    let needs = [
        (is(AgentKind::Llm) && profile.model.is_none(), "model", "a model needs its name", "add `model: NAME`"),
        (is(AgentKind::Command) && !named, "command", "a program needs its name", "add `command: [NAME, ARGUMENT]`"),
        (is(AgentKind::Http) && !web, "url", "a service needs an address", "add `url: https://HOST/PATH`"),
        (is(AgentKind::A2a) && !web, "url", "a remote agent needs the address of its card", "add `url: https://HOST`"),
        (!is(AgentKind::Llm) && profile.provider.is_some(), "provider", "this belongs to models", "add `kind: llm`"),
        (!is(AgentKind::Llm) && !profile.tools.is_empty(), "tools", "these belong to models", "add `kind: llm`"),
        (
            !is(AgentKind::Command) && !profile.command.is_empty(),
            "command",
            "this belongs to programs",
            "add `kind: command`",
        ),
        (
            !is(AgentKind::Command) && profile.folder.is_some(),
            "folder",
            "this belongs to programs",
            "add `kind: command`",
        ),
        (!outside && profile.url.is_some(), "url", "this belongs to services", "add `kind: http`"),
        (!outside && profile.secret_env.is_some(), "secret_env", "this belongs to services", "add `kind: http`"),
    ];
    for (wrong, field, message, hint) in needs {
        if wrong {
            checks.add(Refusal::new(Code::BadProfile, message).at(field).hint(hint));
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Standing;
    use std::sync::Arc;

    #[test]
    fn what_is_wrong_with_a_profile_is_told_with_a_way_out() {
        let named = |id: &str| Profile::named(id).unwrap();
        let under = |id: &str, above: &str| Profile { escalates_to: AgentId::new(above).ok(), ..named(id) };
        let mut agents = Agents::default();
        agents.put(Arc::new(under("boss", "a")), Standing::Available);
        let circle = "let one of them escalate to somebody outside of the circle, or to nobody";
        for (profile, told) in [
            (named("a").can("x").can("y"), vec![]),
            (
                named("a").can("x").can("y").can("x").can("x"),
                vec![
                    "HO0206 capabilities[2].id: capabilities[0] has the same id (keep one of them)".to_owned(),
                    "HO0206 capabilities[3].id: capabilities[0] has the same id (keep one of them)".to_owned(),
                ],
            ),
            (
                under("a", "boss"),
                vec![format!("HO0206 escalates_to: escalation goes in a circle: a -> boss -> a ({circle})")],
            ),
            (
                named("a").kind(AgentKind::Llm),
                vec!["HO0206 model: a model needs its name (add `model: NAME`)".to_owned()],
            ),
            (
                Profile { command: vec![" ".into()], ..named("a").kind(AgentKind::Command) },
                vec!["HO0206 command: a program needs its name (add `command: [NAME, ARGUMENT]`)".to_owned()],
            ),
            (
                Profile { url: Some("example.org".into()), ..named("a").kind(AgentKind::Http) },
                vec!["HO0206 url: a service needs an address (add `url: https://HOST/PATH`)".to_owned()],
            ),
            (
                Profile {
                    provider: Some("p".into()),
                    tools: vec!["t".into()],
                    command: vec!["c".into()],
                    folder: Some("f".into()),
                    url: Some("https://example.org".into()),
                    secret_env: Some("S".into()),
                    ..named("a")
                },
                [
                    ("provider: this belongs to models", "llm"),
                    ("tools: these belong to models", "llm"),
                    ("command: this belongs to programs", "command"),
                    ("folder: this belongs to programs", "command"),
                    ("url: this belongs to services", "http"),
                    ("secret_env: this belongs to services", "http"),
                ]
                .map(|(told, kind)| format!("HO0206 {told} (add `kind: {kind}`)"))
                .to_vec(),
            ),
            (
                Profile { max_execution_ms: Some(0), ..named("a") },
                vec![
                    "HO0109 max_execution_ms: 0 ms is not between 1 and 34560000000 (WAIT_MS_MAX) (use 1 to 34560000000 ms)"
                        .to_owned(),
                ],
            ),
        ] {
            let refusals = check_profile(&profile, &agents).err().map(|error| error.refusals).unwrap_or_default();
            assert_eq!(refusals.iter().map(ToString::to_string).collect::<Vec<_>>(), told);
        }
    }
}
