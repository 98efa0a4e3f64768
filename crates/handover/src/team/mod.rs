//! Teams: the agents of a workflow, at work in this process. A builtin agent is one that comes with the program; a
//! command is any other program.

mod at_work;
mod charter;

use at_work::AtWork;
use handover_agents::{
    command::CommandAgent,
    program::{Environment, Program},
    staff::Staff,
};
use handover_core::{
    agent::{AgentKind, Autonomy, Capability, Profile},
    ids::AgentId,
    limits::TEAM_AT_ONCE,
    refusal::{Code, HandoffError, Refusal},
    workflow::{Member, Runner, Workflow},
};
use handover_engine::{
    Engine,
    agent::{Done, Work, agent},
};
use handover_teams::{
    bench::Ending,
    room::{self, Room},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The agent that stands for whoever asks.
pub const DESK: &str = "desk";

/// Where a team works.
#[derive(Debug, Clone)]
pub struct Places {
    /// The folder of the workflow: what the team reads.
    pub home: PathBuf,
    /// The folder of the run: what the team writes.
    pub run: PathBuf,
}

/// A team at work. Its services end when it is dropped.
pub struct Team {
    charter: Option<charter::Charter>,
}

impl Team {
    /// Defines the workflow and registers its agents. Those that say how they are run begin to work.
    ///
    /// # Errors
    /// When the workflow is refused, or one of its agents cannot be run.
    pub async fn assemble(engine: &Engine, workflow: &Workflow, places: &Places) -> Result<Self, HandoffError> {
        Self::assemble_with(engine, workflow, places, &Staff::default()).await
    }

    /// The same, with providers of models, tools and callbacks for those who need them.
    ///
    /// # Errors
    /// As [`Team::assemble`].
    pub async fn assemble_with(
        engine: &Engine,
        workflow: &Workflow,
        places: &Places,
        staff: &Staff,
    ) -> Result<Self, HandoffError> {
        engine.define(workflow.clone()).await?;
        if engine.agent(&AgentId::new(DESK)?).is_err() {
            let desk = Profile::named(DESK)?.kind(AgentKind::Human).about("", "Whoever asks, and hears of the end");
            engine.register_profile(desk).await?;
        }
        let mut team = Self { charter: None };
        for (id, member) in &workflow.agents {
            team.put_to_work(engine, workflow, id, member, (places, staff)).await?;
        }
        Ok(team)
    }

    async fn put_to_work(
        &mut self,
        engine: &Engine,
        workflow: &Workflow,
        id: &AgentId,
        member: &Member,
        (places, staff): (&Places, &Staff),
    ) -> Result<(), HandoffError> {
        let mut profile = profile(id, member);
        match &member.run {
            None if engine.agent(id).is_ok() => Ok(()),
            None => engine.register_profile(profile).await,
            Some(Runner::Command(words)) => {
                let set = [("HANDOVER_RUN".to_owned(), places.run.display().to_string())].into();
                // What is named so is meant for it.
                let environment = Environment { set, pass: vec!["HANDOVER_*".to_owned()] };
                let program = Program { words: words.clone(), folder: places.home.clone(), environment };
                engine.register(profile, CommandAgent::new(program, member.with.clone())).await
            }
            Some(Runner::Llm(llm)) => {
                profile.kind = AgentKind::Llm;
                profile.model = Some(llm.model.clone());
                profile.provider.clone_from(&llm.provider);
                profile.instructions.clone_from(&llm.instructions);
                profile.tools.clone_from(&llm.tools);
                staff.employ(engine, profile, member.with.clone()).await
            }
            Some(Runner::Http(http)) => {
                profile.kind = AgentKind::Http;
                profile.url = Some(http.url.clone());
                profile.secret_env.clone_from(&http.secret_env);
                staff.employ(engine, profile, member.with.clone()).await
            }
            Some(Runner::Builtin(name)) => self.builtin(engine, workflow, name, profile, places).await,
        }
    }

    async fn builtin(
        &mut self,
        engine: &Engine,
        workflow: &Workflow,
        name: &str,
        profile: Profile,
        places: &Places,
    ) -> Result<(), HandoffError> {
        let (team, role) = room::find(name).ok_or_else(|| unknown(name, &profile.id))?;
        if team == "charter" {
            return self.charter(engine, workflow, role, profile, places).await;
        }
        let room = Room::open(team, &places.home, &places.run, &workflow.with).map_err(|error| {
            let refusal = Refusal::new(Code::BadWorkflow, error).at("with");
            HandoffError::from(refusal.hint(format!("see workflows/{team}/README.md for what the team needs")))
        })?;
        let room = Arc::new(room);
        let run = move |work: Work| {
            let room = room.clone();
            async move { room::run(team, role, &work, &room).await }
        };
        engine.register(profile, agent(run)).await
    }

    /// The charter team shares an office with its services.
    async fn charter(
        &mut self,
        engine: &Engine,
        workflow: &Workflow,
        role: &'static str,
        profile: Profile,
        places: &Places,
    ) -> Result<(), HandoffError> {
        if self.charter.is_none() {
            self.charter = Some(charter::Charter::open(&workflow.with, places).await?);
        }
        let office = self.charter.as_ref().map(charter::Charter::office);
        let run = move |work: Work| {
            let office = office.clone();
            async move {
                let office = office.ok_or("the office is closed")?;
                let ending = handover_teams::charter::run(role, &AtWork::new(&work), &office).await?;
                Ok(done(ending))
            }
        };
        engine.register(profile, agent(run)).await
    }
}

/// How an agent of a team ends, for the engine.
fn done(ending: Ending) -> Done {
    let done = Done::json(ending.data).signal(ending.signal).notes(ending.say);
    if ending.failed { done.unsuccessful() } else { done }
}

fn unknown(name: &str, id: &AgentId) -> HandoffError {
    let known: Vec<String> = room::names().collect();
    let near = handover_core::nearest::nearest(name, known.iter().map(|known| (known.as_str(), known)));
    let hint =
        near.map_or_else(|| format!("there are {}", known.join(", ")), |near| format!("did you mean \"{near}\"?"));
    let refusal = Refusal::new(Code::UnknownValue, format!("no agent \"{name}\" comes with this program"));
    refusal.at(format!("agents.{id}.run.builtin")).hint(hint).into()
}

fn profile(id: &AgentId, member: &Member) -> Profile {
    let mut profile = Profile::of(id.clone());
    profile.kind = AgentKind::Worker;
    profile.specialization.clone_from(&member.about);
    profile.max_concurrent_tasks = member.at_once.unwrap_or(TEAM_AT_ONCE);
    if let Some(max_risk) = member.max_risk {
        profile.autonomy_budget = Autonomy { max_risk };
    }
    let capability = |id: &String| Capability { id: id.clone(), proficiency: 1.0 };
    profile.capabilities = member.capabilities.iter().map(capability).collect();
    profile
}

/// A path of the workflow's settings, seen from a folder.
pub(crate) fn within(folder: &Path, path: &Path) -> PathBuf {
    if path.is_absolute() { path.to_path_buf() } else { folder.join(path) }
}
