//! What applying settings does to an engine.

use super::EXAMPLE;
use handover::{
    Code, Engine, HandoffError, Options,
    core::{
        agent::Standing,
        command::{Caller, Open},
        handoff::{Phase, Request},
        ids::{AgentId, SessionId},
        limits::HEALTH_FAILURES_MAX,
    },
    engine::agent::{Agent, Done, Failure, Work},
    settings::{self, Settings},
};
use std::{collections::BTreeSet, time::Duration};

/// An engine that only does what it is told, and the folder that it lives in.
async fn engine() -> (Engine, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { background: false, ..Options::default() };
    (Engine::open_with(folder.path().join("handover.db"), options).await.unwrap(), folder)
}

fn parsed(text: &str) -> Settings {
    settings::parse("team.yaml", text).unwrap()
}

fn names(ids: &[AgentId]) -> Vec<&str> {
    ids.iter().map(AgentId::as_str).collect()
}

#[tokio::test]
async fn the_example_is_good_and_applies() {
    let example = parsed(EXAMPLE);
    let (engine, _folder) = engine().await;
    let applied = example.apply(&engine).await.unwrap();
    assert_eq!((applied.registered.len(), applied.updated.len(), applied.unchanged.len()), (8, 0, 0));
    for profile in &example.agents {
        assert_eq!(*engine.agent(&profile.id).unwrap().profile, *profile);
    }
    // Each comes after those above it.
    let order = names(&applied.registered);
    let place = |id: &str| order.iter().position(|name| *name == id);
    assert!(
        place("ops") < place("architect")
            && place("architect") < place("reviewer")
            && place("reviewer") < place("coder")
    );
    engine.close().await.unwrap();
}

#[tokio::test]
async fn to_apply_it_again_changes_nothing() {
    let example = parsed(EXAMPLE);
    let (engine, _folder) = engine().await;
    example.apply(&engine).await.unwrap();
    let records = engine.verify().await.unwrap().records;
    let again = example.apply(&engine).await.unwrap();
    assert_eq!((again.registered.len(), again.updated.len(), again.unchanged.len()), (0, 0, 8));
    assert_eq!(engine.verify().await.unwrap().records, records);
    engine.close().await.unwrap();
}

#[tokio::test]
async fn after_an_edit_only_what_was_edited_is_updated() {
    let (engine, _folder) = engine().await;
    parsed(EXAMPLE).apply(&engine).await.unwrap();
    let edited = EXAMPLE.replace("id: run-tests, proficiency: 0.95", "id: run-tests, proficiency: 0.5");
    let edited = edited.replace("  - id: ops\n", "  - {id: scribe, escalates_to: ops}\n  - id: ops\n");
    let applied = parsed(&edited).apply(&engine).await.unwrap();
    assert_eq!((names(&applied.registered), names(&applied.updated)), (vec!["scribe"], vec!["tester"]));
    let tester = engine.agent(&AgentId::new("tester").unwrap()).unwrap();
    assert_eq!(tester.profile.proficiency("run-tests"), Some(0.5));
    engine.close().await.unwrap();
}

#[tokio::test]
async fn a_file_without_a_policy_leaves_the_policy_alone() {
    let (engine, _folder) = engine().await;
    let agents = "agents: [{id: a}, {id: b, kind: worker}]\n";
    for (i, (policy, waits)) in [
        ("policy: {approval_from_risk: low}\n", true),
        ("", true),
        ("policy:\n", true),
        ("policy: {}\n", false),
        ("", false),
    ]
    .into_iter()
    .enumerate()
    {
        parsed(&format!("{policy}{agents}")).apply(&engine).await.unwrap();
        let session = SessionId::new(format!("s{i}")).unwrap();
        engine.open_session(&session, Open::by("a").unwrap()).await.unwrap();
        let request = Request::delegation("a", "b", "look", Duration::from_secs(60)).unwrap();
        let handoff = engine.initiate(&session, request).await.unwrap().handoffs[0];
        let phase = engine.handoff(handoff).await.unwrap().phase;
        assert_eq!(matches!(phase, Phase::AwaitingApproval { .. }), waits, "{policy:?}: {phase:?}");
    }
    engine.close().await.unwrap();
}

