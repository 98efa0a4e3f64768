//! Short ways to say what is mostly wanted: profiles, requests and openings, a word at a time.

use crate::{
    agent::{AgentKind, Autonomy, Capability, Profile, Risk},
    budget::{Budget, Limit},
    command::Open,
    guard::complexity::Complexity,
    handoff::{Aggregation, Broadcast, Kind, OnTimeout, Priority, Request, RequiredCapability, Send},
    ids::AgentId,
    policy::{Mode, SessionLimits, Strategy},
    refusal::HandoffError,
};
use serde_json::Value;
use std::time::Duration;

impl Profile {
    /// A profile with this id.
    ///
    /// # Errors
    /// When the text is not a name.
    pub fn named(id: &str) -> Result<Self, HandoffError> {
        Ok(Self::of(AgentId::new(id)?))
    }

    /// It can do this, as well as anybody.
    #[must_use]
    pub fn can(self, capability: &str) -> Self {
        self.can_at(capability, 1.0)
    }

    /// It can do this, so well: from 0 to 1.
    #[must_use]
    pub fn can_at(mut self, capability: &str, proficiency: f64) -> Self {
        self.capabilities.push(Capability { id: capability.to_owned(), proficiency });
        self
    }

    /// It works on so many tasks at once.
    #[must_use]
    pub fn at_once(mut self, tasks: u32) -> Self {
        self.max_concurrent_tasks = tasks;
        self
    }

    /// It is of this kind.
    #[must_use]
    pub fn kind(mut self, kind: AgentKind) -> Self {
        self.kind = kind;
        self
    }

    /// It may take this risk, and no higher one.
    #[must_use]
    pub fn may_risk(mut self, max_risk: Risk) -> Self {
        self.autonomy_budget = Autonomy { max_risk };
        self
    }

    /// It may use so much.
    #[must_use]
    pub fn budget(mut self, budget: Limit) -> Self {
        self.budget = Some(budget);
        self
    }

    /// It works with this model, as in the price table.
    #[must_use]
    pub fn model(mut self, model: &str) -> Self {
        self.model = Some(model.to_owned());
        self
    }

    /// What it is about, in a word or two, and what it does, in a sentence.
    #[must_use]
    pub fn about(mut self, specialization: &str, description: &str) -> Self {
        specialization.clone_into(&mut self.specialization);
        description.clone_into(&mut self.description);
        self
    }

    /// It asks this agent when it may not decide.
    ///
    /// # Errors
    /// When the text is not a name.
    pub fn escalates_to(mut self, agent: &str) -> Result<Self, HandoffError> {
        self.escalates_to = Some(AgentId::new(agent)?);
        Ok(self)
    }
}

impl Open {
    /// A session that this agent owns at first.
    ///
    /// # Errors
    /// When the text is not a name.
    pub fn by(agent: &str) -> Result<Self, HandoffError> {
        Ok(Self::of(AgentId::new(agent)?))
    }

    /// The same, with a name that is one.
    #[must_use]
    pub fn of(active_agent: AgentId) -> Self {
        Self {
            active_agent,
            user_id: None,
            original_request: String::new(),
            metadata: Value::Null,
            complexity: None,
            workflow: None,
            limits: SessionLimits::default(),
            mode: None,
        }
    }

    /// What the user asked for.
    #[must_use]
    pub fn asking(mut self, request: &str) -> Self {
        request.clone_into(&mut self.original_request);
        self
    }

    /// How much it asks for: its class decides how far it may go.
    #[must_use]
    pub fn complexity(mut self, class: Complexity) -> Self {
        self.complexity = Some(class);
        self
    }

    /// How far it may go, before what its class and the house say.
    #[must_use]
    pub fn limits(mut self, limits: SessionLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Whether work is handed over in it.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// The workflow that it follows, by name.
    #[must_use]
    pub fn workflow(mut self, name: &str) -> Self {
        self.workflow = Some(name.to_owned());
        self
    }
}

impl Request {
    /// The work goes to another agent for good, and with it the session; the source's part is complete.
    ///
    /// # Errors
    /// When a text is not a name.
    pub fn sequential(from: &str, to: &str, task: &str) -> Result<Self, HandoffError> {
        let mut request = Self::new(Kind::Sequential, AgentId::new(from)?, task);
        request.to_agent = Some(AgentId::new(to)?);
        request.completes_segment = true;
        Ok(request)
    }

