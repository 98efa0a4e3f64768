//! A service on this machine that does what a test says, and an independent look at signatures.

use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, VecDeque},
    fmt::Write,
    io::Write as _,
    net::SocketAddr,
    process::{Command, Stdio},
    sync::Arc,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

pub const SECRET: &str = "a secret that nobody knows";

/// What a service does with a request.
#[derive(Debug, Clone)]
pub enum Does {
    /// Answers with a status, more headers, and a body.
    Says(u16, &'static str, Vec<u8>),
    /// Begins a body and never ends it.
    Endless,
    /// Begins a body, and hangs up.
    BreaksOff,
    /// Takes the request and never answers.
    Silent,
    /// Hangs up.
    HangsUp,
}

pub fn says(status: u16, headers: &'static str, body: &str) -> Does {
    Does::Says(status, headers, body.as_bytes().to_vec())
}

/// A request that came.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    pub line: String,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Seen {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

#[derive(Clone)]
pub struct Service {
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Service {
    /// Does one after the other; the last for ever.
    pub async fn doing(does: impl IntoIterator<Item = Does>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let service = Self { address: listener.local_addr().unwrap(), seen: Arc::default() };
        let does: Arc<Mutex<VecDeque<Does>>> = Arc::new(Mutex::new(does.into_iter().collect()));
        let seen = service.seen.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, seen.clone(), does.clone()));
            }
        });
        service
    }

    pub fn url(&self) -> String {
        format!("http://{}/work", self.address)
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().clone()
    }

    /// Until so many requests came.
    pub async fn saw(&self, count: usize) {
        crate::common::within(async {
            while self.seen.lock().len() < count {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}

async fn answer(stream: TcpStream, seen: Arc<Mutex<Vec<Seen>>>, does: Arc<Mutex<VecDeque<Does>>>) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream).await {
        let next = {
            let mut does = does.lock();
            if does.len() > 1 { does.pop_front() } else { does.front().cloned() }
        };
        // Seen when it is known what is done about it: a test that waits for one finds the next.
        seen.lock().push(request);
        let head = |status: u16, more: &str| format!("HTTP/1.1 {status} Told\r\n{more}");
        let done = match next.unwrap() {
            Does::Says(status, more, body) => {
                let mut text = head(status, more);
                write!(text, "content-length: {}\r\n\r\n", body.len()).unwrap();
                stream.write_all(&[text.as_bytes(), &body].concat()).await
            }
            Does::Endless => {
                let begun = stream.write_all(head(200, "\r\n").as_bytes()).await;
                while begun.is_ok() && stream.write_all(&[b'x'; 8192]).await.is_ok() {}
                return;
            }
            Does::BreaksOff => {
                let _ = stream.write_all(head(200, "content-length: 100\r\n\r\n{\"da").as_bytes()).await;
                return;
            }
            Does::Silent => std::future::pending().await,
            Does::HangsUp => return,
        };
        if done.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Seen> {
    let mut seen = Seen::default();
    stream.read_line(&mut seen.line).await.ok().filter(|count| *count > 0)?;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        seen.headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let mut body = vec![0; seen.header("content-length").parse().unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    seen.body = String::from_utf8(body).unwrap();
    Some(seen)
}

/// A signature as the guide says it is made, by another program.
pub fn signed(secret: &str, at: &str, handoff: &str, body: &str) -> String {
    let program = "import hmac, hashlib, sys; secret, at, handoff = sys.argv[1:]; \
        body = sys.stdin.buffer.read(); \
        print('v1=' + hmac.new(secret.encode(), f'{at}.{handoff}.'.encode() + body, hashlib.sha256).hexdigest())";
    let mut python = Command::new("python3")
        .args(["-c", program, secret, at, handoff])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(body.as_bytes()).unwrap();
    String::from_utf8(python.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
}
