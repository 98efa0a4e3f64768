//! Every bound of the system, by name and with its unit. A loop, queue, wait or payload without a line here is a mistake.

mod a2a;
mod agents;
mod bus;
mod client;
mod dashboard;
mod mcp;

/// A step of the wall clock beyond this counts as sleep: waiting windows start anew, in milliseconds.
/// Agents in one chain of handoffs, when nothing else is set.
/// Agents that a handoff remembers as asked before; the oldest is forgotten first.
/// Agents that a model may pick from.
/// Agents that a session notes as having a part in it; whoever comes later sees it as long as it works in it.
/// Agents that are asked for their health at once.
/// Agents that are looked at for one routing decision, the most proficient first.
/// Agents that are looked at when a task is routed by its text alone, the best first.
/// Agents that one routing decision passes over to find those that can take the work.
/// Agents, and pairs of them, that a session remembers for its guards.
/// Boxes of one layer of a drawing; what nothing follows goes below.
/// Bytes of a task text, or of one field of a profile, that are looked at when agents are ranked by their words.
/// Bytes of one message that are looked at when its bearing on a task is judged.
/// Bytes of rows that share one disk sync, as a soft limit.
/// Bytes that one pattern in the schema of a payload may take when it is compiled. A `\w` of all alphabets takes 40 KB.
/// Candidates that a routing decision records, and as many of those that were left out.
/// Characters of the id of a key.
/// Commands of other processes that a holder of the database answers at once.
/// Commits that share one disk sync.
/// Connections that a team's service serves at once; others wait.
/// Deepest nesting of a file of settings, in levels.
/// Deepest nesting of any JSON that is accepted.
/// Deepest nesting of brackets and `? :` in an expression.
/// Deferrals of one offer.
/// Denials that are recorded in one minute for one key, or for all unknown ones together; the rest is counted.
/// Different words of a question by which passages are looked for.
/// Entries of the word index that one ranking reads, as a soft limit; the words that say least are left out.
/// Escalations of one session, when nothing else is set; counted apart from handoffs.
/// Events that a subscriber may lag behind before it is dropped with a notice.
/// Failed health checks in a row that make an agent unavailable.
/// Failures in a row that open the breaker of an agent, when nothing else is set.
/// Faults of one snippet that are told.
/// Findings of one specialist that are told.
/// First backoff of a retry, in milliseconds; it doubles each time.
/// First wait before a result is given again, in milliseconds. Each wait is twice the one before.
/// Folders within folders that a team goes down.
/// Handoffs of one agent to another in one session per minute, when nothing else is set.
/// Handoffs of one session, when nothing else is set.
/// Handoffs that must have ended in each arm of an experiment before a difference counts.
/// Handoffs whose timers are handled in one go.
/// Highest rate that a key can have of its own, in requests per second.
/// How far ahead a charter flight may be asked for, in days.
/// How long a closing engine waits for what runs in its process, in milliseconds; the next start goes on with the rest.
/// How long a command waits for a database that another process holds and does not answer for, in milliseconds.
/// How long a health answer may take, in milliseconds.
/// How long a mail server may take for one reply, in milliseconds, when nothing else is set.
/// How long a model may take to pick somebody, in milliseconds.
/// How long a person has to acknowledge, in milliseconds.
/// How long a process is taken to be there without a sign of life, in milliseconds. Its work goes to others after that.
/// How long a question waits for its answer, in milliseconds, where the request sets no time for the work.
/// How long a request waits for room in front of the writer, in milliseconds.
/// How long a run that was interrupted waits for whoever works in it, in milliseconds; the next run goes on with the rest.
/// How long a rung of a ladder has when it names no time, in milliseconds.
/// How long after a reminder the timeout policy acts, at least, in milliseconds.
/// How long after a reminder the timeout policy acts, at most, in milliseconds.
/// How long an approval waits when nothing else is said, in milliseconds.
/// How long an offer may wait in the queue of a busy agent before it counts as not acknowledged, in milliseconds.
/// How long an offered agent has to acknowledge, in milliseconds.
/// How long an open breaker lets nothing pass, in milliseconds, when nothing else is set.
/// How long one exchange over HTTP may take from the first byte to the last, in milliseconds.
/// How long the holder of the database waits for the request of another process, in milliseconds.
/// How long the holder of the database, when it closes, waits for commands that it is still answering, in milliseconds.
/// How long what a program left behind may go on writing after its end, in milliseconds.
/// How long work that is due or on offer is held for one process of several that asked for it, in milliseconds.
/// How often a process gives a sign of life, in milliseconds.
/// How often agents are asked for their health, in milliseconds.
/// How often checkpoints are written while there is something to seal, in milliseconds.
/// How often old records are looked for, in milliseconds.
/// How often the charter market is asked for quotes, in milliseconds, when nothing else is set.
/// Keys among which a "did you mean" is looked for when an expression asks for one that is missing.
/// Keys that a message lists when an expression asks for one that is missing.
/// Largest body of an HTTP message that a team's service reads, in bytes.
/// Largest content of one message, in bytes.
/// Largest file of settings, in bytes.
/// Largest file that a team reads from a folder, in bytes.
/// Largest handoff request as a whole, in bytes of JSON.
/// Largest head of an HTTP message that a team's service reads, in bytes.
/// Largest mail that is sent, in bytes.
/// Largest pattern of `matches` once it is compiled, in bytes.
/// Largest task payload, result body, variable value, metadata or recorded step, in bytes of JSON.
/// Latest handoffs among which the same source, target and content may not come again, when nothing else is set.
/// Latest handoffs that a session remembers for its guards.
/// Latest messages that such a view always shows.
/// Leases that may be lost before the handoff goes to somebody else.
/// Length of a lease when the agent asks for none, in milliseconds.
/// Levels above the first worker: worker, reviewer, architect, human.
/// Levels of an expression that is run on the stack that is there.
/// Lines of one reply of a mail server that are read.
/// Longest address for mail, in characters.
/// Longest agent id, in characters.
/// Longest charter request in plain words, in characters.
/// Longest expression, in bytes.
/// Longest field of a charter request, in characters.
/// Longest file lock that may be asked for, in milliseconds.
/// Longest idempotency key, in characters.
/// Longest lease that may be asked for, in milliseconds.
/// Longest line of a mail server that is read, in bytes.
/// Longest name of a file or folder that is made of a text, in characters.
/// Longest name of a key, in characters.
/// Longest name of a workflow, a state, a rule or a signal, in characters.
/// Longest name that is compared with slips, in characters.
/// Longest passage in a research pack, in characters.
/// Longest path of one chain of handoffs that is kept, in agents.
/// Longest piece of a source line that is shown with a mistake, in characters.
/// Longest piece of an answer that a message repeats when it is not understood, in characters.
/// Longest piece of an input that a message repeats, in characters.
/// Longest reason of a model that is kept, in characters.
/// Longest request that one process sends to another that holds the database, in bytes.
/// Longest sentence of an extractive summary, in characters.
/// Longest session id, in characters.
/// Longest short text of a handoff (reason, intent, rationale, comment), in bytes.
/// Longest snippet that the debugger looks at, in characters.
/// Longest text of a denial in the record, in characters.
/// Longest time a handoff may run when neither it nor its agent says otherwise, in milliseconds.
/// Longest time that may be asked for anything (timeout, deadline, deferral), in milliseconds: 400 days.
/// Longest title, label or detail in a drawing, in characters; the rest is cut.
/// Longest variable name, in characters.
/// Longest word that a "did you mean" is looked for, in bytes; a longer one is no slip.
/// Longest word that such a ranking knows, in bytes.
/// Messages at the start of a conversation that such a view reads as well: the first word of the user is among them.
/// Messages quoted in a specialist's brief.
/// Messages that a `summary` or `relevant_only` view looks back on.
/// Messages that a view shows when no `max_messages` is given and the mode is not `full`.
/// Models that are asked at once who takes a piece of work. Whoever comes next waits, at most `PICK_MS` in all.
/// Most agents in an explicit list of candidates.
/// Most agents of a workflow.
/// Most agents that are recommended at once.
/// Most agents that one condition of a rule for approvals names.
/// Most agents that one key speaks for.
/// Most artifacts of one session.
/// Most capabilities required by a handoff or declared by an agent.
/// Most clients in the register.
/// Most decisions of one session.
/// Most edges of one drawing; further ones are left out with a note.
/// Most entries in the usage that one return reports.
/// Most events that start sessions of one workflow.
/// Most experiments at once.
/// Most fields that a rule names for its payload.
/// Most files that a team reads from one folder.
/// Most handoffs of one session that are open at once.
/// Most keys that are kept. Ended ones make room for new ones.
/// Most locks held at once in one session.
/// Most messages appended by one command.
/// Most mistakes of one input that are listed; nobody mends more in one go.
/// Most mistakes that are told of one payload.
/// Most models in the price table, and most tenants and workflows with limits of their own.
/// Most money that is set aside for one handoff, in whole units.
/// Most nodes of one drawing; further ones are left out with a note.
/// Most offers that may wait for one agent of this process at once; later ones stay in the store until there is room.
/// Most passages of a research pack.
/// Most passengers of one charter flight.
/// Most people that one rule asks, one after the other.
/// Most registered agents.
/// Most rules for approvals.
/// Most rules for events from outside.
/// Most rules of a workflow.
/// Most sessions that one key is bound to.
/// Most signals that a rule waits for, or an agent says that it ends with.
/// Most states of a workflow.
/// Most steps of one run of an expression: a value that is looked at, a turn of a loop, or 64 bytes of text.
/// Most targets of one broadcast.
/// Most that a program writes as its answer, in bytes.
/// Most times that each further wait of a way that is gone again may be longer than the one before.
/// Most times that one way of a workflow may be gone again.
/// Most tokens that are set aside for one handoff. Far above any use, and so far below what a sum can hold that the shares of
/// Most values of one file of settings; what an alias stands for counts each time.
/// Most variables of one session.
/// Most warnings kept with one handoff.
/// Most words, numbers, texts and signs of one expression.
/// Names that are listed when a client's name could mean several.
/// Narrowest terminal that is drawn for, in columns.
/// Offers to further candidates after the first.
/// Open handoffs whose session is remembered; others are looked up in the store.
/// Operators that the charter market asks for one request.
/// Pairs of rules of one workflow that are compared to find those that may both fit.
/// Parts of a condition, joined by `&&`, that are compared with those of another.
/// Passages that are added for each thing that a research pack lacks.
/// Pieces of output that wait for another process to read them.
/// Pieces of work that an agent of a team has at once when its workflow does not say.
/// Proposals that a client gets.
/// Questions that may be asked about one handoff.
/// Quotes that must have come before they are compared.
/// Random bytes of the secret of a key.
/// Records that one checkpoint seals.
/// Requests for quotes that the charter market keeps.
/// Requests that may wait for the writer.
/// Retries after a timeout.
/// Rounds in which the boxes of a drawing are put in a better order and place.
/// Rows of a list on the command line when nobody says how many.
/// Rows of one page of anything.
/// Sentences of an extractive summary.
/// Sessions kept in memory; idle ones beyond this are read again when needed.
/// Sessions that one `handover run` starts.
/// Shortest beginning of an id that stands for the whole of it, in characters.
/// Shortest lease that may be asked for, in milliseconds.
/// Slips that a client's name may have and still be found.
/// Stack on which an expression is read, in bytes. The deepest one needs less than 4 MB of it in a debug build.
/// Stack on which an expression runs, in bytes. The longest one needs less than 1 MB of it in a debug build.
/// Terms of a task text, or of one field of a profile, that are used when agents are ranked by their words.
/// The window in which the handoffs of a pair are counted, in milliseconds.
/// Times that the result of an agent of this process is given again where too much is going on, the first one counted.
/// Times that work may come back to somebody with nothing new but other words, when nothing else is set.
/// Tokens of a complex session.
/// Tokens of a medium session.
/// Tokens of a simple session.
/// Topics that a chief architect gives out at once.
/// Tries to fetch the quotes before their analysis fails.
/// What is read of a request after its answer, in bytes, before its connection is closed all the same.
/// Widest name inside a box of a picture, in columns of text.
/// Widest terminal that is drawn for, in columns.
/// Widest text beside a line of a drawing, in columns of text.
/// Words of a program that failed which are shown.
/// Words that a ranking names as its reason.
/// Workflows that one engine knows.
/// all open handoffs add up.
mod nodes;
mod postgres;
mod remote;
mod server;
mod telemetry;
pub const ACCEPT_MS: u64 = 30_000;
pub const ADDRESS_CHARS_MAX: usize = 254;
pub const AGENTS_MAX: usize = 100_000;
pub const AGENT_ID_CHARS_MAX: usize = 128;
pub const ANSWER_MS: u64 = 24 * 60 * 60 * 1_000;
pub const APPROVAL_AGENTS_MAX: usize = 1_000;
pub const APPROVAL_MS: u64 = 24 * 60 * 60 * 1_000;
pub const APPROVAL_RULES_MAX: usize = 100;
pub const APPROVERS_MAX: usize = 16;
pub const ARTIFACTS_MAX: usize = 1_000;
pub const BATCH_BYTES_MAX: usize = 1024 * 1024;
pub const BATCH_COMMITS_MAX: usize = 512;
pub const BREAKER_COOLDOWN_MS: u64 = 30_000;
pub const BREAKER_FAILURES: u32 = 3;
pub const BRIEF_MESSAGES: usize = 5;
pub const BROADCAST_TARGETS_MAX: usize = 64;
pub const BUDGET_COST_MAX: u32 = 1_000_000;
pub const BUDGET_TOKENS_MAX: u64 = 1_000_000_000_000;
pub const CANDIDATES_MAX: usize = 32;
pub const CAPABILITIES_MAX: usize = 64;
pub const CHAIN_AGENTS: u32 = 16;
pub const CHARTER_DAYS_MAX: i64 = 365;
pub const CHARTER_FIELD_CHARS_MAX: usize = 1_000;
pub const CHARTER_TEXT_CHARS_MAX: usize = 2_000;
pub const CHECKPOINT_MS: u64 = 60_000;
pub const CHECKPOINT_RECORDS_MAX: usize = 2_000;
pub const CLOCK_JUMP_MS: u64 = 5_000;
pub const CLOSE_MS: u64 = 30_000;
pub const COMMAND_OUTPUT_BYTES_MAX: u64 = 4 * 1024 * 1024;
pub const COMMAND_REST_MS: u64 = 20;
pub const COMMAND_WORDS_SHOWN: usize = 40;
pub const COMPLEX_TOKENS: u64 = 150_000;
pub const CONDITION_PARTS_MAX: usize = 16;
pub const DECISIONS_MAX: usize = 1_000;
pub const DEFERRALS_MAX: u32 = 3;
pub const DENIALS_KEPT_PER_MINUTE: u32 = 10;
pub const DENIAL_CHARS_MAX: usize = 200;
pub const DESK_CLOSE_MS: u64 = 2_000;
pub const DESK_CONNECTIONS_MAX: usize = 32;
pub const DESK_FRAMES_MAX: usize = 256;
pub const DESK_IDLE_MS: u64 = 10_000;
pub const DESK_LINE_BYTES_MAX: usize = 4 * 1024 * 1024;
pub const DOOR_WAIT_MS: u64 = 5_000;
pub const DUE_BATCH_MAX: usize = 256;
pub const ESCALATIONS_PER_SESSION: u32 = 5;
pub const ESCALATION_DEPTH_MAX: u32 = 3;
pub const EVENT_RULES_MAX: usize = 200;
pub const EXECUTION_MS: u64 = 60 * 60 * 1_000;
pub const EXPERIMENTS_MAX: usize = 16;
pub const EXPERIMENT_ENDED_MIN: u64 = 30;
pub const EXPRESSION_BYTES_MAX: usize = 2_000;
pub const EXPRESSION_DEPTH_MAX: usize = 16;
pub const EXPRESSION_KEYS_COMPARED: usize = 256;
pub const EXPRESSION_KEYS_SHOWN: usize = 8;
pub const EXPRESSION_PATTERN_BYTES_MAX: usize = 8 * 1024;
pub const EXPRESSION_READ_STACK_BYTES: usize = 16 * 1024 * 1024;
pub const EXPRESSION_RUN_STACK_BYTES: usize = 4 * 1024 * 1024;
pub const EXPRESSION_SHALLOW_DEPTH: usize = 16;
pub const EXPRESSION_STEPS_MAX: usize = 250_000;
pub const EXPRESSION_TOKENS_MAX: usize = 400;
pub const FAULTS_SHOWN: usize = 10;
pub const FILE_BYTES_MAX: usize = 4 * 1024 * 1024;
pub const FILE_LEVELS_MAX: usize = 64;
pub const FILE_NAME_CHARS_MAX: usize = 64;
pub const FILE_VALUES_MAX: usize = 500_000;
pub const FINDINGS_SHOWN: usize = 50;
pub const FOLDER_DEPTH_MAX: usize = 8;
pub const FOLDER_FILES_MAX: usize = 500;
pub const FOLDER_FILE_BYTES_MAX: u64 = 256 * 1024;
pub const GIVE_BACK_TRIES_MAX: u32 = 8;
pub const GIVE_BACK_WAIT_MS: u64 = 50;
pub const GRAPH_ACROSS: usize = 8;
pub const GRAPH_BOX_COLUMNS_MAX: usize = 36;
pub const GRAPH_EDGES_MAX: usize = 360;
pub const GRAPH_LABEL_COLUMNS_MAX: usize = 32;
pub const GRAPH_NODES_MAX: usize = 120;
pub const GRAPH_ROUNDS: usize = 8;
pub const GRAPH_TEXT_CHARS_MAX: usize = 160;
pub const GRAPH_WIDTH_MAX: usize = 400;
pub const GRAPH_WIDTH_MIN: usize = 20;
pub const HANDOFFS_PER_SESSION: u32 = 5;
pub const HEALTH_AT_ONCE_MAX: usize = 256;
pub const HEALTH_FAILURES_MAX: u32 = 3;
pub const HEALTH_MS: u64 = 60_000;
pub const HEALTH_TIMEOUT_MS: u64 = 10_000;
pub const HOLD_MS: u64 = 5_000;
pub const HTTP_BODY_BYTES_MAX: usize = 256 * 1024;
pub const HTTP_CONNECTIONS_MAX: usize = 256;
pub const HTTP_DRAINED_BYTES_MAX: u64 = 1024 * 1024;
pub const HTTP_HEAD_BYTES_MAX: usize = 16 * 1024;
pub const HTTP_MS: u64 = 10_000;
pub const HTTP_SHOWN_CHARS_MAX: usize = 200;
pub const HUMAN_ACCEPT_MS: u64 = 24 * 60 * 60 * 1_000;
pub const IDLE_ROUNDS: u32 = 2;
pub const JSON_DEPTH_MAX: usize = 32;
pub const KEYS_MAX: usize = 1_000;
pub const KEY_AGENTS_MAX: usize = 100;
pub const KEY_CHARS_MAX: usize = 200;
pub const KEY_ID_CHARS: usize = 12;
pub const KEY_NAME_CHARS_MAX: usize = 100;
pub const KEY_RATE_PER_SECOND_MAX: u32 = 100_000;
pub const KEY_SECRET_BYTES: usize = 32;
pub const KEY_SESSIONS_MAX: usize = 100;
pub const LEASE_LOSSES_MAX: u32 = 5;
pub const LEASE_MS: u64 = 30_000;
pub const LEASE_MS_MAX: u64 = 60 * 60 * 1_000;
pub const LEASE_MS_MIN: u64 = 1_000;
pub const LIST_ROWS: usize = 50;
pub const LOCKS_MAX: usize = 256;
pub const LOCK_MS_MAX: u64 = 24 * 60 * 60 * 1_000;
pub const MAIL_BYTES_MAX: usize = 512 * 1024;
pub const MARKET_QUOTES_MAX: usize = 6;
pub const MARKET_RFPS_MAX: usize = 100_000;
pub const MEDIUM_TOKENS: u64 = 25_000;
pub const MESSAGES_PER_APPEND_MAX: usize = 1_000;
pub const MESSAGE_BYTES_MAX: usize = 256 * 1024;
pub const MISTAKES_MAX: usize = 64;
pub const NAMED_LIMITS_MAX: usize = 10_000;
pub const NAMES_SHOWN: usize = 5;
pub const NAME_CHARS_MAX: usize = 100;
pub const NAME_SLIPS_MAX: usize = 2;
pub const NODE_BEAT_MS: u64 = 2_500;
pub const NODE_LEASE_MS: u64 = 10_000;
pub const OPEN_HANDOFFS_MAX: usize = 256;
pub const PACK_PASSAGES_MAX: usize = 12;
pub const PAGE_MAX: usize = 1_000;
pub const PAIR_PER_MINUTE: u32 = 30;
pub const PAIR_WINDOW_MS: u64 = 60_000;
pub const PARTIES_MAX: usize = 1_000;
pub const PASSAGES_PER_GAP: usize = 1;
pub const PASSAGE_CHARS_MAX: usize = 4_000;
pub const PASSENGERS_MAX: u64 = 19;
pub const PATH_MAX: usize = 64;
pub const PAYLOAD_BYTES_MAX: usize = 256 * 1024;
pub const PICKS_AT_ONCE_MAX: usize = 64;
pub const PICK_CANDIDATES_MAX: usize = 32;
pub const PICK_MS: u64 = 20_000;
pub const PICK_WHY_CHARS_MAX: usize = 500;
pub const PLACES_MAX: usize = 1_000_000;
pub const POOL_MAX: usize = 512;
pub const POOL_SCANNED_MAX: usize = 4_096;
pub const PREFIX_CHARS_MIN: usize = 4;
pub const PROPOSALS_MAX: usize = 3;
pub const QUERY_TERMS_MAX: usize = 64;
pub const QUESTIONS_MAX: usize = 8;
pub const QUEUE_MS_MAX: u64 = 60 * 60 * 1_000;
pub const QUEUE_PER_AGENT_MAX: usize = 10_000;
pub const QUOTES_FETCH_TRIES: u32 = 3;
pub const QUOTES_MIN: usize = 3;
pub const QUOTES_POLL_MS: u64 = 1_000;
pub const QUOTE_CHARS_MAX: usize = 60;
pub const RECOMMENDATIONS_MAX: usize = 32;
pub const REGISTER_CLIENTS_MAX: usize = 100_000;
pub const REMINDER_GRACE_MS_MAX: u64 = 60_000;
pub const REMINDER_GRACE_MS_MIN: u64 = 1_000;
pub const REPEATS_WITHIN: u32 = 3;
pub const REQUEST_BYTES_MAX: usize = 1024 * 1024;
pub const REROUTES_MAX: u32 = 3;
pub const RETENTION_MS: u64 = 60 * 60 * 1_000;
pub const RETRIES_MAX: u32 = 3;
pub const RETRY_BASE_MS: u64 = 2_000;
pub const RETRY_FACTOR_MAX: u32 = 100;
pub const ROUTED_CANDIDATES_MAX: usize = 8;
pub const ROUTE_ENTRIES_MAX: usize = 32 * 1024;
pub const ROUTE_REASONS_MAX: usize = 5;
pub const ROUTE_TERMS_MAX: usize = 1_024;
pub const ROUTE_TEXT_BYTES_MAX: usize = 8 * 1024;
pub const ROUTE_WORD_BYTES_MAX: usize = 64;
pub const RULE_FIELDS_MAX: usize = 200;
pub const RULE_PAIRS_MAX: usize = 200_000;
pub const RULE_SIGNALS_MAX: usize = 100;
pub const RULE_TRIES_MAX: u32 = 1_000;
pub const RUNG_MS: u64 = 15 * 60 * 1_000;
pub const RUN_CLOSE_MS: u64 = 2_000;
pub const RUN_INPUTS_MAX: usize = 1_000;
pub const SCHEMA_FAULTS_MAX: usize = 20;
pub const SCHEMA_PATTERN_BYTES_MAX: usize = 128 * 1024;
pub const SESSIONS_CACHED_MAX: usize = 10_000;
pub const SESSION_ID_CHARS_MAX: usize = 128;
pub const SIMPLE_TOKENS: u64 = 10_000;
pub const SLIP_BYTES_MAX: usize = 64;
pub const SMTP_LINE_BYTES_MAX: usize = 2_048;
pub const SMTP_MS: u64 = 60_000;
pub const SMTP_REPLY_LINES_MAX: usize = 64;
pub const SNIPPET_CHARS_MAX: usize = 20_000;
pub const SOURCE_CHARS_MAX: usize = 120;
pub const STATE_CHARS_MAX: usize = 100;
pub const SUBSCRIBER_LAG_MAX: usize = 4_096;
pub const SUMMARY_SENTENCES: usize = 8;
pub const SUMMARY_SENTENCE_CHARS_MAX: usize = 300;
pub const TEAM_AT_ONCE: u32 = 4;
pub const TEXT_BYTES_MAX: usize = 16 * 1024;
pub const TEXT_POOL_MAX: usize = 32;
pub const TOPICS_MAX: usize = 8;
pub const TRIED_MAX: usize = 16;
pub const USAGE_MAX: usize = 64;
pub const VARIABLES_MAX: usize = 256;
pub const VARIABLE_NAME_CHARS_MAX: usize = 128;
pub const VIEW_BYTES_PER_MESSAGE: usize = 4 * 1024;
pub const VIEW_LATEST: usize = 2;
pub const VIEW_MESSAGES: usize = 20;
pub const VIEW_OPENING: usize = 3;
pub const VIEW_WINDOW: usize = 50;
pub const WAIT_MS_MAX: u64 = 400 * 24 * 60 * 60 * 1_000;
pub const WARNINGS_MAX: usize = 16;
pub const WATCH_AGENTS_MAX: usize = 64;
pub const WATCH_MOVES_MAX: usize = 8;
pub const WORKFLOWS_MAX: usize = 1_000;
pub const WORKFLOW_AGENTS_MAX: usize = 1_000;
pub const WORKFLOW_EVENTS_MAX: usize = 100;
pub const WORKFLOW_RULES_MAX: usize = 5_000;
pub const WORKFLOW_STATES_MAX: usize = 1_000;
pub const WRITER_QUEUE_MAX: usize = 4_096;
pub const WRITER_WAIT_MS: u64 = 30_000;
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
