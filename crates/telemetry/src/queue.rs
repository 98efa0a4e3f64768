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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::{Attributes, SpanKind};
    use handover_core::{
        time::Timestamp,
        trace::{SpanId, TraceId},
    };

    fn span(n: u64) -> Span {
        Span {
            trace: TraceId(1),
            id: SpanId(n),
            parent: None,
            name: String::new(),
            kind: SpanKind::Internal,
            start: Timestamp(0),
            end: Timestamp(0),
            attributes: Attributes::default(),
            links: Vec::new(),
            error: None,
        }
    }

    #[test]
    fn the_oldest_are_dropped_and_counted() {
        let (queue, most) = (Queue::default(), TELEMETRY_QUEUE_MAX as u64);
        assert_eq!(queue.add((0..most - 1).map(span).collect()), 0);
        assert_eq!(queue.add((most - 1..most + 3).map(span).collect()), 3);
        let batch = queue.batch();
        assert_eq!((batch.len(), batch[0].id), (TELEMETRY_BATCH_MAX, SpanId(3)));
        let rest: usize = std::iter::repeat_with(|| queue.batch().len()).take_while(|count| *count > 0).sum();
        assert_eq!(batch.len() + rest, TELEMETRY_QUEUE_MAX);
    }
}
