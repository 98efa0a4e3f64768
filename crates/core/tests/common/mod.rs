//! A tiny language for stories about one session, so that tests are data. Only this folder knows the API.
//!
//! Statements are parted by `;` or line breaks, for example
//! `open s by a; initiate h1 a->b delegation timeout=60s; accept h1 by b as L1; wait 31s; return h1 as L1 success`.
//! `words.rs` says what each statement means, `show.rs` how an event reads.
#![allow(dead_code, reason = "each test binary uses another part")]

mod approving;
mod request;
pub mod routed;
mod show;
mod words;

use handover_core::{
    agent::{Agents, Known, Profile, Standing},
    apply::Touched,
    command::{Caller, Command},
    decide::{Decided, Found, ModelAnswer, World, decide},
    digest::Digest,
    event::Event,
    handoff::{Handoff, Phase, Status},
    ids::{AgentId, ArtifactId, CountedIds, HandoffId, LeaseId, SessionId},
    ledger::Ledger,
    policy::Policy,
    refusal::HandoffError,
    session::Session,
    time::Timestamp,
    workflow::Workflows,
};
use std::{collections::BTreeMap, sync::Arc};
use uuid::Uuid;
pub use words::Words;

/// When every story begins.
pub const START: Timestamp = Timestamp(1_700_000_000_000);

/// A session and the world around it, as an engine would keep them.
pub struct Play {
    pub agents: Agents,
    pub policy: Policy,
    pub ledger: Ledger,
    pub workflows: Workflows,
    pub picked: Option<ModelAnswer>,
    pub caller: Caller,
    pub now: Timestamp,
    pub awake_since: Timestamp,
    pub ids: CountedIds,
    pub session: Option<Session>,
    pub closed: BTreeMap<HandoffId, Arc<Handoff>>,
    pub inbox: BTreeMap<Uuid, AgentId>,
    pub texts: Vec<String>,
    pub handoffs: BTreeMap<String, HandoffId>,
    pub by_number: Vec<HandoffId>,
    pub leases: BTreeMap<String, LeaseId>,
    pub last_lease: BTreeMap<HandoffId, LeaseId>,
    pub artifacts: BTreeMap<String, ArtifactId>,
    /// The digests that were asked for, in order.
    pub digests: BTreeMap<HandoffId, Vec<Digest>>,
    names: BTreeMap<Uuid, String>,
}

/// What one statement came to.
pub enum Outcome {
    /// Nothing was asked of the session: time passed, somebody was registered.
    Scenery,
    /// It was decided and committed.
    Decided(Box<Decided>),
    /// It was refused.
    Refused(HandoffError),
}

pub fn name(text: &str) -> AgentId {
    AgentId::new(text).expect("a valid agent name")
}

impl Play {
    /// Agents `a` to `f`, and nothing else.
    pub fn new() -> Self {
        let mut agents = Agents::default();
        for id in ["a", "b", "c", "d", "e", "f"] {
            agents.put(Arc::new(Profile::of(name(id))), Standing::Available);
        }
        Self {
            agents,
            policy: Policy::without_guards(),
            ledger: Ledger::default(),
            workflows: Workflows::default(),
            picked: None,
            caller: Caller::local(),
            now: START,
            awake_since: Timestamp(0),
            ids: CountedIds::default(),
            session: None,
            closed: BTreeMap::new(),
            inbox: BTreeMap::new(),
            texts: Vec::new(),
            handoffs: BTreeMap::new(),
            by_number: Vec::new(),
            leases: BTreeMap::new(),
            last_lease: BTreeMap::new(),
            artifacts: BTreeMap::new(),
            digests: BTreeMap::new(),
            names: BTreeMap::new(),
        }
    }

    /// Runs a program and gives what happened, line by line.
    pub fn run(&mut self, program: &str) -> Vec<String> {
        let mut lines = Vec::new();
        for statement in program.split([';', '\n']).map(str::trim).filter(|s| !s.is_empty()) {
            match statement {
                "next" => lines.extend(self.next_due()),
                "settle" => lines.extend(self.settle()),
                _ => {
                    let outcome = self.step(statement);
                    lines.extend(self.tell(&outcome));
                }
            }
        }
        lines
    }

    /// Runs one statement.
    pub fn step(&mut self, statement: &str) -> Outcome {
        let words = Words::of(statement);
        if self.scenery(&words) {
            return Outcome::Scenery;
        }
        let command = self.command(&words);
        match self.submit(command) {
            Ok(decided) => {
                self.label(&words, &decided);
                Outcome::Decided(Box::new(decided))
            }
            Err(error) => Outcome::Refused(error),
        }
    }

    /// What an engine does: decide, commit, remember.
    pub fn submit(&mut self, command: Command) -> Result<Decided, HandoffError> {
        let id = SessionId::new("s").expect("a valid session name");
        let closed = command.handoff().and_then(|id| self.closed.get(&id)).cloned();
        let waiting = match &command {
            Command::Take { of, .. } => self.inbox.get(of).cloned(),
            _ => None,
        };
        let world = World {
            agents: Known::to(&self.agents, &self.caller.tenant),
            policy: &self.policy,
            ledger: &self.ledger,
            workflows: &self.workflows,
            picked: self.picked.as_ref(),
            caller: &self.caller,
            awake_since: self.awake_since,
            now: self.now,
        };
        let found = Found { closed: closed.as_deref(), waiting: waiting.as_ref() };
        let decided = decide(&id, self.session.as_ref(), found, command, &world, &mut self.ids)?;
        self.ledger.post(&decided.postings).expect("what was decided can be counted");
        self.commit(&decided);
        Ok(decided)
    }

