//! Bounds of the dashboard.

/// How long a sign-in lasts, in milliseconds: a working day.
pub const SIGN_IN_MS: u64 = 12 * 60 * 60 * 1_000;
/// Sign-ins that ended before their time and are remembered; beyond it the earliest is forgotten.
pub const SIGNED_OUT_MAX: usize = 10_000;
/// Wrong keys per second that all who sign in may try together.
pub const SIGN_IN_TRIES_PER_SECOND: u32 = 10;
/// Rows of one list of a page.
pub const PAGE_ROWS: usize = 50;
/// Messages of a conversation on one page.
pub const PAGE_MESSAGES: usize = 100;
/// Handoffs of a session on one page; its picture and its lanes show the same ones.
pub const PAGE_HANDOFFS: usize = 100;
/// Characters of a text that a page shows before it is folded.
pub const FOLD_CHARS: usize = 400;
/// Longest text that a page shows at all, in characters. The audit trail has the rest.
pub const PAGE_TEXT_CHARS_MAX: usize = 20_000;
/// Fields of one form.
pub const FORM_FIELDS_MAX: usize = 64;
/// How often a page that listens hears that the line is alive, in milliseconds.
pub const LIVE_BEAT_MS: u64 = 15_000;
/// Records that are read at the start, for charts that begin before it.
pub const PULSE_RECORDS: usize = 50_000;
/// Minutes that charts reach back.
pub const PULSE_MINUTES: usize = 24 * 60;
/// Pairs of agents, rules and other names that are counted by a tenant's pulse; further ones are not.
pub const PULSE_NAMES_MAX: usize = 2_000;
/// Tenants whose pulse is kept; further ones are not.
pub const PULSE_TENANTS_MAX: usize = 100;
/// Handoffs that wait for a yes on one page: each shows what would cross.
pub const PAGE_APPROVALS: usize = 20;
/// Decisions about approvals that are shown as the latest.
pub const PAGE_DECIDED: usize = 8;
/// People's tasks on one page: each shows what its person is told.
pub const PAGE_TASKS: usize = 20;
/// Agents that a field suggests.
pub const SUGGESTED_AGENTS: usize = 200;
/// Records among which a page of the audit looks for rare ones before it asks whether to look further.
pub const AUDIT_LOOK_RECORDS: u64 = 20_000;
/// Characters of a record that a row of the audit shows. The download has the rest.
pub const AUDIT_RECORD_CHARS: usize = 4_000;
