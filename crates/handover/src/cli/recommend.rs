//! `handover recommend`: who would be good for a task, and why. Nothing is handed over.

use super::{
    Job,
    exit::Stop,
    ids,
    paint::{Style, tame},
};
use clap::Args;
use handover_core::ids::SessionId;

/// Arguments of `handover recommend`.
#[derive(Debug, Clone, Args)]
pub struct Recommend {
    /// What is to be done, in words
    #[arg(value_name = "TASK")]
    task: String,
    /// The session it belongs to; the latest when left out. Its owner is not recommended
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 5)]
    limit: usize,
}

pub(crate) async fn run(args: &Recommend, job: &mut Job<'_>) -> Result<(), Stop> {
    let session = session(args, job).await?;
    let found = job.engine.recommend(&session, &args.task, args.limit).await?;
    if job.out.look.json {
        return job.out.json(&found).await;
    }
    if found.is_empty() {
        return job.out.note("nobody suits; `handover agents` shows who is there and can take work").await;
    }
    for one in &found {
        let agent = job.out.paint(Style::Bold, one.agent.as_str());
        job.out.line(format!("{agent}  {:.2}", one.score)).await?;
        for reason in &one.reasons {
            job.out.line(format!("  {}", tame(reason))).await?;
        }
    }
    Ok(())
}

async fn session(args: &Recommend, job: &mut Job<'_>) -> Result<SessionId, Stop> {
    if let Some(text) = &args.session {
        return ids::session(job, text).await;
    }
    let latest = job.engine.sessions(0, 1).await?.into_iter().next();
    let latest = latest.ok_or_else(|| {
        Stop::refused("there is no session yet", "open one: handover sessions open SESSION --by AGENT")
    })?;
    let owner = job.engine.session(&latest).await?.active_agent.clone();
    job.out.note(format!("for session {latest}, whose owner {owner} is left out; --session names another")).await?;
    Ok(latest)
}
