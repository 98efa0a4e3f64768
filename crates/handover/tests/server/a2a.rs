//! A2A at the real server: who is let in, who is not, and what is told to those who asked.

use crate::place::{Other, Place, free};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    time::Duration,
};

/// What a plain request is answered: its head in small letters, and its body.
fn ask(address: SocketAddr, head: &str, key: Option<&str>, body: &str) -> (String, Value) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let key = key.map(|key| format!("authorization: Bearer {key}\r\n")).unwrap_or_default();
    let (length, media) = (body.len(), "application/json");
    let request = format!(
        "{head} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\na2a-version: 1.0\r\n{key}content-type: {media}\r\n\
         content-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_lowercase(), serde_json::from_str(body).unwrap_or_else(|_| json!(body)))
}

struct Server {
    address: SocketAddr,
    key: String,
    _running: Other,
    _place: Place,
}

fn server() -> Server {
    let place = Place::new(None);
    place.write("handover.yaml", "a2a: {allow_private: true}\n");
    place.output("agents register --name counter --kind worker --can counting");
    let key = place.json("keys make ann --role admin")["secret"].as_str().unwrap().to_owned();
    let address = free();
    let (running, _) = Other::start(place.command(&format!("serve --json --log error --listen {address}")));
    Server { address, key, _running: running, _place: place }
}

#[test]
fn a_bad_key_is_refused_and_the_card_needs_none() {
    let Server { address, key, .. } = &server();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {}}).to_string();
    for shown in [None, Some("ho_nobody"), Some("")] {
        for head in ["POST /a2a", "POST /a2a/agents/counter", "GET /a2a/tasks", "GET /a2a/extendedAgentCard"] {
            let (answer, body) = ask(*address, head, shown, &list);
            assert!(answer.starts_with("http/1.1 401"), "{head} {shown:?}: {answer}");
            assert!(answer.contains("www-authenticate: bearer"), "{head} {shown:?}: {answer}");
            assert!(!body.to_string().contains("counter"), "{body}");
        }
    }
    let (answer, card) = ask(*address, "GET /.well-known/agent-card.json", None, "");
    assert!(answer.starts_with("http/1.1 200"), "{answer}");
    assert_eq!(card["skills"][0]["id"], "handover", "a card without a key names no agent: {card}");
    let (answer, tasks) = ask(*address, "GET /a2a/tasks", Some(key), "");
    assert!(answer.starts_with("http/1.1 200") && tasks["totalSize"] == 0, "{answer} {tasks}");
}

#[test]
fn whoever_asked_with_a_key_is_told() {
    let Server { address, key, .. } = &server();
    let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", receiver.local_addr().unwrap());
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "count"}]});
    let configuration = json!({"returnImmediately": true, "taskPushNotificationConfig": {"url": url, "token": "tok"}});
    let send = json!({"message": message, "configuration": configuration}).to_string();
    let (answer, sent) = ask(*address, "POST /a2a/agents/counter/message:send", Some(key), &send);
    assert!(answer.starts_with("http/1.1 200"), "{answer} {sent}");
    let (mut told, _) = receiver.accept().unwrap();
    told.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut text = String::new();
    while !text.contains("TASK_STATE_SUBMITTED") {
        let mut some = [0; 1_024];
        let read = told.read(&mut some).unwrap();
        assert!(read > 0, "it ended before it was told: {text}");
        text.push_str(&String::from_utf8_lossy(&some[..read]));
    }
    assert!(text.to_lowercase().contains("x-a2a-notification-token: tok"), "{text}");
}
