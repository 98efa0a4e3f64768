//! How quotes are compared: four scores of 0 to 100, a weight for each, and a reason in words.
//!
//! * **price**: 100 for the cheapest, and half of that for twice the price. Above the client's budget it loses 30.
//! * **safety**: the rating of the operator.
//! * **speed**: 100 for the shortest flight, and half of that for one twice as long.
//! * **comfort**: the rating of the aircraft.
//!
//! The weights of price, safety, speed and comfort are 40, 25, 15 and 20. An urgent flight moves 15 from price to speed,
//! one of high urgency 5, one of low urgency moves 10 back. A VIP moves 15 from price to comfort. Safety keeps its weight.
//! An aircraft that the client prefers adds 5 to the total, which never exceeds 100. Of two equal totals the cheaper wins.

use crate::{
    market::{Quote, QuoteStatus},
    words::folded,
};
use handover_core::words::grouped;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeSet, fmt};

const PREFERRED: f64 = 5.0;
const OVER_BUDGET: f64 = 30.0;

/// What a client wants of a flight.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
    /// How many people fly.
    pub passengers: u64,
    /// `urgent`, `high`, `normal` or `low`.
    pub urgency: String,
    /// Whether comfort counts for more.
    pub vip: bool,
    /// What it may cost at most, in euros.
    pub budget_max: Option<u64>,
    /// Aircraft that the client likes best.
    pub preferred_aircraft: Vec<String>,
}

/// A quote in its place among the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// 1 is the best.
    pub rank: usize,
    /// Which quote it is.
    pub quote_id: String,
    /// Who would fly.
    pub operator: String,
    /// With what.
    pub aircraft: String,
    /// The price of the whole flight.
    pub price: u64,
    /// The currency of the price.
    pub currency: String,
    /// How many seats the aircraft has.
    pub seats: u64,
    /// How long the flight takes.
    pub flight_minutes: u64,
    /// How it was judged.
    pub scores: Scores,
    /// Why, in words.
    pub reasoning: String,
}

/// Scores of 0 to 100, with one digit after the point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// How cheap it is.
    pub price: f64,
    /// How safe the operator is.
    pub safety: f64,
    /// How fast the flight is.
    pub speed: f64,
    /// How comfortable the aircraft is.
    pub comfort: f64,
    /// All of them, with their weights.
    pub total: f64,
}

/// A quote that was not compared, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Which quote it is.
    pub quote_id: String,
    /// Why it was left out.
    pub why: String,
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.quote_id, self.why)
    }
}

impl Wishes {
    /// The wishes in a request and in the preferences of a client; either may be missing.
    #[must_use]
    pub fn of(rfp_data: &Value, preferences: &Value) -> Self {
        let aircraft = preferences["preferred_aircraft"].as_array().into_iter().flatten();
        Self {
            passengers: rfp_data["passengers"].as_u64().unwrap_or(1),
            urgency: rfp_data["urgency"].as_str().unwrap_or("normal").to_owned(),
            vip: preferences["vip_status"].as_bool().unwrap_or(false),
            budget_max: preferences["budget_range"]["max"].as_u64(),
            preferred_aircraft: aircraft.filter_map(Value::as_str).map(str::to_owned).collect(),
        }
    }

    /// The weights of price, safety, speed and comfort; together 100.
    fn weights(&self) -> [f64; 4] {
        let haste = match self.urgency.as_str() {
            "urgent" => 15.0,
            "high" => 5.0,
            "low" => -10.0,
            _ => 0.0,
        };
        let ease = if self.vip { 15.0 } else { 0.0 };
        [40.0 - haste - ease, 25.0, 15.0 + haste, 20.0 + ease]
    }

    fn prefers(&self, aircraft: &str) -> bool {
        self.preferred_aircraft.iter().any(|name| folded(name) == folded(aircraft))
    }
}

/// What the quotes are measured by.
struct Measure {
    count: usize,
    cheapest: u64,
    fastest: u64,
}

