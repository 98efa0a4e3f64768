//! The process that is killed: an engine, its agents, and clients that work at the same time.

use crate::{
    agents, client,
    process::{Plan, say},
};
use handover::{engine::StatsQuery, prelude::*, store::Retention};

/// Whatever belongs to a session that is over may be removed at once; those of the clients go on for ever.
pub fn options() -> Options {
    let retention = Retention { active_ms: 0, completed_ms: 0, escalation_ms: 0 };
    Options { retention, policy: handover::core::policy::Policy::without_guards(), ..Options::default() }
}

/// Runs until all is done, the disk fails, or somebody kills it.
pub fn run(plan: &Plan) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        match work(plan).await {
            Ok(()) => say("finished"),
            Err(error) => say(&format!("refused {}", error.code())),
        }
    });
}

async fn work(plan: &Plan) -> Result<(), HandoffError> {
    let engine = Engine::connect(&plan.store(), options()).await?;
    say("opened");
    let ended = drive(&engine, plan).await;
    if let Err(error) = &ended {
        assert_eq!(error.code(), Code::StoreStopped, "{error}");
        after_the_stop(&engine, plan.clients).await;
    }
    // Nothing of what runs here may keep a stopped engine from closing.
    engine.close().await?;
    ended
}

async fn drive(engine: &Engine, plan: &Plan) -> Result<(), HandoffError> {
    agents::register(engine).await?;
    let clients = (0..plan.clients).map(|number| {
        let (engine, jobs, pulls) = (engine.clone(), plan.jobs, number < plan.pullers);
        tokio::spawn(async move { client::Client::begin(engine, number, pulls).await?.work(jobs).await })
    });
    let mut ended = Ok(());
    for client in clients.collect::<Vec<_>>() {
        let result = client.await.expect("a client does not panic");
        if let Err(error) = &result {
            say(&format!("refused {}", error.code()));
        }
        ended = ended.and(result);
    }
    ended?;
    tour(engine).await
}

/// All else that the store is asked, so that every place of it is passed.
async fn tour(engine: &Engine) -> Result<(), HandoffError> {
    let planner = AgentId::new("planner")?;
    let session = client::session(0);
    assert!(engine.waiting_returns(&planner, 10).await?.is_empty(), "every return was taken");
    let counted = engine.get_handoff_count(&session, None, None).await?;
    assert_eq!(counted, engine.session(&session).await?.handoffs);
    assert!(engine.stats().await?.total_handoffs >= counted);
    assert!(engine.stats_of(StatsQuery::default()).await?.looked_at >= counted);
    let last = engine.get_last_handoff(&session).await?.map(|handoff| handoff.id);
    if let Some(last) = last {
        assert_eq!(engine.handoffs_between(last, last, 10).await?, [last]);
    }
    engine.messages(&session, 1, 10).await?;
    engine.verify().await?;
    let old = SessionId::new(format!("old-{}", std::process::id()))?;
    engine.open_session(&old, Open::by("planner")?).await?;
    engine.submit(&old, Command::End { by: planner, reason: "over".into() }, None).await?;
    assert!(engine.enforce_retention().await? > 0, "the session that is over");
    Ok(())
}

/// The disk has failed: nothing more is written, and everything can be read.
async fn after_the_stop(engine: &Engine, clients: u64) {
    assert!(engine.stopped().is_some());
    let error = engine.register_profile(Profile::named("late").unwrap()).await.unwrap_err();
    assert!(error.has(Code::StoreStopped), "{error}");
    engine.stats().await.expect("reading goes on");
    for session in (0..clients).map(client::session) {
        match engine.get_handoff_history(&session).await {
            Ok(_) => {}
            Err(error) => assert_eq!(error.code(), Code::UnknownSession, "reading goes on"),
        }
    }
}
