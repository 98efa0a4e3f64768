//! `keep` in one process puts agents to work; whoever hands over from another gets the result.

use crate::place::Place;
use serde_json::{Value, json};

const COUNT: &str = "import json, sys\nwork = json.load(sys.stdin)\n\
    print(json.dumps({'data': {'words': len(work['payload']['text'].split())}}))\n";

fn with_desk() -> Place {
    let place = Place::new();
    place.json("agents register --name desk");
    place.json("sessions open s --by desk");
    place
}

fn count(place: &Place, to: &str, text: &str) -> Value {
    let payload = json!({"text": text}).to_string();
    place.json(&format!("hand-off --session s --to {to} --task Count --payload '{payload}' --wait"))["returns"][0]
        .take()
}

#[test]
fn a_program_that_is_registered_works_in_its_folder() {
    let place = with_desk();
    std::fs::create_dir(place.path().join("tools")).unwrap();
    place.write("tools/count.py", COUNT);
    place.json("agents register --name counter --kind command --folder tools -- python3 count.py");
    let _keep = place.keep();
    let result = count(&place, "counter", "one two three");
    assert_eq!(result["result"]["body"], json!({"words": 3}), "{result:#}");
}

#[test]
fn who_is_registered_later_is_put_to_work_too() {
    let place = with_desk();
    place.write("count.py", COUNT);
    let _keep = place.keep();
    place.json("agents register --name counter --kind command -- python3 count.py");
    assert_eq!(count(&place, "counter", "one two")["result"]["body"], json!({"words": 2}));
    // What it is from now on counts from now on.
    place.write("other.py", "print('{\"text\": \"I do not count.\"}')");
    place.json("agents register --name counter --kind command -- python3 other.py");
    assert_eq!(count(&place, "counter", "one two three")["result"]["body"], json!("I do not count."));
}

#[test]
fn a_model_from_a_file_works_with_its_tools() {
    let place = Place::new();
    place.write(
        "count.py",
        COUNT.replace("work['payload']['text']", "work['text']").replace("{'data': ", "").replace("}})", "})").as_str(),
    );
    place.write(
        "handover.yaml",
        "agents:
  - {id: desk, kind: worker}
  - {id: writer, kind: llm, model: small, provider: local, tools: [count_words]}
providers:
  local: {api: openai, script: script.yaml}
tools:
  count_words:
    description: Counts the words of a text.
    parameters: {type: object, properties: {text: {type: string}}, required: [text]}
    command: [python3, count.py]
",
    );
    place.write(
        "script.yaml",
        "- when: {after_tool: count_words}
  say: It has 2 words.
- say: I count.
  call: [{count_words: {text: one two}}]
",
    );
    place.json("sessions open s --by desk");
    let _keep = place.keep();
    let result = count(&place, "writer", "one two");
    assert_eq!(result["result"]["body"], json!("It has 2 words."), "{result:#}");
}
