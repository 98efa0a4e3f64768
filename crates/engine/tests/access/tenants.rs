//! Two tenants in one house: what is of one does not exist for the other.

use crate::{
    attempts::{event, rule},
    common::{House, book, delegation, id, session, tenant, workers},
    handed_over, heard,
};
use handover_core::{
    access::{NewKey, Role},
    agent::{AgentKind, Profile},
    command::{Caller, Open},
    handoff::Request,
    refusal::{Code, HandoffError},
};
use handover_engine::{Engine, HandoffQuery, StatsQuery};
use handover_store::RecordQuery;

fn worker(name: &str) -> Profile {
    Profile::named(name).unwrap().kind(AgentKind::Worker).can("flying")
}

/// A house with two shared agents, and two tenants with an agent and a session of their own.
async fn two(house: &House) -> (Engine, Engine, Engine) {
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let (acme, beta) = (tenant(&engine, "acme"), tenant(&engine, "beta"));
    for (of, name) in [(&acme, "acme"), (&beta, "beta")] {
        let bot = format!("{name}-bot");
        of.register_profile(worker(&bot)).await.unwrap();
        handed_over(of, name, "planner", &bot).await;
        of.initiate(&session(name), delegation("planner", "pilot")).await.unwrap();
        of.initiate(&session(name), Request { needs_approval: true, ..delegation("planner", "pilot") }).await.unwrap();
        of.on_event(rule()).await.unwrap();
        of.make_key(NewKey::of(name, Role::Viewer)).await.unwrap();
    }
    (engine, acme, beta)
}

fn all() -> RecordQuery {
    RecordQuery { limit: 1_000, ..RecordQuery::default() }
}

/// The error, with names as if all were the same.
fn told(error: &HandoffError, name: &str) -> String {
    error.to_string().replace(name, "NAME")
}

