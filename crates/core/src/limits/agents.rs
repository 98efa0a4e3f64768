//! Bounds of agents that work by their profiles: models, tools, programs, services, conversations.

/// Tools that an agent may have.
pub const TOOLS_MAX: usize = 128;
/// Words of the command of a program.
pub const COMMAND_WORDS_MAX: usize = 64;
/// How often a model is asked in one turn, at most.
pub const TURN_ITERATIONS_MAX: u32 = 15;
/// Tools that a model may ask for at once; the rest is refused in a result.
pub const CALLS_AT_ONCE_MAX: usize = 16;
/// Longest result of a tool that a model is shown, in bytes. The rest is cut, and it says so.
pub const TOOL_RESULT_BYTES_MAX: usize = 64 * 1024;
/// Specialists that a model is told of at once. It can ask for the others.
pub const SPECIALISTS_TOLD_MAX: usize = 40;
/// How long a specialist has when a model hands over to it, in milliseconds.
pub const SPECIALIST_MS: u64 = 10 * 60 * 1_000;
/// Messages that whoever has a conversation is shown of it.
pub const CHAT_MESSAGES_SHOWN: usize = 60;
/// How long a question of the user may take, in milliseconds.
pub const CHAT_ANSWER_MS: u64 = 30 * 60 * 1_000;
/// Handoffs of one conversation; each question of the user may need several.
pub const CHAT_HANDOFFS_MAX: u32 = 1_000;
/// Longest content of a tool's result that a model is given, in bytes; the rest is cut with a note.
pub const TOOL_CONTENT_BYTES_MAX: usize = 64 * 1024;
/// Longest name of a tool, in characters; providers of models allow no more.
pub const TOOL_NAME_CHARS_MAX: usize = 64;
/// Longest description of a tool, in bytes; the rest is cut.
pub const TOOL_DESCRIPTION_BYTES_MAX: usize = 8 * 1024;
/// Largest schema of a tool's arguments, in bytes of JSON; a tool with a larger one is left out.
pub const TOOL_SCHEMA_BYTES_MAX: usize = 64 * 1024;
/// Names and fields that a message to a model lists at most.
pub const TOOL_NAMES_SHOWN: usize = 40;
/// How long one call of a tool may take, in milliseconds, when nothing else is set.
pub const TOOL_MS: u64 = 60_000;
/// Longest that one call of a tool may be allowed to take, in milliseconds.
pub const TOOL_MS_MAX: u64 = 60 * 60 * 1_000;
/// How long a program that is told to end may take for it before it is ended by force, in milliseconds.
pub const PROGRAM_GRACE_MS: u64 = 2_000;
/// The end of what a program says of its trouble that is kept, in bytes.
pub const PROGRAM_ERR_BYTES_KEPT: usize = 16 * 1024;
/// Variables that the configuration of one program sets or passes.
pub const PROGRAM_VARIABLES_MAX: usize = 128;
/// MCP servers of one configuration.
pub const MCP_SERVERS_MAX: usize = 32;
/// How long an MCP server may take to start and to say what it offers, in milliseconds.
/// How long an MCP server may take to start, and how long to say what it offers, in milliseconds.
pub const MCP_START_MS: u64 = 60_000;
/// How long an MCP server that could not be reached is not tried again, in milliseconds.
pub const MCP_REST_MS: u64 = 10_000;
/// Largest message of an MCP server that is read, in bytes.
pub const MCP_MESSAGE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Pages of an MCP server's list of tools that are read.
pub const MCP_PAGES_MAX: usize = 100;
/// Tools of one MCP server that are known; further ones are left out with a note.
pub const MCP_TOOLS_MAX: usize = 1_000;
/// Headers that are sent to one MCP server.
pub const MCP_HEADERS_MAX: usize = 32;
/// How long the last words of an MCP server that went away are waited for, in milliseconds.
pub const MCP_LAST_WORDS_MS: u64 = 200;
/// Longest error of an MCP server that is told, in bytes; the rest is cut.
pub const MCP_ERROR_BYTES_SHOWN: usize = 1_000;

