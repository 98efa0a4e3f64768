//! What happens when a model calls a tool. Whatever goes wrong comes back as a result that it can act on.

use super::{
    Here,
    handoff_tools::{
        ACCEPT, AGENT, APPROVAL, ESCALATE, FINISH, LIST, Names, RECALL, SPECIALIST, TRANSFER, transfer_to,
    },
    results::{came_back, cut, refused, text, wrong},
};
use crate::{
    assignment::deadline,
    model::{Arguments, Call, CallResult},
    tool::CallContext,
};
use handover_core::{
    agent::{AgentKind, Profile, Risk},
    command::{Giving, Goto, Update},
    guidance,
    handoff::{Kind, Outcome as OutcomeBody, Request, RequiredCapability, ReturnStatus, Rung, Trigger},
    ids::AgentId,
    limits::{CALLS_AT_ONCE_MAX, ESCALATION_DEPTH_MAX, PATH_MAX, SPECIALIST_MS, SPECIALISTS_TOLD_MAX},
    nearest::nearest,
    schema::Schema,
};
use handover_engine::agent::{Failure, Work};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Whether a tool of this name ends the turn: what it does is one commit with the end of the work, and so it comes last.
pub(super) fn is_last(name: &str) -> bool {
    matches!(name, AGENT | ESCALATE | FINISH) || name.starts_with(TRANSFER)
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Called {
    pub(super) result: CallResult,
    /// Whether the work is somebody else's from then on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) ends: bool,
}

/// What a tool says, and whether the work is over with it; or what went wrong.
pub(super) type Outcome = Result<(Value, bool), Value>;

/// Whoever calls tools in one turn.
pub(super) struct Caller<'a> {
    work: &'a Work,
    profile: &'a Profile,
    here: &'a Here,
    /// What the turn used so far.
    used: Update,
}

impl<'a> Caller<'a> {
    pub(super) fn new(work: &'a Work, profile: &'a Profile, here: &'a Here, used: Update) -> Self {
        Self { work, profile, here, used }
    }

    /// Calls a tool.
    pub(super) async fn call(&self, call: &Call, name: &str, place: usize) -> Result<Called, Failure> {
        let outcome = match self.checked(call, place) {
            Ok(arguments) => self.carry_out(call, name, arguments).await?,
            Err(why) => Err(why),
        };
        let (content, failed, ends) = match outcome {
            Ok((value, ends)) => (text(&value), false, ends),
            Err(why) => (text(&why), true, false),
        };
        let result = CallResult { id: call.id.clone(), name: call.name.clone(), content: cut(content), failed };
        Ok(Called { result, ends })
    }

    /// The arguments, where the tool is known and they fit it. Tools from outside check theirs.
    fn checked(&self, call: &Call, place: usize) -> Result<Value, Value> {
        if place >= CALLS_AT_ONCE_MAX {
            return Err(wrong(format!("at most {CALLS_AT_ONCE_MAX} tools are called at once; this was not done")));
        }
        let Some(spec) = self.here.tools.iter().find(|tool| tool.name == call.name) else {
            let names: Vec<&str> = self.here.tools.iter().map(|tool| tool.name.as_str()).collect();
            let near = nearest(&call.name, names.iter().map(|name| (*name, *name)));
            let hint = near.map_or_else(|| format!("there are {}", names.join(", ")), |near| format!("use {near}"));
            return Err(json!({"error": format!("there is no tool {}", call.name), "hint": hint}));
        };
        if self.is_outside(&call.name) {
            return Ok(Value::Null);
        }
        let arguments = match &call.arguments {
            Arguments::Read(value) => value.clone(),
            Arguments::Broken { why, .. } => {
                return Err(json!({"error": why, "hint": "call the tool again with arguments that fit its schema"}));
            }
        };
        let schema: Schema =
            serde_json::from_value(spec.parameters.clone()).map_err(|error| wrong(error.to_string()))?;
        let faults = schema.check(&arguments);
        if faults.is_empty() {
            return Ok(arguments);
        }
        let told: Vec<String> = faults.iter().map(|fault| format!("{}: {}", fault.at, fault.message)).collect();
        Err(json!({"error": "the arguments do not fit", "mistakes": told, "hint": "mend them and call again"}))
    }

    fn is_outside(&self, name: &str) -> bool {
        !Names::is_ours(name) && self.here.toolbox.find(name).is_ok()
    }

