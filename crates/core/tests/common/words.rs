//! What each statement means: scenery (time, agents, settings, the caller) or a command.

use super::{Play, name};
use handover_core::{
    agent::{Autonomy, Capability, Profile, Risk, Standing},
    budget::Limit,
    command::{Caller, Command, Giving, Goto, NewArtifact, Open, Prepared, Turn, Update, Write},
    handoff::{Aggregation, Metrics, Outcome, ReturnStatus, Send, Status},
    ids::{AgentId, ArtifactId, HandoffId, LeaseId},
    message::{NewMessage, Role},
    session::{ArtifactStatus, ArtifactType, LockType},
    time::Timestamp,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use uuid::Uuid;

/// The words of one statement.
pub struct Words<'a>(Vec<&'a str>);

/// Milliseconds of `200ms`, `31s`, `5m`, `2h`, `1d`.
pub fn ms(text: &str) -> i64 {
    let split = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = match unit {
        "ms" | "" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        other => panic!("{other} is no unit of time"),
    };
    number.parse::<i64>().expect("a number") * unit
}

pub fn span(text: &str) -> u64 {
    ms(text).unsigned_abs()
}

/// A word of a closed set, as JSON writes it.
pub fn known<T: DeserializeOwned>(word: &str) -> T {
    serde_json::from_value(json!(word)).unwrap_or_else(|_| panic!("{word} is not known"))
}

impl<'a> Words<'a> {
    pub fn of(statement: &'a str) -> Self {
        Self(statement.split_whitespace().collect())
    }

    pub fn verb(&self) -> &'a str {
        self.0.first().copied().unwrap_or_default()
    }

    pub fn nth(&self, i: usize) -> &'a str {
        self.0.get(i).copied().unwrap_or_default()
    }

    /// The value of `key=value`.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    pub fn has(&self, flag: &str) -> bool {
        self.0.contains(&flag)
    }

    /// The word that follows this one.
    pub fn after(&self, word: &str) -> Option<&'a str> {
        let i = self.0.iter().position(|w| *w == word)?;
        self.0.get(i + 1).copied()
    }

    /// The name that the statement gives to the handoffs that it makes.
    pub fn made_name(&self) -> Option<&'a str> {
        if self.verb() == "initiate" { Some(self.nth(1)).filter(|label| *label != "-") } else { self.get("name") }
    }

    pub fn list(&self, key: &str) -> Vec<&'a str> {
        self.get(key).map(|text| text.split(',').collect()).unwrap_or_default()
    }
}

impl Play {
    /// Statements that change the world and not the session.
    pub fn scenery(&mut self, w: &Words<'_>) -> bool {
        match w.verb() {
            "wait" => self.now = Timestamp(self.now.0 + ms(w.nth(1))),
            "sleep" => {
                self.now = self.now + span(w.nth(1));
                self.awake_since = self.now;
            }
            "agent" => self.register(w),
            "remove" => {
                self.agents.remove(&name(w.nth(1)));
            }
            "load" => {
                if let Some(agent) = self.agents.get_mut(&name(w.nth(1))) {
                    agent.load = w.nth(2).parse().expect("a number");
                }
            }
            "standing" => {
                if let Some(agent) = self.agents.get_mut(&name(w.nth(1))) {
                    agent.standing = known::<Standing>(w.nth(2));
                }
            }
            "policy" => {
                self.policy.human = w.get("human").map(name);
                self.policy.approval_from_risk = w.get("approval").map(known);
                self.policy.queue_ms = w.get("queue").map_or(self.policy.queue_ms, span);
                if let Some(each) = w.get("each") {
                    self.policy.budgets.agent = Some(Limit { tokens: each.parse().ok(), ..Limit::default() });
                }
                if let Some(most) = w.get("handoffs") {
                    self.policy.limits.handoffs = most.parse().ok();
                }
                if let Some(mode) = w.get("mode") {
                    self.policy.mode = known(mode);
                }
                if let Some(within) = w.get("repeats") {
                    self.policy.loops.repeats_within = within.parse().expect("a number");
                }
            }
            "rule" => self.rule(w),
            "caller" => {
                let acts_as = w.get("acts").map(|text| text.split(',').map(name).collect());
                let tenant = w.get("tenant").unwrap_or("default").to_owned();
                self.caller = Caller { acts_as, ..Caller::new(w.nth(1), tenant) };
            }
            _ => return self.routing_scenery(w),
        }
        true
    }

