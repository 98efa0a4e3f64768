//! Bounds of agents that are reached by A2A. A peer may send anything, for as long as it likes.

/// Largest card of an agent that is reached by A2A, in bytes.
pub const REMOTE_CARD_BYTES_MAX: usize = 1024 * 1024;
/// How long it may take to fetch a card, in milliseconds.
pub const REMOTE_CARD_MS: u64 = 10_000;
/// How long a card counts where it does not say so, in milliseconds. Then it is fetched again.
pub const REMOTE_CARD_FRESH_MS: u64 = 5 * 60 * 1_000;
/// Shortest time that a card counts, in milliseconds, whatever it says.
pub const REMOTE_CARD_FRESH_MS_MIN: u64 = 60_000;
/// Longest time that a card counts, in milliseconds, whatever it says.
pub const REMOTE_CARD_FRESH_MS_MAX: u64 = 24 * 60 * 60 * 1_000;
/// First wait before a card that could not be had is asked for again, in milliseconds. Each wait is twice the one before.
pub const REMOTE_CARD_WAIT_MS: u64 = 5_000;
/// Longest wait before a card that could not be had is asked for again, in milliseconds.
pub const REMOTE_CARD_WAIT_MS_MAX: u64 = 5 * 60 * 1_000;
/// How long work for an agent whose card could not be had is put off, in milliseconds.
pub const REMOTE_LACKING_MS: u64 = 20_000;
/// Interfaces of a card that are looked at, in the order of the card.
pub const REMOTE_INTERFACES_MAX: usize = 32;
/// Extensions of a card that are looked at; one with more is refused, since a required one may be among the rest.
pub const REMOTE_EXTENSIONS_MAX: usize = 128;
/// How long a remote agent may take for one answer, in milliseconds.
pub const REMOTE_ANSWER_MS: u64 = 60_000;
/// How long a remote agent may be silent within a stream, in milliseconds. Then it is asked for a new one.
pub const REMOTE_IDLE_MS: u64 = 120_000;
/// Largest answer of a remote agent, and the most that is kept of one task, in bytes.
pub const REMOTE_ANSWER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Most that is read of all streams of one piece of work, in bytes.
pub const REMOTE_STREAM_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Events that are read of all streams of one piece of work.
pub const REMOTE_EVENTS_MAX: usize = 100_000;
/// Artifacts that a task of a remote agent may have.
pub const REMOTE_ARTIFACTS_MAX: usize = 256;
/// Parts that the artifacts of a task, or a message, of a remote agent may have in all.
pub const REMOTE_PARTS_MAX: usize = 1_024;
/// Files of one task of a remote agent that are kept.
pub const REMOTE_FILES_MAX: usize = 100;
/// Longest id of a task or a context of a remote agent, in bytes.
pub const REMOTE_ID_BYTES_MAX: usize = 500;
/// Times that one message is sent to a remote agent that is in trouble, the first one counted.
pub const REMOTE_TRIES_MAX: u32 = 6;
/// First wait before a remote agent is asked again, in milliseconds. Each wait is twice the one before.
pub const REMOTE_WAIT_MS: u64 = 500;
/// Longest wait before a remote agent is asked again, in milliseconds, whatever it asks for.
pub const REMOTE_WAIT_MS_MAX: u64 = 30_000;
/// Longest wait between two looks at a task where the agent pushes what is new, in milliseconds.
pub const REMOTE_PUSH_WAIT_MS_MAX: u64 = 5 * 60 * 1_000;
/// Largest push of a remote agent, in bytes.
pub const REMOTE_PUSH_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Pushes that are taken for one piece of work.
pub const REMOTE_PUSHES_MAX: usize = 1_000;
/// How long it is tried to cancel the task of work that is over, in milliseconds.
pub const REMOTE_CANCEL_MS: u64 = 15_000;
/// Things in the profile of a remote agent that are marked as said by its card.
pub const CARD_MARKS_MAX: usize = 256;
