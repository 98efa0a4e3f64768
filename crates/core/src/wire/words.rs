//! The fixed sets of words. Each is written once, and a new value of one of the types breaks the build here.

use crate::{
    agent::{AgentKind, Risk},
    budget::Period,
    context::TransferMode,
    handoff::{ContentType, Kind, OnTimeout, Priority, ReturnStatus, Trigger},
    message::Role,
    policy::Strategy,
    session::{ArtifactStatus, ArtifactType},
};

/// A value that is written as one word.
pub(super) trait Word: Copy + 'static {
    /// All words, in the order in which a message lists them.
    const WORDS: &'static [(&'static str, Self)];
    /// Takes the place of a value that cannot be read.
    const STAND_IN: Self;
}

macro_rules! words {
    ($type:ty: $first:ident $first_word:literal $(, $variant:ident $word:literal)*
        $(; also $alias:ident $alias_word:literal)? $(; never $hidden:ident)?) => {
        impl Word for $type {
            const WORDS: &'static [(&'static str, Self)] = &[
                ($first_word, Self::$first),
                $(($word, Self::$variant),)*
                $(($alias_word, Self::$alias),)?
            ];
            const STAND_IN: Self = Self::$first;
        }
        const _: fn($type) = |value| match value {
            <$type>::$first $(| <$type>::$variant)* $(| <$type>::$hidden)? => {}
        };
    };
}

words!(Kind: Sequential "sequential", Delegation "delegation", Broadcast "broadcast", Escalation "escalation");
words!(Trigger: ExplicitRequest "explicit_request", TaskCompletion "task_completion",
    CapabilityMismatch "capability_mismatch", Escalation "escalation", Timeout "timeout", Event "event");
words!(Priority: Urgent "urgent", High "high", Normal "normal", Low "low"; also Urgent "critical");
words!(TransferMode: Full "full", Summary "summary", RelevantOnly "relevant_only");
words!(OnTimeout: Retry "retry", Escalate "escalate", Fail "fail");
words!(Risk: Low "low", Medium "medium", High "high");
words!(Strategy: BestMatch "best_match", LeastLoaded "least_loaded", RoundRobin "round_robin", Semantic "semantic",
    Llm "llm", Learned "learned");
words!(Period: Total "total", Hour "hour", Day "day", Month "month");
words!(Role: System "system", User "user", Assistant "assistant", Tool "tool");
words!(AgentKind: Local "local", Worker "worker", Human "human", Llm "llm", Command "command", Http "http", A2a "a2a");
words!(ContentType: Text "text", Json "json", ArtifactRef "artifact_ref");
words!(ArtifactType: File "file", Code "code", Document "document", TestResult "test_result",
    ReviewComment "review_comment");
words!(ArtifactStatus: Draft "draft", Final "final", Superseded "superseded");
// That time ran out is for the engine to say.
words!(ReturnStatus: Success "success", Partial "partial", Failed "failed"; never Timeout);
