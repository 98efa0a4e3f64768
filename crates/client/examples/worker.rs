//! A worker in Rust: it registers itself, claims work over HTTP, counts words and gives them back. Ends with Ctrl-C, after
//! what it has begun.
//!
//! ```sh
//! handover serve &
//! cargo run -p handover-client --example worker
//! ```

use handover_client::{Assignment, Client, Worker, done};
use handover_core::{
    agent::{AgentKind, Profile, Risk},
    command::Giving,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::var("HANDOVER_SERVER").unwrap_or_else(|_| "http://127.0.0.1:7800".to_owned());
    let client = Client::new(&url, std::env::var("HANDOVER_KEY").ok().as_deref())?;
    // With a key of its own it may register itself, with the least that there is.
    let mut profile = Profile::named("counter")?.can("count").kind(AgentKind::Worker);
    profile.autonomy_budget.max_risk = Risk::Low;
    client.register(&profile).await?;
    let interrupted = async { drop(tokio::signal::ctrl_c().await) };
    let tally = Worker::new(client, profile.id).run_until(count, interrupted).await?;
    println!("given back: {}, lost: {}", tally.given_back, tally.lost);
    Ok(())
}

async fn count(work: Assignment) -> Result<Giving, String> {
    let text = work.payload()["text"].as_str().ok_or("there is no text to count")?;
    Ok(done(serde_json::json!({ "words": text.split_whitespace().count() })))
}
