//! `handover keys`: who may come in from outside, as what, and for how long.

use super::{
    Job,
    args::Access,
    exit::Stop,
    paint::{Style, tame},
    table::{Table, column},
    times,
    words::cell,
};
use clap::{Args, Subcommand};
use handover_core::{
    access::{KeyId, KeyInfo, NewKey, Role},
    ids::{AgentId, SessionId},
    refusal::{Code, HandoffError, Refusal},
    time::Timestamp,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Arguments of `handover keys`.
#[derive(Debug, Clone, Args)]
#[command(disable_help_subcommand = true)]
pub struct Keys {
    #[command(subcommand)]
    command: Option<Action>,
}

#[derive(Debug, Clone, Subcommand)]
enum Action {
    /// List all keys, without their secrets (the default)
    List,
    /// Make a key; its secret is shown this once
    Make(Box<Make>),
    /// Take a key back, at once and for good
    Revoke {
        /// The id of the key
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Make a new key of the same scope in place of another
    Rotate(Rotate),
}

#[derive(Debug, Clone, Args)]
struct Make {
    /// What people call it
    #[arg(value_name = "NAME")]
    name: String,
    /// What it may do: viewers read, agents work for themselves, operators run the work, administrators everything
    #[arg(long, value_name = "ROLE", value_parser = ["admin", "operator", "agent", "viewer"])]
    role: String,
    /// Whose sessions it opens
    #[arg(long, value_name = "TENANT", default_value = "default")]
    tenant: String,
    /// An agent that it speaks for, as often as needed; everybody when left out
    #[arg(long = "agent", value_name = "AGENT")]
    agents: Vec<String>,
    /// A session that exists for it, as often as needed; all of its tenant when left out
    #[arg(long = "session", value_name = "SESSION")]
    sessions: Vec<String>,
    /// When its time is over: 30d
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,
    /// Requests that it may make in a second
    #[arg(long, value_name = "N")]
    per_second: Option<u32>,
    /// It is of the house: it sees the agents of all tenants, and changes what all of them share
    #[arg(long)]
    house: bool,
}

#[derive(Debug, Clone, Args)]
struct Rotate {
    /// The id of the key
    #[arg(value_name = "ID")]
    id: String,
    /// How long the old one still counts: 1h; it ends at once when left out
    #[arg(long, value_name = "TIME", default_value = "0s")]
    grace: String,
}

impl Keys {
    pub(crate) fn access(&self) -> Access {
        match &self.command {
            None | Some(Action::List) => Access::Look,
            Some(Action::Make(_)) => Access::Make,
            Some(Action::Revoke { .. } | Action::Rotate(_)) => Access::Change,
        }
    }
}

pub(crate) async fn run(args: &Keys, job: &mut Job<'_>) -> Result<(), Stop> {
    match &args.command {
        None | Some(Action::List) => list(job).await,
        Some(Action::Make(args)) => make(args, job).await,
        Some(Action::Revoke { id }) => revoke(id, job).await,
        Some(Action::Rotate(args)) => rotate(args, job).await,
    }
}

async fn list(job: &mut Job<'_>) -> Result<(), Stop> {
    let keys = job.engine.keys().await?;
    let (now, used) = (job.engine.now(), job.engine.keys_used()?);
    if job.out.look.json {
        let all: Vec<Value> = keys.iter().map(|key| as_json(key, now, used.get(&key.id))).collect();
        return job.out.json(&all).await;
    }
    if keys.is_empty() {
        return job.out.note("no keys yet; make one: handover keys make NAME --role viewer").await;
    }
    let columns = [
        column("KEY"),
        column("NAME").text(),
        column("ROLE"),
        column("TENANT").rank(2),
        column("FOR").rank(3).text(),
        column("STANDS"),
    ];
    let mut table = Table::new(&columns);
    for key in &keys {
        let style = if key.ended(now).is_some() { Style::Dim } else { Style::Green };
        table.row([
            (key.id.to_string(), Style::Bold),
            cell(tame(&key.name)),
            cell(key.role),
            cell(if key.house { format!("{}, house", key.tenant) } else { key.tenant.clone() }),
            cell(scope(key)),
            (standing(job, key, now), style),
        ]);
    }
    table.write(job.out).await
}

async fn make(args: &Make, job: &mut Job<'_>) -> Result<(), Stop> {
    let new = asked(args, job.engine.now())?;
    let (key, secret) = job.engine.make_key(new).await?;
    shown(&key, &secret, job).await
}

async fn revoke(id: &str, job: &mut Job<'_>) -> Result<(), Stop> {
    let key = job.engine.revoke_key(&key_id(id)?).await?;
    if job.out.look.json {
        return job.out.json(&as_json(&key, job.engine.now(), None)).await;
    }
    job.out.line(format!("{} is revoked: nobody comes in with it any more", key.id)).await
}

async fn rotate(args: &Rotate, job: &mut Job<'_>) -> Result<(), Stop> {
    let grace_ms = times::parse_length(&args.grace).map_err(|refusal| refusal.at("--grace"))?;
    let old = key_id(&args.id)?;
    let (key, secret) = job.engine.rotate_key(&old, grace_ms).await?;
    shown(&key, &secret, job).await?;
    let end = if grace_ms == 0 { "has ended".to_owned() } else { format!("ends in {}", times::length(grace_ms)) };
    job.out.note(format!("the old key {old} {end}")).await
}

/// Shows a new key: its secret is the one line of data.
async fn shown(key: &KeyInfo, secret: &str, job: &mut Job<'_>) -> Result<(), Stop> {
    if job.out.look.json {
        let mut value = as_json(key, job.engine.now(), None);
        value["secret"] = json!(secret);
        return job.out.json(&value).await;
    }
    job.out.line(secret).await?;
    let of = if key.house { "the house and of tenant" } else { "tenant" };
    let note = format!("key {} of {of} {}: {}, for {}", key.id, key.tenant, key.role, scope(key));
    job.out.note(note).await?;
    job.out.note("this is shown once; send it as `Authorization: Bearer KEY`, or set HANDOVER_KEY").await
}

fn asked(args: &Make, now: Timestamp) -> Result<NewKey, HandoffError> {
    let role: Role = args.role.parse().map_err(|why: String| Refusal::new(Code::UnknownValue, why).at("--role"))?;
    let agents = args.agents.iter().map(AgentId::new).collect::<Result<Vec<_>, _>>()?;
    let sessions = args.sessions.iter().map(SessionId::new).collect::<Result<BTreeSet<_>, _>>()?;
    let length = args.expires.as_deref().map(times::parse_length).transpose();
    let length = length.map_err(|refusal| refusal.at("--expires"))?;
    Ok(NewKey {
        tenant: Some(args.tenant.clone()),
        house: args.house,
        agents: Some(agents).filter(|agents| !agents.is_empty()),
        sessions: Some(sessions).filter(|sessions| !sessions.is_empty()),
        expires_at: length.map(|ms| now + ms),
        per_second: args.per_second,
        ..NewKey::of(&args.name, role)
    })
}

fn key_id(text: &str) -> Result<KeyId, Refusal> {
    let hint = "`handover keys list` shows them";
    text.trim().parse().map_err(|why: String| Refusal::new(Code::UnknownKey, why).hint(hint))
}

fn as_json(key: &KeyInfo, now: Timestamp, used: Option<&Timestamp>) -> Value {
    let mut value = json!(key);
    value["valid"] = json!(key.ended(now).is_none());
    if let Some(used) = used {
        value["last_used"] = json!(used);
    }
    value
}

fn scope(key: &KeyInfo) -> String {
    let agents = key.agents.iter().flatten().map(ToString::to_string);
    let sessions = key.sessions.iter().flatten().map(|id| format!("session {id}"));
    let parts: Vec<String> = agents.chain(sessions).collect();
    if parts.is_empty() { "all".to_owned() } else { parts.join(", ") }
}

fn standing(job: &Job<'_>, key: &KeyInfo, now: Timestamp) -> String {
    let by = key.replaced_by.as_ref().map(|by| format!(", replaced by {by}")).unwrap_or_default();
    match (key.ended(now), key.expires_at) {
        (Some(denial), _) => format!("{}{by}", denial.word()),
        (None, Some(at)) => format!("until {}{by}", job.out.time(at)),
        (None, None) => "valid".to_owned(),
    }
}
