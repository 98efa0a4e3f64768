//! What a model is told of itself and of those who can help it.

use super::handoff_tools::{self, Names};
use handover_core::{
    agent::{Agent, Profile},
    guidance::{GUIDANCE, LEAVE, REMAIN, listed},
};

/// What a model is told before all else.
pub(super) fn system(profile: &Profile, names: &Names, others: &[Agent], step: Option<&str>) -> String {
    let mut parts = vec![introduction(profile)];
    if !profile.instructions.trim().is_empty() {
        parts.push(profile.instructions.trim().to_owned());
    }
    parts.extend(step.map(str::to_owned));
    if names.hands_over() {
        let mut text = GUIDANCE.to_owned();
        if names.has(handoff_tools::SPECIALIST) {
            text.push_str(&format!("\n- {REMAIN}"));
        }
        if names.moves() {
            text.push_str(&format!("\n- {LEAVE}"));
        }
        parts.push(format!("{text}\n\nAvailable specialists:\n{}", listed(others)));
    }
    parts.join("\n\n")
}

fn introduction(profile: &Profile) -> String {
    let mut text = format!("You are {}", profile.id);
    if !profile.name.is_empty() && profile.name != profile.id.as_str() {
        text.push_str(&format!(" ({})", profile.name));
    }
    let about = if profile.description.is_empty() { &profile.specialization } else { &profile.description };
    if about.is_empty() { format!("{text}.") } else { format!("{text}: {}", about.trim()) }
}
