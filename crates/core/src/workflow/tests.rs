//! Workflows as data: what is right, what is wrong, what is noted.

use super::*;
use serde_json::{Value, json};

/// A team of a writer and a reviewer, to which each test adds its own.
fn letters() -> Value {
    json!({
        "name": "letters", "agents": {"writer": {}, "reviewer": {}, "helper": {}}, "start": "WRITING",
        "states": {
            "WRITING": {"agent": "writer"}, "REVIEWING": {"agent": "reviewer"}, "DONE": {"end": "completed"}
        },
        "rules": [
            {"id": "review", "from": "writer", "to": "reviewer", "trigger_state": "WRITING_COMPLETE", "reason": "r",
             "next_state": "REVIEWING"},
            {"id": "again", "from": "reviewer", "to": "writer", "trigger_state": ["BAD", "UGLY"], "reason": "r",
             "next_state": "WRITING"},
            {"id": "done", "from": "reviewer", "reason": "r", "next_state": "DONE"}
        ]
    })
}

/// The team with a rule more, at this place.
fn with_rule(at: usize, rule: Value) -> Value {
    let mut flow = letters();
    flow["rules"].as_array_mut().unwrap().insert(at, rule);
    flow
}

/// Everything that is said of it: mistakes, else notes.
fn said(flow: &Value) -> Vec<String> {
    let flow: Workflow = serde_json::from_value(flow.clone()).unwrap();
    match flow.check() {
        Ok(notes) => notes.into_iter().map(|note| format!("{}: {}", note.field, note.message)).collect(),
        Err(error) => error.refusals.into_iter().map(|one| format!("{}: {}", one.field, one.message)).collect(),
    }
}

#[test]
fn a_good_one_is_good() {
    assert_eq!(said(&letters()), [""; 0]);
}

#[test]
fn a_rule_is_shadowed_when_all_of_its_signals_are_taken() {
    let rule = |id: &str, signals: Value, condition: Value| {
        json!({"id": id, "from": "reviewer", "trigger_state": signals, "condition": condition, "reason": "r",
               "next_state": "DONE"})
    };
    let never =
        |first: &str, why: &str| vec![format!("rules[2]: rule new can never fire: rule {first} comes first and {why}")];
    let table = [
        (rule("new", json!(["BAD"]), json!("outcome.ok")), never("again", "fits whatever comes")),
        (rule("new", json!(["UGLY", "BAD"]), json!(null)), never("again", "fits whatever comes")),
        (rule("new", json!(["BAD", "NEW"]), json!("outcome.ok")), vec![]),
        (rule("new", json!([]), json!("outcome.ok")), vec![]),
    ];
    for (new, expected) in table {
        let new = without_nulls(new);
        assert_eq!(said(&with_rule(2, new.clone())), expected, "{new}");
    }
}

#[test]
fn signals_that_several_rules_take_together_are_taken() {
    let mut flow = letters();
    let rule = |id: &str, signals: Value| json!({"id": id, "from": "reviewer", "trigger_state": signals, "reason": "r", "next_state": "DONE"});
    let rules = flow["rules"].as_array_mut().unwrap();
    rules.insert(2, rule("fine", json!("FINE")));
    rules.insert(3, rule("both", json!(["FINE", "UGLY"])));
    assert_eq!(said(&flow), ["rules[3]: rule both can never fire: rule fine comes first and fits whatever comes"]);
    // One that is used up some day lets the next one through.
    flow["rules"][2]["retry"] = json!({"max": 1});
    assert_eq!(said(&flow), [""; 0]);
}

fn without_nulls(mut value: Value) -> Value {
    if let Some(map) = value.as_object_mut() {
        map.retain(|_, value| !value.is_null());
    }
    value
}

