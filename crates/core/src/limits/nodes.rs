//! Bounds of several processes that work on one store.

/// How often a command is decided again because another process wrote to its session first.
pub const CONFLICT_TRIES_MAX: usize = 24;
/// How long work for an agent of several processes is left to the process that handed it over, in milliseconds.
pub const OFFER_GRACE_MS: u64 = 500;
/// Longest time after which a process looks for what is due or on offer, also where nobody told it, in milliseconds.
pub const SHARED_LOOK_MS: u64 = 1_000;
/// Shortest time between two looks at what is counted over all processes, in milliseconds.
pub const SHARED_COPY_MS: u64 = 200;
/// How many times as long as a look at what others did the pause after it is: with much that is open a look takes long.
pub const SHARED_REST: u32 = 9;
/// The longest such pause, in milliseconds.
pub const SHARED_REST_MS_MAX: u64 = 1_000;
/// Entries of the book of the house that wait for those before them; with more of them the book is read again.
pub const BOOK_AHEAD_MAX: usize = 1_000;
