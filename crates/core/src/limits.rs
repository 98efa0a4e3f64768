//! Every bound of the system, by name and with its unit. A loop, queue, wait or payload without a line here is a mistake.

mod a2a;
mod agents;
mod bus;
mod client;
mod dashboard;
mod mcp;
mod nodes;
mod postgres;
mod remote;
mod server;
mod telemetry;

pub use a2a::*;
pub use agents::*;
pub use bus::*;
pub use client::*;
pub use dashboard::*;
pub use mcp::*;
pub use nodes::*;
pub use postgres::*;
pub use remote::*;
pub use server::*;
pub use telemetry::*;

/// Longest agent id, in characters.
pub const AGENT_ID_CHARS_MAX: usize = 128;
/// Longest session id, in characters.
pub const SESSION_ID_CHARS_MAX: usize = 128;
/// Longest idempotency key, in characters.
pub const KEY_CHARS_MAX: usize = 200;
/// Longest short text of a handoff (reason, intent, rationale, comment), in bytes.
pub const TEXT_BYTES_MAX: usize = 16 * 1024;
/// Largest task payload, result body, variable value, metadata or recorded step, in bytes of JSON.
pub const PAYLOAD_BYTES_MAX: usize = 256 * 1024;
/// Largest handoff request as a whole, in bytes of JSON.
pub const REQUEST_BYTES_MAX: usize = 1024 * 1024;
/// Deepest nesting of any JSON that is accepted.
pub const JSON_DEPTH_MAX: usize = 32;
/// Largest content of one message, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 256 * 1024;
/// Most messages appended by one command.
pub const MESSAGES_PER_APPEND_MAX: usize = 1_000;
/// Most variables of one session.
pub const VARIABLES_MAX: usize = 256;
/// Longest variable name, in characters.
pub const VARIABLE_NAME_CHARS_MAX: usize = 128;
/// Most artifacts of one session.
pub const ARTIFACTS_MAX: usize = 1_000;
/// Most decisions of one session.
pub const DECISIONS_MAX: usize = 1_000;
/// Most locks held at once in one session.
pub const LOCKS_MAX: usize = 256;
/// Most handoffs of one session that are open at once.
pub const OPEN_HANDOFFS_MAX: usize = 256;
/// Most offers that may wait for one agent of this process at once; later ones stay in the store until there is room.
pub const QUEUE_PER_AGENT_MAX: usize = 10_000;
/// Most targets of one broadcast.
pub const BROADCAST_TARGETS_MAX: usize = 64;
/// Most agents in an explicit list of candidates.
pub const CANDIDATES_MAX: usize = 32;
/// Most capabilities required by a handoff or declared by an agent.
pub const CAPABILITIES_MAX: usize = 64;
/// Longest path of one chain of handoffs that is kept, in agents.
pub const PATH_MAX: usize = 64;
/// Most registered agents.
pub const AGENTS_MAX: usize = 100_000;
/// Most mistakes of one input that are listed; nobody mends more in one go.
pub const MISTAKES_MAX: usize = 64;
/// Longest piece of an input that a message repeats, in characters.
pub const QUOTE_CHARS_MAX: usize = 60;
/// Longest word that a "did you mean" is looked for, in bytes; a longer one is no slip.
pub const SLIP_BYTES_MAX: usize = 64;
/// Most rules for events from outside.
pub const EVENT_RULES_MAX: usize = 200;
/// Most warnings kept with one handoff.
pub const WARNINGS_MAX: usize = 16;

