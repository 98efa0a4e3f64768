//! Every public method of the engine, each tried once.

use crate::common::{House, delegation, id, session, success, user, workers};
use handover_core::{
    access::{NewKey, Role},
    agent::Profile,
    command::{Command, Open, Turn, Update},
    digest::Digest,
    handoff::{Edit, Kind, Priority, Request},
    ids::{GroupId, HandoffId, LeaseId},
    policy::SessionLimits,
    refusal::HandoffError,
    workflow::Workflow,
};
use handover_engine::{
    Engine, EventRule, HandoffContext, HandoffQuery, OutsideEvent, Start, StatsQuery,
    agent::{Done, agent},
};
use handover_store::RecordQuery;
use serde_json::json;
use uuid::Uuid;

/// Each of them, with the least role that may.
pub const METHODS: &[(&str, Role)] = &[
    ("agent", Role::Viewer),
    ("agents", Role::Viewer),
    ("approvals", Role::Viewer),
    ("approvals_page", Role::Viewer),
    ("approval_rule", Role::Viewer),
    ("audit", Role::Viewer),
    ("audit_page", Role::Viewer),
    ("breaker", Role::Viewer),
    ("breakers", Role::Viewer),
    ("accepted", Role::Viewer),
    ("decided", Role::Viewer),
    ("decided_until", Role::Viewer),
    ("ended", Role::Viewer),
    ("event_rules", Role::Viewer),
    ("experiment", Role::Viewer),
    ("experiments", Role::Viewer),
    ("get_handoff_count", Role::Viewer),
    ("get_handoff_history", Role::Viewer),
    ("get_last_handoff", Role::Viewer),
    ("glances", Role::Viewer),
    ("handoff", Role::Viewer),
    ("handoff_history", Role::Viewer),
    ("handoffs", Role::Viewer),
    ("handoffs_between", Role::Viewer),
    ("handoffs_page", Role::Viewer),
    ("has_group", Role::Viewer),
    ("inbox", Role::Viewer),
    ("last_heard", Role::Viewer),
    ("latest", Role::Viewer),
    ("messages", Role::Viewer),
    ("questions", Role::Viewer),
    ("queue", Role::Viewer),
    ("recall", Role::Viewer),
    ("recommend", Role::Viewer),
    ("returned", Role::Viewer),
    ("returned_until", Role::Viewer),
    ("route", Role::Viewer),
    ("session", Role::Viewer),
    ("sessions", Role::Viewer),
    ("sessions_in_state", Role::Viewer),
    ("sessions_nearby", Role::Viewer),
    ("stats", Role::Viewer),
    ("stats_of", Role::Viewer),
    ("story", Role::Viewer),
    ("subscribe", Role::Viewer),
    ("subscribe_all", Role::Viewer),
    ("suggestions", Role::Viewer),
    ("totals", Role::Viewer),
    ("trace", Role::Viewer),
    ("trace_any", Role::Viewer),
    ("unreadable_workflows", Role::Viewer),
    ("queues", Role::Viewer),
    ("view", Role::Viewer),
    ("view_page", Role::Viewer),
    ("waiting_returns", Role::Viewer),
    ("was_done", Role::Viewer),
    ("workflow", Role::Viewer),
    ("workflow_states", Role::Viewer),
    ("workflows", Role::Viewer),
    ("accept", Role::Agent),
    ("accept_once", Role::Agent),
    ("alive", Role::Agent),
    ("answer", Role::Agent),
    ("ask", Role::Agent),
    ("broadcast", Role::Agent),
    ("cancel", Role::Agent),
    ("claim", Role::Agent),
    ("claim_until", Role::Agent),
    ("decline", Role::Agent),
    ("defer", Role::Agent),
    ("delegate", Role::Agent),
    ("escalate", Role::Agent),
    ("execute_handoff", Role::Agent),
    ("give_back", Role::Agent),
    ("give_back_json", Role::Agent),
    ("give_back_once", Role::Agent),
    ("heartbeat", Role::Agent),
    ("initiate", Role::Agent),
    ("initiate_json", Role::Agent),
    ("initiate_parsed", Role::Agent),
    ("move_state", Role::Agent),
    ("open_session", Role::Agent),
    ("reject", Role::Agent),
    ("resume_session", Role::Agent),
    ("say", Role::Agent),
    ("say_after", Role::Agent),
    ("say_json", Role::Agent),
    ("say_once", Role::Agent),
    ("set", Role::Agent),
    ("start", Role::Agent),
    ("store_handoff_event", Role::Agent),
    ("submit", Role::Agent),
    ("take_return", Role::Agent),
    ("turn", Role::Agent),
    ("turn_json", Role::Agent),
    ("amend", Role::Operator),
    ("amend_exactly", Role::Operator),
    ("approve", Role::Operator),
    ("approve_edited", Role::Operator),
    ("approve_exactly", Role::Operator),
    ("deny", Role::Operator),
    ("deny_exactly", Role::Operator),
    ("drain", Role::Operator),
    ("drain_because", Role::Operator),
    ("raise", Role::Operator),
    ("redirect", Role::Operator),
    ("reset_breaker", Role::Operator),
    ("reset_breaker_because", Role::Operator),
    ("retry", Role::Operator),
    ("submit SetLimits", Role::Operator),
    ("check_health", Role::Admin),
    ("define", Role::Admin),
    ("enforce_retention", Role::Admin),
    ("export", Role::Admin),
    ("export_lines", Role::Admin),
    ("forget_accounts", Role::Admin),
    ("cover", Role::Admin),
    ("serve", Role::Admin),
    ("house_book", Role::Admin),
    ("house_page", Role::Admin),
    ("keep_note", Role::Admin),
    ("keys", Role::Admin),
    ("keys_used", Role::Admin),
    ("make_key", Role::Admin),
    ("nodes", Role::Admin),
    ("notes", Role::Admin),
    ("take_chore", Role::Admin),
    ("on_event", Role::Admin),
    ("operator", Role::Admin),
    ("prunable", Role::Admin),
    ("register", Role::Admin),
    ("register_json", Role::Admin),
    ("register_profile", Role::Admin),
    ("remove_agent", Role::Admin),
    ("revoke_key", Role::Admin),
    ("rotate_key", Role::Admin),
    ("run_due", Role::Admin),
    ("seal", Role::Admin),
    ("set_picker", Role::Admin),
    ("set_policy", Role::Admin),
    ("set_summarizer", Role::Admin),
    ("verify", Role::Admin),
    ("close", Role::Admin),
];

