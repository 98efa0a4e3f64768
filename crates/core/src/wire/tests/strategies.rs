//! Anything that is valid, for the property tests.

use crate::{
    agent::{AgentKind, Autonomy, Capability, Profile, Risk},
    budget::{Budget, Limit, Period, Usage},
    command::{Giving, Goto, NewArtifact, Turn, Update},
    context::{Include, TransferMode},
    handoff::*,
    ids::{AgentId, HandoffId},
    limits,
    message::{NewMessage, Role, ToolCall},
    session::{ArtifactStatus, ArtifactType},
    time::Timestamp,
};
use proptest::{collection::vec, option::of, prelude::*, sample::select};
use serde_json::{Map, Value};

fn text() -> impl Strategy<Value = String> {
    "[a-zß][a-zA-Z0-9 \"\\\\{\\[\n\tß→]{0,12}"
}

fn free() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), text()]
}

pub(super) fn agent() -> impl Strategy<Value = AgentId> {
    "[a-z][a-zA-Z0-9_./:-]{0,8}".prop_filter_map("END is a word", |t| (t != "end").then(|| AgentId::new(t).unwrap()))
}

/// Numbers that JSON writes and reads without rounding.
fn dyadic(max: i32) -> impl Strategy<Value = f64> {
    (0..=max * 8).prop_map(|n| f64::from(n) / 8.0)
}

pub(super) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        dyadic(9).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((text(), inner), 0..3).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn map() -> impl Strategy<Value = Map<String, Value>> {
    vec((text(), value()), 0..3).prop_map(|pairs| pairs.into_iter().collect())
}

fn wait() -> impl Strategy<Value = u64> {
    1..=limits::WAIT_MS_MAX
}

fn risk() -> impl Strategy<Value = Risk> {
    select(vec![Risk::Low, Risk::Medium, Risk::High])
}

fn task() -> impl Strategy<Value = Task> {
    let priority = select(vec![Priority::Urgent, Priority::High, Priority::Normal, Priority::Low]);
    (free(), free(), text(), value(), priority).prop_map(|(id, kind, description, payload, priority)| Task {
        id,
        kind,
        description,
        payload,
        priority,
    })
}

fn transfer() -> impl Strategy<Value = Transfer> {
    let mode = select(vec![TransferMode::Full, TransferMode::Summary, TransferMode::RelevantOnly]);
    (of(mode), of(1..100_usize), any::<[bool; 4]>()).prop_map(|(mode, max_messages, [a, b, c, d])| Transfer {
        mode,
        max_messages,
        include: Include { system_messages: a, tool_calls: b, tool_results: c, agent_reasoning: d, asides: a && d },
    })
}

fn context() -> impl Strategy<Value = Context> {
    let deadline = (0..253_402_300_799_999_i64).prop_map(Timestamp);
    let constraints = (of(dyadic(99)), of(deadline)).prop_map(|(budget, deadline)| Constraints {
        budget: budget.map(|cost| Budget { cost: Some(cost), tokens: Some(7), time_ms: None }),
        deadline,
    });
    (transfer(), map(), vec(text(), 0..3), value(), value(), of(text()), of(text()), constraints).prop_map(
        |(transfer, variables, artifacts, completed_work, metadata, user_id, correlation_id, constraints)| Context {
            transfer,
            variables,
            artifacts,
            completed_work,
            metadata,
            user_id,
            correlation_id,
            traceparent: None,
            constraints,
        },
    )
}

fn validation() -> impl Strategy<Value = Validation> {
    let required = (text(), of(dyadic(1)))
        .prop_map(|(capability_id, min_proficiency)| RequiredCapability { capability_id, min_proficiency });
    (vec(required, 0..3), of(risk()))
        .prop_map(|(required_capabilities, autonomy_budget)| Validation { required_capabilities, autonomy_budget })
}

