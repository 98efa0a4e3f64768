//! Questions as providers want them.

use expect_test::expect_file;
use handover_agents::model::{Arguments, Ask, Call, CallResult, Line, ToolSpec, anthropic, openai};
use serde_json::{Value, json};
use std::fmt::Write;

fn call(id: &str, name: &str, arguments: Value) -> Call {
    Call { id: id.into(), name: name.into(), arguments: Arguments::Read(arguments) }
}

fn result(id: &str, content: &str, failed: bool) -> CallResult {
    CallResult { id: id.into(), name: "find_jet".into(), content: content.into(), failed }
}

/// A conversation with all that a conversation can have.
fn whole() -> Ask {
    let broken = Arguments::Broken { text: "{oops".into(), why: "no JSON".into() };
    Ask {
        model: "m".into(),
        system: "You find jets.".into(),
        lines: vec![
            Line::User("A jet to Oslo.".into()),
            Line::User("On Friday.".into()),
            Line::Model {
                text: "I look. ".into(),
                calls: vec![
                    call("call:1", "find_jet", json!({"to": "OSL"})),
                    Call { id: "call_2".into(), name: "weather".into(), arguments: broken },
                ],
            },
            Line::Results(vec![result("call:1", "three jets", false), result("call_2", "what?", true)]),
            Line::User("The blue one.".into()),
            Line::Model { text: String::new(), calls: vec![call("call_3", "now", json!({}))] },
            Line::Results(vec![result("call_3", "", false)]),
            Line::Model { text: "Done.".into(), calls: vec![] },
            Line::User(" ".into()),
        ],
        tools: vec![ToolSpec {
            name: "find_jet".into(),
            description: "Finds jets.".into(),
            parameters: json!({"type": "object", "properties": {"to": {"type": "string"}}}),
        }],
        max_output_tokens: Some(1_000),
        temperature: Some(0.5),
        traceparent: None,
    }
}

fn short() -> Ask {
    Ask { model: "m".into(), lines: vec![Line::User("Hi".into())], ..Ask::default() }
}

#[test]
fn a_question_is_put_as_openai_wants_it() {
    let mut all = String::new();
    let official = openai::Manner { stream: true, official: true, parallel: Some(true) };
    for (name, ask, manner) in [
        ("all of it, at OpenAI", whole(), official),
        ("little, elsewhere", short(), openai::Manner::default()),
        (
            "bounded, elsewhere",
            Ask { max_output_tokens: Some(5), ..short() },
            openai::Manner { stream: true, ..Default::default() },
        ),
    ] {
        write!(all, "== {name}\n{:#}\n\n", openai::body(&ask, manner)).unwrap();
    }
    expect_file!["fixtures/asked_openai.expected"].assert_eq(&all);
}

#[test]
fn a_question_is_put_as_anthropic_wants_it() {
    let mut all = String::new();
    let alone = anthropic::Manner { stream: true, parallel: Some(false) };
    for (name, ask, manner) in [("all of it", whole(), alone), ("little", short(), anthropic::Manner::default())] {
        write!(all, "== {name}\n{:#}\n\n", anthropic::body(&ask, manner)).unwrap();
    }
    expect_file!["fixtures/asked_anthropic.expected"].assert_eq(&all);
}

/// An id that is made up is not one of those that the conversation has.
#[test]
fn ids_that_are_made_up_are_new() {
    let taken = call("call_2_0", "a", json!({}));
    let mut ask = short();
    ask.lines.push(Line::Model { text: String::new(), calls: vec![taken] });
    let body = json!({"choices": [{"message": {"tool_calls": [
        {"function": {"name": "a", "arguments": "{}"}},
        {"function": {"name": "a", "arguments": "{}"}},
    ]}}]});
    let reply = openai::read(&ask, body.to_string().as_bytes()).unwrap();
    let ids: Vec<&str> = reply.calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_2_0_1", "call_2_1"]);
}
