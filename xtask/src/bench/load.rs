//! The load: one durable handoff after another, each of three steps, in sessions with 20 messages and 5 variables.

use handover::prelude::*;
use serde_json::json;
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Instant,
};

pub(super) const MESSAGES: usize = 20;
pub(super) const VARIABLES: usize = 5;

pub(super) async fn open(folder: &Path, sync: bool) -> Result<Engine, String> {
    let options = Options { sync, policy: Policy::without_guards(), ..Options::default() };
    let engine = Engine::open_with(folder.join("bench.db"), options).await.map_err(text)?;
    staff(&engine).await?;
    Ok(engine)
}

/// Registers those who hand over to each other.
pub(super) async fn staff(engine: &Engine) -> Result<(), String> {
    for name in ["planner", "pilot"] {
        let profile = Profile::named(name).map_err(text)?.kind(AgentKind::Worker).at_once(1_000_000);
        engine.register_profile(profile).await.map_err(text)?;
    }
    Ok(())
}

pub(super) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// A session with a conversation of this length.
pub(super) async fn session(engine: &Engine, name: &str, messages: usize) -> Result<SessionId, String> {
    let id = SessionId::new(name).map_err(text)?;
    let open = Open::by("planner").map_err(text)?.asking("A jet to Nice on Friday for four");
    engine.open_session(&id, open).await.map_err(text)?;
    let said: Vec<NewMessage> = (0..messages).map(message).collect();
    for part in said.chunks(500) {
        engine.say(&id, part.to_vec()).await.map_err(text)?;
    }
    let planner = AgentId::new("planner").map_err(text)?;
    let writes = (0..VARIABLES).map(|i| Write {
        name: format!("v{i}"),
        value: json!({"n": i, "note": "a value of some length"}),
        expected_version: None,
    });
    engine.set(&id, &planner, writes.collect()).await.map_err(text)?;
    Ok(id)
}

pub(super) fn message(i: usize) -> NewMessage {
    let role = if i.is_multiple_of(2) { Role::User } else { Role::Assistant };
    let words = ["jet", "Nice", "Friday", "quote", "catering", "crew", "slot", "fuel"];
    let topic = words[i % words.len()];
    NewMessage::new(
        role,
        format!(
            "Message {i}: about the {topic}, we should look at it again before the {topic} is booked, and tell the client what it costs."
        ),
    )
}

pub(super) fn request(i: u64) -> Result<Request, String> {
    let request = Request::delegation("planner", "pilot", "Find a jet for the client", Duration::from_secs(600));
    Ok(request.map_err(text)?.payload(json!({"job": i, "from": "LFPB", "to": "LFMN", "passengers": 4})))
}

pub(super) fn giving() -> Giving {
    Giving {
        status: ReturnStatus::Success,
        result: Outcome { body: json!({"quote": 18_400, "aircraft": "CJ3"}), ..Outcome::default() },
        updates: Update::default(),
        notes: String::new(),
        signal: None,
    }
}

/// One handoff: initiate, accept, complete. Three steps, each on disk when it is answered.
pub(super) async fn handoff(engine: &Engine, session: &SessionId, i: u64) -> Result<(), String> {
    let pilot = AgentId::new("pilot").map_err(text)?;
    let answer = engine.initiate(session, request(i)?).await.map_err(text)?;
    let id = answer.handoffs.first().copied().ok_or("no handoff was made")?;
    let assignment = engine.accept(id, &pilot, None, None).await.map_err(text)?;
    engine.give_back(id, assignment.lease, giving(), None).await.map_err(text)?;
    Ok(())
}

/// What a run with many in flight did.
pub(super) struct Ran {
    pub(super) steps_per_s: f64,
    pub(super) steps_per_batch: f64,
}

/// Keeps this many sessions busy for this time.
pub(super) async fn busy(engine: &Engine, in_flight: usize, time: Duration) -> Result<Ran, String> {
    busy_with(engine, "busy", in_flight, time, |engine, id, _, i| async move { handoff(&engine, &id, i).await }).await
}

/// The same with sessions of this name and another handoff: of the n-th session, for the i-th time.
pub(super) async fn busy_with<W, D>(
    engine: &Engine,
    name: &str,
    in_flight: usize,
    time: Duration,
    work: W,
) -> Result<Ran, String>
where
    W: Fn(Engine, SessionId, usize, u64) -> D + Clone + std::marker::Send + 'static,
    D: Future<Output = Result<(), String>> + std::marker::Send,
{
    let sessions = sessions(engine, name, in_flight).await?;
    keep_busy(engine, sessions, time, work).await
}

/// So many sessions of this name, each with a conversation.
pub(super) async fn sessions(engine: &Engine, name: &str, count: usize) -> Result<Vec<SessionId>, String> {
    let mut sessions = Vec::new();
    for i in 0..count {
        sessions.push(session(engine, &format!("{name}-{i}"), MESSAGES).await?);
    }
    Ok(sessions)
}

/// Keeps these sessions busy for this time.
pub(super) async fn keep_busy<W, D>(
    engine: &Engine,
    sessions: Vec<SessionId>,
    time: Duration,
    work: W,
) -> Result<Ran, String>
where
    W: Fn(Engine, SessionId, usize, u64) -> D + Clone + std::marker::Send + 'static,
    D: Future<Output = Result<(), String>> + std::marker::Send,
{
    let stop = Arc::new(AtomicBool::new(false));
    let steps = Arc::new(AtomicU64::new(0));
    let mut tasks = Vec::new();
    for (n, id) in sessions.into_iter().enumerate() {
        let (engine, stop, steps, work) = (engine.clone(), stop.clone(), steps.clone(), work.clone());
        tasks.push(tokio::spawn(async move {
            let mut i = 0;
            while !stop.load(Ordering::Relaxed) {
                work(engine.clone(), id.clone(), n, i).await?;
                steps.fetch_add(3, Ordering::Relaxed);
                i += 1;
            }
            Ok::<(), String>(())
        }));
    }
    // The first moments warm up caches and fill the queue; they do not count.
    tokio::time::sleep(time / 5).await;
    let (before, batches, start) = (steps.load(Ordering::Relaxed), engine.batches(), Instant::now());
    tokio::time::sleep(time).await;
    let (done, seconds) = (steps.load(Ordering::Relaxed) - before, start.elapsed().as_secs_f64());
    let batches = engine.batches() - batches;
    stop.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.map_err(text)??;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of a few seconds")]
    let (done, batches) = (done as f64, batches as f64);
    Ok(Ran { steps_per_s: done / seconds, steps_per_batch: done / batches.max(1.0) })
}
