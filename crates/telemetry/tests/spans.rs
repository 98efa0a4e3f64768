//! From events to spans: what a trace shows of each way that a handoff can go, and what it never shows.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{House, WORDS, asking, begun, giving, id, one_done, session, shown, spans};
use expect_test::expect;
use handover_core::{
    command::{Command, Goto},
    handoff::{Kind, Request, ReturnStatus},
    trace::{self, TraceParent},
};
use handover_engine::Engine;
use handover_telemetry::otlp;
use serde_json::{Value, json};

const GIVEN: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// Records steps as an agent does that is a model with tools.
async fn steps(house: &House, engine: &Engine, handoff: handover_core::ids::HandoffId, steps: &[(&str, Value)]) {
    let assignment = engine.accept(handoff, &id("anna"), None, None).await.unwrap();
    for (name, output) in steps {
        house.pass(engine, 2).await;
        let command = Command::Record {
            handoff,
            lease: assignment.lease,
            name: (*name).to_owned(),
            output: output.clone(),
            messages: Vec::new(),
        };
        engine.submit(&session("s"), command, None).await.unwrap();
    }
    engine.give_back(handoff, assignment.lease, giving(ReturnStatus::Success), None).await.unwrap();
}

fn model_steps() -> Vec<(&'static str, Value)> {
    let call = json!({"id": "call_1", "name": "find_jet", "arguments": {"read": {"to": WORDS}}});
    let used = json!({"input": 120, "cached": 20, "output": 30});
    vec![
        ("model/1", json!({"text": WORDS, "calls": [call], "stop": "tools", "used": used, "model": "m-2026-01-01"})),
        ("tool/1/0", json!({"result": {"id": "call_1", "name": "find_jet", "content": WORDS}})),
        (
            "tool/1/1",
            json!({"result": {"id": "a call", "name": format!("{WORDS} of a model"), "content": WORDS, "failed": true}}),
        ),
        ("model/2", json!({"text": WORDS, "calls": [], "stop": "done", "used": null, "model": "m-2026-01-01"})),
        ("model/x", json!({"anything": WORDS})),
        (WORDS, json!(WORDS)),
    ]
}

