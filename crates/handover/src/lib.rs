//! Handover: a durable handoff engine for AI agents, as a library.
//!
//! A handoff is a durable object with a life of its own: validated, routed, returned for certain, audited before it
//! happens. Everything is in one SQLite file. Kill the process at any moment; the next one goes on.
//!
//! ```no_run
//! use handover::prelude::*;
//!
//! # async fn example() -> Result<(), Failure> {
//! let engine = Engine::open("handover.db").await?;
//! engine.register(Profile::named("planner")?, agent(|_| async { Ok(Done::text("planned")) })).await?;
//! engine.register(Profile::named("writer")?, agent(|_| async { Ok(Done::text("written")) })).await?;
//! let session = SessionId::new("trip-42")?;
//! engine.resume_session(&session, Open::by("planner")?).await?;
//! let request = Request::delegation("planner", "writer", "Write to the client", Duration::from_secs(60))?;
//! let letter = engine.delegate(&session, request.key("letter")).await?;
//! println!("{}", letter.result.body);
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "bus")]
pub use handover_bus as bus;
pub use handover_core as core;
pub use handover_engine as engine;
#[cfg(feature = "mcp")]
pub use handover_mcp as mcp;
pub use handover_store as store;
#[cfg(feature = "telemetry")]
pub use handover_telemetry as telemetry;

pub use handover_core::refusal::{Code, HandoffError, Refusal};
pub use handover_engine::{Engine, Options};

#[cfg(feature = "cli")]
pub mod cli;
pub mod place;
pub mod settings;
#[cfg(feature = "teams")]
pub mod team;
pub mod workflow;
mod yaml;

/// What most programs need.
pub mod prelude {
    pub use handover_core::{
        agent::{AgentKind, Profile, Risk},
        budget::{Budget, Limit, Period, Usage},
        command::{Caller, Command, Giving, Goto, NewArtifact, Open, Turn, Update, Write},
        event::Routed,
        guard::complexity::Complexity,
        handoff::{
            Aggregation, Edit, Handoff, Kind, OnTimeout, Outcome, Priority, Request, Return, ReturnStatus, Rung, Status,
        },
        ids::{AgentId, HandoffId, SessionId},
        message::{NewMessage, Role},
        policy::{ApprovalRule, Approver, Experiment, Mode, OnExpiry, Policy, SessionLimits, Strategy, When},
        refusal::{Code, HandoffError},
        route::{ExperimentReport, Recommendation, Suggestion, SuggestionKind},
        session::{ArtifactStatus, ArtifactType, LockType},
    };
    pub use handover_engine::{
        Engine, EventRule, Filter, HandoffContext, Notice, Options, OutsideEvent, PendingApproval,
        agent::{Agent, Done, Failure, Reply, Work, agent},
        picker::{Meter, Pick, PickCandidate, PickQuestion, Picker},
        verify_export,
    };
    pub use handover_store::{HandoffQuery, RecordQuery};
    pub use std::time::Duration;
}
