//! The log of a process that runs on: lines to stderr, for people or for programs. No secrets, no words of a conversation.

use super::exit::Stop;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::{Layer as _, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// Begins to write the log.
pub(crate) fn begin(level: Option<&str>, form: Option<&str>) -> Result<(), Stop> {
    let level: LevelFilter = level.unwrap_or("info").parse().map_err(|_| {
        let message = format!("\"{}\" is no level of the log", level.unwrap_or_default());
        Stop::refused(message, "use error, warn, info, debug or off")
    })?;
    // Only what is ours: others may write what they read, such as keys in headers.
    let ours = Targets::new().with_target("handover", level);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    let layer = match form {
        Some("json") => lines.json().flatten_event(true).with_filter(ours).boxed(),
        _ => lines.with_filter(ours).boxed(),
    };
    // A log that was begun before goes on.
    let _ = tracing_subscriber::registry().with(layer).try_init();
    Ok(())
}
