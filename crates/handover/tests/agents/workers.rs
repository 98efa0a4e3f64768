//! Workers and people at the command line: they wait for work, take it, keep it, give it back, or say no.

use crate::place::{Other, Place, told};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

fn with_counter() -> Place {
    let place = Place::new();
    place.json("agents register --name desk");
    place.json("agents register --name counter --can count");
    place.json("sessions open s --by desk");
    place
}

fn hand_off(place: &Place, payload: &Value, more: &str) -> Value {
    place.json(&format!("hand-off --session s --to counter --task Count --payload '{payload}' {more}"))
}

#[test]
fn the_worker_of_the_examples_does_its_work() {
    let place = with_counter();
    let _keep = place.keep();
    let worker = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/worker/worker.py");
    for (payload, status, body) in [
        (json!({"text": "one two three"}), "success", json!({"words": 3})),
        (json!({"nothing": 1}), "failed", Value::Null),
    ] {
        let mut command = Command::new("python3");
        command.args([worker, "--once"]).current_dir(place.path()).stdin(Stdio::null());
        let mut worker = Other(command.env("HANDOVER", env!("CARGO_BIN_EXE_handover")).spawn().unwrap());
        let words =
            ["hand-off", "--session", "s", "--to", "counter", "--task", "Count", "--wait", "--json", "--payload"];
        let payload = payload.to_string();
        let output = place.command(&[&words[..], &[payload.as_str()]].concat()).output().unwrap();
        let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", told(&output)));
        let result = &result["returns"][0];
        assert_eq!((result["status"].as_str(), &result["result"]["body"]), (Some(status), &body), "{result:#}");
        assert!(worker.0.wait().unwrap().success());
    }
}

#[test]
fn what_is_next_is_taken_whole_and_given_back_as_programs_do() {
    let place = with_counter();
    let nothing = place.says("take --next --as counter");
    assert!(nothing.contains("nothing waits for counter") && nothing.contains("--wait"), "{nothing}");
    for (answer, status) in [
        (r#"{"data": {"words": 2}, "notes": "counted"}"#, "completed"),
        (r#"{"text": "Two."}"#, "completed"),
        (r#"{"failed": true, "notes": "no text"}"#, "failed"),
        (r#"{"reject": "not my language"}"#, "failed"),
    ] {
        hand_off(&place, &json!({"text": "one two", "for": answer}), "");
        let taken = place.json("take --next --as counter --for 5m");
        let work = &taken["assignment"];
        assert_eq!(work["payload"]["text"], json!("one two"));
        assert!(work["brief"].as_str().unwrap().contains("> Count"), "{work:#}");
        let (id, lease) = (work["handoff_id"].as_str().unwrap(), taken["lease"].as_str().unwrap());
        place.json(&format!("renew {id} --lease {lease}"));
        // What cannot be read is told, and the work is still taken.
        let output = place.hears(&format!("give-back {id} --lease {lease} --answer -"), "hello");
        assert!(!output.status.success() && told(&output).contains("expected one JSON object"), "{}", told(&output));
        let output = place.hears(&format!("give-back {id} --lease {lease} --answer=-"), answer);
        assert!(output.status.success(), "{answer}: {}", told(&output));
        assert!(told(&output).contains(status), "{answer}: {}", told(&output));
    }
}

#[test]
fn through_a_process_that_holds_the_database_it_is_the_same() {
    let place = with_counter();
    let _keep = place.keep();
    let waiting = place
        .command(&["take", "--next", "--wait", "--as", "counter", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    hand_off(&place, &json!({"text": "one"}), "");
    let output = waiting.wait_with_output().unwrap();
    let taken: Value = serde_json::from_slice(&output.stdout).unwrap();
    let id = taken["assignment"]["handoff_id"].as_str().unwrap();
    let output = place.hears(&format!("give-back {id} --answer -"), r#"{"data": {"words": 1}}"#);
    assert!(told(&output).contains("completed"), "{}", told(&output));
}

#[test]
fn whoever_took_it_can_still_say_no() {
    let place = with_counter();
    place.json("agents register --name other --can count=0.5");
    place.json("hand-off --session s --capability count --task Count");
    let taken = place.json("take --next --as counter");
    let id = taken["assignment"]["handoff_id"].as_str().unwrap();
    let shown =
        place.says(&format!("decline {id} --as other --reason no\n decline {id} --as counter --reason 'not mine'"));
    assert!(shown.contains("= 1") && shown.contains("desk → other  offered"), "{shown}");
}
