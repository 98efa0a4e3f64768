//! Events that others publish hand work over, each once.

use crate::house::{House, id, until};
use async_nats::{
    HeaderMap,
    jetstream::{self, context::PublishErrorKind},
};
use handover_bus::Bus;
use handover_core::{access::Caller, handoff::Priority};
use handover_engine::{EventRule, HandoffQuery};
use serde_json::{Value, json};

async fn house() -> (House, Bus, jetstream::Context) {
    let mut house = House::new().await;
    house.settings.events = true;
    let rule = EventRule {
        name: "alerts".into(),
        on: "security.*".into(),
        from_agent: id("desk"),
        to_agent: Some(id("smith")),
        capability: None,
        task: "look at it".into(),
        priority: Priority::High,
    };
    house.engine.on_event(rule.clone()).await.unwrap();
    house.engine.for_caller(Caller::new("acme", "acme")).on_event(rule).await.unwrap();
    let bus = house.bus().await;
    let streams = jetstream::new(house.client().await);
    let name = house.settings.events_stream();
    until(async || streams.get_stream(&name).await.is_ok()).await;
    (house, bus, streams)
}

impl House {
    fn event(&self, tenant: &str, kind: &str) -> String {
        format!("{}.events.{tenant}.{kind}", self.settings.prefix)
    }

    async fn handoffs(&self, tenant: &str) -> Vec<Value> {
        let engine = self.engine.for_caller(Caller::new("looks", tenant));
        let query = HandoffQuery { tenant: Some(tenant.into()), limit: 100, ..HandoffQuery::default() };
        let found = engine.handoffs(query).await.unwrap();
        found.into_iter().map(|handoff| handoff.request.task.payload.clone()).collect()
    }

    /// Nothing waits on the stream of events.
    async fn all_taken(&self, streams: &jetstream::Context) -> bool {
        let stream = streams.get_stream(self.settings.events_stream()).await.unwrap();
        stream.cached_info().state.messages == 0
    }
}

async fn publish(streams: &jetstream::Context, subject: String, body: &Value) {
    publish_text(streams, &subject, &body.to_string()).await;
}

/// A stream that was made a moment ago may not listen yet, and then nobody has the message.
async fn publish_text(streams: &jetstream::Context, subject: &str, body: &str) {
    until(async || match streams.publish(subject.to_owned(), body.to_owned().into()).await.unwrap().await {
        Err(error) if error.kind() == PublishErrorKind::StreamNotFound => false,
        taken => taken.is_ok(),
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_hands_work_over_once_though_it_comes_twice() {
    let (house, bus, streams) = house().await;
    let subject = house.event("default", "security.alert");
    let event = json!({"id": "alert-7", "data": {"host": "db1"}});
    publish(&streams, subject.clone(), &event).await;
    publish(&streams, subject.clone(), &event).await;
    until(async || bus.status().events == 2).await;
    assert_eq!(house.handoffs("default").await, [json!({"host": "db1"})]);
    // A node that takes up what another one did not acknowledge is the same: the id decides.
    bus.close();
    publish(&streams, subject, &event).await;
    let bus = house.bus().await;
    until(async || bus.status().events == 1 && house.all_taken(&streams).await).await;
    assert_eq!(house.handoffs("default").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_without_an_id_has_that_of_nats_or_its_place() {
    let (house, bus, streams) = house().await;
    let subject = house.event("default", "security.alert");
    let mut headers = HeaderMap::new();
    headers.insert("Nats-Msg-Id", "of-nats");
    let body = json!({"data": 1}).to_string();
    streams.publish_with_headers(subject.clone(), headers, body.into()).await.unwrap().await.unwrap();
    publish(&streams, subject.clone(), &json!({"id": "of-nats", "data": 1})).await;
    publish(&streams, subject.clone(), &json!({"data": 2})).await;
    publish(&streams, subject, &json!({"data": 2})).await;
    until(async || bus.status().events == 4).await;
    assert_eq!(house.handoffs("default").await, [json!(1), json!(2), json!(2)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_reaches_its_tenant_alone() {
    let (house, bus, streams) = house().await;
    publish(&streams, house.event("acme", "security.alert"), &json!({"id": "a", "data": "for acme"})).await;
    publish(&streams, house.event("default", "weather.rain"), &json!({"id": "b"})).await;
    until(async || bus.status().events == 2).await;
    assert_eq!(house.handoffs("acme").await, [json!("for acme")]);
    assert_eq!(house.handoffs("default").await, Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_event_is_refused_once_and_those_after_it_are_taken() {
    let (house, bus, streams) = house().await;
    let subject = house.event("default", "security.alert");
    let bad = [
        (subject.clone(), "no json".to_owned()),
        (subject.clone(), json!({"id": "x", "nobody": "reads this"}).to_string()),
        (subject.clone(), json!({"id": "x", "type": "another.type"}).to_string()),
        (subject.clone(), json!({"id": "x".repeat(500)}).to_string()),
        (subject.clone(), json!({"id": " "}).to_string()),
        (subject.clone(), json!({"id": "x", "session_id": "no such session of ours?"}).to_string()),
    ];
    for (subject, body) in &bad {
        publish_text(&streams, subject, body).await;
    }
    publish(&streams, subject, &json!({"id": "good", "type": "security.alert", "data": "good"})).await;
    until(async || bus.status().events == 1).await;
    assert_eq!(house.handoffs("default").await, [json!("good")]);
    until(async || house.all_taken(&streams).await).await;
    assert_eq!(bus.status().refused, bad.len() as u64, "each is refused once, and not delivered again");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_not_taken_unless_somebody_wants_them() {
    let house = House::new().await;
    let bus = house.bus().await;
    house.talk("one", 1).await;
    crate::house::caught_up(&bus).await;
    let streams = jetstream::new(house.client().await);
    assert!(streams.get_stream(house.settings.events_stream()).await.is_err());
    assert!(streams.get_stream(&house.settings.stream).await.is_ok());
}
