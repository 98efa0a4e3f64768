//! What a trace shows of a team of models: each question and each tool as the agents really record them, and no word of it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use async_trait::async_trait;
use expect_test::expect;
use handover::{
    core::handoff::Request,
    prelude::*,
    telemetry::{
        otlp,
        span::Span,
        spans::{ModelOf, Seen, Spans},
    },
};
use handover_agents::{
    llm::LlmAgent,
    model::{Arguments, Ask, Call, Line, Listener, Model, ModelError, Reply as Said, StopReason, TokensUsed},
    tool::{ToolSettings, Tools},
};
use serde_json::json;
use std::{path::Path, sync::Arc, time::Duration};

/// Stands in everything that is said.
const WORDS: &str = "confidential";

/// A model that asks for two tools, one of which there is not, and then answers.
struct Fake;

#[async_trait]
impl Model for Fake {
    async fn ask(&self, ask: &Ask, _: Listener<'_>) -> Result<Said, ModelError> {
        assert!(ask.traceparent.is_some());
        let used = Some(TokensUsed { input: 10, cached: 0, output: 5 });
        let call = |name: &str, arguments| Call {
            id: format!("call_{}", name.len()),
            name: name.to_owned(),
            arguments: Arguments::Read(arguments),
        };
        let (calls, stop) = match ask.lines.last() {
            Some(Line::Results(_)) => (Vec::new(), StopReason::Done),
            _ => {
                let unknown = call(&format!("the {WORDS} tool"), json!({"text": WORDS}));
                (vec![call("list_specialists", json!({})), unknown], StopReason::Tools)
            }
        };
        Ok(Said { text: WORDS.to_owned(), calls, stop, used, model: "fake-2026".to_owned() })
    }
}

async fn traced(engine: &Engine, id: HandoffId) -> Vec<Span> {
    let (mut spans, mut ended) = (Spans::default(), Vec::new());
    for record in engine.trace(id).await.unwrap() {
        let (tenant, session, at) = (&record.tenant, &record.session_id, record.timestamp);
        let models = |agent: &AgentId| {
            let known = engine.agent(agent).unwrap();
            ModelOf { model: known.profile.model.clone(), provider: known.profile.provider.clone() }
        };
        ended.extend(spans.fold(Seen { tenant, session, at, event: &record.event }, &models));
    }
    ended
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_of_a_model_are_spans_without_words() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path().join("test.db")).await.unwrap();
    let tools = Arc::new(Tools::new(&ToolSettings::default(), Path::new(".")).unwrap());
    let mut profile = Profile::named("writer").unwrap().kind(AgentKind::Llm).model("fake");
    profile.tools = vec!["handoff".to_owned()];
    let agent = LlmAgent::new(profile.clone(), Arc::new(Fake), tools);
    engine.register(profile, agent).await.unwrap();
    engine.register_profile(Profile::named("desk").unwrap().kind(AgentKind::Worker)).await.unwrap();
    let session = SessionId::new("s").unwrap();
    engine.resume_session(&session, Open::by("desk").unwrap()).await.unwrap();
    let request = Request::delegation("desk", "writer", WORDS, Duration::from_secs(60)).unwrap();
    let handoff = engine.initiate(&session, request).await.unwrap().handoffs[0];
    engine.returned(handoff).await.unwrap();

    let spans = traced(&engine, handoff).await;
    let told: Vec<String> =
        spans.iter().map(|span| format!("{:?} {} {:?}", span.kind, span.name, span.error)).collect();
    expect![[r#"
        Client chat fake None
        Internal execute_tool list_specialists None
        Internal execute_tool other Some("tool_error")
        Client chat fake None
        Internal invoke_agent writer None
        Producer handoff desk -> writer None"#]]
    .assert_eq(&told.join("\n"));
    let sent = otlp::traces("handover", &spans).to_string();
    assert!(sent.contains(r#"{"key":"gen_ai.usage.input_tokens","value":{"intValue":"10"}}"#), "{sent}");
    assert!(!sent.contains(WORDS), "{sent}");
    engine.close().await.unwrap();
}