#[test]
fn conditions_that_exclude_each_other_are_not_noted() {
    let table = [
        ("outcome.data.n > 5", "outcome.data.n <= 5", true),
        ("outcome.data.n > 5", "outcome.data.n < 5", true),
        ("outcome.data.n >= 5", "outcome.data.n <= 5", false),
        ("outcome.data.n > 5", "outcome.data.n < 6", false),
        ("outcome.data.n == 7", "outcome.data.n < 7", true),
        ("outcome.data.n == 7", "outcome.data.n <= 7", false),
        ("outcome.data.n == 7", "outcome.data.n >= 8", true),
        ("outcome.data.k == 'a'", "outcome.data.k == 'b'", true),
        ("outcome.data.k == 'a'", "outcome.data.k != 'a'", true),
        ("outcome.data.k == 'a' + task.type", "outcome.data.k == 'b' + task.type", false),
        ("outcome.ok", "!outcome.ok", true),
        ("outcome.ok && outcome.late", "!(outcome.ok)", true),
        ("outcome.ok || outcome.late", "!outcome.ok", false),
        ("outcome.data.k == ' && '", "outcome.data.k == '&&'", true),
        ("outcome.ok", "outcome.late", false),
    ];
    for (one, other, apart) in table {
        let rule = |id: &str, condition: &str, to: &str| json!({"id": id, "from": "reviewer", "to": to, "condition": condition, "reason": "r"});
        let mut flow = with_rule(1, rule("x", one, "helper"));
        let mut second = rule("y", other, "writer");
        second["next_state"] = json!("WRITING");
        flow["rules"].as_array_mut().unwrap().insert(2, second);
        let back = json!({"id": "z", "from": "helper", "to": "reviewer", "reason": "r"});
        flow["rules"].as_array_mut().unwrap().push(back);
        let expected =
            if apart { vec![] } else { vec!["rules[2]: rules x and y may both fit; the first counts".to_owned()] };
        assert_eq!(said(&flow), expected, "{one} / {other}");
    }
}

#[test]
fn a_way_for_errors_hides_no_dead_end() {
    let mut flow = letters();
    flow["rules"].as_array_mut().unwrap().truncate(1);
    flow["on_error"] = json!({"to": "helper", "next_state": "DONE"});
    assert_eq!(said(&flow), ["states.REVIEWING: from REVIEWING the work never comes to an end"]);
}

#[test]
fn parts_are_checked_without_the_others() {
    let mut flow = letters();
    flow["rules"].as_array_mut().unwrap().clear();
    let flow: Workflow = serde_json::from_value(flow).unwrap();
    assert_eq!(flow.check_parts(), []);
    assert!(flow.check().is_err());
}

#[test]
fn events_and_factors_are_checked() {
    let mut flow = letters();
    flow["events"] = json!([{"on": ""}, {"on": "mail", "condition": "evnt.data.x"}]);
    flow["rules"][1]["retry"] = json!({"max": 1001, "factor": 101, "backoff": "401d"});
    let expected = [
        "events[0].on: it is empty",
        "rules[1].retry.max: 1001 is not between 1 and 1000",
        "rules[1].retry.factor: 101 is not between 1 and 100",
        "rules[1].retry.backoff: 401d is not between 1ms and 400d (WAIT_MS_MAX)",
        "events[1].condition: there is no name `evnt` (line 1, column 1)",
    ];
    assert_eq!(said(&flow), expected);
}

#[test]
fn times_are_kept_with_their_unit() {
    let mut flow = letters();
    flow["states"]["WRITING"]["timeout"] = json!("90s");
    flow["rules"][1]["retry"] = json!({"max": 2, "backoff": "1500ms"});
    let read: Workflow = serde_json::from_value(flow).unwrap();
    assert_eq!(read.states["WRITING"].timeout_ms, Some(90_000));
    let kept = serde_json::to_value(&read).unwrap();
    assert_eq!(kept["states"]["WRITING"]["timeout"], "90s");
    assert_eq!(kept["rules"][1]["retry"], json!({"max": 2, "backoff": "1500ms", "factor": 2}));
    let bare = json!({"agent": "writer", "timeout": 5});
    assert!(serde_json::from_value::<State>(bare).unwrap_err().to_string().contains("a length of time such as `30s`"));
}
