//! The words of everyday work and the groups that they form. The data is in `thesaurus.txt`.

use super::{slips::Slips, stem::stem, words::quiet_words};
use std::{
    collections::{HashMap, HashSet},
    sync::{LazyLock, OnceLock},
};

const DATA: &str = include_str!("thesaurus.txt");

/// What a match through words of nearly the same meaning counts, beside 1 for the word itself.
const SYNONYM_WEIGHT: f64 = 0.6;
/// What a match through words of the same field counts, when the agent is mainly about that field. It is more than a word
/// counts: tasks and profiles seldom share words, and those that they share are often there by chance.
const FIELD_WEIGHT: f64 = 1.2;

/// Words that belong together.
#[derive(Debug)]
pub(super) struct Group {
    /// The name of the group among the terms of an index. No word of a text begins like it.
    pub(super) key: String,
    /// What a match through it counts.
    pub(super) weight: f64,
}

/// A group that a word is in, and how much the word says for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) group: usize,
    pub(super) strength: f64,
}

/// All groups, by the stems of their words.
#[derive(Debug, Default)]
pub(super) struct Thesaurus {
    groups: Vec<Group>,
    members: HashMap<String, Vec<Member>>,
    stop: HashSet<&'static str>,
    weak: HashSet<String>,
    /// The stems of single words. Nobody means a phrase by a word that is misspelt.
    single: Vec<String>,
    /// Made from the single words when a text first has a word that nobody knows: that takes longer than all the rest.
    slips: OnceLock<Slips<String>>,
}

impl Thesaurus {
    /// The one that is built in.
    pub(super) fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<Thesaurus> = LazyLock::new(|| Thesaurus::read(DATA));
        &BUILT_IN
    }

    fn read(data: &str) -> Self {
        let mut thesaurus = Self::default();
        for line in data.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.trim_start_matches(['=', '~']).split_whitespace().peekable();
            if words.peek().is_some() && !line.starts_with(' ') {
                let weight = if line.starts_with('=') { SYNONYM_WEIGHT } else { FIELD_WEIGHT };
                thesaurus.groups.push(Group { key: format!("~{}", thesaurus.groups.len()), weight });
            }
            words.for_each(|word| thesaurus.add(word));
        }
        thesaurus.weigh();
        let (stop, weak) = quiet_words();
        thesaurus.stop = stop.collect();
        thesaurus.weak = weak.map(stem).collect();
        thesaurus
    }

    /// Adds a word to the last group.
    fn add(&mut self, word: &str) {
        let Some(group) = self.groups.len().checked_sub(1) else { return };
        let stem = stem(&word.replace('_', ""));
        if !word.contains('_') {
            self.single.push(stem.clone());
        }
        let members = self.members.entry(stem).or_default();
        if members.last().is_none_or(|last| last.group != group) {
            members.push(Member { group, strength: 1.0 });
        }
    }

    /// A word of many groups says less for each of them. Fields and words of one meaning do not take from each other.
    fn weigh(&mut self) {
        let groups = &self.groups;
        for members in self.members.values_mut() {
            let kinds: Vec<f64> = members.iter().map(|member| groups[member.group].weight).collect();
            for member in members {
                let alike = kinds.iter().filter(|weight| **weight == groups[member.group].weight).count();
                member.strength = 1.0 / (alike as f64).sqrt();
            }
        }
    }

    /// The groups of this stem.
    pub(super) fn groups_of(&self, stem: &str) -> &[Member] {
        self.members.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Whether this stem is in any group.
    pub(super) fn knows(&self, stem: &str) -> bool {
        self.members.contains_key(stem)
    }

    /// The group with this number.
    pub(super) fn group(&self, number: usize) -> &Group {
        &self.groups[number]
    }

    /// The stems that this one may be a slip of.
    pub(super) fn near(&self, stem: &str) -> Vec<&str> {
        let slips = self.slips.get_or_init(|| {
            let words: HashSet<&String> = self.single.iter().collect();
            let mut slips = Slips::default();
            words.into_iter().for_each(|word| slips.put(word, word.clone()));
            slips
        });
        slips.near(stem).into_iter().map(String::as_str).collect()
    }

    pub(super) fn is_stop(&self, word: &str) -> bool {
        self.stop.contains(word)
    }

    pub(super) fn is_weak(&self, stem: &str) -> bool {
        self.weak.contains(stem)
    }
}
