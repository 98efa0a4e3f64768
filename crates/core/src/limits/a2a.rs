//! Bounds of whoever speaks A2A with us.

/// Parts of one message.
pub const A2A_PARTS_MAX: usize = 64;
/// How long a message that waits for its task does so, in milliseconds; then it is answered with the task as it is.
pub const A2A_SEND_WAIT_MS: u64 = 600_000;
/// Tasks of one page of a list, unless it is asked for fewer or more.
pub const A2A_TASKS_PAGE: usize = 50;
/// Tasks of one page of a list at most.
pub const A2A_TASKS_PAGE_MAX: usize = 100;
/// Tasks that a list looks at, the latest first. Older ones are found by their ids or their contexts.
pub const A2A_TASKS_SCANNED_MAX: usize = 5_000;
/// Messages of the history of a task that are shown, the latest.
pub const A2A_HISTORY_MAX: usize = 100;
/// Earlier tasks whose results go with a new one.
pub const A2A_REFERENCES_MAX: usize = 8;
/// Skills of one card.
pub const A2A_SKILLS_MAX: usize = 500;
/// Cards of one page of the catalogue.
pub const A2A_CATALOG_PAGE: usize = 100;
/// How long a card may be kept by whoever read it, in seconds.
pub const A2A_CARD_SECONDS: u64 = 60;
/// Places that want to be told of one task.
pub const A2A_PUSHES_PER_TASK_MAX: usize = 8;
/// Places that want to be told of tasks, all together.
pub const A2A_PUSHES_MAX: usize = 10_000;
/// Longest address, token or credentials of a push, in characters.
pub const A2A_PUSH_TEXT_CHARS_MAX: usize = 4_000;
/// How long the receiver of a push may take, in milliseconds.
pub const A2A_PUSH_MS: u64 = 15_000;
/// Tries to deliver one push; then the receiver is given up.
pub const A2A_PUSH_TRIES_MAX: u32 = 20;
/// The first wait before a push is tried again, in milliseconds; each further one is twice as long.
pub const A2A_PUSH_WAIT_MS: u64 = 1_000;
/// Longest wait before a push is tried again, in milliseconds.
pub const A2A_PUSH_WAIT_MS_MAX: u64 = 300_000;
/// Pushes that are on their way at once.
pub const A2A_PUSHES_AT_ONCE: usize = 64;
/// Places that want to be told of the tasks of one tenant.
pub const A2A_PUSHES_PER_TENANT_MAX: usize = 2_000;
/// Pushes for one tenant that are on their way at once.
pub const A2A_PUSHES_AT_ONCE_PER_TENANT: usize = 16;
/// How long one process of several delivers pushes before another may, without asking again, in milliseconds.
pub const A2A_PUSH_TURN_MS: u64 = 10_000;
/// How often a process looks whether it is its turn, and for what others kept, in milliseconds.
pub const A2A_PUSH_LOOK_MS: u64 = 2_000;
