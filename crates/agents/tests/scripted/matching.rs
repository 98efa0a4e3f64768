//! Which entry answers: the same conversation gets the same answer in both formats.

use super::{BOTH, Scene, talk};

const SCRIPT: &str = r#"
- when: {after_tool: run_tests, result: /\d+ passed/}
  say: "All green: {{result}}"
- when: {after_tool: run_tests}
  say: Something is red.
- when: {after_tool: create, result: handoff}
  call:
    - wait: {id: "{{result.handoff.id}}", rest: ["{{tool}}", 3, true], missing: "{{result.nowhere}}"}
- when: {agent: code reviewer}
  say: I am {{agent}}.
- when: {agent: generalist, user: please   deploy, turn: 1, has_tool: handoff_to_specialist}
  say: Let me look at the tests first.
  call:
    - handoff_to_specialist: {specialist_type: testing, task: "{{user}}"}
    - note
- when: {agent: generalist, turn: 2}
  say: The task was {{task}}, now it is {{user}}, in turn {{turn}}.
- when: {user: /roll ?back (\w+) to (\w+)/}
  say: "{{1}} becomes {{2}}"
- when: {system: be brief, model: m}
  say: Yes.
- when: {model: other}
  say: Never.
"#;

/// Conversations and what is heard.
const TALKS: [(&str, &str); 13] = [
    ("user: go\ncalls: run_tests\nresult run_tests: 12 passed", "All green: 12 passed"),
    ("user: go\ncalls: run_tests\nresult run_tests: 1 failed", "Something is red."),
    ("user: go\ncalls: look, run_tests\nresult look: 3 passed\nresult run_tests: 1 failed", "Something is red."),
    (
        "user: go\ncalls: create\nresult create: {\"handoff\": {\"id\": \"h-1\"}}",
        r#"wait({"id":"h-1","missing":"","rest":["create",3,true]})"#,
    ),
    ("system: You are the Code Reviewer. Be kind.\nuser: x", "I am Code."),
    ("system: You are the code reviewers' friend.\nuser: x\nmodel: a\nuser: roll back a to b", "a becomes b"),
    (
        "system: agent: Generalist\nuser: Please deploy it\ntools: x, handoff_to_specialist",
        "Let me look at the tests first. + \
         handoff_to_specialist({\"specialist_type\":\"testing\",\"task\":\"Please deploy it\"}) + note({})",
    ),
    ("system: You are generalist\nuser: a\nmodel: b\nuser: c", "The task was a, now it is c, in turn 2."),
    ("user: ROLLBACK one to two", "one becomes two"),
    ("system: Be\u{a0}Brief!\nuser: x", "Yes."),
    // A result that the user has spoken after is no longer what an answer follows.
    ("system: be brief\nuser: go\ncalls: run_tests\nresult run_tests: 12 passed\nmodel: ok\nuser: so?", "Yes."),
    (
        "system: You are generalist.\nuser: please deploy\ntools: other",
        "400 \"no entry of the script answers this: agent \\\"generalist\\\", model \\\"m\\\", user \\\"please deploy\\\", \
         turn 1, after tools []\"",
    ),
    (
        "user: go\ncalls: look\nresult look: 12 passed",
        "400 \"no entry of the script answers this: agent \\\"\\\", model \\\"m\\\", user \\\"go\\\", turn 2, \
         after tools [\\\"look\\\"]\"",
    ),
];

#[tokio::test]
async fn the_first_entry_whose_conditions_hold_answers() {
    let scene = Scene::new(SCRIPT).await;
    for (conversation, expected) in TALKS {
        for api in BOTH {
            assert_eq!(scene.hear(api, &talk(api, conversation)).await, expected, "{api:?}: {conversation}");
        }
    }
}

#[tokio::test]
async fn a_server_that_is_started_anew_says_the_same_with_the_same_ids() {
    let script = "- {when: {turn: 1}, call: [a, b]}\n- {when: {turn: 2}, call: [a]}\n- say: done";
    for api in BOTH {
        let mut conversation = talk(api, "user: go");
        let mut ids = Vec::new();
        for _ in 0..2 {
            let (first, again) = (Scene::new(script).await, Scene::new(script).await);
            let (_, answer) = first.ask(api, &conversation).await;
            assert_eq!(answer, again.ask(api, &conversation).await.1);
            answer_all(&answer, &mut conversation, &mut ids);
        }
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "every call has its own id: {ids:?}");
        assert_eq!(ids.len(), 3);
        assert!(ids[2].ends_with("_3"), "{ids:?}");
    }
}

/// Adds an answer to the conversation, and a result for every tool that it asks for.
fn answer_all(answer: &serde_json::Value, conversation: &mut serde_json::Value, ids: &mut Vec<String>) {
    let messages = conversation["messages"].as_array_mut().unwrap();
    let new = |ids: &mut Vec<String>, id: &serde_json::Value| {
        ids.push(id.as_str().unwrap().to_owned());
        id.clone()
    };
    if let Some(blocks) = answer["content"].as_array() {
        messages.push(serde_json::json!({"role": "assistant", "content": blocks}));
        let result = |block: &serde_json::Value| serde_json::json!({"type": "tool_result", "tool_use_id": new(ids, &block["id"]), "content": "ok"});
        let results: Vec<_> = blocks.iter().map(result).collect();
        messages.push(serde_json::json!({"role": "user", "content": results}));
        return;
    }
    let message = &answer["choices"][0]["message"];
    messages.push(message.clone());
    for call in message["tool_calls"].as_array().unwrap() {
        let id = new(ids, &call["id"]);
        messages.push(serde_json::json!({"role": "tool", "tool_call_id": id, "content": "ok"}));
    }
}
