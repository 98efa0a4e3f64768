//! The agents of the child. Each says when it runs, each step when it has its effect and when its record is durable.

use crate::process::say;
use handover::prelude::*;
use serde_json::json;
use std::sync::atomic::{AtomicU64, Ordering};

/// Longer than any test: nothing may end by a timeout.
pub const LONG: Duration = Duration::from_secs(3_600);
const LATER_MS: u64 = 30;

/// Registers all of them.
pub async fn register(engine: &Engine) -> Result<(), HandoffError> {
    let profile = |name: &str| Ok::<_, HandoffError>(Profile::named(name)?.at_once(64));
    engine.register(profile("planner")?, agent(|work| simple(work, &[]))).await?;
    engine.register(profile("worker")?, agent(|work| simple(work, &["one", "two"]))).await?;
    engine.register(profile("helper")?, agent(|work| simple(work, &["help"]))).await?;
    for name in ["left", "middle", "right"] {
        engine.register(profile(name)?, agent(|work| simple(work, &["look"]))).await?;
    }
    engine.register(profile("chief")?, agent(nested)).await?;
    engine.register(profile("guest")?, agent(visit)).await?;
    engine.register(profile("sleeper")?, Sleeper).await?;
    engine.register_profile(profile("puller")?.kind(AgentKind::Worker)).await
}

/// The job that the work belongs to: the last word of its task.
fn tag(work: &Work) -> String {
    work.handoff().request.task.description.rsplit(' ').next().unwrap_or_default().to_owned()
}

fn begin(work: &Work) {
    say(&format!("run {}", work.handoff().id));
}

/// A recorded step whose output nobody else ever has.
async fn step(work: &Work, name: &str) -> Result<String, Failure> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let id = work.handoff().id;
    let effect = || async move {
        say(&format!("effect {id} {name}"));
        Ok(format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst)))
    };
    let value = work.step(name, effect).await?;
    say(&format!("stepped {id} {name} {value}"));
    Ok(value)
}

/// Does its steps and gives their outputs back.
async fn simple(work: Work, steps: &[&str]) -> Result<Done, Failure> {
    begin(&work);
    let mut body = json!({"tag": tag(&work)});
    for name in steps {
        body[*name] = step(&work, name).await?.into();
    }
    Ok(Done::json(body))
}

/// Holds a lock, does a step of its own, and lets a helper do the rest.
async fn nested(work: Work) -> Result<Done, Failure> {
    begin(&work);
    let tag = tag(&work);
    work.lock("draft.md", LockType::Exclusive, 60_000).await?;
    let plan = step(&work, "plan").await?;
    let helping = work.delegate("help", Request::delegation("chief", "helper", &format!("help {tag}"), LONG)?).await?;
    say(&format!("returned {}", helping.handoff_id));
    if helping.status != ReturnStatus::Success {
        return Ok(Done::failed(helping.notes));
    }
    Ok(Done::json(json!({"tag": tag, "plan": plan, "helped": helping.result.body["help"]})))
}

/// Takes the session over and gives it back to the planner in the same step with its result.
async fn visit(work: Work) -> Result<Done, Failure> {
    begin(&work);
    let tag = tag(&work);
    let seen = step(&work, "visit").await?;
    let done = Done::json(json!({"tag": tag, "visit": seen}));
    Ok(done.goto(AgentId::new("planner")?, format!("back {tag}"), "the visit is over"))
}

/// Puts every offer off once: a timer that lives in the store.
struct Sleeper;

#[async_trait::async_trait]
impl Agent for Sleeper {
    async fn consider(&self, offer: &Handoff) -> Reply {
        if offer.deferrals == 0 { Reply::Defer(LATER_MS, "after a nap".into()) } else { Reply::Accept }
    }

    async fn run(&self, work: Work) -> Result<Done, Failure> {
        simple(work, &["awake"]).await
    }
}
