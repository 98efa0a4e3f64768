//! Bounds of those who are told, and what holds them up.

use super::*;
use serde_json::json;

fn config(tenant: &str, n: u128, done: bool) -> Config {
    let (task, id) = (HandoffId(uuid::Uuid::from_u128(n)), "one");
    let config = json!({"id": id, "task": task, "session": "s", "tenant": tenant, "url": "http://127.0.0.1:1/"});
    Config { done, ..serde_json::from_value(config).unwrap() }
}

#[tokio::test]
async fn one_tenant_takes_no_place_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let house = Engine::open(folder.path().join("test.db")).await.unwrap();
    let pushes = Pushes::open(house, true, Duration::ZERO).await.unwrap();
    let hold = |config: Config| pushes.held.lock().insert(config.key(), Held { config, courier: None });
    for n in 0..A2A_PUSHES_PER_TENANT_MAX as u128 {
        hold(config("loud", n, false));
    }
    let more = |tenant: &str| config(tenant, u128::MAX, false);
    let refused = pushes.make_room(&more("loud")).await.unwrap_err();
    assert!(format!("{refused:?}").contains("A2A_PUSHES_PER_TENANT_MAX"), "{refused:?}");
    pushes.make_room(&more("quiet")).await.unwrap();
    // Whoever has nothing more to be told makes room for its own.
    hold(config("quiet", u128::MAX - 1, true));
    assert!(pushes.make_room(&more("loud")).await.is_err());
    hold(config("loud", 0, true));
    pushes.make_room(&more("loud")).await.unwrap();
    assert_eq!(pushes.held.lock().len(), A2A_PUSHES_PER_TENANT_MAX);
}

#[tokio::test]
async fn whoever_is_held_up_is_seen_to_again() {
    let mut left = 30;
    let over = persistently(Duration::ZERO, &mut left, |left| {
        **left -= 1;
        let outcome = if **left > 0 { Err(Wrong::new(Kind::Internal, "the disk is busy")) } else { Ok(true) };
        std::future::ready(outcome).boxed()
    });
    assert!(over.await);
    assert_eq!(left, 0);
}
