//! What a client brings back when it was asked something. It stands under a mark of this process, so that nobody makes one up
//! or passes on that of another call or another caller.

use handover_core::digest::Digest;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::sync::LazyLock;
use uuid::Uuid;

/// What only this process knows. A state of a process before it is refused, and the call is made anew.
static SECRET: LazyLock<[u8; 32]> = LazyLock::new(|| {
    let mut secret = [0; 32];
    for half in secret.chunks_exact_mut(16) {
        half.copy_from_slice(Uuid::new_v4().as_bytes());
    }
    secret
});

/// What a client brings back.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct State {
    /// Makes it the same call.
    pub(crate) key: String,
    /// What the person saw.
    pub(crate) digest: Digest,
    /// That it was written here, for this tool and this caller.
    mark: String,
}

impl State {
    pub(crate) fn new(key: &str, digest: Digest, tool: &str, whose: &str) -> Self {
        let mark = mac(key, digest, tool, whose).map(|mac| hex(&mac.finalize().into_bytes())).unwrap_or_default();
        Self { key: key.to_owned(), digest, mark }
    }

    /// The state in a text; nothing where it was not written here for this tool and this caller.
    pub(crate) fn read(text: &str, tool: &str, whose: &str) -> Option<Self> {
        let state: Self = serde_json::from_str(text).ok()?;
        let mark = bytes(&state.mark)?;
        mac(&state.key, state.digest, tool, whose)?.verify_slice(&mark).ok()?;
        Some(state)
    }
}

fn mac(key: &str, digest: Digest, tool: &str, whose: &str) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&*SECRET).ok()?;
    // As JSON it is plain where one part ends and the next begins.
    mac.update(serde_json::json!([key, digest, tool, whose]).to_string().as_bytes());
    Some(mac)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    (0..hex.len()).step_by(2).map(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_good_for_its_tool_and_its_caller_alone() {
        let text = serde_json::to_string(&State::new("k", Digest::of(b"x"), "tool", "alice")).unwrap();
        for (tool, whose, good) in [("tool", "alice", true), ("other", "alice", false), ("tool", "eve", false)] {
            assert_eq!(State::read(&text, tool, whose).is_some(), good, "{tool} {whose}");
        }
        for bad in ["", "{}", "nonsense", &text.replace("\"k\"", "\"l\""), &text.replace("\"mark\":\"", "\"mark\":\"é")]
        {
            assert!(State::read(bad, "tool", "alice").is_none(), "{bad}");
        }
    }
}
