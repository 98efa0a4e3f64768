//! The line from a host to whoever has the engine: this process, another one of this machine, or a server. A call that was
//! lost on its way is passed on again; its key makes that harmless.

use crate::cli::{
    args::{Cli, Hidden},
    away, desk, door,
    exit::{GOOD, Stop},
    node,
    out::{Frame, Look, Out},
    staff,
};
use async_trait::async_trait;
use handover_agents::staff::Staff;
use handover_client::Client;
use handover_core::limits::{DESK_FRAMES_MAX, MCP_LOOK_MS, MCP_REACH_MS};
use handover_engine::Engine;
use handover_mcp::{Call, Fault, Way, What, carry_out};
use serde_json::Value;
use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    sync::{Mutex, RwLock, mpsc},
    task::JoinHandle,
};

/// How long is waited before somebody is looked for again.
const NAP: Duration = Duration::from_millis(30);

/// What this process has where it holds the database.
struct Held {
    engine: Engine,
    desk: desk::Desk,
    bus: Option<handover_bus::Bus>,
    staff: Option<Arc<Staff>>,
    arrivals: Option<JoinHandle<()>>,
}

/// The line of one host.
pub(super) struct Line {
    cli: Cli,
    agent: Option<String>,
    user: String,
    look: Look,
    /// A server in the place of a database.
    server: Option<Client>,
    held: RwLock<Option<Held>>,
    /// One attempt at a time to take the database.
    taking: Mutex<()>,
}

/// What came of one attempt to ask somebody else.
enum Tried {
    Answered(Result<Value, Fault>),
    /// Nobody is there; the database may be free.
    Nobody,
    /// The answer was lost, or they could not answer now.
    Lost(String),
}

impl Line {
    /// Takes the database where it is free. Where it is not, whoever holds it is asked.
    pub(super) async fn begin(cli: &Cli, agent: Option<String>, out: &Out) -> Result<Self, Stop> {
        let key = cli.global.server_key.as_ref().map(|Hidden(key)| key.as_str());
        let server = match &cli.global.server {
            Some(url) => Some(Client::new(url, key).map_err(|error| {
                Stop::refused(error.to_string(), "give --server (or HANDOVER_SERVER) as in http://127.0.0.1:7800")
            })?),
            None => None,
        };
        let line = Self {
            cli: cli.clone(),
            agent,
            user: door::user(),
            look: out.look,
            server,
            held: RwLock::default(),
            taking: Mutex::default(),
        };
        if line.server.is_none() {
            Box::pin(line.take()).await?;
        }
        Ok(line)
    }

    fn database(&self) -> PathBuf {
        self.cli.database()
    }

    /// Opens the database if nobody has it.
    async fn take(&self) -> Result<(), Stop> {
        let _alone = self.taking.lock().await;
        if self.held.read().await.is_some() {
            return Ok(());
        }
        let engine = match door::open(&self.cli, true).await {
            Err(stop) if stop.is_in_use() => return Ok(()),
            opened => opened?,
        };
        let settings = door::config(&self.cli, None)?;
        let bus = node::bus(&self.cli, settings.as_ref(), &engine).await?;
        let desk = node::desk(&self.cli, settings.as_ref(), &engine);
        let mut out = Out::here(self.look);
        let arrivals = staff::Arrivals::of(&engine);
        let staff = match staff::employed(&self.cli, &engine, &mut out).await {
            Ok((staff, _)) => Some(Arc::new(staff)),
            // The agents of this machine cannot work; those of the hosts can.
            Err(stop) => {
                out.tell(&stop).await;
                None
            }
        };
        let arrivals = staff.clone().map(|staff| tokio::spawn(follow(arrivals, staff, engine.clone(), out)));
        *self.held.write().await = Some(Held { engine, desk, bus, staff, arrivals });
        Ok(())
    }

