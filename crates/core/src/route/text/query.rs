//! From a task text to a plan: which terms of the index to read, and what each of them counts.

use super::{
    index::Index,
    thesaurus::Thesaurus,
    words::{self, Make, Term},
};
use crate::limits;
use std::collections::BTreeMap;

/// What a word counts that nearly every task has.
const WEAK: f64 = 0.35;
/// What such a word counts for its groups. It is there more often than not because of what it means.
const WEAK_GROUP: f64 = 0.6;
/// What two words count that somebody writes as one.
const PAIR: f64 = 0.8;
/// What a word counts that was mended.
const MENDED: f64 = 0.6;
/// What a word counts that only begins like one of the index.
const SAME_BEGINNING: f64 = 0.5;
/// What a word adds when it stands in the text again, and how often that counts.
const AGAIN: (f64, usize) = (0.25, 4);
/// How soon further words of one group stop to strengthen it.
const GROUP_SATURATION: f64 = 10.0;
/// What a word that nobody knows counts in the whole, as a share of a word that one agent has.
const UNKNOWN: f64 = 0.5;
/// A term that more than this share of the agents has says nothing, once there are enough agents to tell.
const COMMON: (f64, usize) = (0.5, 64);
/// Shortest half of a word that is taken for two words in one, in bytes.
const HALF_MIN: usize = 3;
/// Shortest word that is compared by its beginning, in characters, and the part of it that must be the same.
const BEGINNING: (usize, f64) = (6, 0.7);
/// Words with the same beginning that are used.
const BEGINNINGS_MAX: usize = 4;

/// Where a word of the text begins and ends, in bytes.
pub(super) type Place = (usize, usize);

/// A term of the index that bears on the text.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) term: u32,
    pub(super) weight: f64,
    /// The words of the text that led to it, as positions in the places of the plan.
    pub(super) places: Vec<usize>,
}

/// What to read, weightiest first.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) parts: Vec<Part>,
    /// The sum that an agent would have to whom every word applies in full. Never 0.
    pub(super) ceiling: f64,
    pub(super) places: Vec<Place>,
}

/// A plan while the text is read: how much each term and group was asked for, and by which places.
struct Draft<'a> {
    index: &'a Index,
    terms: BTreeMap<u32, Asked>,
    groups: BTreeMap<usize, Asked>,
    unknown: f64,
}

#[derive(Default)]
struct Asked {
    amount: f64,
    places: Vec<usize>,
}

impl Asked {
    fn add(&mut self, amount: f64, place: usize) {
        self.amount += amount;
        self.places.push(place);
    }
}

impl Plan {
    pub(super) fn of(text: &str, index: &Index) -> Self {
        let text = &text[..text.floor_char_boundary(limits::ROUTE_TEXT_BYTES_MAX)];
        let mut counted: BTreeMap<String, (Term, usize)> = BTreeMap::new();
        for term in words::terms(text, limits::ROUTE_TERMS_MAX) {
            counted.entry(term.stem.clone()).or_insert((term, 0)).1 += 1;
        }
        let mut draft = Draft { index, terms: BTreeMap::new(), groups: BTreeMap::new(), unknown: 0.0 };
        let mut places = Vec::with_capacity(counted.len());
        for (term, times) in counted.into_values() {
            draft.ask(&term, 1.0 + AGAIN.0 * (times.min(AGAIN.1) - 1) as f64, places.len());
            places.push(term.place);
        }
        draft.plan(places)
    }
}

