//! Over HTTP: the address, who may come, sessions, and the headers of both revisions.

use crate::host::engine;
use axum::{Extension, Router};
use handover_core::{access::Caller, limits::REQUEST_BYTES_MAX};
use handover_mcp::http::{Options, router};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};

/// The server, with a door for each of two callers.
pub struct Served {
    _folder: tempfile::TempDir,
    pub alice: String,
    pub eve: String,
}

pub async fn listen(app: Router) -> String {
    // Whoever was first has installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    at
}

pub async fn served() -> Served {
    let (folder, engine) = engine().await;
    let as_agent = |name: &str| engine.for_caller(Caller::of_agent(name.parse().unwrap(), "default"));
    let app = router(&Options::local());
    let alice = listen(app.clone().layer(Extension(as_agent("alice")))).await;
    let eve = listen(app.layer(Extension(as_agent("eve")))).await;
    Served { _folder: folder, alice, eve }
}

pub fn ask(at: &str, method: Method) -> RequestBuilder {
    Client::new()
        .request(method, at)
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
}

/// A request of the current revision, with all that it must have.
pub fn modern(at: &str, method: &str, name: Option<&str>, mut params: Value) -> RequestBuilder {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let ask = ask(at, Method::POST).header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
    let ask = if let Some(name) = name { ask.header("mcp-name", name) } else { ask };
    ask.body(body.to_string())
}

pub fn tool(at: &str, name: &str) -> RequestBuilder {
    modern(at, "tools/call", Some(name), json!({ "name": name, "arguments": {} }))
}

/// The last message of an answer, whichever form it has.
pub async fn message(response: Response) -> Value {
    let stream = response.headers()["content-type"].to_str().unwrap().starts_with("text/event-stream");
    let text = response.text().await.unwrap();
    let last =
        if stream { text.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap() } else { &text };
    serde_json::from_str(last).unwrap_or_else(|_| panic!("{text}"))
}

/// Begins a session of the revision with a handshake.
pub async fn begin(at: &str) -> String {
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    });
    let response = ask(at, Method::POST).body(hello.to_string()).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let session = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    assert_eq!(message(response).await["result"]["protocolVersion"], "2025-11-25");
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let response = within(at, Method::POST, &session).body(note.to_string()).send().await.unwrap();
    assert_eq!(response.status(), 202);
    assert_eq!(response.text().await.unwrap(), "");
    session
}

pub fn within(at: &str, method: Method, session: &str) -> RequestBuilder {
    ask(at, method).header("mcp-session-id", session).header("mcp-protocol-version", "2025-11-25")
}

fn call(name: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": name, "arguments": {} } })
        .to_string()
}

#[tokio::test]
async fn one_address_answers_both_revisions() {
    let served = served().await;
    let answer = tool(&served.alice, "check_inbox").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert!(answer.headers().get("mcp-session-id").is_none());
    let told = message(answer).await;
    assert_eq!(told["result"]["structuredContent"]["you"], "alice");
    assert_eq!(told["result"]["resultType"], "complete");
    let session = begin(&served.alice).await;
    let answer = within(&served.alice, Method::POST, &session).body(call("check_inbox")).send().await.unwrap();
    let told = message(answer).await;
    assert_eq!(told["result"]["structuredContent"]["you"], "alice");
    assert!(told["result"].get("resultType").is_none(), "the older revision has none");
}

#[tokio::test]
async fn a_page_from_elsewhere_is_turned_away() {
    let served = served().await;
    for origin in ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1.evil.example"] {
        let answer = tool(&served.alice, "check_inbox").header("origin", origin).send().await.unwrap();
        assert_eq!(answer.status(), 403, "{origin}");
    }
    let own = served.alice.trim_end_matches("/mcp").to_owned();
    let answer = tool(&served.alice, "check_inbox").header("origin", own).send().await.unwrap();
    assert_eq!(answer.status(), 200);
}

#[tokio::test]
async fn a_name_that_is_not_ours_is_turned_away() {
    let served = served().await;
    for host in ["evil.example", "evil.example:80"] {
        let answer = tool(&served.alice, "check_inbox").header("host", host).send().await.unwrap();
        assert_eq!(answer.status(), 403, "{host}");
    }
    let answer = tool(&served.alice, "check_inbox").header("host", "localhost").send().await.unwrap();
    assert_eq!(answer.status(), 200);
}

