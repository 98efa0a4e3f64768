//! Denials are audited, and bounded: whoever knocks without end fills no book.

use crate::engine::Engine;
use handover_core::{
    access::KeyId,
    event::{DeniedAccess, Event},
    limits::{DENIAL_CHARS_MAX, DENIALS_KEPT_PER_MINUTE},
    refusal::{Code, HandoffError},
    time::Timestamp,
};
use parking_lot::Mutex;
use std::collections::HashMap;

const MINUTE_MS: u64 = 60_000;

/// Somebody who was not let in, or may not do what they asked for. Never what they showed as a key, never what they said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// The key, where one was found; one that is not known counts with all unknown ones.
    pub key: Option<KeyId>,
    /// The tenant of the caller, where it is known.
    pub tenant: Option<String>,
    /// What was asked for, such as a method and the pattern of a route.
    pub what: String,
    /// Why not.
    pub why: Code,
}

/// How often somebody was denied of late.
#[derive(Default)]
struct Window {
    since: Timestamp,
    kept: u32,
    left_out: u64,
}

/// Denials by key, and of all unknown ones together. As many as there are keys, and one more.
#[derive(Default)]
pub(crate) struct Denials {
    windows: Mutex<HashMap<Option<KeyId>, Window>>,
}

impl Denials {
    /// Whether this one is recorded, and how many before it were not.
    fn count(&self, key: Option<&KeyId>, now: Timestamp, most: u32) -> Option<u64> {
        let mut windows = self.windows.lock();
        let window = windows.entry(key.cloned()).or_default();
        if window.kept == 0 || now.since(window.since) >= MINUTE_MS {
            (window.since, window.kept) = (now, 0);
        }
        if window.kept >= most {
            window.left_out = window.left_out.saturating_add(1);
            return None;
        }
        window.kept += 1;
        Some(std::mem::take(&mut window.left_out))
    }

    /// Nobody comes with this key any more.
    pub(crate) fn forget(&self, key: &KeyId) {
        self.windows.lock().remove(&Some(key.clone()));
    }
}

impl Engine {
    /// Writes into the book of the house that somebody was denied. Within a minute at most `DENIALS_KEPT_PER_MINUTE` for
    /// one key, and for all unknown ones together; the rest is counted and told with the next one.
    ///
    /// # Errors
    /// When the store cannot write.
    pub async fn note_denial(&self, denied: Denied) -> Result<(), HandoffError> {
        let key = denied.key.filter(|key| self.inner.keys.get(key).is_some());
        // Each of several processes keeps its share.
        let nodes = u32::try_from(self.serving_nodes()).unwrap_or(u32::MAX);
        let most = (DENIALS_KEPT_PER_MINUTE / nodes).max(1);
        let Some(left_out) = self.inner.denials.count(key.as_ref(), self.inner.clock.now(), most) else {
            return Ok(());
        };
        let clean = |text: &str| text.chars().filter(|c| !c.is_control()).take(DENIAL_CHARS_MAX).collect::<String>();
        let denied = DeniedAccess {
            key,
            tenant: denied.tenant.as_deref().map(clean),
            what: clean(&denied.what),
            why: denied.why,
            left_out,
        };
        self.write_house(vec![Event::AccessDenied(denied)], Vec::new()).await
    }
}
