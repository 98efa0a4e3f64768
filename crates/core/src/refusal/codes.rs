//! The table of codes. Each is stable: it keeps its meaning for good. The pages under `docs/errors` are made from it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What sort of answer a refusal is; the rims turn it into a status or an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// The ask itself is wrong.
    Invalid,
    /// Nobody can tell who asks.
    Unauthenticated,
    /// The ask is not the caller's to make.
    Forbidden,
    /// What it names does not exist, or not for this caller.
    Missing,
    /// It does not fit what has happened meanwhile.
    Conflict,
    /// It is too much.
    TooMuch,
    /// Our own trouble.
    Trouble,
}

macro_rules! codes {
    ($($variant:ident = $code:literal, $family:ident, $title:literal, $meaning:literal, $mend:literal;)*) => {
        /// A stable code. The pages under `docs/errors` are made from this table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $title] $variant,)*
        }

        impl Code {
            /// All codes, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The code as people write it, such as `HO0304`.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $code),* }
            }

            /// What sort of answer it is.
            #[must_use]
            pub fn family(self) -> Family {
                match self { $(Self::$variant => Family::$family),* }
            }

            /// In a few words.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),* }
            }

            /// What it means.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning),* }
            }

            /// How to mend it.
            #[must_use]
            pub fn mend(self) -> &'static str {
                match self { $(Self::$variant => $mend),* }
            }
        }
    };
}