/// Methods that tell nothing of anybody and change nothing: the clock, and what a rim asks before it knows who calls.
pub const FREE: &[&str] = &[
    "approval_asked",
    "approval_of",
    "batches",
    "caller",
    "clock",
    "clock_apart_ms",
    "counted",
    "catch_up",
    "feed_position",
    "is_shared",
    "live_nodes",
    "serving_nodes",
    "look",
    "for_caller",
    "has_keys",
    "human",
    "is_closing",
    "key_of",
    "key_by_id",
    "key_opens",
    "left_out",
    "limits_of",
    "looking_past",
    "note_denial",
    "now",
    "stopped",
    "tenant",
    "wait",
    "was_keyed",
];

/// What is tried upon.
pub struct Scene {
    pub house: House,
    pub engine: Engine,
    offered: HandoffId,
    asked: HandoffId,
    over: HandoffId,
}

impl Scene {
    /// Work that is offered, work that waits for a person, and work that is over.
    pub async fn new() -> Self {
        let house = House::new();
        let engine = house.open().await;
        workers(&engine, &["planner", "pilot", "clerk", "spare"]).await;
        engine.say(&session("s"), vec![user("A jet, please")]).await.unwrap();
        let over = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
        let lease = engine.accept(over, &id("pilot"), None, None).await.unwrap().lease;
        engine.give_back(over, lease, success("a jet"), None).await.unwrap();
        let asking = Request { needs_approval: true, ..delegation("planner", "pilot") };
        let asked = engine.initiate(&session("s"), asking).await.unwrap().handoffs[0];
        let offered = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
        Self { house, engine, offered, asked, over }
    }

    /// Tries one method. What comes of it is of no interest but for who may not.
    pub async fn attempt(&self, method: &str, by: &Engine) -> Result<(), HandoffError> {
        match self.look(method, by).await {
            Some(answer) => answer,
            None => match self.act(method, by).await {
                Some(answer) => answer,
                None => self.run(method, by).await,
            },
        }
    }