#[tokio::test]
async fn a_handoff_and_the_work_on_it_are_linked_both_ways() {
    let house = House::new();
    let engine = house.open().await;
    let handoff = begun(&engine, asking("desk", "anna")).await;
    house.pass(&engine, 3).await;
    let assignment = engine.accept(handoff, &id("anna"), None, None).await.unwrap();
    house.pass(&engine, 5).await;
    engine.give_back(handoff, assignment.lease, giving(ReturnStatus::Failed), None).await.unwrap();
    expect![[r##"
        #1 root Producer "handoff desk -> anna" 0s..8s
            handover.tenant default
            handover.session_id s
            handover.handoff_id …
            gen_ai.conversation.id s
            handover.type delegation
            handover.trigger explicit_request
            handover.from desk
            handover.to anna
            handover.status failed
            handover.priority normal
            handover.invocations 1
            handover.tokens 0
            handover.cost 0
            error.type failed
            link invocation #2
            ERROR failed
        #2 in #1 Consumer "invoke_agent anna" 3s..8s
            handover.tenant default
            handover.session_id s
            handover.handoff_id …
            gen_ai.conversation.id s
            gen_ai.operation.name invoke_agent
            gen_ai.agent.name anna
            gen_ai.agent.id anna
            handover.outcome failed
            error.type failed
            link handoff #1
            ERROR failed
    "##]]
    .assert_eq(&shown(&spans(&engine, &[handoff]).await));
}

#[tokio::test]
async fn models_and_tools_are_shown_by_their_names() {
    let house = House::new();
    let engine = house.open().await;
    let handoff = begun(&engine, asking("desk", "anna")).await;
    steps(&house, &engine, handoff, &model_steps()).await;
    let found = spans(&engine, &[handoff]).await;
    let inner: Vec<_> = found.into_iter().filter(|span| !span.name.starts_with("handoff")).collect();
    expect![[r##"
        #2 in #1 Client "chat asked-for" 0s..2s
            handover.tenant default
            handover.session_id s
            handover.handoff_id …
            gen_ai.conversation.id s
            gen_ai.agent.name anna
            gen_ai.agent.id anna
            gen_ai.operation.name chat
            gen_ai.provider.name openai
            gen_ai.request.model asked-for
            gen_ai.response.model m-2026-01-01
            gen_ai.response.finish_reasons tool_calls
            gen_ai.usage.input_tokens 120
            gen_ai.usage.cache_read.input_tokens 20
            gen_ai.usage.output_tokens 30
        #1 in #3 Consumer "invoke_agent anna" 0s..12s
            handover.tenant default
            handover.session_id s
            handover.handoff_id …
            gen_ai.conversation.id s
            gen_ai.operation.name invoke_agent
            gen_ai.agent.name anna
            gen_ai.agent.id anna
            handover.outcome completed
            link handoff #3
        #4 in #1 Internal "execute_tool find_jet" 2s..4s
            handover.tenant default
            handover.session_id s
            handover.handoff_id …
            gen_ai.conversation.id s
            gen_ai.agent.name anna
            gen_ai.agent.id anna
            gen_ai.operation.name execute_tool
            gen_ai.tool.name find_jet
            gen_ai.tool.type function
            gen_ai.tool.call.id call_1
        #5 in #1 Internal "execute_tool other" 4s..6s
            handover.tenant default
            handover.session_id s
            handover.handoff_id …
            gen_ai.conversation.id s
            gen_ai.agent.name anna
            gen_ai.agent.id anna
            gen_ai.operation.name execute_tool
            gen_ai.tool.name other
            gen_ai.tool.type function
            error.type tool_error
            ERROR tool_error
        #6 in #1 Client "chat asked-for" 6s..8s
            handover.tenant default
            handover.session_id s
            handover.handoff_id …
            gen_ai.conversation.id s
            gen_ai.agent.name anna
            gen_ai.agent.id anna
            gen_ai.operation.name chat
            gen_ai.provider.name openai
            gen_ai.request.model asked-for
            gen_ai.response.model m-2026-01-01
            gen_ai.response.finish_reasons stop
    "##]]
    .assert_eq(&shown(&inner));
}

#[tokio::test]
async fn each_taking_is_a_span_of_its_own() {
    let house = House::new();
    let engine = house.open().await;
    let mut request = asking("desk", "anna");
    request.candidates = vec![id("ben")];
    let handoff = begun(&engine, request).await;
    engine.accept(handoff, &id("anna"), None, None).await.unwrap();
    // Nobody renews the lease.
    house.pass(&engine, 600).await;
    let again = engine.accept(handoff, &id("anna"), None, None).await.unwrap();
    engine.decline(handoff, again.lease, WORDS).await.unwrap();
    let last = engine.accept(handoff, &id("ben"), None, None).await.unwrap();
    engine.give_back(handoff, last.lease, giving(ReturnStatus::Success), None).await.unwrap();
    let found = spans(&engine, &[handoff]).await;
    let told: Vec<String> = found
        .iter()
        .map(|span| {
            let outcome = span.attributes.0.iter().find(|(name, _)| *name == "handover.outcome").map(|(_, v)| v);
            format!("{} {outcome:?} {:?} {}", span.name, span.error, span.links.len())
        })
        .collect();
    expect![[r#"
        invoke_agent anna Some(Text("lease_lost")) Some("lease_lost") 1
        invoke_agent anna Some(Text("declined")) None 1
        invoke_agent ben Some(Text("completed")) None 1
        handoff desk -> ben None None 3"#]]
    .assert_eq(&told.join("\n"));
}

#[tokio::test]
async fn a_chain_is_one_trace_with_what_came_from_outside_on_top() {
    let house = House::new();
    let engine = house.open().await;
    let mut first = asking("desk", "anna");
    first.context.traceparent = Some(GIVEN.into());
    let first = begun(&engine, first).await;
    let held = engine.accept(first, &id("anna"), None, None).await.unwrap();
    // What is called outside stands below the agent that calls it.
    let told = trace::told(&held.handoff, held.lease);
    let second = begun(&engine, asking("anna", "ben")).await;
    let kept = engine.handoff(second).await.unwrap().request.context.traceparent.clone();
    assert_eq!(kept, Some(told.to_string()));
    engine.close().await.unwrap();

    // Another process comes to the same ids.
    let engine = house.open().await;
    let below = engine.accept(second, &id("ben"), None, None).await.unwrap();
    engine.give_back(second, below.lease, giving(ReturnStatus::Success), None).await.unwrap();
    engine.give_back(first, held.lease, giving(ReturnStatus::Success), None).await.unwrap();
    let found = spans(&engine, &[first, second]).await;
    let given: TraceParent = GIVEN.parse().unwrap();
    assert!(found.iter().all(|span| span.trace == given.trace));
    let span = |name: &str| found.iter().find(|span| span.name == name).unwrap();
    assert_eq!(span("handoff desk -> anna").parent, Some(given.span));
    assert_eq!(span("invoke_agent anna").parent, Some(span("handoff desk -> anna").id));
    assert_eq!(span("invoke_agent anna").id, told.span);
    assert_eq!(span("handoff anna -> ben").parent, Some(told.span));
}

#[tokio::test]
async fn a_session_that_is_handed_on_stays_in_its_trace() {
    let house = House::new();
    let engine = house.open().await;
    let mut first = Request::new(Kind::Sequential, id("desk"), WORDS);
    first.to_agent = Some(id("anna"));
    first.completes_segment = true;
    first.context.traceparent = Some(GIVEN.into());
    let first = begun(&engine, first).await;
    let held = engine.accept(first, &id("anna"), None, None).await.unwrap();
    let then = Goto::One { to_agent: id("ben"), task: String::new(), reason: String::new() };
    let answer = engine.give_back(first, held.lease, giving(ReturnStatus::Success), Some(then)).await.unwrap();
    let second = engine.handoff(answer.handoffs[0]).await.unwrap();
    let told = trace::told(&held.handoff, held.lease);
    assert_eq!(second.request.context.traceparent, Some(told.to_string()));
}

#[tokio::test]
async fn without_a_trace_from_outside_the_session_is_one() {
    let house = House::new();
    let engine = house.open().await;
    let first = begun(&engine, asking("desk", "anna")).await;
    let held = engine.accept(first, &id("anna"), None, None).await.unwrap();
    let second = one_done(&engine, asking("anna", "ben")).await;
    engine.give_back(first, held.lease, giving(ReturnStatus::Success), None).await.unwrap();
    let third = one_done(&engine, asking("desk", "ben")).await;
    let found = spans(&engine, &[first, second, third]).await;
    assert!(found.iter().all(|span| span.trace == trace::of_session(&session("s"))));
    let span = |name: &str| found.iter().find(|span| span.name == name).unwrap();
    assert_eq!(span("handoff anna -> ben").parent, Some(span("invoke_agent anna").id));
    assert_eq!(span("handoff desk -> ben").parent, None);
    // Nothing is kept of it.
    assert_eq!(engine.handoff(second).await.unwrap().request.context.traceparent, None);
}

#[tokio::test]
async fn a_trace_that_nobody_wants_kept_is_not_sent() {
    let house = House::new();
    let engine = house.open().await;
    let mut request = asking("desk", "anna");
    request.context.traceparent = Some(GIVEN.replace("-01", "-00"));
    let handoff = begun(&engine, request).await;
    steps(&house, &engine, handoff, &model_steps()).await;
    assert_eq!(spans(&engine, &[handoff]).await, []);
}

#[tokio::test]
async fn nobody_s_words_are_in_a_span() {
    let house = House::new();
    let engine = house.open().await;
    let first = begun(&engine, asking("desk", "anna")).await;
    steps(&house, &engine, first, &model_steps()).await;
    let second = begun(&engine, asking("desk", "anna")).await;
    engine.reject(second, &id("anna"), WORDS).await.unwrap();
    let third = begun(&engine, asking("desk", "ben")).await;
    let held = engine.accept(third, &id("ben"), None, None).await.unwrap();
    engine.give_back(third, held.lease, giving(ReturnStatus::Failed), None).await.unwrap();
    let found = spans(&engine, &[first, second, third]).await;
    assert!(found.len() > 6, "{}", shown(&found));
    let sent = otlp::traces("handover", &found).to_string();
    assert!(!sent.contains(WORDS), "{sent}");
}

#[tokio::test]
async fn a_traceparent_that_is_none_is_refused_where_it_is_given() {
    let house = House::new();
    let engine = house.open().await;
    let mut request = asking("desk", "anna");
    request.context.traceparent = Some(GIVEN.to_uppercase());
    let error = engine.initiate(&session("s"), request).await.unwrap_err();
    expect!["desk->anna: HO0113 context.traceparent: expected `00-<32 digits>-<16 digits>-<2 digits>`, hexadecimal and in small letters"].assert_eq(&error.to_string());
}

#[tokio::test]
async fn who_asks_again_from_another_span_gets_the_first_answer() {
    let house = House::new();
    let engine = house.open().await;
    let ask = |traceparent: Option<String>| {
        let mut request = asking("desk", "anna");
        request.idempotency_key = Some("once".into());
        request.context.traceparent = traceparent;
        request
    };
    let first = begun(&engine, ask(Some(GIVEN.into()))).await;
    assert_eq!(begun(&engine, ask(Some(GIVEN.replace("b7ad", "aaaa")))).await, first);
    assert_eq!(begun(&engine, ask(None)).await, first);
}