fn protocol() -> impl Strategy<Value = ReturnProtocol> {
    let on_timeout = select(vec![OnTimeout::Retry, OnTimeout::Escalate, OnTimeout::Fail]);
    (of(any::<bool>()), of(wait()), on_timeout).prop_map(|(expected, timeout_ms, on_timeout)| ReturnProtocol {
        expected,
        timeout_ms,
        on_timeout,
    })
}

fn aggregation() -> impl Strategy<Value = Aggregation> {
    use Aggregation::{All, Any, BestOf, Majority, Quorum};
    select(vec![All, Any, Majority, BestOf, Quorum(1), Quorum(64)])
}

fn sends() -> impl Strategy<Value = Vec<Send>> {
    vec((agent(), of(task())).prop_map(|(to_agent, task)| Send { to_agent, task }), 0..3)
}

pub(super) fn request() -> impl Strategy<Value = Request> {
    let kind = select(vec![Kind::Sequential, Kind::Delegation, Kind::Broadcast, Kind::Escalation]);
    let trigger = select(vec![
        Trigger::TaskCompletion,
        Trigger::CapabilityMismatch,
        Trigger::Escalation,
        Trigger::Timeout,
        Trigger::ExplicitRequest,
        Trigger::Event,
    ]);
    let parent = any::<u128>().prop_map(|n| HandoffId(uuid::Uuid::from_u128(n)));
    let links = (of(text()), of(text()), of(parent), agent(), of(agent()), of(text()), vec(agent(), 0..3));
    let why = (kind, trigger, text(), text(), text());
    let rung = (agent(), wait()).prop_map(|(agent, timeout_ms)| Rung { agent, timeout_ms });
    let audit =
        (free(), risk()).prop_map(|(decision_rationale, risk_level)| Rationale { decision_rationale, risk_level });
    let broadcast = (sends(), aggregation()).prop_map(|(targets, aggregation)| Broadcast { targets, aggregation });
    let work = (task(), context(), validation(), protocol(), audit, of(broadcast), vec(rung, 0..3));
    (links, why, work, any::<[bool; 3]>()).prop_map(|(links, why, work, flags)| Request {
        idempotency_key: links.0,
        trace_id: links.1,
        parent_id: links.2,
        from_agent: links.3,
        to_agent: links.4,
        capability: links.5,
        candidates: links.6,
        strategy: flags[0].then_some(crate::policy::Strategy::Semantic),
        kind: why.0,
        trigger: why.1,
        reason: why.2,
        user_intent: why.3,
        original_request: why.4,
        task: work.0,
        context: work.1,
        validation: work.2,
        return_protocol: work.3,
        audit: work.4,
        broadcast: work.5,
        ladder: work.6,
        blocking: flags[0],
        completes_segment: flags[1],
        needs_approval: flags[2],
        rule: None,
        retry_of: None,
    })
}

fn update() -> impl Strategy<Value = Update> {
    let kind = select(vec![
        ArtifactType::File,
        ArtifactType::Code,
        ArtifactType::Document,
        ArtifactType::TestResult,
        ArtifactType::ReviewComment,
    ]);
    let status = select(vec![ArtifactStatus::Draft, ArtifactStatus::Final, ArtifactStatus::Superseded]);
    let artifact = (kind, text(), free(), status).prop_map(|(kind, path, description, status)| NewArtifact {
        kind,
        path,
        description,
        status,
    });
    let metrics = (any::<u64>(), dyadic(9), any::<u64>(), any::<u64>())
        .prop_map(|(tokens, cost, iterations, duration_ms)| Metrics { tokens, cost, iterations, duration_ms });
    (map(), vec(artifact, 0..3), value(), metrics).prop_map(|(context, artifacts, workflow_state, metrics)| Update {
        usage: vec![Usage { model: "m".into(), input_tokens: metrics.tokens, output_tokens: 3 }],
        context,
        artifacts,
        workflow_state,
        metrics,
    })
}

