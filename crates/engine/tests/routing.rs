//! Who is given work that names no agent: shares under load, what is counted, models that pick, experiments, advice.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use async_trait::async_trait;
use common::{House, delegation, id, session, success, user, workers};
use handover_core::{
    agent::{AgentKind, Profile},
    command::Open,
    event::{Event, Routed},
    handoff::{Priority, Request},
    ids::HandoffId,
    limits,
    policy::{Experiment, Strategy},
    refusal::Code,
    route::SuggestionKind,
};
use handover_engine::{
    Engine,
    agent::{Done, Failure, agent},
    picker::{Meter, Pick, PickQuestion, Picker},
};
use parking_lot::Mutex;
use std::{collections::BTreeMap, sync::Arc, time::Duration};

const MINUTE: Duration = Duration::from_secs(60);

fn by(capability: &str) -> Request {
    Request::delegation_by("planner", capability, "look at the parser", MINUTE).unwrap()
}

/// With nothing but a text.
fn by_text(task: &str) -> Request {
    let mut request = by("x");
    request.capability = None;
    task.clone_into(&mut request.task.description);
    request
}

/// Billing, a pilot and a planner, who pull their work; the planner owns session `s`.
async fn desks(engine: &Engine) {
    workers(engine, &["planner"]).await;
    for (name, field, about) in [
        ("billing", "invoicing", "Sends invoices and refunds customers who were charged twice"),
        ("pilot", "flying", "Plans flights and books aircraft"),
    ] {
        let profile = Profile::named(name).unwrap().kind(AgentKind::Worker).about(field, about).can(field);
        engine.register_profile(profile).await.unwrap();
    }
}

async fn routing_of(engine: &Engine, handoff: HandoffId) -> Routed {
    let records = engine.trace(handoff).await.unwrap();
    let routed = records.into_iter().rev().find_map(|record| match record.event {
        Event::Initiated { routing, .. } | Event::Rerouted { routing, .. } => routing,
        _ => None,
    });
    *routed.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn equal_specialists_share_the_work() {
    for strategy in [Strategy::BestMatch, Strategy::LeastLoaded, Strategy::RoundRobin] {
        let mut house = House::new();
        house.policy.routing.strategy = strategy;
        let engine = house.open_unsynced().await;
        workers(&engine, &["planner"]).await;
        for name in ["north", "east", "south", "west"] {
            let profile = Profile::named(name).unwrap().can("testing").at_once(4);
            let work = agent(|_| async {
                tokio::task::yield_now().await;
                Ok(Done::text("tested"))
            });
            engine.register(profile, work).await.unwrap();
        }
        let sessions: Vec<_> = (0..16)
            .map(|n| {
                let engine = engine.clone();
                tokio::spawn(async move {
                    let name = session(&format!("s{n}"));
                    engine.open_session(&name, Open::by("planner").unwrap()).await.unwrap();
                    for _ in 0..25 {
                        engine.delegate(&name, by("testing")).await.unwrap();
                    }
                })
            })
            .collect();
        for done in sessions {
            done.await.unwrap();
        }
        let counts = engine.stats().await.unwrap().handoffs_by_agent;
        let got: BTreeMap<&str, u64> = counts
            .iter()
            .filter(|(name, _)| *name != "planner")
            .map(|(name, count)| (name.as_str(), count.received))
            .collect();
        assert_eq!(got.values().sum::<u64>(), 400, "{got:?}");
        assert!(got.len() == 4 && got.values().all(|n| (90..=110).contains(n)), "{}: {got:?}", strategy.word());
        assert!(engine.agents().iter().all(|agent| agent.waiting == 0 && agent.load == 0));
        engine.close().await.unwrap();
    }
}

#[tokio::test]
async fn offers_that_wait_are_counted_wherever_they_go() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "sailor"]).await;
    let waiting = |engine: &Engine| {
        ["pilot", "sailor"].map(|name| engine.agent(&id(name)).unwrap()).map(|agent| (agent.waiting, agent.load))
    };
    let mut request = delegation("planner", "pilot");
    request.to_agent = None;
    request.candidates = vec![id("pilot"), id("sailor")];
    let first = engine.initiate(&session("s"), request.clone()).await.unwrap().handoffs[0];
    let second = engine.initiate(&session("s"), request.clone()).await.unwrap().handoffs[0];
    let third = engine.initiate(&session("s"), request).await.unwrap().handoffs[0];
    assert_eq!(waiting(&engine), [(3, 0), (0, 0)]);
    assert!(engine.agent(&id("pilot")).unwrap().turn > engine.agent(&id("sailor")).unwrap().turn);
    engine.reject(first, &id("pilot"), "no").await.unwrap();
    assert_eq!(waiting(&engine), [(2, 0), (1, 0)]);
    let lease = engine.accept(second, &id("pilot"), None, None).await.unwrap().lease;
    assert_eq!(waiting(&engine), [(1, 1), (1, 0)]);
    engine.cancel(third, &id("planner"), "not needed").await.unwrap();
    assert_eq!(waiting(&engine), [(0, 1), (1, 0)]);
    engine.defer(first, &id("sailor"), 5_000, "later").await.unwrap();
    assert_eq!(waiting(&engine), [(0, 1), (0, 0)]);
    house.pass(&engine, 6).await;
    assert_eq!(waiting(&engine), [(0, 1), (1, 0)], "it is on offer again");
    engine.give_back(second, lease, success("ok"), None).await.unwrap();
    // A refusal counts nothing.
    engine.initiate(&session("s"), delegation("planner", "nobody")).await.unwrap_err();
    assert_eq!(waiting(&engine), [(0, 0), (1, 0)]);
    engine.close().await.unwrap();
    let engine = house.open().await;
    assert_eq!(waiting(&engine), [(0, 0), (1, 0)], "a restart counts what waits");
    house.pass(&engine, 31).await;
    house.pass(&engine, 31).await;
    assert_eq!(waiting(&engine).map(|(waiting, _)| waiting).iter().sum::<u32>(), 0, "{:?}", waiting(&engine));
}

