//! Events from outside that hand work over by rule: `security.alert` goes to whoever can do security, at once.

use crate::{engine::Engine, shared::Leaf};
use handover_core::{
    access::Right,
    command::{Answer, Open},
    event::Event,
    handoff::{Kind, Priority, Request, Task, Trigger},
    ids::{AgentId, HandoffId, SessionId},
    limits::{EVENT_RULES_MAX, EXECUTION_MS, TEXT_BYTES_MAX},
    refusal::{Code, HandoffError, Refusal},
};
use handover_store::StoreError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What happens when an event comes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EventRule {
    /// Its name.
    #[cfg_attr(feature = "schema", schemars(with = "AgentId"))]
    pub name: String,
    /// The type of event; `security.*` stands for all that begin so.
    #[cfg_attr(feature = "schema", schemars(with = "handover_core::described::Text"))]
    pub on: String,
    /// In whose name the work is handed over where the event belongs to no session.
    pub from_agent: AgentId,
    /// To whom; left out, somebody with the capability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_agent: Option<AgentId>,
    /// A capability to find somebody by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<handover_core::described::Text>"))]
    pub capability: Option<String>,
    /// What is to be done; the event's data goes with it.
    #[cfg_attr(feature = "schema", schemars(with = "handover_core::described::Text"))]
    pub task: String,
    /// How urgent it is.
    #[serde(default)]
    pub priority: Priority,
}

/// Something that happened outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OutsideEvent {
    /// Its id: the same one twice hands over once.
    #[cfg_attr(feature = "schema", schemars(with = "handover_core::described::KeyText"))]
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(with = "handover_core::described::Text"))]
    pub kind: String,
    /// Its data.
    #[serde(default)]
    pub data: Value,
    /// The session that it belongs to; a new one when left out.
    #[serde(default)]
    pub session_id: Option<SessionId>,
}

const PREFIX: &str = "event_rule:";
/// Whose rules are that say nothing of it.
const DEFAULT_TENANT: &str = "default";

impl Engine {
    /// Keeps a rule for events of this caller's tenant; one with the same name is replaced. It survives a restart.
    ///
    /// # Errors
    /// When the rule names nobody, or somebody who is not registered; when this caller is no administrator.
    pub async fn on_event(&self, rule: EventRule) -> Result<(), HandoffError> {
        self.unbound()?;
        self.caller.may(Right::Administer)?;
        // The name becomes part of the name of a session.
        AgentId::new(&rule.name)?;
        for (field, text) in [("on", &rule.on), ("task", &rule.task)] {
            if text.trim().is_empty() {
                return Err(Refusal::new(Code::EmptyField, "it is empty").at(field).into());
            }
            if text.len() > TEXT_BYTES_MAX {
                let message =
                    format!("it has {} bytes; at most {TEXT_BYTES_MAX} are allowed (TEXT_BYTES_MAX)", text.len());
                return Err(Refusal::new(Code::TooLarge, message).at(field).into());
            }
        }
        if self.event_rules().await?.iter().filter(|known| known.name != rule.name).count() >= EVENT_RULES_MAX {
            let message = format!("there are {EVENT_RULES_MAX} rules already (EVENT_RULES_MAX)");
            return Err(Refusal::new(Code::TooLarge, message).at("name").into());
        }
        if rule.to_agent.is_none() && rule.capability.is_none() {
            let refusal = Refusal::new(Code::MissingField, "a rule names an agent or a capability").at("to_agent");
            return Err(refusal.into());
        }
        for agent in std::iter::once(&rule.from_agent).chain(&rule.to_agent) {
            self.known_agent(agent).await?;
        }
        let name = format!("{PREFIX}{}", self.own_name(&rule.name, ' '));
        let mut value = serde_json::to_value(&rule).unwrap_or(Value::Null);
        value["tenant"] = Value::String(self.caller.tenant.clone());
        let written = self.write_leaf(|book| {
            let version = book.and_then(|book| book.variables.get(&name)).map_or(0, |v| v.version);
            let set = BTreeMap::from([(name.clone(), (value.clone(), version + 1))]);
            let event = Event::VariablesSet { by: rule.from_agent.clone(), set };
            Ok(Some(Leaf { events: vec![event], ..Leaf::default() }))
        });
        written.await.map(|_| ())
    }