    async fn look(&self, method: &str, by: &Engine) -> Option<Result<(), HandoffError>> {
        let (s, nowhere, over, pilot) = (session("s"), session("nowhere"), self.over, id("pilot"));
        Some(match method {
            "agent" => by.agent(&pilot).map(drop),
            "agents" => found(!by.agents().is_empty()),
            "approvals" => by.approvals(None).await.map(drop),
            "approvals_page" => by.approvals_page(None, 0, 9).await.map(drop),
            "approval_rule" => found(by.approval_rule("none").is_none()),
            "questions" => by.questions(None).await.map(drop),
            "audit" => by.audit(RecordQuery { limit: 9, ..RecordQuery::default() }).await.map(drop),
            "audit_page" => by.audit_page(RecordQuery { limit: 9, ..RecordQuery::default() }, 9).await.map(drop),
            "breaker" => by.breaker(&pilot).map(drop),
            "breakers" => found(by.breakers().is_empty()),
            "accepted" => by.accepted(over).await.map(drop),
            "decided" => by.decided(&nowhere, GroupId(Uuid::nil())).await.map(drop),
            "decided_until" => by.decided_until(&s, GroupId(Uuid::nil()), async {}).await.map(drop),
            "ended" => by.ended(&nowhere).await.map(drop),
            "event_rules" => by.event_rules().await.map(drop),
            "experiment" => by.experiment("none").map(drop),
            "experiments" => found(by.experiments().is_empty()),
            "last_heard" => by.last_heard(&pilot).map(drop),
            "sessions_in_state" => by.sessions_in_state("none", "X", 0, 9).await.map(drop),
            "glances" => by.glances(&[s, nowhere]).await.map(drop),
            "queue" => by.queue(&pilot, 9).await.map(drop),
            "queues" => by.queues(&[pilot]).await.map(drop),
            "workflow_states" => by.workflow_states("none").await.map(drop),
            "get_handoff_count" => by.get_handoff_count(&s, None, None).await.map(drop),
            "get_handoff_history" => by.get_handoff_history(&s).await.map(drop),
            "get_last_handoff" => by.get_last_handoff(&s).await.map(drop),
            "handoff" => by.handoff(over).await.map(drop),
            "handoff_history" => by.handoff_history(&s, 0, 9).await.map(drop),
            "handoffs" => by.handoffs(HandoffQuery { limit: 9, ..HandoffQuery::default() }).await.map(drop),
            "handoffs_between" => by.handoffs_between(over, over, 9).await.map(drop),
            "handoffs_page" => by.handoffs_page(HandoffQuery { limit: 9, ..HandoffQuery::default() }).await.map(drop),
            "has_group" => by.has_group(&s, GroupId(Uuid::nil())).await.map(drop),
            "inbox" => by.inbox(&pilot, 9).await.map(drop),
            "latest" => by.latest(over).await.map(drop),
            "messages" => by.messages(&s, 1, 1).await.map(drop),
            "recall" => by.recall(over, 1, 1).await.map(drop),
            "recommend" => by.recommend(&s, "a jet", 3).await.map(drop),
            "returned" => by.returned(over).await.map(drop),
            "returned_until" => by.returned_until(over, async {}).await.map(drop),
            "route" => by.route(&s, &delegation("planner", "pilot")).await.map(drop),
            "session" => by.session(&s).await.map(drop),
            "sessions" => by.sessions(0, 9).await.map(drop),
            "sessions_nearby" => by.sessions_nearby(1, 1).await.map(drop),
            "stats" => by.stats().await.map(drop),
            "stats_of" => by.stats_of(StatsQuery::default()).await.map(drop),
            "story" => by.story(over).await.map(drop),
            "subscribe" => found(by.subscribe(handover_engine::Filter::default(), None).position() > 0),
            "subscribe_all" => by.subscribe_all(handover_engine::Filter::default(), None).map(drop),
            "suggestions" => by.suggestions(&s).await.map(drop),
            "totals" => by.totals().await.map(drop),
            "trace_any" => by.trace_any(over).await.map(drop),
            "trace" => by.trace(over).await.map(drop),
            "unreadable_workflows" => found(by.unreadable_workflows().is_empty()),
            "view" => by.view(over, None).await.map(drop),
            "view_page" => by.view_page(over, 1, 1, None).await.map(drop),
            "waiting_returns" => by.waiting_returns(&pilot, 9).await.map(drop),
            "was_done" => by.was_done(&s, "k").await.map(drop),
            "workflow" => by.workflow("none").map(drop),
            "workflows" => found(by.workflows().is_empty()),
            _ => return None,
        })
    }

