//! The scale of a timeline (pure): work has its room, and long stretches in which nobody works are folded.

use crate::parts;

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// How wide a folded stretch is drawn.
pub(super) const FOLD_WIDE: u64 = 24;
/// Stretches that are folded, the longest of them.
const FOLDS: usize = 6;
/// What is shorter is no long wait.
const FOLD_FROM_MS: u64 = 10 * SECOND;
/// Room that words on the scale need.
const WORDS_WIDE: u64 = 76;
/// About so many marks are on it.
const MARKS: u64 = 5;
/// Lengths that people count in.
const ROUND: [u64; 28] = [
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    7 * DAY,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    from: u64,
    to: u64,
    folded: bool,
}

/// From times since the beginning to places from left to right.
#[derive(Debug)]
pub(super) struct Scale {
    pieces: Vec<Piece>,
    wide: u64,
}

impl Scale {
    /// For so many milliseconds on so much room. `work` says when somebody worked.
    pub(super) fn new(ms: u64, wide: u64, work: &[(u64, u64)]) -> Self {
        let ms = ms.max(1);
        let mut pieces = Vec::new();
        let mut at = 0;
        for (from, to) in folds(ms, work) {
            pieces.push(Piece { from: at, to: from, folded: false });
            pieces.push(Piece { from, to, folded: true });
            at = to;
        }
        pieces.push(Piece { from: at, to: ms, folded: false });
        Self { pieces, wide }
    }

    fn open_ms(&self) -> u64 {
        self.pieces.iter().filter(|piece| !piece.folded).map(|piece| piece.to - piece.from).sum::<u64>().max(1)
    }

    fn open_wide(&self) -> u64 {
        let folds = self.pieces.iter().filter(|piece| piece.folded).count() as u64;
        self.wide.saturating_sub(folds * FOLD_WIDE)
    }

    pub(super) fn x(&self, at: u64) -> u64 {
        let (open_ms, open_wide) = (self.open_ms(), self.open_wide());
        let (mut open, mut folded) = (0, 0);
        for piece in self.pieces.iter().filter(|piece| piece.from <= at) {
            let (within, long) = (at.min(piece.to) - piece.from, (piece.to - piece.from).max(1));
            if piece.folded {
                folded += scaled(FOLD_WIDE, within, long);
            } else {
                open += within;
            }
        }
        scaled(open_wide, open, open_ms) + folded
    }

    /// What is folded: where it begins, and how long it is.
    pub(super) fn folds(&self) -> Vec<(u64, u64)> {
        let folded = self.pieces.iter().filter(|piece| piece.folded);
        folded.map(|piece| (self.x(piece.from), piece.to - piece.from)).collect()
    }

    /// Round times since the beginning, where there is room for the words.
    pub(super) fn marks(&self) -> Vec<(u64, String)> {
        let aim = self.open_ms() / MARKS;
        let step = ROUND.into_iter().find(|step| *step >= aim).unwrap_or_else(|| aim.div_ceil(DAY) * DAY);
        let taken: Vec<u64> = self.folds().iter().map(|(x, _)| x + FOLD_WIDE / 2).collect();
        let mut marks: Vec<(u64, String)> = Vec::new();
        for piece in self.pieces.iter().filter(|piece| !piece.folded) {
            let mut at = piece.from.div_ceil(step) * step;
            while at <= piece.to {
                let x = self.x(at);
                let near = |other: u64| x.abs_diff(other) < WORDS_WIDE;
                if !taken.iter().any(|other| near(*other)) && !marks.last().is_some_and(|(other, _)| near(*other)) {
                    marks.push((x, words(at)));
                }
                at += step;
            }
        }
        marks
    }
}

fn scaled(wide: u64, part: u64, whole: u64) -> u64 {
    u64::try_from(u128::from(wide) * u128::from(part) / u128::from(whole.max(1))).unwrap_or(wide)
}

