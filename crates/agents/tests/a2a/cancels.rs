//! Tasks that nobody wants any more are cancelled at the remote agent, as well as that can be done.

use crate::{
    common::{House, asking, begun, employ, session, within},
    peer::{By, Does, Peer, task, task_saying},
};
use handover_core::{command::Command, handoff::Status, ids::HandoffId};
use handover_engine::Engine;
use std::time::Duration;

async fn cancel(engine: &Engine, handoff: HandoffId) {
    let command = Command::Cancel { handoff, by: "desk".to_owned(), reason: "not needed".to_owned() };
    engine.submit(&session(), command, None).await.unwrap();
}

async fn working(peer: &Peer) -> (House, Engine, HandoffId) {
    peer.does("SendMessage", [Does::Gives(task("WORKING"))]).does("GetTask", [Does::Gives(task("WORKING"))]);
    peer.does("SendStreamingMessage", [Does::TellsAndWaits(vec![task("WORKING")])]);
    let house = House::new();
    let engine = house.open().await;
    employ(&engine, peer).await;
    let mut request = asking();
    request.return_protocol.timeout_ms = Some(60_000);
    let handoff = begun(&engine, request).await;
    within(async {
        while !engine.story(handoff).await.unwrap().iter().any(|step| step.what.contains("a2a/sent/1")) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    (house, engine, handoff)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handoff_that_is_cancelled_cancels_the_task() {
    for (by, streams) in [(By::JsonRpc, true), (By::HttpJson, false)] {
        let peer = if streams { Peer::streaming(by).await } else { Peer::new(by).await };
        peer.does("CancelTask", [Does::Sends(503, "text/plain", Vec::new()), Does::Gives(task("CANCELED"))]);
        let (house, engine, handoff) = working(&peer).await;
        cancel(&engine, handoff).await;
        house.moving(peer.was_asked("CancelTask", 2)).await;
        let asked = &peer.asked_for("CancelTask")[0];
        assert_eq!((asked.params["id"].as_str(), asked.header("a2a-version")), (Some("t-1"), "1.0"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handoff_that_times_out_cancels_the_task() {
    let peer = Peer::new(By::JsonRpc).await;
    peer.does("CancelTask", [Does::Refuses(-32002, "too late")]);
    let (house, engine, handoff) = working(&peer).await;
    let over = async {
        while !engine.handoff(handoff).await.unwrap().status().is_closed() {
            house.clock.advance(Duration::from_secs(1));
            engine.run_due().await.unwrap();
        }
    };
    within(over).await;
    peer.was_asked("CancelTask", 1).await;
    assert_eq!(engine.handoff(handoff).await.unwrap().status(), Status::TimedOut);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_waits_for_an_answer_is_cancelled_with_its_handoff() {
    let peer = Peer::new(By::JsonRpc).await;
    peer.does("CancelTask", [Does::Gives(task("CANCELED"))]);
    peer.does("SendMessage", [Does::Gives(task_saying("INPUT_REQUIRED", "Which?"))]);
    let house = House::new();
    let engine = house.open().await;
    employ(&engine, &peer).await;
    let handoff = begun(&engine, asking()).await;
    within(async {
        while engine.handoff(handoff).await.unwrap().open_question().is_none() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    cancel(&engine, handoff).await;
    peer.was_asked("CancelTask", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_that_fails_here_cancels_the_task() {
    let peer = Peer::new(By::JsonRpc).await;
    peer.does("CancelTask", [Does::Gives(task("CANCELED"))]);
    peer.does("SendMessage", [Does::Gives(task_saying("AUTH_REQUIRED", "Log in."))]);
    let house = House::new();
    let engine = house.open().await;
    employ(&engine, &peer).await;
    house.asked(&engine, asking()).await;
    peer.was_asked("CancelTask", 1).await;
}
