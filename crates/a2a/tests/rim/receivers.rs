//! Receivers of pushes belong to whoever asked for them: for as long as they may, and with secrets that nobody else sees.

use crate::{
    house::{House, agent, id, operator, worker},
    pushes::{Receiver, config},
};
use handover_core::{
    access::{NewKey, Role},
    command::{Caller, Command, NewArtifact},
    ids::HandoffId,
    session::{ArtifactStatus, ArtifactType},
};
use serde_json::{Value, json};

const NOWHERE: &str = "http://127.0.0.1:1/none";

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_look_neither_sees_nor_changes_receivers() {
    let house = House::new().await;
    let ann = house.client(agent("ann", "default"));
    let (task, _) = house.task(&ann, "bob", "add").await;
    ann.rpc("CreateTaskPushNotificationConfig", config(&task, "one", NOWHERE)).await;
    let viewer = house.client(Caller::new("eve", "default").role(Role::Viewer));
    for (method, params) in [
        ("CreateTaskPushNotificationConfig", config(&task, "mine", NOWHERE)),
        ("CreateTaskPushNotificationConfig", config(&task, "one", NOWHERE)),
        ("GetTaskPushNotificationConfig", json!({"taskId": task, "id": "one"})),
        ("ListTaskPushNotificationConfigs", json!({"taskId": task})),
        ("DeleteTaskPushNotificationConfig", json!({"taskId": task, "id": "one"})),
    ] {
        let refused = viewer.rpc(method, params).await;
        assert_eq!(refused["error"]["data"][0]["reason"], "PERMISSION_DENIED", "{method} {refused}");
    }
    let kept = ann.rpc("ListTaskPushNotificationConfigs", json!({"taskId": task})).await["result"]["configs"].clone();
    assert_eq!(kept, json!([config(&task, "one", NOWHERE)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_shown_to_whoever_made_them_alone() {
    let house = House::new().await;
    let ann = house.client(agent("ann", "default"));
    let (task, _) = house.task(&ann, "bob", "add").await;
    ann.rpc("CreateTaskPushNotificationConfig", config(&task, "one", NOWHERE)).await;
    let boss = house.client(operator("boss"));
    let seen = boss.rpc("GetTaskPushNotificationConfig", json!({"taskId": task, "id": "one"})).await["result"].clone();
    let bare = json!({"taskId": task, "id": "one", "url": NOWHERE, "authentication": {"scheme": "Bearer"}});
    assert_eq!(seen, bare);
    let listed = boss.rpc("ListTaskPushNotificationConfigs", json!({"taskId": task})).await["result"].clone();
    assert_eq!(listed["configs"], json!([bare]));
    let old = boss.rpc_in("/a2a", None, "tasks/pushNotificationConfig/get", json!({"id": task})).await;
    assert!(!old.to_string().contains("sec") && !old.to_string().contains("tok"), "{old}");
    // Whoever runs the work may take it away.
    boss.rpc("DeleteTaskPushNotificationConfig", json!({"taskId": task, "id": "one"})).await;
    assert_eq!(house.engine.notes("a2a/push", "", 10).await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_names_none_removes_the_first() {
    let house = House::new().await;
    let ann = house.client(agent("ann", "default"));
    let (task, _) = house.task(&ann, "bob", "add").await;
    ann.rpc("CreateTaskPushNotificationConfig", config(&task, "one", NOWHERE)).await;
    let delete = "tasks/pushNotificationConfig/delete";
    assert_eq!(ann.rpc_in("/a2a", None, delete, json!({"id": task})).await["result"], Value::Null);
    assert_eq!(house.engine.notes("a2a/push", "", 10).await.unwrap(), []);
    let none = ann.rpc_in("/a2a", None, delete, json!({"id": task})).await;
    assert_eq!(none["error"]["code"], -32001, "{none}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_told_after_their_key_has_ended() {
    let house = House::new().await;
    let (key, _) = house.engine.make_key(NewKey::of("ann", Role::Operator)).await.unwrap();
    let (other, _) = house.engine.make_key(NewKey::of("boss", Role::Operator)).await.unwrap();
    let ann = house.client(agent("ann", "default"));
    let (task, _) = house.task(&ann, "bob", "add").await;
    let (mut ends, mut stays) = (Receiver::new().await, Receiver::new().await);
    let with_key = house.with_key(key.caller(), &key.id);
    with_key.rpc("CreateTaskPushNotificationConfig", config(&task, "ends", &ends.url)).await;
    let with_other = house.with_key(other.caller(), &other.id);
    with_other.rpc("CreateTaskPushNotificationConfig", config(&task, "stays", &stays.url)).await;
    let lease = house.accept(&task).await;
    assert_eq!((ends.words(1).await, stays.words(1).await), (vec!["working".to_owned()], vec!["working".to_owned()]));
    house.engine.revoke_key(&key.id).await.unwrap();
    house.finish(&task, lease, json!("3")).await;
    assert_eq!(stays.words(2).await[1], "completed");
    // Its secrets are gone with it.
    while !house.engine.notes("a2a/push", "", 10).await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(ends.heard.try_recv().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_came_without_a_key_is_told_as_long_as_the_house_is_open() {
    let house = House::new().await;
    let local = house.local();
    let (task, _) = house.task(&local, "bob", "add").await;
    let mut receiver = Receiver::new().await;
    local.rpc("CreateTaskPushNotificationConfig", config(&task, "one", &receiver.url)).await;
    let lease = house.accept(&task).await;
    assert_eq!(receiver.words(1).await, ["working"]);
    house.engine.make_key(NewKey::of("first", Role::Admin)).await.unwrap();
    house.finish(&task, lease, json!("3")).await;
    while !house.engine.notes("a2a/push", "", 10).await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(receiver.heard.try_recv().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_next_one_up_keeps_is_told() {
    let house = House::new().await;
    let mut low = worker("junior", "judging");
    low.escalates_to = Some(id("bob"));
    house.engine.register_profile(low).await.unwrap();
    let ann = house.client(agent("ann", "default"));
    let (task, context) = house.task(&ann, "junior", "judge").await;
    let lease = house.accept(&task).await;
    house.engine.escalate(HandoffId(task.parse().unwrap()), lease, "too hard").await.unwrap();
    let lease = house.accept(&task).await;
    // Whoever begins to listen by now hears of what its holder keeps, too.
    let mut receiver = Receiver::new().await;
    ann.rpc("CreateTaskPushNotificationConfig", config(&task, "one", &receiver.url)).await;
    let artifact = NewArtifact {
        kind: ArtifactType::Document,
        path: "https://example.org/law.pdf".to_owned(),
        description: "the law".to_owned(),
        status: ArtifactStatus::Draft,
    };
    let session = handover_core::ids::SessionId::new(&context).unwrap();
    house.engine.submit(&session, Command::Keep { by: id("bob"), artifact }, None).await.unwrap();
    house.finish(&task, lease, json!("guilty")).await;
    let words = receiver.words(3).await;
    assert_eq!(words[0], "artifact {\"url\":\"https://example.org/law.pdf\"}", "{words:?}");
}
