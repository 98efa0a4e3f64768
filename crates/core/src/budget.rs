//! What work may use: tokens, money and working time. As a limit, as a share that is set aside, and as a sum.
//! Money is counted in millionths inside, so that sums are exact.

use crate::{handoff::Metrics, limits};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A sum: what is set aside or used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Amount {
    /// Tokens.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// Money, in millionths.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub micros: u64,
    /// Working time, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ms: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Amount {
    /// Whether there is nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Both together; a sum that does not fit stays at the top.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            micros: self.micros.saturating_add(other.micros),
            ms: self.ms.saturating_add(other.ms),
        }
    }

    /// The rest; never below nothing.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            micros: self.micros.saturating_sub(other.micros),
            ms: self.ms.saturating_sub(other.ms),
        }
    }

    /// "5 tokens and 0.2 of money": what there is of each kind, or "nothing".
    #[must_use]
    pub fn words(&self) -> String {
        let mut parts = Vec::new();
        if self.tokens > 0 {
            parts.push(format!("{} tokens", self.tokens));
        }
        if self.micros > 0 {
            parts.push(format!("{} of money", money(self.micros)));
        }
        if self.ms > 0 {
            parts.push(format!("{} milliseconds", self.ms));
        }
        if parts.is_empty() { "nothing".to_owned() } else { parts.join(" and ") }
    }

    /// What some work used.
    #[must_use]
    pub fn used(metrics: &Metrics, ms: u64) -> Self {
        Self { tokens: metrics.tokens, micros: micros(metrics.cost), ms }
    }
}

/// A share of each kind. Nothing means: not limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Share {
    /// Tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Money, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micros: Option<u64>,
    /// Working time, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
}

impl Share {
    /// Whether nothing is limited.
    #[must_use]
    pub fn is_free(&self) -> bool {
        *self == Self::default()
    }

    /// As a sum; what is not limited counts as nothing.
    #[must_use]
    pub fn amount(&self) -> Amount {
        Amount { tokens: self.tokens.unwrap_or(0), micros: self.micros.unwrap_or(0), ms: self.ms.unwrap_or(0) }
    }

    /// What is left of it after this much.
    #[must_use]
    pub fn less(&self, taken: Amount) -> Self {
        Self {
            tokens: self.tokens.map(|n| n.saturating_sub(taken.tokens)),
            micros: self.micros.map(|n| n.saturating_sub(taken.micros)),
            ms: self.ms.map(|n| n.saturating_sub(taken.ms)),
        }
    }

    /// The tighter of two, kind by kind.
    #[must_use]
    pub fn tighter(&self, other: &Self) -> Self {
        Self {
            tokens: least(self.tokens, other.tokens),
            micros: least(self.micros, other.micros),
            ms: least(self.ms, other.ms),
        }
    }

    /// As far as so much can be set aside for one handoff: a part of a limit that was meant as none is not.
    #[must_use]
    pub fn capped(&self) -> Self {
        Self {
            tokens: self.tokens.map(|n| n.min(limits::BUDGET_TOKENS_MAX)),
            micros: self.micros.map(|n| n.min(micros(f64::from(limits::BUDGET_COST_MAX)))),
            ms: self.ms.map(|n| n.min(limits::WAIT_MS_MAX)),
        }
    }

    /// One of so many equal parts.
    #[must_use]
    pub fn part(&self, of: u64) -> Self {
        let of = of.max(1);
        Self { tokens: self.tokens.map(|n| n / of), micros: self.micros.map(|n| n / of), ms: self.ms.map(|n| n / of) }
    }

    /// The first kind of which this much does not fit in, in words.
    #[must_use]
    pub fn lacks(&self, wanted: &Amount) -> Option<Lack> {
        let kinds = [
            ("tokens", self.tokens, wanted.tokens),
            ("money", self.micros, wanted.micros),
            ("milliseconds", self.ms, wanted.ms),
        ];
        let found = kinds.into_iter().find(|(_, rest, wanted)| rest.is_some_and(|rest| rest < *wanted));
        found.map(|(kind, rest, wanted)| Lack { kind, rest: rest.unwrap_or(0), wanted })
    }

    /// A kind that is limited and of which nothing is left: `tokens`, `money` or `milliseconds`.
    #[must_use]
    pub fn spent(&self) -> Option<&'static str> {
        let kinds = [("tokens", self.tokens), ("money", self.micros), ("milliseconds", self.ms)];
        kinds.into_iter().find(|(_, rest)| *rest == Some(0)).map(|(kind, _)| kind)
    }
}

fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Of what there is not enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lack {
    /// Of what: `tokens`, `money` or `milliseconds`.
    pub kind: &'static str,
    /// What is left.
    pub rest: u64,
    /// What was wanted.
    pub wanted: u64,
}

impl Lack {
    /// "wants 5000 tokens, 200 are left", with money in whole units.
    #[must_use]
    pub fn words(&self) -> String {
        if self.kind == "money" {
            return format!("wants {}, {} is left", money(self.wanted), money(self.rest));
        }
        format!("wants {} {}, {} are left", self.wanted, self.kind, self.rest)
    }

