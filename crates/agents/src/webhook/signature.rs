//! Signatures of what is sent: HMAC-SHA256 over the time, the handoff and the body, so that nobody else can send it, or
//! send it again later.

use handover_core::{
    ids::HandoffId,
    limits::{SIGNATURE_SECRET_BYTES_MIN, SIGNATURE_WINDOW_MS},
    time::Timestamp,
};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;

/// The header with the signature: `v1=` and 64 hexadecimal digits.
pub const SIGNATURE: &str = "handover-signature";
/// The header with the time of sending, in milliseconds since 1970.
pub const TIMESTAMP: &str = "handover-timestamp";

/// What both sides know and nobody else.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Secret {
    /// A secret of these letters.
    ///
    /// # Errors
    /// When it is too short to be one.
    pub fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.len() < SIGNATURE_SECRET_BYTES_MIN {
            let why = format!("a secret has at least {SIGNATURE_SECRET_BYTES_MIN} bytes (SIGNATURE_SECRET_BYTES_MIN)");
            return Err(why);
        }
        Ok(Self(text.as_bytes().to_vec()))
    }

    fn mac(&self, at: i64, handoff: HandoffId, body: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(format!("{at}.{handoff}.").as_bytes());
        mac.update(body);
        Some(mac)
    }

    /// The signature of a body that is sent at this time.
    #[must_use]
    pub fn sign(&self, at: Timestamp, handoff: HandoffId, body: &[u8]) -> String {
        let bytes = self.mac(at.0, handoff, body).map(|mac| mac.finalize().into_bytes().to_vec()).unwrap_or_default();
        format!("v1={}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    /// Why a body is not what this secret signed a moment ago; nothing when it is.
    #[must_use]
    pub fn trouble(
        &self,
        now: Timestamp,
        handoff: HandoffId,
        body: &[u8],
        sent: Option<&str>,
        signature: Option<&str>,
    ) -> Option<String> {
        let Some(at) = sent.and_then(|sent| sent.trim().parse::<i64>().ok()) else {
            return Some(format!("the header `{TIMESTAMP}` is missing or no number"));
        };
        if now.0.abs_diff(at) > SIGNATURE_WINDOW_MS {
            let away = now.0.abs_diff(at) / 1_000;
            return Some(format!("it was signed {away} s away from now, {} are allowed", SIGNATURE_WINDOW_MS / 1_000));
        }
        let given = signature.and_then(|signature| signature.trim().strip_prefix("v1=")).and_then(bytes);
        let Some(given) = given else {
            return Some(format!("the header `{SIGNATURE}` is missing or not of the form v1=…"));
        };
        let fits = self.mac(at, handoff, body).is_some_and(|mac| mac.verify_slice(&given).is_ok());
        (!fits).then(|| "the signature does not fit".to_owned())
    }
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    (0..32).map(|i| u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn only_what_was_signed_a_moment_ago_passes() {
        let secret = Secret::new("a secret of twenty-two").unwrap();
        let (now, id, other) = (Timestamp(1_000_000_000), HandoffId(Uuid::nil()), HandoffId(Uuid::max()));
        let signed = secret.sign(now, id, b"body");
        let sent = now.0.to_string();
        let late = now + SIGNATURE_WINDOW_MS + 1;
        let of = |now, id, body: &[u8], sent: Option<&str>, signature: Option<&str>| {
            secret.trouble(now, id, body, sent, signature).is_none()
        };
        assert!(of(now, id, b"body", Some(&sent), Some(&signed)));
        for (name, passes) in [
            ("another body", of(now, id, b"b0dy", Some(&sent), Some(&signed))),
            ("another handoff", of(now, other, b"body", Some(&sent), Some(&signed))),
            ("too late", of(late, id, b"body", Some(&sent), Some(&signed))),
            ("another time", of(now, id, b"body", Some("1000000001"), Some(&signed))),
            ("no time", of(now, id, b"body", None, Some(&signed))),
            ("no signature", of(now, id, b"body", Some(&sent), None)),
            ("half a signature", of(now, id, b"body", Some(&sent), signed.get(..20))),
            ("no hexadecimal digits", of(now, id, b"body", Some(&sent), Some(&format!("v1={}", "é".repeat(32))))),
        ] {
            assert!(!passes, "{name} passes");
        }
    }
}
