//! How the arms of an experiment do, from what the ledger counted.

use super::compare::{self, Comparison, count, share};
use crate::{
    ledger::{Account, Ledger, Sample},
    policy::{Experiment, Strategy},
};
use serde::Serialize;

/// How an experiment stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExperimentReport {
    /// Its name.
    pub name: String,
    /// The arms: `a` and `b`, or of a shadow `agreed` and `differed`.
    pub arms: Vec<ArmReport>,
    /// The share that succeeded.
    pub success: Comparison,
    /// Milliseconds from initiation to the end, by Welch's test on the normal curve.
    pub latency: Comparison,
    /// Money, by the same test.
    pub cost: Comparison,
    /// Whether both arms have enough to say anything.
    pub enough: bool,
}

/// How one arm does. Means are 0 where nothing ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArmReport {
    /// Its name.
    pub arm: String,
    /// The strategy that chose; unknown when the policy no longer has the experiment.
    pub strategy: Option<Strategy>,
    /// Handoffs that ended.
    pub ended: u64,
    /// The share of them that succeeded.
    pub success_rate: f64,
    /// Milliseconds from initiation to the end, on average.
    pub mean_ms: f64,
    /// Money, on average.
    pub mean_cost: f64,
}

/// The report of an experiment; nothing when the policy has none of this name and nothing was recorded for one.
#[must_use]
pub fn report(name: &str, policy: Option<&Experiment>, ledger: &Ledger) -> Option<ExperimentReport> {
    let sample = |arm: &str| ledger.get(&Account::arm(name, arm)).map(|entry| entry.sample);
    let recorded = |arms: [&str; 2]| arms.into_iter().any(|arm| sample(arm).is_some());
    let shadow = policy.map_or(!recorded(["a", "b"]), |experiment| experiment.shadow);
    let arms = if shadow { ["agreed", "differed"] } else { ["a", "b"] };
    if policy.is_none() && !recorded(arms) {
        return None;
    }
    // In a shadow the first strategy decides in both arms.
    let strategies = [policy.map(|found| found.a), policy.map(|found| if shadow { found.a } else { found.b })];
    let (a, b) = (sample(arms[0]).unwrap_or_default(), sample(arms[1]).unwrap_or_default());
    Some(ExperimentReport {
        name: name.to_owned(),
        arms: vec![arm(arms[0], strategies[0], &a), arm(arms[1], strategies[1], &b)],
        success: compare::success(&a, &b),
        latency: compare::latency(&a, &b),
        cost: compare::cost(&a, &b),
        enough: compare::enough(&a, &b),
    })
}

fn arm(arm: &str, strategy: Option<Strategy>, sample: &Sample) -> ArmReport {
    let ended = count(sample.ended);
    ArmReport {
        arm: arm.to_owned(),
        strategy,
        ended: sample.ended,
        success_rate: share(count(sample.succeeded), ended),
        mean_ms: share(sample.ms, ended),
        mean_cost: share(sample.cost, ended),
    }
}
