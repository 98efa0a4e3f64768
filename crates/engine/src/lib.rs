//! The engine of Handover: one door for every change, and around it dispatch, timers, the feed and the registry.
//!
//! Record, then act: nothing is answered, offered or published before it is on disk.

mod accounts;
pub mod agent;
mod approvals;
mod audit;
mod bill;
mod breakers;
mod cache;
pub mod clock;
mod commands;
mod conversation;
mod defining;
mod dispatch;
mod engine;
mod events;
mod feed;
mod finish;
mod house;
mod housekeeping;
mod keys;
mod outside;
pub mod picker;
mod reading;
mod registry;
mod routing;
mod session;
mod stats;
mod submit;
pub mod summarizer;
mod timers;
mod verify;
mod waiting;
mod watching;
mod workflows;
mod world;

pub use approvals::PendingApproval;
pub use audit::{ExportVerified, verify_export};
pub use breakers::BreakerView;
pub use conversation::HandoffContext;
pub use engine::{Engine, Options};
pub use events::{EventRule, OutsideEvent};
pub use feed::{BusContext, BusMessage, Filter, Notice, Subscription};
pub use handover_store::{HandoffQuery, Totals};
pub use picker::Picker;
pub use reading::StoryStep;
pub use session::{Assignment, Said};
pub use stats::{AgentStats, ApprovalStats, Latency, PathCount, StatsQuery, StatsReport, WorkflowStats};
pub use summarizer::Summarizer;
pub use verify::Verified;
pub use waiting::GroupReturn;
pub use watching::Counted;
pub use workflows::Start;
