//! Looks the client up in the register. Somebody who is not there is served all the same.

use super::{Office, REGISTER, trouble};
use crate::{
    bench::{Bench, Ending, Failure, present, text},
    faults::Strike,
    files::off_thread,
    register::{Client, Found, RegisterError, find, load},
};
use serde_json::{Value, json};

/// Ends with `CLIENT_DATA_COMPLETE`, with `client_profile` and `client_preferences` when the client is known, or with
/// `CLIENT_DATA_FAILED` when the register cannot be read.
///
/// # Errors
/// When the engine takes the work away.
pub async fn client_data<B: Bench>(bench: &B, office: &Office) -> Result<Ending, Failure> {
    let payload = bench.payload();
    let asked = |name: &str| text(payload, name).or_else(|| text(&payload["rfp_data"], name));
    let (name, email) = (asked("client_name"), asked("client_email"));
    let found: Result<Found, RegisterError> =
        bench.step("lookup", async { look_up(office, name, email).await }).await?;
    Ok(match found {
        Ok(Found::Client { client, matched_by }) => known(&client, &matched_by),
        Ok(Found::Nobody { why }) => {
            let say = format!("The client is taken as a new one: {why}.");
            Ending::done("CLIENT_DATA_COMPLETE", json!({ "client_found": false, "client_note": why }), say)
        }
        Err(RegisterError { why, retryable }) => {
            let data = trouble(payload, REGISTER, retryable);
            Ending::failed("CLIENT_DATA_FAILED", "external_service_error", data, why)
        }
    })
}

async fn look_up(office: &Office, name: Option<&str>, email: Option<&str>) -> Result<Found, RegisterError> {
    let failed = |why: String, retryable| RegisterError { why, retryable };
    match office.counter.strikes("register", office.settings.faults.register) {
        Ok(None) => {}
        Ok(Some(Strike::Now)) => return Err(failed("the register of clients does not answer".into(), true)),
        Ok(Some(Strike::Always)) => return Err(failed("the register of clients refuses access".into(), false)),
        Err(error) => return Err(failed(error.to_string(), true)),
    }
    let path = office.settings.register.clone();
    let clients = off_thread(move || load(&path)).await.map_err(|error| failed(error.to_string(), true))??;
    Ok(find(&clients, name, email))
}

fn known(client: &Client, matched_by: &str) -> Ending {
    let data = json!({
        "client_found": true,
        "client_profile": {
            "name": client.name,
            "email": client.email,
            "vip_status": client.vip,
            "matched_by": matched_by,
        },
        "client_preferences": preferences(client),
    });
    let how = matched_by.replace('_', " ");
    Ending::done("CLIENT_DATA_COMPLETE", data, format!("The client is {}, found by {how}.", client.name))
}

fn preferences(client: &Client) -> Value {
    let budget = present(json!({ "min": client.budget_min, "max": client.budget_max }));
    json!({
        "preferred_aircraft": client.preferred_aircraft,
        "budget_range": budget,
        "vip_status": client.vip,
        "special_requirements": client.special_requirements,
    })
}
