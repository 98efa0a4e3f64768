//! Writes traces and metrics of a little work into a folder, for packages that read them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "an example fails by panicking")]

use handover_core::{
    agent::{AgentKind, Profile},
    command::{Command, Giving, Open, Update},
    handoff::{Metrics as Used, Outcome, Request, ReturnStatus},
    ids::{AgentId, HandoffId, SessionId},
    policy::Policy,
};
use handover_engine::{Engine, Options};
use handover_telemetry::{
    Metrics, Telemetry, TelemetrySettings,
    metrics::{Metric, Snapshot},
    otlp,
    spans::{ModelOf, Seen, Spans},
};
use serde_json::{Value, json};
use std::{fs, path::PathBuf, time::Duration};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).expect("a folder to write into"));
    let options = Options { policy: Policy::without_guards(), ..Options::default() };
    let engine = Engine::open_with(folder.join("sample.db"), options).await?;
    let telemetry = Telemetry::start(&engine, &TelemetrySettings::default())?;
    let (first, second) = work(&engine).await?;
    telemetry.caught_up().await;
    every_metric(telemetry.metrics());
    let snapshot = telemetry.metrics().read(&engine).await;
    let families = snapshot.iter().filter(|metric| !metric.series.is_empty()).count();
    fs::write(folder.join("families.txt"), families.to_string())?;
    let now = engine.now();
    fs::write(folder.join("metrics.json"), otlp::metrics("sample", &snapshot, now, now).to_string())?;
    fs::write(folder.join("metrics.txt"), handover_telemetry::metrics::text(&snapshot))?;
    fs::write(folder.join("traces.json"), traces(&engine, &[first, second]).await?.to_string())?;
    telemetry.close().await;
    engine.close().await?;
    Ok(())
}

/// One handoff that a model with a tool works on, and one that fails.
async fn work(engine: &Engine) -> Result<(HandoffId, HandoffId), Box<dyn std::error::Error>> {
    let session = SessionId::new("sample")?;
    for name in ["desk", "anna"] {
        engine.register_profile(Profile::named(name)?.kind(AgentKind::Worker)).await?;
    }
    engine.resume_session(&session, Open::by("desk")?).await?;
    let ask = || Request::delegation("desk", "anna", "find a jet", Duration::from_secs(60));
    let anna = AgentId::new("anna")?;
    let used = json!({"input": 12, "cached": 0, "output": 3});
    let steps = [
        ("model/1", json!({"text": "", "calls": [], "stop": "tools", "used": used, "model": "m-1"})),
        ("tool/1/0", json!({"result": {"id": "call_1", "name": "find_jet", "content": "none", "failed": true}})),
    ];
    let mut made = Vec::new();
    for (status, steps) in [(ReturnStatus::Success, &steps[..]), (ReturnStatus::Failed, &[])] {
        let handoff = engine.initiate(&session, ask()?).await?.handoffs[0];
        let held = engine.accept(handoff, &anna, None, None).await?;
        for (name, output) in steps {
            let (name, output) = ((*name).to_owned(), output.clone());
            let command = Command::Record { handoff, lease: held.lease, name, output, messages: Vec::new() };
            engine.submit(&session, command, None).await?;
        }
        let metrics = Used { tokens: 15, cost: 0.5, ..Used::default() };
        let updates = Update { metrics, ..Update::default() };
        let (result, notes) = (Outcome::default(), String::new());
        engine.give_back(handoff, held.lease, Giving { status, result, updates, notes, signal: None }, None).await?;
        made.push(handoff);
    }
    Ok((made[0], made[1]))
}

/// Counts something of each metric that nothing was counted of, so that each is read.
fn every_metric(metrics: &Metrics) {
    metrics.http("GET", "/v1/handoffs/{id}", 200, 0.01);
    let odd = "a \"word\" \\ and\na line";
    for Snapshot { metric, series } in metrics.registry().snapshot() {
        if series.is_empty() && metric != Metric::Refusals {
            metrics.registry().count(metric, &vec![odd; metric.labels().len()]);
        }
    }
}

async fn traces(engine: &Engine, handoffs: &[HandoffId]) -> Result<Value, Box<dyn std::error::Error>> {
    let mut records = Vec::new();
    for handoff in handoffs {
        records.extend(engine.trace(*handoff).await?);
    }
    records.sort_by_key(|record| record.seq);
    let mut spans = Spans::default();
    let mut ended = Vec::new();
    for record in &records {
        let seen =
            Seen { tenant: &record.tenant, session: &record.session_id, at: record.timestamp, event: &record.event };
        ended.extend(spans.fold(seen, &|_| ModelOf { model: Some("m".into()), provider: Some("openai".into()) }));
    }
    Ok(otlp::traces("sample", &ended))
}