    async fn act(&self, method: &str, by: &Engine) -> Option<Result<(), HandoffError>> {
        let (s, offered, over) = (session("s"), self.offered, self.over);
        let (planner, pilot, lease) = (id("planner"), id("pilot"), LeaseId(Uuid::nil()));
        let open = || Open::by("planner").unwrap();
        // To nobody: the right counts before that, and nobody waits for an answer.
        let lost = || delegation("planner", "nobody");
        let turn = || Turn { goto: handover_core::command::Goto::End, update: Update::default() };
        Some(match method {
            "accept" => by.accept(offered, &pilot, None, None).await.map(drop),
            "accept_once" => by.accept_once(offered, &pilot, None, None, Some("k")).await.map(drop),
            "claim" => by.claim(&pilot, None, None, None).await.map(drop),
            "claim_until" => by.claim_until(&pilot, None, None, None, async {}).await.map(drop),
            "alive" => by.alive(&pilot).await,
            "broadcast" => by.broadcast(&s, Request::new(Kind::Broadcast, planner, "x")).await.map(drop),
            "cancel" => by.cancel(over, &planner, "x").await.map(drop),
            "ask" => by.ask(offered, lease, "x").await.map(drop),
            "answer" => by.answer(offered, "planner", "x").await.map(drop),
            "decline" => by.decline(offered, lease, "x").await.map(drop),
            "defer" => by.defer(over, &pilot, 5, "x").await.map(drop),
            "delegate" => by.delegate(&s, lost()).await.map(drop),
            "escalate" => by.escalate(offered, lease, "x").await.map(drop),
            "execute_handoff" => by.execute_handoff(conversation()).await.map(drop),
            "give_back" => by.give_back(offered, lease, success("x"), None).await.map(drop),
            "give_back_json" => by.give_back_json(offered, lease, r#"{"status": "success"}"#).await.map(drop),
            "give_back_once" => by.give_back_once(offered, lease, success("x"), None, None).await.map(drop),
            "heartbeat" => by.heartbeat(offered, lease).await.map(drop),
            "initiate" => by.initiate(&s, lost()).await.map(drop),
            "initiate_json" => by.initiate_json(&s, &json!(lost()).to_string()).await.map(drop),
            "initiate_parsed" => {
                let parsed = handover_core::wire::Parsed { request: lost(), history: None };
                by.initiate_parsed(&s, parsed).await.map(drop)
            }
            "move_state" => by.move_state(offered, lease, "x").await,
            "open_session" => by.open_session(&session("new"), open()).await.map(drop),
            "reject" => by.reject(over, &pilot, "x").await.map(drop),
            "resume_session" => by.resume_session(&session("other"), open()).await.map(drop),
            "say" => by.say(&s, vec![user("hi")]).await.map(drop),
            "say_after" => by.say_after(&s, vec![user("hi")], None).await.map(drop),
            "say_json" => by.say_json(&s, r#"[{"role": "user", "content": "hi"}]"#).await.map(drop),
            "say_once" => by.say_once(&s, vec![user("hi")], None, None).await.map(drop),
            "set" => by.set(&s, &planner, Vec::new()).await.map(drop),
            "start" => {
                // Whether there is such a workflow comes first, and every role may know that.
                self.engine.define(workflow()).await.unwrap();
                by.start(&session("flow"), Start::of("w", planner)).await.map(drop)
            }
            "store_handoff_event" => by.store_handoff_event(conversation()).await.map(drop),
            "submit" => by.submit(&s, Command::CompleteSegment { by: planner }, None).await.map(drop),
            "take_return" => by.take_return(&s, over, &planner, None).await.map(drop),
            "turn" => by.turn(&session("s2"), &planner, turn()).await.map(drop),
            "turn_json" => by.turn_json(&session("s2"), &planner, r#"{"goto": "end"}"#).await.map(drop),
            _ => return None,
        })
    }

    async fn run(&self, method: &str, by: &Engine) -> Result<(), HandoffError> {
        let (asked, clerk, spare) = (self.asked, id("clerk"), id("spare"));
        let (edit, digest) = (Edit::default(), Digest::of(b"x"));
        match method {
            "amend" => by.amend(asked, "clerk", edit).await.map(drop),
            "amend_exactly" => by.amend_exactly(asked, "clerk", edit, digest).await.map(drop),
            "approve" => by.approve(asked, "clerk", "").await.map(drop),
            "approve_edited" => by.approve_edited(asked, "clerk", "", None, edit).await.map(drop),
            "approve_exactly" => by.approve_exactly(asked, "clerk", "", digest).await.map(drop),
            "deny" => by.deny(asked, "clerk", "").await.map(drop),
            "deny_exactly" => by.deny_exactly(asked, "clerk", "", digest).await.map(drop),
            "drain" => by.drain(&clerk, true).await,
            "drain_because" => by.drain_because(&clerk, true, "x").await,
            "raise" => by.raise(event()).await.map(drop),
            "redirect" => by.redirect(self.over, "clerk", &clerk, "x").await.map(drop),
            "retry" => by.retry(self.over, "clerk", "x").await.map(drop),
            "reset_breaker" => by.reset_breaker(&clerk).await,
            "reset_breaker_because" => by.reset_breaker_because(&clerk, "x").await,
            "submit SetLimits" => {
                let limits = SessionLimits::default();
                by.submit(&session("s"), Command::SetLimits { by: "x".into(), limits }, None).await.map(drop)
            }
            "check_health" => by.check_health().await,
            "define" => by.define(workflow()).await.map(drop),
            "enforce_retention" => by.enforce_retention().await.map(drop),
            "export" => by.export(self.house.folder.path(), "x", RecordQuery::default()).await.map(drop),
            "export_lines" => by.export_lines(RecordQuery { limit: 9, ..RecordQuery::default() }).await.map(drop),
            "forget_accounts" => by.forget_accounts().await.map(drop),
            "cover" => by.cover().await.map(drop),
            "serve" => by.serve().await,
            "house_book" => by.house_book(0, 9).await.map(drop),
            "house_page" => by.house_page(RecordQuery { limit: 9, ..RecordQuery::default() }).await.map(drop),
            "keep_note" => by.keep_note("tried", "k", None).await,
            "keys" => by.keys().await.map(drop),
            "keys_used" => by.keys_used().map(drop),
            "make_key" => by.make_key(NewKey::of("x", Role::Viewer)).await.map(drop),
            "nodes" => by.nodes().await.map(drop),
            "take_chore" => by.take_chore("tried", 1).await.map(drop),
            "notes" => by.notes("tried", "", 9).await.map(drop),
            "on_event" => by.on_event(rule()).await,
            "operator" => by.operator(),
            "prunable" => by.prunable().await.map(drop),
            "register" => by.register(newcomer(), agent(|_| async { Ok(Done::text("x")) })).await,
            "register_json" => by.register_json(r#"{"id": "newcomer"}"#).await,
            "register_profile" => by.register_profile(newcomer()).await,
            "remove_agent" => by.remove_agent(&spare).await,
            "revoke_key" => by.revoke_key(&"aaaaaaaaaaaa".parse().unwrap()).await.map(drop),
            "rotate_key" => by.rotate_key(&"aaaaaaaaaaaa".parse().unwrap(), 0).await.map(drop),
            "run_due" => by.run_due().await.map(drop),
            "seal" => by.seal().await,
            "set_picker" => by.set_picker(None),
            "set_policy" => by.set_policy(self.house.policy.clone()),
            "set_summarizer" => by.set_summarizer(None),
            "verify" => by.verify().await.map(drop),
            "close" => by.close().await,
            other => panic!("nobody knows how to try {other}"),
        }
    }
}

fn found(is_so: bool) -> Result<(), HandoffError> {
    assert!(is_so);
    Ok(())
}

fn newcomer() -> Profile {
    Profile::named("newcomer").unwrap()
}

fn conversation() -> HandoffContext {
    HandoffContext {
        from_agent: id("planner"),
        to_agent: id("nobody"),
        reason: "x".into(),
        conversation_history: vec![user("A jet, please")],
        user_intent: "x".into(),
        session_id: session("talk"),
        harness_trace_id: None,
    }
}

fn workflow() -> Workflow {
    serde_json::from_value(json!({
        "name": "w", "agents": {"pilot": {}}, "start": "WORKING",
        "states": {"WORKING": {"agent": "pilot"}, "DONE": {"end": "completed"}},
        "rules": [{"id": "1", "from": "pilot", "reason": "it is done", "next_state": "DONE"}],
    }))
    .unwrap()
}

pub fn event() -> OutsideEvent {
    OutsideEvent { id: "e".into(), kind: "alarm".into(), data: json!(1), session_id: None }
}

pub fn rule() -> EventRule {
    EventRule {
        name: "r".into(),
        on: event().kind,
        from_agent: id("planner"),
        to_agent: Some(id("pilot")),
        capability: None,
        task: "look".into(),
        priority: Priority::Normal,
    }
}