/// How long it may take to reach a provider of models, in milliseconds.
pub const MODEL_CONNECT_MS: u64 = 10_000;
/// How long a provider may be silent within an answer, in milliseconds, when nothing else is set.
pub const MODEL_IDLE_MS: u64 = 120_000;
/// How long one question to a model may take with all its tries, in milliseconds, when nothing else is set.
pub const MODEL_MS: u64 = 600_000;
/// Longest time that may be set for a question to a model, in milliseconds.
pub const MODEL_MS_MAX: u64 = 60 * 60 * 1_000;
/// Times that one question is asked where the trouble may pass, the first one counted.
pub const MODEL_TRIES_MAX: u32 = 5;
/// First wait before a question is asked again, in milliseconds. Each wait is twice the one before.
pub const MODEL_WAIT_MS: u64 = 500;
/// Longest wait before a question is asked again, in milliseconds, where the provider does not say how long.
pub const MODEL_WAIT_MS_MAX: u64 = 20_000;
/// Longest wait that a provider may ask for, in milliseconds. Whoever asks for more is not asked again.
pub const MODEL_RETRY_AFTER_MS_MAX: u64 = 60_000;
/// Largest answer of a provider, in bytes.
pub const MODEL_BODY_BYTES_MAX: usize = 16 * 1024 * 1024;
/// What is read of an answer that says what went wrong, in bytes.
pub const MODEL_ERROR_BYTES_MAX: usize = 64 * 1024;
/// Longest line of an answer that comes in pieces, in bytes.
pub const MODEL_LINE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Largest piece of an answer, in bytes.
pub const MODEL_EVENT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Longest message of a provider that is shown, in characters.
pub const MODEL_SHOWN_CHARS_MAX: usize = 600;
/// Tools that a model may ask for in one answer.
pub const MODEL_CALLS_MAX: usize = 128;
/// Longest answer in tokens where the provider wants a bound and nobody set one.
pub const MODEL_OUTPUT_TOKENS: u64 = 8_192;
/// Most headers that may be set for a provider.
pub const MODEL_HEADERS_MAX: usize = 32;
/// Longest answer of a model that picks an agent, in tokens. Most of it is for models that think before they answer.
pub const PICK_OUTPUT_TOKENS: u64 = 2_048;
/// How long a model may take to summarise a conversation, in milliseconds.
pub const SUMMARY_MS: u64 = 20_000;
/// Longest summary that is kept, in characters.
pub const SUMMARY_CHARS_MAX: usize = 4_000;
/// Longest name of whoever summarised, and longest reason why a model did not, in characters.
pub const SUMMARY_BY_CHARS_MAX: usize = 300;
/// Longest summary that a model is asked for, in tokens. A part of it is for models that think before they answer.
pub const SUMMARY_OUTPUT_TOKENS: u64 = 2_048;
/// Most that a model reads to summarise, in bytes; the middle of longer messages is left out.
pub const SUMMARY_READ_BYTES_MAX: usize = 64 * 1024;
/// Models that summarise at once. Whoever comes next waits, at most `SUMMARY_MS` in all.
pub const SUMMARIES_AT_ONCE_MAX: usize = 32;
/// Entries of one script of a scripted model.
pub const SCRIPT_ENTRIES_MAX: usize = 1_000;
/// Longest answer of a scripted model, repetitions counted, in bytes.
pub const SCRIPT_ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Bytes that one pattern of a script may take when it is compiled.
pub const SCRIPT_PATTERN_BYTES_MAX: usize = 1024 * 1024;
/// Longest wait that a script may ask for, in milliseconds.
pub const SCRIPT_WAIT_MS_MAX: u64 = 10 * 60 * 1_000;
/// Pieces that one text of a scripted answer is streamed in.
pub const SCRIPT_PIECES_MAX: usize = 2_000;
/// Characters of the arguments of a tool that are streamed at once.
pub const SCRIPT_ARGUMENT_PIECE_CHARS: usize = 16;
/// Largest question to a scripted model, in bytes.
pub const SCRIPT_QUESTION_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Questions that a scripted model remembers; the oldest are forgotten first.
pub const SCRIPT_ASKED_MAX: usize = 10_000;
/// How long a scripted model that is stopped waits for answers that nobody reads, in milliseconds.
pub const SCRIPT_STOP_MS: u64 = 2_000;

