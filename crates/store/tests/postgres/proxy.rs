//! A way to the database that breaks when it is told to: once, at the statement that carries a certain word.

use parking_lot::Mutex;
use std::sync::Arc;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{oneshot, watch},
};

/// What happens to the statement.
pub enum Break {
    /// It never arrives.
    Before,
    /// It is done, and the answer is lost.
    After,
    /// The connection breaks, and it arrives when somebody says so; what the database says to it is told.
    Late { go: oneshot::Receiver<()>, said: oneshot::Sender<Vec<u8>> },
}

type Trap = Arc<Mutex<Option<(Vec<u8>, Break)>>>;

/// The way.
pub struct Proxy {
    address: String,
    trap: Trap,
    silent: watch::Sender<()>,
}

/// The end of everything that a client sends in one go.
const SYNC: &[u8] = b"S\x00\x00\x00\x04";
/// The end of everything that a server answers to it.
const READY: &[u8] = b"Z\x00\x00\x00\x05I";

impl Proxy {
    /// A way to the server of this address.
    pub async fn to(address: &str) -> Self {
        let (scheme, rest) = address.split_once("://").unwrap();
        let at = rest.find('/').unwrap();
        let (user, host) = rest[..at].rsplit_once('@').map_or(("", &rest[..at]), |(user, host)| (user, host));
        let server = host.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let trap = Trap::default();
        let armed = trap.clone();
        let silent = watch::Sender::new(());
        let silence = silent.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, server.clone(), armed.clone(), silence.subscribe()));
            }
        });
        let user = if user.is_empty() { String::new() } else { format!("{user}@") };
        Self { address: format!("{scheme}://{user}127.0.0.1:{port}{}", &rest[at..]), trap, silent }
    }

    /// The address to use instead, without encryption: the proxy reads what passes.
    pub fn address(&self) -> String {
        format!("{}&sslmode=disable", self.address)
    }

    /// Breaks at the next statement that carries this word.
    pub fn arm(&self, word: &str, how: Break) {
        *self.trap.lock() = Some((word.as_bytes().to_vec(), how));
    }

    /// Nothing passes any more on the connections that stand, and nobody is told. New ones are as good as any.
    pub fn fall_silent(&self) {
        self.silent.send_replace(());
    }

    pub fn is_armed(&self) -> bool {
        self.trap.lock().is_some()
    }
}

async fn carry(mut client: TcpStream, server: String, trap: Trap, mut silence: watch::Receiver<()>) {
    let Ok(mut server) = TcpStream::connect(server).await else { return };
    let (mut up, mut down) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            biased;
            _ = silence.changed() => return std::future::pending().await,
            sent = client.read(&mut up) => {
                let Ok(n @ 1..) = sent else { return };
                let carries = trap.lock().as_ref().is_some_and(|(word, _)| contains(&up[..n], word));
                if carries {
                    let whole = until(&mut client, up[..n].to_vec(), SYNC).await;
                    let (_, how) = trap.lock().take().unwrap();
                    return spring(how, &whole, client, server).await;
                }
                if server.write_all(&up[..n]).await.is_err() {
                    return;
                }
            }
            answered = server.read(&mut down) => {
                let Ok(n @ 1..) = answered else { return };
                if client.write_all(&down[..n]).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn spring(how: Break, whole: &[u8], client: TcpStream, mut server: TcpStream) {
    match how {
        Break::Before => {}
        Break::After => {
            server.write_all(whole).await.unwrap();
            until(&mut server, Vec::new(), READY).await;
        }
        Break::Late { go, said } => {
            drop(client);
            go.await.unwrap();
            server.write_all(whole).await.unwrap();
            said.send(until(&mut server, Vec::new(), READY).await).unwrap();
        }
    }
}

/// Reads until the bytes end so.
async fn until(from: &mut TcpStream, mut bytes: Vec<u8>, end: &[u8]) -> Vec<u8> {
    let mut buffer = vec![0; 1 << 16];
    while !bytes.ends_with(end) {
        let n = from.read(&mut buffer).await.unwrap();
        assert!(n > 0, "the other side is gone");
        bytes.extend_from_slice(&buffer[..n]);
    }
    bytes
}

pub fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}
