//! Routing among very many agents, and answers of models.

use super::*;
use crate::{
    agent::{Agents, Known, Profile, Standing},
    handoff::Kind,
    limits,
};
use std::sync::Arc;

fn id(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

fn crowd(count: usize) -> Agents {
    let mut agents = Agents::default();
    for n in 0..count {
        let mut profile = Profile::named(&format!("w{n:05}")).unwrap().can_at("test", 0.5);
        profile.description = "Tests what others wrote".into();
        agents.put(Arc::new(profile), Standing::Available);
    }
    agents
}

fn ask(capability: Option<&str>) -> Request {
    let mut request = Request::new(Kind::Delegation, id("boss"), "test the parser");
    request.capability = capability.map(str::to_owned);
    request
}

fn routed(agents: &Agents, request: &Request, strategy: Strategy) -> Routed {
    let scene = Scene {
        agents: Known::to(agents, "default"),
        ledger: &Ledger::default(),
        picked: None,
        request,
        not: &[],
        left_out: &|_| None,
    };
    let plan = Plan { strategy, experiment: None, shadow: None, note: String::new() };
    choose(&scene, &plan)
}

fn chosen(agents: &Agents, request: &Request, strategy: Strategy) -> String {
    routed(agents, request, strategy).agent.map(|agent| agent.to_string()).unwrap_or_default()
}

#[test]
fn equals_have_their_turn_one_after_the_other_however_many_they_are() {
    for strategy in [Strategy::BestMatch, Strategy::LeastLoaded, Strategy::RoundRobin] {
        let mut agents = crowd(2 * limits::POOL_MAX);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..agents.len() {
            let next = id(&chosen(&agents, &ask(Some("test")), strategy));
            agents.follow(&(Vec::new(), vec![next.clone()]));
            agents.follow(&(vec![next.clone()], Vec::new()));
            seen.insert(next);
        }
        assert_eq!(seen.len(), agents.len(), "{}", strategy.word());
    }
}

#[test]
fn the_best_is_found_among_many_and_the_record_stays_small() {
    let mut agents = crowd(10_000);
    agents.put(Arc::new(Profile::named("zoe").unwrap().can_at("test", 0.9)), Standing::Available);
    let best = routed(&agents, &ask(Some("test")), Strategy::BestMatch);
    assert_eq!(best.agent, Some(id("zoe")));
    assert_eq!(best.candidates.len(), limits::ROUTED_CANDIDATES_MAX);
    // Whoever cannot take it keeps nobody else out, and only some of them are named.
    for n in 0..1_000 {
        agents.get_mut(&id(&format!("w{n:05}"))).unwrap().standing = Standing::Draining;
    }
    agents.get_mut(&id("zoe")).unwrap().standing = Standing::Unavailable;
    let next = routed(&agents, &ask(Some("test")), Strategy::BestMatch);
    assert_eq!(next.agent, Some(id("w01000")));
    assert_eq!(next.candidates.len(), 2 * limits::ROUTED_CANDIDATES_MAX);
    assert_eq!(next.candidates[8].agent, id("zoe"), "the best of those that were left out comes first");
    for n in 0..100 {
        let profile = Profile::named(&format!("p{n:02}")).unwrap().about("parsers", "Writes parsers");
        let standing = if n < 80 { Standing::Draining } else { Standing::Available };
        agents.put(Arc::new(profile), standing);
    }
    assert_eq!(chosen(&agents, &ask(None), Strategy::Semantic), "p80");
}

#[test]
fn the_index_follows_profiles_and_turns() {
    let mut agents = crowd(3);
    let order = |agents: &Agents| {
        agents.who_can("test").map(|agent| agent.profile.id.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(order(&agents), "w00000 w00001 w00002");
    agents.follow(&(Vec::new(), vec![id("w00000")]));
    assert_eq!(order(&agents), "w00001 w00002 w00000");
    agents.put(Arc::new(Profile::named("w00000").unwrap().can_at("test", 0.9)), Standing::Available);
    assert_eq!(order(&agents), "w00000 w00001 w00002");
    assert_eq!(agents.get(&id("w00000")).unwrap().waiting, 1);
    agents.unfollow(&(Vec::new(), vec![id("w00000")]));
    assert_eq!(agents.get(&id("w00000")).unwrap().waiting, 0);
    agents.remove(&id("w00000"));
    agents.remove(&id("w00002"));
    assert_eq!(order(&agents), "w00001");
    assert_eq!(agents.text().len(), 1);
    assert_eq!(Known::to(&agents, "default").nearest_capability("tests"), Some("test"));
}

#[test]
fn an_answer_of_a_model_is_checked() {
    let mut agents = Agents::default();
    for name in ["billing", "filling", "pilot", "idle"] {
        agents.put(Arc::new(Profile::named(name).unwrap()), Standing::Available);
    }
    let candidate = |name: &str| PickCandidate {
        id: id(name),
        specialization: String::new(),
        description: String::new(),
        capabilities: Vec::new(),
    };
    let question =
        PickQuestion { task: "x".into(), candidates: ["billing", "filling", "pilot"].map(candidate).to_vec() };
    let long = "x".repeat(10_000);
    let unknown = |name: &str| Picked::NoAnswer(format!("the model named \"{name}\", which is not registered"));
    for (name, expected) in [
        ("billing", Picked::Agent(id("billing"), "why".into())),
        (" Pilot\n", Picked::Agent(id("pilot"), "why".into())),
        ("pilots", Picked::Agent(id("pilot"), "why".into())),
        // Registered, but not asked about: the decision says why it cannot be.
        ("idle", Picked::Agent(id("idle"), "why".into())),
        ("killing", unknown("killing")),
        ("copilot", unknown("copilot")),
        ("", unknown("")),
        ("a\u{7}b", unknown("a b")),
        (&long, unknown(&long[..limits::QUOTE_CHARS_MAX])),
    ] {
        let pick = Pick::Agent { name: name.into(), why: "why".into() };
        assert_eq!(pick.checked(&question, Known::to(&agents, "default")), expected);
    }
    let Picked::Nobody(why) = (Pick::Nobody { why: long }).checked(&question, Known::to(&agents, "default")) else {
        panic!()
    };
    assert_eq!(why.len(), limits::PICK_WHY_CHARS_MAX);
}
