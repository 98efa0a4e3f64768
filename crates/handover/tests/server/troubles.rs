//! What is said when the server is not there, is another one, or makes no sense for a command.

use crate::place::{Place, Served, free};
use handover::Code;
use std::{
    io::{Read, Write},
    net::TcpListener,
};

/// Answers one request with this text.
fn answering(head: &str, body: &str) -> String {
    let text = format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let Ok((mut stream, _)) = listener.accept() else { return };
        let _ = stream.read(&mut [0; 65536]);
        let _ = stream.write_all(text.as_bytes());
    });
    url
}

fn problem(code: Code) -> String {
    format!("{{\"instance\": \"\", \"errors\": [{{\"code\": \"{code}\", \"message\": \"no\"}}]}}")
}

#[test]
fn a_server_that_is_not_there_or_not_ours_is_told_with_a_hint() {
    let served = Served::new();
    let cases = [
        (format!("http://{}", free()), "cannot be reached", 2),
        ("nonsense".to_owned(), "this is no address of a server", 1),
        ("http://ann:ho_word@127.0.0.1:1".to_owned(), "holds a name or a password", 1),
        (served.url().replace("http:", "https:"), "cannot be reached", 2),
        (answering("200 OK", "hello"), "ended before it answered", 2),
        (answering("302 Found\r\nlocation: /", ""), "not of a Handover server", 2),
        (answering("404 x", &problem(Code::NoSuchAddress)), "another version", 2),
        (answering("401 x", &problem(Code::NotYours)), "HANDOVER_KEY", 1),
    ];
    for (url, expected, exit) in cases {
        let output = Place::new(Some(&url)).output("sessions");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(expected) && said.contains("hint:"), "{url}: {said}");
        assert!(!said.contains("ho_word"), "{said}");
        assert_eq!(output.status.code(), Some(exit), "{url}: {said}");
    }
}

#[test]
fn what_makes_no_sense_on_a_server_says_so() {
    let place = Place::new(Some("http://127.0.0.1:1"));
    for line in ["keep", "serve", "demo", "run x", "chat", "init x", "verify x.db"] {
        let said = place.says(line);
        assert!(said.contains("cannot be asked of a server") && said.contains("HANDOVER_SERVER"), "{line}: {said}");
        assert!(said.ends_with("= Some(1)\n"), "{line}: {said}");
    }
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_is_too_large_is_told_before_it_is_sent() {
    let place = Place::new(Some("http://127.0.0.1:1"));
    place.write("large.json", &format!("\"{}\"", "x".repeat(1_100_000)));
    let said = place.says("hand-off --session s --task t --payload @large.json");
    assert!(said.contains("REQUEST_BYTES_MAX"), "{said}");
}

#[test]
fn health_says_whether_work_is_taken() {
    let mut served = Served::new();
    let place = Place::new(None);
    let line = format!("health {}", served.url());
    assert!(place.says(&line).contains("takes work"));
    assert_eq!(place.json(&line)["status"], "ok");
    served.kill();
    assert_eq!(place.output(&line).status.code(), Some(2));
}
