//! What others see of the work: traces and metrics, as Prometheus text and as OpenTelemetry over HTTP.
//!
//! Everything is made from the feed of the engine and from what it counts. Whoever watches slows nobody down: what cannot be
//! sent is dropped and counted. Names and figures leave the house; what anybody said never does.

mod exporter;
pub mod followed;
pub mod metrics;
pub mod otlp;
mod queue;
mod sender;
mod settings;
pub mod span;
pub mod spans;
mod steps;

pub use exporter::{CannotStart, Telemetry};
pub use metrics::Metrics;
pub use settings::{BadSetting, SERVICE, TelemetrySettings};
