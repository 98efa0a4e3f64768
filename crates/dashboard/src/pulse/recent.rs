//! Counts by name that forget: a count goes on for a while, then a new one is begun and the one before it is kept. What is shown is
//! both, so that it is never older than two turns, and nothing has to be taken away one by one.

use super::figures::Sum;
use handover_core::{
    limits::{PULSE_NAMES_MAX, PULSE_TURN_MS},
    time::Timestamp,
};
use std::collections::BTreeMap;

#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    now: BTreeMap<K, V>,
    before: BTreeMap<K, V>,
    begun: Option<Timestamp>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self { now: BTreeMap::new(), before: BTreeMap::new(), begun: None }
    }
}

impl<K: Ord + Clone, V: Sum + Default + Clone> Recent<K, V> {
    /// Counts for a name; further names than `PULSE_NAMES_MAX` are not counted.
    pub(crate) fn note(&mut self, key: &K, at: Timestamp, count: impl FnOnce(&mut V)) {
        self.turn(at);
        if let Some(known) = self.now.get_mut(key) {
            count(known);
        } else if self.now.len() < PULSE_NAMES_MAX {
            count(self.now.entry(key.clone()).or_default());
        }
    }

    fn turn(&mut self, at: Timestamp) {
        let begun = *self.begun.get_or_insert(at);
        let long = at.since(begun);
        if long < PULSE_TURN_MS {
            return;
        }
        let ended = std::mem::take(&mut self.now);
        self.before = if long < 2 * PULSE_TURN_MS { ended } else { BTreeMap::new() };
        self.begun = Some(at);
    }

    /// The counts that are not too old by now: nothing may have happened since, and then nobody turned them.
    fn young(&self, now: Timestamp) -> impl Iterator<Item = &BTreeMap<K, V>> {
        let long = self.begun.map_or(0, |begun| now.since(begun));
        let before = (long < PULSE_TURN_MS).then_some(&self.before);
        before.into_iter().chain((long < 2 * PULSE_TURN_MS).then_some(&self.now))
    }

    /// Both counts together, as far as they are not older than two turns.
    pub(crate) fn all(&self, now: Timestamp) -> BTreeMap<K, V> {
        let mut all: BTreeMap<K, V> = BTreeMap::new();
        for (key, value) in self.young(now).flatten() {
            all.entry(key.clone()).or_default().sum(value);
        }
        all
    }

    /// The same for one name.
    pub(crate) fn get(&self, key: &K, now: Timestamp) -> V {
        let mut found = V::default();
        for value in self.young(now).filter_map(|counts| counts.get(key)) {
            found.sum(value);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: i64 = PULSE_TURN_MS as i64;

    #[test]
    fn a_count_is_kept_for_two_turns() {
        for (times, later, expected) in [
            (vec![0, 1, 2], 3, 3),
            (vec![0, 1], TURN, 2),
            (vec![0, TURN], 2 * TURN, 1),
            (vec![0, TURN, 2 * TURN], 2 * TURN + 1, 2),
            (vec![0, 1], 5 * TURN, 0),
        ] {
            let mut recent = Recent::<&str, u64>::default();
            for at in &times {
                recent.note(&"a", Timestamp(*at), |count| *count += 1);
            }
            recent.note(&"b", Timestamp(later), |count| *count += 1);
            let later = Timestamp(later);
            assert_eq!(recent.get(&"a", later), expected, "{times:?}, then {later}");
            assert_eq!(recent.all(later).get("a").copied().unwrap_or(0), expected);
        }
    }

    #[test]
    fn a_count_ages_while_nothing_happens() {
        let mut recent = Recent::<&str, u64>::default();
        for at in [0, TURN, TURN + 1] {
            recent.note(&"a", Timestamp(at), |count| *count += 1);
        }
        for (now, expected) in [(TURN + 1, 3), (2 * TURN - 1, 3), (2 * TURN, 2), (3 * TURN - 1, 2), (3 * TURN, 0)] {
            assert_eq!(recent.get(&"a", Timestamp(now)), expected, "at {now}");
            assert_eq!(recent.all(Timestamp(now)).values().sum::<u64>(), expected, "at {now}");
        }
    }

    #[test]
    fn names_have_a_bound() {
        let mut recent = Recent::<usize, u64>::default();
        for name in 0..PULSE_NAMES_MAX + 10 {
            recent.note(&name, Timestamp(0), |count| *count += 1);
        }
        assert_eq!(recent.all(Timestamp(0)).len(), PULSE_NAMES_MAX);
    }
}
