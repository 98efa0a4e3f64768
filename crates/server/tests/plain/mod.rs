//! A server in a folder of its own, and the plainest client there is.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use futures_util::future::BoxFuture;
use handover_core::access::{NewKey, Role};
use handover_engine::Engine;
use handover_server::{Commands, Errand, Options, Server};
use serde_json::Value;
use std::{net::SocketAddr, sync::Arc};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::mpsc,
};

/// Carries nothing out, and says so.
#[derive(Debug)]
struct Silent;

impl Commands for Silent {
    fn carry_out(&self, _: Engine, _: Errand, lines: mpsc::Sender<String>) -> BoxFuture<'static, ()> {
        Box::pin(async move { drop(lines.send("{\"exit\":0}".into()).await) })
    }
}

/// A server, and the folder that it keeps its things in.
pub struct House {
    pub server: Server,
    /// A key of the house: the first one that is made shuts the door for whoever has none.
    key: String,
    _folder: TempDir,
}

impl House {
    pub async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::open(folder.path().join("h.db")).await.unwrap();
        let mut new = NewKey::of("test", Role::Admin);
        new.house = true;
        let key = engine.make_key(new).await.unwrap().1;
        let mut options = Options::at(SocketAddr::from(([127, 0, 0, 1], 0)));
        options.commands = Some(Arc::new(Silent));
        let server = Server::start(engine, options).await.unwrap();
        Self { server, key, _folder: folder }
    }

    /// The status and the body of an answer. A stream is left after its first piece.
    pub async fn ask(&self, method: &str, path: &str, host: &str, body: Option<&Value>) -> (u16, Value) {
        let body = body.map(Value::to_string).unwrap_or_default();
        let typed = if body.is_empty() { "" } else { "content-type: application/json\r\n" };
        let length = body.len();
        let key = if host == "localhost" { &self.key } else { "none" };
        let text = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\nconnection: close\r\n{typed}content-length: {length}\r\n\r\n{body}"
        );
        let mut stream = TcpStream::connect(self.server.address()).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        read(&mut stream).await
    }

    /// An answer that must be good.
    pub async fn good(&self, method: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.ask(method, path, "localhost", Some(&body)).await;
        assert!(status < 300, "{method} {path}: {status} {answer}");
        answer
    }
}

async fn read(stream: &mut TcpStream) -> (u16, Value) {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let count = stream.read(&mut piece).await.unwrap();
        bytes.extend_from_slice(&piece[..count]);
        let streams = String::from_utf8_lossy(&bytes).contains("text/event-stream");
        if count == 0 || streams {
            break;
        }
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let status = text.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}