pub(super) fn turn() -> impl Strategy<Value = Turn> {
    let goto = prop_oneof![
        Just(Goto::End),
        (agent(), free(), free()).prop_map(|(to_agent, task, reason)| Goto::One { to_agent, task, reason }),
        request().prop_map(|request| Goto::Request(Box::new(request))),
        (sends(), aggregation(), wait()).prop_map(|(sends, aggregation, timeout_ms)| Goto::Many {
            sends,
            aggregation,
            timeout_ms
        }),
    ];
    (goto, update()).prop_map(|(goto, update)| Turn { goto, update })
}

pub(super) fn giving() -> impl Strategy<Value = Giving> {
    let status = select(vec![ReturnStatus::Success, ReturnStatus::Partial, ReturnStatus::Failed]);
    let content = select(vec![ContentType::Text, ContentType::Json, ContentType::ArtifactRef]);
    let result = (content, value(), of(dyadic(99))).prop_map(|(content_type, body, score)| Outcome {
        content_type,
        body,
        score,
    });
    (status, result, update(), free(), of(text())).prop_map(|(status, result, updates, notes, signal)| Giving {
        status,
        result,
        updates,
        notes,
        signal,
    })
}

pub(super) fn messages() -> impl Strategy<Value = Vec<NewMessage>> {
    let role = select(vec![Role::System, Role::User, Role::Assistant, Role::Tool]);
    let call = (text(), text(), value()).prop_map(|(id, name, arguments)| ToolCall { id, name, arguments });
    let message = (role, any::<String>(), of(agent()), vec(call, 0..3), of(text()), of(text()), any::<bool>())
        .prop_map(|(role, content, agent, tool_calls, tool_call_id, tool_name, reasoning)| NewMessage {
            role,
            content,
            agent,
            tool_calls,
            tool_call_id,
            tool_name,
            reasoning,
            aside: !reasoning,
        });
    vec(message, 0..4)
}

pub(super) fn profile() -> impl Strategy<Value = Profile> {
    let capability = (text(), dyadic(1)).prop_map(|(id, proficiency)| Capability { id, proficiency });
    let kind = select(vec![
        AgentKind::Local,
        AgentKind::Worker,
        AgentKind::Human,
        AgentKind::Llm,
        AgentKind::Command,
        AgentKind::Http,
        AgentKind::A2a,
    ]);
    let texts = (free(), free(), free(), free());
    let lists = (vec(capability, 0..3), vec(free(), 0..3), vec(free(), 0..3));
    (agent(), texts, lists, any::<bool>(), any::<u32>(), of(wait()), risk(), of(agent()), kind).prop_map(
        |(id, texts, lists, accepts_handoffs, tasks, max_execution_ms, max_risk, escalates_to, kind)| Profile {
            budget: accepts_handoffs.then(|| Limit { tokens: max_execution_ms, per: Period::Day, ..Limit::default() }),
            model: accepts_handoffs.then(|| "m".to_owned()),
            provider: accepts_handoffs.then(|| "p".to_owned()),
            tenant: None,
            instructions: texts.2.clone(),
            tools: lists.1.clone(),
            command: lists.2.clone(),
            folder: accepts_handoffs.then(|| "f".to_owned()),
            url: accepts_handoffs.then(|| "u".to_owned()),
            secret_env: accepts_handoffs.then(|| "S".to_owned()),
            from_card: lists.1.clone(),
            id,
            name: texts.0,
            specialization: texts.1,
            capabilities: lists.0,
            description: texts.2,
            examples: lists.1,
            accepts_handoffs,
            max_concurrent_tasks: tasks,
            max_execution_ms,
            accept_within_ms: max_execution_ms.filter(|_| accepts_handoffs),
            autonomy_budget: Autonomy { max_risk },
            escalates_to,
            kind,
            version: texts.3,
            tags: lists.2,
        },
    )
}
