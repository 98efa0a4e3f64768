//! Decides what becomes of a failure: another try after a while, or a word to a person.

use super::retries;
use crate::bench::{Bench, Ending, Failure, text};
use handover_core::limits::RETRIES_MAX;
use serde_json::{Value, json};

/// Ends with `ERROR_RETRY` while another try may help and there were fewer than three, else with `ERROR_FINAL`. How long
/// the next try waits is for the workflow to say.
///
/// # Errors
/// When the engine takes the work away.
pub async fn error_monitor<B: Bench>(bench: &B) -> Result<Ending, Failure> {
    let payload = bench.payload();
    let kind = text(payload, "error_type").unwrap_or("unknown_error");
    let service = text(payload, "service").unwrap_or_default();
    let what = text(payload, "error_message").map_or_else(|| unsaid(kind, payload), str::to_owned);
    let tried = retries(payload, service);
    let retryable = payload["retryable"].as_bool().unwrap_or(false);
    // What was known about the failure goes on, so that a retry finds all that it needs.
    let mut data = Value::Object(payload.as_object().cloned().unwrap_or_default());
    data["original_error"] = json!(what);
    data["error_type"] = json!(kind);
    if retryable && tried < u64::from(RETRIES_MAX) {
        data["retry_count"] = json!(tried + 1);
        let say = format!("Try {} of {RETRIES_MAX} for {}: {what}", tried + 1, named(service));
        return Ok(Ending::done("ERROR_RETRY", data, say));
    }
    let say = last_word(kind, service, &what, tried);
    data["error_message"] = json!(say);
    Ok(Ending::done("ERROR_FINAL", data, say))
}

/// A failure that came without words.
fn unsaid(kind: &str, payload: &Value) -> String {
    match kind {
        "quote_timeout" => {
            let count = payload["quotes_count"].as_u64().unwrap_or(0);
            format!("too few quotes came in time, {count} of the three that are needed")
        }
        kind => format!("it failed with `{kind}` and said no more"),
    }
}

fn named(service: &str) -> String {
    match service {
        "" => "the work".to_owned(),
        service => format!("the {}", service.replace('_', " ")),
    }
}

fn last_word(kind: &str, service: &str, what: &str, tried: u64) -> String {
    let what = what.trim_end_matches('.');
    let advice = match kind {
        "validation_error" => "Ask the client for what is missing or wrong",
        "insufficient_data" | "quote_timeout" => "Ask operators by telephone, or offer the client another day",
        "email_delivery_error" => "Write to the client by another way",
        "external_service_error" | "market_error" => "Look after the service, and begin the request again",
        _ => "Somebody has to look",
    };
    match tried {
        0 => format!("{what}. {advice}."),
        tried => format!("{} failed again after {tried} retries: {what}. {advice}.", capital(&named(service))),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}
