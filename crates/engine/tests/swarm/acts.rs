//! What agents begin, each by its nature: delegations, handovers, broadcasts, questions.

use super::{
    cast::{Nature, skill},
    sim::{Sim, Todo},
};
use handover_core::{
    agent::Risk,
    budget::Budget,
    command::{Command, Goto, Turn, Update, Write},
    handoff::{Aggregation, Broadcast, Kind, Metrics, OnTimeout, Priority, Request, Send},
    ids::{AgentId, HandoffId, SessionId},
    message::{NewMessage, Role},
};
use serde_json::json;

impl Sim {
    /// A turn of whoever owns the session.
    pub async fn turn(&mut self, i: usize) {
        let session = self.plays[i].id.clone();
        let found = self.tenant_of(&session).session(&session).await.unwrap();
        if self.stopped || found.ended_at.is_some() {
            return;
        }
        let who = self.who(&found.active_agent);
        if self.rng.chance(15) {
            let said = NewMessage::new(Role::User, format!("how far is it? {}", self.rng.below(1_000)));
            let result = self.tenant_of(&session).say(&session, vec![said]).await;
            let _ = self.done(format!("{session} the user speaks"), result).await;
        }
        self.act(who, &session, None).await;
        if self.rng.chance(12) {
            self.step_in(&session).await;
        }
        self.plays[i].turns -= 1;
        if self.plays[i].turns > 0 {
            self.soon(2_000, 40_000, Todo::Turn(i));
        } else if self.rng.chance(40) {
            let command = Command::End { by: found.active_agent.clone(), reason: "done".into() };
            let result = self.tenant_of(&session).submit(&session, command, None).await;
            let _ = self.done(format!("{session} a{who} ends it"), result).await;
        }
    }

    /// One initiative of an agent, as owner of the session or as holder of a handoff.
    pub async fn act(&mut self, who: usize, session: &SessionId, held: Option<HandoffId>) {
        match self.players[who].nature {
            Nature::Honest => self.act_honestly(who, session).await,
            Nature::Lazy => {
                let to = self.friend(who);
                self.pass(who, to, session, held, "find a jet for Friday".into()).await;
            }
            Nature::Looper => self.go_round(who, session, held).await,
            Nature::Spammer => self.spam(who, session).await,
            Nature::Spender => self.spend(who, session).await,
            Nature::Liar | Nature::Failing | Nature::Deferrer | Nature::Rejecter => {
                let (to, task) = (self.friend(who), self.task());
                self.pass(who, to, session, held, task).await;
            }
            Nature::Silent | Nature::Human => {}
        }
    }

    pub fn friend(&mut self, who: usize) -> usize {
        let friends = &self.players[who].friends;
        if friends.is_empty() {
            return 0;
        }
        let at = self.rng.index(friends.len());
        self.players[who].friends[at]
    }

    fn name(&mut self, who: usize) -> AgentId {
        self.players[who].id.clone()
    }

    fn task(&mut self) -> String {
        format!("find jet number {}", self.rng.below(1_000_000))
    }

    async fn act_honestly(&mut self, who: usize, session: &SessionId) {
        let (to, task, from) = (self.friend(who), self.task(), self.name(who));
        match self.rng.below(100) {
            0..=39 => {
                let request = self.delegation(who, Some(to), task);
                self.initiate(session, request).await;
            }
            40..=49 => {
                let mut request = self.delegation(who, None, task);
                request.capability = Some(skill(&mut self.rng));
                self.initiate(session, request).await;
            }
            50..=61 => {
                let mut request = self.sequential(who, to, task);
                request.context.variables.insert("news".into(), json!(self.rng.below(1_000_000)));
                self.initiate(session, request).await;
            }
            62..=69 => {
                let targets = self.rng.between(2, 4);
                self.broadcast(who, session, targets).await;
            }
            70..=79 => {
                let mut request = Request::new(Kind::Escalation, from, "may I?");
                request.audit.decision_rationale = "it is not mine to say".into();
                request.return_protocol.timeout_ms = Some(self.rng.between(20_000, 300_000));
                self.initiate(session, request).await;
            }
            80..=86 => {
                let risk = *self.rng.pick(&[Risk::Low, Risk::Medium, Risk::High]);
                let command = Command::Decide { by: from, description: task, risk };
                let result = self.tenant_of(session).submit(session, command, None).await;
                let _ = self.done(format!("{session} a{who} decides at {risk:?}"), result).await;
            }
            _ => {
                let write = Write { name: "plan".into(), value: json!(self.rng.below(50)), expected_version: None };
                let result = self.tenant_of(session).set(session, &from, vec![write]).await;
                let _ = self.done(format!("{session} a{who} writes"), result).await;
            }
        }
    }

    /// Hands on, for good or for a while.
    async fn pass(&mut self, who: usize, to: usize, session: &SessionId, held: Option<HandoffId>, task: String) {
        let owns = held.is_none_or(|id| self.auditor.books.handoff(id).kind == Kind::Sequential);
        let request = if owns && self.rng.chance(60) {
            self.sequential(who, to, task)
        } else {
            self.delegation(who, Some(to), task)
        };
        self.initiate(session, request).await;
    }