#[tokio::test]
async fn a_session_is_its_callers_alone() {
    let served = served().await;
    let session = begin(&served.alice).await;
    for method in [Method::POST, Method::GET, Method::DELETE] {
        let stolen = within(&served.eve, method.clone(), &session).body(call("check_inbox")).send().await.unwrap();
        assert_eq!(stolen.status(), 404, "{method}");
        let modern = within(&served.eve, method.clone(), &session).header("mcp-protocol-version", "2026-07-28");
        let status = modern.body(call("check_inbox")).send().await.unwrap().status();
        assert!(status.is_client_error(), "{method}: {status}");
    }
    let mine = within(&served.alice, Method::POST, &session).body(call("check_inbox")).send().await.unwrap();
    assert_eq!(mine.status(), 200);
    let ended = within(&served.alice, Method::DELETE, &session).send().await.unwrap();
    assert!(ended.status().is_success(), "{}", ended.status());
    let gone = within(&served.alice, Method::POST, &session).body(call("check_inbox")).send().await.unwrap();
    assert_eq!(gone.status(), 404);
}

#[tokio::test]
async fn one_caller_has_only_so_many_sessions() {
    use handover_core::limits::MCP_SESSIONS_PER_CALLER_MAX;
    let served = served().await;
    let first = begin(&served.alice).await;
    for _ in 0..MCP_SESSIONS_PER_CALLER_MAX {
        begin(&served.alice).await;
    }
    let gone = within(&served.alice, Method::POST, &first).body(call("check_inbox")).send().await.unwrap();
    assert_eq!(gone.status(), 404, "the oldest went");
}

#[tokio::test]
async fn headers_say_what_the_body_says() {
    let served = served().await;
    let at = &served.alice;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = |name: &str, meta: &Value| {
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name, "arguments": {}, "_meta": meta } })
            .to_string()
    };
    let version = |ask: RequestBuilder| ask.header("mcp-protocol-version", "2026-07-28");
    let named = |ask: RequestBuilder, name: &str| ask.header("mcp-method", "tools/call").header("mcp-name", name);
    for (what, ask) in [
        ("no method", version(ask(at, Method::POST)).body(body("check_inbox", &meta))),
        ("no name", version(ask(at, Method::POST)).header("mcp-method", "tools/call").body(body("check_inbox", &meta))),
        ("another name", version(named(ask(at, Method::POST), "say")).body(body("check_inbox", &meta))),
        ("no version", named(ask(at, Method::POST), "check_inbox").body(body("check_inbox", &meta))),
        (
            "another version",
            named(ask(at, Method::POST), "check_inbox")
                .header("mcp-protocol-version", "2025-11-25")
                .body(body("check_inbox", &meta)),
        ),
    ] {
        let answer = ask.send().await.unwrap();
        assert_eq!(answer.status(), 400, "{what}");
        assert_eq!(message(answer).await["error"]["code"], json!(-32_020), "{what}");
    }
    let encoded = "=?base64?Y2hlY2tfaW5ib3g=?=";
    let answer = version(named(ask(at, Method::POST), encoded)).body(body("check_inbox", &meta)).send().await.unwrap();
    assert_eq!(answer.status(), 200, "a name may be encoded");
    let bare = version(named(ask(at, Method::POST), "check_inbox"))
        .body(body("check_inbox", &json!({})))
        .send()
        .await
        .unwrap();
    assert_eq!(bare.status(), 400);
    assert_eq!(message(bare).await["error"]["code"], json!(-32_602));
    let mut strange = meta.clone();
    strange["io.modelcontextprotocol/protocolVersion"] = json!("1900-01-01");
    let ask = named(ask(at, Method::POST), "check_inbox").header("mcp-protocol-version", "1900-01-01");
    let answer = ask.body(body("check_inbox", &strange)).send().await.unwrap();
    assert_eq!(answer.status(), 400);
    let told = message(answer).await;
    assert_eq!(told["error"]["code"], json!(-32_022));
    assert!(told["error"]["data"]["supported"].as_array().unwrap().contains(&json!("2026-07-28")), "{told}");
}

