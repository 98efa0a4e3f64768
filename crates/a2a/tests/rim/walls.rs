//! Nobody sees another's tasks, nor that they exist.

use crate::house::{Client, House, agent, message, new_id, operator};
use handover_core::{access::Role, command::Caller};
use serde_json::{Value, json};

/// Everything that can be asked about a task.
fn asks(task: &str) -> Vec<(&'static str, Value)> {
    let mut to = message(&new_id(), json!([{"text": "mine?"}]));
    to["taskId"] = json!(task);
    let mut about = message(&new_id(), json!([{"text": "as before"}]));
    about["referenceTaskIds"] = json!([task]);
    vec![
        ("GetTask", json!({"id": task})),
        ("CancelTask", json!({"id": task})),
        ("SubscribeToTask", json!({"id": task})),
        ("SendMessage", json!({"message": to})),
        ("SendStreamingMessage", json!({"message": to})),
        ("SendMessage", json!({"message": about})),
        ("CreateTaskPushNotificationConfig", json!({"taskId": task, "url": "https://example.org/x"})),
        ("GetTaskPushNotificationConfig", json!({"taskId": task, "id": "x"})),
        ("ListTaskPushNotificationConfigs", json!({"taskId": task})),
        ("DeleteTaskPushNotificationConfig", json!({"taskId": task, "id": "x"})),
    ]
}

async fn sees(client: &Client, task: &str) -> bool {
    client.rpc("GetTask", json!({"id": task})).await["result"]["id"] == json!(task)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_yours_does_not_exist() {
    let house = House::new().await;
    let ann = house.client(agent("ann", "default"));
    let (task, context) = house.task(&ann, "bob", "secret").await;
    let nothing = new_id();
    for other in [agent("zoe", "default"), agent("ann", "acme"), Caller::new("boss", "acme"), agent("bob", "default")] {
        let client = house.client(other.clone());
        for ((method, theirs), (_, none)) in asks(&task).into_iter().zip(asks(&nothing)) {
            let (theirs, none) = (client.rpc(method, theirs).await, client.rpc(method, none).await);
            assert_eq!(theirs["error"]["code"], -32001, "{} {method}: {theirs}", other.name);
            // To the letter the same as for a task that never was.
            let plain = |answer: &Value, id: &str| answer.to_string().replace(id, "ID");
            assert_eq!(plain(&theirs, &task), plain(&none, &nothing), "{method}");
        }
        let list = client.rpc("ListTasks", json!({})).await["result"].clone();
        assert_eq!((&list["totalSize"], &list["tasks"]), (&json!(0), &json!([])), "{}", other.name);
        let of_context = client.rpc("ListTasks", json!({"contextId": context})).await["result"].clone();
        assert_eq!(of_context["totalSize"], 0);
        let mut into = message(&new_id(), json!([{"text": "let me in"}]));
        into["contextId"] = json!(context);
        if other.name != "bob" {
            let refused = client.rpc("SendMessage", json!({"message": into})).await;
            assert_eq!(refused["error"]["code"], -32602, "{refused}");
        }
    }
    assert!(sees(&ann, &task).await);
    for role in [Role::Viewer, Role::Operator, Role::Admin] {
        assert!(sees(&house.client(Caller::new("watch", "default").role(role)), &task).await, "{role}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_engine_nothing_but_the_cards_is_answered() {
    let house = House::new().await;
    let stranger = house.stranger();
    for (method, params) in
        asks(&new_id()).into_iter().chain([("ListTasks", json!({})), ("GetExtendedAgentCard", json!({}))])
    {
        let answer = stranger.rpc(method, params).await;
        assert_eq!(answer["error"]["data"][0]["reason"], "UNAUTHENTICATED", "{method} {answer}");
    }
    let rest = stranger.get("/a2a/tasks").await;
    assert_eq!((rest.status, &rest.headers["www-authenticate"]), (401, &"Bearer".parse().unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_look_changes_nothing() {
    let house = House::new().await;
    let ann = house.client(agent("ann", "default"));
    let (task, _) = house.task(&ann, "bob", "add").await;
    let viewer = house.client(Caller::new("eve", "default").role(Role::Viewer));
    let send = json!({"message": message(&new_id(), json!([{"text": "x"}]))});
    for (method, params) in [("SendMessage", send), ("CancelTask", json!({"id": task}))] {
        let refused = viewer.rpc(method, params).await;
        assert_eq!(refused["error"]["data"][0]["reason"], "PERMISSION_DENIED", "{method} {refused}");
    }
    // An operator may not make itself an agent; an administrator does that once.
    let boss = house.client(operator("boss"));
    let refused = boss.rpc("SendMessage", json!({"message": message(&new_id(), json!([{"text": "x"}]))})).await;
    assert!(refused["error"]["data"].to_string().contains("register"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_is_named_by_its_own_and_by_the_house() {
    let house = House::new().await;
    let acme = house.client(agent("ann", "acme"));
    let params =
        json!({"message": message(&new_id(), json!([{"text": "add"}])), "configuration": {"returnImmediately": true}});
    let sent = acme.rpc_at("/a2a/agents/bob/acme", "SendMessage", params).await;
    let task = sent["result"]["task"]["id"].as_str().unwrap_or_else(|| panic!("{sent}")).to_owned();
    for path in ["/a2a/acme/tasks", "/a2a/agents/bob/acme/tasks", "/a2a/tasks"] {
        assert_eq!(acme.get(path).await.body["totalSize"], 1, "{path}");
    }
    assert_eq!(acme.get("/a2a/other/tasks").await.status, 403);
    assert_eq!(
        acme.rpc("GetTask", json!({"id": task, "tenant": "other"})).await["error"]["data"][0]["reason"],
        "PERMISSION_DENIED"
    );
    let local = house.local();
    assert!(!sees(&local, &task).await);
    assert_eq!(local.get(&format!("/a2a/acme/tasks/{task}")).await.body["id"], json!(task));
    let named = local.rpc("GetTask", json!({"id": task, "tenant": "acme"})).await;
    assert_eq!(named["result"]["id"], json!(task), "{named}");
    // At another agent there is no such task.
    assert_eq!(local.get(&format!("/a2a/agents/cleo/acme/tasks/{task}")).await.status, 404);
}