/// An agent of this process that fails its health checks.
struct Sick;

#[async_trait::async_trait]
impl Agent for Sick {
    async fn run(&self, _: Work) -> Result<Done, Failure> {
        Ok(Done::text("done"))
    }
    async fn health(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn an_agent_that_is_as_it_was_does_not_count_as_back() {
    let (engine, _folder) = engine().await;
    let settings = parsed("agents: [{id: a}]");
    engine.register(settings.agent("a").unwrap().clone(), Sick).await.unwrap();
    for _ in 0..HEALTH_FAILURES_MAX {
        engine.check_health().await.unwrap();
    }
    let applied = settings.apply(&engine).await.unwrap();
    assert_eq!(names(&applied.unchanged), ["a"]);
    assert_eq!(engine.agent(&applied.unchanged[0]).unwrap().standing, Standing::Unavailable);
    engine.close().await.unwrap();
}

#[tokio::test]
async fn agents_may_change_places_on_the_ladder() {
    let (engine, _folder) = engine().await;
    let chain = |ids: [&str; 4]| {
        let agent = |pair: &[&str]| format!("  - {{id: {}, escalates_to: {}}}\n", pair[0], pair[1]);
        format!("agents:\n{}  - id: {}\n", ids.windows(2).map(agent).collect::<String>(), ids[3])
    };
    for ids in [["a", "b", "c", "d"], ["d", "c", "b", "a"], ["b", "d", "a", "c"], ["c", "a", "d", "b"]] {
        parsed(&chain(ids)).apply(&engine).await.unwrap();
    }
    engine.close().await.unwrap();
}

#[tokio::test]
async fn what_does_not_fit_the_agents_of_the_engine_changes_nothing() {
    let (engine, _folder) = engine().await;
    parsed("agents:\n  - {id: a}\n  - {id: boss, escalates_to: a}\n").apply(&engine).await.unwrap();
    let known: Vec<AgentId> = engine.agents().iter().map(|agent| agent.profile.id.clone()).collect();
    let later = "policy: {human: boss, approvals: [{name: x, when: {to: [new, boss]}}]}\nagents:\n  - id: new\n  \
                 - id: a\n    escalates_to: boss\n";
    let later = settings::parse_with("later.yaml", later, &known).unwrap();
    let error: HandoffError = later.apply(&engine).await.unwrap_err();
    expect_test::expect!["HO0206 agents[1].escalates_to: escalation goes in a circle: a -> boss -> a, at later.yaml:4 (let one of them escalate to somebody outside of the circle, or to nobody)"]
        .assert_eq(&error.to_string());
    assert_eq!(engine.agents().len(), 2);

    let (other, _other_folder) = self::engine().await;
    let error = later.apply(&other).await.unwrap_err();
    let codes: BTreeSet<Code> = error.refusals.iter().map(|refusal| refusal.code).collect();
    assert_eq!((error.refusals.len(), codes.len(), error.code()), (3, 1, Code::UnknownAgent));
    assert_eq!(other.agents().len(), 0);
    engine.close().await.unwrap();
    other.close().await.unwrap();
}

#[tokio::test]
async fn a_caller_that_is_bound_to_an_agent_may_not() {
    let (engine, _folder) = engine().await;
    let bound = Caller { acts_as: Some([AgentId::new("coder").unwrap()].into()), ..Caller::local() };
    // Also without a policy: it would register its own agent and then fail at the next one.
    for text in [EXAMPLE, "agents: [{id: coder}, {id: other}]"] {
        let error = parsed(text).apply(&engine.for_caller(bound.clone())).await.unwrap_err();
        assert_eq!(error.code(), Code::NotYourAgent);
        assert_eq!(engine.agents().len(), 0);
    }
    engine.close().await.unwrap();
}

#[test]
fn a_profile_is_found_by_its_name() {
    let example = parsed(EXAMPLE);
    assert_eq!(example.agent("coder").unwrap().name, "Coder");
    let error = example.agent("codr").unwrap_err().to_string();
    assert_eq!(error, "HO0208 \"codr\" is not in team.yaml (did you mean `coder`?)");
}
