//! Scores as they are shown to people: whoever changes a weight sees here what it does.

use super::*;
use crate::market::QuoteStatus;
use expect_test::{Expect, expect};

fn quote(id: &str, aircraft: &str, price: u64, safety: u64, minutes: u64, comfort: u64) -> Quote {
    Quote {
        quote_id: id.into(),
        operator: format!("Operator {id}"),
        aircraft: aircraft.into(),
        seats: 8,
        range_km: 4_000,
        speed_kmh: 800,
        safety_rating: safety,
        comfort,
        flight_minutes: minutes,
        price,
        currency: "EUR".into(),
        status: QuoteStatus::Offered,
    }
}

fn quotes() -> Vec<Quote> {
    vec![
        quote("a", "Citation M2", 4_100, 82, 80, 60),
        quote("b", "Phenom 300E", 5_650, 97, 74, 72),
        quote("c", "Challenger 350", 9_000, 88, 72, 86),
        quote("d", "Global 6000", 20_000, 96, 70, 94),
    ]
}

fn check(wishes: &Wishes, expected: &Expect) {
    let (proposals, _) = rank(&quotes(), wishes);
    let line = |p: &Proposal| {
        let Scores { price, safety, speed, comfort, total } = p.scores;
        format!("{} {}: {price} {safety} {speed} {comfort} = {total}\n   {}\n", p.rank, p.quote_id, p.reasoning)
    };
    expected.assert_eq(&proposals.iter().map(line).collect::<String>());
}

#[test]
fn without_wishes_the_price_leads() {
    check(
        &Wishes { passengers: 4, ..Wishes::default() },
        &expect![[r#"
        1 a: 100 82 87.5 60 = 85.6
           EUR 4,100 is the lowest price of 4; safety 82 of 100; 1 h 20 min, 10 min longer than the shortest; comfort 60 of 100.
        2 b: 72.6 97 94.6 72 = 81.9
           EUR 5,650, 1,550 more than the cheapest; safety 97 of 100; 1 h 14 min, 4 min longer than the shortest; comfort 72 of 100.
        3 c: 45.6 88 97.2 86 = 72
           EUR 9,000, 4,900 more than the cheapest; safety 88 of 100; 1 h 12 min, 2 min longer than the shortest; comfort 86 of 100.
        4 d: 20.5 96 100 94 = 66
           EUR 20,000, 15,900 more than the cheapest; safety 96 of 100; the shortest flight with 1 h 10 min; comfort 94 of 100.
    "#]],
    );
}

#[test]
fn budget_and_preferred_aircraft_count() {
    let preferred_aircraft = vec!["phenom 300e".to_owned()];
    check(
        &Wishes { passengers: 4, budget_max: Some(6_000), preferred_aircraft, ..Wishes::default() },
        &expect![[r#"
            1 b: 72.6 97 94.6 72 = 86.9
               EUR 5,650, 1,550 more than the cheapest; within the budget of EUR 6,000; safety 97 of 100; 1 h 14 min, 4 min longer than the shortest; comfort 72 of 100; one of the preferred aircraft.
            2 a: 100 82 87.5 60 = 85.6
               EUR 4,100 is the lowest price of 4; within the budget of EUR 6,000; safety 82 of 100; 1 h 20 min, 10 min longer than the shortest; comfort 60 of 100.
            3 c: 15.6 88 97.2 86 = 60
               EUR 9,000, 4,900 more than the cheapest; above the budget of EUR 6,000; safety 88 of 100; 1 h 12 min, 2 min longer than the shortest; comfort 86 of 100.
            4 d: 0 96 100 94 = 57.8
               EUR 20,000, 15,900 more than the cheapest; above the budget of EUR 6,000; safety 96 of 100; the shortest flight with 1 h 10 min; comfort 94 of 100.
        "#]],
    );
}

#[test]
fn a_vip_in_haste_pays_for_comfort() {
    check(
        &Wishes { passengers: 4, vip: true, urgency: "urgent".into(), ..Wishes::default() },
        &expect![[r#"
        1 d: 20.5 96 100 94 = 88.9
           EUR 20,000, 15,900 more than the cheapest; safety 96 of 100; the shortest flight with 1 h 10 min; comfort 94 of 100.
        2 c: 45.6 88 97.2 86 = 85.8
           EUR 9,000, 4,900 more than the cheapest; safety 88 of 100; 1 h 12 min, 2 min longer than the shortest; comfort 86 of 100.
        3 b: 72.6 97 94.6 72 = 85.1
           EUR 5,650, 1,550 more than the cheapest; safety 97 of 100; 1 h 14 min, 4 min longer than the shortest; comfort 72 of 100.
        4 a: 100 82 87.5 60 = 77.8
           EUR 4,100 is the lowest price of 4; safety 82 of 100; 1 h 20 min, 10 min longer than the shortest; comfort 60 of 100.
    "#]],
    );
}

#[test]
fn weights_are_a_hundred_and_safety_keeps_its_own() {
    for urgency in ["urgent", "high", "normal", "low", "?"] {
        for vip in [false, true] {
            let weights = Wishes { urgency: urgency.into(), vip, ..Wishes::default() }.weights();
            assert!((weights.iter().sum::<f64>() - 100.0).abs() < 1e-9 && weights.iter().all(|weight| *weight > 0.0));
            assert!((weights[1] - 25.0).abs() < 1e-9);
        }
    }
}

#[test]
fn what_cannot_be_used_is_left_out_with_a_reason() {
    let change = |id: &str, change: fn(&mut Quote)| {
        let mut quote = quote(id, "PC-24", 5_000, 90, 75, 75);
        change(&mut quote);
        quote
    };
    let quotes = [
        change("good", |_| {}),
        change("good", |_| {}),
        change("gone", |quote| quote.status = QuoteStatus::Withdrawn),
        change("free", |quote| quote.price = 0),
        change("dollars", |quote| quote.currency = "USD".into()),
        change("instant", |quote| quote.flight_minutes = 0),
        change("perfect", |quote| quote.safety_rating = 101),
        change("small", |quote| quote.seats = 3),
    ];
    let (proposals, dropped) = rank(&quotes, &Wishes { passengers: 4, ..Wishes::default() });
    assert_eq!(proposals.len(), 1);
    let shown: Vec<String> = dropped.iter().map(ToString::to_string).collect();
    let expected = [
        "good is there twice",
        "gone was withdrawn",
        "free has no price",
        "dollars is not in euros",
        "instant has no time of flight",
        "perfect has a rating above 100",
        "small has too few seats",
    ];
    assert_eq!(shown, expected);
    assert_eq!(rank(&[], &Wishes::default()), (Vec::new(), Vec::new()));
}

#[test]
fn of_two_that_are_equal_the_first_by_id_wins() {
    let twins = [quote("z", "PC-24", 5_000, 90, 75, 75), quote("y", "PC-24", 5_000, 90, 75, 75)];
    let (proposals, _) = rank(&twins, &Wishes::default());
    assert_eq!(proposals.iter().map(|p| p.quote_id.as_str()).collect::<Vec<_>>(), ["y", "z"]);
}
