//! The word index: for every term the profiles that have it, and how much it says there.
//! Putting a profile in or taking it out costs as much as that profile has words, however many others there are.

use super::{
    slips::Slips,
    thesaurus::Thesaurus,
    words::{self, Make},
};
use crate::{agent::Profile, ids::AgentId, limits};
use std::collections::BTreeMap;

/// How soon a word that is said again stops to count more.
const SATURATION: f64 = 3.0;
/// How much the length of a profile matters, from 0 (not at all) to 1.
const LENGTH_SHARE: f64 = 0.4;
/// The length of a usual profile, in weighted words.
const USUAL_LENGTH: f64 = 60.0;

/// How much less a group counts that is not the main one of a profile: 0 is not less, 1 is in proportion.
const FOCUS: f64 = 0.75;
/// A profile that says less than this of every group is about none of them.
const FOCUS_MIN: f64 = 3.0;

/// What a word counts by the field that it stands in.
const SPECIALIZATION: f64 = 3.0;
const CAPABILITY: f64 = 3.0;
const TAG: f64 = 2.0;
const EXAMPLE: f64 = 2.0;
const NAME: f64 = 1.5;
const DESCRIPTION: f64 = 1.25;
/// What a word counts in a profile that nearly every task has, as a share.
const WEAK: f64 = 0.5;

/// A profile that has a term.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) document: u32,
    /// From 0 to 1.
    pub(super) weight: f32,
}

#[derive(Debug, Clone, Default)]
struct Term {
    key: Box<str>,
    entries: Vec<Entry>,
}

/// A profile as the index knows it: its terms in order, and the place of its entry under each.
#[derive(Debug, Clone)]
struct Document {
    agent: AgentId,
    terms: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    by_agent: BTreeMap<AgentId, u32>,
    documents: Vec<Document>,
    free_documents: Vec<u32>,
    vocabulary: BTreeMap<Box<str>, u32>,
    terms: Vec<Term>,
    free_terms: Vec<u32>,
    slips: Slips<u32>,
}

impl Index {
    pub(super) fn len(&self) -> usize {
        self.by_agent.len()
    }

    /// One more than the highest number of a document.
    pub(super) fn slots(&self) -> usize {
        self.documents.len()
    }

    pub(super) fn document(&self, agent: &AgentId) -> Option<u32> {
        self.by_agent.get(agent).copied()
    }

    pub(super) fn agent(&self, document: u32) -> &AgentId {
        &self.documents[document as usize].agent
    }

    pub(super) fn term(&self, key: &str) -> Option<u32> {
        self.vocabulary.get(key).copied()
    }

    pub(super) fn key(&self, term: u32) -> &str {
        &self.terms[term as usize].key
    }

    pub(super) fn entries(&self, term: u32) -> &[Entry] {
        &self.terms[term as usize].entries
    }

    /// The words that this one may be a slip of.
    pub(super) fn near(&self, stem: &str) -> Vec<u32> {
        self.slips.near(stem).into_iter().copied().collect()
    }

