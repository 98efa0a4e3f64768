//! Bounds of the MCP server: what agents reach from their hosts.

/// Length of a lease that an agent gets by MCP, in milliseconds. Models forget heartbeats; every call renews what is held.
pub const MCP_LEASE_MS: u64 = 30 * 60 * 1_000;
/// How long a call waits for others when it does not say, in milliseconds. Hosts often give up after a minute.
pub const MCP_WAIT_MS: u64 = 45_000;
/// Longest wait of one call for others, in milliseconds.
pub const MCP_WAIT_MS_MAX: u64 = 10 * 60 * 1_000;
/// How long a call waits at a time, in milliseconds. After each part progress is told, and another process may answer.
pub const MCP_PART_MS: u64 = 2_000;
/// Stateful sessions of clients at once.
pub const MCP_SESSIONS_MAX: usize = 1_000;
/// Stateful sessions of one caller at once.
pub const MCP_SESSIONS_PER_CALLER_MAX: usize = 100;
/// How long a stateful session lives without a word, in milliseconds.
pub const MCP_SESSION_IDLE_MS: u64 = 30 * 60 * 1_000;
/// Resources that one client watches at once.
pub const MCP_SUBSCRIPTIONS_MAX: usize = 100;
/// Longest life of one stream of notifications, in milliseconds. Whoever wants more asks again.
pub const MCP_LISTEN_MS_MAX: u64 = 60 * 60 * 1_000;
/// Latest sessions that are looked at to find the one that an agent means.
pub const MCP_SESSIONS_LOOKED_AT: usize = 100;
/// Rows of one list that is told to an agent.
pub const MCP_ROWS: usize = 50;
/// Messages that a call shows when it does not say.
pub const MCP_MESSAGES: usize = 50;
/// Ids that are suggested while somebody types one.
pub const MCP_SUGGESTIONS_MAX: usize = 100;
/// Handoffs that one call keeps alive.
pub const MCP_RENEWALS_MAX: usize = 50;
/// How long a call looks for whoever holds the database, in milliseconds.
pub const MCP_REACH_MS: u64 = 20_000;
/// How often a process that does not hold the database looks whether somebody does, in milliseconds.
pub const MCP_LOOK_MS: u64 = 1_000;
/// How long a person at a host has to answer a question, in milliseconds. The question stays open elsewhere.
pub const MCP_ELICIT_MS: u64 = 5 * 60 * 1_000;
/// How long a session without a word is the one that an agent means when it names none, in milliseconds. Later it begins a new
/// one: the work of today is not that of yesterday.
pub const MCP_FRESH_MS: u64 = 60 * 60 * 1_000;
/// Sessions that are not an agent's and that are passed over at most to find its own.
pub const MCP_SESSIONS_PASSED_MAX: usize = 500;
