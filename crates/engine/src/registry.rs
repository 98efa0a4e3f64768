//! Who is registered, how busy they are, and which of them live in this process.

use crate::{agent::Agent as LocalAgent, engine::Engine, shared::Leaf};
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
        self.sync_book().await?;
        let profile = Arc::new(profile);
        let mut standing = Standing::Available;
        let mut back = false;
        let written = self.write_leaf(|_| {
            let known = self.inner.agents.read().get(&profile.id).cloned();
            self.may_put(known.as_ref(), &profile, bound)?;
            // Whoever registers is there; but an agent that is being drained stays so until somebody says otherwise.
            standing = match known.as_ref().map(|known| known.standing) {
                Some(Standing::Draining) => Standing::Draining,
                Some(Standing::Available | Standing::Unavailable) | None => Standing::Available,
            };
            if known.as_ref().is_some_and(|known| *known.profile == *profile && known.standing == standing) {
                return Ok(None);
            }
            back = known.is_some_and(|known| known.standing != standing);
            let row = AgentRow { id: profile.id.clone(), entry: Some((profile.clone(), standing)) };
            let events = vec![Event::AgentRegistered { profile: profile.clone() }];
            Ok(Some(Leaf { events, agents: vec![row], ..Leaf::default() }))
        });
        if !written.await? {
            return Ok(());
        }
        if !self.is_shared() {
            self.inner.agents.write().put(profile.clone(), standing);
        }
        if back {
            self.is_back(&profile.id);
        }
        Ok(())
    }

    /// Whether this caller may register this profile in the place of the one that is known.
    fn may_put(&self, known: Option<&Agent>, profile: &Profile, bound: bool) -> Result<(), HandoffError> {
        if let Some(known) = known {
            self.stays_whose_it_is(&known.profile, profile)?;
        }
        check_profile(profile, &self.inner.agents.read())?;
        if !bound {
            return self.runs_nothing(profile);
        }
        match known {
            Some(known) => self.widens_nothing(&known.profile, profile),
            None => self.asks_for_little(profile),
        }
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
        self.known_agent(agent).await?;
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
        self.may_change(&self.known_agent(agent).await?.profile)?;
        let standing = if drain { Standing::Draining } else { Standing::Available };
        let why = self.by_hand(reason)?;
        let _alone = self.inner.registry.lock().await;
        self.write_standing(agent, standing, &why, |_| true).await
    }

    /// Removes an agent that has no work. What was counted of it is forgotten later, when it limits nothing any more:
    /// whoever leaves and comes back finds its breaker and what it used as they were.
    ///
    /// # Errors
    /// When there is no such agent, it still has work, is not this caller's, or the caller is no administrator.
    pub async fn remove_agent(&self, agent: &AgentId) -> Result<(), HandoffError> {
        self.acts_for(agent)?;
        self.caller.may(Right::Administer)?;
        self.may_change(&self.known_agent(agent).await?.profile)?;
        let _alone = self.inner.registry.lock().await;
        self.refresh_loads().await?;
        let load = self.known(agent)?.load;
        let offers = self.inner.store.offers(agent, 1).await?.len();
        if load > 0 || offers > 0 {
            let message =
                format!("{agent} works on {load} and is offered {}", if offers > 0 { "more" } else { "nothing" });
            return Err(Refusal::new(Code::AgentBusy, message).into());
        }
        let row = AgentRow { id: agent.clone(), entry: None };
        let event = Event::AgentRemoved { agent: agent.clone() };
        self.write_leaf(|_| {
            self.known(agent)?;
            Ok(Some(Leaf { events: vec![event.clone()], agents: vec![row.clone()], ..Leaf::default() }))
        })
        .await?;
        if !self.is_shared() {
            self.inner.agents.write().remove(agent);
        }
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

    /// The same, also where another process registered it a moment ago.
    pub(crate) async fn known_agent(&self, agent: &AgentId) -> Result<Agent, HandoffError> {
        match self.agent(agent) {
            Err(_) if self.is_shared() => {
                self.sync_book().await?;
                self.agent(agent)
            }
            found => found,
        }
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
        self.write_standing(agent, standing, why, |known| known != Standing::Draining).await
    }

    async fn write_standing(
        &self,
        agent: &AgentId,
        standing: Standing,
        why: &str,
        may_follow: impl Fn(Standing) -> bool + Send + Sync,
    ) -> Result<(), HandoffError> {
        let written = self.write_leaf(|_| {
            let known = self.known(agent)?;
            if known.standing == standing || !may_follow(known.standing) {
                return Ok(None);
            }
            let row = AgentRow { id: agent.clone(), entry: Some((known.profile, standing)) };
            let event = Event::AgentStanding { agent: agent.clone(), standing, why: why.to_owned() };
            Ok(Some(Leaf { events: vec![event], agents: vec![row], ..Leaf::default() }))
        });
        if !written.await? {
            return Ok(());
        }
        if !self.is_shared()
            && let Some(entry) = self.inner.agents.write().get_mut(agent)
        {
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
            Some(entry) if entry.has_room() => entry.load += 1,
            Some(_) | None => return false,
        }
        drop(agents);
        self.place_moved();
        true
    }

    /// A place was taken or given back: a look at the store that was begun before does not know of it.
    fn place_moved(&self) {
        if let Some(shared) = &self.inner.shared {
            shared.loads.moved();
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
        self.place_moved();
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
