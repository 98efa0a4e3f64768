//! A team with models that answer by a function, and the conversation with it in words.

use async_trait::async_trait;
use handover_agents::{
    llm::LlmAgent,
    model::{Arguments, Ask, Call, Line, Listener, Model, ModelError, Reply, StopReason, TokensUsed},
    talk::{Answered, Conversation},
    tool::Tools,
};
use handover_core::{
    agent::{AgentKind, Profile},
    digest::Digest,
    ids::{AgentId, SessionId},
    message::Role,
    time::Timestamp,
};
use handover_engine::{Engine, Options, clock::ManualClock};
use parking_lot::Mutex;
use serde_json::Value;
use std::{
    fmt::Write,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;

/// What the models of a team answer.
pub type Script = fn(&str, &Ask) -> Reply;

/// A model that answers by a function and remembers what it was asked.
pub struct Fake {
    script: Script,
    /// What was asked, as digests.
    pub asked: Mutex<Vec<Digest>>,
    /// The same in full, with who was asked.
    pub seen: Mutex<Vec<(String, Ask)>>,
    /// How often it may answer; after that it is silent for ever.
    pub answers: Semaphore,
    /// How often it was asked, answered or not.
    pub questions: AtomicUsize,
}

impl Fake {
    pub fn new(script: Script, answers: usize) -> Arc<Self> {
        Arc::new(Self {
            script,
            asked: Mutex::default(),
            seen: Mutex::default(),
            answers: Semaphore::new(answers),
            questions: AtomicUsize::new(0),
        })
    }
}

#[async_trait]
impl Model for Fake {
    async fn ask(&self, ask: &Ask, heard: Listener<'_>) -> Result<Reply, ModelError> {
        self.questions.fetch_add(1, Ordering::SeqCst);
        self.answers.acquire().await.unwrap().forget();
        self.asked.lock().push(Digest::of_json(ask));
        let name = ask.system.strip_prefix("You are ").unwrap().split([':', '.', ' ']).next().unwrap();
        self.seen.lock().push((name.to_owned(), ask.clone()));
        let reply = (self.script)(name, ask);
        heard(handover_agents::model::Piece::Text(reply.text.clone()));
        Ok(reply)
    }
}

pub fn says(text: &str) -> Reply {
    let used = Some(TokensUsed { input: 10, cached: 0, output: 5 });
    Reply { text: text.to_owned(), calls: Vec::new(), stop: StopReason::Done, used, model: "fake".into() }
}

/// Asks for tools: their names and arguments.
pub fn calls(text: &str, calls: &[(&str, Value)]) -> Reply {
    let call = |(i, (name, arguments)): (usize, &(&str, Value))| Call {
        id: format!("call-{}-{i}", Digest::of_json(&(text, name)).to_string().get(..6).unwrap()),
        name: (*name).to_owned(),
        arguments: Arguments::Read(arguments.clone()),
    };
    let calls = calls.iter().enumerate().map(call).collect();
    Reply { calls, stop: StopReason::Tools, ..says(text) }
}

/// What the user or a brief said last, and the results that came last.
pub fn last_user(ask: &Ask) -> &str {
    let mut lines = ask.lines.iter().rev();
    lines.find_map(|line| if let Line::User(text) = line { Some(text.as_str()) } else { None }).unwrap_or_default()
}

pub fn last_results(ask: &Ask) -> Option<String> {
    match ask.lines.last() {
        Some(Line::Results(results)) => {
            Some(results.iter().map(|result| result.content.clone()).collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}

/// A member of a team.
pub fn member(line: &str) -> Profile {
    // id | specialization | description | capabilities | tools
    let parts: Vec<&str> = line.split('|').map(str::trim).collect();
    let mut profile = Profile::named(parts[0]).unwrap().kind(AgentKind::Llm).about(parts[1], parts[2]).model("fake");
    for capability in parts[3].split_whitespace() {
        profile = profile.can(capability);
    }
    profile.tools = parts[4].split_whitespace().map(str::to_owned).collect();
    profile
}

pub const DEPLOYERS: [&str; 3] = [
    "generalist | | A general assistant that works with specialists | | handoff",
    "tester | testing | Runs tests | run-tests | run_tests",
    "deployer | deployment | Deploys | deploy | deploy_app",
];

pub struct Team {
    pub engine: Engine,
    pub talk: Conversation,
    pub clock: ManualClock,
}

/// Nothing in these tests takes so long unless it hangs.
const HANGS: Duration = Duration::from_secs(120);

pub async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(HANGS, work).await.expect("it hangs")
}

/// Gives others a turn until something is so.
pub async fn until(is_so: impl Fn() -> bool) {
    within(async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// How often a model was asked since the user or a brief spoke.
pub fn turns(ask: &Ask) -> usize {
    ask.lines.iter().rev().take_while(|line| !matches!(line, Line::User(_))).count() / 2
}

impl Team {
    pub async fn open(db: &Path, members: &[&str], model: &Arc<Fake>, tools: &Arc<Tools>) -> Self {
        let profiles: Vec<Profile> = members.iter().map(|line| member(line)).collect();
        Self::of(db, &profiles, model, tools).await
    }

    /// The same with profiles that say more. People among them do nothing by themselves.
    pub async fn of(db: &Path, profiles: &[Profile], model: &Arc<Fake>, tools: &Arc<Tools>) -> Self {
        let clock = ManualClock::at(Timestamp(1_800_000_000_000));
        let options = Options { clock: Some(Arc::new(clock.clone())), background: false, ..Options::default() };
        let engine = Engine::open_with(db, options).await.unwrap();
        // Whoever is named by another must be there before it.
        for profile in profiles.iter().rev() {
            if profile.kind == AgentKind::Human {
                engine.register_profile(profile.clone()).await.unwrap();
                continue;
            }
            let profile = profile.clone();
            let agent = LlmAgent::new(profile.clone(), model.clone(), tools.clone());
            engine.register(profile, agent).await.unwrap();
        }
        let first = profiles[0].id.clone();
        let session = SessionId::new("talk").unwrap();
        let talk = Conversation::open(&engine, &session, &AgentId::new("user").unwrap(), &first).await.unwrap();
        Self { engine, talk, clock }
    }

    /// Closes the engine while its agents are in the middle of something.
    pub async fn close(&self) {
        let moving = async {
            loop {
                self.clock.advance(Duration::from_secs(1));
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            closed = within(self.engine.close()) => closed.unwrap(),
            () = moving => unreachable!(),
        }
    }

    /// The conversation as it is kept, a line for each message.
    pub async fn transcript(&self) -> String {
        let mut text = String::new();
        for message in self.engine.messages(self.talk.session(), 1, 500).await.unwrap() {
            let said = &message.said;
            let who = match (&said.agent, said.role) {
                (Some(agent), Role::Tool) => format!("{agent} ⟵ {}", said.tool_name.clone().unwrap_or_default()),
                (Some(agent), _) => agent.to_string(),
                (None, _) => "user".to_owned(),
            };
            let aside = if said.aside { "  (aside) " } else { "" };
            let calls: Vec<String> =
                said.tool_calls.iter().map(|call| format!(" [{} {}]", call.name, call.arguments)).collect();
            writeln!(text, "{aside}{who}: {}{}", said.content, calls.concat()).unwrap();
        }
        text
    }
}

/// An answer in words.
pub fn told(answered: &Answered) -> String {
    let mut text = String::new();
    for moved in &answered.moves {
        let sign = if moved.control { "⇒" } else { "→" };
        writeln!(text, "{} {sign} {}: {}", moved.from, moved.to, moved.reason).unwrap();
    }
    writeln!(
        text,
        "{} ({:?}, {} tokens, {} asks): {}",
        answered.agent, answered.status, answered.used.tokens, answered.used.iterations, answered.text
    )
    .unwrap();
    text
}
