//! What several tools take.

use handover_core::{
    agent::Risk,
    command::{Answer, NewArtifact},
    handoff::{self, ReturnStatus},
    ids::HandoffId,
    limits::{MCP_PART_MS, MCP_WAIT_MS_MAX},
    refusal::{Code, HandoffError, Refusal},
    session::{ArtifactStatus, ArtifactType},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Priority {
    #[serde(alias = "critical")]
    Urgent,
    High,
    #[default]
    Normal,
    Low,
}

impl From<Priority> for handoff::Priority {
    fn from(priority: Priority) -> Self {
        match priority {
            Priority::Urgent => Self::Urgent,
            Priority::High => Self::High,
            Priority::Normal => Self::Normal,
            Priority::Low => Self::Low,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum RiskWord {
    #[default]
    Low,
    Medium,
    High,
}

impl From<RiskWord> for Risk {
    fn from(risk: RiskWord) -> Self {
        match risk {
            RiskWord::Low => Self::Low,
            RiskWord::Medium => Self::Medium,
            RiskWord::High => Self::High,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ending {
    #[default]
    Success,
    Partial,
    Failed,
}

impl From<Ending> for ReturnStatus {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Success => Self::Success,
            Ending::Partial => Self::Partial,
            Ending::Failed => Self::Failed,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ArtifactWord {
    #[default]
    File,
    Code,
    Document,
    TestResult,
    ReviewComment,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Finish {
    #[default]
    Draft,
    Final,
    Superseded,
}

/// Something that the work produced: a reference, not the content.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ArtifactForm {
    /// Where it is: a path or a URI.
    pub(super) path: String,
    /// What it is.
    #[serde(rename = "type", default)]
    pub(super) kind: ArtifactWord,
    /// What it is, in a sentence.
    #[serde(default)]
    pub(super) description: String,
    /// How finished it is.
    #[serde(default)]
    pub(super) status: Finish,
}

impl From<ArtifactForm> for NewArtifact {
    fn from(form: ArtifactForm) -> Self {
        Self {
            kind: match form.kind {
                ArtifactWord::File => ArtifactType::File,
                ArtifactWord::Code => ArtifactType::Code,
                ArtifactWord::Document => ArtifactType::Document,
                ArtifactWord::TestResult => ArtifactType::TestResult,
                ArtifactWord::ReviewComment => ArtifactType::ReviewComment,
            },
            path: form.path,
            description: form.description,
            status: match form.status {
                Finish::Draft => ArtifactStatus::Draft,
                Finish::Final => ArtifactStatus::Final,
                Finish::Superseded => ArtifactStatus::Superseded,
            },
        }
    }
}

/// A name of a handoff that may be left out.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Meant {
    /// The handoff. May be left out when you hold exactly one.
    #[serde(default)]
    pub(super) handoff_id: Option<String>,
    /// The lease that you were given. May be left out.
    #[serde(default)]
    pub(super) lease: Option<String>,
}

/// How long this part of a wait is.
pub(super) fn part(asked: Option<u64>, otherwise_ms: u64) -> Result<u64, HandoffError> {
    let ms = asked.map_or(otherwise_ms, |seconds| seconds.saturating_mul(1_000));
    if ms > MCP_WAIT_MS_MAX {
        let max = MCP_WAIT_MS_MAX / 1_000;
        let refusal = Refusal::new(Code::OutOfRange, format!("{} s is longer than {max} s", ms / 1_000));
        let hint = "wait less, and ask again with `handoff_status` or `check_inbox` (MCP_WAIT_MS_MAX)";
        return Err(refusal.at("wait_seconds").hint(hint).into());
    }
    Ok(ms.min(MCP_PART_MS))
}

/// Passes so much time.
pub(super) async fn pause(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

/// The handoff that was begun. Where the session falls back, there is none: the error says why.
pub(super) fn begun(answer: Answer) -> Result<HandoffId, HandoffError> {
    match (answer.handoffs.first(), answer.fallback) {
        (Some(id), _) => Ok(*id),
        (None, Some(error)) => Err(error),
        (None, None) => Err(Refusal::new(Code::UnknownHandoff, "no handoff was made").into()),
    }
}
