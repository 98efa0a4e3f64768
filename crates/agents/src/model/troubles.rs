//! What went wrong, from what a provider says: its status, its headers, its words.

use super::{ModelError, Trouble};
use handover_core::{context::sanitize, limits::MODEL_SHOWN_CHARS_MAX, time::Timestamp};
use serde_json::Value;

/// Why one try came to nothing, and whether another one may do better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// What went wrong.
    pub error: ModelError,
    /// Whether to ask again.
    pub again: bool,
}

impl Failed {
    /// Something that a later try may or may not mend, by its kind.
    pub fn new(trouble: Trouble, message: impl Into<String>) -> Self {
        ModelError::new(trouble, message).into()
    }
}

impl From<ModelError> for Failed {
    fn from(error: ModelError) -> Self {
        Self { again: error.is_passing(), error }
    }
}

/// An answer that is none.
pub struct Refused<'a> {
    /// Its status.
    pub status: u16,
    /// Finds a header by its name in small letters.
    pub header: &'a dyn Fn(&str) -> Option<String>,
    /// What it says, as far as it was read.
    pub body: &'a [u8],
    /// The time, to which dates are compared.
    pub now: Timestamp,
}

impl Refused<'_> {
    /// What went wrong. The words are the provider's: [`tamed`] makes them fit to be shown.
    #[must_use]
    pub fn failed(&self) -> Failed {
        let body: Option<Value> = serde_json::from_slice(self.body).ok();
        let words = body.as_ref().and_then(words).unwrap_or_else(|| String::from_utf8_lossy(self.body).into_owned());
        let kind = body.as_ref().and_then(kind).map(|kind| format!(", {kind}")).unwrap_or_default();
        let said = if words.trim().is_empty() { "nothing more".to_owned() } else { words };
        let trouble = of_status(self.status);
        let mut failed = Failed::new(trouble, format!("the provider says ({}{kind}): {said}", self.status));
        failed.error.retry_after_ms = self.retry_after_ms();
        // A quota that is used up does not come back in a minute.
        let spent = kind.contains("insufficient_quota") || kind.contains("billing");
        failed.again = match (self.header)("x-should-retry").as_deref() {
            Some("true") => true,
            Some("false") => false,
            Some(_) | None => failed.again && !spent,
        };
        failed
    }

    fn retry_after_ms(&self) -> Option<u64> {
        let exact = (self.header)("retry-after-ms").and_then(|text| milliseconds(&text, 1.0));
        exact.or_else(|| {
            let text = (self.header)("retry-after")?;
            milliseconds(&text, 1_000.0).or_else(|| Some(http_date(&text)?.since(self.now)))
        })
    }
}

fn milliseconds(text: &str, unit: f64) -> Option<u64> {
    let number: f64 = text.trim().parse().ok()?;
    // The longest wait that anybody follows is far below what a float holds exactly.
    (number.is_finite() && number >= 0.0).then(|| (number * unit).ceil().min(1e15) as u64)
}

/// A date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<Timestamp> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.trim().split_once(", ")?.1.split(' ');
    let (day, month, year, time) = (words.next()?, words.next()?, words.next()?, words.next()?);
    if words.next() != Some("GMT") {
        return None;
    }
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    format!("{year}-{month:02}-{day:0>2}T{time}Z").parse().ok()
}

fn of_status(status: u16) -> Trouble {
    match status {
        401..=403 => Trouble::Key,
        404 | 405 | 410 | 300..=399 => Trouble::NotFound,
        429 => Trouble::RateLimit,
        408 | 409 | 500..=599 => Trouble::Provider,
        _ => Trouble::Question,
    }
}

/// What an error says that comes as data: in the middle of a stream, or with a status that promised an answer.
#[must_use]
pub fn told(body: &Value) -> Failed {
    let kind = kind(body).unwrap_or_default();
    let status = body.pointer("/error/code").or_else(|| body.get("code")).and_then(Value::as_u64);
    let trouble = match kind.as_str() {
        "authentication_error" | "permission_error" | "billing_error" | "invalid_api_key" => Trouble::Key,
        "invalid_request_error" | "request_too_large" => Trouble::Question,
        "not_found_error" | "model_not_found" => Trouble::NotFound,
        "rate_limit_error" | "rate_limit_exceeded" | "insufficient_quota" => Trouble::RateLimit,
        _ => status
            .and_then(|code| u16::try_from(code).ok())
            .filter(|code| *code >= 400)
            .map_or(Trouble::Provider, of_status),
    };
    let words = words(body).unwrap_or_else(|| body.to_string());
    let kind_shown = if kind.is_empty() { String::new() } else { format!(" ({kind})") };
    let mut failed = Failed::new(trouble, format!("the provider says{kind_shown}: {words}"));
    failed.again &= kind != "insufficient_quota";
    failed
}

/// The words of an error, wherever a provider puts them.
fn words(body: &Value) -> Option<String> {
    let places = ["/error/message", "/error", "/message", "/detail", "/detail/0/msg", "/0/error/message"];
    places.iter().find_map(|place| body.pointer(place)?.as_str()).map(str::to_owned)
}

/// The provider's own name for an error. The code says more than the type, where there is one.
fn kind(body: &Value) -> Option<String> {
    let places = ["/error/code", "/error/type", "/error/status", "/type", "/object"];
    let mut found = places.iter().filter_map(|place| body.pointer(place)?.as_str());
    found.find(|kind| !kind.is_empty() && *kind != "error").map(str::to_owned)
}

/// Words of others, fit to be shown: without secrets, on one line, not too long.
#[must_use]
pub fn tamed(words: &str, secrets: &[String]) -> String {
    let mut text = words.to_owned();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        text = text.replace(secret.as_str(), "[hidden]");
    }
    // What lies far behind is not shown, so it need not be cleaned either.
    text.truncate(text.floor_char_boundary(MODEL_SHOWN_CHARS_MAX * 8));
    let clean = sanitize::clean_text(text, &mut sanitize::Redacted::new());
    let line = clean.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let line = line.collect::<Vec<_>>().join(" ");
    let mut shown: String = line.chars().take(MODEL_SHOWN_CHARS_MAX).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    shown
}