impl Draft<'_> {
    fn ask(&mut self, term: &Term, amount: f64, place: usize) {
        let (as_word, as_group) = match term.make {
            Make::Word => (1.0, 1.0),
            Make::Weak => (WEAK, WEAK_GROUP),
            Make::Pair | Make::TightPair => (PAIR, 1.0),
        };
        let known = self.ask_stem(&term.stem, (amount * as_word, amount * as_group), place);
        if !known && term.make == Make::Word && !self.ask_like(&term.stem, amount, place) {
            self.unknown += amount;
        }
    }

    /// Asks for a word and its groups; whether any agent has one of them.
    fn ask_stem(&mut self, stem: &str, (as_word, as_group): (f64, f64), place: usize) -> bool {
        let term = self.index.term(stem);
        if let Some(term) = term {
            self.terms.entry(term).or_default().add(as_word, place);
        }
        let thesaurus = Thesaurus::built_in();
        let groups = thesaurus.groups_of(stem);
        for member in groups {
            self.groups.entry(member.group).or_default().add(as_group * member.strength, place);
        }
        term.is_some() || !groups.is_empty()
    }

    /// Asks for what a word that nobody knows may mean: a slip, two words in one, or another form of a word.
    fn ask_like(&mut self, stem: &str, amount: f64, place: usize) -> bool {
        self.ask_near(stem, amount * MENDED, place)
            || self.ask_halves(stem, amount * MENDED, place)
            || self.ask_beginnings(stem, amount * SAME_BEGINNING, place)
    }

    fn ask_near(&mut self, stem: &str, amount: f64, place: usize) -> bool {
        let near = self.index.near(stem);
        for term in &near {
            self.terms.entry(*term).or_default().add(amount / near.len() as f64, place);
        }
        let thesaurus = Thesaurus::built_in();
        let known = thesaurus.near(stem);
        for other in &known {
            for member in thesaurus.groups_of(other) {
                let amount = amount * member.strength / known.len() as f64;
                self.groups.entry(member.group).or_default().add(amount, place);
            }
        }
        !near.is_empty() || !known.is_empty()
    }

    fn ask_halves(&mut self, stem: &str, amount: f64, place: usize) -> bool {
        let known = |half: &str| self.index.term(half).is_some() || Thesaurus::built_in().knows(half);
        let cuts = (HALF_MIN..(stem.len() + 1).saturating_sub(HALF_MIN)).filter(|cut| stem.is_char_boundary(*cut));
        let halves = cuts.map(|cut| (super::stem::stem(&stem[..cut]), &stem[cut..]));
        let Some((first, second)) = halves.into_iter().find(|(first, second)| known(first) && known(second)) else {
            return false;
        };
        self.ask_stem(&first, (amount, amount), place);
        self.ask_stem(second, (amount, amount), place);
        true
    }

    fn ask_beginnings(&mut self, stem: &str, amount: f64, place: usize) -> bool {
        let length = stem.chars().count();
        if length < BEGINNING.0 || stem.len() > limits::ROUTE_WORD_BYTES_MAX {
            return false;
        }
        let same = (length as f64 * BEGINNING.1).ceil() as usize;
        let end = stem.char_indices().nth(same).map_or(stem.len(), |(at, _)| at);
        let like =
            self.index.beginning_with(&stem[..end]).filter(|(key, _)| key.chars().count() <= length + length / 2);
        let like: Vec<u32> = like.map(|(_, term)| term).take(BEGINNINGS_MAX).collect();
        for term in &like {
            self.terms.entry(*term).or_default().add(amount / like.len() as f64, place);
        }
        !like.is_empty()
    }

    fn plan(self, places: Vec<Place>) -> Plan {
        let thesaurus = Thesaurus::built_in();
        let index = self.index;
        let agents = index.len() as f64;
        let rarity = |term: u32| rarity(agents, index.entries(term).len() as f64);
        let words = self.terms.into_iter().map(|(term, asked)| (term, asked.amount, asked.places));
        let groups = self.groups.into_iter().filter_map(|(number, asked)| {
            let group = thesaurus.group(number);
            let amount = asked.amount * (1.0 + GROUP_SATURATION) / (asked.amount + GROUP_SATURATION);
            index.term(&group.key).map(|term| (term, amount * group.weight, asked.places))
        });
        let parts = words.chain(groups);
        let mut parts: Vec<Part> =
            parts.map(|(term, amount, places)| Part { term, weight: amount * rarity(term), places }).collect();
        // The number of a term depends on history, so it may not decide the order; the term itself does.
        parts.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| index.key(a.term).cmp(index.key(b.term))));
        let unknown = self.unknown * UNKNOWN * self::rarity(agents, 1.0);
        let ceiling = parts.iter().map(|part| part.weight).sum::<f64>() + unknown;
        Plan { parts: affordable(parts, index), ceiling: ceiling.max(f64::MIN_POSITIVE), places }
    }
}

/// How much it says that an agent has a term which so many have.
fn rarity(agents: f64, having: f64) -> f64 {
    (1.0 + (agents - having + 0.5).max(0.0) / (having + 0.5)).ln()
}

/// The parts that are worth reading. Those that most agents have, and those beyond the bound, are left out.
fn affordable(mut parts: Vec<Part>, index: &Index) -> Vec<Part> {
    let agents = index.len();
    let (mut read, mut kept) = (0, 0);
    parts.retain(|part| {
        let entries = index.entries(part.term).len();
        let common = agents >= COMMON.1 && entries as f64 > agents as f64 * COMMON.0;
        let keep = kept == 0 || (!common && read + entries <= limits::ROUTE_ENTRIES_MAX);
        if keep {
            (read, kept) = (read + entries, kept + 1);
        }
        keep
    });
    parts
}
