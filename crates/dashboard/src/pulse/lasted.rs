//! How long things lasted, in buckets: four for each doubling. Small enough to keep one for every minute, and good for a share of a
//! hundred within a fifth of its value.

use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lasted(BTreeMap<u8, u32>);

impl Lasted {
    pub(crate) fn note(&mut self, ms: u64) {
        let count = self.0.entry(bucket(ms)).or_default();
        *count = count.saturating_add(1);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (bucket, more) in &other.0 {
            let count = self.0.entry(*bucket).or_default();
            *count = count.saturating_add(*more);
        }
    }

    /// The time within which so many of a hundred were over; nothing where there is none.
    pub(crate) fn within(&self, percent: u64) -> Option<u64> {
        let all: u64 = self.0.values().map(|count| u64::from(*count)).sum();
        let rank = (all * percent).div_ceil(100).max(1);
        let mut seen = 0;
        self.0.iter().find_map(|(bucket, count)| {
            seen += u64::from(*count);
            (seen >= rank).then(|| middle(*bucket))
        })
    }
}

/// Its doubling, and the quarter of it.
fn bucket(ms: u64) -> u8 {
    let Some(doubling) = ms.checked_ilog2() else { return 0 };
    let quarter = if doubling < 2 { 0 } else { (ms >> (doubling - 2)) & 3 };
    u8::try_from(u64::from(doubling) * 4 + quarter).unwrap_or(u8::MAX)
}

fn middle(bucket: u8) -> u64 {
    let (doubling, quarter) = (u32::from(bucket) / 4, u64::from(bucket) % 4);
    if doubling < 2 {
        return 1 << doubling;
    }
    let step = 1_u64 << (doubling - 2);
    (1_u64 << doubling).saturating_add(step.saturating_mul(quarter)).saturating_add(step / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_a_hundred_is_near() {
        for (of, percent, expected) in [
            (vec![], 95, None),
            (vec![0], 50, Some(1)),
            (vec![1_000; 9], 95, Some(1_000)),
            ((1..=100).map(|n| n * 10).collect(), 50, Some(500)),
            ((1..=100).map(|n| n * 10).collect(), 95, Some(950)),
            (vec![u64::MAX], 50, Some(u64::MAX)),
        ] {
            let mut lasted = Lasted::default();
            for ms in &of {
                lasted.note(*ms);
            }
            let found = lasted.within(percent);
            let near = match (found, expected) {
                (Some(found), Some(expected)) => found.abs_diff(expected) <= expected / 5,
                (found, expected) => found == expected,
            };
            assert!(near, "{percent} of a hundred of {} are within {found:?}, not {expected:?}", of.len());
        }
    }

    #[test]
    fn buckets_are_in_order() {
        let mut last = 0;
        for ms in 0..100_000_u64 {
            assert!(bucket(ms) >= last, "{ms}");
            last = bucket(ms);
        }
    }
}
