//! The simulation: one engine on a file, or several, a clock moved by hand, and a list of what happens when. All that
//! happens is a function of the seed.

use super::{
    auditor::{Auditor, News},
    bounds::{self, AWAY_MS_MAX, DRAIN_MS, DRAIN_STEPS_MAX, OPEN_WITHIN_MS, SETTLE_POLLS_MAX, TRACE_LINES, WORK_MS},
    cast::{self, House, Nature, Player, TENANTS},
    nodes::{Nodes, handles, options, tenants},
    rng::Rng,
};
use handover_core::{
    access::Role,
    command::Caller,
    ids::{AgentId, HandoffId, LeaseId, SessionId},
    refusal::{Family, HandoffError},
    time::Timestamp,
};
use handover_engine::{
    Engine, Notice, Subscription,
    clock::{Clock as _, ManualClock},
};
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    path::PathBuf,
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};
use uuid::Uuid;

pub const START: Timestamp = Timestamp(1_800_000_000_000);

/// Something that somebody will do.
#[derive(Debug)]
pub enum Todo {
    Open(usize),
    Turn(usize),
    Raise(usize),
    Answer { handoff: HandoffId, who: usize, tries: u32 },
    Work { handoff: HandoffId, lease: LeaseId, who: usize, left: u64, tries: u32 },
    Approve { handoff: HandoffId },
    Take { session: SessionId, of: Uuid, who: usize, group: bool },
    Lie(usize),
    Restart,
}

/// A session that the simulation plays.
pub struct Play {
    pub id: SessionId,
    pub tenant: usize,
    pub turns: u64,
}

/// What a run came to.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    pub commands: u64,
    pub restarts: u64,
    pub refused: BTreeMap<&'static str, u64>,
}

pub struct Sim {
    pub seed: u64,
    pub house: &'static House,
    pub rng: Rng,
    pub clock: ManualClock,
    pub engine: Engine,
    nodes: Nodes,
    tenants: Vec<Engine>,
    feeds: Vec<Subscription>,
    todo: BTreeMap<(i64, u64), Todo>,
    number: u64,
    pub players: Vec<Player>,
    by_id: HashMap<AgentId, usize>,
    pub plays: Vec<Play>,
    pub by_session: HashMap<SessionId, usize>,
    pub auditor: Auditor,
    pub tally: Tally,
    trace: VecDeque<String>,
    /// Stands for everything that was said in the trace.
    pub digest: u64,
    /// Nobody begins anything new.
    pub stopped: bool,
    pub stale: VecDeque<(HandoffId, LeaseId)>,
    folder: tempfile::TempDir,
}

impl Sim {
    pub async fn new(seed: u64, house: &'static House, agents: usize, sessions: usize, nodes: usize) -> Self {
        let mut rng = Rng::new(seed);
        let players = cast::players(&mut rng, house, agents);
        let folder = tempfile::tempdir().unwrap();
        let clock = ManualClock::at(START);
        let nodes = Nodes::open(nodes, &folder.path().join("swarm.db"), options(&clock, house), &clock).await;
        let engine = nodes.first();
        for i in 0..players.len() {
            engine.register_profile(cast::profile(&mut rng, &players, i)).await.unwrap();
        }
        let (tenants, feeds) = handles(&engine);
        let mut sim = Self {
            seed,
            house,
            clock,
            auditor: Auditor::new(cast::policy(house), &players),
            engine,
            nodes,
            tenants,
            feeds,
            todo: BTreeMap::new(),
            number: 0,
            by_id: players.iter().enumerate().map(|(i, player)| (player.id.clone(), i)).collect(),
            players,
            plays: Vec::new(),
            by_session: HashMap::new(),
            tally: Tally::default(),
            trace: VecDeque::new(),
            digest: 0xcbf2_9ce4_8422_2325,
            stopped: false,
            stale: VecDeque::new(),
            folder,
            rng,
        };
        sim.plan(sessions);
        sim
    }