    /// "5000 tokens of 200", when it was used all the same.
    #[must_use]
    pub fn words_after(&self) -> String {
        if self.kind == "money" {
            return format!("{} of {}", money(self.wanted), money(self.rest));
        }
        format!("{} {} of {}", self.wanted, self.kind, self.rest)
    }
}

/// What one piece of work may use. In JSON also a plain number: money alone.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "BudgetForm")]
pub struct Budget {
    /// Tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Working time, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum BudgetForm {
    Money(f64),
    Spelt(Spelt),
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Spelt {
    #[serde(default)]
    tokens: Option<u64>,
    #[serde(default)]
    cost: Option<f64>,
    #[serde(default)]
    time_ms: Option<u64>,
}

impl From<BudgetForm> for Budget {
    fn from(form: BudgetForm) -> Self {
        match form {
            BudgetForm::Money(cost) => Self { cost: Some(cost), ..Self::default() },
            BudgetForm::Spelt(Spelt { tokens, cost, time_ms }) => Self { tokens, cost, time_ms },
        }
    }
}

impl Budget {
    /// As a share.
    #[must_use]
    pub fn share(&self) -> Share {
        Share { tokens: self.tokens, micros: self.cost.map(micros), ms: self.time_ms }
    }
}

/// Over which time a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// From the beginning.
    #[default]
    Total,
    /// Each hour anew, by the clock in UTC.
    Hour,
    /// Each day anew, in UTC.
    Day,
    /// Each month anew, in UTC.
    Month,
}

/// A limit on what a tenant or an agent may use.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Working time, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// Over which time.
    #[serde(default)]
    pub per: Period,
}

impl Limit {
    /// As a share.
    #[must_use]
    pub fn share(&self) -> Share {
        Share { tokens: self.tokens, micros: self.cost.map(micros), ms: self.time_ms }
    }
}

/// What a model costs, per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// What goes in.
    pub input: f64,
    /// What comes out.
    pub output: f64,
}

/// What a model reported for one piece of work.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// The model, as in the price table.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// Tokens in.
    #[serde(default)]
    pub input_tokens: u64,
    /// Tokens out.
    #[serde(default)]
    pub output_tokens: u64,
}

/// What this usage costs; nothing for a model without a price.
#[must_use]
pub fn cost(usage: &[Usage], prices: &BTreeMap<String, Price>) -> f64 {
    let of = |used: &Usage| {
        let price = prices.get(&used.model).copied().unwrap_or_default();
        (count(used.input_tokens) * price.input + count(used.output_tokens) * price.output) / 1e6
    };
    // From 0: the sum of nothing is -0, which nobody wants to read.
    usage.iter().map(of).fold(0.0, |sum, cost| sum + cost).min(f64::MAX)
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52, and a sum of money needs no last digit")]
fn count(n: u64) -> f64 {
    n as f64
}

/// Money in millionths, rounded up: a limit is never broken by rounding.
#[must_use]
pub fn micros(cost: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
    let micros = (cost.max(0.0) * 1e6 - 1e-6).ceil().max(0.0) as u64;
    micros
}

/// Millionths as money, for sums that need no last digit.
#[must_use]
pub fn units(micros: u64) -> f64 {
    count(micros) / 1e6
}

/// Millionths as money, for people.
#[must_use]
pub fn money(micros: u64) -> String {
    let (whole, part) = (micros / 1_000_000, micros % 1_000_000);
    let text = format!("{whole}.{part:06}");
    let text = text.trim_end_matches('0');
    text.strip_suffix('.').unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_exact_and_reads_well() {
        for (cost, inside, text) in
            [(0.1, 100_000, "0.1"), (2.5, 2_500_000, "2.5"), (0.0, 0, "0"), (3.0, 3_000_000, "3")]
        {
            assert_eq!(micros(cost), inside);
            assert_eq!(money(inside), text);
        }
        assert_eq!(micros(-1.0), 0);
        assert_eq!(micros(f64::MAX), u64::MAX);
        assert_eq!(micros(0.1 + 0.2), 300_000);
    }

    #[test]
    fn a_budget_is_a_number_or_spelt_out() {
        let money: Budget = serde_json::from_str("2.5").unwrap();
        assert_eq!(money.share(), Share { micros: Some(2_500_000), ..Share::default() });
        let spelt: Budget = serde_json::from_str(r#"{"tokens": 100}"#).unwrap();
        assert_eq!(spelt.share().tokens, Some(100));
        assert!(serde_json::from_str::<Budget>(r#"{"token": 100}"#).is_err());
    }

    #[test]
    fn usage_is_priced_by_model() {
        let prices = BTreeMap::from([("m".to_owned(), Price { input: 3.0, output: 15.0 })]);
        let usage = Usage { model: "m".into(), input_tokens: 1_000_000, output_tokens: 100_000 };
        assert!((cost(&[usage], &prices) - 4.5).abs() < 1e-9);
        assert!(cost(&[Usage { model: "x".into(), input_tokens: 5, output_tokens: 5 }], &prices).abs() < 1e-9);
    }
}
