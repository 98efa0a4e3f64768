//! Asks the market for quotes, once per session, and waits until enough have come.

use super::{MARKET, Office, trouble};
use crate::{
    bench::{Bench, Ending, Failure, present, text},
    market::{MarketError, RfpRequest},
};
use handover_core::limits::{QUOTES_FETCH_TRIES, QUOTES_MIN};
use serde_json::{Value, json};

/// Moves to `AWAITING_QUOTES` when the request is made, and ends with `QUOTES_RECEIVED` when three quotes have come, or
/// with `SEARCHING_FLIGHTS_FAILED`. How long it may wait is for the workflow to say: its timeout ends this work.
///
/// # Errors
/// When the engine takes the work away.
pub async fn flight_search<B: Bench>(bench: &B, office: &Office) -> Result<Ending, Failure> {
    let payload = bench.payload();
    let request = match asked(&payload["rfp_data"]) {
        Ok(request) => request,
        Err(why) => return Ok(failed(payload, None, MarketError { why, retryable: false })),
    };
    // The key follows from the session: whoever asks again, after a crash or as a retry, gets the same request.
    let key = format!("charter/{}", bench.session());
    let made: Result<String, MarketError> =
        bench.step("rfp", async { office.market.create(&key, &request).await.map(|rfp| rfp.rfp_id) }).await?;
    let rfp_id = match made {
        Ok(rfp_id) => rfp_id,
        Err(error) => return Ok(failed(payload, None, error)),
    };
    bench.advance("AWAITING_QUOTES").await?;
    match quotes(bench, office, &rfp_id).await {
        Ok(count) => {
            let data = json!({ "rfp_id": rfp_id, "quotes_count": count });
            Ok(Ending::done("QUOTES_RECEIVED", data, format!("{count} quotes have come for {rfp_id}.")))
        }
        Err(error) => Ok(failed(payload, Some(&rfp_id), error)),
    }
}

/// Waits for enough quotes; gives how many have come. A market that is away for a moment is asked again.
async fn quotes<B: Bench>(bench: &B, office: &Office, rfp_id: &str) -> Result<usize, MarketError> {
    let mut missed = 0;
    loop {
        match office.market.get(rfp_id).await {
            Ok(rfp) if rfp.quotes.len() >= QUOTES_MIN => return Ok(rfp.quotes.len()),
            Ok(_) => missed = 0,
            Err(error) if error.retryable && missed + 1 < QUOTES_FETCH_TRIES => missed += 1,
            Err(error) => return Err(error),
        }
        bench.pause(office.settings.poll_ms).await;
    }
}

fn asked(rfp_data: &Value) -> Result<RfpRequest, String> {
    let part = |code: &str, name: &str| text(rfp_data, code).or_else(|| text(rfp_data, name)).map(str::to_owned);
    let missing = |name: &str| format!("`rfp_data` has no `{name}`");
    Ok(RfpRequest {
        from: part("from_code", "from").ok_or_else(|| missing("from"))?,
        to: part("to_code", "to").ok_or_else(|| missing("to"))?,
        date: part("date", "date").ok_or_else(|| missing("date"))?,
        passengers: rfp_data["passengers"].as_u64().ok_or_else(|| missing("passengers"))?,
    })
}

fn failed(payload: &Value, rfp_id: Option<&str>, error: MarketError) -> Ending {
    let mut data = trouble(payload, MARKET, error.retryable);
    data["rfp_id"] = json!(rfp_id);
    Ending::failed("SEARCHING_FLIGHTS_FAILED", "market_error", present(data), error.why)
}
