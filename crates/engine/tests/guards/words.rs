//! The words of a statement, and what they build: requests, openings, policies, returns.

use handover_core::{
    budget::{Budget, Limit, Period, Price, Usage},
    command::{Giving, Open, Update},
    handoff::{Aggregation, Broadcast, Kind, Metrics, Outcome, Request, Send},
    ids::{AgentId, HandoffId},
    policy::{Policy, SessionLimits},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub struct Words<'a>(Vec<&'a str>);

pub fn name(text: &str) -> AgentId {
    AgentId::new(text).unwrap()
}

/// Milliseconds of `200ms`, `31s`, `5m`, `2h`, `1d`.
pub fn span(text: &str) -> u64 {
    let split = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        other => panic!("{other} is no unit of time"),
    };
    number.parse::<u64>().unwrap() * unit
}

/// A text with `_` for spaces.
fn spaced(text: &str) -> String {
    text.replace('_', " ")
}

impl<'a> Words<'a> {
    pub fn of(statement: &'a str) -> Self {
        Self(statement.split_whitespace().collect())
    }

    pub fn all(&self) -> String {
        self.0.join(" ")
    }

    pub fn verb(&self) -> &'a str {
        self.nth(0)
    }

    pub fn nth(&self, i: usize) -> &'a str {
        self.0.get(i).copied().unwrap_or_default()
    }

    pub fn rest(&self, i: usize) -> String {
        self.0[i..].join(" ")
    }

    /// The value of `key=value`.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    pub fn list(&self, key: &str) -> Vec<&'a str> {
        self.get(key).map(|text| text.split(',').collect()).unwrap_or_default()
    }

    pub fn has(&self, flag: &str) -> bool {
        self.0.contains(&flag)
    }

    pub fn after(&self, word: &str) -> &'a str {
        let i = self.0.iter().position(|w| *w == word).expect("the word is there");
        self.nth(i + 1)
    }

    pub fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.get(key).map(|text| text.parse().unwrap_or_else(|_| panic!("{key}={text} is no number")))
    }

    /// A word of a closed set, as JSON writes it.
    pub fn known<T: DeserializeOwned>(&self, word: &str) -> T {
        serde_json::from_value(json!(word)).unwrap_or_else(|_| panic!("{word} is not known"))
    }

    /// `100t`, `2.5$`, `60s`, several with `+`.
    pub fn budget(&self, text: &str) -> Budget {
        let mut budget = Budget::default();
        for part in text.split('+') {
            match part.split_at(part.len() - 1) {
                (tokens, "t") => budget.tokens = Some(tokens.parse().unwrap()),
                (cost, "$") => budget.cost = Some(cost.parse().unwrap()),
                _ => budget.time_ms = Some(span(part)),
            }
        }
        budget
    }

    /// A budget, in all or `/day`, `/hour`, `/month`.
    pub fn limit(&self, text: &str) -> Limit {
        let (amount, per) = text.split_once('/').unwrap_or((text, "total"));
        let Budget { tokens, cost, time_ms } = self.budget(amount);
        Limit { tokens, cost, time_ms, per: self.known::<Period>(per) }
    }

    pub fn session_limits(&self) -> SessionLimits {
        SessionLimits {
            handoffs: self.number("handoffs"),
            escalations: self.number("escalations"),
            agents: self.number("agents"),
            chain: self.number("chain"),
            tokens: self.number("tokens"),
            cost: self.number("cost"),
            time_ms: self.get("time").map(span),
        }
    }

    pub fn open(&self) -> Open {
        let mut open = Open::of(name(self.after("by"))).asking(&spaced(self.get("request").unwrap_or("a_jet")));
        open.complexity = self.get("class").map(|word| self.known(word));
        open.workflow = self.get("workflow").map(str::to_owned);
        open.mode = self.get("mode").map(|word| self.known(word));
        open.limits = self.session_limits();
        open
    }

    /// `initiate h a->b delegation task=… budget=… set=x:1 …`
    pub fn request(&self, handoffs: &BTreeMap<String, HandoffId>) -> Request {
        let (from, to) = self.nth(2).split_once("->").expect("from->to");
        let kind: Kind = self.known(self.nth(3));
        let mut request = Request::new(kind, name(from), spaced(self.get("task").unwrap_or("find_a_jet")));
        match kind {
            Kind::Broadcast => request.broadcast = Some(self.broadcast(to)),
            Kind::Sequential | Kind::Delegation | Kind::Escalation => {
                request.to_agent = (to != "?").then(|| name(to));
            }
        }
        if kind == Kind::Escalation {
            request.audit.decision_rationale = "unsure".into();
        }
        request.completes_segment = kind == Kind::Sequential;
        let timeout = self.get("timeout").map(span);
        let asks = matches!(kind, Kind::Delegation | Kind::Broadcast).then_some(60_000);
        request.return_protocol.timeout_ms = timeout.or(asks).filter(|_| !self.has("no-timeout"));
        request.return_protocol.on_timeout = self.get("on").map_or_else(Default::default, |word| self.known(word));
        request.blocking = self.has("blocking");
        request.needs_approval = self.has("approval");
        request.audit.risk_level = self.get("risk").map_or_else(Default::default, |word| self.known(word));
        request.candidates = self.list("among").into_iter().map(name).collect();
        request.capability = self.get("cap").map(str::to_owned);
        request.context.constraints.budget = self.get("budget").map(|text| self.budget(text));
        request.task.payload = self.get("payload").map_or(Value::Null, |text| json!(text));
        request.parent_id = self.get("parent").map(|label| handoffs[label]);
        for pair in self.list("set") {
            let (variable, value) = pair.split_once(':').expect("name:value");
            request.context.variables.insert(variable.to_owned(), json!(value));
        }
        request
    }

    /// `b,c`, or with tasks of their own `b:this,b:that`.
    fn broadcast(&self, to: &str) -> Broadcast {
        let send = |word: &str| {
            let (to, own) = word.split_once(':').map_or((word, None), |(to, task)| (to, Some(task)));
            let task = own.map(|text| Request::new(Kind::Broadcast, name(to), spaced(text)).task);
            Send { to_agent: name(to), task }
        };
        let aggregation = if self.has("any") { Aggregation::Any } else { Aggregation::All };
        Broadcast { targets: to.split(',').map(send).collect(), aggregation }
    }

    pub fn giving(&self) -> Giving {
        let result = Outcome { body: json!(spaced(self.get("body").unwrap_or_default())), ..Outcome::default() };
        Giving { status: self.known(self.nth(2)), result, updates: self.update(), notes: String::new(), signal: None }
    }

    pub fn update(&self) -> Update {
        let mut update = Update {
            metrics: Metrics {
                tokens: self.number("tokens").unwrap_or(0),
                cost: self.number("cost").unwrap_or(0.0),
                ..Metrics::default()
            },
            ..Update::default()
        };
        if let Some(model) = self.get("model") {
            update.usage.push(Usage {
                model: model.to_owned(),
                input_tokens: self.number("in").unwrap_or(0),
                output_tokens: self.number("out").unwrap_or(0),
            });
        }
        for pair in self.list("set") {
            let (variable, value) = pair.split_once(':').expect("name:value");
            update.context.insert(variable.to_owned(), json!(value));
        }
        update
    }

    /// `policy handoffs=9 repeats=0 tenant=100t/day …`; what is left out stays as it is.
    pub fn policy(&self, policy: &mut Policy) {
        policy.limits = self.session_limits().or(policy.limits);
        policy.classify |= self.has("classify");
        for (key, setting) in [
            ("repeats", &mut policy.loops.repeats_within),
            ("idle", &mut policy.loops.idle_rounds),
            ("pair", &mut policy.loops.pair_per_minute),
            ("failures", &mut policy.breaker.failures),
        ] {
            *setting = self.number(key).unwrap_or(*setting);
        }
        if let Some(cooldown) = self.get("cooldown") {
            policy.breaker.cooldown_ms = span(cooldown);
        }
        if let Some(human) = self.get("human") {
            policy.human = Some(name(human));
        }
        if let Some(mode) = self.get("mode") {
            policy.mode = self.known(mode);
        }
        if let Some(workflow) = self.get("workflow") {
            let limits = SessionLimits { handoffs: self.number("its-handoffs"), ..SessionLimits::default() };
            policy.workflows.insert(workflow.to_owned(), limits);
        }
        self.budgets(policy);
    }

    fn budgets(&self, policy: &mut Policy) {
        let budgets = &mut policy.budgets;
        if let Some(text) = self.get("tenant") {
            budgets.tenant = Some(self.limit(text));
        }
        if let Some(text) = self.get("agent") {
            budgets.agent = Some(self.limit(text));
        }
        if let Some(text) = self.get("each") {
            budgets.handoff = Some(self.budget(text));
        }
        if let Some((model, price)) = self.get("price").and_then(|text| text.split_once(':')) {
            let (input, output) = price.split_once('/').expect("in/out");
            let price = Price { input: input.parse().unwrap(), output: output.parse().unwrap() };
            budgets.prices.insert(model.to_owned(), price);
        }
    }
}
