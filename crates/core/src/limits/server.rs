//! Bounds of the server and of whoever talks to it.

/// Connections that the server holds at once; further ones wait to be let in.
pub const CONNECTIONS_MAX: usize = 20_000;
/// How long a client may take to send the head of a request, the first or the next one of its connection, in milliseconds.
pub const HEAD_MS: u64 = 30_000;
/// How long a client may take to send the body of a request, in milliseconds.
pub const BODY_MS: u64 = 30_000;
/// How long a request may take to be answered, in milliseconds; those of administrators, who may have all of the trail checked,
/// may take longer. Longer than anybody may wait for work or a result.
pub const REQUEST_MS: u64 = 120_000;
/// How long a handshake of TLS may take, in milliseconds.
pub const HANDSHAKE_MS: u64 = 10_000;
/// Headers of one request.
pub const HEADERS_MAX: usize = 64;
/// Longest head of a request, in bytes.
pub const HEAD_BYTES_MAX: usize = 32 * 1024;
/// Streams that one connection of HTTP/2 has at once.
pub const STREAMS_MAX: u32 = 256;
/// How long the server finishes what is in flight when it is asked to end, in milliseconds.
pub const DRAIN_MS: u64 = 20_000;
/// How long a call of what is mounted may still wait for something when the server ends, in milliseconds.
pub const LINGER_MS: u64 = 2_000;
/// Longest wait for work, in milliseconds.
pub const CLAIM_WAIT_MS_MAX: u64 = 60_000;
/// How often whoever waits for work looks again without being woken, in milliseconds.
pub const CLAIM_LOOK_MS: u64 = 10_000;
/// Offers that are looked at first when work is claimed; the whole queue where all of them are being taken by others.
pub const CLAIM_OFFERS: usize = 64;
/// Longest wait for a result, in milliseconds.
pub const RESULT_WAIT_MS_MAX: u64 = 60_000;
/// How often a listener hears that the line is alive, in milliseconds.
pub const LISTENER_BEAT_MS: u64 = 15_000;
/// Listeners at once.
pub const LISTENERS_MAX: usize = 15_000;
/// How long a listener may leave what it is sent unread before it is dropped, in milliseconds.
pub const LISTENER_STALL_MS: u64 = 30_000;
/// Requests per second that a key may make, unless it says otherwise.
pub const REQUESTS_PER_SECOND: u32 = 1_000;
/// Requests that a key may make at once, after it was quiet, in seconds of its rate.
pub const REQUESTS_BURST_SECONDS: u32 = 2;
/// Refused keys per second that one address may try.
pub const BAD_KEYS_PER_SECOND: u32 = 10;
/// Addresses whose refused keys are counted at once.
pub const BAD_KEY_ADDRESSES_MAX: usize = 10_000;
/// Rows of one page of an answer, unless it is asked for fewer.
pub const ANSWER_ROWS: usize = 100;
/// How often it is looked at whether the key of somebody who stays still opens, in milliseconds.
pub const KEY_LOOK_MS: u64 = 500;
