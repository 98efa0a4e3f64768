//! Numbers. JSON does not tell 5 from 5.0 and neither do authors, so whole numbers and fractions mix freely.

use super::node::Operator;
use std::cmp::Ordering;

/// A number of JSON, or one that was computed. Fractions are finite, so that every two numbers have an order.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    /// Wide enough for the signed and the unsigned numbers of JSON. What is computed fits into 64 bits with a sign.
    Int(i128),
    Double(f64),
}

/// Why a calculation has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoNumber {
    TooLarge,
    ByZero,
    /// The remainder of fractions.
    NotWhole,
}

impl Number {
    pub(super) fn of(number: &serde_json::Number) -> Self {
        let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        // Without arbitrary precision a number is one of the three, and finite.
        whole.map_or_else(|| Self::Double(number.as_f64().unwrap_or_default()), Self::Int)
    }

    /// A fraction as CEL computes with it.
    pub(super) fn to_double(self) -> f64 {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "this is what mixing a whole number with a fraction means")]
            Self::Int(whole) => whole as f64,
            Self::Double(fraction) => fraction,
        }
    }

    /// The whole number without what is after the point, if it fits.
    pub(super) fn truncated(self) -> Option<i128> {
        let whole = match self {
            Self::Int(whole) => whole,
            #[expect(clippy::cast_possible_truncation, reason = "it saturates, and what is too large is refused below")]
            Self::Double(fraction) => fraction as i128,
        };
        i64::try_from(whole).ok().map(i128::from)
    }

    /// The index that it is, if it is whole and not negative.
    pub(super) fn index(self) -> Option<usize> {
        let whole = self.truncated().filter(|whole| Self::Int(*whole).compare(self) == Ordering::Equal)?;
        usize::try_from(whole).ok()
    }

    /// Exact, even where a whole number has more digits than a fraction can hold.
    pub(super) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => left.cmp(&right),
            (Self::Int(left), Self::Double(right)) => whole_to_fraction(left, right),
            (Self::Double(left), Self::Int(right)) => whole_to_fraction(right, left).reverse(),
            (Self::Double(left), Self::Double(right)) => left.partial_cmp(&right).unwrap_or(Ordering::Equal),
        }
    }

    pub(super) fn negated(self) -> Result<Self, NoNumber> {
        Self::Int(0).calculate(Operator::Subtract, self)
    }

    pub(super) fn calculate(self, operator: Operator, other: Self) -> Result<Self, NoNumber> {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => whole(left, operator, right),
            (left, right) => fraction(left.to_double(), operator, right.to_double()),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "it saturates, beyond every whole number of JSON")]
fn whole_to_fraction(left: i128, right: f64) -> Ordering {
    let after_the_point = right.fract().partial_cmp(&0.0).unwrap_or(Ordering::Equal);
    left.cmp(&(right.trunc() as i128)).then(after_the_point.reverse())
}

fn whole(left: i128, operator: Operator, right: i128) -> Result<Number, NoNumber> {
    let result = match operator {
        Operator::Add => left.checked_add(right),
        Operator::Subtract => left.checked_sub(right),
        Operator::Multiply => left.checked_mul(right),
        Operator::Divide if right != 0 => left.checked_div(right),
        Operator::Remainder if right != 0 => left.checked_rem(right),
        _ => return Err(NoNumber::ByZero),
    };
    let fits = result.filter(|result| i64::try_from(*result).is_ok());
    fits.map(Number::Int).ok_or(NoNumber::TooLarge)
}

fn fraction(left: f64, operator: Operator, right: f64) -> Result<Number, NoNumber> {
    let result = match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Divide if right == 0.0 => return Err(NoNumber::ByZero),
        Operator::Divide => left / right,
        _ => return Err(NoNumber::NotWhole),
    };
    if result.is_finite() { Ok(Number::Double(result)) } else { Err(NoNumber::TooLarge) }
}
