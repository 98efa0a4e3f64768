//! `handover health`: whether a server can take work, for whatever keeps it running.

use super::{
    args::Cli,
    exit::{self, Stop},
    out::Out,
};
use clap::Args;
use handover_client::{Client, Error};
use serde_json::Value;

/// The address that is asked when none is given.
const URL: &str = "http://127.0.0.1:7800";

/// Arguments of `handover health`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  handover health
  handover health https://example.org:7800 --json")]
pub struct Health {
    /// The address of the server; --server or http://127.0.0.1:7800 when left out
    #[arg(value_name = "URL")]
    url: Option<String>,
}

pub(crate) async fn run(args: &Health, cli: &Cli, out: &mut Out) -> Result<(), Stop> {
    let url = args.url.as_deref().or(cli.global.server.as_deref()).unwrap_or(URL);
    // Whoever asks how it is needs no key, and sends none.
    let client = Client::new(url, None).map_err(|error| Stop::refused(error.to_string(), ""))?.tries(1);
    match client.health_told().await {
        Ok(told) if out.look.json => out.json(&told).await,
        Ok(told) => {
            let version = told["version"].as_str().unwrap_or_default();
            out.line(format!("{url} takes work; version {version}{}", beside(&told))).await
        }
        Err(Error::Refused { error, .. }) => Err(Stop::Refused(error)),
        Err(error) => Err(Stop::Plain {
            message: format!("{url} does not answer as it should: {error}"),
            hint: "look at its log".to_owned(),
            exit: exit::TROUBLE,
        }),
    }
}

/// What there is to say besides: a store that is shared, and a bus.
fn beside(told: &Value) -> String {
    let mut said = String::new();
    if told["store"] == "postgres" {
        said += &format!("; postgres, {} nodes", told["nodes"]);
    }
    let bus = &told["bus"];
    match (bus["connected"].as_bool(), bus["lag"].as_u64()) {
        (Some(true), Some(0)) => said += "; the bus is well",
        (Some(true), Some(lag)) => said += &format!("; the bus is {lag} behind"),
        (Some(false), _) => said += "; the bus is away",
        _ => {}
    }
    said
}