    /// The rules that are kept for this caller's tenant.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn event_rules(&self) -> Result<Vec<EventRule>, HandoffError> {
        let cell = self.house().await?;
        let variables = cell.session.as_ref().map(|book| book.variables.clone()).unwrap_or_default();
        let rules = variables.iter().filter(|(name, _)| name.starts_with(PREFIX));
        Ok(rules.filter_map(|(_, variable)| self.own_rule(&variable.value)).collect())
    }

    /// A rule that is kept, if it is of this caller's tenant.
    fn own_rule(&self, kept: &Value) -> Option<EventRule> {
        let mut kept = kept.clone();
        let tenant = kept.as_object_mut()?.remove("tenant");
        let tenant = tenant.as_ref().and_then(Value::as_str).unwrap_or(DEFAULT_TENANT);
        serde_json::from_value(kept).ok().filter(|_| tenant == self.caller.tenant)
    }

    /// A name that two tenants may both give: with the tenant before it, for all but the one that is there by itself.
    pub(crate) fn own_name(&self, name: &str, between: char) -> String {
        let tenant = &self.caller.tenant;
        if tenant == DEFAULT_TENANT { name.to_owned() } else { format!("{tenant}{between}{name}") }
    }

    /// Something happened outside: every rule of this caller's tenant that fits hands its work over. Gives the handoffs.
    ///
    /// # Errors
    /// When a handoff is refused, or this caller is no operator.
    pub async fn raise(&self, event: OutsideEvent) -> Result<Vec<HandoffId>, HandoffError> {
        self.caller.may(Right::Operate)?;
        let rules = self.event_rules().await?;
        let mut made = self.start_by_event(&event).await?;
        for rule in rules.into_iter().filter(|rule| fits(&rule.on, &event.kind)) {
            made.extend(self.hand_over(&event, rule).await?);
        }
        Ok(made)
    }

    /// The session that an event begins: another one for each tenant, whatever ids their events have.
    pub(crate) fn session_of_event(&self, event: &str, of: &str) -> Result<SessionId, HandoffError> {
        let id = format!("event/{}/{of}", self.own_name(event, '/'));
        SessionId::new(&id).map_err(|why| Refusal::new(Code::BadText, format!("{id:?}: {why}")).at("id").into())
    }

    async fn hand_over(&self, event: &OutsideEvent, rule: EventRule) -> Result<Vec<HandoffId>, HandoffError> {
        let id = match &event.session_id {
            Some(id) => id.clone(),
            None => self.session_of_event(&event.id, &rule.name)?,
        };
        let mut open = Open::of(rule.from_agent.clone()).asking(&format!("{}: {}", event.kind, rule.task));
        open.metadata = serde_json::json!({ "event": event.id });
        let session = self.resume_session(&id, open).await?;
        let key = format!("event/{}/{}", event.id, rule.name);
        // Whoever works in the session goes on with it and gets the result; a session of the event's own is handed over.
        let kind = if event.session_id.is_some() { Kind::Delegation } else { Kind::Sequential };
        let mut request = Request::new(kind, session.active_agent.clone(), rule.task.clone());
        request.return_protocol.timeout_ms = event.session_id.is_some().then_some(EXECUTION_MS);
        request.idempotency_key = Some(key.clone());
        request.trigger = Trigger::Event;
        request.reason = format!("{} happened", event.kind);
        request.to_agent = rule.to_agent;
        request.capability = rule.capability;
        request.completes_segment = kind == Kind::Sequential;
        request.task = Task {
            id: String::new(),
            kind: event.kind.clone(),
            description: rule.task,
            payload: event.data.clone(),
            priority: rule.priority,
        };
        match self.initiate(&id, request).await {
            // It was raised before, and the session has moved on since: the request says something else now.
            Err(error) if error.has(Code::KeyConflict) => self.handed_over(&id, &key, event).await?.ok_or(error),
            answer => Ok(answer?.handoffs),
        }
    }

    /// What this event has made before. The session has a new owner by then, and the rule may have changed: the same
    /// event is one with the same id, type and data.
    async fn handed_over(
        &self,
        session: &SessionId,
        key: &str,
        event: &OutsideEvent,
    ) -> Result<Option<Vec<HandoffId>>, HandoffError> {
        self.visible(session).await?;
        let Some(first) = self.inner.store.answered(session, key).await? else { return Ok(None) };
        let answer: Answer = serde_json::from_str(&first.answer).map_err(|error| {
            HandoffError::from(StoreError::Damaged(format!("the answer to key \"{key}\" cannot be read")))
                .because(error)
        })?;
        if let Some(id) = answer.handoffs.first() {
            let made = self.find(*id).await?;
            if made.request.task.payload != event.data || made.request.task.kind != event.kind {
                let message = format!("event \"{}\" was raised before with other content", event.id);
                return Err(Refusal::new(Code::KeyConflict, message).at("id").into());
            }
        }
        Ok(Some(answer.handoffs))
    }
}

fn fits(on: &str, kind: &str) -> bool {
    match on.strip_suffix('*') {
        Some(beginning) => kind.starts_with(beginning),
        None => on == kind,
    }
}