    /// To the next in the circle, or back to whoever it came from, at best in other words.
    async fn go_round(&mut self, who: usize, session: &SessionId, held: Option<HandoffId>) {
        let ring = self.players[who].ring.clone();
        let mut to = match ring.iter().position(|member| *member == who) {
            Some(at) => ring[(at + 1) % ring.len()],
            None => self.friend(who),
        };
        if let Some(id) = held.filter(|_| self.rng.chance(30)) {
            let from = self.auditor.books.handoff(id).from.clone();
            to = self.who(&from);
        }
        let task = if self.rng.chance(40) { "find a jet".into() } else { self.task() };
        self.pass(who, to, session, held, task).await;
    }

    async fn spam(&mut self, who: usize, session: &SessionId) {
        if self.rng.chance(30) {
            let targets = self.rng.between(5, 20);
            return self.broadcast(who, session, targets).await;
        }
        let to = self.friend(who);
        for _ in 0..self.rng.between(4, 10) {
            let task = self.task();
            let mut request = self.delegation(who, Some(to), task);
            request.blocking = false;
            self.initiate(session, request).await;
        }
    }

    async fn spend(&mut self, who: usize, session: &SessionId) {
        let (to, task) = (self.friend(who), self.task());
        if self.rng.chance(25) {
            let metrics = Metrics { tokens: self.rng.between(10, 3_000), cost: 0.05, ..Metrics::default() };
            let update = Update { metrics, ..Update::default() };
            let goto = Goto::One { to_agent: self.name(to), task, reason: String::new() };
            let by = self.name(who);
            let result = self.tenant_of(session).turn(session, &by, Turn { goto, update }).await;
            let _ = self.done(format!("{session} a{who} spends and hands over to a{to}"), result).await;
            return;
        }
        let mut request = self.delegation(who, Some(to), task);
        if self.rng.chance(60) {
            let tokens = Some(self.rng.between(1_000, 100_000_000));
            request = request.budget(Budget { tokens, cost: Some(50.0), time_ms: None });
        }
        self.initiate(session, request).await;
    }

    async fn broadcast(&mut self, who: usize, session: &SessionId, count: u64) {
        let mut request = Request::new(Kind::Broadcast, self.name(who), self.task());
        let mut targets: Vec<Send> = Vec::new();
        for _ in 0..count {
            let to = if count > 5 { self.rng.index(self.players.len()) } else { self.friend(who) };
            let to_agent = self.name(to);
            if to != who && targets.iter().all(|send| send.to_agent != to_agent) {
                targets.push(Send { to_agent, task: None });
            }
        }
        let kinds =
            [Aggregation::All, Aggregation::Any, Aggregation::Majority, Aggregation::BestOf, Aggregation::Quorum(2)];
        let aggregation = *self.rng.pick(&kinds);
        request.broadcast = Some(Broadcast { targets, aggregation });
        request.return_protocol.timeout_ms = Some(self.rng.between(20_000, 200_000));
        request.return_protocol.expected = self.rng.chance(10).then_some(false);
        self.initiate(session, request).await;
    }

    fn sequential(&mut self, who: usize, to: usize, task: String) -> Request {
        let mut request = Request::new(Kind::Sequential, self.name(who), task);
        request.to_agent = Some(self.name(to));
        request.completes_segment = true;
        self.colour(request)
    }

    fn delegation(&mut self, who: usize, to: Option<usize>, task: String) -> Request {
        let mut request = Request::new(Kind::Delegation, self.name(who), task);
        request.to_agent = to.map(|to| self.name(to));
        request.return_protocol.timeout_ms = Some(self.rng.between(20_000, 300_000));
        request.return_protocol.on_timeout = *self.rng.pick(&[OnTimeout::Fail, OnTimeout::Retry, OnTimeout::Escalate]);
        request.blocking = self.rng.chance(40);
        self.colour(request)
    }

    /// What differs from request to request: how urgent, how risky, for how much, who else.
    fn colour(&mut self, mut request: Request) -> Request {
        request.task.priority = *self.rng.pick(&[Priority::Normal, Priority::Normal, Priority::Low, Priority::Urgent]);
        request.audit.risk_level = self.rng.weighted(&[(Risk::Low, 80), (Risk::Medium, 12), (Risk::High, 8)]);
        request.needs_approval = self.house.approvals && self.rng.chance(4);
        if self.rng.chance(20) {
            let (tokens, cents) = (self.rng.between(10, 2_000), self.rng.between(1, 50));
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let cost = self.rng.chance(50).then_some(cents as f64 / 100.0);
            request = request.budget(Budget { tokens: Some(tokens), cost, time_ms: None });
        }
        if self.rng.chance(15) {
            for _ in 0..3 {
                let other = self.rng.index(self.players.len());
                request.candidates.push(self.name(other));
            }
        }
        if self.rng.chance(5) {
            let ms = self.rng.between(5_000, 120_000);
            request.context.constraints.deadline = Some(self.now() + ms);
        }
        request
    }

    pub async fn initiate(&mut self, session: &SessionId, request: Request) {
        let to = request.to_agent.as_ref().map_or("?", AgentId::as_str);
        let what = format!("{session} {} {:?} to {to}", request.from_agent, request.kind);
        let result = self.tenant_of(session).initiate(session, request).await;
        if let Ok(answer) = self.done(what, result).await
            && let Some(error) = answer.fallback
        {
            self.refused(&error);
        }
    }
}
