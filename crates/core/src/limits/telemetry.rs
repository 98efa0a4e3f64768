//! Bounds of what is told to those who watch: traces and metrics.

/// Open handoffs whose spans are kept in memory; of older ones the records are read again when they end.
pub const TELEMETRY_OPEN_MAX: usize = 50_000;
/// Handoffs that are over and whose last invocation is remembered, so that what goes on with them is shown below it.
pub const TELEMETRY_RECENT_MAX: usize = 10_000;
/// Spans that wait to be sent. The oldest are dropped, and counted, when there are more.
pub const TELEMETRY_QUEUE_MAX: usize = 8_192;
/// Most spans in one message to a collector.
pub const TELEMETRY_BATCH_MAX: usize = 512;
/// How long a span waits for others to be sent with, in milliseconds.
pub const TELEMETRY_EXPORT_MS: u64 = 5_000;
/// How often metrics are sent to a collector when nothing else is said, in milliseconds.
pub const TELEMETRY_INTERVAL_MS: u64 = 60_000;
/// The shortest time between two messages with metrics, in milliseconds.
pub const TELEMETRY_INTERVAL_MS_MIN: u64 = 1_000;
/// The longest time between two messages with metrics, in milliseconds.
pub const TELEMETRY_INTERVAL_MS_MAX: u64 = 24 * 60 * 60 * 1_000;
/// How long a collector may take to answer, in milliseconds.
pub const TELEMETRY_ANSWER_MS: u64 = 10_000;
/// Times that a message to a collector is sent, the first one counted, before it is dropped.
pub const TELEMETRY_TRIES_MAX: u32 = 5;
/// First wait before a message is sent again, in milliseconds. Each wait is twice the one before.
pub const TELEMETRY_WAIT_MS: u64 = 1_000;
/// Longest wait before a message is sent again, whatever the collector asks for, in milliseconds.
pub const TELEMETRY_WAIT_MS_MAX: u64 = 30_000;
/// How long what is left may take to be sent when all is closed, in milliseconds.
pub const TELEMETRY_CLOSE_MS: u64 = 5_000;
/// Headers that are sent to a collector.
pub const TELEMETRY_HEADERS_MAX: usize = 32;
/// Longest address, header or name of the service in the settings of a collector, in characters.
pub const TELEMETRY_TEXT_CHARS_MAX: usize = 4_096;
/// Different sets of labels of one metric. What is beyond counts as `other`.
pub const METRIC_SERIES_MAX: usize = 1_000;
/// Links of one span; a handoff that is taken more often shows its first invocations.
pub const SPAN_LINKS_MAX: usize = 16;
/// Longest name of a tool or a model in a span, in characters.
pub const SPAN_NAME_CHARS_MAX: usize = 128;
/// How long one process of several sends telemetry before another may, without asking again, in milliseconds.
pub const TELEMETRY_TURN_MS: u64 = 30_000;