    fn register(&mut self, w: &Words<'_>) {
        let mut profile = Profile::of(name(w.nth(1)));
        profile.max_concurrent_tasks = w.get("max").map_or(1, |n| n.parse().expect("a number"));
        profile.autonomy_budget = Autonomy { max_risk: w.get("risk").map_or(Risk::High, known) };
        profile.escalates_to = w.get("up").map(name);
        profile.accepts_handoffs = !w.has("closed");
        profile.budget = w.get("budget").map(|n| Limit { tokens: n.parse().ok(), ..Limit::default() });
        profile.max_execution_ms = w.get("exec").map(span);
        profile.accept_within_ms = w.get("within").map(span);
        if let Some(kind) = w.get("kind") {
            profile.kind = known(kind);
        }
        for capability in w.list("cap") {
            let (id, proficiency) = capability.split_once(':').unwrap_or((capability, "1"));
            let proficiency = proficiency.parse().expect("a number");
            profile.capabilities.push(Capability { id: id.to_owned(), proficiency });
        }
        self.agents.put(Arc::new(profile), Standing::Available);
    }

    /// The command of a statement.
    pub fn command(&mut self, w: &Words<'_>) -> Command {
        match w.verb() {
            "open" => {
                let mut open = Open::of(self.by(w)).asking(w.get("request").unwrap_or_default());
                open.workflow = w.get("workflow").map(str::to_owned);
                open.user_id = w.get("user").map(str::to_owned);
                Command::Open(open)
            }
            "initiate" => Command::Initiate(Box::new(self.request(w))),
            "approve" | "deny" | "amend" => self.deciding(w),
            "accept" => Command::Accept {
                handoff: self.handoff(w),
                by: self.by(w),
                lease_ms: w.get("lease").map(span),
                in_process: w.has("local"),
                estimated_completion: None,
                manifest: None,
            },
            "reject" => Command::Reject { handoff: self.handoff(w), by: self.by(w), reason: "no".into() },
            "decline" => Command::Decline { handoff: self.handoff(w), lease: self.lease(w), reason: "not mine".into() },
            "ask" => Command::Ask { handoff: self.handoff(w), lease: self.lease(w), question: "which one?".into() },
            "answer" => {
                Command::Answer { handoff: self.handoff(w), by: self.by(w).to_string(), text: "this one".into() }
            }
            "defer" => Command::Defer {
                handoff: self.handoff(w),
                by: self.by(w),
                for_ms: span(w.nth(4)),
                reason: "later".into(),
            },
            "heartbeat" => Command::Heartbeat { handoff: self.handoff(w), lease: self.lease(w) },
            "record" => Command::Record {
                handoff: self.handoff(w),
                lease: self.lease(w),
                name: w.nth(4).to_owned(),
                output: json!({"done": true}),
                messages: Vec::new(),
            },
            "return" => self.giving(w),
            "escalate" => {
                Command::Escalate { handoff: self.handoff(w), lease: self.lease(w), assessment: w.nth(4).to_owned() }
            }
            "cancel" => {
                Command::Cancel { handoff: self.handoff(w), by: self.by(w).to_string(), reason: "not needed".into() }
            }
            "redirect" => {
                let handoff = self.handoff(w);
                let now = self.session.as_ref().and_then(|session| session.open.get(&handoff));
                let to = match (w.after("to").unwrap_or("nobody"), now) {
                    ("target", Some(now)) => now.to_agent.clone(),
                    (word, _) => name(word),
                };
                Command::Redirect { handoff, by: self.by(w).to_string(), to, reason: "it is better so".into() }
            }
            "retry" => {
                Command::Retry { handoff: self.handoff(w), by: self.by(w).to_string(), reason: "once more".into() }
            }
            "tick" => Command::Tick { handoff: self.handoff(w) },
            "reconsider" => Command::Reconsider { handoff: self.handoff(w) },
            "reclaim" => Command::Reclaim { handoff: self.handoff(w) },
            "take" => Command::Take { of: self.of(w), by: self.by(w) },
            _ => self.other(w),
        }
    }

