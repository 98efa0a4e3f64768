//! Whether two arms of an experiment differ, or only scatter: a two-proportion z-test for what succeeds, Welch's test
//! for means.
//!
//! Welch's statistic is read from the normal curve instead of Student's: below `EXPERIMENT_ENDED_MIN` per arm nothing
//! counts as significant anyway, and above it the two curves are close.

use crate::{ledger::Sample, limits};
use serde::Serialize;

/// Below this a difference is taken as real.
pub const P_SIGNIFICANT: f64 = 0.05;

/// How two arms differ in one thing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The second arm less the first.
    pub difference: f64,
    /// How likely a difference this large is by chance alone; 1 where nothing can be said.
    pub p_value: f64,
    /// Whether it is less likely than `P_SIGNIFICANT`, with enough handoffs in both arms.
    pub significant: bool,
}

/// Whether both arms have enough to say anything.
#[must_use]
pub fn enough(a: &Sample, b: &Sample) -> bool {
    a.ended >= limits::EXPERIMENT_ENDED_MIN && b.ended >= limits::EXPERIMENT_ENDED_MIN
}

/// The share that succeeded: a z-test of two proportions, with the pooled share.
#[must_use]
pub fn success(a: &Sample, b: &Sample) -> Comparison {
    let (of_a, of_b) = (count(a.ended), count(b.ended));
    let pooled = share(count(a.succeeded) + count(b.succeeded), of_a + of_b);
    let variance = pooled * (1.0 - pooled) * (share(1.0, of_a) + share(1.0, of_b));
    compare(a, b, share(count(b.succeeded), of_b) - share(count(a.succeeded), of_a), variance)
}

/// Milliseconds from initiation to the end.
#[must_use]
pub fn latency(a: &Sample, b: &Sample) -> Comparison {
    means(a, b, |sample| (sample.ms, sample.ms_squares))
}

/// Money.
#[must_use]
pub fn cost(a: &Sample, b: &Sample) -> Comparison {
    means(a, b, |sample| (sample.cost, sample.cost_squares))
}

/// Welch's test: the difference of two means, each with a scatter of its own.
fn means(a: &Sample, b: &Sample, sums: impl Fn(&Sample) -> (f64, f64)) -> Comparison {
    let of = |sample: &Sample| {
        let (n, (sum, squares)) = (count(sample.ended), sums(sample));
        // A sum of squares less a square is a small difference of large numbers; it must not fall below nothing.
        let variance = share((squares - share(sum * sum, n)).max(0.0), n - 1.0);
        (share(sum, n), share(variance, n))
    };
    let ((mean_a, error_a), (mean_b, error_b)) = (of(a), of(b));
    let difference = mean_b - mean_a;
    // Sums of the same numbers differ in their last digits; that is no difference.
    let nothing = difference.abs() <= 1e-9 * mean_a.abs().max(mean_b.abs());
    compare(a, b, if nothing { 0.0 } else { difference }, error_a + error_b)
}

fn compare(a: &Sample, b: &Sample, difference: f64, variance: f64) -> Comparison {
    let known = a.ended > 1 && b.ended > 1;
    let p_value = match (known, difference == 0.0) {
        (false, _) | (_, true) => 1.0,
        // Neither arm scatters at all, and they differ.
        (true, false) if variance <= 0.0 => 0.0,
        (true, false) => beyond(difference / variance.sqrt()),
    };
    Comparison { difference, p_value, significant: enough(a, b) && p_value < P_SIGNIFICANT }
}

/// How likely a value of the normal curve is this far out, on either side.
fn beyond(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2).clamp(0.0, 1.0)
}

/// The complementary error function by a Chebyshev fit; the error is below 1.2e-7 of the value.
fn erfc(x: f64) -> f64 {
    const FIT: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let t = 1.0 / (1.0 + 0.5 * x.abs());
    let fit = FIT.iter().rev().fold(0.0, |sum, c| sum * t + c);
    let tail = t * (-x * x + fit).exp();
    if x >= 0.0 { tail } else { 2.0 - tail }
}

/// A part of a whole; nothing of nothing.
pub(super) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(super) fn count(n: u64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, within: f64) -> bool {
        (a - b).abs() <= within * b.abs().max(f64::MIN_POSITIVE)
    }

    #[test]
    fn the_error_function_is_the_known_one() {
        for (x, expected) in [
            (0.0, 1.0),
            (0.5, 0.479_500_122_186_953_5),
            (1.0, 0.157_299_207_050_285_13),
            (2.0, 0.004_677_734_981_047_265),
            (3.0, 2.209_049_699_858_543_8e-5),
            (5.0, 1.537_459_794_428_035_1e-12),
            (-1.0, 2.0 - 0.157_299_207_050_285_13),
        ] {
            assert!(close(erfc(x), expected, 2e-7), "erfc({x}) is {}", erfc(x));
        }
    }

    #[test]
    fn shares_are_compared_as_in_the_books() {
        let sample = |succeeded, ended| Sample { ended, succeeded, ..Sample::default() };
        for ((s1, n1), (s2, n2), difference, p_value, significant) in [
            ((45, 100), (60, 100), 0.15, 0.033_672_068_856, true),
            ((90, 100), (80, 100), -0.1, 0.047_670_380_656, true),
            ((20, 40), (22, 40), 0.05, 0.654_316_552_806, false),
            // Far apart, and too few to say so.
            ((0, 29), (29, 29), 1.0, 2.6e-14, false),
            ((0, 30), (30, 30), 1.0, 9.5e-15, true),
            ((40, 40), (40, 40), 0.0, 1.0, false),
            ((0, 0), (40, 40), 1.0, 1.0, false),
        ] {
            let found = success(&sample(s1, n1), &sample(s2, n2));
            let text = format!("{s1}/{n1} and {s2}/{n2}: {found:?}");
            assert!((found.difference - difference).abs() < 1e-12, "{text}");
            assert!(close(found.p_value, p_value, 1e-6) || p_value < 1e-9 && found.p_value < 1e-9, "{text}");
            assert_eq!(found.significant, significant, "{text}");
        }
    }

    fn timed(values: impl Iterator<Item = u32>) -> Sample {
        let mut sample = Sample::default();
        for value in values {
            let ms = f64::from(value);
            sample.ended += 1;
            sample.ms += ms;
            sample.ms_squares += ms * ms;
        }
        sample
    }

    #[test]
    fn means_are_compared_as_in_the_books() {
        let a = timed((0..40).map(|i| 100 + (i * 37) % 50));
        let b = timed((0..50).map(|i| 110 + (i * 53) % 70));
        let found = latency(&a, &b);
        assert!(close(found.difference, 17.65, 1e-9), "{found:?}");
        assert!(close(found.p_value, 2.425_080_726e-6, 1e-5), "{found:?}");
        assert!(found.significant);
        let same = latency(&a, &a);
        assert!(same.p_value > 0.999 && !same.significant, "{same:?}");
    }

    #[test]
    fn what_does_not_scatter_differs_or_not() {
        let (fast, slow) = (timed(std::iter::repeat_n(10, 30)), timed(std::iter::repeat_n(20, 30)));
        assert_eq!(latency(&fast, &slow), Comparison { difference: 10.0, p_value: 0.0, significant: true });
        let few = timed(std::iter::once(20));
        assert_eq!(latency(&fast, &few), Comparison { difference: 10.0, p_value: 1.0, significant: false });
        assert_eq!(cost(&fast, &slow).p_value, 1.0);
    }
}
