//! Bounds of programs that talk to a server: the client, its workers, and the command line.

/// Times that the client sends one request where the way to the server is troubled, the first one counted.
pub const CLIENT_TRIES_MAX: u32 = 12;
/// First wait of the client before it sends a request again, in milliseconds. Each wait is twice the one before.
pub const CLIENT_WAIT_MS: u64 = 100;
/// Longest wait of the client before it sends a request again, in milliseconds, where the server does not say how long.
pub const CLIENT_WAIT_MS_MAX: u64 = 5_000;
/// Longest wait that a server may ask the client for, in milliseconds. Whoever asks for more is not asked again.
pub const CLIENT_RETRY_AFTER_MS_MAX: u64 = 60_000;
/// How long it may take to reach a server, in milliseconds.
pub const CLIENT_CONNECT_MS: u64 = 5_000;
/// How long an answer of a server may take beyond what it was asked to wait, in milliseconds.
pub const CLIENT_ANSWER_MS: u64 = 30_000;
/// Largest answer of a server that the client reads, in bytes.
pub const CLIENT_ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Largest event that the client hears, in bytes.
pub const CLIENT_EVENT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Beats of a line of events that may be missed before the client takes it for dead.
pub const CLIENT_BEATS_MISSED: u64 = 3;
/// Pieces of work that a worker of the client has at once when nobody says how many.
pub const WORKER_AT_ONCE: usize = 4;
/// Longest that a worker of the client tries to give a result back while the server cannot be reached, in milliseconds.
pub const WORKER_GIVE_BACK_MS_MAX: u64 = 10 * 60 * 1_000;
/// Commands of other machines that a server carries out at once.
pub const COMMANDS_AT_ONCE: usize = 256;
/// Arguments of a command that is sent to a server.
pub const COMMAND_ARGUMENTS_MAX: usize = 1_000;
/// Longest line that comes back from a command on a server, in bytes.
pub const COMMAND_FRAME_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How long a client keeps a connection that it does not use, in milliseconds. Less than the server's `HEAD_MS`.
pub const CLIENT_IDLE_MS: u64 = 20_000;