    /// Another agent does it within this time, and the result comes back.
    ///
    /// # Errors
    /// When a text is not a name.
    pub fn delegation(from: &str, to: &str, task: &str, timeout: Duration) -> Result<Self, HandoffError> {
        let mut request = Self::new(Kind::Delegation, AgentId::new(from)?, task);
        request.to_agent = Some(AgentId::new(to)?);
        Ok(request.within(timeout))
    }

    /// Somebody with this capability does it within this time, and the result comes back.
    ///
    /// # Errors
    /// When a text is not a name.
    pub fn delegation_by(from: &str, capability: &str, task: &str, timeout: Duration) -> Result<Self, HandoffError> {
        let mut request = Self::new(Kind::Delegation, AgentId::new(from)?, task);
        request.capability = Some(capability.to_owned());
        Ok(request.within(timeout))
    }

    /// Several do it at once, each within this time; the aggregation decides.
    ///
    /// # Errors
    /// When a text is not a name.
    pub fn broadcast(
        from: &str,
        to: &[&str],
        task: &str,
        aggregation: Aggregation,
        timeout: Duration,
    ) -> Result<Self, HandoffError> {
        let mut request = Self::new(Kind::Broadcast, AgentId::new(from)?, task);
        let mut targets = Vec::new();
        for agent in to {
            targets.push(Send { to_agent: AgentId::new(agent)?, task: None });
        }
        request.broadcast = Some(Broadcast { targets, aggregation });
        Ok(request.within(timeout))
    }

    /// Whoever is above decides.
    ///
    /// # Errors
    /// When a text is not a name.
    pub fn escalation(from: &str, question: &str, rationale: &str) -> Result<Self, HandoffError> {
        let mut request = Self::new(Kind::Escalation, AgentId::new(from)?, question);
        rationale.clone_into(&mut request.audit.decision_rationale);
        Ok(request)
    }

    /// How long it may take.
    #[must_use]
    pub fn within(mut self, timeout: Duration) -> Self {
        self.return_protocol.timeout_ms = Some(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// What to do when time runs out.
    #[must_use]
    pub fn on_timeout(mut self, policy: OnTimeout) -> Self {
        self.return_protocol.on_timeout = policy;
        self
    }

    /// Why.
    #[must_use]
    pub fn because(mut self, reason: &str) -> Self {
        reason.clone_into(&mut self.reason);
        self
    }

    /// The task's data.
    #[must_use]
    pub fn payload(mut self, payload: Value) -> Self {
        self.task.payload = payload;
        self
    }

    /// How urgent it is.
    #[must_use]
    pub fn priority(mut self, priority: Priority) -> Self {
        self.task.priority = priority;
        self
    }

    /// The risk of it.
    #[must_use]
    pub fn risking(mut self, risk: Risk) -> Self {
        self.audit.risk_level = risk;
        self
    }

    /// The receiver should be able to do this.
    #[must_use]
    pub fn requiring(mut self, capability: &str) -> Self {
        let needed = RequiredCapability { capability_id: capability.to_owned(), min_proficiency: None };
        self.validation.required_capabilities.push(needed);
        self
    }

    /// What it may use: set aside before it begins.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.context.constraints.budget = Some(budget);
        self
    }

    /// The work is routed by its text, in this way, to somebody whom nobody named.
    ///
    /// # Errors
    /// When the text is not a name.
    pub fn routed(from: &str, task: &str, strategy: Strategy, timeout: Duration) -> Result<Self, HandoffError> {
        let mut request = Self::new(Kind::Delegation, AgentId::new(from)?, task);
        request.strategy = Some(strategy);
        Ok(request.within(timeout))
    }

    /// How somebody is found.
    #[must_use]
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// The key that makes it once.
    #[must_use]
    pub fn key(mut self, key: &str) -> Self {
        self.idempotency_key = Some(key.to_owned());
        self
    }
}
