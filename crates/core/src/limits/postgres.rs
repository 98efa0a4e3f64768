//! Bounds of the store on PostgreSQL.

/// How long a request waits for a database that cannot be reached, in milliseconds.
pub const STORE_AWAY_MS: u64 = 10_000;
/// After how long a silent database is asked whether it is there, and how long it has to say so, in milliseconds.
pub const STORE_SILENT_MS: u64 = 2_000;
/// A server on a machine whose clock is further than this from the database's says so when it starts, in milliseconds.
pub const CLOCK_APART_MS: u64 = 1_000;
/// How long one try to connect to the database may take, in milliseconds.
pub const STORE_CONNECT_MS: u64 = 5_000;
/// How long the database may take for one batch before its connection is taken for broken, in milliseconds.
pub const STORE_BATCH_MS: u64 = 10_000;
/// How long the database may take for one long read before its connection is taken for broken, in milliseconds.
pub const STORE_SCAN_MS: u64 = 120_000;
/// First wait before the database is tried again, in milliseconds; it doubles each time.
pub const STORE_RETRY_MS: u64 = 20;
/// Longest wait before the database is tried again, in milliseconds.
pub const STORE_RETRY_MS_MAX: u64 = 1_000;
/// Connections of one process to the database for short reads.
pub const STORE_READERS: usize = 8;
/// Connections of one process to the database for long reads.
pub const STORE_SCANNERS: usize = 2;
/// Statements that one connection to the database keeps prepared; beyond this all are forgotten.
pub const STATEMENTS_MAX: usize = 256;
/// Pieces of work of a process that is gone which are taken over in one go.
pub const ABANDONED_MAX: usize = 500;
/// How often other processes are told at most that something was written, in milliseconds.
pub const BELL_MS: u64 = 10;
/// How often a process looks for what others wrote when nobody tells it, in milliseconds.
pub const LOOK_MS: u64 = 250;
/// Records of others that are read in one go.
pub const FOLLOW_PAGE: usize = 1_000;
/// Batches that may wait until what others wrote before them is published.
pub const PUBLISH_QUEUE_MAX: usize = 4;
/// Records or messages of a month that is over which are moved in one go before its partition is dropped.
pub const MOVED_AT_ONCE: u64 = 5_000;
/// Pages of rows that are on their way at once when an installation is copied from one store to another.
pub const COPY_PAGES_MAX: usize = 2;
/// About how large such a page becomes at the most, in bytes.
pub const COPY_PAGE_BYTES: usize = 4 * 1024 * 1024;
