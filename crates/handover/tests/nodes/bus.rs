//! A server on the bus: what happens is published, and it says how the bus is.

use crate::place::Place;
use handover_stand::told_nats;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_terminal_does_is_published_by_a_server() {
    let (place, nats) = (Place::new(), told_nats().unwrap());
    let stream = format!("TEST_{}", uuid::Uuid::new_v4().simple());
    let settings = format!("bus: {{stream: {stream}, prefix: {stream}}}\n");
    std::fs::write(place.path().join("handover.yaml"), settings).unwrap();
    let server = place.serve("left", &["--bus", &nats]);
    place.json(&["agents", "register", "--name", "desk", "--kind", "worker"]);
    place.json(&["sessions", "open", "s1", "--by", "desk"]);
    let streams = async_nats::jetstream::new(async_nats::connect(&nats).await.unwrap());
    let published = async {
        loop {
            if let Ok(found) = streams.get_stream(&stream).await
                && found.get_last_raw_message_by_subject(&format!("{stream}.feed.default.s1.*")).await.is_ok()
            {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), published).await.unwrap();
    let health = place.json(&["health", &server.url]);
    assert_eq!(health["bus"]["connected"], true, "{health}");
}
