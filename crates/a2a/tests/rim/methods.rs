//! Each operation, over each binding, with the same outcome.

use crate::house::{Client, House, agent, message, new_id};
use a2a::{ListTasksResponse, SendMessageResponse, Task};
use handover_core::{command::Caller, ids::HandoffId};
use serde_json::{Value, json};

/// The same operation over both bindings: what came out, and the code where it went wrong.
struct Both {
    rpc: Value,
    rest: Value,
    status: u16,
}

async fn both(client: &Client, method: &str, params: Value, rest: (&str, String, Value)) -> Both {
    let rpc = client.rpc(method, params).await;
    let answer = client.rest(rest.0, &rest.1, rest.2).await;
    assert_eq!(answer.headers["content-type"], "application/a2a+json", "{method}");
    Both { rpc, rest: answer.body, status: answer.status }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_sent_seen_listed_and_taken_back_over_both_bindings() {
    let house = House::new().await;
    let client = house.local();
    let send = |id: String| json!({"message": message(&id, json!([{"text": "add 1 and 2"}])), "configuration": {"returnImmediately": true}});
    let sent = client.rpc_at("/a2a/agents/bob", "SendMessage", send(new_id())).await;
    let SendMessageResponse::Task(task) = serde_json::from_value(sent["result"].clone()).unwrap() else {
        panic!("{sent}")
    };
    let rested = client.rest("POST", "/a2a/agents/bob/message:send", send(new_id())).await;
    let SendMessageResponse::Task(other) = serde_json::from_value(rested.body).unwrap() else { panic!() };
    assert_eq!((rested.status, &task.status.state), (200, &other.status.state));
    assert_ne!(task.id, other.id);
    let id = task.id.clone();

    let got = both(&client, "GetTask", json!({"id": id}), ("GET", format!("/a2a/tasks/{id}"), Value::Null)).await;
    assert_eq!((got.status, &got.rpc["result"]), (200, &got.rest));
    let seen: Task = serde_json::from_value(got.rest).unwrap();
    assert_eq!((&seen.id, &seen.context_id), (&id, &task.context_id));
    assert_eq!(seen.history.unwrap()[0].text(), Some("add 1 and 2"));

    let listed =
        both(&client, "ListTasks", json!({"pageSize": 1}), ("GET", "/a2a/tasks?pageSize=1".into(), Value::Null)).await;
    assert_eq!((listed.status, &listed.rpc["result"]), (200, &listed.rest));
    let list: ListTasksResponse = serde_json::from_value(listed.rest).unwrap();
    assert_eq!((list.tasks.len(), list.page_size, list.total_size), (1, 1, 2));

    let cancelled = client.rpc("CancelTask", json!({"id": id})).await;
    assert_eq!(cancelled["result"]["status"]["state"], "TASK_STATE_CANCELED");
    let again = client.rest("POST", &format!("/a2a/tasks/{}:cancel", other.id), Value::Null).await;
    assert_eq!(again.body["status"]["state"], "TASK_STATE_CANCELED", "{}", again.body);
    // Whoever takes back again finds it taken back.
    let twice = client.rpc("CancelTask", json!({"id": id})).await;
    assert_eq!(twice["result"]["status"]["state"], "TASK_STATE_CANCELED");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_wrong_is_the_same_over_both_bindings() {
    let house = House::new().await;
    let client = house.local();
    let (done, context) = house.task(&client, "bob", "add").await;
    let lease = house.accept(&done).await;
    house.finish(&done, lease, json!("3")).await;
    let nobody = new_id();
    let to = |task: &str| {
        let mut message = message(&new_id(), json!([{"text": "more"}]));
        message["taskId"] = json!(task);
        json!({"message": message})
    };
    let mut elsewhere = to(&done);
    elsewhere["message"]["contextId"] = json!("another");
    let mut unknown_context = json!({"message": message(&new_id(), json!([{"text": "x"}]))});
    unknown_context["message"]["contextId"] = json!("not-mine");
    let strange =
        json!({"message": message(&new_id(), json!([{"raw": "AA==", "mediaType": "application/x-strange"}]))});
    let post = |params: &Value| ("POST", "/a2a/message:send".to_owned(), params.clone());
    let at = |suffix: &str, task: &str| format!("/a2a/tasks/{task}{suffix}");
    for (method, params, rest, code, status, reason) in [
        ("GetTask", json!({"id": nobody}), ("GET", at("", &nobody), Value::Null), -32001, 404, "TASK_NOT_FOUND"),
        ("GetTask", json!({"id": "x"}), ("GET", at("", "x"), Value::Null), -32001, 404, "TASK_NOT_FOUND"),
        (
            "CancelTask",
            json!({"id": nobody}),
            ("POST", at(":cancel", &nobody), Value::Null),
            -32001,
            404,
            "TASK_NOT_FOUND",
        ),
        (
            "CancelTask",
            json!({"id": done}),
            ("POST", at(":cancel", &done), Value::Null),
            -32002,
            400,
            "TASK_NOT_CANCELABLE",
        ),
        (
            "SubscribeToTask",
            json!({"id": done}),
            ("POST", at(":subscribe", &done), Value::Null),
            -32004,
            400,
            "UNSUPPORTED_OPERATION",
        ),
        (
            "SubscribeToTask",
            json!({"id": nobody}),
            ("GET", at(":subscribe", &nobody), Value::Null),
            -32001,
            404,
            "TASK_NOT_FOUND",
        ),
        ("SendMessage", to(&done), post(&to(&done)), -32004, 400, "UNSUPPORTED_OPERATION"),
        ("SendMessage", to(&nobody), post(&to(&nobody)), -32001, 404, "TASK_NOT_FOUND"),
        ("SendMessage", elsewhere.clone(), post(&elsewhere), -32602, 400, "INVALID_PARAMS"),
        ("SendMessage", unknown_context.clone(), post(&unknown_context), -32602, 400, "INVALID_PARAMS"),
        ("SendMessage", strange.clone(), post(&strange), -32005, 400, "CONTENT_TYPE_NOT_SUPPORTED"),
        (
            "ListTasks",
            json!({"pageSize": 101}),
            ("GET", "/a2a/tasks?pageSize=101".into(), Value::Null),
            -32602,
            400,
            "INVALID_PARAMS",
        ),
        (
            "ListTasks",
            json!({"pageToken": "x"}),
            ("GET", "/a2a/tasks?pageToken=x".into(), Value::Null),
            -32602,
            400,
            "INVALID_PARAMS",
        ),
        (
            "GetTaskPushNotificationConfig",
            json!({"taskId": done, "id": "x"}),
            ("GET", at("/pushNotificationConfigs/x", &done), Value::Null),
            -32001,
            404,
            "TASK_NOT_FOUND",
        ),
    ] {
        let both = both(&client, method, params.clone(), rest).await;
        let error = &both.rpc["error"];
        assert_eq!(
            (&error["code"], both.status),
            (&json!(code), status),
            "{method} {params}: {} {}",
            both.rpc,
            both.rest
        );
        assert_eq!(both.rest["error"]["code"], status, "{}", both.rest);
        assert_eq!(error["message"], both.rest["error"]["message"]);
        for details in [&error["data"], &both.rest["error"]["details"]] {
            assert_eq!(details[0]["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
            assert_eq!((&details[0]["reason"], &details[0]["domain"]), (&json!(reason), &json!("a2a-protocol.org")));
        }
    }
    assert!(!context.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_message_makes_one_task() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let with = |text: &str| json!({"message": message("m-1", json!([{"text": text}])), "configuration": {"returnImmediately": true}});
    let first = client.rpc_at("/a2a/agents/bob", "SendMessage", with("add")).await["result"]["task"].clone();
    let again = client.rpc_at("/a2a/agents/bob", "SendMessage", with("add")).await["result"]["task"].clone();
    assert_eq!((&first["id"], &first["contextId"]), (&again["id"], &again["contextId"]), "{again}");
    let other = client.rpc_at("/a2a/agents/bob", "SendMessage", with("something else")).await;
    assert_eq!(other["error"]["code"], -32602, "{other}");
    // The time that is left is another each time, and the message is the same all the same.
    let mut timed = with("add");
    timed["message"]["messageId"] = json!("m-2");
    timed["message"]["metadata"] = json!({"https://handover.dev/a2a/lineage/v1": {"remainingMs": 60_000}});
    let one = client.rpc_at("/a2a/agents/bob", "SendMessage", timed.clone()).await["result"]["task"]["id"].clone();
    timed["message"]["metadata"]["https://handover.dev/a2a/lineage/v1"]["remainingMs"] = json!(50_000);
    let two = client.rpc_at("/a2a/agents/bob", "SendMessage", timed).await;
    assert_eq!(one, two["result"]["task"]["id"], "{two}");
    // Somebody else's message of the same id is another one.
    let other = house.client(agent("zoe", "default"));
    let theirs = other.rpc_at("/a2a/agents/bob", "SendMessage", with("add")).await["result"]["task"]["id"].clone();
    assert_ne!(first["id"], theirs);
    assert!(theirs.is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_filtered_sorted_and_paged() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(house.task(&client, "bob", &format!("add {n}")).await);
    }
    let lease = house.accept(&ids[1].0).await;
    house.finish(&ids[1].0, lease, json!({"sum": 1})).await;
    house.accept(&ids[3].0).await;
    let seen = |list: &Value| -> Vec<String> {
        list["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap().to_owned()).collect()
    };
    let all = client.rpc("ListTasks", json!({})).await["result"].clone();
    assert_eq!(seen(&all).len(), 5);
    let times: Vec<&str> =
        all["tasks"].as_array().unwrap().iter().map(|t| t["status"]["timestamp"].as_str().unwrap()).collect();
    assert!(times.windows(2).all(|pair| pair[0] >= pair[1]), "{times:?}");
    assert_eq!((&all["nextPageToken"], &all["totalSize"], &all["pageSize"]), (&json!(""), &json!(5), &json!(50)));
    assert!(all["tasks"].as_array().unwrap().iter().all(|task| task.get("artifacts").is_none()), "{all}");

    let mut paged = Vec::new();
    let mut token = json!("");
    loop {
        let page = client.rpc("ListTasks", json!({"pageSize": 2, "pageToken": token})).await["result"].clone();
        paged.extend(seen(&page));
        token = page["nextPageToken"].clone();
        assert_eq!(page["totalSize"], 5);
        if token == "" {
            break;
        }
    }
    assert_eq!(paged, seen(&all));

    let completed = client.rpc("ListTasks", json!({"status": "TASK_STATE_COMPLETED", "includeArtifacts": true})).await;
    assert_eq!(seen(&completed["result"]), [ids[1].0.clone()]);
    assert_eq!(completed["result"]["tasks"][0]["artifacts"][0]["parts"][0]["data"], json!({"sum": 1}));
    let working = client.get("/a2a/tasks?status=TASK_STATE_WORKING").await.body;
    assert_eq!(seen(&working), [ids[3].0.clone()]);
    let of_context = client.rpc("ListTasks", json!({"contextId": ids[2].1})).await["result"].clone();
    assert_eq!(seen(&of_context), [ids[2].0.clone()]);
    assert_eq!(seen(&client.rpc("ListTasks", json!({"contextId": "none"})).await["result"]), [""; 0]);
    let later =
        client.rpc("ListTasks", json!({"statusTimestampAfter": "2100-01-01T00:00:00Z"})).await["result"].clone();
    assert_eq!(seen(&later), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn history_is_as_long_as_it_is_asked_for() {
    let house = House::new().await;
    let client = house.local();
    let (task, _) = house.task(&client, "bob", "add").await;
    house.accept(&task).await;
    for n in 0..3 {
        let mut message = message(&new_id(), json!([{"text": format!("and {n}")}]));
        message["taskId"] = json!(task);
        let said =
            client.rpc("SendMessage", json!({"message": message, "configuration": {"returnImmediately": true}})).await;
        assert_eq!(said["result"]["task"]["id"], json!(task), "{said}");
    }
    for (length, expected) in [(json!(null), 4), (json!(0), 0), (json!(2), 2), (json!(9), 4)] {
        let got = client.rpc("GetTask", json!({"id": task, "historyLength": length})).await["result"].clone();
        let history = got["history"].as_array().cloned().unwrap_or_default();
        assert_eq!(history.len(), expected, "{length}: {got}");
        assert_eq!(got.get("history").is_none(), expected == 0);
        if let Some(last) = history.last() {
            assert_eq!(last["parts"][0]["text"], "and 2");
        }
    }
    let below = client.rpc("GetTask", json!({"id": task, "historyLength": -1})).await;
    assert_eq!(below["error"]["code"], -32602);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_waits_for_its_task_unless_it_is_told_not_to() {
    let house = House::new().await;
    let client = house.local();
    let waiting = tokio::spawn({
        let client = client.clone();
        async move {
            let params = json!({"message": message("wait", json!([{"text": "add"}]))});
            client.rpc_at("/a2a/agents/bob", "SendMessage", params).await
        }
    });
    let claimed = house.engine.claim_until(&crate::house::id("bob"), None, None, None, std::future::pending()).await;
    let work = claimed.unwrap().unwrap();
    assert!(!waiting.is_finished());
    house.finish(&work.handoff.id.to_string(), work.lease, json!({"sum": 3})).await;
    let task = waiting.await.unwrap()["result"]["task"].clone();
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(task["artifacts"][0]["parts"][0], json!({"data": {"sum": 3}, "mediaType": "application/json"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_for_the_house_is_routed() {
    let house = House::new().await;
    let client = house.local();
    for (text, skill, to) in [("please do some writing", None, "cleo"), ("do it", Some("adding"), "bob")] {
        let mut message = message(&new_id(), json!([{"text": text}]));
        if let Some(skill) = skill {
            message["metadata"] = json!({"skillId": skill});
        }
        let sent =
            client.rpc("SendMessage", json!({"message": message, "configuration": {"returnImmediately": true}})).await;
        let id = sent["result"]["task"]["id"].as_str().unwrap_or_else(|| panic!("{sent}"));
        assert_eq!(house.handoff(id).await.to_agent.as_str(), to);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_context_goes_on_and_knows_what_was_done() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let (first, context) = house.task(&client, "bob", "add 1 and 2").await;
    let lease = house.accept(&first).await;
    house.finish(&first, lease, json!({"sum": 3})).await;
    let mut next = message(&new_id(), json!([{"text": "and 4 more"}]));
    next["contextId"] = json!(context);
    let params = json!({"message": next, "configuration": {"returnImmediately": true}});
    let second = client.rpc_at("/a2a/agents/bob", "SendMessage", params).await["result"]["task"].clone();
    assert_eq!(second["contextId"], json!(context));
    let handoff = house.handoff(second["id"].as_str().unwrap()).await;
    assert_eq!(handoff.request.context.completed_work[0]["result"], json!({"sum": 3}));
    assert_ne!(second["id"], json!(first));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_hands_over_is_known_and_is_given_nothing() {
    let house = House::new().await;
    for (caller, expected) in [
        (Caller::local(), "a2a-client"),
        (agent("ann", "default"), "ann"),
        (Caller::new("ops key", "default"), "ops-key"),
    ] {
        let client = house.client(caller);
        let (task, _) = house.task(&client, "bob", "add").await;
        let from = house.handoff(&task).await.request.from_agent.clone();
        assert_eq!(from.as_str(), expected);
        assert!(!house.engine.agent(&from).unwrap().profile.accepts_handoffs);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn times_and_names_are_written_as_they_must_be() {
    let house = House::new().await;
    let client = house.local();
    let (task, _) = house.task(&client, "bob", "add").await;
    let got = client.get(&format!("/a2a/tasks/{task}")).await;
    let time = got.body["status"]["timestamp"].as_str().unwrap();
    assert_eq!((time.len(), &time[19..20], &time[23..]), (24, ".", "Z"), "{time}");
    // No name has an underscore, and no state is in small letters.
    fn names(value: &Value, all: &mut Vec<String>) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                all.push(name.clone());
                names(value, all);
            }),
            Value::Array(items) => items.iter().for_each(|item| names(item, all)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    names(&got.body, &mut all);
    assert!(all.iter().all(|name| !name.contains('_')), "{all:?}");
    assert_eq!(got.body["history"][0]["role"], "ROLE_USER");
    // Headers are found however they are written, and so is the content type of requests.
    let request = axum::http::Request::get("/a2a/tasks").header("A2A-VERSION", "1.0").body(axum::body::Body::empty());
    assert_eq!(client.ask(request.unwrap()).await.status(), 200);
    let rpc = client
        .ask(crate::house::post(
            "/a2a",
            Some("1.0"),
            json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}).to_string(),
        ))
        .await;
    assert_eq!(rpc.headers()["content-type"], "application/json");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_begins_with_the_latest_update() {
    let mut policy = handover_core::policy::Policy::without_guards();
    policy.approvals = serde_json::from_value(json!([{"name": "all", "when": {"to": ["bob"]}}])).unwrap();
    let house = House::with(policy).await;
    let client = house.client(agent("ann", "default"));
    // Two updates of one moment have no order: the clock has to go on between them.
    let later = async || {
        let before = house.engine.now();
        while house.engine.now() == before {
            tokio::task::yield_now().await;
        }
    };
    let (first, _) = house.task(&client, "bob", "pay 1").await;
    later().await;
    let (second, _) = house.task(&client, "bob", "pay 2").await;
    later().await;
    let listed = async || {
        let list = client.rpc("ListTasks", json!({})).await["result"]["tasks"].clone();
        let ids = list.as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<String>>()
    };
    assert_eq!(listed().await, [second.clone(), first.clone()]);
    // What is asked for anew was updated, in the state that it had.
    let edit = serde_json::from_value(json!({"payload": {"pay": 3}})).unwrap();
    house.engine.amend(HandoffId(first.parse().unwrap()), "ann", edit).await.unwrap();
    assert_eq!(listed().await, [first, second]);
}