#[tokio::test]
async fn each_sees_its_own_and_nothing_of_the_other() {
    let house = House::new();
    let (engine, acme, beta) = two(&house).await;
    for (by, own, other) in [(&acme, "acme", "beta"), (&beta, "beta", "acme")] {
        assert_eq!(by.sessions(0, 9).await.unwrap(), [session(own)]);
        let query = HandoffQuery { limit: 99, ..HandoffQuery::default() };
        let handoffs = by.handoffs(query).await.unwrap();
        assert_eq!(handoffs.len(), 3);
        assert!(handoffs.iter().all(|handoff| handoff.session_id == session(own)));
        assert!(by.audit(all()).await.unwrap().iter().all(|record| record.session_id == session(own)));
        assert_eq!(by.approvals(None).await.unwrap().len(), 1);
        assert_eq!(by.inbox(&id("pilot"), 9).await.unwrap().len(), 1);
        assert_eq!((by.stats().await.unwrap().sessions, by.stats().await.unwrap().total_handoffs), (1, 3));
        let report = by.stats_of(StatsQuery::default()).await.unwrap();
        assert!(!report.handoffs_by_agent.contains_key(&format!("{other}-bot")), "{report:?}");
        let names: Vec<String> = by.agents().iter().map(|agent| agent.profile.id.to_string()).collect();
        assert_eq!(names, [format!("{own}-bot"), "pilot".into(), "planner".into()]);
        assert_eq!(by.event_rules().await.unwrap(), [rule()]);
        assert_eq!(by.keys().await.unwrap().len(), 1);
        assert_eq!(heard(by, by, own).await, [own]);
        let (_, count) = by.export(house.folder.path(), own, all()).await.unwrap();
        assert_eq!(count, by.audit(all()).await.unwrap().len() as u64);
        for house_only in [by.verify().await.map(drop), by.house_book(0, 9).await.map(drop), by.seal().await] {
            assert_eq!(house_only.unwrap_err().code(), Code::NotAllowed);
        }
        assert_eq!(by.experiment("none").unwrap_err().code(), Code::UnknownExperiment);
    }
    assert_eq!(engine.agents().len(), 4, "the house sees everybody");
    assert_eq!(engine.keys().await.unwrap().len(), 2);
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn what_is_of_the_other_is_told_in_the_words_of_what_is_not_there() {
    let house = House::new();
    let (_, acme, beta) = two(&house).await;
    let theirs = beta.handoffs(HandoffQuery { limit: 1, ..HandoffQuery::default() }).await.unwrap()[0].id;
    let (missing, nobody) = (handover_core::ids::HandoffId(uuid::Uuid::from_u128(7)), "delta");
    for (there, not) in [(session("beta"), session(nobody))] {
        let pairs = [
            (acme.session(&there).await.map(drop), acme.session(&not).await.map(drop)),
            (acme.messages(&there, 1, 1).await.map(drop), acme.messages(&not, 1, 1).await.map(drop)),
            (acme.suggestions(&there).await.map(drop), acme.suggestions(&not).await.map(drop)),
            (acme.recommend(&there, "x", 1).await.map(drop), acme.recommend(&not, "x", 1).await.map(drop)),
            (
                acme.initiate(&there, delegation("planner", "pilot")).await.map(drop),
                acme.initiate(&not, delegation("planner", "pilot")).await.map(drop),
            ),
            (acme.ended(&there).await.map(drop), acme.ended(&not).await.map(drop)),
            (
                acme.stats_of(StatsQuery { session: Some(there.clone()), ..StatsQuery::default() }).await.map(drop),
                acme.stats_of(StatsQuery { session: Some(not.clone()), ..StatsQuery::default() }).await.map(drop),
            ),
        ];
        for (at, (hidden, absent)) in pairs.into_iter().enumerate() {
            let (hidden, absent) = (hidden.unwrap_err(), absent.unwrap_err());
            assert_eq!(told(&hidden, "beta"), told(&absent, nobody), "{at}");
            assert_eq!(hidden.code(), Code::UnknownSession);
        }
    }
    let pairs = [
        (acme.handoff(theirs).await.map(drop), acme.handoff(missing).await.map(drop)),
        (acme.trace(theirs).await.map(drop), acme.trace(missing).await.map(drop)),
        (acme.story(theirs).await.map(drop), acme.story(missing).await.map(drop)),
        (acme.approve(theirs, "x", "").await.map(drop), acme.approve(missing, "x", "").await.map(drop)),
        (acme.view(theirs, None).await.map(drop), acme.view(missing, None).await.map(drop)),
        (
            acme.accept(theirs, &id("pilot"), None, None).await.map(drop),
            acme.accept(missing, &id("pilot"), None, None).await.map(drop),
        ),
    ];
    for (at, (hidden, absent)) in pairs.into_iter().enumerate() {
        let (hidden, absent) = (hidden.unwrap_err(), absent.unwrap_err());
        assert_eq!(told(&hidden, &theirs.to_string()), told(&absent, &missing.to_string()), "{at}");
        assert_eq!(hidden.code(), Code::UnknownHandoff);
    }
}

#[tokio::test]
async fn work_never_goes_to_an_agent_of_another_tenant() {
    let house = House::new();
    let (engine, acme, _) = two(&house).await;
    let refused = acme.initiate(&session("acme"), delegation("planner", "beta-bot")).await.unwrap_err();
    assert_eq!(refused.code(), Code::UnknownTarget);
    assert!(!refused.refusals[0].hint.contains("beta"), "{refused}");
    let listed = Request { to_agent: None, candidates: vec![id("beta-bot")], ..delegation("planner", "pilot") };
    assert_eq!(acme.initiate(&session("acme"), listed).await.unwrap_err().code(), Code::UnknownTarget);
    let up = Request { kind: handover_core::handoff::Kind::Escalation, ..delegation("planner", "beta-bot") };
    assert!(acme.initiate(&session("acme"), up).await.unwrap_err().has(Code::UnknownTarget));
    let by_capability = Request { to_agent: None, capability: Some("flying".into()), ..delegation("planner", "pilot") };
    let routed = acme.route(&session("acme"), &by_capability).await.unwrap();
    let names: Vec<&str> = routed.candidates.iter().map(|candidate| candidate.agent.as_str()).collect();
    assert_eq!((routed.agent, names), (Some(id("acme-bot")), vec!["acme-bot"]));
    for found in acme.recommend(&session("acme"), "flying", 9).await.unwrap() {
        assert_ne!(found.agent, id("beta-bot"));
    }
    // One that says no leaves nobody, though another tenant has one that could.
    let made = acme.initiate(&session("acme"), by_capability).await.unwrap().handoffs[0];
    acme.reject(made, &id("acme-bot"), "no").await.unwrap();
    assert_ne!(acme.handoff(made).await.unwrap().to_agent, id("beta-bot"));
    // The house works in sessions of its own tenant, and there they are nobody's either.
    let own = engine.initiate(&session("s"), delegation("planner", "acme-bot")).await.unwrap_err();
    assert_eq!(own.code(), Code::UnknownTarget);
    let opened = acme.open_session(&session("x"), Open::by("beta-bot").unwrap()).await.unwrap_err();
    assert_eq!(opened.code(), Code::UnknownAgent);
}

#[tokio::test]
async fn an_event_is_of_the_tenant_that_raises_it() {
    let house = House::new();
    let (engine, acme, beta) = two(&house).await;
    assert!(engine.raise(event()).await.unwrap().is_empty(), "the house has no rule");
    let (of_acme, of_beta) = (acme.raise(event()).await.unwrap(), beta.raise(event()).await.unwrap());
    assert_eq!((of_acme.len(), of_beta.len()), (1, 1));
    assert_eq!(acme.handoff(of_acme[0]).await.unwrap().session_id.as_str(), "event/acme/e/r");
    assert_eq!(acme.handoff(of_beta[0]).await.unwrap_err().code(), Code::UnknownHandoff);
    assert_eq!(acme.raise(event()).await.unwrap(), of_acme, "the same event hands over once");
    let engine = {
        engine.close().await.unwrap();
        house.open().await
    };
    assert_eq!(tenant(&engine, "beta").event_rules().await.unwrap(), [rule()]);
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn the_book_of_the_house_is_for_the_house() {
    let house = House::new();
    let (engine, ..) = two(&house).await;
    assert!(!book(&engine).await.is_empty());
    let stranger = engine.for_caller(Caller::new("x", "handover:house"));
    assert!(stranger.audit(all()).await.unwrap().is_empty());
    assert!(stranger.sessions(0, 9).await.unwrap().is_empty());
}
