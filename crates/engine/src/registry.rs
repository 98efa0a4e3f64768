//! Who is registered, how busy they are, and which of them live in this process.

use crate::{agent::Agent as LocalAgent, engine::Engine};
use handover_core::{
    access::Right,
    agent::{Agent, Known, Profile, Standing},
    decide::check_profile,
    event::Event,
    ids::AgentId,
    refusal::{Code, HandoffError, Refusal},
};
use handover_store::AgentRow;
use std::sync::Arc;

impl Engine {
    /// Registers an agent that lives elsewhere, or changes its profile.
    ///
    /// # Errors
    /// When the profile is not valid, with everything that is wrong with it; when the id is somebody else's or reserved, or
    /// the profile is not this caller's to set.
    pub async fn register_profile(&self, profile: Profile) -> Result<(), HandoffError> {
        not_reserved(&profile.id)?;
        self.put_profile(profile).await
    }

    async fn put_profile(&self, mut profile: Profile) -> Result<(), HandoffError> {
        self.acts_for(&profile.id)?;
        let bound = self.caller.acts_as.is_some();
        self.caller.may(if bound { Right::Act } else { Right::Administer })?;
        if !self.caller.house {
            profile.tenant = Some(self.caller.tenant.clone());
        }
        let _alone = self.inner.registry.lock().await;
        let known = self.inner.agents.read().get(&profile.id).cloned();
        if let Some(known) = &known {
            self.stays_whose_it_is(&known.profile, &profile)?;
        }
        check_profile(&profile, &self.inner.agents.read())?;
        if !bound {
            self.runs_nothing(&profile)?;
        }
        let profile = Arc::new(profile);
        match &known {
            Some(known) if bound => self.widens_nothing(&known.profile, &profile)?,
            None if bound => self.asks_for_little(&profile)?,
            Some(_) | None => {}
        }
        // Whoever registers is there; but an agent that is being drained stays so until somebody says otherwise.
        let standing = match known.as_ref().map(|known| known.standing) {
            Some(Standing::Draining) => Standing::Draining,
            Some(Standing::Available | Standing::Unavailable) | None => Standing::Available,
        };
        if known.as_ref().is_some_and(|known| *known.profile == *profile && known.standing == standing) {
            return Ok(());
        }
        let back = known.is_some_and(|known| known.standing != standing);
        let row = AgentRow { id: profile.id.clone(), entry: Some((profile.clone(), standing)) };
        self.write_house(vec![Event::AgentRegistered { profile: profile.clone() }], vec![row]).await?;
        self.inner.agents.write().put(profile.clone(), standing);
        if back {
            self.is_back(&profile.id);
        }
        Ok(())
    }

    /// An id is one agent's, whoever asks; and an agent never changes its tenant.
    fn stays_whose_it_is(&self, known: &Profile, new: &Profile) -> Result<(), HandoffError> {
        if self.caller.knows_agents_of(known.tenant.as_deref()) {
            self.may_change(known)?;
        }
        if known.tenant == new.tenant {
            return Ok(());
        }
        let refusal = Refusal::new(Code::IdTaken, format!("\"{}\" is the id of another agent", new.id)).at("id");
        let hint = if self.caller.house { "remove the other one first, or choose another id" } else { "" };
        Err(refusal.hint(hint).into())
    }

    /// Registers an agent of this process: its profile, and the code that does the work.
    /// Work that was offered to it before, also before a restart, begins at once. Names that begin with `handover:` are for
    /// what this program itself brings along: only code of the house gets here with one.
    ///
    /// # Errors
    /// As [`Engine::register_profile`].
    pub async fn register(&self, profile: Profile, agent: impl LocalAgent) -> Result<(), HandoffError> {
        let id = profile.id.clone();
        if !self.caller.house {
            not_reserved(&id)?;
        }
        self.put_profile(profile).await?;
        self.attach(id, Arc::new(agent)).await
    }

    /// A sign of life of an agent that pulls work and has none now. Asking for work is one,
    /// too, and so is taking it, keeping its lease alive and giving it back.
    ///
    /// # Errors
    /// When there is no such agent, or a change cannot be written.
    pub async fn alive(&self, agent: &AgentId) -> Result<(), HandoffError> {
        self.acts_for(agent)?;
        self.caller.may(Right::Act)?;
        self.agent(agent)?;
        self.seen(agent, "it gave a sign of life").await
    }

    /// Lets an agent finish what it has and gives it nothing new. `false` brings it back.
    ///
    /// # Errors
    /// When there is no such agent, it is not this caller's to change, or the caller is no operator.
    pub async fn drain(&self, agent: &AgentId, drain: bool) -> Result<(), HandoffError> {
        self.drain_because(agent, drain, "asked for").await
    }

    /// The same with a reason, which the book of the house keeps with the name of whoever asked.
    ///
    /// # Errors
    /// As [`Engine::drain`], and when the reason is no short text.
    pub async fn drain_because(&self, agent: &AgentId, drain: bool, reason: &str) -> Result<(), HandoffError> {
        self.acts_for(agent)?;
        self.caller.may(Right::Operate)?;
        self.may_change(&self.agent(agent)?.profile)?;
        let standing = if drain { Standing::Draining } else { Standing::Available };
        let why = self.by_hand(reason)?;
        let _alone = self.inner.registry.lock().await;
        self.write_standing(agent, standing, &why).await
    }

