//! Bad tokens, bodies, encodings, headers, sizes, depths and slow senders: a clear 4xx or a closed connection, never more.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::World;
use handover_core::{
    access::Role,
    limits::{BAD_KEYS_PER_SECOND, HEAD_BYTES_MAX, HEADERS_MAX, REQUEST_BYTES_MAX},
};
use handover_server::Options;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// What was answered first; nothing where the connection was closed without a word.
async fn sent(address: SocketAddr, bytes: &[u8]) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // Whoever is refused in the middle is not read to the end.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let text = String::from_utf8_lossy(&answer).into_owned();
    let status = text.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).and_then(|word| word.parse().ok())?;
    Some((status, text))
}

/// A server that does not wait long for what is not sent.
async fn hasty() -> World {
    let soon = Duration::from_millis(300);
    World::with(|options| Options { head: soon, body: soon, ..options }).await
}

fn post(path: &str, body: &[u8], headers: &str) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn get(path: &str, headers: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n").into_bytes()
}

/// Bodies of which none can be kept.
fn bodies() -> Vec<(&'static str, Vec<u8>)> {
    let deep = |open: &str, times: usize| open.repeat(times).into_bytes();
    let valid = br#"{"active_agent": "planner"}"#;
    vec![
        ("nothing", Vec::new()),
        ("spaces", b"   \n\t ".to_vec()),
        ("half", valid[..10].to_vec()),
        ("more after the end", [valid.as_slice(), b"x"].concat()),
        ("not UTF-8", b"{\"active_agent\": \"\xff\xfe\"}".to_vec()),
        ("a mark at the beginning", [b"\xef\xbb\xbf".as_slice(), valid].concat()),
        ("UTF-16", valid.iter().flat_map(|byte| [*byte, 0]).collect()),
        ("a NUL", b"{\"active_agent\": \"pl\0anner\"}".to_vec()),
        ("a NUL in other words", br#"{"active_agent": "pl\u0000anner"}"#.to_vec()),
        ("half a pair", br#"{"active_agent": "\ud800"}"#.to_vec()),
        ("a number beyond all", br#"{"active_agent": 1e999}"#.to_vec()),
        ("a long number", format!("{{\"active_agent\": {}}}", "9".repeat(10_000)).into_bytes()),
        ("a list", b"[]".to_vec()),
        ("null", b"null".to_vec()),
        ("a text", b"\"planner\"".to_vec()),
        ("twice the same", br#"{"active_agent": "planner", "active_agent": "planner"}"#.to_vec()),
        ("a field too many", br#"{"active_agent": "planner", "__proto__": {}}"#.to_vec()),
        ("deep lists", deep("[", 100_000)),
        ("deep objects", deep("{\"a\":", 50_000)),
        (
            "deep data",
            format!("{{\"active_agent\": \"planner\", \"metadata\": {}1{}}}", "[".repeat(60), "]".repeat(60))
                .into_bytes(),
        ),
        ("too long a name", format!("{{\"active_agent\": \"{}\"}}", "a".repeat(10_000)).into_bytes()),
        ("too large", vec![b' '; REQUEST_BYTES_MAX + 1]),
        ("not JSON", b"<session><active_agent>planner</active_agent></session>".to_vec()),
        ("a form", b"active_agent=planner".to_vec()),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_body_is_told_what_is_wrong_with_it() {
    let world = World::open().await;
    for (name, body) in bodies() {
        for path in ["/v1/sessions", "/v1/sessions/s/handoffs", "/v1/events", "/v1/handoffs/x/return", "/v1/keys"] {
            let (status, text) =
                sent(world.server.address(), &post(path, &body, "")).await.unwrap_or((0, String::new()));
            assert!((400..500).contains(&status), "{name} to {path}: {status} {text}");
            assert!(text.contains("application/problem+json"), "{name} to {path}: {text}");
            assert!(text.contains("\"code\":\"HO"), "{name} to {path}: {text}");
        }
    }
    assert!(world.engine.sessions(0, 10).await.unwrap().is_empty(), "nothing was kept");
    world.engine.verify().await.unwrap();
}

/// Requests that are none, or that are more than one may be.
fn requests() -> Vec<(&'static str, Vec<u8>)> {
    let body = br#"{"active_agent": "planner"}"#.as_slice();
    let many: String = (0..HEADERS_MAX + 1).map(|n| format!("x-{n}: 1\r\n")).collect();
    let raw = |text: &str| text.as_bytes().to_vec();
    vec![
        ("junk", b"\x00\x01\x02\x03\r\n\r\n".to_vec()),
        ("a TLS hello", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec()),
        ("no version", raw("GET /v1/sessions\r\n\r\n")),
        ("an old version", raw("GET /v1/sessions HTTP/0.9\r\n\r\n")),
        ("a strange version", raw("GET /v1/sessions HTTP/9.9\r\n\r\n")),
        ("a strange method", raw("BREW /v1/sessions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")),
        ("a method of a kilometre", raw(&format!("{} / HTTP/1.1\r\n\r\n", "A".repeat(100_000)))),
        ("CONNECT", raw("CONNECT example.org:443 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")),
        ("TRACE", raw("TRACE /v1/sessions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")),
        ("a header without a colon", raw("GET / HTTP/1.1\r\nhost localhost\r\n\r\n")),
        ("a header with a space before its colon", raw("GET / HTTP/1.1\r\nhost : localhost\r\n\r\n")),
        ("a folded header", raw("GET / HTTP/1.1\r\nhost: localhost\r\nx: a\r\n b\r\n\r\n")),
        ("too many headers", get("/v1/sessions", &many)),
        ("too long a header", get("/v1/sessions", &format!("x: {}\r\n", "a".repeat(4 * HEAD_BYTES_MAX)))),
        ("too long a path", get(&format!("/v1/{}", "a".repeat(4 * HEAD_BYTES_MAX)), "")),
        ("a wrong length", raw("POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n")),
        ("two lengths", post("/v1/sessions", body, "content-length: 3\r\n")),
        ("a length and pieces", post("/v1/sessions", body, "transfer-encoding: chunked\r\n")),
        ("a bad piece", [get("/v1/nothing", ""), raw("zz\r\n")].concat()),
        (
            "bad pieces",
            raw(
                "POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
            ),
        ),
        (
            "less than announced",
            raw(
                "POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{",
            ),
        ),
        (
            "more than a body may have, announced",
            raw(
                "POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99999999999\r\n\r\n",
            ),
        ),
        ("an encoding that nobody reads", post("/v1/sessions", b"\x1f\x8b\x08\x00", "content-encoding: gzip\r\n")),
        (
            "another media type",
            raw(
                "POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
            ),
        ),
        (
            "no media type",
            raw("POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}"),
        ),
        ("a path that is no text", get("/v1/sessions/%ff%fe", "")),
        ("a NUL in a path", get("/v1/sessions/%00", "")),
        ("a way up", get("/v1/../../etc/passwd", "")),
        ("a way up in other words", get("/v1/%2e%2e/%2e%2e/etc/passwd", "")),
        ("two slashes", get("//v1//sessions", "")),
        ("a bad escape", get("/v1/sessions/%zz", "")),
        ("a session that cannot be", get("/v1/sessions/a%20b%0d%0aset-cookie:%20x", "")),
        ("a handoff that cannot be", get("/v1/handoffs/1", "")),
        ("a limit below zero", get("/v1/handoffs?limit=-1", "")),
        ("a limit beyond all", get("/v1/handoffs?limit=99999999999999999999999", "")),
        ("a limit that is none", get("/v1/handoffs?limit=0", "")),
        ("a cursor of nobody", get("/v1/handoffs?cursor=zz", "")),
        ("a cursor twice", get("/v1/handoffs?cursor=c1&cursor=c2", "")),
        ("a parameter of nobody", get("/v1/handoffs?x=1", "")),
        ("a status of nobody", get("/v1/handoffs?status=lost", "")),
        ("a query that is no text", get("/v1/handoffs?from=%ff", "")),
        ("a time that is none", get("/v1/audit?since=yesterday", "")),
        (
            "a wait without an end",
            get("/v1/handoffs/00000000-0000-4000-8000-000000000000/return?wait_ms=9999999999", ""),
        ),
        ("an empty key", post("/v1/sessions", body, "idempotency-key: \r\n")),
        ("a long key", post("/v1/sessions", body, &format!("idempotency-key: {}\r\n", "k".repeat(201)))),
        ("an event that is none", get("/v1/events", "last-event-id: x\r\n")),
        ("a page of another host", get("/v1/sessions", "")),
        ("from a page elsewhere", post("/v1/sessions", body, "origin: https://evil.example\r\n")),
        ("for another host", raw("GET /v1/sessions HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n")),
        ("another protocol", get("/v1/sessions?x=1", "upgrade: websocket\r\nconnection: upgrade\r\n")),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_request_is_refused_or_hung_up_on() {
    let world = hasty().await;
    for (name, bytes) in requests() {
        let answer = sent(world.server.address(), &bytes).await;
        if name == "a page of another host" {
            assert_eq!(answer.unwrap().0, 200, "the plain request is right");
            continue;
        }
        if let Some((status, text)) = answer {
            assert!((400..500).contains(&status), "{name}: {text}");
            let head = text.split("\r\n\r\n").next().unwrap_or_default();
            assert!(!head.contains("set-cookie"), "{name}: {text}");
        }
    }
    assert!(world.engine.sessions(0, 10).await.unwrap().is_empty(), "nothing was kept");
    let well = world.ask("GET", "/health/ready", None, None).await;
    assert_eq!(well.status, 200, "it is well");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_token_opens_nothing_and_is_told_nothing() {
    let world = World::open().await;
    let good = world.key("acme", Role::Viewer, &[]).await;
    let mut flipped = good.clone();
    let last = if flipped.ends_with('A') { 'B' } else { 'A' };
    flipped.pop();
    flipped.push(last);
    let long = "x".repeat(9_000);
    let tokens = [
        String::new(),
        "authorization: \r\n".into(),
        "authorization: Bearer\r\n".into(),
        "authorization: Bearer \r\n".into(),
        format!("authorization: {good}\r\n"),
        format!("authorization: Basic {good}\r\n"),
        format!("authorization: Bearer {flipped}\r\n"),
        format!("authorization: Bearer {}\r\n", &good[..good.len() - 1]),
        format!("authorization: Bearer {good}x\r\n"),
        format!("authorization: Bearer {good} {good}\r\n"),
        format!("authorization: Bearer {}\r\n", good.to_uppercase()),
        format!("authorization: Bearer {long}\r\n"),
        "authorization: Bearer ho_aaaaaaaaaaaa_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n".into(),
        "authorization: Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.\r\n".into(),
        format!("cookie: key={good}\r\n"),
        format!("x-api-key: {good}\r\n"),
    ];
    let mut words = std::collections::BTreeSet::new();
    for token in tokens {
        let (status, text) = sent(world.server.address(), &get("/v1/sessions", &token)).await.unwrap();
        // Whoever tries many is slowed down.
        assert!(status == 401 || status == 429, "{token}: {text}");
        if status == 401 {
            assert!(text.to_lowercase().contains("www-authenticate: bearer"), "{text}");
            words.insert(text.split("\"detail\":").nth(1).unwrap().split("\",").next().unwrap().to_owned());
        }
    }
    assert_eq!(words.len(), 2, "no key, or none that is valid, and nothing more: {words:?}");
    let (status, text) =
        sent(world.server.address(), &get("/v1/sessions", &format!("authorization: bearer {good}\r\n"))).await.unwrap();
    // A valid key is not shut out by those who guess, from the same address or not, for longer than their rate.
    assert!(status == 200 || status == 429, "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_guesses_keys_is_slowed_down() {
    let world = World::open().await;
    world.key("acme", Role::Viewer, &[]).await;
    let guess = "authorization: Bearer ho_aaaaaaaaaaaa_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n";
    let mut slowed = None;
    for _ in 0..BAD_KEYS_PER_SECOND * 20 {
        let (status, text) = sent(world.server.address(), &get("/v1/sessions", guess)).await.unwrap();
        if status == 429 {
            slowed = Some(text);
            break;
        }
    }
    let text = slowed.expect("nobody guesses for ever");
    assert!(text.to_lowercase().contains("retry-after: 1") && text.contains("HO1101"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_senders_are_hung_up_on() {
    let world = hasty().await;
    for (name, bytes) in [
        ("nothing at all", "".as_bytes()),
        ("half a line", b"GET /v1/ses"),
        ("half a head", b"GET /v1/sessions HTTP/1.1\r\nhost: localhost\r\n"),
        ("half a body", b"POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"),
    ] {
        let mut stream = TcpStream::connect(world.server.address()).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        // The connection ends, or this test never does.
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let text = String::from_utf8_lossy(&answer);
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 4"), "{name}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn much_at_once_needs_little_room() {
    let world = World::open().await;
    let address = world.server.address();
    // What is announced is not made room for, and what is too large is not read.
    let huge = format!(
        "POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        1_u64 << 40
    );
    let before = resident_mib();
    let mut held = Vec::new();
    for _ in 0..500 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(huge.as_bytes()).await.unwrap();
        held.push(stream);
    }
    let senders = (0..64).map(|_| {
        tokio::spawn(async move { sent(address, &post("/v1/sessions", &vec![b'['; REQUEST_BYTES_MAX], "")).await })
    });
    for sender in senders.collect::<Vec<_>>() {
        let (status, text) = sender.await.unwrap().unwrap();
        assert_eq!(status, 400, "{text}");
    }
    let grown = resident_mib() - before;
    assert!(grown < 300.0, "it has grown by {grown:.0} MiB");
}

fn resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.trim().trim_end_matches("kB").trim().parse::<f64>().unwrap_or(0.0) / 1024.0
}
