//! A house in memory beside the store: decides commands as the engine does, commits them, and remembers what must be
//! found again.

use handover_core::{
    agent::{Agents, Capability, Known, Profile, Standing},
    command::{Answer, Caller, Command, Giving, Open, Prepared, Update},
    decide::{Decided, Found, World, decide, house},
    digest::Digest,
    event::Event,
    handoff::{Handoff, Kind, Outcome, Request, ReturnStatus},
    ids::{AgentId, CountedIds, HandoffId, LeaseId, SessionId},
    ledger::Ledger,
    message::{Message, NewMessage, Role},
    policy::Policy,
    refusal::HandoffError,
    session::Session,
    time::Timestamp,
};
use handover_store::{AgentRow, Commit, KeyRow, Prunable, Store, StoreError};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use uuid::Uuid;

pub const START: i64 = 1_700_000_000_000;
pub const DAY: u64 = 24 * 60 * 60 * 1_000;
pub const NAMES: [&str; 6] = ["ann", "bob", "cleo", "dan", "eve", "human"];

/// No session of these tests follows a workflow.
static NONE: handover_core::workflow::Workflows = handover_core::workflow::Workflows::new();

/// Ids of different houses on one store must differ.
static HOUSES: AtomicU64 = AtomicU64::new(1);

pub struct House {
    pub store: Arc<dyn Store>,
    pub agents: Agents,
    pub policy: Policy,
    pub ledger: Ledger,
    pub caller: Caller,
    pub now: Timestamp,
    pub ids: CountedIds,
    pub sessions: BTreeMap<SessionId, Session>,
    pub handoffs: BTreeMap<HandoffId, Arc<Handoff>>,
    pub messages: BTreeMap<SessionId, Vec<Message>>,
    /// Every record with its position.
    pub records: BTreeMap<u64, (SessionId, u64, Digest, String)>,
    pub waiting: BTreeMap<Uuid, AgentId>,
    pub book: Option<Session>,
}

