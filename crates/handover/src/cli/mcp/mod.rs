//! `handover mcp`: speaks MCP on stdin and stdout, for the agent of one host. Several of these share one database: whoever
//! holds the file answers for the others, and when it ends the next one takes it.

mod line;

use super::{Job, args::Cli, exit::Stop, keep, out::Out};
use clap::Args;
use handover_mcp::{Call, Fault, Front, Way, Ways, carry_out, serve_streams};
use line::Line;
use serde_json::Value;
use std::sync::Arc;

/// Arguments of `handover mcp`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  claude mcp add handover -- handover mcp --agent claude --db ~/handover.db
  handover mcp --agent codex --server https://handover.example.com      (with the key in HANDOVER_KEY)")]
pub struct Mcp {
    /// Which agent the host is; it is registered at first sight. A key that is bound to one agent says it by itself
    #[arg(long, value_name = "NAME", env = "HANDOVER_AGENT", hide_env_values = true)]
    agent: Option<String>,
    /// Carries out one call of another process, as JSON
    #[arg(long, value_name = "JSON", hide = true)]
    call: Option<String>,
}

impl Mcp {
    /// Whether another process asks by it.
    pub(crate) fn is_call(&self) -> bool {
        self.call.is_some()
    }
}

/// Speaks with the host until it has no more to say.
pub(crate) async fn run(cli: &Cli, args: &Mcp, out: &mut Out) -> Result<(), Stop> {
    let line = Arc::new(Line::begin(cli, args.agent.clone(), out).await?);
    let way: Arc<dyn Way> = line.clone();
    let ways: Ways = Arc::new(move |_| Ok(way.clone()));
    let served = tokio::select! {
        served = serve_streams(Front::new(ways), tokio::io::stdin(), tokio::io::stdout()) => served,
        () = keep::interrupted() => Ok(()),
        () = line.look_after() => Ok(()),
    };
    line.end().await?;
    served.map_err(|why| Stop::refused(why, "a host begins with `initialize`, or with `server/discover`"))
}

/// Carries out a call of another process, which speaks with its host.
pub(crate) async fn carry(args: &Mcp, job: &mut Job<'_>) -> Result<(), Stop> {
    let Some(text) = &args.call else {
        return Err(Stop::refused("this command needs no database", ""));
    };
    let call: Call = serde_json::from_str(text)
        .map_err(|error| Stop::refused(format!("the call cannot be read: {error}"), "use the same version"))?;
    let answer: Result<Value, Fault> = Box::pin(carry_out(job.engine, call)).await;
    job.out.json_line(&answer).await
}