/// How long an offered agent has to acknowledge, in milliseconds.
pub const ACCEPT_MS: u64 = 30_000;
/// How long a person has to acknowledge, in milliseconds.
pub const HUMAN_ACCEPT_MS: u64 = 24 * 60 * 60 * 1_000;
/// How long an offer may wait in the queue of a busy agent before it counts as not acknowledged, in milliseconds.
pub const QUEUE_MS_MAX: u64 = 60 * 60 * 1_000;
/// Length of a lease when the agent asks for none, in milliseconds.
pub const LEASE_MS: u64 = 30_000;
/// Longest lease that may be asked for, in milliseconds.
pub const LEASE_MS_MAX: u64 = 60 * 60 * 1_000;
/// Shortest lease that may be asked for, in milliseconds.
pub const LEASE_MS_MIN: u64 = 1_000;
/// Longest time a handoff may run when neither it nor its agent says otherwise, in milliseconds.
pub const EXECUTION_MS: u64 = 60 * 60 * 1_000;
/// Longest time that may be asked for anything (timeout, deadline, deferral), in milliseconds: 400 days.
pub const WAIT_MS_MAX: u64 = 400 * 24 * 60 * 60 * 1_000;
/// How long after a reminder the timeout policy acts, at least, in milliseconds.
pub const REMINDER_GRACE_MS_MIN: u64 = 1_000;
/// How long after a reminder the timeout policy acts, at most, in milliseconds.
pub const REMINDER_GRACE_MS_MAX: u64 = 60_000;
/// Retries after a timeout.
pub const RETRIES_MAX: u32 = 3;
/// First backoff of a retry, in milliseconds; it doubles each time.
pub const RETRY_BASE_MS: u64 = 2_000;
/// Offers to further candidates after the first.
pub const REROUTES_MAX: u32 = 3;
/// Deferrals of one offer.
pub const DEFERRALS_MAX: u32 = 3;
/// Questions that may be asked about one handoff.
pub const QUESTIONS_MAX: usize = 8;
/// How long a question waits for its answer, in milliseconds, where the request sets no time for the work.
pub const ANSWER_MS: u64 = 24 * 60 * 60 * 1_000;
/// Leases that may be lost before the handoff goes to somebody else.
pub const LEASE_LOSSES_MAX: u32 = 5;
/// Levels above the first worker: worker, reviewer, architect, human.
pub const ESCALATION_DEPTH_MAX: u32 = 3;
/// How long a rung of a ladder has when it names no time, in milliseconds.
pub const RUNG_MS: u64 = 15 * 60 * 1_000;
/// How long an approval waits when nothing else is said, in milliseconds.
pub const APPROVAL_MS: u64 = 24 * 60 * 60 * 1_000;
/// Longest file lock that may be asked for, in milliseconds.
pub const LOCK_MS_MAX: u64 = 24 * 60 * 60 * 1_000;

/// Messages that a `summary` or `relevant_only` view looks back on.
pub const VIEW_WINDOW: usize = 50;
/// Messages at the start of a conversation that such a view reads as well: the first word of the user is among them.
pub const VIEW_OPENING: usize = 3;
/// Latest messages that such a view always shows.
pub const VIEW_LATEST: usize = 2;
/// Bytes of one message that are looked at when its bearing on a task is judged.
pub const VIEW_BYTES_PER_MESSAGE: usize = 4 * 1024;
/// Messages that a view shows when no `max_messages` is given and the mode is not `full`.
pub const VIEW_MESSAGES: usize = 20;
/// Sentences of an extractive summary.
pub const SUMMARY_SENTENCES: usize = 8;
/// Longest sentence of an extractive summary, in characters.
pub const SUMMARY_SENTENCE_CHARS_MAX: usize = 300;
/// Messages quoted in a specialist's brief.
pub const BRIEF_MESSAGES: usize = 5;
/// Rows of one page of anything.
pub const PAGE_MAX: usize = 1_000;

