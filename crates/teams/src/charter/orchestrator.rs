//! Reads and checks a request. Whether the client is looked up next depends on what the request says.

use super::request::read;
use crate::bench::{Bench, Ending, Failure, present, text};
use serde_json::json;

/// Ends with `ANALYZING_COMPLETE` and `rfp_data`, or with `ANALYZING_FAILED` and every mistake.
///
/// # Errors
/// When the engine takes the work away.
pub async fn orchestrator<B: Bench>(bench: &B) -> Result<Ending, Failure> {
    let payload = bench.payload();
    // A request that says "tomorrow" means the same day however often it is read.
    let today = bench.step("today", async { day_of(bench.now().0) }).await?;
    let read = read(payload, today.parse()?);
    let request_id = text(payload, "request_id").unwrap_or(bench.session());
    let said = |name: &str| text(&read.rfp_data, name);
    let data = present(json!({
        "request_id": request_id,
        "session_id": bench.session(),
        "client_name": said("client_name"),
        "client_email": said("client_email"),
        "urgency": said("urgency"),
        "rfp_data": read.rfp_data,
    }));
    if read.mistakes.is_empty() {
        let (from, to, date) = (said("from"), said("to"), said("date"));
        let parts = [from, to, date].map(Option::unwrap_or_default);
        let say =
            format!("A flight for {} from {} to {} on {}.", read.rfp_data["passengers"], parts[0], parts[1], parts[2]);
        return Ok(Ending::done("ANALYZING_COMPLETE", data, say));
    }
    let say = format!("The request cannot be used. {}.", read.mistakes.join("; "));
    let mut ending = Ending::failed("ANALYZING_FAILED", "validation_error", data, say);
    ending.data["mistakes"] = json!(read.mistakes);
    ending.data["retryable"] = json!(false);
    Ok(ending)
}

/// The day of a point in time, in UTC.
fn day_of(ms: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    time.strftime("%Y-%m-%d").to_string()
}
