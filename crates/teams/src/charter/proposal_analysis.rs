//! Compares the quotes that stand, and chooses the best three for this client.

use super::{MARKET, Office, scoring::Wishes, scoring::rank, trouble};
use crate::{
    bench::{Bench, Ending, Failure, text},
    market::{MarketError, Quote},
};
use handover_core::limits::{PROPOSALS_MAX, QUOTES_FETCH_TRIES, QUOTES_MIN};
use serde_json::json;

/// Ends with `ANALYSIS_COMPLETE` and `top_proposals`, or with `ANALYSIS_FAILED` when fewer than three quotes stand.
///
/// # Errors
/// When the engine takes the work away.
pub async fn proposal_analysis<B: Bench>(bench: &B, office: &Office) -> Result<Ending, Failure> {
    let payload = bench.payload();
    let rfp_id = text(payload, "rfp_id").unwrap_or_default();
    // Quotes may be withdrawn at any time. What is compared is what stood now, also after a crash.
    let fetched: Result<Vec<Quote>, MarketError> =
        bench.step("quotes", async { fetch(bench, office, rfp_id).await }).await?;
    let quotes = match fetched {
        Ok(quotes) => quotes,
        Err(error) => {
            // It was tried several times here: a failed analysis is not tried again by anybody else.
            let data = trouble(payload, MARKET, false);
            return Ok(short_of_quotes(data, rfp_id, 0, error.why));
        }
    };
    let wishes = Wishes::of(&payload["rfp_data"], &payload["client_preferences"]);
    let (mut proposals, dropped) = rank(&quotes, &wishes);
    if proposals.len() < QUOTES_MIN {
        let (stand, why) = (proposals.len(), dropped.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "));
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        let say = format!("{stand} of {} quotes can be used, {QUOTES_MIN} are needed{why}.", quotes.len());
        return Ok(short_of_quotes(trouble(payload, MARKET, false), rfp_id, stand, say));
    }
    let compared = proposals.len();
    proposals.truncate(PROPOSALS_MAX);
    let best = proposals.first().map(|best| format!("{} with {}", best.operator, best.aircraft)).unwrap_or_default();
    let data = json!({ "rfp_id": rfp_id, "top_proposals": proposals, "quotes_dropped": dropped });
    Ok(Ending::done("ANALYSIS_COMPLETE", data, format!("{compared} quotes compared; the best is {best}.")))
}

async fn fetch<B: Bench>(bench: &B, office: &Office, rfp_id: &str) -> Result<Vec<Quote>, MarketError> {
    for _ in 1..QUOTES_FETCH_TRIES {
        match office.market.get(rfp_id).await {
            Err(error) if error.retryable => bench.pause(office.settings.poll_ms).await,
            other => return other.map(|rfp| rfp.quotes),
        }
    }
    office.market.get(rfp_id).await.map(|rfp| rfp.quotes)
}

fn short_of_quotes(mut data: serde_json::Value, rfp_id: &str, stand: usize, say: String) -> Ending {
    data["rfp_id"] = json!(rfp_id);
    data["quotes_received"] = json!(stand);
    data["minimum_required"] = json!(QUOTES_MIN);
    Ending::failed("ANALYSIS_FAILED", "insufficient_data", data, say)
}