/// Requests that may wait for the writer.
pub const WRITER_QUEUE_MAX: usize = 4_096;
/// How long a request waits for room in front of the writer, in milliseconds.
pub const WRITER_WAIT_MS: u64 = 30_000;
/// Commits that share one disk sync.
pub const BATCH_COMMITS_MAX: usize = 512;
/// Bytes of rows that share one disk sync, as a soft limit.
pub const BATCH_BYTES_MAX: usize = 1024 * 1024;
/// Sessions kept in memory; idle ones beyond this are read again when needed.
pub const SESSIONS_CACHED_MAX: usize = 10_000;
/// Open handoffs whose session is remembered; others are looked up in the store.
pub const PLACES_MAX: usize = 1_000_000;
/// Events that a subscriber may lag behind before it is dropped with a notice.
pub const SUBSCRIBER_LAG_MAX: usize = 4_096;
/// Records that one checkpoint seals.
pub const CHECKPOINT_RECORDS_MAX: usize = 2_000;
/// How often checkpoints are written while there is something to seal, in milliseconds.
pub const CHECKPOINT_MS: u64 = 60_000;
/// Handoffs whose timers are handled in one go.
pub const DUE_BATCH_MAX: usize = 256;
/// How often agents are asked for their health, in milliseconds.
pub const HEALTH_MS: u64 = 60_000;
/// How long a health answer may take, in milliseconds.
pub const HEALTH_TIMEOUT_MS: u64 = 10_000;
/// Failed health checks in a row that make an agent unavailable.
pub const HEALTH_FAILURES_MAX: u32 = 3;
/// How long a closing engine waits for what runs in its process, in milliseconds; the next start goes on with the rest.
pub const CLOSE_MS: u64 = 30_000;
/// How often old records are looked for, in milliseconds.
pub const RETENTION_MS: u64 = 60 * 60 * 1_000;
/// Records that are removed in one go when they were kept long enough, unless one session has more.
pub const PRUNED_AT_ONCE: u64 = 2_000;
/// A step of the wall clock beyond this counts as sleep: waiting windows start anew, in milliseconds.
pub const CLOCK_JUMP_MS: u64 = 5_000;

/// Handoffs of one session, when nothing else is set.
pub const HANDOFFS_PER_SESSION: u32 = 5;
/// Escalations of one session, when nothing else is set; counted apart from handoffs.
pub const ESCALATIONS_PER_SESSION: u32 = 5;
/// Agents in one chain of handoffs, when nothing else is set.
pub const CHAIN_AGENTS: u32 = 16;
/// Tokens of a simple session.
pub const SIMPLE_TOKENS: u64 = 10_000;
/// Tokens of a medium session.
pub const MEDIUM_TOKENS: u64 = 25_000;
/// Tokens of a complex session.
pub const COMPLEX_TOKENS: u64 = 150_000;
/// Latest handoffs among which the same source, target and content may not come again, when nothing else is set.
pub const REPEATS_WITHIN: u32 = 3;
/// Times that work may come back to somebody with nothing new but other words, when nothing else is set.
pub const IDLE_ROUNDS: u32 = 2;
/// Handoffs of one agent to another in one session per minute, when nothing else is set.
pub const PAIR_PER_MINUTE: u32 = 30;
/// The window in which the handoffs of a pair are counted, in milliseconds.
pub const PAIR_WINDOW_MS: u64 = 60_000;
/// Latest handoffs that a session remembers for its guards.
pub const WATCH_MOVES_MAX: usize = 8;
/// Agents, and pairs of them, that a session remembers for its guards.
pub const WATCH_AGENTS_MAX: usize = 64;
/// Failures in a row that open the breaker of an agent, when nothing else is set.
pub const BREAKER_FAILURES: u32 = 3;
/// How long an open breaker lets nothing pass, in milliseconds, when nothing else is set.
pub const BREAKER_COOLDOWN_MS: u64 = 30_000;
/// Most rules for approvals.
pub const APPROVAL_RULES_MAX: usize = 100;
/// Most people that one rule asks, one after the other.
pub const APPROVERS_MAX: usize = 16;
/// Most experiments at once.
pub const EXPERIMENTS_MAX: usize = 16;
/// Most models in the price table, and most tenants and workflows with limits of their own.
pub const NAMED_LIMITS_MAX: usize = 10_000;
/// Most entries in the usage that one return reports.
pub const USAGE_MAX: usize = 64;
/// Agents that are looked at for one routing decision, the most proficient first.
pub const POOL_MAX: usize = 512;
/// Bytes of a task text, or of one field of a profile, that are looked at when agents are ranked by their words.
pub const ROUTE_TEXT_BYTES_MAX: usize = 8 * 1024;
/// Terms of a task text, or of one field of a profile, that are used when agents are ranked by their words.
pub const ROUTE_TERMS_MAX: usize = 1_024;
/// Longest word that such a ranking knows, in bytes.
pub const ROUTE_WORD_BYTES_MAX: usize = 64;
/// Entries of the word index that one ranking reads, as a soft limit; the words that say least are left out.
pub const ROUTE_ENTRIES_MAX: usize = 32 * 1024;
/// Words that a ranking names as its reason.
pub const ROUTE_REASONS_MAX: usize = 5;

