//! Advice: who would be good for a task, and whether a handoff seems due. It changes nothing; people and agents decide.

use super::{
    Scene, learned, pool,
    rank::{Rated, places},
    semantic,
};
use crate::{
    handoff::{Kind, Phase},
    ids::AgentId,
    limits,
    policy::Strategy,
    session::Session,
    time::Timestamp,
};
use serde::Serialize;

/// What each part counts in a recommendation; together they are 1.
const TEXT: f64 = 0.5;
const PROFICIENCY: f64 = 0.2;
const RECORD: f64 = 0.2;
const ROOM: f64 = 0.1;
/// Another agent fits much better when it fits so many times as well.
const MUCH_BETTER: f64 = 2.0;
/// A deadline is near when less than this share of the time is left.
const NEAR_SHARE: u64 = 10;
/// So many failures in one session are a pattern.
const FAILURES: u32 = 2;

/// Somebody who would be good for a task.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recommendation {
    /// Who.
    pub agent: AgentId,
    /// From 0 to 1; comparable within one list.
    pub score: f64,
    /// Why, in plain words.
    pub reasons: Vec<String>,
}

/// What seems due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SuggestionKind {
    /// The last words of the user fit another agent much better.
    BetterFit,
    /// The part of the active agent is complete, and nobody took over.
    PartComplete,
    /// Its deadline is near.
    DeadlineNear,
    /// Its deadline has passed.
    DeadlinePassed,
    /// It failed more than once in this session.
    FailedOften,
    /// Its breaker is open.
    BreakerOpen,
    /// Most of the session's tokens are used.
    TokensLow,
    /// A decision that it may not make waits for somebody above.
    DecisionPending,
}

/// A reason to hand over.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Suggestion {
    /// What seems due.
    pub kind: SuggestionKind,
    /// To whom, where somebody suits.
    pub to: Option<AgentId>,
    /// Why, in plain words.
    pub why: String,
}

/// What is looked at to say whether a handoff is due.
pub(crate) struct Looked<'a> {
    pub(crate) session: &'a Session,
    /// The last words of the user; nothing when it has said nothing.
    pub(crate) heard: Option<&'a str>,
    /// Handoffs of this session that the active agent failed at.
    pub(crate) failed: u32,
    /// Why the active agent is left alone, if it is.
    pub(crate) left_alone: Option<String>,
    /// How many tokens the session may use.
    pub(crate) tokens: Option<u64>,
    pub(crate) now: Timestamp,
}

/// The best agents for the task of this scene, each with its reasons.
pub(crate) fn recommend(scene: &Scene<'_>, limit: usize) -> Vec<Recommendation> {
    let mut rated = pool::gather(scene, Strategy::Semantic);
    semantic::leave_out_unfit(&mut rated);
    rated.retain(Rated::can);
    let best = rated.iter().map(|entry| entry.score).fold(f64::MIN_POSITIVE, f64::max);
    let text = scene.text().to_lowercase();
    let mut found: Vec<Recommendation> = rated.into_iter().map(|entry| blend(scene, entry, best, &text)).collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.agent.cmp(&b.agent)));
    found.truncate(limit.min(limits::RECOMMENDATIONS_MAX));
    found
}

/// Text, proficiency, record and room together. What is not known counts as middling.
fn blend(scene: &Scene<'_>, entry: Rated<'_>, best: f64, text: &str) -> Recommendation {
    let profile = &entry.agent.profile;
    let mut reasons = vec![(entry.why)()];
    let named = profile.capabilities.iter().filter(|capability| is_named(text, &capability.id));
    let skill = named.max_by(|a, b| a.proficiency.total_cmp(&b.proficiency));
    reasons.extend(skill.map(|skill| format!("its proficiency in {} is {}", skill.id, skill.proficiency)));
    let tried = learned::record(scene.ledger, &profile.id, &[]);
    reasons.push(if tried.ended == 0 { "it has no record yet".to_owned() } else { learned::words(tried) });
    // One more of each kind: a single success is no certainty.
    let record = super::compare::count(tried.succeeded + 1) / super::compare::count(tried.ended + 2);
    let room = (1.0 - entry.agent.share_taken()).clamp(0.0, 1.0);
    reasons.push(places(entry.agent));
    let proficiency = skill.map_or(0.5, |skill| skill.proficiency);
    let score = TEXT * entry.score / best + PROFICIENCY * proficiency + RECORD * record + ROOM * room;
    Recommendation { agent: profile.id.clone(), score, reasons }
}

