//! The feed on the stream: all of it, in order, once.

use crate::house::{House, caught_up, until};
use handover_bus::{Bus, BusSettings, TOO_LARGE, Wiring, encoded};
use handover_core::{access::Caller, command::Open, handoff::Request, limits::BUS_WINDOW_MAX};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

#[tokio::test(flavor = "multi_thread")]
async fn all_of_it_is_published_in_order_with_its_ids() {
    let house = House::new().await;
    house.talk("before", 3).await;
    let bus = house.bus().await;
    tokio::join!(house.talk("one", BUS_WINDOW_MAX), house.talk("two", 20), house.talk("three", 20));
    caught_up(&bus).await;
    let client = house.client().await;
    let seen = house.agrees(&client).await;
    let mut last: HashMap<&str, u64> = HashMap::new();
    for seen in &seen {
        let (session, seq) = seen.id.rsplit_once('#').unwrap();
        let seq: u64 = seq.parse().unwrap();
        assert_eq!(seen.body["id"], seen.id);
        assert_eq!(seen.body["position"], seen.position);
        let (tenant, kind) = (&seen.body["context"]["tenant"], &seen.body["type"]);
        let parts = [tenant.as_str().unwrap(), session, kind.as_str().unwrap()].map(encoded);
        assert_eq!(seen.subject, format!("{}.feed.{}", house.settings.prefix, parts.join(".")));
        let before = last.insert(session, seq).unwrap_or(0);
        assert!(seq > before, "{session}: {seq} after {before}");
    }
    let status = bus.status();
    assert_eq!((status.lag, status.published, status.problem), (0, seen.len() as u64, None));
    assert!(status.connected && status.publishing);
}

#[tokio::test(flavor = "multi_thread")]
async fn subjects_are_safe_whatever_names_there_are() {
    let house = House::new().await;
    let bus = house.bus().await;
    let odd = house.engine.for_caller(Caller::new("odd", "a.b >*").of_house());
    let session = crate::house::session("v1.2/größe:x");
    odd.open_session(&session, Open::of(crate::house::id("desk"))).await.unwrap();
    caught_up(&bus).await;
    let seen = house.agrees(&house.client().await).await;
    let last = seen.last().unwrap();
    assert!(last.subject.contains(".feed.a%2Eb%20%3E%2A.v1%2E2/größe:x."), "{}", last.subject);
    assert_eq!(last.subject.split('.').count(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_that_publish_at_once_write_each_message_once() {
    let house = House::new().await;
    let other = BusSettings { node: "two".into(), ..house.settings.clone() };
    let (one, two) = tokio::join!(house.bus(), Bus::start(&house.engine, &other, Wiring::of(&house.engine)));
    let two = two.unwrap();
    tokio::join!(house.talk("a", 150), house.talk("b", 150));
    tokio::join!(caught_up(&one), caught_up(&two));
    house.agrees(&house.client().await).await;
    let (one, two) = (one.status(), two.status());
    assert!(one.published > 0 && two.published > 0, "both took part: {one:?} {two:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_has_no_turn_publishes_nothing_and_knows_how_far_it_is() {
    let house = House::new().await;
    let turn = Arc::new(AtomicBool::new(false));
    let asked = turn.clone();
    let wiring = Wiring {
        turn: Arc::new(move |_, _| {
            let mine = asked.load(Ordering::SeqCst);
            Box::pin(async move { mine })
        }),
        ..Wiring::of(&house.engine)
    };
    let idle = Bus::start(&house.engine, &house.settings, wiring).await.unwrap();
    let bus = house.bus().await;
    house.talk("one", 5).await;
    caught_up(&bus).await;
    until(async || idle.status().lag == 0).await;
    assert_eq!((idle.status().published, idle.status().publishing), (0, false));
    bus.close();
    turn.store(true, Ordering::SeqCst);
    house.talk("one", 5).await;
    caught_up(&idle).await;
    assert!(idle.status().published > 0);
    house.agrees(&house.client().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_too_large_goes_without_its_content() {
    let nats = handover_stand::Nats::start_with(&["max_payload: 16384"]).unwrap();
    let house = House::at(&nats.url()).await;
    let bus = house.bus().await;
    house.talk("one", 1).await;
    let mut request = Request::delegation("desk", "smith", "read it", Duration::from_secs(60)).unwrap();
    request.task.payload = "x".repeat(30_000).into();
    house.engine.initiate(&crate::house::session("one"), request).await.unwrap();
    house.talk("one", 1).await;
    caught_up(&bus).await;
    let client = async_nats::connect(nats.url()).await.unwrap();
    let seen = house.agrees(&client).await;
    let large: Vec<_> = seen.iter().filter(|seen| seen.headers.get(TOO_LARGE).is_some()).collect();
    assert_eq!(large.len(), 1);
    assert!(large[0].body["payload"].is_null() && large[0].body["type"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_of_another_store_is_left_alone() {
    let (house, mut other) = (House::new().await, House::new().await);
    let bus = house.bus().await;
    house.talk("one", 5).await;
    caught_up(&bus).await;
    bus.close();
    other.settings = house.settings.clone();
    other.talk("two", 50).await;
    let bus = other.bus().await;
    until(async || bus.status().problem.is_some_and(|problem| problem.contains("something else than the feed"))).await;
    house.agrees(&house.client().await).await;
    // Whoever wants it filled from here says so by emptying it.
    let client = other.client().await;
    other.stream(&client).await.purge().await.unwrap();
    caught_up(&bus).await;
    other.agrees(&client).await;
    assert_eq!(bus.status().problem, None);
}
