//! `handover migrate`: a whole installation from a file into a database of PostgreSQL, checked record by record.

use super::{args::Cli, door, exit::Stop, out::Out, words::count};
use crate::place::Place;
use clap::Args;
use handover_core::refusal::HandoffError;
use handover_engine::Options;
use handover_store::{
    Copied, Hooks, Store, StoreError, copy,
    postgres::{self, PostgresStore},
    sqlite::{self, SqliteStore},
};
use serde_json::json;
use std::path::PathBuf;

/// Arguments of `handover migrate`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Nothing may work on the file meanwhile, and the database must be empty. What the file holds stays as it is; one of an earlier
version is brought to this one first, as whenever it is opened: keep a copy if you want to go back.

Examples:
  createdb handover && handover migrate --from handover.db --to postgres://handover@localhost/handover")]
pub struct Migrate {
    /// The file
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    /// The database; better in HANDOVER_TO where it has a password: other users of the machine see what is typed
    #[arg(long, value_name = "ADDRESS", env = "HANDOVER_TO", hide_env_values = true)]
    to: Place,
}

pub(crate) async fn run(cli: &Cli, args: &Migrate, out: &mut Out) -> Result<(), Stop> {
    let Place::Postgres(address) = &args.to else {
        let hint = "name it as --to postgres://name:password@host:port/database";
        return Err(Stop::refused("an installation is moved into a database of PostgreSQL", hint));
    };
    if !args.from.is_file() {
        return Err(Stop::refused(format!("there is no database {}", args.from.display()), "look at --from"));
    }
    let node = cli.node(None);
    out.progress(&format!("opening {} and {}", args.from.display(), args.to)).await?;
    let path = args.from.clone();
    let opened = tokio::task::spawn_blocking(move || SqliteStore::open(&path, sqlite::Options::default())).await;
    let from = opened.unwrap_or_else(|error| Err(StoreError::Failed(error.to_string()))).map_err(refused);
    let from = from.map_err(|stop| door::in_use(stop, "end the process that has it, and migrate again"))?;
    let options = postgres::Options { address: address.clone(), name: node.clone(), hooks: Hooks::default() };
    let to = PostgresStore::open(options).await;
    let to = to.map_err(|error| Stop::from(args.to.with_hint(HandoffError::from(error))))?;
    out.progress("copying; this takes a while for a large installation").await?;
    let copied = copy(&from, &to).await;
    let (left, closed) = (from.close().await, to.close().await);
    out.progress_over().await?;
    let copied = copied.map_err(refused)?;
    left.map_err(refused)?;
    closed.map_err(refused)?;
    checked(args, &node, &copied, out).await
}

/// Checks the whole chain in the database, and says what there is.
async fn checked(args: &Migrate, node: &str, copied: &Copied, out: &mut Out) -> Result<(), Stop> {
    out.progress("checking every record in the database").await?;
    let options = Options { background: false, take_up: false, ..Options::default() };
    let engine = args.to.open(node, options).await?;
    let found = engine.verify().await;
    engine.close().await?;
    out.progress_over().await?;
    let found = found.map_err(not_as_it_was)?;
    let (records, wanted) = (found.records, copied.rows("records"));
    if records != wanted {
        let message = format!("{wanted} records were copied, and {records} are in the database");
        return Err(Stop::trouble(message, "empty the database and migrate again; the file is as it was"));
    }
    if out.look.json {
        let tables: serde_json::Map<_, _> =
            copied.tables.iter().map(|(name, n)| ((*name).to_owned(), json!(n))).collect();
        let value = json!({ "to": args.to.to_string(), "tables": tables, "last_position": copied.last_position, "verified": found });
        return out.json(&value).await;
    }
    let parts = [
        count(found.sessions, "session"),
        count(records, "record"),
        count(found.messages, "message"),
        count(copied.rows("handoffs"), "handoff"),
    ];
    out.line(format!("{} are in {}: all as they were written", parts.join(", "), args.to)).await?;
    out.note(format!(
        "work with it from now on: --store {}, or HANDOVER_STORE; {} is left as it is",
        args.to,
        args.from.display()
    ))
    .await
}

/// What is copied is there by now, and must not be taken for a whole.
fn not_as_it_was(mut error: HandoffError) -> Stop {
    for refusal in error.refusals.iter_mut().filter(|refusal| refusal.hint.is_empty()) {
        "do not work with this database: empty it, take the file from a backup, and migrate again"
            .clone_into(&mut refusal.hint);
    }
    Stop::from(error)
}

fn refused(error: StoreError) -> Stop {
    Stop::from(HandoffError::from(error))
}
