//! Nodes are replaced one by one: what a newer one wrote, and this one does not know, it leaves alone and does not pass over.

use crate::{
    cluster::Cluster,
    common::{delegation, session, workers},
};
use handover_core::{command::Open, refusal::Code};
use handover_engine::{Filter, Notice};

#[tokio::test]
async fn what_a_newer_version_wrote_is_left_alone_and_everything_else_goes_on() {
    let cluster = Cluster::new().await;
    let (old, newer) = cluster.pair().await;
    workers(&old, &["planner", "pilot"]).await;
    let open = || Open::by("planner").unwrap();
    for name in ["plain", "special"] {
        newer.open_session(&session(name), open()).await.unwrap();
    }
    // It has something new to keep about one of them.
    cluster.sql("UPDATE sessions SET state = '{\"mood\":\"good\",' || substr(state, 2) WHERE id = 'special'").await;
    old.close().await.unwrap();
    let old = cluster.open("old").await;
    let refused = old.initiate(&session("special"), delegation("planner", "pilot")).await.unwrap_err();
    assert_eq!(refused.code(), Code::StoreNewer, "{refused}");
    assert!(refused.to_string().contains("mood"), "{refused}");
    let kept = cluster.sql("SELECT 1 FROM sessions WHERE id = 'special' AND state LIKE '%mood%'").await;
    assert_eq!(kept, 1, "nothing of it is lost");
    old.initiate(&session("plain"), delegation("planner", "pilot")).await.unwrap();
}

#[tokio::test]
async fn a_record_of_a_newer_version_is_not_passed_over() {
    let cluster = Cluster::new().await;
    let (old, newer) = cluster.pair().await;
    workers(&old, &["planner", "pilot"]).await;
    newer.open_session(&session("special"), Open::by("planner").unwrap()).await.unwrap();
    newer.initiate(&session("special"), delegation("planner", "pilot")).await.unwrap();
    let changed = "UPDATE records SET text = replace(text, '\"kind\":\"initiated\"', '\"kind\":\"enchanted\"') \
                   WHERE text LIKE '%\"kind\":\"initiated\"%'";
    assert_eq!(cluster.sql(changed).await, 1);
    let mut feed = old.subscribe_all(Filter::default(), Some(0)).unwrap();
    let mut heard = Vec::new();
    let error = loop {
        match feed.next().await {
            Ok(Some(Notice::Event(message))) => heard.push(message.kind.clone()),
            Ok(other) => panic!("{other:?}"),
            Err(error) => break error,
        }
    };
    assert_eq!(error.code(), Code::StoreNewer, "{error}");
    assert_eq!(heard.last().map(String::as_str), Some("SESSION_OPENED"), "what came before it is told: {heard:?}");
    // As often as somebody asks.
    assert_eq!(feed.next().await.unwrap_err().code(), Code::StoreNewer);
}
