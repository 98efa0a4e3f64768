//! How many requests a key may make: a bucket that fills by the second.

use handover_core::limits::REQUESTS_BURST_SECONDS;
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    hash::Hash,
    time::{Duration, Instant},
};

/// A bucket that is filled by the second.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

/// Where a request stands with its rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Requests per second.
    pub(crate) limit: u32,
    /// How many nodes share that.
    pub(crate) sharers: u32,
    /// Requests that can be made here now.
    pub(crate) left: u32,
    /// How long to wait where none can.
    pub(crate) wait: Option<Duration>,
}

/// Buckets by whatever is counted, at most so many.
pub(crate) struct Rates<K> {
    buckets: Mutex<HashMap<K, Bucket>>,
    most: usize,
}

impl<K: Eq + Hash + Clone> Rates<K> {
    pub(crate) fn new(most: usize) -> Self {
        Self { buckets: Mutex::default(), most }
    }

    /// Takes one request of this one out of its bucket, as of now.
    /// Of so many that share the rate each grants its part of it.
    pub(crate) fn take(&self, who: &K, per_second: u32, sharers: u32, now: Instant) -> Standing {
        let rate = f64::from(per_second.max(1)) / f64::from(sharers.max(1));
        let full = (rate * f64::from(REQUESTS_BURST_SECONDS)).max(1.0);
        let mut buckets = self.buckets.lock();
        if buckets.len() >= self.most && !buckets.contains_key(who) {
            // Those who were quiet for so long that theirs is full again need none.
            let long = (full / rate).max(REQUESTS_BURST_SECONDS.into());
            let rested = |bucket: &Bucket| now.duration_since(bucket.at).as_secs_f64() >= long;
            buckets.retain(|_, bucket| !rested(bucket));
            if buckets.len() >= self.most {
                return Standing { limit: per_second, sharers, left: 0, wait: Some(Duration::from_secs(1)) };
            }
        }
        let bucket = buckets.entry(who.clone()).or_insert(Bucket { left: full, at: now });
        let passed = now.duration_since(bucket.at).as_secs_f64();
        bucket.left = (bucket.left + passed * rate).min(full);
        bucket.at = now;
        if bucket.left < 1.0 {
            let wait = (1.0 - bucket.left) / rate;
            return Standing { limit: per_second, sharers, left: 0, wait: Some(Duration::from_secs_f64(wait)) };
        }
        bucket.left -= 1.0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and a small whole number"
        )]
        let left = bucket.left as u32;
        Standing { limit: per_second, sharers, left, wait: None }
    }
}
