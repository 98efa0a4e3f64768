//! `handover mcp` as hosts run it: processes of their own that share one database, in any order of beginning and ending.

use crate::Place;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

/// A host with its own process.
struct Host {
    child: Child,
    write: Option<ChildStdin>,
    read: BufReader<ChildStdout>,
    next: u64,
    /// Answers that came before they were waited for.
    early: Vec<Value>,
}

impl Host {
    fn begin(place: &Place, line: &str) -> Self {
        let mut command = place.command(line);
        command.env_remove("HANDOVER_AGENT").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self::of(command.spawn().unwrap())
    }

    fn of(mut child: Child) -> Self {
        let (write, read) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut host = Self { child, write, read, next: 0, early: Vec::new() };
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        });
        let told = host.request("initialize", &hello);
        assert_eq!(told["result"]["protocolVersion"], "2025-11-25", "{told}");
        host.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        host
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.write.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The answer. Every line is a message, or the test fails.
    fn answer(&mut self, id: u64) -> Value {
        if let Some(at) = self.early.iter().position(|message| message["id"] == json!(id)) {
            return self.early.remove(at);
        }
        loop {
            let mut line = String::new();
            assert!(self.read.read_line(&mut line).unwrap() > 0, "it ended before it answered");
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a message: {line}"));
            if message["id"] == json!(id) {
                return message;
            }
            self.early.push(message);
        }
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    fn tool(&mut self, name: &str, arguments: &Value) -> Value {
        let told = self.request("tools/call", &json!({ "name": name, "arguments": arguments }));
        assert_ne!(told["result"]["isError"], json!(true), "{name}: {told}");
        assert!(told.get("error").is_none(), "{name}: {told}");
        told["result"]["structuredContent"].clone()
    }

    /// Closes stdin, as a host does at its end; gives whether the process ended well.
    fn end(mut self) -> bool {
        drop(self.write.take());
        self.child.wait().unwrap().success()
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn mcp(agent: &str) -> String {
    format!("mcp --agent {agent}")
}

fn hand(task: &str) -> Value {
    json!({ "task": task, "to_agent": "bob", "wait_seconds": 0, "decisions": ["keep it"] })
}

#[test]
fn two_hosts_share_one_database_whoever_ends_first() {
    let place = Place::new();
    let (mut alice, mut bob) = (Host::begin(&place, &mcp("alice")), Host::begin(&place, &mcp("bob")));
    bob.tool("check_inbox", &json!({}));
    let begun = alice.tool("handoff_to_specialist", &hand("one"));
    let id = begun["handoff"]["handoff_id"].clone();
    let taken = bob.tool("accept_handoff", &json!({}));
    assert_eq!(taken["work_so_far"]["decisions"], json!(["keep it"]));
    // The one that holds the file is killed; the other goes on with the next call.
    alice.kill();
    let done = bob.tool("complete_handoff", &json!({ "result": "done" }));
    assert_eq!(done["status"], "completed");
    let mut alice = Host::begin(&place, &mcp("alice"));
    let told = alice.tool("handoff_status", &json!({ "handoff_id": id }));
    assert_eq!(told["handoff"]["result"]["body"], "done");
    // Now the other one holds it, and ends as hosts end.
    assert!(bob.end());
    alice.tool("say", &json!({ "text": "still here" }));
    assert!(alice.end());
    place.good("verify");
}

#[test]
fn a_call_that_waits_goes_on_when_the_holder_is_killed() {
    let place = Place::new();
    let (alice, mut bob) = (Host::begin(&place, &mcp("alice")), Host::begin(&place, &mcp("bob")));
    bob.tool("check_inbox", &json!({}));
    let mut carol = Host::begin(&place, &mcp("carol"));
    let handing = json!({ "name": "handoff_to_specialist", "arguments": {
        "task": "sing", "to_agent": "bob", "wait_seconds": 60,
    } });
    let waiting = carol.ask("tools/call", &handing);
    let mut offers = json!([]);
    while offers == json!([]) {
        offers = bob.tool("check_inbox", &json!({ "wait_seconds": 5 }))["offers"].clone();
    }
    alice.kill();
    bob.tool("accept_handoff", &json!({}));
    bob.tool("complete_handoff", &json!({ "result": "la" }));
    let told = carol.answer(waiting);
    let told = &told["result"]["structuredContent"];
    assert_eq!((&told["finished"], &told["handoff"]["result"]["body"]), (&json!(true), &json!("la")), "{told}");
    let history = carol.tool("session_history", &json!({}));
    assert_eq!(history["handoffs"].as_array().unwrap().len(), 1, "it was handed over once");
}

#[test]
fn many_calls_lose_nothing_while_holders_come_and_go() {
    let place = Place::new();
    let mut writer = Host::begin(&place, &mcp("writer"));
    writer.tool("open_session", &json!({ "session_id": "s" }));
    assert!(writer.end());
    let mut holders = vec![Host::begin(&place, &mcp("first"))];
    let mut writer = Host::begin(&place, &mcp("writer"));
    for round in 0..6 {
        holders.push(Host::begin(&place, &mcp("next")));
        let mut ids = Vec::new();
        for i in 0..5 {
            let arguments = json!({ "text": format!("{round}.{i}"), "session_id": "s" });
            ids.push(writer.ask("tools/call", &json!({ "name": "say", "arguments": arguments })));
        }
        let holder = holders.remove(0);
        if round % 2 == 0 {
            holder.kill();
        } else {
            assert!(holder.end());
        }
        for id in ids {
            let told = writer.answer(id);
            assert_ne!(told["result"]["isError"], json!(true), "{told}");
            assert!(told.get("error").is_none(), "{told}");
        }
    }
    let told = writer.tool("session_history", &json!({ "session_id": "s", "limit": 100 }));
    let mut said: Vec<&str> =
        told["messages"].as_array().unwrap().iter().map(|m| m["content"].as_str().unwrap()).collect();
    said.sort_unstable();
    let all: Vec<String> = (0..6).flat_map(|round| (0..5).map(move |i| format!("{round}.{i}"))).collect();
    assert_eq!(said, all, "each once");
}

#[test]
fn whoever_serves_the_database_answers_hosts_too() {
    let place = Place::new();
    let mut server = place.command("--json serve --listen 127.0.0.1:0").stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = serde_json::from_str::<Value>(&line).unwrap()["url"].as_str().unwrap().to_owned();
    let mut near = Host::begin(&place, &mcp("bob"));
    near.tool("check_inbox", &json!({}));
    let far = Place::new();
    let mut away = Host::begin(&far, &format!("mcp --agent alice --server {url}"));
    let begun = away.tool("handoff_to_specialist", &hand("far"));
    assert_eq!(begun["handoff"]["to_agent"], "bob");
    near.tool("accept_handoff", &json!({}));
    near.tool("complete_handoff", &json!({ "result": "near" }));
    let told = away.tool("handoff_status", &json!({ "handoff_id": begun["handoff"]["handoff_id"] }));
    assert_eq!(told["handoff"]["result"]["body"], "near");
    assert!(!far.path().join("handover.db").exists(), "nothing is kept here");
    server.kill().unwrap();
    server.wait().unwrap();
    // The one that is near takes the file over.
    near.tool("check_inbox", &json!({}));
}

#[test]
fn a_host_without_a_name_is_told_how_to_give_one() {
    let place = Place::new();
    let mut host = Host::begin(&place, "mcp");
    let told = host.request("tools/call", &json!({ "name": "check_inbox", "arguments": {} }));
    assert!(told["result"]["content"][0]["text"].as_str().unwrap().contains("--agent NAME"), "{told}");
    let mut command = place.command("mcp");
    command.env("HANDOVER_AGENT", "dora").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut named = Host::of(command.spawn().unwrap());
    assert_eq!(named.tool("check_inbox", &json!({}))["you"], "dora");
}

/// One request of the current revision; gives the status and the body.
fn post(address: &str, headers: &str) -> (u16, String) {
    use std::io::Read;
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "check_inbox", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
        } },
    })
    .to_string();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\n\
         mcp-name: check_inbox\r\ncontent-length: {}\r\n{headers}\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let status = text.split(' ').nth(1).unwrap().parse().unwrap();
    (status, text)
}