/// Agents that one routing decision passes over to find those that can take the work.
pub const POOL_SCANNED_MAX: usize = 4_096;
/// Agents that are looked at when a task is routed by its text alone, the best first.
pub const TEXT_POOL_MAX: usize = 32;
/// Candidates that a routing decision records, and as many of those that were left out.
pub const ROUTED_CANDIDATES_MAX: usize = 8;
/// Agents that a model may pick from.
pub const PICK_CANDIDATES_MAX: usize = 32;
/// How long a model may take to pick somebody, in milliseconds.
pub const PICK_MS: u64 = 20_000;
/// Longest reason of a model that is kept, in characters.
pub const PICK_WHY_CHARS_MAX: usize = 500;
/// Handoffs that must have ended in each arm of an experiment before a difference counts.
pub const EXPERIMENT_ENDED_MIN: u64 = 30;
/// Most agents that are recommended at once.
pub const RECOMMENDATIONS_MAX: usize = 32;
/// Largest file of settings, in bytes.
pub const FILE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Most values of one file of settings; what an alias stands for counts each time.
pub const FILE_VALUES_MAX: usize = 500_000;
/// Deepest nesting of a file of settings, in levels.
pub const FILE_LEVELS_MAX: usize = 64;
/// Longest piece of a source line that is shown with a mistake, in characters.
pub const SOURCE_CHARS_MAX: usize = 120;
/// Longest expression, in bytes.
pub const EXPRESSION_BYTES_MAX: usize = 2_000;
/// Most words, numbers, texts and signs of one expression.
pub const EXPRESSION_TOKENS_MAX: usize = 400;
/// Deepest nesting of brackets and `? :` in an expression.
pub const EXPRESSION_DEPTH_MAX: usize = 16;
/// Most steps of one run of an expression: a value that is looked at, a turn of a loop, or 64 bytes of text.
pub const EXPRESSION_STEPS_MAX: usize = 250_000;
/// Largest pattern of `matches` once it is compiled, in bytes.
pub const EXPRESSION_PATTERN_BYTES_MAX: usize = 8 * 1024;
/// Keys that a message lists when an expression asks for one that is missing.
pub const EXPRESSION_KEYS_SHOWN: usize = 8;
/// Keys among which a "did you mean" is looked for when an expression asks for one that is missing.
pub const EXPRESSION_KEYS_COMPARED: usize = 256;
/// Stack on which an expression is read, in bytes. The deepest one needs less than 4 MB of it in a debug build.
pub const EXPRESSION_READ_STACK_BYTES: usize = 16 * 1024 * 1024;
/// Stack on which an expression runs, in bytes. The longest one needs less than 1 MB of it in a debug build.
pub const EXPRESSION_RUN_STACK_BYTES: usize = 4 * 1024 * 1024;
/// Levels of an expression that is run on the stack that is there.
pub const EXPRESSION_SHALLOW_DEPTH: usize = 16;
/// Most agents that one condition of a rule for approvals names.
pub const APPROVAL_AGENTS_MAX: usize = 1_000;
/// Agents that are asked for their health at once.
pub const HEALTH_AT_ONCE_MAX: usize = 256;
/// Most tokens that are set aside for one handoff. Far above any use, and so far below what a sum can hold that the shares of
/// all open handoffs add up.
pub const BUDGET_TOKENS_MAX: u64 = 1_000_000_000_000;
/// Most money that is set aside for one handoff, in whole units.
pub const BUDGET_COST_MAX: u32 = 1_000_000;
/// Models that are asked at once who takes a piece of work. Whoever comes next waits, at most `PICK_MS` in all.
pub const PICKS_AT_ONCE_MAX: usize = 64;
/// Most mistakes that are told of one payload.
pub const SCHEMA_FAULTS_MAX: usize = 20;
/// Most agents of a workflow.
pub const WORKFLOW_AGENTS_MAX: usize = 1_000;
/// Most states of a workflow.
pub const WORKFLOW_STATES_MAX: usize = 1_000;
/// Most rules of a workflow.
pub const WORKFLOW_RULES_MAX: usize = 5_000;
/// Most fields that a rule names for its payload.
pub const RULE_FIELDS_MAX: usize = 200;
/// Most signals that a rule waits for, or an agent says that it ends with.
pub const RULE_SIGNALS_MAX: usize = 100;
/// Longest name of a workflow, a state, a rule or a signal, in characters.
pub const STATE_CHARS_MAX: usize = 100;
/// Workflows that one engine knows.
pub const WORKFLOWS_MAX: usize = 1_000;
/// Most times that one way of a workflow may be gone again.
pub const RULE_TRIES_MAX: u32 = 1_000;

