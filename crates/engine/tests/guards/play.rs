//! A story is a list of statements, one in a line or parted by `;`:
//! `open s by a; initiate h a->b delegation; accept h; return h success tokens=5; wait 31s; books`.
//! Every statement that does something gives one line: what was made, or why it was refused.

use crate::words::{Words, name, span};
use handover_core::{
    agent::{AgentKind, Autonomy, Capability, Profile},
    command::{Answer, Caller, Command, Goto, NewArtifact, Turn, Write},
    ids::{HandoffId, LeaseId, SessionId},
    message::{NewMessage, Role},
    policy::Policy,
    refusal::HandoffError,
    session::{ArtifactStatus, ArtifactType},
    time::Timestamp,
};
use handover_engine::{Engine, Options, clock::ManualClock};
use serde_json::json;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use uuid::Uuid;

/// When every story begins: on a Friday at 8 in the morning.
pub const START: Timestamp = Timestamp(1_800_000_000_000);

pub struct Play {
    folder: tempfile::TempDir,
    clock: ManualClock,
    pub engine: Engine,
    pub policy: Policy,
    caller: Caller,
    /// The session that statements are about.
    pub session: SessionId,
    pub handoffs: BTreeMap<String, HandoffId>,
    pub names: BTreeMap<Uuid, String>,
    pub leases: BTreeMap<HandoffId, LeaseId>,
    pub seen: u64,
}

