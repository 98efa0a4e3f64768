//! `handover scripted-model`: a model that answers from a file, over the wire of two providers. For tests and demonstrations.

use super::{exit::Stop, keep, out::Out};
use clap::Args;
use handover_agents::scripted::{self, Script};
use serde_json::json;
use std::{net::SocketAddr, path::PathBuf};

/// Arguments of `handover scripted-model`.
#[derive(Debug, Clone, Args)]
pub struct ScriptedModel {
    /// The file that says who answers what
    #[arg(value_name = "SCRIPT")]
    script: PathBuf,
    /// Where to listen; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
}

pub(crate) async fn run(args: &ScriptedModel, out: &mut Out) -> Result<(), Stop> {
    let script = Script::read(&args.script)
        .map_err(|error| Stop::refused(error.to_string(), "see docs/guides/scripted-model.md"))?;
    let server = scripted::serve(script, args.listen).await.map_err(|error| {
        Stop::trouble(format!("{} cannot be listened at: {error}", args.listen), "choose another one with --listen")
    })?;
    let address = server.address();
    if out.look.json {
        out.json_line(&json!({ "address": address, "openai": format!("http://{address}/v1"), "anthropic": format!("http://{address}") }))
            .await?;
    } else {
        out.line(format!("answering at {address}. In another terminal:")).await?;
        out.line(format!("  export OPENAI_BASE_URL=http://{address}/v1 OPENAI_API_KEY=none")).await?;
        out.line(format!("  export ANTHROPIC_BASE_URL=http://{address} ANTHROPIC_API_KEY=none")).await?;
        out.line("End with Ctrl-C.").await?;
    }
    keep::interrupted().await;
    server.stop().await;
    Ok(())
}
