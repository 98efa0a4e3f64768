//! Bounds of the bus.

/// Messages that are published to the bus before the first of them is acknowledged.
pub const BUS_WINDOW_MAX: usize = 256;
/// The same in bytes.
pub const BUS_WINDOW_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How long an answer of the bus is waited for, in milliseconds.
pub const BUS_ANSWER_MS: u64 = 5_000;
/// How often the stream on the bus is looked at, and how long a turn to publish lasts at least, in milliseconds.
pub const BUS_LOOK_MS: u64 = 1_000;
/// How long a turn to publish lasts, in milliseconds. Whoever has it asks again at each look.
pub const BUS_TURN_MS: u64 = 5_000;
/// Longest wait before the bus is tried again, in milliseconds.
pub const BUS_RETRY_MS: u64 = 2_000;
/// Shortest time between two bells of a node, in milliseconds.
pub const BUS_BELL_MS: u64 = 5;
/// Events from outside that are taken from the bus at once.
pub const BUS_EVENTS_MAX: usize = 64;
/// How long an event from outside may be worked on before it is given to somebody else, in milliseconds.
pub const BUS_EVENT_MS: u64 = 30_000;
/// How often the wait before an event that cannot be taken for now is tried again is doubled.
pub const BUS_EVENT_DOUBLINGS_MAX: i64 = 5;
/// How long whoever ends waits until everything is on the bus, in milliseconds.
pub const BUS_CLOSE_MS: u64 = 2_000;
