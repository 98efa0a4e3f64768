//! What is asked once and answered, refused, or asked again.

use crate::{House, LONG, counting, front};
use handover_client::{Approving, Claiming, Client, Denying, Error, Opening, done};
use handover_core::{
    command::Write,
    handoff::{ReturnStatus, Status},
    ids::AgentId,
    message::{NewMessage, Role},
    refusal::Code,
};
use serde_json::json;
use std::time::Duration;

fn agent(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

fn at_once() -> Claiming {
    Claiming { wait_ms: 30_000, ..Claiming::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn work_goes_there_and_comes_back() {
    let (house, client, session) = House::with_team().await;
    client.say(&session, &[NewMessage::new(Role::User, "How long is this?")]).await.unwrap();
    let write = Write { name: "language".into(), value: json!("en"), expected_version: Some(0) };
    client.set(&session, &agent("desk"), &[write]).await.unwrap();
    assert_eq!(client.variables(&session).await.unwrap()["language"].value, json!("en"));
    let id = client.hand_off(&session, &counting("one two three")).await.unwrap().handoffs[0];
    let taken = client.claim(&agent("counter"), &at_once()).await.unwrap().unwrap();
    assert_eq!((taken.handoff.id, taken.task(), taken.handoff.status), (id, "Count the words", Status::Running));
    assert_eq!(taken.assignment["payload"], json!({ "text": "one two three" }));
    client.heartbeat(id, taken.lease).await.unwrap();
    client.step(id, taken.lease, "counted", &json!(3)).await.unwrap();
    client.give_back(id, taken.lease, &done(json!({ "words": 3 })), None).await.unwrap();
    let returned = client.returned(id, LONG).await.unwrap().unwrap();
    assert_eq!((returned.status, &returned.result.body), (ReturnStatus::Success, &json!({ "words": 3 })));
    assert_eq!(client.session(&session).await.unwrap().messages, 1);
    assert_eq!(client.handoff(id).await.unwrap().status, Status::Completed);
    let names: Vec<String> =
        client.agents().await.unwrap().into_iter().map(|agent| agent.profile.id.to_string()).collect();
    assert_eq!(names, ["counter", "desk"]);
    assert_eq!(client.me().await.unwrap().tenant, "default");
    drop(house);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_offered_work_may_say_no_or_later() {
    let (_house, client, session) = House::with_team().await;
    let counter = agent("counter");
    let rejected = client.hand_off(&session, &counting("a")).await.unwrap().handoffs[0];
    client.reject(rejected, &counter, "too short").await.unwrap();
    assert!(client.handoff(rejected).await.unwrap().result.unwrap().notes.contains("too short"));
    let deferred = client.hand_off(&session, &counting("b")).await.unwrap().handoffs[0];
    client.defer(deferred, &counter, Duration::from_secs(60), "lunch").await.unwrap();
    assert_eq!(client.handoff(deferred).await.unwrap().status, Status::Deferred);
    client.cancel(deferred, &agent("desk"), "never mind").await.unwrap();
    let declined = client.hand_off(&session, &counting("c")).await.unwrap().handoffs[0];
    let taken = client.claim(&counter, &at_once()).await.unwrap().unwrap();
    client.decline(declined, taken.lease, "not my language").await.unwrap();
    assert!(client.handoff(declined).await.unwrap().status.is_closed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_decides() {
    let (_house, client, session) = House::with_team().await;
    let mut request = counting("x");
    request.needs_approval = true;
    let yes = client.hand_off(&session, &request).await.unwrap().handoffs[0];
    client.approve(yes, &Approving { by: Some("ann".into()), ..Approving::default() }).await.unwrap();
    assert_eq!(client.handoff(yes).await.unwrap().status, Status::Offered);
    request.task.description = "Count again".into();
    let no = client.hand_off(&session, &request).await.unwrap().handoffs[0];
    let denying = Denying { by: Some("ann".into()), comment: "enough".into(), digest: None };
    client.deny(no, &denying).await.unwrap();
    assert!(client.handoff(no).await.unwrap().status.is_closed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_the_one_of_the_engine() {
    let (_house, client, session) = House::with_team().await;
    let mut request = counting("x");
    request.to_agent = Some(agent("conter"));
    let error = client.hand_off(&session, &request).await.unwrap_err();
    let Error::Refused { status, error, request_id } = &error else { panic!("{error:?}") };
    assert_eq!((*status, error.code(), error.refusals[0].field.as_str()), (422, Code::UnknownTarget, "to_agent"));
    assert!(error.refusals[0].hint.contains("counter") && !request_id.is_empty());
    let opening = Opening::by("nobody").unwrap();
    assert!(!client.open_session(&opening).await.unwrap_err().is_passing());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_work_is_waited_for_while_the_server_ends_and_begins_again() {
    let (mut house, client, session) = House::with_team().await;
    let id = client.hand_off(&session, &counting("one two")).await.unwrap().handoffs[0];
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.returned(id, LONG).await }
    });
    house.end().await;
    house.begin().await;
    let taken = client.claim(&agent("counter"), &at_once()).await.unwrap().unwrap();
    client.give_back(id, taken.lease, &done(json!(2)), None).await.unwrap();
    assert_eq!(waiting.await.unwrap().unwrap().unwrap().result.body, json!(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_nobody_answered_is_done_once() {
    let (mut house, client, session) = House::with_team().await;
    house.end().await;
    let asking = tokio::spawn({
        let (client, session) = (client.clone(), session.clone());
        async move { client.hand_off(&session, &counting("once")).await }
    });
    house.begin().await;
    let answer = asking.await.unwrap().unwrap();
    assert_eq!(house.engine().get_handoff_count(&session, None, None).await.unwrap(), 1);
    assert_eq!(answer.handoffs.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_passes_by_is_asked_again_with_the_same_key() {
    const TEXTS: &[&str] = &[
        "",
        "HTTP/1.1 503 x\r\nretry-after: 0\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 429 x\r\nretry-after: 0\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 200 x\r\nconnection: close\r\ncontent-length: 30\r\n\r\n{\"broken",
        "HTTP/1.1 200 x\r\nconnection: close\r\ncontent-length: 33\r\n\r\n{\"session_id\": \"s\", \"version\": 3}",
    ];
    let (url, asked) = front::answering(TEXTS).await;
    let client = Client::new(&url, Some("ho_key")).unwrap();
    let answer = client.cancel(uuid(), &agent("desk"), "x").await.unwrap();
    assert_eq!(answer.version, 3);
    let asked = asked.borrow().clone();
    let keys: std::collections::BTreeSet<&str> =
        asked.iter().filter_map(|head| head.lines().find(|line| line.starts_with("idempotency-key"))).collect();
    assert_eq!((asked.len(), keys.len()), (TEXTS.len(), 1), "{asked:#?}");
    assert!(asked[0].contains("authorization: Bearer ho_key"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_pass_by_is_asked_once() {
    for (text, expected) in [
        (&["HTTP/1.1 500 x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"], "status 500"),
        (&["HTTP/1.1 302 x\r\nlocation: http://x/\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"], "status 302"),
        (&["HTTP/1.1 503 x\r\nretry-after: 999\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"], "status 503"),
        (&["HTTP/1.1 200 x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n[]"], "status 200"),
    ] {
        let (url, asked) = front::answering(text).await;
        let error = Client::new(&url, None).unwrap().me().await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(asked.borrow().len(), 1, "{expected}");
    }
}

fn uuid() -> handover_core::ids::HandoffId {
    "00000000-0000-4000-8000-000000000000".parse().unwrap()
}