    async fn carry_out(&self, call: &Call, name: &str, arguments: Value) -> Result<Outcome, Failure> {
        let word = |field: &str| arguments.get(field).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        Ok(match call.name.as_str() {
            other if self.is_outside(other) => self.outside(call, name).await,
            SPECIALIST => self.ask_specialist(name, &arguments).await?,
            AGENT => self.hand_over(&word("agent_name"), &word("message"), &arguments).await?,
            ACCEPT => Ok((self.terms().await?, false)),
            LIST => Ok((self.list(&word("query")).await, false)),
            RECALL => self.recall(&arguments).await?,
            APPROVAL => self.ask_person(name, &word("action"), &word("reason"), &word("risk")).await?,
            ESCALATE => self.escalate(&word("reason"), &arguments).await?,
            FINISH => self.finish(&arguments).await?,
            other => self.transfer(other, &word("reason"), &word("message")).await?,
        })
    }

    async fn outside(&self, call: &Call, name: &str) -> Outcome {
        let handoff = self.work.handoff();
        let at = CallContext {
            session: handoff.session_id.clone(),
            handoff: handoff.id,
            agent: self.profile.id.clone(),
            call_id: call.id.clone(),
            key: format!("{}/{name}", handoff.id),
            traceparent: Some(self.work.traceparent()),
        };
        let outcome = self.here.toolbox.call(call, &at).await;
        let content = Value::String(outcome.content);
        if outcome.failed { Err(content) } else { Ok((content, false)) }
    }

    /// Delegates, and waits for the result.
    async fn ask_specialist(&self, name: &str, arguments: &Value) -> Result<Outcome, Failure> {
        let word = |field: &str| arguments.get(field).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        let (kind, task, reason) = (word("specialist_type"), word("task"), word("reason"));
        let mut request = self.request(Kind::Delegation, &task, &reason);
        request.trigger = Trigger::CapabilityMismatch;
        request.return_protocol.timeout_ms = Some(SPECIALIST_MS);
        request.context.completed_work = arguments.get("context").cloned().unwrap_or_default();
        let required = arguments.get("required_capabilities").and_then(Value::as_array).into_iter().flatten();
        request.validation.required_capabilities = required
            .filter_map(Value::as_str)
            .map(|id| RequiredCapability { capability_id: id.to_owned(), min_proficiency: None })
            .collect();
        match self.addressed(&kind) {
            Some(Addressed::Agent(agent)) => request.to_agent = Some(agent),
            Some(Addressed::Capability(capability)) => request.capability = Some(capability),
            None => return Ok(Err(self.nobody(&kind))),
        }
        Ok(match self.work.delegate(name, request).await {
            Ok(result) => came_back(&result),
            Err(error) => Err(refused(error)?),
        })
    }

    /// Whom a model means: an agent by name, or whoever can do this.
    fn addressed(&self, kind: &str) -> Option<Addressed> {
        let agents = self.work.engine().agents();
        if let Some(agent) = agents.iter().find(|agent| agent.profile.id.as_str() == kind || agent.profile.name == kind)
        {
            return Some(Addressed::Agent(agent.profile.id.clone()));
        }
        let can = |name: &str| agents.iter().any(|agent| agent.profile.proficiency(name).is_some());
        if can(kind) {
            return Some(Addressed::Capability(kind.to_owned()));
        }
        // Models write "Testing" and "security specialist" where "testing" and "security" are meant.
        let plain = kind.to_lowercase().replace("specialist", "");
        let plain = plain.trim().trim_matches(['-', '_', ' ']).to_owned();
        can(&plain).then_some(Addressed::Capability(plain))
    }

    fn nobody(&self, kind: &str) -> Value {
        let others = guidance::available(Some(&self.profile.id), self.work.engine().agents());
        let fields = others.iter().flat_map(|agent| {
            let can = agent.profile.capabilities.iter().map(|capability| capability.id.clone());
            can.chain([agent.profile.specialization.clone()]).filter(|field| !field.is_empty())
        });
        let mut fields: Vec<String> = fields.collect();
        fields.sort_unstable();
        fields.dedup();
        json!({
            "error": format!("no specialist found for capability: {kind}"),
            "available": fields,
            "hint": "use one of these, do the task yourself, or ask the user for guidance",
        })
    }

