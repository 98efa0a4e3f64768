//! `handover give-back` and `handover renew`: the result of work that was taken, or more time for it.

use super::{Job, exit::Stop, ids, input, words};
use clap::Args;
use handover_agents::assignment::{self, Came};
use handover_core::{
    command::Answer,
    handoff::Phase,
    ids::{HandoffId, LeaseId},
    refusal::{Code, Refusal},
};
use serde_json::json;

/// Arguments of `handover give-back`.
#[derive(Debug, Clone, Args)]
pub struct GiveBack {
    /// The handoff, or the beginning of its id
    #[arg(value_name = "ID")]
    id: String,
    /// The lease that `take` gave; the one in force when left out
    #[arg(long, value_name = "LEASE")]
    lease: Option<String>,
    /// What came out: JSON, a file of JSON, or with --text plain words
    #[arg(long, value_name = "JSON|@FILE")]
    result: Option<String>,
    /// What came out, in plain words
    #[arg(long, value_name = "TEXT", conflicts_with = "result")]
    text: Option<String>,
    /// The whole answer as programs write it, such as {"data": …}, {"failed": true}, {"reject": "why"}; `-` reads stdin
    #[arg(long, value_name = "JSON|@FILE|-", conflicts_with_all = ["result", "text", "status", "notes", "signal"])]
    pub(crate) answer: Option<String>,
    /// How it went
    #[arg(long, value_parser = ["success", "partial", "failed"], default_value = "success")]
    status: String,
    /// Anything to add
    #[arg(long, value_name = "TEXT", default_value = "")]
    notes: String,
    /// How a step of a workflow ended, in the words of its rules
    #[arg(long, value_name = "SIGNAL")]
    signal: Option<String>,
}

/// Arguments of `handover renew`.
#[derive(Debug, Clone, Args)]
pub struct Renew {
    /// The handoff, or the beginning of its id
    #[arg(value_name = "ID")]
    id: String,
    /// The lease that `take` gave; the one in force when left out
    #[arg(long, value_name = "LEASE")]
    lease: Option<String>,
}

impl GiveBack {
    /// The files that it names.
    pub(crate) fn reads(&self) -> Vec<String> {
        [&self.result, &self.answer].into_iter().filter_map(|given| input::named(given.as_ref())).collect()
    }
}

pub(crate) async fn renew(args: &Renew, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::handoff(job, &args.id).await?;
    let lease = lease(args.lease.as_deref(), id, job).await?;
    let answer = job.engine.heartbeat(id, lease).await?;
    if job.out.look.json {
        return job.out.json(&answer).await;
    }
    let handoff = job.engine.handoff(id).await?;
    let until = match handoff.phase {
        Phase::Running { lease_until, .. } => job.out.time(lease_until),
        _ => String::new(),
    };
    job.out.line(format!("{}  {} has it until {until}", ids::short(id), handoff.to_agent)).await
}

pub(crate) async fn run(args: &GiveBack, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::handoff(job, &args.id).await?;
    let lease = lease(args.lease.as_deref(), id, job).await?;
    let answer = match &args.answer {
        Some(answer) => as_programs_do(answer, id, lease, job).await?,
        None => by_options(args, id, lease, job).await?,
    };
    if job.out.look.json {
        return job.out.json(&answer).await;
    }
    let handoff = job.engine.handoff(id).await?;
    let status = job.out.paint(words::status_style(handoff.status()), &words::status(handoff.status()));
    let what = if handoff.status().is_closed() {
        format!("given back to {}: {status}", handoff.request.from_agent)
    } else {
        format!("{} → {}  {status}", handoff.request.from_agent, handoff.to_agent)
    };
    job.out.line(format!("{}  {what}", ids::short(id))).await
}

/// Gives back what a document says: the same that programs write.
async fn as_programs_do(given: &str, id: HandoffId, lease: LeaseId, job: &Job<'_>) -> Result<Answer, Stop> {
    let text = match given.strip_prefix('@') {
        Some(path) => input::file(job, path)?,
        None => given.to_owned(),
    };
    let came = assignment::read(&text).map_err(|error| {
        let refusal = Refusal::new(Code::NotJson, error).at("answer");
        refusal.hint("the work is still taken: mend the answer and give it back again")
    })?;
    Ok(match came {
        Came::Declined(why) => job.engine.decline(id, lease, &why).await?,
        Came::Asked(question) => job.engine.ask(id, lease, &question).await?,
        Came::Done(done) => {
            let (giving, then) = done.into_parts();
            job.engine.give_back(id, lease, giving, then).await?
        }
    })
}

async fn by_options(args: &GiveBack, id: HandoffId, lease: LeaseId, job: &Job<'_>) -> Result<Answer, Stop> {
    let result = match (&args.result, &args.text) {
        (Some(given), _) => json!({ "content_type": "json", "body": input::json(job, "result", given)? }),
        (None, Some(text)) => json!({ "content_type": "text", "body": text }),
        (None, None) => json!({}),
    };
    let mut giving = json!({ "status": args.status, "result": result, "notes": args.notes });
    if let Some(signal) = &args.signal {
        giving["signal"] = json!(signal);
    }
    Ok(job.engine.give_back_json(id, lease, &giving.to_string()).await?)
}

/// The lease that was named, or the one of whoever works on it outside of the engine's own process.
async fn lease(given: Option<&str>, id: HandoffId, job: &mut Job<'_>) -> Result<LeaseId, Stop> {
    if let Some(text) = given {
        let bad = |_| Refusal::new(Code::BadText, format!("`{text}` is no lease")).hint("`handover take` shows it");
        return Ok(text.parse().map_err(bad)?);
    }
    let handoff = job.engine.handoff(id).await?;
    match handoff.phase {
        Phase::Running { lease, in_process: false, .. } => Ok(lease),
        Phase::Running { .. } => {
            Err(Refusal::new(Code::StaleLease, format!("{} works on it in its own process", handoff.to_agent)).into())
        }
        Phase::AwaitingApproval { .. } | Phase::Offered { .. } | Phase::Deferred { .. } | Phase::Closed { .. } => {
            let message = format!("nobody has it: it is {}", words::status(handoff.status()));
            let refusal = Refusal::new(Code::StaleLease, message);
            let hint = format!("take it first: handover take {} --as {}", ids::short(id), handoff.to_agent);
            Err(if handoff.status().is_closed() { refusal } else { refusal.hint(hint) }.into())
        }
    }
}
