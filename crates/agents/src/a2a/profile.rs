//! A profile and a card: whoever registers an agent says what it likes of it, and the card says the rest. What came from the
//! card is marked, so that another card takes its place.

use super::card::Card;
use handover_core::{
    a2a::PUBLIC,
    agent::{Capability, Profile},
    limits::CAPABILITIES_MAX,
};
use std::collections::BTreeSet;

fn texts(profile: &mut Profile) -> [(&'static str, &mut String); 3] {
    [("name", &mut profile.name), ("description", &mut profile.description), ("version", &mut profile.version)]
}

/// The profile with what the card says, where it leaves something open. Skills and their tags become capabilities: the ids
/// first, since there is room for so many only.
#[must_use]
pub fn filled(profile: &Profile, card: &Card) -> Profile {
    let mut filled = profile.bare();
    let mut marks = Vec::new();
    for ((field, text), said) in texts(&mut filled).into_iter().zip([&card.name, &card.description, &card.version]) {
        if text.is_empty() && !said.is_empty() {
            text.clone_from(said);
            marks.push(field.to_owned());
        }
    }
    if filled.examples.is_empty() {
        filled.examples = distinct(card.skills.iter().flat_map(|skill| &skill.examples));
        marks.extend((!filled.examples.is_empty()).then(|| "examples".to_owned()));
    }
    let tags = || card.skills.iter().flat_map(|skill| &skill.tags);
    for id in distinct(card.skills.iter().map(|skill| &skill.id).chain(tags())) {
        let known = filled.capabilities.iter().any(|capability| capability.id == id);
        if !known && filled.capabilities.len() < CAPABILITIES_MAX {
            marks.push(format!("capabilities/{id}"));
            filled.capabilities.push(Capability { id, proficiency: 1.0 });
        }
    }
    // A card of somebody else publishes nobody here.
    for tag in distinct(tags().filter(|tag| *tag != PUBLIC)) {
        if !filled.tags.contains(&tag) && filled.tags.len() < CAPABILITIES_MAX {
            marks.push(format!("tags/{tag}"));
            filled.tags.push(tag);
        }
    }
    filled.from_card = marks;
    filled
}

/// Each once, in their order, as many as there is room for.
fn distinct<'a>(all: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    all.filter(|one| seen.insert(one.as_str())).take(CAPABILITIES_MAX).cloned().collect()
}
