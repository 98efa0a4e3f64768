//! What is wrong with settings that can be read: the checks of the core, and what only shows when all agents are seen.

use super::read::Listed;
use crate::yaml::{Document, NodeId, did_you_mean};
use handover_core::{
    agent::{Agents, Profile, Standing},
    decide::check_profile,
    ids::AgentId,
    limits::PAGE_MAX,
    policy::Policy,
    refusal::{Code, Refusal},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// Checks the policy, and that everybody it names is known.
pub(super) fn policy(document: &Document, policy: Option<(&Policy, NodeId)>, agents: &[Listed], known: &[AgentId]) {
    let Some((policy, node)) = policy else { return };
    let refusals = policy.check().err().map(|error| error.refusals).unwrap_or_default();
    for mut refusal in refusals {
        refusal.field = refusal.field.trim_start_matches("policy.").to_owned();
        document.refuse_below(node, refusal);
    }
    let ids = ids(document, agents, known);
    for (field, id) in named(policy) {
        is_known(document, node, &field, id, &ids);
    }
}

/// The agents that a policy names, each with its field. A rule about somebody who is not there would never hold, and
/// nobody would notice what goes on without the approval.
pub(super) fn named(policy: &Policy) -> impl Iterator<Item = (String, &AgentId)> {
    let human = policy.human.iter().map(|human| ("human".to_owned(), human));
    human.chain(policy.approvals.iter().enumerate().flat_map(|(i, rule)| {
        [("to", &rule.when.to), ("from", &rule.when.from)].into_iter().flat_map(move |(side, agents)| {
            agents.iter().enumerate().map(move |(j, id)| (format!("approvals[{i}].when.{side}[{j}]"), id))
        })
    }))
}

/// Checks every agent, and all of them together.
pub(super) fn agents(document: &Document, agents: &[Listed], known: &[AgentId]) {
    twice(document, agents);
    let mut all = Agents::default();
    let profiles: Vec<(NodeId, &Profile)> =
        agents.iter().filter_map(|listed| Some((listed.node, listed.profile.as_ref()?))).collect();
    for (_, profile) in &profiles {
        all.put(Arc::new((*profile).clone()), Standing::Available);
    }
    let circles = circles(profiles.iter().map(|(_, profile)| *profile));
    let turning: BTreeSet<&AgentId> = circles.iter().flatten().copied().collect();
    let ids = ids(document, agents, known);
    for (node, profile) in &profiles {
        let refusals = check_profile(profile, &all).err().map(|error| error.refusals).unwrap_or_default();
        // A circle is told once, not by everybody who is in it.
        let told = |refusal: &Refusal| refusal.field == "escalates_to" && turning.contains(&profile.id);
        for refusal in refusals.into_iter().filter(|refusal| !told(refusal)) {
            document.refuse_below(*node, refusal);
        }
        if let Some(above) = &profile.escalates_to {
            is_known(document, *node, "escalates_to", above, &ids);
        }
    }
    let places = profiles.iter().enumerate().map(|(i, (node, profile))| (&profile.id, (i, *node))).rev().collect();
    for circle in &circles {
        tell_circle(document, &places, circle);
    }
}

/// Checks how agents work: what the settings say of it, and what the agents want of it.
#[cfg(feature = "teams")]
pub(super) fn staff(
    document: &Document,
    staff: &handover_agents::staff::StaffSettings,
    agents: &[Listed],
    known: &[AgentId],
) {
    let profiles: Vec<&Profile> = agents.iter().filter_map(|listed| listed.profile.as_ref()).collect();
    let ids = ids(document, agents, known);
    let others: Vec<&str> = ids.into_iter().collect();
    let folder = document.folder();
    for mistake in staff.mistakes(&folder, &profiles, &others) {
        let (at, hint) = (mistake.fault.at, mistake.hint);
        // A part that cannot be read is told of already: what lacks because of it is no mistake of its own.
        let unread = document.lacks_below(document.root, &at) || mistake.lacks.iter().any(|path| document.has(path));
        if !unread {
            document
                .refuse_below(document.root, Refusal::new(Code::BadProfile, mistake.fault.message).at(at).hint(hint));
        }
    }
}

/// Two agents with one id, also when one of them cannot be read otherwise.
fn twice(document: &Document, agents: &[Listed]) {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for listed in agents {
        let Some((_, id)) = document.tree.field(listed.node, "id") else { continue };
        let Some(text) = document.tree.text(id).filter(|text| !text.is_empty()) else { continue };
        let line = document.tree.place(id).line;
        if let Some(first) = lines.get(text) {
            let message = format!("two agents have the id `{text}`: in line {first} and in line {line}");
            document.refuse(id, Refusal::new(Code::DuplicateId, message));
        } else {
            lines.insert(text, line);
        }
    }
}

/// Everybody who may be named. An agent that is otherwise wrong is still somebody.
fn ids<'a>(document: &'a Document, agents: &[Listed], known: &'a [AgentId]) -> BTreeSet<&'a str> {
    let tree = &document.tree;
    let listed = agents.iter().filter_map(|listed| tree.text(tree.field(listed.node, "id")?.1));
    listed.chain(known.iter().map(AgentId::as_str)).collect()
}

fn is_known(document: &Document, node: NodeId, field: &str, id: &AgentId, ids: &BTreeSet<&str>) {
    if ids.contains(id.as_str()) {
        return;
    }
    let refusal = Refusal::new(Code::UnknownAgent, format!("`{id}` is not among the agents")).at(field);
    // Looking for the nearest name is dear enough to be spared when nobody reads the hint.
    let names = ids.iter().copied().take(if document.is_full() { 0 } else { PAGE_MAX });
    let near = did_you_mean(id.as_str(), names);
    document.refuse_below(node, refusal.hint(near.unwrap_or_else(|| format!("add an agent with `id: {id}`"))));
}

/// Every circle of escalations once.
pub(super) fn circles<'a>(profiles: impl Iterator<Item = &'a Profile>) -> Vec<Vec<&'a AgentId>> {
    let profiles: Vec<&Profile> = profiles.collect();
    let mut above: BTreeMap<&AgentId, &AgentId> = BTreeMap::new();
    for profile in &profiles {
        if let Some(to) = &profile.escalates_to {
            above.entry(&profile.id).or_insert(to);
        }
    }
    // Each agent is walked over once: what an earlier walk saw leads to no new circle.
    let mut seen: BTreeSet<&AgentId> = BTreeSet::new();
    let mut found = Vec::new();
    for profile in &profiles {
        let mut path: Vec<&AgentId> = Vec::new();
        let mut places: BTreeMap<&AgentId, usize> = BTreeMap::new();
        let mut next = Some(&profile.id);
        while let Some(id) = next.filter(|id| !seen.contains(*id)) {
            seen.insert(id);
            places.insert(id, path.len());
            path.push(id);
            next = above.get(id).copied();
        }
        if let Some(first) = next.and_then(|id| places.get(id)) {
            found.push(path.split_off(*first));
        }
    }
    found
}

/// A circle in words, from the agent at this place of it.
pub(super) fn in_words(circle: &[&AgentId], first: usize) -> String {
    let names = circle.iter().cycle().skip(first).take(circle.len() + 1).map(|id| id.as_str());
    format!("escalation goes in a circle: {}", names.collect::<Vec<_>>().join(" -> "))
}

fn tell_circle(document: &Document, profiles: &BTreeMap<&AgentId, (usize, NodeId)>, circle: &[&AgentId]) {
    let places = circle.iter().enumerate().filter_map(|(i, id)| profiles.get(id).map(|(at, node)| (*at, i, *node)));
    let Some((_, first, node)) = places.min() else { return };
    let refusal = Refusal::new(Code::BadProfile, in_words(circle, first)).at("escalates_to");
    let hint = "let one of them escalate to somebody outside of the circle, or to nobody";
    document.refuse_below(node, refusal.hint(hint));
}