pub fn agent(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

pub fn session(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

pub fn profile(name: &str) -> Profile {
    let mut profile = Profile::of(agent(name));
    profile.capabilities = vec![Capability { id: "work".into(), proficiency: 0.7 }];
    profile.max_concurrent_tasks = 100;
    if name != "human" && name != "eve" {
        profile.escalates_to = Some(agent("eve"));
    }
    profile
}

impl House {
    pub fn on(store: Arc<dyn Store>) -> Self {
        let mut agents = Agents::default();
        for name in NAMES {
            agents.put(Arc::new(profile(name)), Standing::Available);
        }
        Self {
            store,
            agents,
            policy: Policy { human: Some(agent("human")), ..Policy::without_guards() },
            ledger: Ledger::default(),
            caller: Caller::local(),
            now: Timestamp(START),
            ids: CountedIds(HOUSES.fetch_add(1, Ordering::Relaxed) << 32),
            sessions: BTreeMap::new(),
            handoffs: BTreeMap::new(),
            messages: BTreeMap::new(),
            records: BTreeMap::new(),
            waiting: BTreeMap::new(),
            book: None,
        }
    }

    fn world(&self) -> World<'_> {
        World {
            agents: Known::to(&self.agents, &self.caller.tenant),
            policy: &self.policy,
            ledger: &self.ledger,
            workflows: &NONE,
            picked: None,
            caller: &self.caller,
            awake_since: Timestamp(0),
            now: self.now,
        }
    }

    /// The same house on a store that is opened after the old one was let go.
    pub fn reopened(self, open: impl FnOnce() -> Arc<dyn Store>) -> Self {
        let Self {
            store,
            agents,
            policy,
            ledger,
            caller,
            now,
            ids,
            sessions,
            handoffs,
            messages,
            records,
            waiting,
            book,
        } = self;
        drop(store);
        let store = open();
        Self { store, agents, policy, ledger, caller, now, ids, sessions, handoffs, messages, records, waiting, book }
    }

    pub fn wait(&mut self, ms: u64) {
        self.now = self.now + ms;
    }

    /// What a command comes to, without committing it.
    pub fn decide(&mut self, id: &SessionId, command: Command) -> Result<Decided, HandoffError> {
        let before = self.sessions.get(id).cloned();
        let closed = command.handoff().and_then(|id| self.handoffs.get(&id)).filter(|h| h.closed_at.is_some()).cloned();
        let waiting = match &command {
            Command::Take { of, .. } => self.waiting.get(of).cloned(),
            _ => None,
        };
        let mut ids = self.ids;
        let found = Found { closed: closed.as_deref(), waiting: waiting.as_ref() };
        let decided = decide(id, before.as_ref(), found, command, &self.world(), &mut ids);
        self.ids = ids;
        decided
    }

    pub fn commit_of(&self, id: &SessionId, decided: &Decided, key: Option<KeyRow>) -> Commit {
        Commit::of(self.sessions.get(id), decided, key, Vec::new())
    }

    /// Decides and commits; a refusal changes nothing.
    pub async fn run(&mut self, id: &SessionId, command: Command) -> Result<Answer, HandoffError> {
        let decided = self.decide(id, command)?;
        if !decided.written.is_empty() {
            let positions = self.store.commit(self.commit_of(id, &decided, None)).await.unwrap();
            self.remember(id, &decided, &positions);
        }
        Ok(decided.answer)
    }

    /// Takes over what was committed.
    pub fn remember(&mut self, id: &SessionId, decided: &Decided, positions: &[u64]) {
        assert_eq!(positions.len(), decided.written.len());
        self.ledger.post(&decided.postings).unwrap();
        for (written, position) in decided.written.iter().zip(positions) {
            let record = (id.clone(), written.record.seq, written.hash, written.text.clone());
            assert!(self.records.insert(*position, record).is_none(), "position {position} was given twice");
            match &written.record.event {
                Event::Closed { result, returned_to: Some(to), .. } => {
                    self.waiting.insert(result.handoff_id.0, to.clone());
                }
                Event::GroupDecided { group, returned_to: Some(to), .. } => {
                    self.waiting.insert(group.0, to.clone());
                }
                Event::ReturnTaken { of, .. } => {
                    self.waiting.remove(of);
                }
                _ => {}
            }
        }
        for (handoff, now) in &decided.touched.handoffs {
            self.handoffs.insert(*handoff, now.clone());
        }
        self.messages.entry(id.clone()).or_default().extend(decided.messages.iter().cloned());
        self.sessions.insert(id.clone(), decided.session.clone());
    }

    /// Writes into the book of the house.
    pub async fn note(&mut self, events: Vec<Event>, agents: Vec<AgentRow>) {
        let (decided, commit) = self.house_commit(events, agents);
        let positions = self.store.commit(commit).await.unwrap();
        self.remember(&SessionId::house(), &decided, &positions);
        self.book = Some(decided.session);
    }

    pub fn house_commit(&mut self, events: Vec<Event>, agents: Vec<AgentRow>) -> (Decided, Commit) {
        let mut ids = self.ids;
        let decided = house(self.book.as_ref(), events, &self.world(), &mut ids);
        self.ids = ids;
        let commit = Commit::of(self.book.as_ref(), &decided, None, agents);
        (decided, commit)
    }

    pub async fn prune(&mut self, parts: Vec<Prunable>) -> Result<Vec<u64>, StoreError> {
        let (decided, commit) = self.house_commit(vec![Event::Pruned { heads: Vec::new(), records: 0 }], Vec::new());
        let positions = self.store.prune(parts, commit).await?;
        self.remember(&SessionId::house(), &decided, &positions);
        self.book = Some(decided.session);
        Ok(positions)
    }

    pub async fn open(&mut self, name: &str) -> SessionId {
        let id = session(name);
        let mut open = Open::of(agent("ann")).asking("please");
        open.user_id = Some("u1".into());
        open.metadata = serde_json::json!({"from": "test", "weight": 0.1 + 0.2});
        self.run(&id, Command::Open(open)).await.unwrap();
        id
    }

    pub async fn initiate(&mut self, id: &SessionId, request: Request) -> HandoffId {
        self.run(id, Command::Initiate(Box::new(request))).await.unwrap().handoffs[0]
    }

    pub async fn accept(&mut self, id: &SessionId, handoff: HandoffId, by: &str) -> LeaseId {
        let by = agent(by);
        let command = Command::Accept {
            handoff,
            by,
            lease_ms: None,
            in_process: false,
            estimated_completion: None,
            manifest: None,
        };
        self.run(id, command).await.unwrap().lease.unwrap()
    }

    pub async fn give(&mut self, id: &SessionId, handoff: HandoffId, lease: LeaseId) {
        self.run(id, Command::Return { handoff, lease, giving: Box::new(giving("done")), then: None }).await.unwrap();
    }

    /// A delegation from its initiation to its return.
    pub async fn whole(&mut self, id: &SessionId, from: &str, to: &str) -> HandoffId {
        let handoff = self.initiate(id, delegation(from, to)).await;
        let lease = self.accept(id, handoff, to).await;
        self.give(id, handoff, lease).await;
        handoff
    }

    pub async fn end(&mut self, id: &SessionId) {
        let by = self.sessions[id].active_agent.clone();
        self.run(id, Command::End { by, reason: "over".into() }).await.unwrap();
    }

    pub async fn say(&mut self, id: &SessionId, text: &str) {
        let message = Prepared::from_new(NewMessage { agent: Some(agent("ann")), ..NewMessage::new(Role::User, text) });
        self.run(id, Command::Say { messages: vec![message], after: None }).await.unwrap();
    }
}

pub fn giving(body: &str) -> Giving {
    Giving {
        status: ReturnStatus::Success,
        result: Outcome { body: serde_json::json!({"said": body}), score: Some(0.3), ..Outcome::default() },
        updates: Update::default(),
        notes: String::new(),
        signal: None,
    }
}

pub fn delegation(from: &str, to: &str) -> Request {
    let mut request = Request::new(Kind::Delegation, agent(from), "work on it");
    request.to_agent = Some(agent(to));
    request.return_protocol.timeout_ms = Some(600_000);
    request
}