    /// Removes an agent that has no work. What was counted of it is forgotten later, when it limits nothing any more:
    /// whoever leaves and comes back finds its breaker and what it used as they were.
    ///
    /// # Errors
    /// When there is no such agent, it still has work, is not this caller's, or the caller is no administrator.
    pub async fn remove_agent(&self, agent: &AgentId) -> Result<(), HandoffError> {
        self.acts_for(agent)?;
        self.caller.may(Right::Administer)?;
        self.may_change(&self.agent(agent)?.profile)?;
        let _alone = self.inner.registry.lock().await;
        let load = self.known(agent)?.load;
        let offers = self.inner.store.offers(agent, 1).await?.len();
        if load > 0 || offers > 0 {
            let message =
                format!("{agent} works on {load} and is offered {}", if offers > 0 { "more" } else { "nothing" });
            return Err(Refusal::new(Code::AgentBusy, message).into());
        }
        let row = AgentRow { id: agent.clone(), entry: None };
        let event = Event::AgentRemoved { agent: agent.clone() };
        self.write_house(vec![event], vec![row]).await?;
        self.inner.agents.write().remove(agent);
        self.inner.heard.lock().remove(agent);
        self.detach(agent);
        Ok(())
    }

    /// All agents that exist for this caller, by id: those of the house and of its tenant.
    #[must_use]
    pub fn agents(&self) -> Vec<Agent> {
        self.knowing(|known| known.iter().cloned().collect())
    }

    /// One agent.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn agent(&self, agent: &AgentId) -> Result<Agent, HandoffError> {
        self.knowing(|known| known.get(agent).cloned().ok_or_else(|| unknown(agent, known)))
    }

    fn knowing<T>(&self, look: impl FnOnce(Known<'_>) -> T) -> T {
        let agents = self.inner.agents.read();
        look(if self.caller.house { Known::all(&agents) } else { Known::to(&agents, &self.caller.tenant) })
    }

    fn known(&self, agent: &AgentId) -> Result<Agent, HandoffError> {
        let agents = self.inner.agents.read();
        agents.get(agent).cloned().ok_or_else(|| unknown(agent, Known::all(&agents)))
    }

    /// A caller that is bound to certain agents changes those alone.
    pub(crate) fn acts_for(&self, agent: &AgentId) -> Result<(), HandoffError> {
        if self.caller.may_act_as(agent) {
            return Ok(());
        }
        let message = format!("{} may not act as {agent}", self.caller.name);
        Err(Refusal::new(Code::NotYourAgent, message).into())
    }

    /// What the engine sees of an agent. It never ends a draining: that was asked for.
    pub(crate) async fn set_standing(
        &self,
        agent: &AgentId,
        standing: Standing,
        why: &str,
    ) -> Result<(), HandoffError> {
        let _alone = self.inner.registry.lock().await;
        if self.known(agent)?.standing == Standing::Draining {
            return Ok(());
        }
        self.write_standing(agent, standing, why).await
    }

    async fn write_standing(&self, agent: &AgentId, standing: Standing, why: &str) -> Result<(), HandoffError> {
        let known = self.known(agent)?;
        if known.standing == standing {
            return Ok(());
        }
        let row = AgentRow { id: agent.clone(), entry: Some((known.profile, standing)) };
        let event = Event::AgentStanding { agent: agent.clone(), standing, why: why.to_owned() };
        self.write_house(vec![event], vec![row]).await?;
        if let Some(entry) = self.inner.agents.write().get_mut(agent) {
            entry.standing = standing;
            entry.failures = 0;
        }
        if standing == Standing::Available {
            self.kick(agent);
            self.is_back(agent);
        }
        Ok(())
    }

    /// Takes one of the agent's places, if it has one free.
    pub(crate) fn reserve(&self, agent: &AgentId) -> bool {
        let mut agents = self.inner.agents.write();
        match agents.get_mut(agent) {
            Some(entry) if entry.has_room() => {
                entry.load += 1;
                true
            }
            Some(_) | None => false,
        }
    }

    /// Whoever asks for work or keeps a lease alive is there.
    pub(crate) async fn seen(&self, agent: &AgentId, why: &str) -> Result<(), HandoffError> {
        let known = self.inner.agents.read().get(agent).map(|entry| entry.standing);
        if known.is_some() {
            self.inner.heard.lock().insert(agent.clone(), self.inner.clock.now());
        }
        let away = known == Some(Standing::Unavailable);
        if away { self.set_standing(agent, Standing::Available, why).await } else { Ok(()) }
    }

    pub(crate) fn release(&self, agent: &AgentId) {
        if let Some(entry) = self.inner.agents.write().get_mut(agent) {
            entry.load = entry.load.saturating_sub(1);
        }
        self.kick(agent);
        self.inner.claims.ring_all(agent);
    }
}

/// What the engine brings along has names that nobody else can take.
fn not_reserved(id: &AgentId) -> Result<(), HandoffError> {
    if id.as_str().starts_with("handover:") {
        return Err(Refusal::new(Code::ReservedName, format!("{id} is reserved")).at("id").into());
    }
    Ok(())
}

fn unknown(agent: &AgentId, agents: Known<'_>) -> HandoffError {
    let refusal = Refusal::new(Code::UnknownAgent, format!("\"{agent}\" is not registered"));
    match agents.nearest(agent.as_str()) {
        Some(near) => refusal.hint(format!("did you mean \"{near}\"?")).into(),
        None => refusal.into(),
    }
}
