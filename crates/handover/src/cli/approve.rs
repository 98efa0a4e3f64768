//! `handover approve` and `handover reject`: a person's word.

use super::{Job, cancel, exit::Stop, ids};
use clap::Args;
use handover_core::{
    digest::Digest,
    refusal::{Code, Refusal},
};

/// Arguments of `handover approve` and `handover reject`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "See what waits with `handover approvals`, and all of one with `handover handoffs show ID`.")]
pub struct Decide {
    /// The handoff, or the beginning of its id
    #[arg(value_name = "ID")]
    id: String,
    /// Who decides; you when left out
    #[arg(long, value_name = "PERSON")]
    by: Option<String>,
    /// A word about it
    #[arg(long, value_name = "TEXT", default_value = "")]
    comment: String,
    /// Only if it is still what was seen: the digest that `approvals --json` shows
    #[arg(long, value_name = "DIGEST")]
    digest: Option<String>,
}

impl Decide {
    fn digest(&self) -> Result<Option<Digest>, Stop> {
        let Some(text) = &self.digest else { return Ok(None) };
        let bad = |_| {
            let refusal = Refusal::new(Code::BadText, format!("`{text}` is no digest")).at("digest");
            refusal.hint("`handover approvals --json` shows it")
        };
        Ok(Some(serde_json::from_value(serde_json::json!(text)).map_err(bad)?))
    }
}

pub(crate) async fn approve(args: &Decide, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::handoff(job, &args.id).await?;
    let by = args.by.as_deref().unwrap_or(job.user);
    let answer = match args.digest()? {
        Some(digest) => job.engine.approve_exactly(id, by, &args.comment, digest).await?,
        None => job.engine.approve(id, by, &args.comment).await?,
    };
    cancel::tell(id, &answer, job).await
}

pub(crate) async fn reject(args: &Decide, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::handoff(job, &args.id).await?;
    let by = args.by.as_deref().unwrap_or(job.user);
    let answer = match args.digest()? {
        Some(digest) => job.engine.deny_exactly(id, by, &args.comment, digest).await?,
        None => job.engine.deny(id, by, &args.comment).await?,
    };
    cancel::tell(id, &answer, job).await
}
