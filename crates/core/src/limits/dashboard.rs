//! Bounds of the dashboard.

/// How long a sign-in lasts, in milliseconds: a working day.
pub const SIGN_IN_MS: u64 = 12 * 60 * 60 * 1_000;
/// Sign-ins at once; beyond it the earliest ends.
pub const SIGN_INS_MAX: usize = 10_000;
/// Pages of one key that listen at once, or of all who come without one.
pub const LIVE_PER_KEY_MAX: usize = 200;
/// Events that a page which was away is told one by one. Beyond it the page is asked for again, once.
pub const LIVE_BEHIND_MAX: u64 = 10_000;
/// Rows of one list of a page.
pub const PAGE_ROWS: usize = 50;
/// Messages of a conversation on one page.
pub const PAGE_MESSAGES: usize = 100;
/// Handoffs of a session on one page; its picture and its lanes show the same ones.
pub const PAGE_HANDOFFS: usize = 100;
/// Messages of a conversation in a report that is printed, the latest ones.
pub const REPORT_MESSAGES: usize = 1_000;
/// Handoffs of a session in a report that is printed, the latest ones.
pub const REPORT_HANDOFFS: usize = 1_000;
/// Fields of the data that a page shows one by one, before all of it.
pub const PAGE_FIELDS: usize = 12;
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
/// Messages of what would cross that a page shows, the latest ones.
pub const PAGE_CROSSING: usize = 8;
/// Decisions about approvals that are shown as the latest.
pub const PAGE_DECIDED: usize = 8;
/// People's tasks on one page: each shows what its person is told.
pub const PAGE_TASKS: usize = 20;
/// Records of a handoff that its page reads, from its beginning and once more from its end. The audit trail has the rest.
pub const PAGE_RECORDS: usize = 500;
/// People whose work and results a page looks for, those with the most to do first. The inbox of each has theirs.
pub const PEOPLE_LOOK_MAX: usize = 200;
/// Rows of what is put off, or on offer, among which a page looks for what waits for people or was not taken.
pub const WAITING_LOOK_ROWS: usize = 200;
/// Agents that a field suggests.
pub const SUGGESTED_AGENTS: usize = 200;
/// Records among which a page of the audit looks for rare ones before it asks whether to look further.
pub const AUDIT_LOOK_RECORDS: u64 = 20_000;
/// Characters of a record that a row of the audit shows. The download has the rest.
pub const AUDIT_RECORD_CHARS: usize = 4_000;
/// How long a count of pairs, rules and strategies goes on before a new one is begun, in milliseconds. What is shown is that count and
/// the one before it.
pub const PULSE_TURN_MS: u64 = 12 * 60 * 60 * 1_000;
/// Workflows that stopped lately and are remembered by a tenant's pulse.
pub const PULSE_STOPS_MAX: usize = 20;
/// Sessions in which a person was asked to look at what failed, that are remembered by a tenant's pulse, the latest ones.
pub const PULSE_ASKED_MAX: usize = 100;
/// How long the pulse waits before it reads the feed again, after it could not be read, in milliseconds.
pub const PULSE_WAIT_MS: u64 = 1_000;
/// Sessions that are counted in one state of a workflow; beyond it there are "more".
pub const STATE_COUNT_MAX: usize = 10_000;
/// Offers in the queue of an agent, of all tenants, that are looked at for those of one of them.
pub const QUEUE_LOOK_MAX: usize = 200;
/// Records of the whole house that are looked at, backwards from the latest, for what happened last.
pub const ACTIVITY_RECORDS: usize = 400;
/// Records of one session that are looked at for what happened last, where the latest of the house are those of others.
pub const ACTIVITY_SESSION_RECORDS: usize = 16;
/// Rows of a list on the overview.
pub const OVERVIEW_ROWS: usize = 8;
/// Columns of a chart over time.
pub const CHART_COLUMNS: usize = 60;
/// Agents that are drawn in the picture of a team: those with the most to do. The table has all of them.
pub const TEAM_DRAWN_MAX: usize = 40;
/// After how long an offer that nobody took counts as stuck on the overview, in milliseconds.
pub const OFFER_LATE_MS: u64 = 30_000;
/// Decisions about approvals that are remembered by a tenant's pulse, the latest ones.
pub const PULSE_DECIDED_MAX: usize = 40;
/// How long a page waits for the pulse to tell what was on disk when it was asked for, in milliseconds.
pub const PULSE_BEHIND_MS: u64 = 50;
/// Records that the pulse may be behind and a page still waits for it; after a start it is further behind, and nobody waits.
pub const PULSE_NEAR_RECORDS: u64 = 1_000;
/// Rows of one list that are looked at for a page of a caller who sees only a part of them.
pub const PAGE_LOOK_ROWS: usize = 500;
