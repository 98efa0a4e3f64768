//! Experiments: arms side by side, and how targets were found.

use crate::{
    house::House,
    overview::{agent, done, hand_over, team},
};
use handover_core::{
    access::{NewKey, Role},
    agent::{AgentKind, Capability, Profile},
    command::Open,
    handoff::{Request, ReturnStatus},
    ids::SessionId,
    policy::{Experiment, Policy, Strategy},
};
use std::time::Duration;

fn experiment(name: &str) -> Policy {
    let spread =
        Experiment { name: name.into(), a: Strategy::BestMatch, b: Strategy::LeastLoaded, share: 0.5, shadow: false };
    Policy { experiments: vec![spread], ..Policy::default() }
}

/// Somebody is found by what is needed.
async fn found(house: &House, session: &str) {
    let id = SessionId::new(session).unwrap();
    house.engine.resume_session(&id, Open::by("ann").unwrap()).await.unwrap();
    let request = Request::delegation_by("ann", "baking", session, Duration::from_secs(600)).unwrap();
    let handoff = house.engine.initiate(&id, request).await.unwrap().handoffs[0];
    let to = house.engine.handoff(handoff).await.unwrap().to_agent.clone();
    done(house, handoff, to.as_str(), ReturnStatus::Success).await;
}

#[tokio::test]
async fn without_experiments_the_page_teaches_the_settings() {
    let house = House::open().await;
    let seen = house.get(&house.local(), "/experiments").await;
    seen.shows("No experiment runs").shows("experiments:\n    - name: record").shows("Nothing was handed over lately");
}

#[tokio::test]
async fn arms_stand_side_by_side_and_strategies_are_counted() {
    let house = House::open().await;
    team(&house).await;
    for name in ["baker", "cook"] {
        let mut profile = Profile::named(name).unwrap().kind(AgentKind::Worker).at_once(5);
        profile.capabilities = vec![Capability { id: "baking".into(), proficiency: 0.5 }];
        house.engine.register_profile(profile).await.unwrap();
    }
    house.engine.set_policy(experiment("spread")).unwrap();
    for number in 0..12 {
        found(&house, &format!("s{number}")).await;
    }
    let named = hand_over(&house, "named", "bob", "fly").await;
    house.engine.accept(named, &agent("bob"), None, None).await.unwrap();
    house.dashboard.caught_up().await;
    let seen = house.get(&house.local(), "/experiments").await;
    seen.shows("spread").shows("best match against least loaded with 50 % of the sessions").shows("too early: 30 ends");
    seen.shows("named in the request").shows("<h3>a").shows("<h3>b").shows("b compared with a").shows("100 %");
    let arms: u64 = [1, 2]
        .iter()
        .map(|at| {
            let text = seen.text.split("<b class=\"value\">").nth(*at).unwrap();
            text.split('<').next().unwrap().parse::<u64>().unwrap()
        })
        .sum();
    assert_eq!(arms, 12);
}

#[tokio::test]
async fn experiments_are_for_the_house() {
    let house = House::open().await;
    team(&house).await;
    house.engine.set_policy(experiment("<script>")).unwrap();
    house.get(&house.local(), "/experiments").await.hides("<script>\"").shows("&lt;script&gt;");
    let mut new = NewKey::of("other", Role::Viewer);
    new.tenant = Some("other".into());
    let key = house.engine.make_key(new).await.unwrap().1;
    let seen = house.get(&house.with_key(&key).await, "/experiments").await;
    seen.shows("shown to those who run the house").hides("&lt;script&gt;").hides("No experiment runs");
}
