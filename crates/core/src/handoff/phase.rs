//! Where a handoff stands. Every open phase has a time at which something must happen.

use crate::{ids::LeaseId, time::Timestamp};
use serde::{Deserialize, Serialize};

/// Where a handoff stands, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A person has to say yes.
    AwaitingApproval,
    /// Somebody is asked to take it.
    Offered,
    /// It will be offered again later: the agent put it off, or a retry waits.
    Deferred,
    /// Somebody works on it.
    Running,
    /// Done, wholly or in part.
    Completed,
    /// Tried, and failed.
    Failed,
    /// Time ran out.
    TimedOut,
    /// It went up the chain as a new handoff.
    Escalated,
    /// Denied, expired, taken back or no longer needed.
    Cancelled,
}

impl Status {
    /// All of them, in the order of the lifecycle.
    pub const ALL: [Self; 9] = [
        Self::AwaitingApproval,
        Self::Offered,
        Self::Deferred,
        Self::Running,
        Self::Completed,
        Self::Failed,
        Self::TimedOut,
        Self::Escalated,
        Self::Cancelled,
    ];

    /// Its word, as it is stored and shown.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::AwaitingApproval => "awaiting_approval",
            Self::Offered => "offered",
            Self::Deferred => "deferred",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Escalated => "escalated",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing more can happen to it.
    #[must_use]
    pub fn is_closed(self) -> bool {
        match self {
            Self::AwaitingApproval | Self::Offered | Self::Deferred | Self::Running => false,
            Self::Completed | Self::Failed | Self::TimedOut | Self::Escalated | Self::Cancelled => true,
        }
    }
}

/// Where a handoff stands, with what matters there. Every open phase has a time at which something must happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum Phase {
    /// A person has to say yes before `until`.
    AwaitingApproval {
        /// When it expires.
        until: Timestamp,
    },
    /// `to_agent` is asked to take it before `until`.
    Offered {
        /// Since when.
        since: Timestamp,
        /// When it counts as not acknowledged.
        until: Timestamp,
    },
    /// It will be offered again at `until`.
    Deferred {
        /// When.
        until: Timestamp,
    },
    /// Somebody works on it.
    Running {
        /// The lease that fences its writes.
        lease: LeaseId,
        /// When the lease ends unless it is renewed.
        lease_until: Timestamp,
        /// How long each renewal lasts, in milliseconds.
        lease_ms: u64,
        /// Whether the holder lives in the engine's own process and dies with it.
        in_process: bool,
        /// When it must be done.
        deadline: Timestamp,
        /// After the reminder: when the timeout policy acts.
        grace_until: Option<Timestamp>,
    },
    /// Nothing more can happen to it.
    Closed {
        /// How it ended.
        status: Status,
    },
}

impl Phase {
    /// When its window is over, or its work must be done; nothing when it is closed.
    #[must_use]
    pub fn end(&self) -> Option<Timestamp> {
        match self {
            Self::AwaitingApproval { until } | Self::Offered { until, .. } | Self::Deferred { until } => Some(*until),
            Self::Running { deadline, .. } => Some(*deadline),
            Self::Closed { .. } => None,
        }
    }

    /// Until when its work must be done, or somebody must have answered; after a reminder, when the time that it gave is over. A
    /// lease is renewed for as long as its holder is there: it says nothing of how much time is left.
    #[must_use]
    pub fn left_until(&self) -> Option<Timestamp> {
        match self {
            Self::Running { grace_until: Some(until), .. } => Some(*until),
            Self::AwaitingApproval { .. }
            | Self::Offered { .. }
            | Self::Deferred { .. }
            | Self::Running { grace_until: None, .. }
            | Self::Closed { .. } => self.end(),
        }
    }
}