/// The longest stretches in which nobody works, where they would leave no room for the work.
fn folds(ms: u64, work: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut work: Vec<(u64, u64)> = work.iter().map(|(from, to)| (*from.min(&ms), *to.min(&ms))).collect();
    work.sort_unstable();
    let (mut at, mut worked, mut gaps) = (0, 0, Vec::new());
    for (from, to) in work {
        if from > at {
            gaps.push((at, from));
        }
        worked += to.saturating_sub(from.max(at));
        at = at.max(to);
    }
    gaps.push((at, ms));
    gaps.retain(|(from, to)| worked > 0 && to.saturating_sub(*from) > (worked / 2).max(FOLD_FROM_MS));
    gaps.sort_unstable_by_key(|(from, to)| std::cmp::Reverse(to - from));
    gaps.truncate(FOLDS);
    gaps.sort_unstable();
    gaps
}

/// A round length: no more than the digits that count.
fn words(ms: u64) -> String {
    if ms == 0 { "0".to_owned() } else { parts::length(ms).replace(".0 s", " s") }
}

/// About how long, in one unit.
pub(super) fn about(ms: u64) -> String {
    let unit = [DAY, HOUR, MINUTE, SECOND].into_iter().find(|unit| ms >= *unit).unwrap_or(1);
    words(ms / unit * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_waits_are_folded_and_work_has_room() {
        // 38 s of work around 47 min in which nobody worked.
        let (half, wait) = (19 * SECOND, 47 * MINUTE);
        let scale = Scale::new(2 * half + wait, 524, &[(0, half), (half + wait, 2 * half + wait)]);
        assert_eq!(scale.folds(), [(250, wait)]);
        assert_eq!(
            [0, half, half + wait / 2, half + wait, 2 * half + wait].map(|at| scale.x(at)),
            [0, 250, 262, 274, 524]
        );
        let marks: Vec<String> = scale.marks().into_iter().map(|(_, words)| words).collect();
        assert_eq!(marks, ["0", "10 s", "47 min 30 s"]);
    }

    #[test]
    fn what_is_not_long_stays_as_it_is() {
        for (name, ms, work) in [
            ("nobody worked yet", HOUR, vec![]),
            ("a short wait", 9 * SECOND, vec![(0, 10)]),
            ("a wait that is short beside the work", HOUR, vec![(0, 20 * MINUTE), (25 * MINUTE, HOUR)]),
            ("work at the same time", HOUR, vec![(0, 40 * MINUTE), (10 * MINUTE, 20 * MINUTE), (30 * MINUTE, HOUR)]),
            ("no time at all", 0, vec![(0, 0)]),
        ] {
            let scale = Scale::new(ms, 500, &work);
            assert!(scale.folds().is_empty(), "{name}: {scale:?}");
            assert_eq!((scale.x(0), scale.x(ms.max(1)), scale.x(u64::MAX)), (0, 500, 500), "{name}");
        }
    }

    #[test]
    fn folds_have_a_bound_and_marks_are_round() {
        let work: Vec<(u64, u64)> = (0..100).map(|n| (n * HOUR, n * HOUR + SECOND)).collect();
        assert_eq!(Scale::new(100 * HOUR, 500, &work).folds().len(), FOLDS);
        for (ms, expected) in [
            (500, vec!["0", "100 ms", "200 ms", "300 ms", "400 ms", "500 ms"]),
            (47 * MINUTE, vec!["0", "10 min", "20 min", "30 min", "40 min"]),
            (70 * DAY, vec!["0", "14 d", "28 d", "42 d", "56 d", "70 d"]),
        ] {
            let marks: Vec<String> = Scale::new(ms, 576, &[]).marks().into_iter().map(|(_, words)| words).collect();
            assert_eq!(marks, expected);
        }
        for (ms, expected) in [(47 * MINUTE + 3, "47 min"), (26 * HOUR, "1 d"), (12_345, "12 s"), (7, "7 ms")] {
            assert_eq!(about(ms), expected);
        }
    }
}
