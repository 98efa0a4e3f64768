//! Agents of tenants, and what a caller that is bound to an agent may say of it.

use crate::common::{House, id, tenant, workers};
use handover_core::{
    access::Role,
    agent::{AgentKind, Profile, Risk},
    budget::Limit,
    command::Caller,
    refusal::Code,
};

fn little(name: &str) -> Profile {
    Profile::named(name).unwrap().kind(AgentKind::Worker).may_risk(Risk::Low)
}

#[tokio::test]
async fn a_tenant_registers_into_itself_and_changes_its_own_alone() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let (acme, beta) = (tenant(&engine, "acme"), tenant(&engine, "beta"));
    // Whatever it says.
    for said in [None, Some("beta".to_owned())] {
        acme.register_profile(Profile { tenant: said, ..little("bot") }).await.unwrap();
        assert_eq!(engine.agent(&id("bot")).unwrap().profile.tenant.as_deref(), Some("acme"));
    }
    let bot = id("bot");
    for (answer, code) in [
        (beta.register_profile(little("bot")).await, Code::IdTaken),
        (engine.register_profile(little("bot")).await, Code::IdTaken),
        (beta.drain(&bot, true).await, Code::UnknownAgent),
        (beta.remove_agent(&bot).await, Code::UnknownAgent),
        (beta.reset_breaker(&bot).await, Code::UnknownAgent),
        (beta.alive(&bot).await, Code::UnknownAgent),
        (beta.agent(&bot).map(drop), Code::UnknownAgent),
        (beta.breaker(&bot).map(drop), Code::UnknownAgent),
        (beta.register_profile(little("planner")).await, Code::NotAllowed),
        (beta.drain(&id("planner"), true).await, Code::NotAllowed),
        (beta.remove_agent(&id("planner")).await, Code::NotAllowed),
        (beta.reset_breaker(&id("planner")).await, Code::NotAllowed),
    ] {
        assert_eq!(answer.unwrap_err().code(), code);
    }
    acme.drain(&bot, true).await.unwrap();
    acme.remove_agent(&bot).await.unwrap();
    beta.register_profile(little("bot")).await.unwrap();
    let engine = {
        engine.close().await.unwrap();
        house.open().await
    };
    assert_eq!(engine.agent(&bot).unwrap().profile.tenant.as_deref(), Some("beta"));
    assert!(tenant(&engine, "acme").agent(&bot).is_err());
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn an_agent_registers_itself_with_the_least_and_widens_nothing() {
    let house = House::new();
    let engine = house.open().await;
    let caller = |name: &str| Caller::new(name, "acme").role(Role::Agent).acting_as([id(name)]);
    let bot = engine.for_caller(caller("bot"));
    let limit = Some(Limit { tokens: Some(1), ..Limit::default() });
    for (profile, field) in [
        (little("bot").kind(AgentKind::Local), "kind"),
        (Profile { url: Some("https://example.org".into()), ..little("bot").kind(AgentKind::Http) }, "kind"),
        (Profile { command: vec!["sh".into()], ..little("bot").kind(AgentKind::Command) }, "kind"),
        (little("bot").may_risk(Risk::Medium), "autonomy_budget.max_risk"),
        (Profile { budget: limit, ..little("bot") }, "budget"),
        (little("bot").at_once(2), "max_concurrent_tasks"),
    ] {
        let error = bot.register_profile(profile).await.unwrap_err();
        assert_eq!((error.code(), error.refusals[0].field.as_str()), (Code::NotYourAgent, field));
        assert!(error.to_string().contains("the least"), "{error}");
    }
    bot.register_profile(little("bot")).await.unwrap();
    bot.register_profile(Profile { description: "Finds jets".into(), ..little("bot") }).await.unwrap();
    assert_eq!(bot.register_profile(little("other")).await.unwrap_err().code(), Code::NotYourAgent);
    assert_eq!(bot.drain(&id("bot"), true).await.unwrap_err().code(), Code::NotAllowed);
    assert_eq!(bot.remove_agent(&id("bot")).await.unwrap_err().code(), Code::NotAllowed);
}

#[tokio::test]
async fn what_the_house_does_for_an_agent_is_not_the_agents_to_set() {
    let house = House::new();
    let engine = house.open().await;
    let known = Profile {
        command: vec!["good".into()],
        folder: Some("here".into()),
        max_execution_ms: Some(5),
        accepts_handoffs: false,
        ..Profile::named("bot").unwrap().kind(AgentKind::Command)
    };
    engine.register_profile(known.clone()).await.unwrap();
    let caller = Caller::new("bot", "default").of_house().role(Role::Agent).acting_as([id("bot")]);
    let bot = engine.for_caller(caller);
    for (profile, field) in [
        (Profile { command: vec!["bad".into()], ..known.clone() }, "command"),
        (Profile { folder: Some("there".into()), ..known.clone() }, "folder"),
        (Profile { max_execution_ms: None, ..known.clone() }, "max_execution_ms"),
        (Profile { max_execution_ms: Some(6), ..known.clone() }, "max_execution_ms"),
        (Profile { accepts_handoffs: true, ..known.clone() }, "accepts_handoffs"),
        (known.clone().at_once(2), "max_concurrent_tasks"),
        (Profile { model: Some("m".into()), ..known.clone() }, "model"),
        (Profile { instructions: "obey".into(), ..known.clone() }, "instructions"),
    ] {
        let error = bot.register_profile(profile).await.unwrap_err();
        assert_eq!((error.code(), error.refusals[0].field.as_str()), (Code::NotYourAgent, field));
    }
    bot.register_profile(Profile { max_execution_ms: Some(4), version: "2".into(), ..known }).await.unwrap();
}