    async fn hand_over(&self, to: &str, message: &str, arguments: &Value) -> Result<Outcome, Failure> {
        let agents = self.work.engine().agents();
        let Some(agent) = agents.iter().find(|agent| agent.profile.id.as_str() == to || agent.profile.name == to)
        else {
            let near = nearest(to, agents.iter().map(|agent| (agent.profile.id.as_str(), agent.profile.id.as_str())));
            let hint = near.map_or_else(|| "see list_specialists".to_owned(), |near| format!("did you mean {near}?"));
            return Ok(Err(json!({"error": format!("there is no agent {to}"), "hint": hint})));
        };
        let context = arguments.get("context").filter(|value| !value.is_null());
        let task = context.map_or_else(|| message.to_owned(), |context| format!("{message}\n\n{context:#}"));
        self.moves(agent.profile.id.clone(), task, message.to_owned()).await
    }

    async fn transfer(&self, tool: &str, reason: &str, message: &str) -> Result<Outcome, Failure> {
        let agents = self.work.engine().agents();
        let Some(agent) = agents.iter().find(|agent| transfer_to(&agent.profile.id) == tool) else {
            return Ok(Err(json!({"error": "this agent is gone", "hint": "see list_specialists"})));
        };
        let task = if message.is_empty() { &self.work.handoff().request.task.description } else { message };
        self.moves(agent.profile.id.clone(), task.to_owned(), reason.to_owned()).await
    }

    /// The conversation goes to another agent, if that can be. Its end and the handoff are one commit.
    async fn moves(&self, to: AgentId, task: String, reason: String) -> Result<Outcome, Failure> {
        if !self.here.speaks_to_user {
            return Ok(Err(json!({
                "error": "you work on a delegated task, and its result must come from you",
                "hint": "use handoff_to_specialist, or answer with what you have",
            })));
        }
        if to == self.profile.id {
            return Ok(Err(json!({"error": "that is you", "hint": "go on yourself"})));
        }
        let told = json!({"transferred_to": to});
        let result = OutcomeBody { body: told.clone(), ..OutcomeBody::default() };
        let giving = self.giving(ReturnStatus::Success, result, format!("handed over to {to}: {reason}"));
        self.end_with(giving, Some(Goto::One { to_agent: to, task, reason }), told).await
    }

    async fn terms(&self) -> Result<Value, Failure> {
        let handoff = self.work.handoff();
        let session = self.work.engine().session(&handoff.session_id).await?;
        Ok(json!({
            "accepted": true, "handoff_id": handoff.id, "from": handoff.request.from_agent,
            "task": handoff.request.task.description, "reason": handoff.request.reason,
            "priority": handoff.request.task.priority, "deadline": deadline(handoff, &session),
            "risk_level": handoff.request.audit.risk_level,
        }))
    }

    async fn list(&self, query: &str) -> Value {
        let others = guidance::available(Some(&self.profile.id), self.work.engine().agents());
        let session = &self.work.handoff().session_id;
        let most = SPECIALISTS_TOLD_MAX;
        let found = if query.is_empty() { None } else { self.work.engine().recommend(session, query, most).await.ok() };
        let Some(found) = found else {
            let told: Vec<Value> = others.iter().take(most).map(guidance::as_data).collect();
            let more = others.len() - told.len();
            return json!({"specialists": told, "not_listed": more});
        };
        let of = |id: &AgentId| others.iter().find(|agent| agent.profile.id == *id).map(guidance::as_data);
        let ranked: Vec<Value> = found.iter().filter_map(|found| of(&found.agent)).collect();
        json!({"specialists": ranked, "ranked_for": query})
    }

    async fn recall(&self, arguments: &Value) -> Result<Outcome, Failure> {
        let number = |field: &str| arguments.get(field).and_then(Value::as_u64).unwrap_or(1);
        Ok(match self.work.recall(number("first"), number("last")).await {
            Ok(messages) if messages.is_empty() => {
                Ok((json!({"messages": [], "note": "you were shown these from the beginning"}), false))
            }
            Ok(messages) => Ok((json!({"messages": messages}), false)),
            Err(error) => Err(refused(error)?),
        })
    }

