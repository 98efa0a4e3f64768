//! Lengths of time: exact as `…_ms`, or as people write them.

use super::{fields::Fields, mistakes::quoted, place::Place};
use crate::{
    limits,
    refusal::{Code, Refusal},
};
use serde_json::Value;

/// The field `exact` in milliseconds, or the field `plain` in seconds or in words; both at once is a mistake.
pub(super) fn duration(fields: &mut Fields<'_>, exact: &'static str, plain: &'static str) -> Option<u64> {
    let milliseconds = fields.get(exact);
    let words = fields.get(plain);
    if let (Some(_), Some(again)) = (&milliseconds, &words) {
        again.twice(exact);
    }
    milliseconds.map_or_else(|| words.as_ref().and_then(spoken), counted)
}

fn counted(place: Place<'_>) -> Option<u64> {
    match place.value().as_f64() {
        Some(number) if number < 1.0 || number > limits::WAIT_MS_MAX as f64 => {
            out_of_range(&place, &place.value().to_string())
        }
        Some(_) | None => place.whole(1, limits::WAIT_MS_MAX),
    }
}

/// Seconds as a number, or a text such as `PT30S`, `30s`, `5m` or `1h 30m`.
fn spoken(place: &Place<'_>) -> Option<u64> {
    let (shown, milliseconds) = match place.value() {
        Value::Number(seconds) => {
            let milliseconds = seconds.as_f64().map(|seconds| (seconds * 1_000.0).round());
            (format!("{seconds} s"), milliseconds.map(|milliseconds| milliseconds as i128))
        }
        Value::String(text) => (quoted(text), parse(text)),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            place.wrong_type("a number of seconds or a text such as \"30s\"");
            return None;
        }
    };
    let Some(milliseconds) = milliseconds else {
        let refusal = Refusal::new(Code::WrongType, format!("expected a length of time, found {shown}"));
        place.refuse(refusal.hint("write it as \"30s\", \"5m\", \"PT30S\" or a number of seconds"));
        return None;
    };
    let fits = u64::try_from(milliseconds).ok().filter(|ms| (1..=limits::WAIT_MS_MAX).contains(ms));
    fits.or_else(|| out_of_range(place, &shown))
}

fn out_of_range(place: &Place<'_>, shown: &str) -> Option<u64> {
    let message = format!("{shown} is not between 1 and {} ms (WAIT_MS_MAX)", limits::WAIT_MS_MAX);
    place.wrong(Code::OutOfRange, message);
    None
}

/// A day counts as 24 hours; a month or a year has no fixed length and is not taken.
fn parse(text: &str) -> Option<i128> {
    let span: jiff::Span = text.trim().parse().ok()?;
    let length = span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).ok()?;
    Some(length.as_millis())
}