    /// Takes the database when whoever held it ends, so that its timers go on.
    pub(super) async fn look_after(&self) {
        loop {
            tokio::time::sleep(Duration::from_millis(MCP_LOOK_MS)).await;
            let held = self.held.read().await.is_some();
            if self.server.is_none() && !held && !desk::answers(&self.database()) {
                // What keeps it from being opened is told to the next call.
                let _ = Box::pin(self.take()).await;
            }
        }
    }

    /// Gives the database back, for the next one.
    pub(super) async fn end(&self) -> Result<(), Stop> {
        let Some(held) = self.held.write().await.take() else { return Ok(()) };
        if let Some(arrivals) = held.arrivals {
            arrivals.abort();
            let _ = arrivals.await;
        }
        held.desk.close().await;
        node::leave(held.bus).await;
        let closed = held.engine.close().await;
        if let Some(staff) = held.staff.and_then(Arc::into_inner) {
            staff.close().await;
        }
        Ok(closed?)
    }

    async fn try_others(&self, call: &Call) -> Tried {
        let text = serde_json::to_string(call).unwrap_or_default();
        let args = vec!["--json".to_owned(), "mcp".to_owned(), format!("--call={text}")];
        let (sender, mut frames) = mpsc::channel(DESK_FRAMES_MAX);
        let mut out = Out::there(self.look, sender);
        let asked = async {
            let asked = match &self.server {
                Some(client) => away::pass_on(client, args, &mut out).await.map(desk::Asked::Done),
                None => desk::ask(&self.database(), &args, &mut out).await,
            };
            drop(out);
            asked
        };
        let gathered = async {
            let (mut data, mut rest) = (String::new(), String::new());
            while let Some(frame) = frames.recv().await {
                match frame {
                    Frame::Out(text) => data.push_str(&text),
                    Frame::Err(text) => rest.push_str(&text),
                    _ => {}
                }
            }
            (data, rest)
        };
        let (asked, (data, rest)) = tokio::join!(asked, gathered);
        match asked {
            Ok(desk::Asked::Done(GOOD)) => match serde_json::from_str(&data) {
                Ok(answer) => Tried::Answered(answer),
                Err(error) => Tried::Lost(format!("the answer cannot be read: {error}")),
            },
            Ok(desk::Asked::Done(_)) => Tried::Lost(rest.trim().to_owned()),
            Ok(desk::Asked::Nobody) => Tried::Nobody,
            Ok(desk::Asked::Lost) => Tried::Lost("whoever holds the database ended before it answered".to_owned()),
            Err(stop) => Tried::Lost(words(&stop)),
        }
    }
}

/// What stops a command, in words.
fn words(stop: &Stop) -> String {
    let told = stop.json().unwrap_or_default();
    told["error"]["message"].as_str().unwrap_or_default().to_owned()
}

async fn follow(arrivals: staff::Arrivals, staff: Arc<Staff>, engine: Engine, mut out: Out) {
    // Whoever cannot be told of those who come goes on all the same.
    let _ = staff::follow(arrivals, &staff, &engine, &mut out).await;
}

#[async_trait]
impl Way for Line {
    async fn ask(&self, what: What, key: &str) -> Result<Value, Fault> {
        let (agent, person) = (self.agent.clone(), Some(self.user.clone()));
        let call = Call { agent, person, key: key.to_owned(), what };
        let until = Instant::now() + Duration::from_millis(MCP_REACH_MS);
        loop {
            let engine = self.held.read().await.as_ref().map(|held| held.engine.clone());
            if let Some(engine) = engine {
                return Box::pin(carry_out(&engine, call)).await;
            }
            let why = match self.try_others(&call).await {
                Tried::Answered(Err(Fault::Unreachable(why))) | Tried::Lost(why) => why,
                Tried::Answered(answer) => return answer,
                Tried::Nobody => match Box::pin(self.take()).await {
                    Ok(()) => "another process has the database and answers nobody".to_owned(),
                    Err(stop) => words(&stop),
                },
            };
            if Instant::now() >= until {
                return Err(Fault::Unreachable(format!("nobody could be asked: {why}")));
            }
            tokio::time::sleep(NAP).await;
        }
    }
}