/// Most nodes of one drawing; further ones are left out with a note.
pub const GRAPH_NODES_MAX: usize = 120;
/// Most edges of one drawing; further ones are left out with a note.
pub const GRAPH_EDGES_MAX: usize = 360;
/// Longest title, label or detail in a drawing, in characters; the rest is cut.
pub const GRAPH_TEXT_CHARS_MAX: usize = 160;
/// Widest name inside a box of a picture, in columns of text.
pub const GRAPH_BOX_COLUMNS_MAX: usize = 36;
/// Widest text beside a line of a drawing, in columns of text.
pub const GRAPH_LABEL_COLUMNS_MAX: usize = 32;
/// Narrowest terminal that is drawn for, in columns.
pub const GRAPH_WIDTH_MIN: usize = 20;
/// Widest terminal that is drawn for, in columns.
pub const GRAPH_WIDTH_MAX: usize = 400;
/// Boxes of one layer of a drawing; what nothing follows goes below.
pub const GRAPH_ACROSS: usize = 8;
/// Rounds in which the boxes of a drawing are put in a better order and place.
pub const GRAPH_ROUNDS: usize = 8;

/// Largest head of an HTTP message that a team's service reads, in bytes.
pub const HTTP_HEAD_BYTES_MAX: usize = 16 * 1024;
/// Largest body of an HTTP message that a team's service reads, in bytes.
pub const HTTP_BODY_BYTES_MAX: usize = 256 * 1024;
/// What is read of a request after its answer, in bytes, before its connection is closed all the same.
pub const HTTP_DRAINED_BYTES_MAX: u64 = 1024 * 1024;
/// How long one exchange over HTTP may take from the first byte to the last, in milliseconds.
pub const HTTP_MS: u64 = 10_000;
/// Connections that a team's service serves at once; others wait.
pub const HTTP_CONNECTIONS_MAX: usize = 256;
/// Longest piece of an answer that a message repeats when it is not understood, in characters.
pub const HTTP_SHOWN_CHARS_MAX: usize = 200;
/// Requests for quotes that the charter market keeps.
pub const MARKET_RFPS_MAX: usize = 100_000;
/// Operators that the charter market asks for one request.
pub const MARKET_QUOTES_MAX: usize = 6;
/// Quotes that must have come before they are compared.
pub const QUOTES_MIN: usize = 3;
/// Proposals that a client gets.
pub const PROPOSALS_MAX: usize = 3;
/// How often the charter market is asked for quotes, in milliseconds, when nothing else is set.
pub const QUOTES_POLL_MS: u64 = 1_000;
/// Tries to fetch the quotes before their analysis fails.
pub const QUOTES_FETCH_TRIES: u32 = 3;
/// Most passengers of one charter flight.
pub const PASSENGERS_MAX: u64 = 19;
/// How far ahead a charter flight may be asked for, in days.
pub const CHARTER_DAYS_MAX: i64 = 365;
/// Longest charter request in plain words, in characters.
pub const CHARTER_TEXT_CHARS_MAX: usize = 2_000;
/// Longest field of a charter request, in characters.
pub const CHARTER_FIELD_CHARS_MAX: usize = 1_000;
/// Most clients in the register.
pub const REGISTER_CLIENTS_MAX: usize = 100_000;
/// Slips that a client's name may have and still be found.
pub const NAME_SLIPS_MAX: usize = 2;
/// Longest name that is compared with slips, in characters.
pub const NAME_CHARS_MAX: usize = 100;
/// Names that are listed when a client's name could mean several.
pub const NAMES_SHOWN: usize = 5;
/// Longest address for mail, in characters.
pub const ADDRESS_CHARS_MAX: usize = 254;
/// Largest mail that is sent, in bytes.
pub const MAIL_BYTES_MAX: usize = 512 * 1024;
/// How long a mail server may take for one reply, in milliseconds, when nothing else is set.
pub const SMTP_MS: u64 = 60_000;
/// Longest line of a mail server that is read, in bytes.
pub const SMTP_LINE_BYTES_MAX: usize = 2_048;
/// Lines of one reply of a mail server that are read.
pub const SMTP_REPLY_LINES_MAX: usize = 64;

