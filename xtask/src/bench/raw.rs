//! The peer: a bare loop that writes the same rows through SQLite, in batches of the same size, and does nothing else.

use super::load::{self, text};
use handover::{
    core::{
        agent::{Agents, Known, Profile, Standing},
        command::{Caller, Command, Prepared, Write},
        context,
        decide::{Found, World, decide},
        ids::{RandomIds, SessionId},
        ledger::Ledger,
        policy::Policy,
        session::Session,
        time::Timestamp,
        workflow::Workflows,
    },
    prelude::{AgentId, Open},
    store::{
        Commit,
        sqlite::{Batch, Options, SqliteStore},
    },
};
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

/// Space that the log has from the start, in MiB: as much as the store's own has after a while.
const LOG_MIB: usize = 48;

/// The rows of a run, made beforehand: what opens the sessions, then three commits for each handoff.
pub(super) struct Rows {
    opening: Vec<Commit>,
    steps: Vec<Commit>,
}

struct Maker {
    agents: Agents,
    policy: Policy,
    ledger: Ledger,
    caller: Caller,
    now: i64,
    kept: Vec<handover::core::message::Message>,
}

impl Maker {
    fn new() -> Result<Self, String> {
        let mut agents = Agents::default();
        for name in ["planner", "pilot"] {
            let profile = Profile::named(name).map_err(text)?.at_once(1_000_000);
            agents.put(Arc::new(profile), Standing::Available);
        }
        let caller = Caller::local();
        Ok(Self {
            agents,
            policy: Policy::without_guards(),
            ledger: Ledger::default(),
            caller,
            now: 1_800_000_000_000,
            kept: Vec::new(),
        })
    }

    fn step(
        &mut self,
        id: &SessionId,
        before: Option<&Session>,
        command: Command,
    ) -> Result<(Session, Commit), String> {
        self.now += 1;
        let now = Timestamp(self.now);
        let world = World {
            agents: Known::to(&self.agents, &self.caller.tenant),
            policy: &self.policy,
            ledger: &self.ledger,
            workflows: &Workflows::new(),
            picked: None,
            caller: &self.caller,
            awake_since: now,
            now,
        };
        let decided = decide(id, before, Found::default(), command, &world, &mut RandomIds).map_err(text)?;
        self.kept.extend(decided.messages.iter().cloned());
        let commit = Commit::of(before, &decided, None, Vec::new());
        Ok((decided.session, commit))
    }
}

/// The rows of so many sessions with so many handoffs each, handoff by handoff over all of them.
pub(super) fn make(sessions: usize, handoffs: u64) -> Result<Rows, String> {
    let mut maker = Maker::new()?;
    let mut rows = Rows { opening: Vec::new(), steps: Vec::new() };
    let mut open = Vec::new();
    for i in 0..sessions {
        let id = SessionId::new(format!("raw-{i}")).map_err(text)?;
        maker.kept.clear();
        let session = opening(&mut maker, &id, &mut rows.opening)?;
        open.push((id, session, maker.kept.clone()));
    }
    let pilot = AgentId::new("pilot").map_err(text)?;
    for i in 0..handoffs {
        for (id, session, messages) in &mut open {
            *session = one(&mut maker, id, session, messages, &pilot, i, &mut rows.steps)?;
        }
    }
    Ok(rows)
}

fn opening(maker: &mut Maker, id: &SessionId, rows: &mut Vec<Commit>) -> Result<Session, String> {
    let open = Open::by("planner").map_err(text)?.asking("A jet to Nice on Friday for four");
    let planner = open.active_agent.clone();
    let messages = (0..load::MESSAGES).map(|i| Prepared::from_new(load::message(i))).collect();
    let value = serde_json::json!({"n": 1, "note": "a value of some length"});
    let writes = (0..load::VARIABLES)
        .map(|i| Write { name: format!("v{i}"), value: value.clone(), expected_version: None })
        .collect();
    let mut session = None;
    for command in [Command::Open(open), Command::Say { messages, after: None }, Command::Set { by: planner, writes }] {
        let (next, commit) = maker.step(id, session.as_ref(), command)?;
        rows.push(commit);
        session = Some(next);
    }
    session.ok_or_else(|| "no session was opened".to_owned())
}

fn one(
    maker: &mut Maker,
    id: &SessionId,
    session: &Session,
    messages: &[handover::core::message::Message],
    pilot: &AgentId,
    i: u64,
    rows: &mut Vec<Commit>,
) -> Result<Session, String> {
    let (session, commit) = maker.step(id, Some(session), Command::Initiate(Box::new(load::request(i)?)))?;
    rows.push(commit);
    let handoff = session.open.values().next_back().cloned().ok_or("no handoff was made")?;
    let view = context::build(&handoff.request, &handoff.mark, messages, None);
    let accept = Command::Accept {
        handoff: handoff.id,
        by: pilot.clone(),
        lease_ms: None,
        in_process: false,
        estimated_completion: None,
        manifest: Some(view.manifest),
    };
    let (session, commit) = maker.step(id, Some(&session), accept)?;
    rows.push(commit);
    let lease = session.open.get(&handoff.id).and_then(|h| h.lease()).ok_or("no lease was granted")?;
    let giving = Box::new(load::giving());
    let (session, commit) =
        maker.step(id, Some(&session), Command::Return { handoff: handoff.id, lease, giving, then: None })?;
    rows.push(commit);
    Ok(session)
}

/// Writes the rows in batches of this size, each with a full sync, and gives the steps per second.
pub(super) fn run(folder: &Path, rows: &Rows, batch: usize, time: Duration) -> Result<f64, String> {
    let file = folder.join("raw.db");
    drop(SqliteStore::open(&file, Options::default()).map_err(text)?); // The same schema.
    // Set up as the store sets itself up, and with space in its log from the start.
    let conn = handover::store::sqlite::connect(&file, &Options::default()).map_err(text)?;
    conn.pragma_update(None, "wal_autocheckpoint", 10_000).map_err(text)?;
    settle_log(&file)?;
    for part in rows.opening.chunks(512) {
        write(&conn, part)?;
    }
    let start = Instant::now();
    let mut steps = 0.0;
    for part in rows.steps.chunks(batch.max(1)) {
        write(&conn, part)?;
        #[expect(clippy::cast_precision_loss, reason = "the size of a batch")]
        let written = part.len() as f64;
        steps += written;
        if start.elapsed() > time {
            break;
        }
    }
    Ok(steps / start.elapsed().as_secs_f64())
}

fn settle_log(file: &Path) -> Result<(), String> {
    use std::io::Write as _;
    let mut name = file.as_os_str().to_owned();
    name.push("-wal");
    let mut log = std::fs::OpenOptions::new().append(true).create(true).open(name).map_err(text)?;
    for _ in 0..LOG_MIB {
        log.write_all(&[0; 1024 * 1024]).map_err(text)?;
    }
    log.sync_all().map_err(text)
}

fn write(conn: &rusqlite::Connection, commits: &[Commit]) -> Result<(), String> {
    conn.execute_batch("BEGIN IMMEDIATE").map_err(text)?;
    let mut batch = Batch::begin(conn).map_err(text)?;
    for commit in commits {
        batch.write(commit).map_err(text)?;
    }
    batch.finish().map_err(text)?;
    conn.execute_batch("COMMIT").map_err(text)
}