impl Play {
    /// Agents `a` to `l` that pull their work, and nothing else.
    pub async fn begin() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (clock, policy) = (ManualClock::at(START), Policy::default());
        let engine = open(&folder, &clock, &policy).await;
        for id in 'a'..='l' {
            let profile = Profile::of(name(&id.to_string())).kind(AgentKind::Worker).at_once(100);
            engine.register_profile(profile).await.unwrap();
        }
        let session = SessionId::new("s").unwrap();
        let (handoffs, names, leases) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { folder, clock, engine, policy, caller: Caller::local(), session, handoffs, names, leases, seen: 0 }
    }

    /// Tells a story, and verifies what it left.
    pub async fn tell(story: &str, restarts: bool) -> String {
        let mut play = Self::begin().await;
        let mut lines = Vec::new();
        for statement in story.split([';', '\n']).map(str::trim).filter(|text| !text.is_empty()) {
            let line = play.step(statement).await;
            if !line.is_empty() {
                lines.push(line);
            }
            if restarts {
                play.restart().await;
            }
        }
        if let Err(error) = play.engine.verify().await {
            lines.push(format!("does not verify: {error}"));
        }
        lines.join("\n")
    }

    pub async fn restart(&mut self) {
        self.engine.close().await.unwrap();
        self.engine = open(&self.folder, &self.clock, &self.policy).await;
    }

    pub fn file(&self) -> std::path::PathBuf {
        self.folder.path().join("test.db")
    }

    pub fn door(&self) -> Engine {
        self.engine.for_caller(self.caller.clone())
    }

    /// Does one statement and says what came of it.
    pub async fn step(&mut self, statement: &str) -> String {
        let w = Words::of(statement);
        match w.verb() {
            "agent" => self.register(&w).await,
            "policy" => {
                w.policy(&mut self.policy);
                self.engine.set_policy(self.policy.clone()).unwrap();
                String::new()
            }
            "caller" => {
                let acts_as = w.get("acts").map(|text| text.split(',').map(name).collect());
                let tenant = w.get("tenant").unwrap_or("default").to_owned();
                self.caller = Caller { acts_as, ..Caller::new(w.nth(1), tenant).of_house() };
                String::new()
            }
            "session" => {
                self.session = SessionId::new(w.nth(1)).unwrap();
                String::new()
            }
            "wait" => {
                self.clock.advance(Duration::from_millis(span(w.nth(1))));
                self.engine.run_due().await.unwrap();
                self.happened(&w).await
            }
            "sleep" => {
                self.clock.jump(Duration::from_millis(span(w.nth(1))));
                self.engine.run_due().await.unwrap();
                self.happened(&w).await
            }
            "due" => {
                self.engine.run_due().await.unwrap();
                self.happened(&w).await
            }
            "trip" => {
                for task in ["one", "two", "three"] {
                    let made = Words::of(statement).nth(1).to_owned();
                    let words = format!("initiate {task} a->{made} delegation task=trip_{task}");
                    for statement in [words, format!("accept {task}"), format!("return {task} failed")] {
                        assert!(!Box::pin(self.step(&statement)).await.contains("refused"), "{statement}");
                    }
                }
                format!("{statement}: three failures")
            }
            "forget" => format!("forget: {} accounts", self.engine.forget_accounts().await.unwrap()),
            "show" | "books" | "accounts" | "breaker" | "breakers" | "messages" | "book" | "records" => {
                self.look(&w).await
            }
            _ => {
                let outcome = self.act(&w).await;
                let line = self.outcome(&w, outcome);
                self.pass_over().await;
                line
            }
        }
    }

    async fn register(&self, w: &Words<'_>) -> String {
        let mut profile = Profile::of(name(w.nth(1))).kind(AgentKind::Worker).at_once(100);
        if let Some(risk) = w.get("risk") {
            profile.autonomy_budget = Autonomy { max_risk: w.known(risk) };
        }
        if w.has("human") {
            profile.kind = AgentKind::Human;
        }
        profile.escalates_to = w.get("up").map(name);
        profile.budget = w.get("budget").map(|text| w.limit(text));
        profile.model = w.get("model").map(str::to_owned);
        for capability in w.list("can") {
            profile.capabilities.push(Capability { id: capability.to_owned(), proficiency: 1.0 });
        }
        match self.engine.register_profile(profile).await {
            Ok(()) => String::new(),
            Err(error) => self.told(&error.to_string()),
        }
    }

    async fn act(&mut self, w: &Words<'_>) -> Result<Answer, HandoffError> {
        let (door, session) = (self.door(), self.session.clone());
        match w.verb() {
            "open" => {
                self.session = SessionId::new(w.nth(1)).unwrap();
                door.open_session(&self.session.clone(), w.open()).await
            }
            "initiate" => door.initiate(&session, w.request(&self.handoffs)).await,
            "accept" => {
                let handoff = self.handoff(w);
                let by = door.handoff(handoff).await?.to_agent;
                let assignment = door.accept(handoff, &by, w.get("lease").map(span), None).await?;
                self.leases.insert(handoff, assignment.lease);
                Ok(nothing(&session))
            }
            "return" => {
                let handoff = self.handoff(w);
                let then = w.get("then").map(|to| one(to, w));
                door.give_back(handoff, self.lease(handoff), w.giving(), then).await
            }
            "escalate" => {
                let handoff = self.handoff(w);
                door.escalate(handoff, self.lease(handoff), "unsure").await
            }
            "reject" | "defer" => {
                let handoff = self.handoff(w);
                let by = door.handoff(handoff).await?.to_agent;
                match w.verb() {
                    "reject" => door.reject(handoff, &by, "no").await,
                    _ => door.defer(handoff, &by, span(w.nth(2)), "later").await,
                }
            }
            "cancel" => door.cancel(self.handoff(w), &name(w.after("by")), "not needed").await,
            "approve" => door.approve(self.handoff(w), "boss", "").await,
            "deny" => door.deny(self.handoff(w), "boss", "too dear").await,
            "drain" => door.drain(&name(w.nth(1)), !w.has("over")).await.map(|()| nothing(&session)),
            "remove" => door.remove_agent(&name(w.nth(1))).await.map(|()| nothing(&session)),
            "reset" => door.reset_breaker(&name(w.nth(1))).await.map(|()| nothing(&session)),
            _ => door.submit(&session, self.command(w), None).await,
        }
    }

    fn command(&self, w: &Words<'_>) -> Command {
        match w.verb() {
            "limits" => Command::SetLimits { by: "boss".into(), limits: w.session_limits() },
            "say" => {
                let said = NewMessage::new(Role::User, w.rest(1));
                Command::Say { messages: vec![handover_core::command::Prepared::from_new(said)], after: None }
            }
            "set" => {
                let (variable, value) = w.nth(2).split_once('=').expect("name=value");
                let write = Write { name: variable.to_owned(), value: json!(value), expected_version: None };
                Command::Set { by: name(w.nth(1)), writes: vec![write] }
            }
            "keep" => {
                let (kind, status) = (ArtifactType::Code, ArtifactStatus::Draft);
                let artifact = NewArtifact { kind, path: w.nth(2).to_owned(), description: String::new(), status };
                Command::Keep { by: name(w.nth(1)), artifact }
            }
            "decide" => Command::Decide {
                by: name(w.nth(1)),
                description: w.nth(2).to_owned(),
                risk: w.known(w.get("risk").unwrap_or("low")),
            },
            "turn" => {
                let goto = w.get("goto").map_or(Goto::End, |to| one(to, w));
                Command::Turn { by: name(w.nth(1)), turn: Box::new(Turn { goto, update: w.update() }) }
            }
            "end" => Command::End { by: name(w.nth(1)), reason: "done".into() },
            other => panic!("the language has no {other:?}"),
        }
    }

    pub fn handoff(&self, w: &Words<'_>) -> HandoffId {
        *self.handoffs.get(w.nth(1)).unwrap_or_else(|| panic!("no handoff {}", w.nth(1)))
    }

    fn lease(&self, handoff: HandoffId) -> LeaseId {
        *self.leases.get(&handoff).unwrap_or(&LeaseId(Uuid::nil()))
    }

    pub fn call(&mut self, label: String, handoff: HandoffId) {
        self.names.insert(handoff.0, label.clone());
        self.handoffs.insert(label, handoff);
    }
}

fn one(to: &str, w: &Words<'_>) -> Goto {
    Goto::One { to_agent: name(to), task: w.get("task").unwrap_or_default().to_owned(), reason: String::new() }
}

/// An answer that names nothing.
fn nothing(session: &SessionId) -> Answer {
    serde_json::from_value(json!({"session_id": session, "version": 0})).unwrap()
}

async fn open(folder: &tempfile::TempDir, clock: &ManualClock, policy: &Policy) -> Engine {
    let options = Options {
        policy: policy.clone(),
        clock: Some(Arc::new(clock.clone())),
        background: false,
        sync: false,
        ..Options::default()
    };
    Engine::open_with(folder.path().join("test.db"), options).await.unwrap()
}
