//! Restarts on either side: the work is sent once where that was acknowledged, and the same task goes on.

use crate::{
    common::{House, asking, begun, employ, employ_with, told, within},
    peer::{By, Does, Peer, done, status, task},
};
use handover_agents::a2a::Times;
use handover_core::{handoff::Status, ids::HandoffId};
use handover_engine::Engine;
use serde_json::{Value, json};
use std::time::Duration;

fn two() -> Value {
    done(&json!([{"data": 2}]))
}

/// Until a step of this name is recorded.
async fn recorded(engine: &Engine, id: HandoffId, name: &str) {
    within(async {
        while !engine.story(id).await.unwrap().iter().any(|step| step.what.contains(name)) {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_the_same_task_goes_on_and_nothing_is_sent_again() {
    for (by, streams) in [(By::JsonRpc, true), (By::HttpJson, false), (By::Old, true)] {
        let house = House::new();
        let peer = Peer::new(by).await;
        peer.card(|card| card["capabilities"]["streaming"] = json!(streams));
        let form = |value: Value| if by == By::Old { crate::peer::old(&value) } else { value };
        peer.does("SendStreamingMessage", [Does::TellsAndWaits(vec![form(task("WORKING"))])]);
        peer.does("SendMessage", [Does::Gives(form(task("WORKING")))]);
        peer.does("GetTask", [Does::Gives(form(task("WORKING")))]);
        peer.does("SubscribeToTask", [Does::TellsAndWaits(vec![form(task("WORKING"))])]);
        let engine = house.open().await;
        employ(&engine, &peer).await;
        let id = begun(&engine, asking()).await;
        recorded(&engine, id, "a2a/sent/1").await;
        house.close(engine).await;
        peer.does("SubscribeToTask", [Does::Tells(vec![form(task("WORKING")), form(two())])]);
        peer.does("GetTask", [Does::Gives(form(task("WORKING"))), Does::Gives(form(two()))]);
        let engine = house.open().await;
        employ(&engine, &peer).await;
        let result = house.moving(engine.returned(id)).await.unwrap();
        assert_eq!(told(&result), "success 2", "{by:?}");
        let sent = peer.asked().iter().filter(|asked| asked.what.starts_with("Send")).count();
        // A stop of ours is no reason to cancel what the agent works on.
        assert_eq!((sent, peer.asked_for("CancelTask").len()), (1, 0), "{by:?} {}", peer.told());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_sent_and_not_acknowledged_is_sent_again_as_the_same_message() {
    let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
    peer.does("SendMessage", [Does::Silent]);
    let engine = house.open().await;
    employ(&engine, &peer).await;
    let id = begun(&engine, asking()).await;
    peer.was_asked("SendMessage", 1).await;
    house.close(engine).await;
    peer.does("SendMessage", [Does::Gives(two())]);
    let engine = house.open().await;
    employ(&engine, &peer).await;
    assert_eq!(told(&house.moving(engine.returned(id)).await.unwrap()), "success 2");
    let ids: Vec<Value> = peer.asked().iter().map(|asked| asked.params["message"]["messageId"].clone()).collect();
    assert_eq!(ids.len(), 2);
    assert_eq!(ids[0], ids[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_in_trouble_is_sent_the_same_message_again() {
    let (house, peer) = (House::new(), Peer::new(By::HttpJson).await);
    let busy = |status| Does::Sends(status, "text/plain", b"come back later".to_vec());
    peer.does("SendMessage", [busy(503), busy(429), busy(502), Does::Gives(two())]);
    let engine = house.open().await;
    employ(&engine, &peer).await;
    assert_eq!(told(&house.asked(&engine, asking()).await), "success 2");
    let ids: Vec<Value> = peer.asked().iter().map(|asked| asked.params["message"]["messageId"].clone()).collect();
    assert!(ids.len() == 4 && ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    peer.does("SendMessage", [busy(503)]);
    let result = house.asked(&engine, asking()).await;
    assert!(result.notes.ends_with("come back later; tried 6 times (REMOTE_TRIES_MAX)"), "{}", result.notes);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_breaks_is_taken_up_again() {
    let (house, peer) = (House::new(), Peer::streaming(By::JsonRpc).await);
    let down = || Does::Sends(503, "text/plain", Vec::new());
    peer.does("SendStreamingMessage", [Does::TellsAndBreaks(vec![task("SUBMITTED"), status("WORKING")])]);
    peer.does("GetTask", [down(), Does::Sends(500, "text/plain", Vec::new()), Does::Gives(task("WORKING"))]);
    peer.does(
        "SubscribeToTask",
        [
            down(),
            Does::Tells(vec![task("WORKING")]),
            Does::TellsAndBreaks(vec![task("WORKING"), status("WORKING")]),
            Does::Tells(vec![two()]),
        ],
    );
    let engine = house.open().await;
    employ(&engine, &peer).await;
    assert_eq!(told(&house.asked(&engine, asking()).await), "success 2");
    assert_eq!(peer.asked_for("SendStreamingMessage").len(), 1);
    assert_eq!(peer.asked_for("SubscribeToTask").len(), 4);
    assert!(peer.asked_for("SubscribeToTask").iter().all(|asked| asked.params["id"] == "t-1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_goes_silent_is_taken_up_again() {
    let (house, peer) = (House::new(), Peer::streaming(By::JsonRpc).await);
    peer.does("SendStreamingMessage", [Does::TellsAndWaits(vec![task("WORKING")])]);
    peer.does("GetTask", [Does::Gives(task("WORKING"))]).does("SubscribeToTask", [Does::Tells(vec![two()])]);
    let engine = house.open().await;
    let times = Times { idle: Duration::from_millis(50), ..Times::default() };
    employ_with(&engine, &peer, None, times).await;
    assert_eq!(told(&house.asked(&engine, asking()).await), "success 2");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_the_agent_lost_is_a_failed_attempt() {
    for by in [By::JsonRpc, By::HttpJson] {
        let (house, peer) = (House::new(), Peer::streaming(by).await);
        peer.does("SendStreamingMessage", [Does::TellsAndBreaks(vec![task("WORKING")])]);
        peer.does("GetTask", [Does::Refuses(-32001, "no such task")]);
        let engine = house.open().await;
        employ(&engine, &peer).await;
        let result = house.asked(&engine, asking()).await;
        let wanted =
            "failed null the remote agent does not know its task t-1 any more: it may have lost it in a restart";
        assert_eq!(told(&result), wanted);
        assert_eq!(peer.asked_for("CancelTask").len(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_further_attempt_is_another_message() {
    let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
    peer.does("SendMessage", [Does::Gives(task("WORKING")), Does::Gives(two())]);
    peer.does("GetTask", [Does::Gives(task("WORKING"))]).does("CancelTask", [Does::Gives(task("CANCELED"))]);
    let engine = house.open().await;
    employ(&engine, &peer).await;
    let mut request = asking();
    request.return_protocol.timeout_ms = Some(60_000);
    request.return_protocol.on_timeout = handover_core::handoff::OnTimeout::Retry;
    let id = begun(&engine, request).await;
    within(engine.accepted(id)).await.unwrap();
    let ticking = async {
        loop {
            let now = engine.handoff(id).await.unwrap();
            // The second attempt has all the time that it needs.
            if now.attempt == 1 || now.status() == Status::Deferred {
                house.clock.advance(Duration::from_secs(1));
                engine.run_due().await.unwrap();
            }
            tokio::task::yield_now().await;
        }
    };
    let result = tokio::select! {
        result = within(engine.returned(id)) => result.unwrap(),
        () = ticking => unreachable!(),
    };
    assert_eq!(told(&result), "success 2");
    let ids: Vec<Value> =
        peer.asked_for("SendMessage").iter().map(|asked| asked.params["message"]["messageId"].clone()).collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
    // What the first attempt left behind is wanted by nobody.
    peer.was_asked("CancelTask", 1).await;
}
