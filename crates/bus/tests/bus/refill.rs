//! A stream that lost something is filled again from the store.

use crate::house::{House, caught_up, id, session, until};
use async_nats::jetstream;
use handover_bus::Keep;
use handover_core::command::Open;
use std::time::Duration;

/// Waits until the stream begins with the first of everything and has all of it.
async fn filled(house: &House, client: &async_nats::Client) {
    let streams = jetstream::new(client.clone());
    until(async || {
        let Ok(stream) = streams.get_stream(&house.settings.stream).await else { return false };
        stream.cached_info().state.messages >= house.engine.feed_position()
    })
    .await;
    house.agrees(client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purged_stream_is_filled_again() {
    let house = House::new().await;
    let (bus, client) = (house.bus().await, house.client().await);
    house.talk("one", 300).await;
    caught_up(&bus).await;
    house.stream(&client).await.purge().await.unwrap();
    filled(&house, &client).await;
    house.talk("one", 3).await;
    caught_up(&bus).await;
    let seen = house.agrees(&client).await;
    // What is new has the plain id again.
    assert_eq!(seen.last().unwrap().id, seen.last().unwrap().body["id"]);
    assert!(seen[0].id.starts_with(&format!("{}~", seen[0].body["id"].as_str().unwrap())));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purge_that_is_followed_by_more_is_noticed() {
    let house = House::new().await;
    let (bus, client) = (house.bus().await, house.client().await);
    house.talk("one", 20).await;
    caught_up(&bus).await;
    house.stream(&client).await.purge().await.unwrap();
    house.talk("one", 20).await;
    filled(&house, &client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_was_purged_while_nobody_published_is_noticed() {
    let house = House::new().await;
    let (bus, client) = (house.bus().await, house.client().await);
    house.talk("one", 20).await;
    caught_up(&bus).await;
    bus.close();
    house.stream(&client).await.purge().keep(5).await.unwrap();
    let bus = house.bus().await;
    filled(&house, &client).await;
    drop(bus);
}

/// What is before and after it is still there: only the numbers tell.
#[tokio::test(flavor = "multi_thread")]
async fn a_purge_by_subject_and_a_message_that_was_removed_are_noticed() {
    let house = House::new().await;
    let (bus, client) = (house.bus().await, house.client().await);
    house.talk("one", 10).await;
    house.talk("two", 10).await;
    house.talk("one", 10).await;
    caught_up(&bus).await;
    let of_two = format!("{}.feed.*.two.>", house.settings.prefix);
    assert!(house.stream(&client).await.purge().filter(&of_two).await.unwrap().purged > 5);
    filled(&house, &client).await;
    let sequence = house.stream(&client).await.cached_info().state.last_sequence - 3;
    assert!(house.stream(&client).await.delete_message(sequence).await.unwrap());
    filled(&house, &client).await;
    house.talk("two", 3).await;
    caught_up(&bus).await;
    house.agrees(&client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_stream_is_made_and_filled_again() {
    let house = House::new().await;
    let (bus, client) = (house.bus().await, house.client().await);
    house.talk("one", 20).await;
    caught_up(&bus).await;
    jetstream::new(client.clone()).delete_stream(&house.settings.stream).await.unwrap();
    filled(&house, &client).await;
    house.talk("one", 3).await;
    caught_up(&bus).await;
    house.agrees(&client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_its_limits_removed_is_not_filled_again() {
    let mut house = House::new().await;
    house.settings.keep = Keep { bytes: Some(20_000), age: Some(Duration::from_secs(3_600)), copies: None };
    let (bus, client) = (house.bus().await, house.client().await);
    house.talk("one", 200).await;
    caught_up(&bus).await;
    bus.close();
    let before = house.stream(&client).await.cached_info().clone();
    assert!(before.state.first_sequence > 1 && before.state.messages < house.engine.feed_position());
    assert_eq!((before.config.max_bytes, before.config.max_age), (20_000, Duration::from_secs(3_600)));
    // Limits that change are changed on the stream.
    house.settings.keep.age = Some(Duration::from_secs(7_200));
    let bus = house.bus().await;
    house.talk("one", 1).await;
    caught_up(&bus).await;
    let after = house.stream(&client).await.cached_info().clone();
    assert_eq!(after.config.max_age, Duration::from_secs(7_200));
    assert_eq!(after.state.last_sequence, before.state.last_sequence + 1, "nothing was published again");
}

/// What goes to make room may be so large that much room is left: that is no hole, and nothing is filled again for it.
#[tokio::test(flavor = "multi_thread")]
async fn room_that_a_large_message_left_is_no_hole() {
    let mut house = House::new().await;
    house.settings.keep = Keep { bytes: Some(20_000), age: None, copies: None };
    let bus = house.bus().await;
    for name in ["a", "b", "c", "d", "e"] {
        let open = Open::of(id("desk")).asking(&"x".repeat(7_000));
        house.engine.open_session(&session(name), open).await.unwrap();
        caught_up(&bus).await;
    }
    bus.close();
    let client = house.client().await;
    let before = house.stream(&client).await.cached_info().state.clone();
    assert!(before.first_sequence > 1 && before.bytes < 18_000, "{before:?}");
    let bus = house.bus().await;
    house.talk("a", 1).await;
    caught_up(&bus).await;
    let after = house.stream(&client).await.cached_info().state.clone();
    assert_eq!(after.last_sequence, house.engine.feed_position(), "nothing was published again");
}