/// A model that answers as it is told, and remembers what it was asked.
#[derive(Default)]
struct Model {
    asked: Mutex<Vec<PickQuestion>>,
    answers: Mutex<Vec<Result<Pick, &'static str>>>,
}

impl Model {
    fn answers(&self, answer: Result<Pick, &'static str>) {
        self.answers.lock().push(answer);
    }
}

#[async_trait]
impl Picker for Model {
    async fn pick(&self, question: PickQuestion, _: &Meter) -> Result<Pick, Failure> {
        self.asked.lock().push(question);
        let answer = self.answers.lock().pop();
        match answer {
            None => std::future::pending().await,
            Some(Err("panic")) => panic!("it fell over"),
            Some(answer) => answer.map_err(Into::into),
        }
    }
}

fn pick(name: &str) -> Result<Pick, &'static str> {
    Ok(Pick::Agent { name: name.into(), why: "it knows them".into() })
}

#[tokio::test]
async fn a_model_picks_and_the_text_decides_where_it_cannot() {
    let house = House::new();
    let engine = house.open().await;
    desks(&engine).await;
    let model = Arc::new(Model::default());
    engine.set_picker(Some(model.clone())).unwrap();
    let ask = || by_text("refund the customer").strategy(Strategy::Llm);
    for (answer, expected, note) in [
        (pick("pilot"), "pilot llm", ""),
        (pick("Pilots"), "pilot llm", ""),
        (pick("nemo"), "billing semantic", "the model named \"nemo\", which is not registered"),
        (pick("planner"), "billing semantic", "the model picked planner, but it is the source"),
        (Err("no credit"), "billing semantic", "the model failed: no credit"),
        (Err("panic"), "billing semantic", "the model fell over"),
    ] {
        model.answers(answer);
        let handoff = engine.initiate(&session("s"), ask()).await.unwrap().handoffs[0];
        let routed = routing_of(&engine, handoff).await;
        assert_eq!(format!("{} {}", routed.agent.unwrap(), routed.strategy.word()), expected, "{note}");
        assert!(routed.note.contains(note), "{} has no {note}", routed.note);
    }
    let question = model.asked.lock()[0].clone();
    assert_eq!(question.task, "refund the customer");
    let names: Vec<&str> = question.candidates.iter().map(|candidate| candidate.id.as_str()).collect();
    assert_eq!(names, ["billing", "pilot"], "the source cannot be picked");
    model.answers(Ok(Pick::Nobody { why: "too vague".into() }));
    let refused = engine.initiate(&session("s"), ask()).await.unwrap_err();
    assert_eq!(refused.code(), Code::NobodyCan);
    assert!(refused.to_string().contains("too vague"), "{refused}");
}