#[tokio::test]
async fn a_method_that_is_not_there_is_not_found() {
    let served = served().await;
    let answer = modern(&served.alice, "tools/destroy", None, json!({})).send().await.unwrap();
    assert_eq!(answer.status(), 404);
    assert_eq!(message(answer).await["error"]["code"], json!(-32_601));
    for method in [Method::GET, Method::DELETE, Method::PUT] {
        let ask = ask(&served.alice, method.clone()).header("mcp-protocol-version", "2026-07-28");
        assert_eq!(ask.send().await.unwrap().status(), 405, "{method}");
    }
    let strange = ask(&served.alice, Method::POST).header("mcp-protocol-version", "1999").body(call("check_inbox"));
    assert_eq!(strange.send().await.unwrap().status(), 400);
}

#[tokio::test]
async fn what_cannot_be_taken_is_refused() {
    let served = served().await;
    let large = format!("{{\"jsonrpc\":\"2.0\",\"x\":\"{}\"}}", "x".repeat(REQUEST_BYTES_MAX));
    assert_eq!(ask(&served.alice, Method::POST).body(large).send().await.unwrap().status(), 413);
    for bad in ["", "{", "[]", "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}"] {
        let status = ask(&served.alice, Method::POST).body(bad).send().await.unwrap().status();
        assert!(status.is_client_error(), "{bad}: {status}");
    }
    let plain = Client::new().post(&served.alice).header("content-type", "application/json").body(call("x"));
    assert_eq!(plain.send().await.unwrap().status(), 406);
    let text = Client::new().post(&served.alice).header("accept", "application/json, text/event-stream").body("x");
    assert_eq!(text.send().await.unwrap().status(), 415);
}

#[tokio::test]
async fn a_stream_tells_of_changes_until_it_is_left() {
    let served = served().await;
    let uris = json!(["handover://agents"]);
    let ask = modern(
        &served.alice,
        "subscriptions/listen",
        None,
        json!({ "notifications": { "resourceSubscriptions": uris } }),
    );
    let mut stream = ask.send().await.unwrap();
    assert_eq!(stream.headers()["x-accel-buffering"], "no");
    let mut text = String::new();
    heard(&mut stream, &mut text, "acknowledged").await;
    assert_eq!(tool(&served.eve, "check_inbox").send().await.unwrap().status(), 200);
    heard(&mut stream, &mut text, "notifications/resources/updated").await;
    assert!(!text.contains("\"id\":"), "nothing is asked on it: {text}");
}

/// Reads on until this is heard.
pub async fn heard(stream: &mut Response, text: &mut String, words: &str) {
    let until = tokio::time::Instant::now() + std::time::Duration::from_secs(30);
    while !text.contains(words) {
        let chunk = tokio::time::timeout_at(until, stream.chunk()).await.expect("it is heard in time");
        text.push_str(std::str::from_utf8(&chunk.unwrap().unwrap()).unwrap());
    }
}

#[tokio::test]
async fn the_agent_is_named_by_a_header_or_in_the_address() {
    let (_folder, engine) = engine().await;
    let at = listen(router(&Options::local()).layer(Extension(engine))).await;
    let answer = tool(&at, "check_inbox").header("handover-agent", "alice").send().await.unwrap();
    assert_eq!(message(answer).await["result"]["structuredContent"]["you"], "alice");
    let answer = tool(&format!("{at}?agent=bob"), "check_inbox").send().await.unwrap();
    assert_eq!(message(answer).await["result"]["structuredContent"]["you"], "bob");
    let answer = tool(&at, "check_inbox").send().await.unwrap();
    assert_eq!(message(answer).await["result"]["isError"], json!(true));
}

#[tokio::test]
async fn whoever_has_no_engine_is_nobody() {
    let at = listen(router(&Options::local())).await;
    assert_eq!(tool(&at, "check_inbox").send().await.unwrap().status(), 401);
}

fn hello(version: &str) -> String {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    })
    .to_string()
}

#[tokio::test]
async fn there_are_only_so_many_sessions_whatever_the_headers_say() {
    let (_folder, engine) = engine().await;
    let options = Options { sessions_max: 2, ..Options::local() };
    let at = listen(router(&options).layer(Extension(engine))).await;
    let first = begin(&at).await;
    begin(&at).await;
    for version in ["2025-11-25", "2026-07-28"] {
        let more = ask(&at, Method::POST).header("mcp-protocol-version", version).body(hello(version));
        let more = more.send().await.unwrap();
        assert_eq!(more.status(), 503, "{version}");
        assert!(more.headers().get("mcp-session-id").is_none(), "{version}");
    }
    let ended = within(&at, Method::DELETE, &first).send().await.unwrap();
    assert!(ended.status().is_success());
    begin(&at).await;
}