codes! {
    MissingField = "HO0101", Invalid, "a required field is missing",
        "The request leaves out something that it cannot do without.",
        "Add the field that is named. `reason`, `user_intent`, `original_request`, `from_agent`, `type` and `task.description` are always required.";
    EmptyField = "HO0102", Invalid, "a required text is empty",
        "The field is there, but has nothing in it or only spaces.",
        "Say in a few words what belongs there. The next agent and the audit trail depend on it.";
    UnknownValue = "HO0103", Invalid, "a value is not one of the allowed ones",
        "The field takes one of a fixed set of words, and this is none of them.",
        "Use one of the words that the message lists. Case matters.";
    WrongType = "HO0104", Invalid, "a value has the wrong type",
        "A text, number, list or object was expected, and something else was given.",
        "Look at the path in the message and give the type that it names. The conversation history, for one, is a list of messages.";
    UnknownField = "HO0105", Invalid, "a field is not known",
        "The request has a field that nothing reads. It is refused rather than ignored, because it is most often a slip.",
        "Correct the name, or put your own data under `context.metadata` or `task.payload`.";
    TooLarge = "HO0106", TooMuch, "a value is larger than its limit",
        "Every payload, text and list has a named limit. This one is above it; nothing was stored.",
        "Send less, or store the content elsewhere and hand over a reference as an artifact.";
    TooDeep = "HO0107", Invalid, "JSON is nested too deeply",
        "Nesting is limited to 32 levels, so that nobody can exhaust the stack of a reader.",
        "Flatten the data, or pass it as text.";
    BadText = "HO0108", Invalid, "a text has characters that it cannot have",
        "Names take letters, digits and a few signs. Texts take no NUL and no control characters but line breaks and tabs.",
        "Remove the character that the message shows.";
    OutOfRange = "HO0109", Invalid, "a number is out of range",
        "The number is below or above what makes sense here.",
        "Use a number in the range that the message gives.";
    SelfHandoff = "HO0110", Invalid, "an agent cannot hand over to itself",
        "`from_agent` and `to_agent` are the same.",
        "Name another agent, or leave `to_agent` out and give a capability.";
    NotJson = "HO0111", Invalid, "the input is not JSON",
        "The text cannot be read as JSON.",
        "Mend it at the line and column in the message.";
    NotYaml = "HO0112", Invalid, "the input is not YAML",
        "The file cannot be opened, or its text cannot be read as YAML.",
        "Mend it at the line and column in the message. Indent with spaces, close what is opened, give each field once.";
    BadTrace = "HO0113", Invalid, "a traceparent is not one",
        "`context.traceparent` places the work in a trace, in the form of W3C Trace Context. This text does not have it.",
        "Write `00-`, 32 digits for the trace, `-`, 16 for the span, `-` and 2 for the flags: hexadecimal, in small letters, neither id all zeros. Or leave it out.";

    UnknownSource = "HO0201", Missing, "the source agent is not registered",
        "`from_agent` names nobody that the engine knows.",
        "Register the agent first, or correct its name.";
    UnknownTarget = "HO0202", Missing, "the target agent is not registered",
        "The target names nobody that the engine knows. Models often misspell names; the message suggests the nearest one.",
        "Use a registered name, or leave `to_agent` out and give a capability.";
    TargetUnavailable = "HO0203", Conflict, "the target agent is not available",
        "The agent did not acknowledge its last offer, failed its health checks, or is draining.",
        "Choose another agent or let the engine choose. The agent comes back by itself when it is healthy.";
    TargetTakesNone = "HO0204", Conflict, "the target agent takes no handoffs",
        "Its profile says `accepts_handoffs: false`.",
        "Choose another agent, or change the profile.";
    NobodyCan = "HO0205", Missing, "nobody can take this",
        "No registered agent has what the handoff asks for and is available.",
        "Register somebody with the capability, ask for less, or name a human fallback in the policy.";
    BadProfile = "HO0206", Invalid, "a capability profile is not valid",
        "Something in the profile cannot be: a proficiency outside 0 to 1, no room for even one task, an agent that escalates to itself.",
        "Correct the field that the message names.";
    AgentBusy = "HO0207", Conflict, "the agent still has work",
        "An agent that works on something or is waited for cannot be removed.",
        "Drain it first and remove it when its load is 0.";
    UnknownAgent = "HO0208", Missing, "the agent is not registered",
        "The name belongs to nobody that the engine knows.",
        "Register the agent first, or correct its name.";
    DuplicateId = "HO0209", Invalid, "two agents have the same id",
        "A file of agents names each of them once. With two of the same id nobody could tell which one is meant.",
        "Give one of the two another id, or remove it.";
    IdTaken = "HO0210", Conflict, "the id of the agent is taken",
        "Agents of all tenants have their ids from one namespace, and somebody else has this one.",
        "Choose another id, for example with the name of the tenant in it.";

    UnknownSession = "HO0301", Missing, "there is no such session",
        "The session does not exist, or does not belong to the caller. Which of the two is not told.",
        "Check the id, and the tenant of the caller.";
    NotYourAgent = "HO0302", Forbidden, "the caller may not act as this agent",
        "A caller that is bound to certain agents speaks for those alone.",
        "Use the credentials of the agent in question.";
    NotOwner = "HO0303", Conflict, "the source does not own the session",
        "Only the active agent of the session, or whoever works on one of its handoffs, may hand over.",
        "Let the active agent hand over, or accept a handoff of this session first.";
    SessionEnded = "HO0304", Conflict, "the session has ended",
        "Its workflow reached the end. What is stored stays readable.",
        "Open a new session.";
    SessionExists = "HO0305", Conflict, "a session with this id exists already",
        "Sessions are opened once.",
        "Use the session that exists, or another id.";
    SegmentOpen = "HO0306", Conflict, "the source has not completed its part",
        "A sequential handoff gives the work away for good, so the source marks its own part as complete first.",
        "Set `completes_segment: true`, or complete the segment in a step of its own.";
    Waiting = "HO0307", Conflict, "the agent waits for something first",
        "It delegated with `blocking: true` and goes on only when the result is back; or it is handing the session over already.",
        "Wait for it, cancel it, or delegate with `blocking: false`.";
    ReservedName = "HO0308", Forbidden, "the name is reserved",
        "Names that begin with `handover:` belong to the engine.",
        "Choose another name.";
    NotAllowed = "HO0309", Forbidden, "the role does not allow this",
        "Viewers read, agents work for themselves, operators run the work, administrators run the installation. What all tenants share belongs to callers of the house.",
        "Use a key with the role that the message names, or ask somebody who has one.";
    UnknownKey = "HO0310", Missing, "there is no such key",
        "The key does not exist, or does not belong to the caller's tenant. Which of the two is not told.",
        "Look at `handover keys list`.";
    BadKey = "HO0311", Unauthenticated, "the key is not valid",
        "The request has no key, or one that was never made, was taken back, or whose time is over. Which of them is not told.",
        "Use a valid key; `handover keys make` makes one.";

    TimeoutMissing = "HO0402", Invalid, "the return has no timeout",
        "Whoever waits for a result must say how long. A wait without an end is how work gets lost.",
        "Set `return_protocol.timeout_ms`.";
    RationaleMissing = "HO0403", Invalid, "an escalation has no rationale",
        "Whoever decides above has to know why it was not decided below.",
        "Set `audit.decision_rationale`.";
    AutonomyTooSmall = "HO0404", Conflict, "the target may not take this risk",
        "The risk of the task is above the target's `autonomy_budget.max_risk`.",
        "Hand over to somebody with a larger autonomy, or lower the risk of the task.";
    CapabilityMismatch = "HO0405", Conflict, "the target has none of the required capabilities",
        "A target with some of them is accepted with a warning; this one has none.",
        "Choose one of the agents that the message suggests, or leave `to_agent` out.";
    AtCapacity = "HO0406", Conflict, "the agent is at capacity",
        "It works on as many tasks as `max_concurrent_tasks` allows.",
        "Wait until it has finished something. The offer stays in its queue.";
    TooHigh = "HO0407", Conflict, "there is no higher level to escalate to",
        "An escalation climbs at most three levels: worker, reviewer, architect, human.",
        "Decide at this level, or return `failed` with what is known.";
    NoLadder = "HO0408", Invalid, "there is nobody to escalate to",
        "The request has no ladder and no target, and the source's profile has no `escalates_to`.",
        "Give a `ladder`, a `to_agent`, or set `escalates_to` in the profile.";
    DeadlinePassed = "HO0409", Invalid, "the deadline has passed",
        "`context.constraints.deadline` is not in the future.",
        "Give a later deadline, or none.";
    NoTargets = "HO0410", Invalid, "a broadcast has no targets",
        "A broadcast names its targets in `broadcast.targets`, each agent once.",
        "Name at least one target, and each only once.";
    BadQuorum = "HO0411", Invalid, "the quorum cannot be reached",
        "A quorum is at least 1 and at most the number of targets.",
        "Choose a number in between.";

    UnknownHandoff = "HO0501", Missing, "there is no such handoff",
        "The handoff does not exist, or does not belong to the caller. Which of the two is not told.",
        "Check the id.";
    Closed = "HO0502", Conflict, "the handoff is closed",
        "It has ended, and nothing more can happen to it.",
        "Read its result. For more work, initiate a new handoff; what came to nothing can be retried.";
    OfferedElsewhere = "HO0503", Conflict, "the handoff is offered to somebody else",
        "Only the agent that it is offered to now can answer. It may have been rerouted meanwhile.",
        "Nothing to do, unless the name of the agent was a slip.";
    StaleLease = "HO0504", Conflict, "the lease is not valid any more",
        "The lease ended, or the work was given to somebody else. Writes with an old lease are refused, so that two agents never work on one task.",
        "Stop working on it. Heartbeat in time to keep a lease.";
    AlreadyRunning = "HO0505", Conflict, "somebody works on it already",
        "The handoff was accepted before.",
        "Nothing to do. An operator can give it to somebody else, with `redirect`.";
    NotApproved = "HO0506", Conflict, "the handoff waits for approval",
        "A person has to approve it before it is offered.",
        "Wait, or ask the approver.";
    NotRunning = "HO0507", Conflict, "nobody works on it yet",
        "The step is for a handoff that is running.",
        "Accept it first.";
    NotAwaitingApproval = "HO0508", Conflict, "the handoff does not wait for approval",
        "It was approved, denied or never asked for approval.",
        "Nothing to do.";
    OwnApproval = "HO0509", Forbidden, "nobody approves their own request",
        "The approver is the agent that asked.",
        "Let somebody else decide.";
    NotOffered = "HO0510", Conflict, "the handoff is not on offer now",
        "It was put off, or waits before a retry, and will be offered again by itself.",
        "Wait until it is offered.";
    NotYours = "HO0511", Forbidden, "the handoff is not this agent's to change",
        "Only the source, the holder, or the owner of the session may do this, or a person who runs the work.",
        "Ask one of them.";

    NoReturn = "HO0512", Conflict, "there is no return to take",
        "The work is not over, nobody waits for its result, or the return was taken before. A return is taken once.",
        "Read the handoff to see where it stands. Its result stays readable after it was taken.";
    NoQuestion = "HO0513", Conflict, "nothing is asked about this handoff",
        "Its agent asked nothing, or somebody answered before.",
        "Look at the questions of the handoff.";

    KeyConflict = "HO0601", Conflict, "the idempotency key was used for something else",
        "The same key with the same content gives the first answer. This content is another.",
        "Use a new key for a new request.";
    VersionConflict = "HO0602", Conflict, "somebody else wrote first",
        "The variable has another version than the one that the write expected.",
        "Read it again, merge, and write with the new version.";
    OutOfScope = "HO0603", Forbidden, "the variable belongs to another agent",
        "Everybody reads all variables; an agent writes its own and the shared ones. A name such as `pilot/plan` is in the scope of `pilot`.",
        "Write under your own name, or a shared name without a slash.";
    Locked = "HO0604", Conflict, "the file is locked",
        "Somebody holds a lock that excludes this one.",
        "Wait until it is released or its lease ends; the message says when.";
    LockNotHeld = "HO0605", Conflict, "the lock is not held",
        "The agent holds no lock on this path; it may have expired.",
        "Take it again before writing.";
    UnknownArtifact = "HO0606", Missing, "there is no such artifact",
        "The session has no artifact with this id.",
        "Check the id.";
    HistoryDiverges = "HO0607", Conflict, "the history is not a continuation",
        "The given history does not begin with the conversation that is stored. Nothing stored is ever replaced.",
        "Send the whole conversation as it is stored plus what is new, or append new messages alone.";
    UnknownVariable = "HO0608", Missing, "there is no such variable",
        "The session has no variable with this name.",
        "Check the name. A name with a slash in it, such as `pilot/plan`, is written with `%2F` in an address.";

    TooManyHandoffs = "HO0701", TooMuch, "the session has used up its handoffs",
        "How often work is handed over in one session is limited: by the session itself, its workflow, its class, or the house. Retries and offers to further candidates do not count.",
        "Finish with what there is, or let whoever runs the house raise `limits.handoffs`.";
    TooManyAgents = "HO0702", TooMuch, "too many agents have a part in the session",
        "How many agents work in one session is limited by its class or its own limits.",
        "Hand over to somebody who has a part in it already, or raise `limits.agents`.";
    ChainTooLong = "HO0703", TooMuch, "the chain of handoffs is too long",
        "Work that is handed on and on loses its way. The chain from the first agent to the last is limited.",
        "Return what there is, or raise `limits.chain`.";
    Repetition = "HO0704", Conflict, "the same was handed over just now",
        "The same source, target and content came among the last handoffs of the session. Handing it over once more would bring nothing new.",
        "Change the task or bring something new into the session. For another try after a failure use `on_timeout: retry` or another agent.";
    Circle = "HO0705", Conflict, "the work goes in a circle",
        "It would come back to an agent that handed it on, with nothing new since.",
        "Add what was found out (a variable, an artifact, other data), return the work, or escalate it.";
    WaitsForYou = "HO0706", Conflict, "the target waits for this very work",
        "Somebody who waits for a result of this chain cannot be asked to do a part of it: both would wait for ever.",
        "Return what there is, with the question, or ask somebody else.";
    TooFast = "HO0707", TooMuch, "the pair hands over too often",
        "How often one agent hands over to another in one session is limited per minute.",
        "Wait, do more in one handoff, or raise `loops.pair_per_minute`.";
    BreakerOpen = "HO0708", Conflict, "the agent is left alone for a while",
        "It failed several times in a row. After the cool-down one handoff tries whether it is well again.",
        "Choose another agent, wait for the time in the message, or reset the breaker.";
    BudgetSpent = "HO0709", TooMuch, "the budget does not allow it",
        "What a handoff may use is set aside before it begins. There is not enough left for this one, so it was not begun.",
        "Ask for less in `context.constraints.budget`, or raise the budget that the message names.";
    HandoffsOff = "HO0710", Conflict, "handoffs are switched off",
        "The mode is `independent`: each agent works alone.",
        "Do the work without handing over, escalate it, or set the mode to `on`.";
    TimeSpent = "HO0711", TooMuch, "the time of the session is over",
        "The session has a limit on how long it may go on, and that has passed.",
        "Finish with what there is, or raise its limit: `time` in a workflow, `time_ms` in a policy.";
    NotApprover = "HO0712", Forbidden, "somebody else is asked to approve this",
        "The rule that asks for the approval names who decides.",
        "Let one of those in the message decide.";
    ApprovalChanged = "HO0713", Conflict, "what was to be approved has changed",
        "An approval is for one target, content and rule. One of them is another by now, so the approval is void.",
        "Look at the handoff as it is now, and decide with its new digest.";
    BadPolicy = "HO0714", Invalid, "a setting cannot be",
        "Something in the policy contradicts itself: a name that is there twice, an experiment of one strategy, a rule without a name.",
        "Correct the setting that the message names.";
    BadExpression = "HO0715", Invalid, "an expression does not compile",
        "Conditions are written in CEL, over names that the message lists.",
        "Correct it at the place in the message.";
    NoPicker = "HO0716", Conflict, "no model is connected that could choose",
        "The strategy `llm` lets a model pick the agent, and none is connected.",
        "Connect one, or use another strategy.";
    UnknownExperiment = "HO0717", Missing, "there is no such experiment",
        "The policy has no experiment with this name, and nothing was recorded for one.",
        "Check the name.";

    StoreStopped = "HO0801", Trouble, "the store has stopped writing",
        "A write or a sync failed. From then on nothing is acknowledged, because nobody can know what reached the disk.",
        "Mend the disk (space, permissions, hardware), then start again: everything that was acknowledged is there.";
    StoreInUse = "HO0802", Trouble, "another process uses this database",
        "One process at a time opens a database file.",
        "Stop the other process, or use another file.";
    StoreNewer = "HO0803", Trouble, "the database was written by a newer version",
        "This version does not know the schema, or something in a session or a record, and will not guess. Nothing was changed. While nodes are replaced one by one, those of the newer version can do it.",
        "Use the newer version, or another file.";
    StoreDamaged = "HO0804", Trouble, "the database file is damaged or not ours",
        "The file cannot be read as a database of this program. It was not changed.",
        "Check the path; restore the file from a backup.";
    ShuttingDown = "HO0805", Trouble, "the engine is shutting down",
        "It finishes what it has and takes nothing new.",
        "Try again when it has started again.";
    Overloaded = "HO0806", Trouble, "too many requests wait",
        "The queue in front of the store is full. Nothing was done.",
        "Try again in a moment, with less at once.";
    StoreFailed = "HO0807", Trouble, "the store could not answer",
        "A read or write failed in a way that should not happen. Nothing was acknowledged.",
        "The message has the cause. If it comes again, verify the audit trail and report it.";
    StoreAway = "HO0808", Trouble, "the database cannot be reached",
        "The database server does not answer: it is being restarted, or the way to it is cut. Nothing of what was asked has been written. The engine goes on by itself as soon as the server answers.",
        "Try again in a moment, with the same idempotency key. If it lasts, look at the database server and at the address in `--store`.";
    NoAnswer = "HO0809", Trouble, "no answer came in time",
        "The server does not know yet what came of the request: as a rule the database went away after the write was sent. It may be written, or not. The engine finds out as soon as the database answers.",
        "Send the same request again with the same idempotency key: it is done once. If it lasts, look at the database server.";
    BrokenChain = "HO0901", Trouble, "the audit trail does not verify",
        "A record was changed, removed, added or moved. The message names the first that does not fit.",
        "Compare with a backup or an export. Nothing is repaired by itself.";

    UnknownWorkflow = "HO1001", Missing, "there is no such workflow",
        "A session names a workflow that this engine does not know.",
        "Check the name; load the file of the workflow before sessions of it are opened.";
    BadWorkflow = "HO1002", Invalid, "the workflow cannot be",
        "A part of a workflow contradicts another one, is missing, or is too much.",
        "Mend the file where the message points to; `handover check FILE` shows all mistakes at once.";
    UnknownState = "HO1003", Invalid, "there is no such state",
        "A rule, a transition or an agent names a state that the workflow does not have.",
        "Use one of the states of the workflow, or add it.";
    UselessPart = "HO1004", Invalid, "a part of the workflow is of no use",
        "A state cannot be reached or left, or a rule can never fire.",
        "Remove it, or add the rule that leads there; put the rule with the narrower condition first.";
    NoRule = "HO1005", Conflict, "no rule leads on from here",
        "A step ended, and no rule of its agent fits how it ended. Nothing was written; the step is still open.",
        "End the step with one of the signals that the message names, or add a rule to the workflow.";
    BadTransition = "HO1006", Conflict, "this state cannot follow",
        "In a session with a workflow the work moves as its rules and transitions say.",
        "Move to one of the allowed states, or end the step with a signal; the message names both.";
    PayloadWrong = "HO1007", Invalid, "the payload is not what the rule needs",
        "The next step needs fields that neither the result, nor the step's own payload, nor the variables of the session have, or they have another shape.",
        "Give the missing fields with the result of the step, or mend the rule.";
    NotAStep = "HO1008", Conflict, "the handoff is no step of a workflow",
        "Only the step of a session with a workflow moves its state.",
        "Check which handoff is the present step of the session.";
    WorkflowInUse = "HO1009", Conflict, "running sessions need the present definition",
        "A workflow was to be replaced by one that lacks a state, an agent or a rule that a session stands in now. It was not replaced.",
        "Let the sessions in the message end, keep what they need, or give the new workflow another name.";
    AgentInUse = "HO1010", Conflict, "another workflow that goes on has another agent of this name",
        "Agents are known by name to all workflows of one database. Two that are run in different ways cannot share one while sessions go on.",
        "Rename the agent, use another database, or wait until the sessions of the other workflow have ended.";
    WorkflowUnreadable = "HO1011", Conflict, "the kept definition of the workflow cannot be read",
        "It was kept by another version, or is damaged. Its sessions wait: nothing is lost, and nothing goes on.",
        "Define the workflow again from its file, or use the version that kept it.";

    RateLimited = "HO1101", TooMuch, "too many requests in too short a time",
        "Each key has a rate. This request came above it; nothing was done.",
        "Wait for as long as the header `Retry-After` says, or ask whoever made the key for a higher rate.";
    NoSuchAddress = "HO1102", Missing, "there is nothing at this address",
        "The server has no such path.",
        "Look at `/docs` for all paths. A name with a slash in it is written with `%2F`.";
    WrongMethod = "HO1103", Invalid, "the address does not take this method",
        "The path exists, but not with this method.",
        "Use one of the methods that the header `Allow` names.";
    WrongMediaType = "HO1104", Invalid, "the body is not of the right type",
        "Bodies are JSON, and say so.",
        "Send the header `content-type: application/json`.";
    TooSlow = "HO1105", Invalid, "the request took too long to arrive",
        "The body was not there in time. Nothing was done.",
        "Send it again, faster.";
    BadHeader = "HO1106", Invalid, "a header cannot be read",
        "A header of the request does not have the form that it must have.",
        "Mend the header that the message names.";
    StrangeOrigin = "HO1107", Forbidden, "a page from elsewhere may not do this",
        "A server without keys answers programs of this machine, and pages that it serves itself. The headers `Host` and `Origin` say that this comes from elsewhere.",
        "Use `localhost` or `127.0.0.1` as the address, or make a key with `handover keys make` and send it.";
    NotFresh = "HO1108", Conflict, "it is not what you saw any more",
        "The header `If-Match` names another version than the present one. Nothing was changed.",
        "Read it again, look at what is new, and send the change with the new `ETag`.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl std::str::FromStr for Code {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = text.trim().to_uppercase();
        let found = Self::ALL.iter().copied().find(|code| code.text() == wanted);
        found.ok_or_else(|| format!("there is no code {text}; codes go from HO0101 to HO1108"))
    }
}
