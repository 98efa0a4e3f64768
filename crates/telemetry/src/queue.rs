//! Spans that wait to be sent. Whoever adds one never waits: where there are too many, the oldest is dropped and counted.

use crate::span::Span;
use handover_core::limits::{TELEMETRY_BATCH_MAX, TELEMETRY_QUEUE_MAX};
use parking_lot::Mutex;
use std::collections::VecDeque;
use tokio::sync::Notify;

/// The spans that wait.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: Mutex<VecDeque<Span>>,
    /// Rung when a whole batch waits.
    pub(crate) full: Notify,
}

impl Queue {
    /// Adds spans, and gives how many were dropped for them.
    pub(crate) fn add(&self, spans: Vec<Span>) -> usize {
        let mut waiting = self.waiting.lock();
        waiting.extend(spans);
        let dropped = waiting.len().saturating_sub(TELEMETRY_QUEUE_MAX);
        waiting.drain(..dropped);
        if waiting.len() >= TELEMETRY_BATCH_MAX {
            self.full.notify_one();
        }
        dropped
    }

    /// The next spans to send, the oldest first.
    pub(crate) fn batch(&self) -> Vec<Span> {
        let mut waiting = self.waiting.lock();
        let count = waiting.len().min(TELEMETRY_BATCH_MAX);
        waiting.drain(..count).collect()
    }
}
