//! Answers that come at once: their whole form, and what they say was used.

use super::{BOTH, Scene, talk};
use expect_test::expect;
use handover_agents::scripted::Api;
use handover_core::context::tokens;
use serde_json::json;

const SCRIPT: &str = "
- when: {user: cut short}
  say: And so
  stop: length
- when: {user: forbidden}
  say: No.
  stop: refused
- when: {user: counted}
  say: Three little words.
  call: [{look: {at: this}}]
- when: {user: go}
  say: Let me see.
  call:
    - run_tests: {suite: unit, times: 2}
    - run_tests: {suite: all}
  usage: {input: 120, cached: 100, output: 18}
";

#[tokio::test]
async fn the_whole_form_of_an_answer() {
    let scene = Scene::new(SCRIPT).await;
    let form = |answer| serde_json::to_string_pretty(&answer).unwrap();
    let (status, answer) = scene.ask(Api::OpenAi, &talk(Api::OpenAi, "user: go")).await;
    assert_eq!(status, 200);
    expect![[r#"
        {
          "choices": [
            {
              "finish_reason": "tool_calls",
              "index": 0,
              "logprobs": null,
              "message": {
                "annotations": [],
                "content": "Let me see.",
                "refusal": null,
                "role": "assistant",
                "tool_calls": [
                  {
                    "function": {
                      "arguments": "{\"suite\":\"unit\",\"times\":2}",
                      "name": "run_tests"
                    },
                    "id": "call_2c3f7b_1",
                    "type": "function"
                  },
                  {
                    "function": {
                      "arguments": "{\"suite\":\"all\"}",
                      "name": "run_tests"
                    },
                    "id": "call_2c3f7b_2",
                    "type": "function"
                  }
                ]
              }
            }
          ],
          "created": 1700000000,
          "id": "chatcmpl-3ebc4264bfe9",
          "model": "m",
          "object": "chat.completion",
          "service_tier": "default",
          "system_fingerprint": null,
          "usage": {
            "completion_tokens": 18,
            "completion_tokens_details": {
              "audio_tokens": 0,
              "reasoning_tokens": 0
            },
            "prompt_tokens": 120,
            "prompt_tokens_details": {
              "audio_tokens": 0,
              "cached_tokens": 100
            },
            "total_tokens": 138
          }
        }"#]]
    .assert_eq(&form(answer));
    let (status, answer) = scene.ask(Api::Anthropic, &talk(Api::Anthropic, "user: go")).await;
    assert_eq!(status, 200);
    expect![[r#"
        {
          "content": [
            {
              "text": "Let me see.",
              "type": "text"
            },
            {
              "id": "toolu_2c3f7b_1",
              "input": {
                "suite": "unit",
                "times": 2
              },
              "name": "run_tests",
              "type": "tool_use"
            },
            {
              "id": "toolu_2c3f7b_2",
              "input": {
                "suite": "all"
              },
              "name": "run_tests",
              "type": "tool_use"
            }
          ],
          "id": "msg_3ebc4264bfe9",
          "model": "m",
          "role": "assistant",
          "stop_reason": "tool_use",
          "stop_sequence": null,
          "type": "message",
          "usage": {
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 100,
            "input_tokens": 20,
            "output_tokens": 18,
            "service_tier": "standard"
          }
        }"#]]
    .assert_eq(&form(answer));
}

#[tokio::test]
async fn why_an_answer_ends() {
    let scene = Scene::new(SCRIPT).await;
    for (user, openai, anthropic) in [
        ("user: cut short", "length", "max_tokens"),
        ("user: forbidden", "content_filter", "refusal"),
        ("user: counted", "tool_calls", "tool_use"),
    ] {
        let (_, answer) = scene.ask(Api::OpenAi, &talk(Api::OpenAi, user)).await;
        assert_eq!(answer["choices"][0]["finish_reason"], openai);
        let (_, answer) = scene.ask(Api::Anthropic, &talk(Api::Anthropic, user)).await;
        assert_eq!(answer["stop_reason"], anthropic);
    }
}

#[tokio::test]
async fn what_the_script_does_not_say_is_counted() {
    let scene = Scene::new(SCRIPT).await;
    let asked = "system: Be brief, please.\nuser: counted";
    let input = tokens::count("Be brief, please.") + tokens::count("counted");
    let output = tokens::count("Three little words.") + tokens::count("look") + tokens::count(r#"{"at":"this"}"#);
    for api in BOTH {
        let usage = scene.ask(api, &talk(api, asked)).await.1["usage"].clone();
        let names =
            if api == Api::OpenAi { ["prompt_tokens", "completion_tokens"] } else { ["input_tokens", "output_tokens"] };
        assert_eq!((&usage[names[0]], &usage[names[1]]), (&json!(input), &json!(output)), "{usage}");
    }
}