/// Longest request that one process sends to another that holds the database, in bytes.
pub const DESK_LINE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Commands of other processes that a holder of the database answers at once.
pub const DESK_CONNECTIONS_MAX: usize = 32;
/// How long the holder of the database waits for the request of another process, in milliseconds.
pub const DESK_IDLE_MS: u64 = 10_000;
/// How long the holder of the database, when it closes, waits for commands that it is still answering, in milliseconds.
pub const DESK_CLOSE_MS: u64 = 2_000;
/// Pieces of output that wait for another process to read them.
pub const DESK_FRAMES_MAX: usize = 256;
/// Shortest beginning of an id that stands for the whole of it, in characters.
pub const PREFIX_CHARS_MIN: usize = 4;
/// Rows of a list on the command line when nobody says how many.
pub const LIST_ROWS: usize = 50;
/// How long a command waits for a database that another process holds and does not answer for, in milliseconds.
pub const DOOR_WAIT_MS: u64 = 5_000;
/// Pieces of work that an agent of a team has at once when its workflow does not say.
pub const TEAM_AT_ONCE: u32 = 4;
/// Most that a program writes as its answer, in bytes.
pub const COMMAND_OUTPUT_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Words of a program that failed which are shown.
pub const COMMAND_WORDS_SHOWN: usize = 40;
/// Most times that each further wait of a way that is gone again may be longer than the one before.
pub const RETRY_FACTOR_MAX: u32 = 100;
/// Pairs of rules of one workflow that are compared to find those that may both fit.
pub const RULE_PAIRS_MAX: usize = 200_000;
/// Parts of a condition, joined by `&&`, that are compared with those of another.
pub const CONDITION_PARTS_MAX: usize = 16;
/// Most events that start sessions of one workflow.
pub const WORKFLOW_EVENTS_MAX: usize = 100;
/// Bytes that one pattern in the schema of a payload may take when it is compiled. A `\w` of all alphabets takes 40 KB.
pub const SCHEMA_PATTERN_BYTES_MAX: usize = 128 * 1024;
/// Sessions that one `handover run` starts.
pub const RUN_INPUTS_MAX: usize = 1_000;
/// Times that the result of an agent of this process is given again where too much is going on, the first one counted.
pub const GIVE_BACK_TRIES_MAX: u32 = 8;
/// First wait before a result is given again, in milliseconds. Each wait is twice the one before.
pub const GIVE_BACK_WAIT_MS: u64 = 50;
/// Most files that a team reads from one folder.
pub const FOLDER_FILES_MAX: usize = 500;
/// Largest file that a team reads from a folder, in bytes.
pub const FOLDER_FILE_BYTES_MAX: u64 = 256 * 1024;
/// Folders within folders that a team goes down.
pub const FOLDER_DEPTH_MAX: usize = 8;
/// Different words of a question by which passages are looked for.
pub const QUERY_TERMS_MAX: usize = 64;
/// Longest name of a file or folder that is made of a text, in characters.
pub const FILE_NAME_CHARS_MAX: usize = 64;
/// Most passages of a research pack.
pub const PACK_PASSAGES_MAX: usize = 12;
/// Passages that are added for each thing that a research pack lacks.
pub const PASSAGES_PER_GAP: usize = 1;
/// Longest passage in a research pack, in characters.
pub const PASSAGE_CHARS_MAX: usize = 4_000;
/// Topics that a chief architect gives out at once.
pub const TOPICS_MAX: usize = 8;
/// Longest snippet that the debugger looks at, in characters.
pub const SNIPPET_CHARS_MAX: usize = 20_000;
/// Faults of one snippet that are told.
pub const FAULTS_SHOWN: usize = 10;
/// Findings of one specialist that are told.
pub const FINDINGS_SHOWN: usize = 50;
/// How long a run that was interrupted waits for whoever works in it, in milliseconds; the next run goes on with the rest.
pub const RUN_CLOSE_MS: u64 = 2_000;
/// How long what a program left behind may go on writing after its end, in milliseconds.
pub const COMMAND_REST_MS: u64 = 20;