#[tokio::test]
async fn a_model_is_asked_once_and_not_for_ever() {
    let mut house = House::new();
    house.policy.routing.strategy = Strategy::Llm;
    let engine = house.open().await;
    desks(&engine).await;
    let model = Arc::new(Model::default());
    // Nobody connected one: the house falls back, a request that asks for it is told.
    let handoff = engine.initiate(&session("s"), by_text("refund the customer")).await.unwrap().handoffs[0];
    assert!(routing_of(&engine, handoff).await.note.contains("HO0716"));
    let asking = by_text("refund the customer").strategy(Strategy::Llm);
    assert_eq!(engine.initiate(&session("s"), asking.clone()).await.unwrap_err().code(), Code::NoPicker);
    engine.set_picker(Some(model.clone())).unwrap();
    model.answers(pick("pilot"));
    let first = engine.initiate(&session("s"), asking.clone().key("k")).await.unwrap();
    assert_eq!(engine.initiate(&session("s"), asking.clone().key("k")).await.unwrap(), first);
    engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap();
    assert_eq!(model.asked.lock().len(), 1, "a repeated or named request needs no model");
    // While the model thinks, the session goes on; when its time is over, the text decides.
    let (slow, name) = (engine.clone(), session("s"));
    let waits = tokio::spawn(async move { slow.initiate(&name, asking).await });
    common::until(|| model.asked.lock().len() == 2).await;
    engine.say(&session("s"), vec![user("hello")]).await.unwrap();
    house.clock.advance(Duration::from_millis(limits::PICK_MS));
    let late = waits.await.unwrap().unwrap().handoffs[0];
    let routed = routing_of(&engine, late).await;
    assert_eq!(routed.agent, Some(id("billing")));
    assert!(routed.note.contains("PICK_MS"), "{}", routed.note);
}

#[tokio::test]
async fn a_dry_run_writes_nothing_and_says_the_same() {
    let house = House::new();
    let engine = house.open().await;
    desks(&engine).await;
    let before = common::words(&engine, "s").await;
    let dry = engine.route(&session("s"), &by_text("refund the customer")).await.unwrap();
    assert_eq!(dry.agent, Some(id("billing")));
    let named = engine.route(&session("s"), &delegation("planner", "pilot")).await.unwrap();
    assert_eq!((named.agent, named.by.as_str()), (Some(id("pilot")), "its name"));
    let refused = engine.route(&session("s"), &delegation("planner", "pilto")).await.unwrap_err();
    assert!(refused.has(Code::UnknownTarget) && refused.to_string().contains("\"pilot\""), "{refused}");
    assert_eq!(engine.route(&session("t"), &by_text("x")).await.unwrap_err().code(), Code::UnknownSession);
    let stranger = common::tenant(&engine, "other");
    assert_eq!(stranger.route(&session("s"), &by_text("x")).await.unwrap_err().code(), Code::UnknownSession);
    assert_eq!(common::words(&engine, "s").await, before);
    assert!(engine.agents().iter().all(|agent| agent.waiting == 0));
    let handoff = engine.initiate(&session("s"), by_text("refund the customer")).await.unwrap().handoffs[0];
    assert_eq!(routing_of(&engine, handoff).await, dry);
}