    fn commit(&mut self, decided: &Decided) {
        self.agents.follow(&decided.offers_moved(self.session.as_ref()));
        self.session = Some(decided.session.clone());
        let Touched { handoffs, .. } = &decided.touched;
        for (id, handoff) in handoffs {
            if handoff.status().is_closed() {
                self.closed.insert(*id, handoff.clone());
            }
        }
        for written in &decided.written {
            self.texts.push(written.text.clone());
            match &written.record.event {
                Event::Initiated { handoff, .. } => self.by_number.push(handoff.id),
                Event::ApprovalRequested { id, approval, .. } => {
                    self.digests.entry(*id).or_default().push(approval.digest);
                }
                Event::Accepted { id, lease, .. } => {
                    self.last_lease.insert(*id, *lease);
                }
                Event::Closed { result, returned_to: Some(to), .. } => {
                    self.inbox.insert(result.handoff_id.0, to.clone());
                }
                Event::GroupDecided { group, returned_to: Some(to), .. } => {
                    self.inbox.insert(group.0, to.clone());
                }
                Event::ReturnTaken { of, .. } => {
                    self.inbox.remove(of);
                }
                _ => {}
            }
        }
        for (agent, standing, _) in &decided.standings {
            if let Some(agent) = self.agents.get_mut(agent) {
                agent.standing = *standing;
            }
        }
    }

    /// Gives what the statement made the names that it asks for, and everything else a name by what it came from.
    fn label(&mut self, words: &Words<'_>, decided: &Decided) {
        let wanted = words.made_name();
        if let (Some(label), Some(group)) = (wanted, decided.answer.group) {
            self.names.insert(group.0, label.to_owned());
        }
        let many = decided.answer.handoffs.len() > 1 || decided.answer.group.is_some();
        for (i, id) in decided.answer.handoffs.iter().enumerate() {
            if let Some(label) = wanted {
                let label = if many { format!("{label}.{}", i + 1) } else { label.to_owned() };
                self.call(*id, label);
            }
        }
        for written in &decided.written {
            if let Event::Initiated { handoff, .. } = &written.record.event
                && (!self.names.contains_key(&handoff.id.0) || handoff.returns_for != handoff.id)
            {
                let before = handoff.parent_id.filter(|_| handoff.returns_for != handoff.id);
                let before = before.and_then(|id| self.names.get(&id.0)).map(|label| format!("{label}'"));
                self.call(handoff.id, before.unwrap_or_else(|| format!("n{}", handoff.n)));
            }
        }
        if let (Some(label), Some(lease)) = (words.after("as"), decided.answer.lease) {
            self.names.insert(lease.0, label.to_owned());
            self.leases.insert(label.to_owned(), lease);
        }
        if let ("keep", Some(label), Some(artifact)) = (words.verb(), words.after("as"), decided.answer.artifact) {
            self.names.insert(artifact.0, label.to_owned());
            self.artifacts.insert(label.to_owned(), artifact);
        }
    }

    fn call(&mut self, id: HandoffId, label: String) {
        self.names.insert(id.0, label.clone());
        self.handoffs.insert(label, id);
    }

    /// The open handoff that is due first, and when.
    pub fn earliest(&self) -> Option<(Timestamp, HandoffId)> {
        let open = self.session.as_ref()?.open.values();
        open.filter_map(|handoff| Some((handoff.due()?, handoff.n, handoff.id))).min().map(|(due, _, id)| (due, id))
    }

    /// Waits for whatever is due first, and ticks it.
    pub fn next_due(&mut self) -> Vec<String> {
        let Some((due, id)) = self.earliest() else { return vec!["nothing is due".into()] };
        self.now = self.now.max(due);
        let words = Words::of("tick");
        match self.submit(Command::Tick { handoff: id }) {
            Ok(decided) => {
                self.label(&words, &decided);
                self.tell(&Outcome::Decided(Box::new(decided)))
            }
            Err(error) => self.tell(&Outcome::Refused(error)),
        }
    }

    /// Lets time pass until nothing is open.
    fn settle(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        for _ in 0..1_000 {
            if self.earliest().is_none() {
                return lines;
            }
            lines.extend(self.next_due());
        }
        panic!("it never ends:\n{}", lines.join("\n"));
    }

    /// Who owns the session, and where every handoff stands.
    pub fn standing(&self) -> String {
        let Some(session) = &self.session else { return "=> no session".into() };
        let mut parts = vec![format!("=> {}", session.active_agent)];
        for id in &self.by_number {
            let handoff = session.open.get(id).or_else(|| self.closed.get(id));
            let Some(handoff) = handoff else { continue };
            let label = self.named(id.0);
            parts.push(match &handoff.phase {
                Phase::Closed { status } => format!("{label} {}", status.word()),
                _ => format!("{label} {} ({})", handoff.status().word(), handoff.to_agent),
            });
        }
        parts.join(", ")
    }

    /// Where a handoff stands.
    pub fn status(&self, id: HandoffId) -> Option<Status> {
        let open = self.session.as_ref().and_then(|session| session.open.get(&id));
        open.or_else(|| self.closed.get(&id)).map(|handoff| handoff.status())
    }
}

/// Runs a program and compares what happened, with where everything stands at the end.
pub fn check(program: &str, expect: &expect_test::Expect) {
    let mut play = Play::new();
    let mut lines = play.run(program);
    lines.push(play.standing());
    expect.assert_eq(&lines.join("\n"));
}