    fn other(&mut self, w: &Words<'_>) -> Command {
        match w.verb() {
            "turn" => Command::Turn {
                by: self.by(w),
                turn: Box::new(Turn { goto: goto(w, w.get("goto").unwrap_or("END")), update: update(w) }),
            },
            "set" => Command::Set { by: self.by(w), writes: w.0.iter().skip(3).map(|word| write(word)).collect() },
            "keep" => Command::Keep { by: self.by(w), artifact: artifact(w.nth(3)) },
            "mark" => Command::MarkArtifact {
                by: self.by(w),
                id: self.artifacts.get(w.nth(1)).copied().unwrap_or(ArtifactId(Uuid::nil())),
                status: known::<ArtifactStatus>(w.nth(4)),
            },
            "decide" => Command::Decide {
                by: self.by(w),
                risk: w.get("risk").map_or(Risk::Low, known),
                description: w.nth(4).to_owned(),
            },
            "lock" => Command::Lock {
                by: self.by(w),
                path: w.nth(1).to_owned(),
                lock_type: known::<LockType>(w.nth(4)),
                lease_ms: w.get("for").map_or(300_000, span),
            },
            "unlock" => Command::Unlock { by: self.by(w), path: w.nth(1).to_owned() },
            "complete" => Command::CompleteSegment { by: self.by(w) },
            "move" => Command::MoveState {
                handoff: self.handoff(w),
                lease: self.lease(w),
                state: w.get("to").unwrap_or_default().to_owned(),
            },
            "end" => Command::End { by: self.by(w), reason: "done".into() },
            "say" => {
                let said = NewMessage::new(Role::User, w.nth(1));
                let message = Prepared { said, tokens: 1, redacted: std::collections::BTreeMap::new() };
                Command::Say { messages: vec![message], after: w.get("after").map(|n| n.parse().expect("a number")) }
            }
            other => panic!("the language has no {other:?}"),
        }
    }

    /// `h1`, `g1.2`, or `#3`: the third handoff of the session, counted round and round; `@3` likewise, among
    /// those that stand where the verb makes sense.
    pub fn handoff(&self, w: &Words<'_>) -> HandoffId {
        let word = w.nth(1);
        if let Some(n) = word.strip_prefix('#').and_then(|n| n.parse::<usize>().ok()) {
            let all = &self.by_number;
            return if all.is_empty() { HandoffId(Uuid::nil()) } else { all[n % all.len()] };
        }
        if let Some(n) = word.strip_prefix('@').and_then(|n| n.parse::<usize>().ok()) {
            let fitting = self.fitting(w.verb());
            return if fitting.is_empty() { HandoffId(Uuid::nil()) } else { fitting[n % fitting.len()] };
        }
        self.handoffs.get(word).copied().unwrap_or(HandoffId(Uuid::nil()))
    }

    /// The open handoffs that stand where this verb makes sense.
    fn fitting(&self, verb: &str) -> Vec<HandoffId> {
        let wanted: &[Status] = match verb {
            "accept" | "reject" | "defer" => &[Status::Offered],
            "heartbeat" | "record" | "return" | "decline" | "ask" | "escalate" | "reclaim" => &[Status::Running],
            "approve" | "deny" | "amend" => &[Status::AwaitingApproval],
            "answer" => &[Status::Deferred],
            _ => &[Status::AwaitingApproval, Status::Offered, Status::Deferred, Status::Running],
        };
        let open = self.session.iter().flat_map(|session| session.open.values());
        open.filter(|handoff| wanted.contains(&handoff.status())).map(|handoff| handoff.id).collect()
    }

