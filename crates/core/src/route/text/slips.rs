//! Misspelt words: finds the words that differ from one by a letter or two, without looking at all words.
//!
//! Each word is kept under itself and under every form with one letter left out. Two words share such a form when one
//! letter is missing, added, changed or swapped, or one is missing here and another there.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hasher},
};

/// Shorter words are not mended: too many others are near them.
const SHORTEST: usize = 6;
/// Longer words are names, sums or noise.
const LONGEST: usize = 24;
/// From this length on, two slips are forgiven.
const TWO_SLIPS: usize = 8;

/// Words by their forms with one letter left out.
#[derive(Debug, Clone)]
pub(super) struct Slips<T> {
    by_form: BTreeMap<u64, Vec<(Box<str>, T)>>,
}

impl<T> Default for Slips<T> {
    fn default() -> Self {
        Self { by_form: BTreeMap::new() }
    }
}

impl<T: Clone> Slips<T> {
    /// Keeps a word, and what it stands for.
    pub(super) fn put(&mut self, word: &str, value: T) {
        for form in forms(word) {
            self.by_form.entry(form).or_default().push((word.into(), value.clone()));
        }
    }

    /// Forgets a word.
    pub(super) fn remove(&mut self, word: &str) {
        for form in forms(word) {
            if let Some(kept) = self.by_form.get_mut(&form) {
                kept.retain(|(other, _)| **other != *word);
                if kept.is_empty() {
                    self.by_form.remove(&form);
                }
            }
        }
    }

    /// What the nearest words stand for: all that are equally near, in the order of the words.
    pub(super) fn near(&self, word: &str) -> Vec<&T> {
        let slips = if word.len() >= TWO_SLIPS { 2 } else { 1 };
        let kept = forms(word).into_iter().filter_map(|form| self.by_form.get(&form)).flatten();
        let near = kept.map(|(other, value)| (distance(word.as_bytes(), other.as_bytes()), &**other, value));
        let mut near: Vec<(usize, &str, &T)> = near.filter(|(distance, ..)| *distance <= slips).collect();
        near.sort_unstable_by_key(|(distance, other, _)| (*distance, *other));
        near.dedup_by_key(|(_, other, _)| *other);
        let best = near.first().map_or(0, |(distance, ..)| *distance);
        near.into_iter().take_while(|(distance, ..)| *distance == best).map(|(.., value)| value).collect()
    }
}

/// The hashes of a word and of all its forms with one letter less; nothing for a word that is not mended.
fn forms(word: &str) -> Vec<u64> {
    if !(SHORTEST..=LONGEST).contains(&word.len()) || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return Vec::new();
    }
    let letters = word.as_bytes();
    let mut forms: Vec<u64> = (0..letters.len()).map(|i| hash(&letters[..i], &letters[i + 1..])).collect();
    forms.push(hash(letters, &[]));
    forms.sort_unstable();
    forms.dedup();
    forms
}

fn hash(before: &[u8], after: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(before);
    hasher.write(after);
    hasher.finish()
}

/// Letters missing, added, changed, or swapped with a neighbour.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut rows = [[0; LONGEST + 1]; 3];
    rows[0] = std::array::from_fn(|j| j);
    for i in 1..=a.len() {
        let [above, two_above] = [rows[(i - 1) % 3], rows[(i + 1) % 3]];
        let row = &mut rows[i % 3];
        row[0] = i;
        for j in 1..=b.len() {
            let changed = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = changed.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(two_above[j - 2] + 1);
            }
        }
    }
    rows[a.len() % 3][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_slip_in_a_word_and_a_second_in_a_long_one() {
        let mut slips = Slips::default();
        for word in ["refund", "invoice", "maintenance", "bill", "contract", "contact"] {
            slips.put(word, word);
        }
        let table = [
            ("refnud", vec!["refund"]),
            ("invoce", vec!["invoice"]),
            ("refun", vec![]),
            ("rrefund", vec!["refund"]),
            ("rifund", vec!["refund"]),
            ("reffnd", vec!["refund"]),
            ("mainntenace", vec!["maintenance"]),
            ("contrakt", vec!["contract"]),
            ("contract", vec!["contract"]),
            ("bil", vec![]),
            ("pilot", vec![]),
            ("résumé", vec![]),
        ];
        for (word, near) in table {
            assert_eq!(slips.near(word).into_iter().copied().collect::<Vec<_>>(), near, "{word}");
        }
        slips.remove("refund");
        assert!(slips.near("refnud").is_empty());
    }
}