#[test]
fn the_server_answers_at_its_address_whoever_has_a_key() {
    let place = Place::new();
    let mut server = place.command("--json serve --listen 127.0.0.1:0").stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = serde_json::from_str::<Value>(&line).unwrap()["url"].as_str().unwrap().to_owned();
    let address = url.trim_start_matches("http://");
    assert_eq!(post(address, "handover-agent: dora\r\n").0, 200, "open to this machine as long as there are no keys");
    for strange in ["origin: https://evil.example\r\n", "origin: null\r\n"] {
        assert_eq!(post(address, strange).0, 403, "{strange}");
    }
    let key = place.json("keys make claude --role agent --agent claude");
    let token = key["secret"].as_str().unwrap();
    assert_eq!(post(address, "").0, 401);
    assert_eq!(post(address, "authorization: Bearer ho_nonsense\r\n").0, 401);
    let (status, text) = post(address, &format!("authorization: Bearer {token}\r\n"));
    assert_eq!(status, 200, "{text}");
    assert!(text.contains("\"you\":\"claude\""), "{text}");
    let (_, text) = post(address, &format!("authorization: Bearer {token}\r\nhandover-agent: dora\r\n"));
    assert!(text.contains("HO0302"), "a key speaks for its own agent alone: {text}");
    server.kill().unwrap();
    server.wait().unwrap();
}
