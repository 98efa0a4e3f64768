//! The demo: a charter request goes from agent to agent, live in the terminal, and ends by itself.

use handover::prelude::*;
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

const REQUESTS: [(&str, &str); 3] = [
    ("request-1", "Jane Miller: four people from Paris to Nice on Friday"),
    ("request-2", "Six people from Zurich to Ibiza, as soon as possible"),
    ("request-3", "Omar Haddad: two people from London to Geneva, at night"),
];

/// The market is down for the first call, so that a failure can be seen to be mended.
static MARKET_CALLS: AtomicU32 = AtomicU32::new(0);

pub(crate) async fn run(file: Option<&str>) -> Result<(), HandoffError> {
    let kept = file.map(PathBuf::from);
    let path =
        kept.clone().unwrap_or_else(|| std::env::temp_dir().join(format!("handover-demo-{}.db", std::process::id())));
    let engine = Engine::open(&path).await?;
    team(&engine).await?;
    println!("A team of five agents, three requests at once. Every line below is on disk before you read it.\n");
    let watcher = tokio::spawn(watch(engine.subscribe(Filter::default(), None)));
    let mut asked = Vec::new();
    for (name, text) in REQUESTS {
        let (engine, name, text) = (engine.clone(), name.to_owned(), text.to_owned());
        asked.push(tokio::spawn(async move { ask(&engine, &name, &text).await }));
    }
    let mut letters = Vec::new();
    for (task, (name, _)) in asked.into_iter().zip(REQUESTS) {
        let joined = task.await.map_err(|error| handover::store::StoreError::Failed(error.to_string()))?;
        letters.push((name, joined?));
    }
    let verified = engine.verify().await?;
    let stats = engine.stats().await?;
    engine.close().await?;
    // The feed has ended with the engine; what is left of it is printed first.
    let _ = watcher.await;
    println!();
    for (name, letter) in letters {
        println!("{name}: {}", letter.result.body.as_str().unwrap_or("no letter"));
    }
    println!("\n{} handoffs, {} records; the trail is verified.", stats.total_handoffs, verified.records);
    say_where(&path, kept.is_some());
    Ok(())
}

fn say_where(path: &Path, kept: bool) {
    println!("\nThe database with the audit trail: {}", path.display());
    println!("Check it again:                    cargo run -- verify {}", path.display());
    if kept {
        println!("Run the demo on it again:          the requests are done, and nothing is done twice.");
    }
    println!("There is no dashboard yet; the view `agent_handoffs` in the file is readable with any SQLite tool.");
}

async fn ask(engine: &Engine, name: &str, text: &str) -> Result<Return, HandoffError> {
    let session = SessionId::new(name)?;
    engine.resume_session(&session, Open::by("desk")?.asking(text)).await?;
    let request = Request::delegation("desk", "orchestrator", text, Duration::from_secs(60))?;
    let request = request.because("a client asks for a charter").payload(json!({ "rfp": text }));
    engine.delegate(&session, request.key("charter")).await
}

async fn team(engine: &Engine) -> Result<(), HandoffError> {
    engine.register_profile(Profile::named("desk")?).await?;
    engine.register(Profile::named("orchestrator")?.at_once(4), agent(orchestrate)).await?;
    let client_data = agent(|work: Work| async move { Ok(Done::json(client_of(&work))) });
    engine.register(Profile::named("client-data")?.can("clients").at_once(4), client_data).await?;
    engine.register(Profile::named("flight-search")?.can("flights").at_once(4), agent(search)).await?;
    engine.register(Profile::named("proposal-analysis")?.can("ranking").at_once(4), agent(rank)).await?;
    engine.register(Profile::named("communication")?.can("letters").at_once(4), agent(write)).await
}

/// Asks the specialists one after the other. Each answer is recorded: after a crash only what is missing is asked again.
async fn orchestrate(work: Work) -> Result<Done, Failure> {
    let rfp = work.payload()["rfp"].clone();
    let client = part(&work, "clients", "Look the client up", json!({ "rfp": rfp })).await?;
    let quotes = part(&work, "flights", "Find quotes", json!({ "rfp": rfp })).await?;
    let ranked = part(&work, "ranking", "Rank the quotes", quotes).await?;
    let letter = part(&work, "letters", "Write to the client", json!({ "client": client, "best": ranked[0] })).await?;
    Ok(Done::text(letter.as_str().unwrap_or_default()))
}

async fn part(work: &Work, capability: &str, task: &str, payload: Value) -> Result<Value, Failure> {
    for attempt in 1..=3 {
        let request = Request::delegation_by("orchestrator", capability, task, Duration::from_secs(20))?;
        let name = format!("{capability}-{attempt}");
        let result = work.delegate(&name, request.payload(payload.clone())).await?;
        if result.status == ReturnStatus::Success {
            return Ok(result.result.body);
        }
    }
    Err(format!("{task}: failed three times").into())
}

fn client_of(work: &Work) -> Value {
    let rfp = work.payload()["rfp"].as_str().unwrap_or_default();
    match rfp.split_once(':') {
        Some((name, _)) => json!(name),
        None => json!("client"),
    }
}

async fn search(work: Work) -> Result<Done, Failure> {
    if MARKET_CALLS.fetch_add(1, Ordering::SeqCst) == 0 && !work.resumed() {
        return Err("the charter market does not answer".into());
    }
    let seats = work.payload()["rfp"].as_str().map_or(4, |rfp| 2 + rfp.len() % 5);
    let quote =
        |operator: &str, price: usize, safety: u32| json!({"operator": operator, "price": price, "safety": safety});
    let base = 3_000 * seats;
    Ok(Done::json(json!([
        quote("Alpine Jets", base + 900, 97),
        quote("Blue Charter", base, 82),
        quote("Nord Air", base + 400, 93),
    ])))
}

async fn rank(work: Work) -> Result<Done, Failure> {
    let mut quotes = work.payload().as_array().cloned().unwrap_or_default();
    // A point of safety is worth a hundred.
    let worth = |quote: &Value| quote["safety"].as_i64().unwrap_or(0) * 100 - quote["price"].as_i64().unwrap_or(0);
    quotes.sort_by_key(|quote| std::cmp::Reverse(worth(quote)));
    Ok(Done::json(Value::Array(quotes)))
}

async fn write(work: Work) -> Result<Done, Failure> {
    let (client, best) = (&work.payload()["client"], &work.payload()["best"]);
    let (client, operator) = (client.as_str().unwrap_or("client"), best["operator"].as_str().unwrap_or("nobody"));
    Ok(Done::text(format!("Dear {client}, we propose {operator} for {} EUR.", best["price"])))
}

async fn watch(mut feed: handover::engine::Subscription) {
    while let Ok(Some(notice)) = feed.next().await {
        if let Notice::Event(event) = notice {
            tell(&event);
        }
    }
}

fn tell(event: &handover::engine::BusMessage) {
    let (Some(from), Some(to)) = (&event.source_agent, &event.target_agent) else { return };
    let word = match event.kind.as_str() {
        "AGENT_HANDOFF" => "offered",
        "TASK_STARTED" => "taken",
        "TASK_COMPLETED" => "answered",
        "TASK_FAILED" => "FAILED",
        _ => return,
    };
    let time = event.timestamp.to_string();
    let time = time.get(11..23).unwrap_or_default();
    let path = format!("{from} → {to}");
    println!("{time}  {:<10} {path:<34} {word}", event.context.session_id.as_str());
}
