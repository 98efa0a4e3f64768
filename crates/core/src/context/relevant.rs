//! Choosing what bears on the task: overlap of terms (BM25), and what was said lately where that says too little.
//! A tool call and its results are chosen together: one without the other confuses a model.

use super::terms::{self, Counts, Term, Terms};
use crate::{
    handoff::Request,
    limits,
    message::{Message, Role},
};
use std::collections::HashMap;

/// How much a further mention of a term adds, and how much the length of a message takes away: the usual values of BM25.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;
/// What the latest message gets for being the latest, as a share of the best overlap; older ones get less.
const RECENCY: f64 = 0.25;
/// Below this share of the best overlap, a message has a word in common with the task and no more.
const BEARING_MIN: f64 = 0.2;

/// The places of the messages to show, in order; at most `most`.
pub(super) fn choose(request: &Request, candidates: &[&Message], most: usize) -> Vec<usize> {
    let overlaps = overlaps(&terms::of_request(request), candidates);
    let units = units(candidates);
    let mut choice = Choice { units: &units, taken: vec![false; candidates.len()], room: most };
    choice.take_what_always_shows(candidates);
    for (unit, _) in ranked(&units, &overlaps) {
        choice.take_unit(unit);
    }
    // A view too thin to work with gets the latest messages.
    for index in (0..candidates.len()).rev() {
        if most - choice.room < limits::BRIEF_MESSAGES {
            choice.take_unit(units[index]);
        }
    }
    (0..candidates.len()).filter(|index| choice.taken[*index]).collect()
}

struct Choice<'a> {
    units: &'a [usize],
    taken: Vec<bool>,
    room: usize,
}

impl Choice<'_> {
    /// The latest, the first word of the user, the one before the latest: in this order, for when there is little room.
    fn take_what_always_shows(&mut self, candidates: &[&Message]) {
        let first = candidates.iter().position(|message| message.said.role == Role::User);
        let mut latest = (0..candidates.len()).rev().take(limits::VIEW_LATEST);
        let always = [latest.next(), first].into_iter().chain(latest.map(Some));
        for index in always.flatten() {
            if !self.take_unit(self.units[index]) && self.room > 0 && !self.taken[index] {
                self.taken[index] = true;
                self.room -= 1;
            }
        }
    }

    /// Takes what is left of a unit when it fits.
    fn take_unit(&mut self, unit: usize) -> bool {
        let members = || (0..self.units.len()).filter(|index| self.units[*index] == unit && !self.taken[*index]);
        let size = members().count();
        if size == 0 || size > self.room {
            return false;
        }
        for index in members().collect::<Vec<_>>() {
            self.taken[index] = true;
        }
        self.room -= size;
        true
    }
}

/// For each message the place of the one that leads its unit: a tool call leads its results, others lead themselves.
pub(super) fn units(messages: &[&Message]) -> Vec<usize> {
    let mut callers: HashMap<&str, usize> = HashMap::new();
    let mut units = Vec::with_capacity(messages.len());
    for (index, message) in messages.iter().enumerate() {
        let caller = message.said.tool_call_id.as_deref().and_then(|id| callers.get(id));
        units.push(caller.copied().unwrap_or(index));
        // Ids come again in long conversations; a result belongs to the call before it.
        callers.extend(message.said.tool_calls.iter().map(|call| (call.id.as_str(), index)));
    }
    units
}

/// Units with some bearing on the task, best first.
fn ranked(units: &[usize], overlaps: &[f64]) -> Vec<(usize, f64)> {
    let best = overlaps.iter().copied().fold(0.0, f64::max);
    let mut scores: HashMap<usize, f64> = HashMap::new();
    for (index, overlap) in overlaps.iter().enumerate() {
        if *overlap > 0.0 && *overlap >= best * BEARING_MIN {
            let recency = RECENCY * best * (index + 1) as f64 / overlaps.len() as f64;
            let score = scores.entry(units[index]).or_default();
            *score = score.max(overlap + recency);
        }
    }
    let mut ranked: Vec<(usize, f64)> = scores.into_iter().collect();
    ranked.sort_by(|(a, one), (b, other)| other.total_cmp(one).then(b.cmp(a)));
    ranked
}

/// The overlap of each message with the task. Terms that most messages have say nothing about any of them.
fn overlaps(wanted: &Terms, candidates: &[&Message]) -> Vec<f64> {
    let said: Vec<Vec<Term>> = candidates.iter().map(|message| terms::of_message(&message.said)).collect();
    let mentions: Vec<Counts> = said.iter().map(|terms| mentions(wanted, terms)).collect();
    let mut spread = Counts::default();
    for term in mentions.iter().flat_map(Counts::keys) {
        *spread.entry(*term).or_default() += 1.0;
    }
    let messages = candidates.len().max(1) as f64;
    let average = (said.iter().map(Vec::len).sum::<usize>() as f64 / messages).max(1.0);
    let overlap = |index: usize| {
        let length = 1.0 - LENGTH + LENGTH * said[index].len() as f64 / average;
        // In the order of the set, so that the sum is the same to the last bit every time.
        let weights = wanted.iter().filter_map(|term| {
            let times = mentions[index].get(&term)?;
            let having = spread.get(&term).copied().filter(|having| messages < 4.0 || *having <= messages / 2.0)?;
            let rarity = (1.0 + (messages - having + 0.5) / (having + 0.5)).ln();
            Some(terms::weight(term) * rarity * times * (SATURATION + 1.0) / (times + SATURATION * length))
        });
        weights.sum()
    };
    (0..candidates.len()).map(overlap).collect()
}

fn mentions(wanted: &Terms, terms: &[Term]) -> Counts {
    let mut mentions = Counts::default();
    for term in terms.iter().filter(|term| wanted.contains(**term)) {
        *mentions.entry(*term).or_default() += 1.0;
    }
    mentions
}