    /// `by b`, or `by target` and `by source` of the handoff at hand.
    fn by(&self, w: &Words<'_>) -> AgentId {
        let word = w.after("by").unwrap_or("a");
        let id = self.handoff(w);
        let open = self.session.as_ref().and_then(|session| session.open.get(&id));
        match (word, open.or_else(|| self.closed.get(&id))) {
            ("owner", _) => self.session.as_ref().map_or_else(|| name("a"), |session| session.active_agent.clone()),
            ("target", Some(handoff)) => handoff.to_agent.clone(),
            ("source", Some(handoff)) => handoff.request.from_agent.clone(),
            (word, _) => name(word),
        }
    }

    /// `as L1`, or `as last`: the latest lease of the handoff at hand.
    pub fn lease(&self, w: &Words<'_>) -> LeaseId {
        let word = w.after("as").unwrap_or("last");
        let last = || self.last_lease.get(&self.handoff(w)).copied();
        let found = if word == "last" { last() } else { self.leases.get(word).copied() };
        found.unwrap_or(LeaseId(Uuid::nil()))
    }

    fn of(&self, w: &Words<'_>) -> Uuid {
        let group = self.names.iter().find(|(_, label)| *label == w.nth(1)).map(|(id, _)| *id);
        group.unwrap_or(self.handoff(w).0)
    }

    fn giving(&self, w: &Words<'_>) -> Command {
        let status: ReturnStatus = known(w.nth(4));
        let score = w.get("score").map(|n| n.parse().expect("a number"));
        let body = w.get("body").map_or(serde_json::Value::Null, |text| serde_json::from_str(text).expect("JSON"));
        let result = Outcome { score, body, ..Outcome::default() };
        let signal = w.get("signal").map(str::to_owned);
        let giving = Giving { status, result, updates: update(w), notes: String::new(), signal };
        Command::Return {
            handoff: self.handoff(w),
            lease: self.lease(w),
            giving: Box::new(giving),
            then: w.get("then").map(|to| Box::new(goto(w, to))),
        }
    }
}

/// `x=1`, or `x=1@3`: only if its version is 3 now.
fn write(word: &str) -> Write {
    let (name, value) = word.split_once('=').expect("name=value");
    let (value, version) = value.split_once('@').map_or((value, None), |(v, n)| (v, Some(n)));
    let expected_version = version.map(|n| n.parse().expect("a version"));
    Write { name: name.to_owned(), value: json!(value), expected_version }
}

pub fn artifact(path: &str) -> NewArtifact {
    NewArtifact {
        kind: ArtifactType::Code,
        path: path.to_owned(),
        description: String::new(),
        status: ArtifactStatus::Draft,
    }
}

fn update(w: &Words<'_>) -> Update {
    let mut update = Update::default();
    for pair in w.list("set") {
        let (name, value) = pair.split_once(':').expect("set=name:value");
        update.context.insert(name.to_owned(), json!(value));
    }
    update.artifacts = w.list("file").into_iter().map(artifact).collect();
    update.workflow_state = w.get("state").map_or(Value::Null, |state| json!(state));
    let number = |key: &str| w.get(key).map_or(0.0, |n| n.parse::<f64>().expect("a number"));
    update.metrics = Metrics { cost: number("cost"), ..Metrics::default() };
    update.metrics.tokens = w.get("tokens").map_or(0, |n| n.parse().expect("a number"));
    update
}

/// `END`, one agent, or several at once.
fn goto(w: &Words<'_>, to: &str) -> Goto {
    if to == "END" {
        return Goto::End;
    }
    if to.contains(',') {
        let sends = to.split(',').map(|to| Send { to_agent: name(to), task: None }).collect();
        let aggregation = if w.has("any") { Aggregation::Any } else { Aggregation::All };
        return Goto::Many { sends, aggregation, timeout_ms: 60_000 };
    }
    Goto::One { to_agent: name(to), task: String::new(), reason: String::new() }
}