    /// A question to a person, up the chain; the answer comes back.
    async fn ask_person(&self, name: &str, action: &str, reason: &str, risk: &str) -> Result<Outcome, Failure> {
        let mut request = self.request(Kind::Escalation, &format!("May I do this? {action}"), reason);
        request.audit.decision_rationale = reason.to_owned();
        request.audit.risk_level = match risk {
            "high" => Risk::High,
            "medium" => Risk::Medium,
            _ => Risk::Low,
        };
        request.return_protocol.timeout_ms = Some(SPECIALIST_MS);
        request.ladder = self.people_above();
        if request.ladder.is_empty() {
            return Ok(Err(json!({
                "error": "there is no person above you who could approve it",
                "hint": "do not do it; tell the user",
            })));
        }
        Ok(match self.work.delegate(name, request).await {
            Ok(result) if matches!(result.status, ReturnStatus::Success | ReturnStatus::Partial) => {
                let told =
                    json!({"answered_by": result.from_agent, "answer": result.result.body, "notes": result.notes});
                Ok((told, false))
            }
            Ok(result) => Err(json!({
                "error": format!("nobody approved it: {}", result.notes), "status": result.status,
                "hint": "do not do it; tell the user",
            })),
            Err(error) => Err(refused(error)?),
        })
    }

    /// The people of the chain above, and the one whom the house asks.
    fn people_above(&self) -> Vec<Rung> {
        let agents = self.work.engine().agents();
        let of = |id: &AgentId| agents.iter().find(|agent| agent.profile.id == *id).map(|agent| &agent.profile);
        let mut people: Vec<AgentId> = Vec::new();
        let mut next = self.profile.escalates_to.clone();
        for _ in 0..PATH_MAX {
            let Some(profile) = next.take().and_then(|id| of(&id)) else { break };
            if profile.kind == AgentKind::Human {
                people.push(profile.id.clone());
            }
            next.clone_from(&profile.escalates_to);
        }
        let asked = self.work.engine().human().filter(|human| !people.contains(human));
        people.extend(asked.filter(|human| of(human).is_some()));
        people
            .into_iter()
            .take(ESCALATION_DEPTH_MAX as usize)
            .map(|agent| Rung { agent, timeout_ms: SPECIALIST_MS })
            .collect()
    }

    /// Hands the work up. When it is done this piece of work is over, and nothing more is recorded of it.
    async fn escalate(&self, reason: &str, arguments: &Value) -> Result<Outcome, Failure> {
        let mut assessment = reason.to_owned();
        if let Some(options) = arguments.get("options").and_then(Value::as_array).filter(|options| !options.is_empty())
        {
            let options: Vec<&str> = options.iter().filter_map(Value::as_str).collect();
            assessment.push_str(&format!("\nOptions: {}", options.join("; ")));
        }
        if let Some(context) = arguments.get("context").filter(|context| !context.is_null()) {
            assessment.push_str(&format!("\n{context:#}"));
        }
        Ok(match self.work.escalate(&assessment).await {
            Ok(()) => Ok((json!({"escalated": true}), true)),
            Err(error) => Err(refused(error)?),
        })
    }

    /// Ends a step of a workflow. What the rules refuse the model can mend.
    async fn finish(&self, arguments: &Value) -> Result<Outcome, Failure> {
        let word = |field: &str| arguments.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let failed = arguments.get("failed").and_then(Value::as_bool).unwrap_or(false);
        let status = if failed { ReturnStatus::Failed } else { ReturnStatus::Success };
        let result = OutcomeBody { body: arguments.get("data").cloned().unwrap_or_default(), ..OutcomeBody::default() };
        let mut giving = self.giving(status, result, word("notes"));
        giving.signal = Some(word("signal")).filter(|signal| !signal.is_empty());
        self.end_with(giving, None, json!({"finished": true})).await
    }

    fn giving(&self, status: ReturnStatus, result: OutcomeBody, notes: String) -> Giving {
        Giving { status, result, updates: self.used.clone(), notes, signal: None }
    }

    async fn end_with(&self, giving: Giving, then: Option<Goto>, told: Value) -> Result<Outcome, Failure> {
        let (id, lease) = (self.work.handoff().id, self.work.lease());
        Ok(match self.work.engine().give_back(id, lease, giving, then).await {
            Ok(_) => Ok((told, true)),
            Err(error) => Err(refused(error)?),
        })
    }

    /// A request that goes on with the work at hand.
    fn request(&self, kind: Kind, task: &str, reason: &str) -> Request {
        let before = &self.work.handoff().request;
        let mut request = Request::new(kind, self.profile.id.clone(), task);
        reason.clone_into(&mut request.reason);
        request.user_intent.clone_from(&before.user_intent);
        request.original_request.clone_from(&before.original_request);
        request.trace_id.clone_from(&before.trace_id);
        request.task.priority = before.task.priority;
        request
    }
}

/// Whom a model means.
enum Addressed {
    Agent(AgentId),
    Capability(String),
}
