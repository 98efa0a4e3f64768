//! `handover approve` and `handover reject`: a person's word.

use super::{Job, cancel, exit::Stop, ids, input};
use clap::Args;
use handover_core::{
    digest::Digest,
    handoff::Edit,
    ids::AgentId,
    refusal::{Code, Refusal},
};
use serde_json::{Value, json};

/// Arguments of `handover approve`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  handover approve 3f2a
  handover approve 3f2a --to anna --task 'Review the first part only'
  handover approve 3f2a --edit '{\"payload\": {\"seats\": 4}, \"priority\": \"high\"}'

See what waits with `handover approvals`, and all of one with `handover handoffs show ID`.")]
pub struct Approve {
    #[command(flatten)]
    decide: Decide,
    /// To whom it goes instead
    #[arg(long, value_name = "AGENT", help_heading = "Changes")]
    to: Option<String>,
    /// What is to be done instead
    #[arg(long, value_name = "TEXT", help_heading = "Changes")]
    task: Option<String>,
    /// With which data instead
    #[arg(long, value_name = "JSON|@FILE", help_heading = "Changes")]
    payload: Option<String>,
    /// How urgent it is instead
    #[arg(long, value_parser = ["urgent", "high", "normal", "low"], help_heading = "Changes")]
    priority: Option<String>,
    /// The whole change, with to_agent, description, payload and priority; the options above count more
    #[arg(long, value_name = "JSON|@FILE", help_heading = "Changes")]
    edit: Option<String>,
}

/// Arguments of `handover reject`, and of `handover approve` beside its changes.
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
        Ok(Some(serde_json::from_value(json!(text)).map_err(bad)?))
    }
}

impl Approve {
    /// The files that it names.
    pub(crate) fn reads(&self) -> Vec<String> {
        [&self.payload, &self.edit].into_iter().filter_map(|given| input::named(given.as_ref())).collect()
    }

    /// What is changed; nothing where it is approved as it is.
    fn edit(&self, job: &Job<'_>) -> Result<Option<Edit>, Stop> {
        let mut edit = Edit {
            to_agent: self.to.as_deref().map(AgentId::new).transpose()?,
            description: self.task.clone(),
            payload: self.payload.as_deref().map(|given| input::json(job, "payload", given)).transpose()?,
            priority: self.priority.as_ref().and_then(|word| serde_json::from_value(json!(word)).ok()),
        };
        if let Some(given) = &self.edit {
            let whole = read_edit(input::json(job, "edit", given)?)?;
            edit = edit.over(Some(&whole));
            if edit.is_empty() {
                return Err(Stop::refused("--edit changes nothing", "leave it out to approve it as it is"));
            }
        }
        Ok((!edit.is_empty()).then_some(edit))
    }
}

/// A change that was given as a whole.
fn read_edit(given: Value) -> Result<Edit, Refusal> {
    let hint = "an object with to_agent, description, payload and priority; each may be left out";
    if !given.is_object() {
        return Err(Refusal::new(Code::WrongType, "it is no object").at("edit").hint(hint));
    }
    serde_json::from_value(given).map_err(|error| {
        let message = error.to_string();
        let code = match message.split(' ').nth(1) {
            Some("field") => Code::UnknownField,
            Some("variant") => Code::UnknownValue,
            _ => Code::WrongType,
        };
        Refusal::new(code, message).at("edit").hint(hint)
    })
}

pub(crate) async fn approve(args: &Approve, job: &mut Job<'_>) -> Result<(), Stop> {
    let decide = &args.decide;
    let (edit, digest) = (args.edit(job)?, decide.digest()?);
    let id = ids::handoff(job, &decide.id).await?;
    let by = decide.by.as_deref().unwrap_or(job.user);
    let answer = match (edit, digest) {
        (Some(edit), digest) => job.engine.approve_edited(id, by, &decide.comment, digest, edit).await?,
        (None, Some(digest)) => job.engine.approve_exactly(id, by, &decide.comment, digest).await?,
        (None, None) => job.engine.approve(id, by, &decide.comment).await?,
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
