//! What programs read: one document for each command, one line for each event.

use crate::Place;
use expect_test::expect;
use serde_json::{Value, json};

/// The shape of a document: the names of its fields, and of those below for so many levels.
fn shape(value: &Value, levels: usize) -> Value {
    match value {
        Value::Object(fields) if levels > 0 => fields
            .iter()
            .map(|(name, value)| (name.clone(), shape(value, levels - 1)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(items) => json!(items.iter().take(1).map(|item| shape(item, levels)).collect::<Vec<_>>()),
        Value::Object(_) => json!("object"),
        Value::String(_) => json!("text"),
        Value::Number(_) => json!("number"),
        Value::Bool(_) => json!("bool"),
        Value::Null => json!(null),
    }
}

#[test]
fn every_document_has_its_shape() {
    let place = Place::with_team();
    place.good("hand-off --session trip --to anna --task Read --needs-approval");
    place.good("hand-off --session trip --to bob --task Look");
    let lines = [
        ("agents", 1),
        ("agents show anna", 1),
        ("agents drain bob", 1),
        ("agents register --name new", 1),
        ("sessions", 1),
        ("handoffs", 1),
        ("history trip", 0),
        ("inbox bob", 0),
        ("approvals", 1),
        ("recommend Look", 1),
        ("stats", 1),
        ("verify", 1),
        ("audit prune --dry-run", 1),
        ("audit export out", 1),
        ("explain HO0504", 1),
        ("hand-off --session trip --to anna --task More", 1),
    ];
    let mut text = String::new();
    for (line, levels) in lines {
        text += &format!("{line}: {}\n", shape(&place.json(line), levels));
    }
    expect![[r#"
        agents: [{"breaker":"object","load":"number","profile":"object","standing":"text","waiting":"number"}]
        agents show anna: {"breaker":"object","load":"number","profile":"object","standing":"text","waiting":"number"}
        agents drain bob: {"agent":"text","standing":"text"}
        agents register --name new: {"registered":["text"],"unchanged":[],"updated":[]}
        sessions: [{"active_agent":"text","artifacts":[],"decisions":[],"ended":null,"handoffs":"number","head":"object","id":"text","last_at":"text","locks":"object","mark":"object","metrics":"object","open":["object"],"opened_at":"text","original_request":"text","parties":["text"],"segment_complete":"bool","tenant":"text","variables":"object","variables_digest":"text","version":"number","watch":"object"}]
        handoffs: [{"attempt":"number","authority":"text","content":"text","deferrals":"number","id":"text","losses":"number","mark":"object","metrics":"object","n":"number","opened_at":"text","path":["text"],"phase":"object","request":"object","reroutes":"number","returns_for":"text","session_id":"text","status":"text","to_agent":"text"}]
        history trip: ["object"]
        inbox bob: ["object"]
        approvals: [{"digest":"text","handoff":"object","until":"text"}]
        recommend Look: []
        stats: {"approvals":"object","by_status":"object","cut":"bool","handoffs_by_agent":"object","looked_at":"number","pairs":["object"],"paths":[],"pending_handoffs":"number","records":"number","sessions":"number","stopped":"object","total_handoffs":"number","workflows":"object"}
        verify: {"accounts":"number","checkpoints":"number","handoffs":"number","messages":"number","records":"number","sessions":"number"}
        audit prune --dry-run: {"dry_run":"bool","sessions":"number"}
        audit export out: {"file":"text","records":"number"}
        explain HO0504: {"code":"text","meaning":"text","mend":"text","title":"text"}
        hand-off --session trip --to anna --task More: {"handoffs":["text"],"session_id":"text","version":"number"}
    "#]].assert_eq(&text);
}

#[test]
fn a_taken_piece_of_work_says_all_that_is_needed() {
    let place = Place::with_team();
    place.good("hand-off --session trip --to bob --task Look");
    let id = place.json("inbox bob")[0]["id"].as_str().unwrap().to_owned();
    let taken = place.json(&format!("take {id} --as bob --for 10m"));
    let lease = taken["lease"].as_str().unwrap();
    assert!(taken["brief"].as_str().unwrap().contains("Look"));
    place.json(&format!("give-back {id} --lease {lease} --result '{{\"found\": 2}}' --status partial --notes most"));
    let shown = place.json(&format!("handoffs show {id}"));
    assert_eq!(shown["handoff"]["status"], "completed");
    assert_eq!(shown["handoff"]["result"]["result"]["body"]["found"], 2);
    assert_eq!(shown["handoff"]["result"]["notes"], "most");
    assert_eq!(shown["story"][0]["name"], "trigger");
}

#[test]
fn events_and_records_come_line_by_line() {
    let place = Place::with_team();
    place.good("hand-off --session trip --to bob --task Look");
    let lines = |text: String| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>();
    let watched = lines(place.good("watch --since 1h --until-idle --json"));
    let words: Vec<&str> = watched.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(words, ["SESSION_OPENED", "AGENT_HANDOFF"]);
    let asked = lines(place.good("audit --json"));
    assert_eq!(asked[1]["record"]["event_type"], "initiated");
    assert_eq!(asked[1]["position"], watched[1]["position"]);
}

#[test]
fn notes_for_people_are_left_out() {
    let place = Place::with_team();
    let output = place.output("approvals --json");
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (b"[]\n".as_slice(), b"".as_slice()));
}
