//! A charter request: read from fields or from a sentence, and checked with every mistake named.

use super::{
    days::{day, last},
    sentence::heard,
};
use crate::{bench::present, mail::is_address, market::places, words::shortened};
use handover_core::limits::{
    CHARTER_DAYS_MAX, CHARTER_FIELD_CHARS_MAX, CHARTER_TEXT_CHARS_MAX, PASSENGERS_MAX, QUOTE_CHARS_MAX,
};
use jiff::civil::Date;
use serde_json::{Map, Value, json};

/// How soon a flight is needed, the most pressing first.
pub(super) const URGENCIES: [&str; 4] = ["urgent", "high", "normal", "low"];

/// A request as far as it could be read, and what is wrong with it.
pub(super) struct Read {
    pub rfp_data: Value,
    pub mistakes: Vec<String>,
}

/// Reads the request in a payload. A field counts for more than the sentence.
pub(super) fn read(payload: &Value, today: Date) -> Read {
    let mut mistakes = Vec::new();
    let mut fields = match payload.get("text") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::String(text)) if text.chars().count() <= CHARTER_TEXT_CHARS_MAX => {
            said(text, payload, today, &mut mistakes)
        }
        Some(Value::String(_)) => {
            let most = CHARTER_TEXT_CHARS_MAX;
            mistakes.push(format!("text: {most} characters are the most (CHARTER_TEXT_CHARS_MAX)"));
            Map::new()
        }
        Some(_) => {
            mistakes.push("text: write a sentence".to_owned());
            Map::new()
        }
    };
    for name in ["client_name", "client_email", "from", "to", "date", "urgency", "notes"] {
        match payload.get(name) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if text.trim().is_empty() => {}
            Some(Value::String(text)) if text.chars().count() > CHARTER_FIELD_CHARS_MAX => {
                let most = CHARTER_FIELD_CHARS_MAX;
                mistakes.push(format!("{name}: {most} characters are the most (CHARTER_FIELD_CHARS_MAX)"));
            }
            Some(Value::String(text)) => drop(fields.insert(name.to_owned(), text.trim().into())),
            Some(_) => mistakes.push(format!("{name}: write a text")),
        }
    }
    if let Some(count) = payload.get("passengers").filter(|count| !count.is_null()) {
        fields.insert("passengers".into(), count.clone());
    }
    check(&mut fields, today, &mut mistakes);
    Read { rfp_data: present(Value::Object(fields)), mistakes }
}

/// The fields that a sentence fills. A mistake in one that is given by itself does not count.
fn said(text: &str, payload: &Value, today: Date, mistakes: &mut Vec<String>) -> Map<String, Value> {
    let heard = heard(text, today);
    mistakes.extend(heard.mistakes.into_iter().filter(|why| {
        let given = |field: &str| payload.get(field).is_some_and(|value| !value.is_null());
        !(why.starts_with("date:") && given("date"))
    }));
    let assumptions = match payload.get("date") {
        None | Some(Value::Null) => heard.assumptions,
        Some(_) => Vec::new(),
    };
    let fields = present(json!({
        "client_name": heard.client_name,
        "client_email": heard.client_email,
        "from": heard.from,
        "to": heard.to,
        "date": heard.date.map(|date| date.to_string()),
        "passengers": heard.passengers,
        "urgency": heard.urgency,
        "notes": heard.notes,
        "assumptions": (!assumptions.is_empty()).then_some(assumptions),
    }));
    fields.as_object().cloned().unwrap_or_default()
}

/// Checks all fields, and writes places and days in one form.
fn check(fields: &mut Map<String, Value>, today: Date, mistakes: &mut Vec<String>) {
    let text = |fields: &Map<String, Value>, name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let ends = ["from", "to"].map(|name| match text(fields, name).map(|place| known(&place)) {
        Some(Ok(place)) => {
            fields.insert(name.into(), place.city.into());
            fields.insert(format!("{name}_code"), place.code.into());
            Some(place.code)
        }
        Some(Err(why)) => {
            mistakes.push(format!("{name}: {why}"));
            None
        }
        None => {
            mistakes
                .push(format!("{name}: where the flight {} is missing", if name == "to" { "ends" } else { "begins" }));
            None
        }
    });
    if ends[0].is_some() && ends[0] == ends[1] {
        mistakes.push("to: the flight ends where it begins".to_owned());
    }
    // A day of which more is wrong has been named already.
    let named = mistakes.iter().any(|why| why.starts_with("date:"));
    match text(fields, "date").map(|date| day(&date, today).and_then(|day| in_reach(day.date, today).map(|()| day))) {
        Some(Ok(day)) => {
            fields.insert("date".into(), day.date.to_string().into());
            if let Some(why) = day.assumed {
                fields.insert("assumptions".into(), json!([why]));
            }
        }
        Some(Err(why)) => mistakes.push(format!("date: {why}")),
        None if named => {}
        None => mistakes.push("date: the day of the flight is missing".to_owned()),
    }
    check_people(fields, mistakes);
}