    /// Who opens what when, who lies when, and when the engine goes away.
    fn plan(&mut self, sessions: usize) {
        for i in 0..sessions {
            let id = SessionId::new(format!("s{i}")).unwrap();
            self.by_session.insert(id.clone(), i);
            let (tenant, turns) = (self.rng.index(TENANTS.len()), self.rng.between(1, bounds::TURNS_MAX));
            self.plays.push(Play { id, tenant, turns });
            let at = self.rng.below(OPEN_WITHIN_MS);
            self.later(at, Todo::Open(i));
        }
        for who in 0..self.players.len() {
            if self.players[who].nature == Nature::Liar {
                for _ in 0..self.rng.below(bounds::LIES) {
                    let at = self.rng.between(60_000, WORK_MS);
                    self.later(at, Todo::Lie(who));
                }
            }
        }
        for _ in 0..bounds::RESTARTS {
            let at = self.rng.between(60_000, WORK_MS + 60_000);
            self.later(at, Todo::Restart);
        }
        for _ in 0..bounds::RAISED.min(sessions / 4) {
            let (at, which) = (self.rng.between(OPEN_WITHIN_MS / 2, WORK_MS), self.rng.index(sessions));
            self.later(at, Todo::Raise(which));
        }
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn later(&mut self, ms: u64, what: Todo) {
        self.number += 1;
        self.todo.insert(((self.now() + ms).0, self.number), what);
    }

    /// Some time from now, between these milliseconds.
    pub fn soon(&mut self, first: u64, last: u64, what: Todo) {
        let ms = self.rng.between(first, last);
        self.later(ms, what);
    }

    pub fn who(&self, agent: &AgentId) -> usize {
        self.by_id[agent]
    }

    pub fn tenant_of(&self, session: &SessionId) -> Engine {
        self.tenants[self.plays[self.by_session[session]].tenant].clone()
    }

    /// The engine as another tenant sees it.
    pub fn other_tenant(&self, session: &SessionId) -> Engine {
        self.tenants[(self.plays[self.by_session[session]].tenant + 1) % TENANTS.len()].clone()
    }

    /// The engine for an agent that is bound to itself.
    pub fn bound(&self, session: &SessionId, who: usize) -> Engine {
        let tenant = TENANTS[self.plays[self.by_session[session]].tenant].to_owned();
        let id = self.players[who].id.clone();
        self.engine.for_caller(Caller::new(id.as_str(), tenant).role(Role::Agent).acting_as([id]))
    }

    /// Plays all of it: the work, and the end, when nobody begins anything and time goes on until nothing is open.
    pub async fn play(&mut self) {
        while self.now().since(START) < WORK_MS {
            let step = self.rng.between(300, 3_000);
            self.advance_to(self.now() + step).await;
        }
        self.stopped = true;
        self.line(|_| "--- nobody begins anything new ---".into());
        for _ in 0..DRAIN_STEPS_MAX {
            let Some(next) = self.next_time().await else { return };
            if self.now().since(START) > WORK_MS + DRAIN_MS {
                self.fail(&format!("{} handoffs are still open", self.auditor.books.open.len()));
            }
            self.advance_to(next.max(self.now()) + 500).await;
        }
        self.fail("the end takes too many steps");
    }

    /// The next time at which anything happens; nothing when all is over.
    async fn next_time(&mut self) -> Option<Timestamp> {
        let mut next = self.todo.keys().next().map(|(at, _)| Timestamp(*at));
        let open: Vec<HandoffId> = self.auditor.books.open.values().copied().collect();
        for id in open {
            let session = self.auditor.books.handoff(id).session.clone();
            let found = self.tenant_of(&session).session(&session).await.unwrap();
            let due = found.open.get(&id).and_then(|handoff| handoff.due());
            let Some(due) = due else {
                self.fail(&format!("{} is open and has no timer", self.auditor.books.name(id)))
            };
            next = Some(next.map_or(due, |next| next.min(due)));
        }
        next
    }

    /// Does what is to be done until then, and what is due by then.
    async fn advance_to(&mut self, time: Timestamp) {
        while let Some(entry) = self.todo.first_entry().filter(|entry| entry.key().0 <= time.0) {
            let ((at, _), todo) = entry.remove_entry();
            self.clock.set(Timestamp(at).max(self.now()));
            self.go_to_a_node().await;
            Box::pin(self.do_it(todo)).await;
        }
        self.clock.set(time.max(self.now()));
        self.go_to_a_node().await;
        let handled = self.engine.run_due().await;
        if let Err(error) = handled {
            self.fail(&format!("what is due cannot be handled: {error}"));
        }
        self.absorb().await;
    }

    /// Whatever comes next is asked of any of several nodes.
    async fn go_to_a_node(&mut self) {
        if let Some(engine) = self.nodes.any(&mut self.rng).await {
            self.tenants = tenants(&engine);
            self.engine = engine;
        }
    }

    async fn do_it(&mut self, todo: Todo) {
        match todo {
            Todo::Open(i) => self.open_session(i).await,
            Todo::Turn(i) => self.turn(i).await,
            Todo::Raise(i) => self.raise(i).await,
            Todo::Answer { handoff, who, tries } => self.answer(handoff, who, tries).await,
            Todo::Work { handoff, lease, who, left, tries } => self.work(handoff, lease, who, left, tries).await,
            Todo::Approve { handoff } => self.approve(handoff).await,
            Todo::Take { session, of, who, group } => self.take(&session, of, who, group).await,
            Todo::Lie(who) => self.lie(who).await,
            Todo::Restart => self.restart().await,
        }
    }

    /// Closes the engine and opens it again on the same file, after a while.
    async fn restart(&mut self) {
        self.close().await;
        let away = self.rng.below(AWAY_MS_MAX);
        self.clock.jump(Duration::from_millis(away));
        self.nodes = Nodes::open(self.nodes.count(), &self.file(), options(&self.clock, self.house), &self.clock).await;
        self.engine = self.nodes.first();
        (self.tenants, self.feeds) = handles(&self.engine);
        self.tally.restarts += 1;
        self.line(|_| format!("restart, away for {away} ms"));
        self.check_sessions().await;
    }

    /// Closes the engine and looks at what it has written.
    pub async fn close(&mut self) {
        self.engine.forget_accounts().await.unwrap();
        self.nodes.close().await;
        let store = handover_store::sqlite::SqliteStore::open(&self.file(), handover_store::sqlite::Options::default());
        let store = store.unwrap();
        self.check_ledger(&store).await;
        handover_store::Store::close(&store).await.unwrap();
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("swarm.db")
    }

    /// Notes how a command ended, and hears what happened by it.
    pub async fn done<T>(&mut self, what: String, result: Result<T, HandoffError>) -> Result<T, HandoffError> {
        self.tally.commands += 1;
        match &result {
            Ok(_) => self.line(|_| what),
            Err(error) => {
                let codes: Vec<&str> = error.refusals.iter().map(|refusal| refusal.code.text()).collect();
                self.line(|_| format!("{what}: {}", codes.join(" ")));
                if error.refusals.iter().any(|refusal| refusal.code.family() == Family::Trouble) {
                    self.fail(&format!("the engine is in trouble: {error}"));
                }
                self.refused(error);
            }
        }
        self.absorb().await;
        result
    }

    pub fn refused(&mut self, error: &HandoffError) {
        for refusal in &error.refusals {
            *self.tally.refused.entry(refusal.code.text()).or_default() += 1;
        }
    }

    /// Lets the engine finish what it does by itself, and hears of everything that happened.
    async fn absorb(&mut self) {
        let metrics = tokio::runtime::Handle::current().metrics();
        for _ in 0..SETTLE_POLLS_MAX {
            if metrics.num_alive_tasks() == 0 {
                break;
            }
            tokio::task::yield_now().await;
        }
        let mut heard = Vec::new();
        for feed in &mut self.feeds {
            // Unconstrained: a runtime that asks for a pause must not look like a feed that is empty.
            let mut context = Context::from_waker(Waker::noop());
            while let Poll::Ready(notice) = pin!(tokio::task::unconstrained(feed.next())).poll(&mut context) {
                match notice.unwrap().unwrap() {
                    Notice::Event(message) => heard.push(message),
                    Notice::Dropped { .. } => panic!("too much happened at once"),
                }
            }
        }
        heard.sort_by_key(|message| message.position);
        let mut news = Vec::new();
        for message in heard {
            match self.auditor.hear(&message) {
                Ok(told) => news.extend(told.into_iter().map(|told| (told, message.context.session_id.clone()))),
                Err(why) => self.fail(&why),
            }
        }
        news.sort_by_key(|(told, _)| told.place(&self.auditor.books));
        news.into_iter().for_each(|(told, session)| self.react(told, &session));
    }

    fn react(&mut self, news: News, session: &SessionId) {
        match news {
            News::Offer(handoff, to) => {
                let who = self.who(&to);
                self.see_offer(handoff, who);
            }
            News::Approval(handoff) => self.soon(1_000, 600_000, Todo::Approve { handoff }),
            News::Return(of, to, group) => {
                let (session, who) = (session.clone(), self.who(&to));
                self.soon(50, 5_000, Todo::Take { session, of, who, group });
            }
        }
    }

    /// Adds a line to the trace.
    pub fn line(&mut self, text: impl FnOnce(&Self) -> String) {
        let line = format!("+{:>9.3} {}", self.now().since(START) as f64 / 1_000.0, text(self));
        for byte in line.bytes() {
            self.digest = (self.digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        if self.trace.len() == TRACE_LINES {
            self.trace.pop_front();
        }
        self.trace.push_back(line);
    }

    /// Says what is wrong, and how to see it again.
    pub fn fail(&self, why: &str) -> ! {
        for line in &self.trace {
            eprintln!("{line}");
        }
        let (seed, house) = (self.seed, self.house.name);
        panic!("{why}\nseed {seed}, house {house}; see it again with SWARM_SEED={seed}");
    }
}
