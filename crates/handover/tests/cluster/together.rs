//! What one node does, the others see.

use crate::nodes::House;
use handover::core::{
    agent::{AgentKind, Profile},
    handoff::{Request, ReturnStatus},
    ids::AgentId,
};
use handover_client::{Claiming, Listening, Opening, done};
use serde_json::json;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_handoff_goes_over_three_nodes() {
    let house = House::of(3);
    let (first, second, third) = (house.client_of(0), house.client_of(1), house.client_of(2));
    let mut events = third.events(Listening::default());
    events.begin().await.unwrap();
    first.register(&Profile::named("pilot").unwrap().kind(AgentKind::Worker)).await.unwrap();
    let session = first.open_session(&Opening::by("planner").unwrap().asking("a jet")).await.unwrap();
    let pilot = AgentId::new("pilot").unwrap();
    // Whoever waits at another node is woken by what is offered at this one.
    let claiming = Claiming { wait_ms: 30_000, ..Claiming::default() };
    let claim = tokio::spawn({
        let (second, pilot) = (second.clone(), pilot.clone());
        async move { second.claim(&pilot, &claiming).await }
    });
    let request = Request::delegation("planner", "pilot", "find one", Duration::from_secs(60)).unwrap();
    let id = first.hand_off(&session.id, &request).await.unwrap().handoffs[0];
    let taken = claim.await.unwrap().unwrap().expect("there is work");
    assert_eq!(taken.handoff.id, id);
    let waiting = tokio::spawn({
        let first = first.clone();
        async move { first.returned(id, Duration::from_secs(30)).await }
    });
    third.give_back(id, taken.lease, &done(json!({"jet": "CJ3"})), None).await.unwrap();
    let returned = waiting.await.unwrap().unwrap().expect("it comes back");
    assert_eq!(returned.status, ReturnStatus::Success);
    // The third node heard of all of it, though two others did most.
    loop {
        let event = events.next().await.unwrap();
        if event.kind == "TASK_COMPLETED" && event.context.session_id == session.id {
            break;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn work_of_a_node_that_dies_is_done_by_another() {
    let mut house = House::of(2);
    let client = house.client_of(0);
    let session = client.open_session(&Opening::by("planner").unwrap().asking("file it")).await.unwrap();
    let mut ids = Vec::new();
    for n in 0..12 {
        let request = Request::delegation("planner", "clerk", "file it", Duration::from_secs(600)).unwrap();
        let request = request.payload(json!({ "n": n }));
        ids.push(client.hand_off(&session.id, &request).await.unwrap().handoffs[0]);
    }
    house.nodes[0].kill();
    let other = house.client_of(1);
    for id in ids {
        let returned = other.returned(id, Duration::from_secs(60)).await.unwrap().expect("somebody did it");
        assert_eq!(returned.status, ReturnStatus::Success, "{returned:?}");
    }
}