#[tokio::test]
async fn an_experiment_is_reported() {
    let mut house = House::new();
    let experiment =
        Experiment { name: "e".into(), a: Strategy::BestMatch, b: Strategy::RoundRobin, share: 0.5, shadow: false };
    house.policy.experiments = vec![experiment];
    let engine = house.open_unsynced().await;
    desks(&engine).await;
    for n in 0..20 {
        let name = session(&format!("t{n}"));
        engine.open_session(&name, Open::by("planner").unwrap()).await.unwrap();
        let handoff = engine.initiate(&name, by("invoicing")).await.unwrap().handoffs[0];
        let lease = engine.accept(handoff, &id("billing"), None, None).await.unwrap().lease;
        house.clock.advance(Duration::from_secs(2));
        engine.give_back(handoff, lease, success("ok"), None).await.unwrap();
        let kept = engine.handoff(handoff).await.unwrap().arm.unwrap();
        assert_eq!(Some(kept), routing_of(&engine, handoff).await.experiment);
    }
    let report = engine.experiment("e").unwrap();
    let ended: Vec<u64> = report.arms.iter().map(|arm| arm.ended).collect();
    assert_eq!(ended.iter().sum::<u64>(), 20);
    assert!(ended.iter().all(|n| *n > 2), "{ended:?}");
    assert!(report.arms.iter().all(|arm| (arm.success_rate, arm.mean_ms) == (1.0, 2_000.0)), "{report:?}");
    assert!(!report.enough && !report.success.significant);
    assert_eq!(engine.experiment("f").unwrap_err().code(), Code::UnknownExperiment);
    engine.close().await.unwrap();
    house.policy.experiments.clear();
    let engine = house.open().await;
    let report = engine.experiment("e").unwrap();
    assert_eq!(report.arms.iter().map(|arm| arm.ended).sum::<u64>(), 20, "it is there until the house is tidied");
    assert_eq!(engine.forget_accounts().await.unwrap(), 2);
    assert_eq!(engine.experiment("e").unwrap_err().code(), Code::UnknownExperiment);
}

#[tokio::test]
async fn advice_changes_nothing() {
    let house = House::new();
    let engine = house.open().await;
    desks(&engine).await;
    let found = engine.recommend(&session("s"), "refund the customer", 5).await.unwrap();
    assert_eq!(found[0].agent, id("billing"));
    assert!(found[0].reasons.iter().any(|reason| reason.contains("\"refund\"")), "{found:?}");
    assert_eq!(engine.suggestions(&session("s")).await.unwrap(), []);
    engine.say(&session("s"), vec![user("I was charged twice, I want a refund")]).await.unwrap();
    let due = engine.suggestions(&session("s")).await.unwrap();
    assert_eq!((due.len(), due[0].kind, due[0].to.clone()), (1, SuggestionKind::BetterFit, Some(id("billing"))));
}

#[tokio::test]
async fn an_urgent_task_by_text_goes_to_a_person_at_once_when_it_is_rejected() {
    let house = House::new().with_human("boss");
    let engine = house.open().await;
    desks(&engine).await;
    engine.register_profile(Profile::named("boss").unwrap().kind(AgentKind::Human)).await.unwrap();
    let request = by_text("refund the customer of the flight").priority(Priority::Urgent);
    let handoff = engine.initiate(&session("s"), request).await.unwrap().handoffs[0];
    let first = engine.handoff(handoff).await.unwrap().to_agent;
    engine.reject(handoff, &first, "no").await.unwrap();
    assert_eq!(engine.handoff(handoff).await.unwrap().to_agent, id("boss"));
}