/// The quotes that can be used, the best first, and those that cannot.
#[must_use]
pub fn rank(quotes: &[Quote], wishes: &Wishes) -> (Vec<Proposal>, Vec<Dropped>) {
    let (mut good, mut dropped, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    for quote in quotes {
        match unusable(quote, wishes, !seen.insert(&quote.quote_id)) {
            None => good.push(quote),
            Some(why) => dropped.push(Dropped { quote_id: quote.quote_id.clone(), why }),
        }
    }
    let least = |of: fn(&Quote) -> u64| good.iter().map(|quote| of(quote)).min().unwrap_or(1);
    let (cheapest, fastest) = (least(|quote| quote.price), least(|quote| quote.flight_minutes));
    let measure = Measure { count: good.len(), cheapest, fastest };
    let mut proposals: Vec<Proposal> = good.into_iter().map(|quote| judged(quote, wishes, &measure)).collect();
    proposals.sort_by(|a, b| {
        let totals = b.scores.total.total_cmp(&a.scores.total);
        totals.then(a.price.cmp(&b.price)).then_with(|| a.quote_id.cmp(&b.quote_id))
    });
    for (at, proposal) in proposals.iter_mut().enumerate() {
        proposal.rank = at + 1;
    }
    (proposals, dropped)
}

fn unusable(quote: &Quote, wishes: &Wishes, again: bool) -> Option<String> {
    let why = match quote {
        _ if again => "is there twice",
        quote if quote.status == QuoteStatus::Withdrawn => "was withdrawn",
        quote if quote.price == 0 => "has no price",
        quote if quote.currency != "EUR" => "is not in euros",
        quote if quote.flight_minutes == 0 => "has no time of flight",
        quote if quote.safety_rating > 100 || quote.comfort > 100 => "has a rating above 100",
        quote if quote.seats < wishes.passengers => "has too few seats",
        _ => return None,
    };
    Some(why.to_owned())
}

fn judged(quote: &Quote, wishes: &Wishes, measure: &Measure) -> Proposal {
    let over = wishes.budget_max.is_some_and(|max| quote.price > max);
    let price = share(measure.cheapest, quote.price) - if over { OVER_BUDGET } else { 0.0 };
    let (safety, comfort) = (share(quote.safety_rating, 100), share(quote.comfort, 100));
    let parts = [price.max(0.0), safety, share(measure.fastest, quote.flight_minutes), comfort];
    let sum: f64 = parts.iter().zip(wishes.weights()).map(|(part, weight)| part * weight / 100.0).sum();
    let total = sum + if wishes.prefers(&quote.aircraft) { PREFERRED } else { 0.0 };
    let [price, safety, speed, comfort] = parts.map(rounded);
    Proposal {
        rank: 0,
        quote_id: quote.quote_id.clone(),
        operator: quote.operator.clone(),
        aircraft: quote.aircraft.clone(),
        price: quote.price,
        currency: quote.currency.clone(),
        seats: quote.seats,
        flight_minutes: quote.flight_minutes,
        scores: Scores { price, safety, speed, comfort, total: rounded(total.min(100.0)) },
        reasoning: reasoning(quote, wishes, measure),
    }
}

/// A part of a whole, of 100. Prices and minutes are far below what a float holds exactly.
#[allow(clippy::cast_precision_loss, reason = "prices and minutes are small")]
fn share(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn rounded(score: f64) -> f64 {
    (score * 10.0).round() / 10.0
}

fn reasoning(quote: &Quote, wishes: &Wishes, measure: &Measure) -> String {
    let price = grouped(quote.price);
    let mut parts = vec![match quote.price.saturating_sub(measure.cheapest) {
        0 => format!("EUR {price} is the lowest price of {}", measure.count),
        more => format!("EUR {price}, {} more than the cheapest", grouped(more)),
    }];
    match wishes.budget_max {
        Some(max) if quote.price > max => parts.push(format!("above the budget of EUR {}", grouped(max))),
        Some(max) => parts.push(format!("within the budget of EUR {}", grouped(max))),
        None => {}
    }
    parts.push(format!("safety {} of 100", quote.safety_rating));
    parts.push(match quote.flight_minutes.saturating_sub(measure.fastest) {
        0 => format!("the shortest flight with {}", duration(quote.flight_minutes)),
        more => format!("{}, {more} min longer than the shortest", duration(quote.flight_minutes)),
    });
    parts.push(format!("comfort {} of 100", quote.comfort));
    if wishes.prefers(&quote.aircraft) {
        parts.push("one of the preferred aircraft".to_owned());
    }
    format!("{}.", parts.join("; "))
}

/// A time of flight as people say it.
pub(super) fn duration(minutes: u64) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes:02} min"),
    }
}

#[cfg(test)]
mod tests;
