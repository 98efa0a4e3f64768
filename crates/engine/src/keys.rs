//! Keys: the same request with the same key gets the same answer.

use handover_core::{
    command::{Answer, Command},
    digest::Digest,
    limits,
    refusal::{Code, HandoffError, Refusal},
};
use handover_store::StoreError;

/// A key that can be one.
pub(crate) fn checked_key(key: &str) -> Result<&str, HandoffError> {
    let chars = key.chars().count();
    if key.trim().is_empty() {
        return Err(Refusal::new(Code::EmptyField, "it is empty").at("idempotency_key").into());
    }
    if chars > limits::KEY_CHARS_MAX {
        let message =
            format!("it has {chars} characters; at most {} are allowed (KEY_CHARS_MAX)", limits::KEY_CHARS_MAX);
        return Err(Refusal::new(Code::TooLarge, message).at("idempotency_key").into());
    }
    if let Some(bad) = key.chars().find(|c| c.is_control()) {
        return Err(Refusal::new(Code::BadText, format!("it contains {bad:?}")).at("idempotency_key").into());
    }
    Ok(key)
}

/// The digest of what is asked. Where it stands in a trace is no part of it: whoever asks again does so from another span.
pub(crate) fn asked(command: &Command) -> Digest {
    match command {
        Command::Initiate(request) if request.context.traceparent.is_some() => {
            let mut request = request.clone();
            request.context.traceparent = None;
            Digest::of_json(&Command::Initiate(request))
        }
        // What is shown is the engine's to say, and may be another by now.
        Command::Accept { handoff, by, lease_ms, in_process, estimated_completion, manifest: Some(_) } => {
            Digest::of_json(&Command::Accept {
                handoff: *handoff,
                by: by.clone(),
                lease_ms: *lease_ms,
                in_process: *in_process,
                estimated_completion: *estimated_completion,
                manifest: None,
            })
        }
        other => Digest::of_json(other),
    }
}

/// What was answered first, if the question is the same.
pub(crate) fn first_answer(
    key: &str,
    digest: Digest,
    first: &handover_store::FirstAnswer,
) -> Result<Answer, HandoffError> {
    if first.digest != digest {
        let message = format!("key \"{key}\" was used for a request with other content");
        return Err(Refusal::new(Code::KeyConflict, message).at("idempotency_key").into());
    }
    serde_json::from_str(&first.answer).map_err(|error| {
        HandoffError::from(StoreError::Damaged(format!("the answer to key \"{key}\" cannot be read"))).because(error)
    })
}

/// An answer as it is kept.
pub(crate) fn text(answer: &Answer) -> String {
    // An answer has string keys only and no serializer that fails.
    serde_json::to_string(answer).unwrap_or_default()
}