/// Whether a text names a capability: one of its longer words, or the beginning of it.
fn is_named(text: &str, capability: &str) -> bool {
    let words = capability.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let stems = words.filter(|word| word.chars().count() > 3).map(|word| word.chars().take(5).collect::<String>());
    let mut stems = stems.peekable();
    stems.any(|stem| text.split(|c: char| !c.is_alphanumeric()).any(|word| word.starts_with(&stem)))
}

/// Reasons to hand over, if there are any.
pub(crate) fn suggest(looked: &Looked<'_>, scene: &Scene<'_>) -> Vec<Suggestion> {
    if looked.session.ended_at.is_some() {
        return Vec::new();
    }
    let next = recommend(scene, 1).pop().map(|best| best.agent);
    let checks = [
        better_fit(looked, scene),
        part_complete(looked, next.as_ref()),
        deadline(looked, next.as_ref()),
        trouble(looked, next.as_ref()),
        tokens(looked),
        pending(looked),
    ];
    checks.into_iter().flatten().collect()
}

fn better_fit(looked: &Looked<'_>, scene: &Scene<'_>) -> Option<Suggestion> {
    let active = &looked.session.active_agent;
    let heard = looked.heard?;
    let mut rated = pool::gather(scene, Strategy::Semantic);
    semantic::leave_out_unfit(&mut rated);
    let other = rated.iter().filter(|entry| entry.can()).max_by(|a, b| a.score.total_cmp(&b.score))?;
    let own = scene.agents.text().score(heard, active);
    if other.score < own * MUCH_BETTER {
        return None;
    }
    let name = &other.agent.profile.id;
    let why = format!("what the user last said fits {name} at {:.2} and {active} at {own:.2}", other.score);
    Some(Suggestion { kind: SuggestionKind::BetterFit, to: Some(name.clone()), why })
}

fn part_complete(looked: &Looked<'_>, next: Option<&AgentId>) -> Option<Suggestion> {
    let session = looked.session;
    let going = session.open.values().any(|open| open.request.kind == Kind::Sequential && open.accepted_at.is_none());
    let why = format!("{}'s part is complete, and nobody took over", session.active_agent);
    let kind = SuggestionKind::PartComplete;
    (session.segment_complete && !going).then(|| Suggestion { kind, to: next.cloned(), why })
}

fn deadline(looked: &Looked<'_>, next: Option<&AgentId>) -> Option<Suggestion> {
    let held = looked.session.held_by(&looked.session.active_agent)?;
    let Phase::Running { deadline, .. } = held.phase else { return None };
    let left = deadline.since(looked.now);
    let given = held.accepted_at.map_or(0, |at| deadline.since(at));
    let (kind, why) = if left == 0 {
        (SuggestionKind::DeadlinePassed, format!("the deadline of handoff {} passed at {deadline}", held.id))
    } else if left < given / NEAR_SHARE {
        (SuggestionKind::DeadlineNear, format!("handoff {} has {} s left of {}", held.id, left / 1_000, given / 1_000))
    } else {
        return None;
    };
    Some(Suggestion { kind, to: next.cloned(), why })
}

fn trouble(looked: &Looked<'_>, next: Option<&AgentId>) -> Option<Suggestion> {
    let active = &looked.session.active_agent;
    if let Some(why) = &looked.left_alone {
        let why = format!("{active}: {why}");
        return Some(Suggestion { kind: SuggestionKind::BreakerOpen, to: next.cloned(), why });
    }
    let why = format!("{active} failed {} times in this session", looked.failed);
    let kind = SuggestionKind::FailedOften;
    (looked.failed >= FAILURES).then(|| Suggestion { kind, to: next.cloned(), why })
}

/// More than four fifths are used: whoever goes on should know, or somebody should end it.
fn tokens(looked: &Looked<'_>) -> Option<Suggestion> {
    let (used, max) = (looked.session.metrics.tokens, looked.tokens?);
    let low = u128::from(used) * 5 > u128::from(max) * 4;
    let why = format!("{used} of {max} tokens are used");
    low.then_some(Suggestion { kind: SuggestionKind::TokensLow, to: None, why })
}

fn pending(looked: &Looked<'_>) -> Option<Suggestion> {
    let session = looked.session;
    let waits = session.decisions.iter().rev().find_map(|decision| {
        let open = decision.escalated_to.and_then(|id| session.open.get(&id));
        open.map(|open| (decision, open))
    });
    let (decision, open) = waits?;
    let why = format!("\"{}\" is above what {} may decide", decision.description, decision.made_by);
    Some(Suggestion { kind: SuggestionKind::DecisionPending, to: Some(open.to_agent.clone()), why })
}
