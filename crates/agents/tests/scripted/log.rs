//! The questions that were asked, so that a test can say that none was asked twice.

use super::{BOTH, Scene, talk};
use handover_agents::scripted::Api;
use serde_json::{Value, json};

const SCRIPT: &str = "- {when: {user: wait}, times: 1, fail: {status: 429}}\n- {when: {turn: 1}, say: Hello.}";

#[tokio::test]
async fn every_question_is_noted_with_what_came_of_it() {
    let scene = Scene::new(SCRIPT).await;
    for body in
        ["system: You are tester.\nuser: wait", "system: You are tester.\nuser: wait", "user: a\nmodel: b\nuser: c"]
    {
        scene.ask(Api::OpenAi, &talk(Api::OpenAi, body)).await;
    }
    scene.send(Api::Anthropic, "no JSON".to_owned()).await;
    let asked = scene.server.asked();
    let told: Vec<String> = asked
        .iter()
        .map(|asked| {
            format!(
                "{:?} {} {} {} {} {:?}",
                asked.api, asked.model, asked.agent, asked.lines, asked.status, asked.entry
            )
        })
        .collect();
    let expected = [
        "OpenAi m tester 1 429 Some(1)",
        "OpenAi m tester 1 200 Some(2)",
        "OpenAi m  3 400 None",
        "Anthropic   0 400 None",
    ];
    assert_eq!(told, expected);
    assert_eq!(asked[0].digest, asked[1].digest, "the same question");
    assert_ne!(asked[1].digest, asked[2].digest);

    let text = scene.client.get(scene.url("/asked")).send().await.unwrap().text().await.unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(
        lines[0],
        json!({"api": "openai", "model": "m", "agent": "tester", "digest": asked[0].digest, "lines": 1, "status": 429, "entry": 1})
    );
}

#[tokio::test]
async fn the_same_question_has_one_digest_in_both_formats_and_however_it_is_sent() {
    let scene = Scene::new("- say: x").await;
    for api in BOTH {
        let mut body = talk(api, "system: s\nuser: go\ncalls: a, b\nresult a: 1\nresult b: 2\ntools: a, b");
        scene.ask(api, &body).await;
        body["stream"] = json!(true);
        scene.send(api, body.to_string()).await;
    }
    let asked = scene.server.asked();
    assert_eq!(asked.len(), 4);
    // The formats have no way to say the same about the description of a tool and its result, but say nothing here.
    assert!(asked.iter().all(|other| other.digest == asked[0].digest), "{asked:?}");
}
