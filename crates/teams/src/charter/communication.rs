//! Writes to the client, and sees to it that the letter goes out once.

use super::{MAIL, Office, letter::letter, scoring::Proposal, trouble};
use crate::{
    bench::{Bench, Ending, Failure},
    mail::{Email, MailError, Sent, message_id},
};
use serde_json::{Value, json};

/// Moves to `SENDING_PROPOSAL` when the letter is written, and ends with `PROPOSAL_SENT`, or with
/// `SENDING_PROPOSAL_FAILED` and the letter as `email_payload`, so that a retry sends the same.
///
/// # Errors
/// When the engine takes the work away.
pub async fn communication<B: Bench>(bench: &B, office: &Office) -> Result<Ending, Failure> {
    let payload = bench.payload();
    let email = match written_before(bench, office) {
        Some(email) => email,
        None => {
            let proposals: Vec<Proposal> = serde_json::from_value(payload["top_proposals"].clone()).unwrap_or_default();
            if proposals.is_empty() {
                let why = "there are no proposals to write about".to_owned();
                return Ok(failed(payload, &Value::Null, "", MailError { why, retryable: false }));
            }
            let written = async { letter(payload, &proposals, bench.session(), bench.now(), &office.settings) };
            let email = bench.step("letter", written).await?;
            // A retry is in this state already.
            bench.advance("SENDING_PROPOSAL").await?;
            email
        }
    };
    let outcome: Result<Sent, MailError> =
        bench.step("delivery", async { office.mailer.deliver(&email).await }).await?;
    let recipient = email.recipient.clone();
    Ok(match outcome {
        Ok(sent) => {
            let data = json!({ "recipient": recipient, "message_id": email.message_id, "subject": email.subject });
            let say = match sent {
                Sent::Now => format!("The proposals are on their way to {recipient}."),
                Sent::Before => format!("The proposals had gone to {recipient} before; nothing was sent again."),
            };
            Ending::done("PROPOSAL_SENT", data, say)
        }
        Err(error) => failed(payload, &json!(email), &recipient, error),
    })
}

/// The letter of an earlier try, when it is the one of this session.
fn written_before<B: Bench>(bench: &B, office: &Office) -> Option<Email> {
    let email: Email = serde_json::from_value(bench.payload().get("email_payload")?.clone()).ok()?;
    (email.message_id == message_id(bench.session(), &office.settings.sender)).then_some(email)
}

fn failed(payload: &Value, email: &Value, recipient: &str, error: MailError) -> Ending {
    let mut data = trouble(payload, MAIL, error.retryable);
    data["recipient"] = json!(recipient);
    data["email_payload"] = email.clone();
    Ending::failed("SENDING_PROPOSAL_FAILED", "email_delivery_error", data, error.why)
}