fn check_people(fields: &mut Map<String, Value>, mistakes: &mut Vec<String>) {
    match fields.get("passengers") {
        None => mistakes.push("passengers: how many people fly is missing".to_owned()),
        Some(count) if count.as_u64().is_some_and(|count| (1..=PASSENGERS_MAX).contains(&count)) => {}
        Some(count) => {
            let count = shortened(&count.to_string(), QUOTE_CHARS_MAX);
            mistakes.push(format!("passengers: {count} is not a number of 1 to {PASSENGERS_MAX} (PASSENGERS_MAX)"));
        }
    }
    if let Some(address) = fields.get("client_email").and_then(Value::as_str).filter(|address| !is_address(address)) {
        let address = shortened(address, QUOTE_CHARS_MAX);
        mistakes.push(format!("client_email: `{address}` is no address; write one such as ann@example.com"));
    }
    let urgency = fields.get("urgency").and_then(Value::as_str).map_or("normal".to_owned(), str::to_lowercase);
    if !URGENCIES.contains(&urgency.as_str()) {
        let urgency = shortened(&urgency, QUOTE_CHARS_MAX);
        mistakes.push(format!("urgency: `{urgency}` is not one of {}", URGENCIES.join(", ")));
    }
    fields.insert("urgency".into(), urgency.into());
}

fn known(name: &str) -> Result<&'static places::Place, String> {
    places::find(name).ok_or_else(|| {
        let shown = shortened(name, QUOTE_CHARS_MAX);
        match places::most_like(name) {
            Some(place) => format!("no airport is known as `{shown}`; did you mean {}?", place.city),
            None => format!("no airport is known as `{shown}`"),
        }
    })
}

fn in_reach(date: Date, today: Date) -> Result<(), String> {
    if date < today {
        return Err(format!("{date} is past"));
    }
    match date > last(today, CHARTER_DAYS_MAX) {
        true => Err(format!("{date} is more than {CHARTER_DAYS_MAX} days away (CHARTER_DAYS_MAX)")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_is_named() {
        let today = Date::constant(2026, 11, 16);
        let good = json!({"from": "paris", "to": "NCE", "date": "Friday", "passengers": 4});
        let with = |changes: Value| {
            let mut payload = good.clone();
            for (name, value) in changes.as_object().unwrap() {
                payload[name] = value.clone();
            }
            payload
        };
        for (payload, expected) in [
            (good.clone(), ""),
            (
                json!({}),
                "from: where the flight begins is missing; to: where the flight ends is missing; \
                date: the day of the flight is missing; passengers: how many people fly is missing",
            ),
            (with(json!({"from": "Pariss"})), "from: no airport is known as `Pariss`; did you mean Paris?"),
            (with(json!({"to": "Atlantis"})), "to: no airport is known as `Atlantis`"),
            (with(json!({"to": "LBG"})), "to: the flight ends where it begins"),
            (with(json!({"to": 7})), "to: write a text; to: where the flight ends is missing"),
            (with(json!({"date": "2026-11-15"})), "date: 2026-11-15 is past"),
            (with(json!({"date": "2028-01-01"})), "date: 2028-01-01 is more than 365 days away (CHARTER_DAYS_MAX)"),
            (with(json!({"passengers": "4"})), "passengers: \"4\" is not a number of 1 to 19 (PASSENGERS_MAX)"),
            (with(json!({"passengers": 20})), "passengers: 20 is not a number of 1 to 19 (PASSENGERS_MAX)"),
            (
                with(json!({"client_email": "x y"})),
                "client_email: `x y` is no address; write one such as ann@example.com",
            ),
            (with(json!({"urgency": "Soon"})), "urgency: `soon` is not one of urgent, high, normal, low"),
            (
                with(json!({"notes": "x".repeat(1_001)})),
                "notes: 1000 characters are the most (CHARTER_FIELD_CHARS_MAX)",
            ),
            (
                json!({"text": "x".repeat(2_001)}),
                "text: 2000 characters are the most (CHARTER_TEXT_CHARS_MAX); \
                from: where the flight begins is missing; to: where the flight ends is missing; \
                date: the day of the flight is missing; passengers: how many people fly is missing",
            ),
            (
                json!({"text": "2 people from Paris to Nice on Monday 20 November"}),
                "date: 20 november (2026-11-20) is a Friday, not a Monday",
            ),
            (json!({"text": "2 people from Paris to Nice on Monday 20 November", "date": "2026-11-20"}), ""),
        ] {
            let read = read(&payload, today);
            assert_eq!(read.mistakes.join("; "), expected, "{payload}");
        }
    }

    #[test]
    fn places_and_days_get_one_form() {
        let today = Date::constant(2026, 11, 16);
        let payload =
            json!({"text": "Jane Miller: 4 people from Zürich to Genf on Friday", "passengers": 5, "urgency": "High"});
        let expected = json!({
            "client_name": "Jane Miller", "from": "Zurich", "from_code": "ZRH", "to": "Geneva", "to_code": "GVA",
            "date": "2026-11-20", "passengers": 5, "urgency": "high",
            "assumptions": ["Friday is taken as 2026-11-20"],
        });
        assert_eq!(read(&payload, today).rfp_data, expected);
    }

    proptest::proptest! {
        #[test]
        fn any_words_are_read_and_what_is_good_is_complete(
            words in proptest::collection::vec("(from|to|Paris|Nice|in|9|days|next|friday|the|20th|of|november|2026|3 people|:|@|é.|\\PC{0,6})", 0..16),
        ) {
            let read = read(&json!({ "text": words.join(" ") }), Date::constant(2026, 11, 16));
            if read.mistakes.is_empty() {
                for field in ["from_code", "to_code", "date", "passengers", "urgency"] {
                    proptest::prop_assert!(read.rfp_data.get(field).is_some(), "{}", read.rfp_data);
                }
            }
        }
    }
}