/// First wait of a step of a workflow whose agent can take nothing now, in milliseconds. Each wait is twice the one before.
pub const STEP_WAIT_MS: u64 = 2_000;
/// Waits of such a step that are twice the one before; all further ones are as long as the last of these.
pub const STEP_WAITS_DOUBLED: u32 = 7;
/// Times that such a step waits, about a day in all; then it goes the way of errors.
pub const STEP_WAITS_MAX: u32 = 340;
/// Longest name of a workflow or a state, in bytes: a folder that is named after it needs a few more, and 255 is the most.
pub const WORKFLOW_NAME_BYTES_MAX: usize = 200;
/// How long a service may take to answer a piece of work at once, in milliseconds.
pub const WEBHOOK_MS: u64 = 60_000;
/// How often a piece of work is sent to a service that is in trouble.
pub const WEBHOOK_TRIES_MAX: u32 = 5;
/// First wait before it is sent again, in milliseconds. Each wait is twice the one before.
pub const WEBHOOK_WAIT_MS: u64 = 500;
/// Longest wait before it is sent again, in milliseconds, whatever the service asks for.
pub const WEBHOOK_WAIT_MS_MAX: u64 = 60_000;
/// How long a callback may take to be kept, in milliseconds.
pub const CALLBACK_MS: u64 = 30_000;
/// How far the time of a signature may be from now, in milliseconds.
pub const SIGNATURE_WINDOW_MS: u64 = 5 * 60 * 1_000;
/// Shortest secret that signs, in bytes.
pub const SIGNATURE_SECRET_BYTES_MIN: usize = 16;
/// How long a step waits before it is looked at again whether the definition of its workflow can be read, in milliseconds.
pub const DEFINITION_WAIT_MS: u64 = 60 * 60 * 1_000;
/// Sessions that a message names; the rest is counted.
pub const SESSIONS_NAMED: usize = 3;

/// Longest text of a pattern in the schema of a payload, in bytes.
pub const SCHEMA_PATTERN_TEXT_BYTES_MAX: usize = 500;
/// Most different patterns in the schemas of one workflow.
pub const SCHEMA_PATTERNS_MAX: usize = 100;
/// Most words, numbers, texts and signs of all different conditions of one workflow.
pub const CONDITION_TOKENS_MAX: usize = 75_000;
/// Most patterns of `matches` in all different conditions of one workflow.
pub const CONDITION_PATTERNS_MAX: usize = 500;
/// Signals and parts of conditions that are compared to find rules of one workflow that may both fit.
pub const RULE_COMPARISONS_MAX: usize = 5_000_000;
/// Handoffs that are shown where the beginning of an id stands for several.
pub const PREFIX_HANDOFFS_SHOWN: usize = 5;
/// Handoffs that statistics look at, the latest ones; totals count all.
pub const STATS_HANDOFFS_MAX: usize = 200_000;
/// Agents in a row that statistics count as one way of the work.
pub const STATS_PATH_AGENTS_MAX: usize = 5;
/// Ways of the work that statistics tell, the most common ones, of each sort.
pub const STATS_PATHS_SHOWN: usize = 10;
/// Longest line that a person types in a conversation, in bytes.
pub const CHAT_LINE_BYTES_MAX: usize = 64 * 1024;
/// Pieces of answers that wait to be shown; further ones are not, and the whole answer comes at the end.
pub const CHAT_PIECES_MAX: usize = 1_024;
/// Longest part of what an agent says of itself that others are told, in characters.
pub const SPECIALIST_WORDS_CHARS_MAX: usize = 400;
