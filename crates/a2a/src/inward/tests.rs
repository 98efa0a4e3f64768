//! What a message becomes, as a table.

use super::*;

#[expect(clippy::needless_pass_by_value, reason = "tables are shorter to read")]
fn message(parts: Value) -> Message {
    serde_json::from_value(json!({"messageId": "m", "role": "ROLE_USER", "parts": parts})).unwrap()
}

fn asked(message: &Message) -> Request {
    let from = AgentId::new("ann").unwrap();
    let (now, modes) = (Timestamp(1_000), Vec::new());
    request(Asked { message, metadata: None, modes, traceparent: None, from, to: None, now }).unwrap()
}

#[test]
fn texts_say_what_to_do_and_the_rest_is_data() {
    let two = json!([{"text": "one"}, {"text": "two"}]);
    let file = json!({"url": "https://example.org/a.pdf", "filename": "a.pdf"});
    for (parts, description, payload, artifacts) in [
        (json!([{"text": "add"}]), "add", Value::Null, 0),
        (two, "one\n\ntwo", Value::Null, 0),
        (json!([{"text": "add"}, {"data": {"a": 1}}]), "add", json!({"a": 1}), 0),
        (json!([{"data": [1, 2]}]), "Work on the data of this message.", json!([1, 2]), 0),
        (json!([{"text": "read"}, file]), "read", json!({"parts": [file]}), 1),
    ] {
        let message = message(parts.clone());
        check(&message).unwrap();
        let request = asked(&message);
        assert_eq!(request.task.description, description, "{parts}");
        assert_eq!(request.task.payload, payload, "{parts}");
        assert_eq!(request.context.artifacts.len(), artifacts, "{parts}");
    }
}

#[test]
fn a_long_text_goes_as_data() {
    let long = "word ".repeat(TEXT_BYTES_MAX);
    let request = asked(&message(json!([{"text": long}])));
    assert!(request.task.description.len() < 1_000, "{}", request.task.description);
    assert_eq!(request.task.payload["parts"][0]["text"], long.as_str());
    assert_eq!(parts_of(&request), [json!({"text": long})]);
}

#[test]
fn what_comes_back_is_what_was_sent() {
    for parts in [
        json!([{"text": "add"}]),
        json!([{"text": "add"}, {"data": {"a": 1}, "mediaType": "application/json"}]),
        json!([{"text": "see"}, {"raw": "aGk=", "mediaType": "image/png"}, {"data": 7}]),
    ] {
        assert_eq!(Value::Array(parts_of(&asked(&message(parts.clone())))), parts);
    }
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let many = vec![json!({"text": "x"}); A2A_PARTS_MAX + 1];
    let raw = json!([{"raw": "AA==", "mediaType": "application/x-strange"}]);
    for (parts, kind, place) in [
        (json!([]), Kind::InvalidParams, "message.parts"),
        (Value::Array(many), Kind::InvalidParams, "A2A_PARTS_MAX"),
        (raw, Kind::ContentType, "message.parts[0].mediaType"),
        (json!([{"text": "x", "mediaType": "image/png"}]), Kind::ContentType, "message.parts[0].mediaType"),
    ] {
        let wrong = check(&message(parts)).unwrap_err();
        assert_eq!(wrong.kind(), kind);
        assert!(wrong.rpc().to_string().contains(place), "{wrong:?}");
    }
    let agent = Message { role: a2a::Role::Agent, ..message(json!([{"text": "x"}])) };
    assert!(check(&agent).unwrap_err().rpc().to_string().contains("message.role"));
    let data = "x".repeat(PAYLOAD_BYTES_MAX);
    let too_much = message(json!([{"data": data}]));
    assert!(task(&too_much).unwrap_err().rpc().to_string().contains("PAYLOAD_BYTES_MAX"));
}

#[test]
fn a_word_decides() {
    for (parts, expected) in [
        (json!([{"data": {"approve": true, "comment": "fine"}}]), Some((true, "fine"))),
        (json!([{"data": {"approve": false}}]), Some((false, ""))),
        (json!([{"text": "Yes, go on"}]), Some((true, "go on"))),
        (json!([{"text": "no: too risky"}]), Some((false, "too risky"))),
        (json!([{"text": "perhaps"}]), None),
        (json!([{"data": {"approve": "yes"}}]), None),
    ] {
        let decided = verdict(&message(parts.clone())).unwrap();
        let expected = expected.map(|(yes, why)| Verdict { yes, comment: why.to_owned(), digest: None });
        assert_eq!(decided, expected, "{parts}");
    }
}

#[test]
fn lineage_becomes_deadline_and_trace() {
    let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let lineage = Lineage { remaining_ms: Some(5_000), traceparent: Some(traceparent.into()), ..Lineage::default() };
    let mut metadata = Map::new();
    lineage.write(&mut metadata);
    let message = Message { metadata: Some(metadata.into_iter().collect()), ..message(json!([{"text": "x"}])) };
    let request = asked(&message);
    assert_eq!(request.context.constraints.deadline, Some(Timestamp(6_000)));
    assert_eq!(request.return_protocol.timeout_ms, Some(5_000));
    assert_eq!(request.context.traceparent.as_deref(), Some(traceparent));
}
