//! A provider on this machine that does as it is told, and a clock that never waits.

use handover_agents::model::{Api, Ask, Client, Line, Model, ModelError, Piece, Provider, Reply};
use handover_core::time::Timestamp;
use handover_engine::clock::Clock;
use parking_lot::Mutex;
use std::{future::Future, pin::Pin, sync::Arc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// What the provider does with one request.
#[derive(Clone)]
pub enum Act {
    /// Answers with this status, these headers and this body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// Begins such an answer, and closes the connection in the middle of it.
    Cut(String),
    /// Begins a stream and says nothing more.
    Stall(String),
    /// Says nothing.
    Silence,
    /// Never stops.
    Endless(&'static str),
}

/// A whole stream that says this.
pub fn stream(text: &str) -> String {
    let chunk = serde_json::json!({"choices": [{"delta": {"content": text}, "finish_reason": "stop"}]});
    format!("data: {chunk}\n\ndata: [DONE]\n\n")
}

/// The beginning of a stream.
pub fn beginning(text: &str) -> String {
    format!("data: {}\n\n", serde_json::json!({"choices": [{"delta": {"content": text}}]}))
}

pub fn fine(text: &str) -> Act {
    Act::Answer(200, vec![("content-type", "text/event-stream".into())], stream(text))
}

pub fn refuses(status: u16, headers: &[(&'static str, &str)]) -> Act {
    let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Act::Answer(status, headers, r#"{"error":{"message":"no"}}"#.into())
}

/// A provider, and the requests that it got: head and body.
pub struct Server {
    pub url: String,
    pub got: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Does one act after the other; the last one again and again.
    pub async fn start(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let got = Arc::new(Mutex::new(Vec::new()));
        let log = got.clone();
        tokio::spawn(async move {
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                let request = read(&mut socket).await;
                let place = log.lock().len().min(acts.len() - 1);
                log.lock().push(request);
                tokio::spawn(act(socket, acts[place].clone()));
            }
        });
        Self { url, got }
    }

    pub fn count(&self) -> usize {
        self.got.lock().len()
    }
}

async fn read(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let n = socket.read(&mut buffer).await.unwrap();
        bytes.extend_from_slice(&buffer[..n]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length =
            head.lines().find_map(|line| line.strip_prefix("content-length: ")).map(|text| text.parse().unwrap());
        if n == 0 || body.len() >= length.unwrap_or(0) {
            return text;
        }
    }
}

async fn act(mut socket: TcpStream, act: Act) {
    let begin = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    match act {
        Act::Answer(status, headers, body) => {
            let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let length = body.len();
            let head = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n");
            let _ = socket.write_all(format!("{head}{body}").as_bytes()).await;
        }
        Act::Cut(text) => {
            let _ = socket.write_all(format!("{begin}{}", chunk(&text)).as_bytes()).await;
        }
        Act::Stall(text) => {
            let _ = socket.write_all(format!("{begin}{}", chunk(&text)).as_bytes()).await;
            std::future::pending::<()>().await;
        }
        Act::Silence => std::future::pending::<()>().await,
        Act::Endless(kind) => {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n");
            let _ = socket.write_all(head.as_bytes()).await;
            let more = chunk(&": more\n".repeat(10_000));
            while socket.write_all(more.as_bytes()).await.is_ok() {}
        }
    }
}

/// Waits of at most this are over at once, and noted; longer ones never end.
const SHORT_MS: u64 = 100_000;
/// A time that never comes.
pub const NEVER_MS: u64 = 3_600_000;

/// A clock that is always ahead.
pub struct Hasty {
    now: Mutex<Timestamp>,
    pub waited: Mutex<Vec<u64>>,
}

impl Clock for Hasty {
    fn now(&self) -> Timestamp {
        *self.now.lock()
    }

    fn awake_since(&self) -> Timestamp {
        Timestamp(0)
    }

    fn until(&self, time: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            let left = time.since(self.now());
            if left > SHORT_MS {
                std::future::pending::<()>().await;
            }
            self.waited.lock().push(left);
            *self.now.lock() = time;
        })
    }
}

pub fn provider(api: Api, url: &str) -> Provider {
    Provider { timeout_ms: NEVER_MS, idle_ms: NEVER_MS, ..Provider::new(api).at(url) }
}

/// What came of one question.
pub struct Came {
    pub reply: Result<Reply, ModelError>,
    pub heard: Vec<Piece>,
    pub waited: Vec<u64>,
}

pub async fn ask(provider: Provider) -> Came {
    let clock = Arc::new(Hasty { now: Mutex::new(Timestamp(1_800_000_000_000)), waited: Mutex::default() });
    let key = |name: &str| (name == "OPENAI_API_KEY" || name == "ANTHROPIC_API_KEY").then(|| "the-key-1234".to_owned());
    let client = Client::with(provider, &key, clock.clone()).unwrap();
    assert!(!format!("{client:?}").contains("the-key-1234"));
    let heard = Mutex::new(Vec::new());
    let traceparent = Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned());
    let ask = Ask { model: "m".into(), lines: vec![Line::User("Hi".into())], traceparent, ..Ask::default() };
    let reply = client.ask(&ask, &|piece| heard.lock().push(piece)).await;
    let waited = clock.waited.lock().clone();
    Came { reply, heard: heard.into_inner(), waited }
}
