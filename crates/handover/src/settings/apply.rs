//! From settings to an engine that is as they say.

use super::{
    Settings,
    check::{circles, in_words, named},
};
use handover_core::{
    agent::{Agents, Profile, Standing},
    decide::check_profile,
    ids::AgentId,
    policy::Policy,
    refusal::{Code, HandoffError, Refusal},
};
use handover_engine::Engine;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// What applying settings did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// Agents that are new.
    pub registered: Vec<AgentId>,
    /// Agents whose profile is another now.
    pub updated: Vec<AgentId>,
    /// Agents that were as the file says.
    pub unchanged: Vec<AgentId>,
}

impl Settings {
    /// Sets the policy where the file has one, and registers or updates every agent. A policy that the file does not
    /// have and agents that it does not name stay as they are, and to apply the same settings again changes nothing.
    /// Everything is checked before anything is changed.
    ///
    /// # Errors
    /// When the settings do not fit the agents that the engine has, with everything that does not; or when the caller
    /// may not do this.
    pub async fn apply(&self, engine: &Engine) -> Result<Applied, HandoffError> {
        let before: BTreeMap<AgentId, Arc<Profile>> =
            engine.agents().into_iter().map(|agent| (agent.profile.id.clone(), agent.profile)).collect();
        let mut after = before.clone();
        after.extend(self.agents.iter().map(|profile| (profile.id.clone(), Arc::new(profile.clone()))));
        self.check(&after)?;
        engine.operator()?;
        if let Some(policy) = &self.policy {
            engine.set_policy(policy.clone())?;
        }
        let mut applied = Applied::default();
        for profile in from_the_top(&self.agents, &after) {
            // What a card added is not the file's to say.
            let same = before.get(&profile.id).is_some_and(|known| known.bare() == *profile);
            let list = match before.get(&profile.id) {
                Some(_) if same => &mut applied.unchanged,
                Some(_) => &mut applied.updated,
                None => &mut applied.registered,
            };
            list.push(profile.id.clone());
            // An agent that is as it was says nothing about whether it is there: its standing is not touched.
            if !same {
                engine.register_profile(profile.clone()).await?;
            }
        }
        Ok(applied)
    }

    /// Checks the settings together with everybody the engine will have.
    fn check(&self, after: &BTreeMap<AgentId, Arc<Profile>>) -> Result<(), HandoffError> {
        let mut all = Agents::default();
        for profile in after.values() {
            all.put(profile.clone(), Standing::Available);
        }
        let mut refusals = self.policy.as_ref().map(|policy| check_policy(policy, &all)).unwrap_or_default();
        let mut seen = BTreeSet::new();
        for (i, profile) in self.agents.iter().enumerate() {
            let mut found = check_profile(profile, &all).err().map(|error| error.refusals).unwrap_or_default();
            if let Some(above) = profile.escalates_to.as_ref().filter(|above| all.get(above).is_none()) {
                found.push(unknown(above, &all).at("escalates_to"));
            }
            if !seen.insert(&profile.id) {
                let message = format!("two agents have the id `{}`", profile.id);
                found.push(Refusal::new(Code::DuplicateId, message).at("id"));
            }
            refusals.extend(found.into_iter().map(|mut refusal| {
                refusal.message = format!("{}, at {}", refusal.message, self.place(&profile.id));
                refusal.field = format!("agents[{i}].{}", refusal.field);
                refusal
            }));
        }
        // Circles longer than the core follows are found here, before the order below depends on there being none.
        if refusals.is_empty() {
            let circles = circles(after.values().map(AsRef::as_ref));
            let refusal = |circle: &Vec<&AgentId>| Refusal::new(Code::BadProfile, in_words(circle, 0));
            refusals.extend(circles.iter().map(refusal));
        }
        if refusals.is_empty() { Ok(()) } else { Err(HandoffError { refusals, agents: String::new(), cause: None }) }
    }
}

/// What is wrong with a policy, and whom it names that the engine will not have.
fn check_policy(policy: &Policy, all: &Agents) -> Vec<Refusal> {
    let mut refusals = policy.check().err().map(|error| error.refusals).unwrap_or_default();
    for (field, id) in named(policy).filter(|(_, id)| all.get(id).is_none()) {
        refusals.push(unknown(id, all).at(format!("policy.{field}")));
    }
    refusals
}

fn unknown(id: &AgentId, all: &Agents) -> Refusal {
    let refusal = Refusal::new(Code::UnknownAgent, format!("\"{id}\" is not registered"));
    match all.nearest(id.as_str()) {
        Some(near) => refusal.hint(format!("did you mean \"{near}\"?")),
        None => refusal,
    }
}

/// The agents in an order in which each comes after those above it. The engine then never sees half of a change that
/// looks like a circle, such as two agents that change places.
fn from_the_top<'a>(agents: &'a [Profile], after: &BTreeMap<AgentId, Arc<Profile>>) -> Vec<&'a Profile> {
    let mut heights: BTreeMap<&AgentId, usize> = BTreeMap::new();
    for start in after.keys() {
        let mut path = Vec::new();
        let mut next = after.get_key_value(start);
        let base = loop {
            let Some((id, profile)) = next else { break 0 };
            if let Some(height) = heights.get(id) {
                break *height;
            }
            path.push(id);
            next = profile.escalates_to.as_ref().and_then(|above| after.get_key_value(above));
        };
        for (i, id) in path.into_iter().rev().enumerate() {
            heights.insert(id, base + i + 1);
        }
    }
    let mut ordered: Vec<&Profile> = agents.iter().collect();
    ordered.sort_by_key(|profile| heights.get(&profile.id).copied().unwrap_or_default());
    ordered
}
