//! A host: speaks with a server line by line, as its client does, in either revision.

use crate::shape;
use handover_engine::Engine;
use handover_mcp::{Front, serve_streams, tools};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex, split};

/// How long a test waits for anything.
const PATIENCE: Duration = Duration::from_secs(30);

/// The two revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    Handshake,
    Stateless,
}

pub const BOTH: [Revision; 2] = [Revision::Handshake, Revision::Stateless];

impl Revision {
    pub fn text(self) -> &'static str {
        match self {
            Self::Handshake => "2025-11-25",
            Self::Stateless => "2026-07-28",
        }
    }
}

/// A host and its client.
pub struct Host {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    pub revision: Revision,
    pub capabilities: Value,
    next: u64,
    /// What came without being asked for.
    pub notes: Vec<Value>,
    /// How the person at the host answers when asked.
    pub person: Option<Value>,
    /// What the person was asked.
    pub asked: Vec<Value>,
    /// The answer to the handshake.
    pub hello: Value,
}

/// An engine on a file of its own.
pub async fn engine() -> (tempfile::TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path().join("test.db")).await.unwrap();
    (folder, engine)
}

impl Host {
    /// A host that can do nothing special.
    pub async fn new(engine: &Engine, agent: &str, revision: Revision) -> Self {
        Self::with(engine, Some(agent), revision, json!({})).await
    }

    /// A host with capabilities.
    pub async fn with(engine: &Engine, agent: Option<&str>, revision: Revision, capabilities: Value) -> Self {
        Self::of(Front::on(engine, agent), revision, capabilities).await
    }

    /// A host of a front.
    pub async fn of(front: Front, revision: Revision, capabilities: Value) -> Self {
        let (mine, theirs) = duplex(1 << 20);
        let (read, write) = split(theirs);
        tokio::spawn(serve_streams(front, read, write));
        let (read, write) = split(mine);
        let mut host = Self {
            lines: BufReader::new(read).lines(),
            write,
            revision,
            capabilities,
            next: 0,
            notes: Vec::new(),
            person: None,
            asked: Vec::new(),
            hello: Value::Null,
        };
        if revision == Revision::Handshake {
            let hello = json!({
                "protocolVersion": revision.text(), "capabilities": host.capabilities,
                "clientInfo": { "name": "test", "version": "1" },
            });
            host.hello = host.request("initialize", hello).await;
            host.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        }
        host
    }

    pub async fn send(&mut self, message: &Value) {
        let mut line = message.to_string();
        line.push('\n');
        self.write.write_all(line.as_bytes()).await.unwrap();
    }

    /// Sends a request and gives its id.
    pub async fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if self.revision == Revision::Stateless {
            let mut meta = params.get("_meta").cloned().unwrap_or_else(|| json!({}));
            meta["io.modelcontextprotocol/protocolVersion"] = json!(self.revision.text());
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
            params["_meta"] = meta;
        }
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    /// The next message, whatever it is.
    pub async fn hear(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await.expect("it answers in time");
        serde_json::from_str(&line.unwrap().expect("the line is open")).unwrap()
    }

    /// The answer to a request. What comes before it is kept, and the person answers what is asked.
    pub async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.hear().await;
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            if message.get("method").is_some() && message.get("id").is_some() {
                self.asked.push(message["params"].clone());
                let said = self.person.clone().unwrap_or_else(|| json!({ "action": "cancel" }));
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": said })).await;
            } else if message.get("id").is_some_and(|found| *found == json!(id)) {
                return message;
            } else {
                self.notes.push(message);
            }
        }
    }

    /// A request and its answer.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.answer(id).await
    }

    /// The result of a request.
    pub async fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params).await;
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Calls a tool; its result must be what the table promises.
    pub async fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let result = self.result("tools/call", json!({ "name": name, "arguments": arguments })).await;
        assert_ne!(result["isError"], json!(true), "{name}: {}", result["content"][0]["text"]);
        let row = tools().iter().find(|tool| tool.name == name).unwrap();
        let promised = Value::Object((*row.output).clone());
        let told = &result["structuredContent"];
        assert_eq!(shape::faults(&promised, told, "$"), Vec::<String>::new(), "{name}: {told:#}");
        assert!(result["content"][0]["text"].as_str().is_some_and(|text| !text.is_empty()), "{name}");
        told.clone()
    }

    /// Calls a tool that is refused; gives what a model reads.
    pub async fn refused(&mut self, name: &str, arguments: Value) -> String {
        let result = self.result("tools/call", json!({ "name": name, "arguments": arguments })).await;
        assert_eq!(result["isError"], json!(true), "{name}: {result}");
        assert!(result.get("structuredContent").is_none(), "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Waits for a notification.
    pub async fn note(&mut self, method: &str) -> Value {
        if let Some(at) = self.notes.iter().position(|note| note["method"] == method) {
            return self.notes.remove(at);
        }
        loop {
            let message = self.hear().await;
            if message["method"] == method {
                return message;
            }
            self.notes.push(message);
        }
    }
}