    /// Words that begin like this, with their terms.
    pub(super) fn beginning_with<'a>(&'a self, beginning: &'a str) -> impl Iterator<Item = (&'a str, u32)> {
        let from = self.vocabulary.range::<str, _>((std::ops::Bound::Included(beginning), std::ops::Bound::Unbounded));
        from.take_while(move |(key, _)| key.starts_with(beginning)).map(|(key, term)| (&**key, *term))
    }

    /// What a term says in a document; 0 when it is not there.
    pub(super) fn weight(&self, document: u32, term: u32) -> f64 {
        let terms = &self.documents[document as usize].terms;
        let found = terms.binary_search_by_key(&term, |(term, _)| *term).ok();
        found.map_or(0.0, |at| f64::from(self.entries(term)[terms[at].1 as usize].weight))
    }

    pub(super) fn put(&mut self, profile: &Profile) {
        self.remove(&profile.id);
        let document = self.free_documents.pop().unwrap_or(self.documents.len() as u32);
        let mut terms = Vec::new();
        for (key, weight) in weights(profile) {
            let term = self.term_for(&key);
            let entries = &mut self.terms[term as usize].entries;
            terms.push((term, entries.len() as u32));
            entries.push(Entry { document, weight });
        }
        terms.sort_unstable();
        let entry = Document { agent: profile.id.clone(), terms };
        match self.documents.get_mut(document as usize) {
            Some(slot) => *slot = entry,
            None => self.documents.push(entry),
        }
        self.by_agent.insert(profile.id.clone(), document);
    }

    pub(super) fn remove(&mut self, agent: &AgentId) {
        let Some(document) = self.by_agent.remove(agent) else { return };
        for (term, at) in std::mem::take(&mut self.documents[document as usize].terms) {
            self.remove_entry(term, at);
        }
        self.free_documents.push(document);
    }

    /// Takes one entry out. The last one takes its place, so its document must learn of that.
    fn remove_entry(&mut self, term: u32, at: u32) {
        let Term { key, entries } = &mut self.terms[term as usize];
        entries.swap_remove(at as usize);
        if let Some(moved) = entries.get(at as usize) {
            let terms = &mut self.documents[moved.document as usize].terms;
            if let Ok(place) = terms.binary_search_by_key(&term, |(term, _)| *term) {
                terms[place].1 = at;
            }
        } else if entries.is_empty() {
            self.vocabulary.remove(key);
            self.slips.remove(key);
            self.terms[term as usize] = Term::default();
            self.free_terms.push(term);
        }
    }

    fn term_for(&mut self, key: &str) -> u32 {
        if let Some(term) = self.term(key) {
            return term;
        }
        let term = self.free_terms.pop().unwrap_or(self.terms.len() as u32);
        let new = Term { key: key.into(), entries: Vec::new() };
        match self.terms.get_mut(term as usize) {
            Some(slot) => *slot = new,
            None => self.terms.push(new),
        }
        self.vocabulary.insert(key.into(), term);
        self.slips.put(key, term);
        term
    }
}

/// The terms of a profile with what each says in it, from 0 to 1: its words, and the groups that they are of.
fn weights(profile: &Profile) -> BTreeMap<String, f32> {
    let thesaurus = Thesaurus::built_in();
    let (mut words, mut groups, mut length) = (BTreeMap::new(), BTreeMap::new(), 0.0);
    for (text, weight) in fields(profile) {
        let text = &text[..text.floor_char_boundary(limits::ROUTE_TEXT_BYTES_MAX)];
        for term in words::terms(text, limits::ROUTE_TERMS_MAX) {
            let weight = if term.make == Make::Weak { weight * WEAK } else { weight };
            let members = thesaurus.groups_of(&term.stem);
            for member in members {
                *groups.entry(member.group).or_default() += weight * member.strength;
            }
            let is_word = matches!(term.make, Make::Word | Make::Weak);
            length += if is_word { weight } else { 0.0 };
            // Two words beside each other mean something together only when somebody has said so.
            if term.make != Make::Pair || !members.is_empty() {
                *words.entry(term.stem).or_default() += weight;
            }
        }
    }
    let stretch = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * length / USUAL_LENGTH);
    let words = words.into_iter().map(|(word, count): (_, f64)| (word, (count / (count + stretch)) as f32));
    let most = groups.values().copied().fold(FOCUS_MIN, f64::max);
    let groups = groups
        .into_iter()
        .map(|(group, count): (_, f64)| (thesaurus.group(group).key.clone(), (count / most).powf(FOCUS) as f32));
    words.chain(groups).collect()
}

/// The texts of a profile, with what a word of each counts.
fn fields(profile: &Profile) -> impl Iterator<Item = (&str, f64)> {
    let single = [
        (profile.id.as_str(), NAME),
        (profile.name.as_str(), NAME),
        (profile.specialization.as_str(), SPECIALIZATION),
        (profile.description.as_str(), DESCRIPTION),
    ];
    let capabilities = profile.capabilities.iter().map(|c| (c.id.as_str(), CAPABILITY));
    let examples = profile.examples.iter().map(|text| (text.as_str(), EXAMPLE));
    let tags = profile.tags.iter().map(|text| (text.as_str(), TAG));
    single.into_iter().chain(capabilities).chain(examples).chain(tags)
}
