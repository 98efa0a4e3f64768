//! The operators of the charter market and what they fly: the quotes for a request follow from its content alone.

use super::{
    Quote, QuoteStatus, RfpRequest,
    places::{Place, distance_km, find},
};
use handover_core::{digest::Digest, limits::MARKET_QUOTES_MAX};

struct Aircraft {
    name: &'static str,
    seats: u64,
    range_km: f64,
    speed_kmh: f64,
    /// 0 to 100.
    comfort: f64,
    /// Price of an hour in the air, in euros.
    hour: f64,
}

const fn aircraft(name: &'static str, seats: u64, range_km: f64, speed_kmh: f64, comfort: f64, hour: f64) -> Aircraft {
    Aircraft { name, seats, range_km, speed_kmh, comfort, hour }
}

const FLEET: [Aircraft; 12] = [
    aircraft("Citation M2", 6, 2_800.0, 740.0, 60.0, 2_600.0),
    aircraft("Citation CJ3+", 7, 3_700.0, 770.0, 66.0, 3_100.0),
    aircraft("Phenom 300E", 8, 3_650.0, 830.0, 72.0, 3_400.0),
    aircraft("PC-24", 8, 3_700.0, 810.0, 75.0, 3_500.0),
    aircraft("Citation XLS+", 9, 3_900.0, 815.0, 76.0, 4_000.0),
    aircraft("Citation Latitude", 9, 5_000.0, 826.0, 82.0, 4_800.0),
    aircraft("Challenger 350", 10, 5_900.0, 870.0, 86.0, 5_800.0),
    aircraft("Falcon 2000LXS", 10, 7_400.0, 850.0, 90.0, 7_200.0),
    aircraft("Legacy 650E", 13, 7_200.0, 850.0, 88.0, 7_600.0),
    aircraft("Global 6000", 14, 11_100.0, 900.0, 94.0, 9_500.0),
    aircraft("Gulfstream G550", 16, 12_500.0, 904.0, 95.0, 9_900.0),
    aircraft("Lineage 1000E", 19, 8_500.0, 850.0, 97.0, 12_500.0),
];

/// A name, a safety rating of 0 to 100, and what it flies, as places in the fleet.
struct Operator(&'static str, u64, &'static [usize]);

const OPERATORS: [Operator; 8] = [
    Operator("Alpine Jets", 97, &[2, 3, 5, 9, 11]),
    Operator("Blue Charter", 82, &[0, 1, 4, 6, 10]),
    Operator("Nord Air", 93, &[1, 2, 6, 8, 11]),
    Operator("Riviera Wings", 90, &[0, 2, 4, 7, 10]),
    Operator("Helvetia Executive", 96, &[3, 5, 7, 9, 11]),
    Operator("Atlantic Private", 88, &[4, 6, 7, 9, 10]),
    Operator("Danube Aviation", 85, &[0, 1, 3, 5, 8]),
    Operator("Lumen Jets", 92, &[2, 4, 6, 8, 10]),
];

/// What an aircraft must be able to fly beyond the distance, as a factor.
const RESERVE: f64 = 1.05;
/// Hours of a flight that are not spent at full speed.
const CLIMB_HOURS: f64 = 0.4;
/// What each flight costs on the ground, in euros.
const GROUND: f64 = 800.0;

/// The quotes for a request, in the order in which they come.
pub(super) fn quotes(rfp_id: &str, request: &RfpRequest) -> Vec<Quote> {
    let (Some(from), Some(to)) = (find(&request.from), find(&request.to)) else { return Vec::new() };
    let chance = Digest::of_json(request).0;
    let turned = OPERATORS.iter().cycle().skip(usize::from(chance[0])).take(OPERATORS.len());
    let offers = turned.enumerate().filter_map(|(at, operator)| {
        let dice = (chance[2 * at + 1], chance[2 * at + 2]);
        let aircraft = chosen(operator, request.passengers, distance_km(from, to), dice.0)?;
        Some(quote(operator, aircraft, from, to, dice))
    });
    let mut quotes: Vec<Quote> = offers.take(MARKET_QUOTES_MAX).collect();
    for (at, quote) in quotes.iter_mut().enumerate() {
        quote.quote_id = format!("{rfp_id}-q{}", at + 1);
    }
    quotes
}

/// One of the two smallest aircraft of an operator that can do it: nobody flies four people in an airliner.
fn chosen(operator: &Operator, passengers: u64, km: f64, dice: u8) -> Option<&'static Aircraft> {
    let all = operator.2.iter().filter_map(|at| FLEET.get(*at));
    let able: Vec<_> =
        all.filter(|craft| craft.seats >= passengers && craft.range_km >= km * RESERVE).take(2).collect();
    able.get(usize::from(dice) % able.len().max(1)).copied()
}

fn quote(operator: &Operator, aircraft: &Aircraft, from: &Place, to: &Place, dice: (u8, u8)) -> Quote {
    let hours = distance_km(from, to) / aircraft.speed_kmh + CLIMB_HOURS;
    let (demand, position) = (0.92 + f64::from(dice.0) / 1_000.0, f64::from(dice.1 % 5) * 350.0);
    Quote {
        quote_id: String::new(),
        operator: operator.0.to_owned(),
        aircraft: aircraft.name.to_owned(),
        seats: aircraft.seats,
        range_km: whole(aircraft.range_km),
        speed_kmh: whole(aircraft.speed_kmh),
        safety_rating: operator.1,
        comfort: whole(aircraft.comfort),
        flight_minutes: whole(hours * 60.0),
        price: 50 * whole((hours * aircraft.hour * demand + GROUND + position) / 50.0),
        currency: "EUR".to_owned(),
        status: QuoteStatus::Offered,
    }
}

/// A number of the tables above, which are all small and positive, as a whole one.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the tables hold small numbers")]
fn whole(number: f64) -> u64 {
    number.round() as u64
}