/// Agents that a session notes as having a part in it; whoever comes later sees it as long as it works in it.
pub const PARTIES_MAX: usize = 1_000;
/// Most keys that are kept. Ended ones make room for new ones.
pub const KEYS_MAX: usize = 1_000;
/// Characters of the id of a key.
pub const KEY_ID_CHARS: usize = 12;
/// Random bytes of the secret of a key.
pub const KEY_SECRET_BYTES: usize = 32;
/// Longest name of a key, in characters.
pub const KEY_NAME_CHARS_MAX: usize = 100;
/// Most agents that one key speaks for.
pub const KEY_AGENTS_MAX: usize = 100;
/// Most sessions that one key is bound to.
pub const KEY_SESSIONS_MAX: usize = 100;
/// Highest rate that a key can have of its own, in requests per second.
pub const KEY_RATE_PER_SECOND_MAX: u32 = 100_000;
/// Denials that are recorded in one minute for one key, or for all unknown ones together; the rest is counted.
pub const DENIALS_KEPT_PER_MINUTE: u32 = 10;
/// Longest text of a denial in the record, in characters.
pub const DENIAL_CHARS_MAX: usize = 200;
/// Agents that a handoff remembers as asked before; the oldest is forgotten first.
pub const TRIED_MAX: usize = 16;
/// How long work that is due or on offer is held for one process of several that asked for it, in milliseconds.
pub const HOLD_MS: u64 = 5_000;
/// How long a process is taken to be there without a sign of life, in milliseconds. Its work goes to others after that.
pub const NODE_LEASE_MS: u64 = 10_000;
/// How often a process gives a sign of life, in milliseconds.
pub const NODE_BEAT_MS: u64 = 2_500;
