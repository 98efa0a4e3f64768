//! The answering side: accepts connections as far as there is room, and answers one request on each.

use super::read_message;
use handover_core::limits::{HTTP_CONNECTIONS_MAX, HTTP_DRAINED_BYTES_MAX, HTTP_MS};
use serde_json::{Value, json};
use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
    time::timeout,
};

/// What somebody asks for.
#[derive(Debug, Clone)]
pub struct Request {
    /// GET, POST and so on.
    pub method: String,
    /// The path, without what follows a question mark.
    pub path: String,
    /// The headers, as they came.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }
}

/// What is answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The status, such as 200.
    pub status: u16,
    /// The body.
    pub body: Value,
}

impl Response {
    /// An answer with a body.
    #[must_use]
    pub fn new(status: u16, body: Value) -> Self {
        Self { status, body }
    }

    /// An answer that says what is wrong.
    #[must_use]
    pub fn error(status: u16, why: impl Into<String>) -> Self {
        Self { status, body: json!({ "error": why.into() }) }
    }
}

/// A service that runs until this is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Server {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Done when the service has ended, which it does not do by itself.
    pub async fn ended(&mut self) {
        // Both ways to end are an end.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers what comes in at a listener.
///
/// # Errors
/// When the listener has no address.
pub fn serve<F, R>(listener: TcpListener, handler: F) -> io::Result<Server>
where
    F: Fn(Request) -> R + Send + Sync + 'static,
    R: Future<Output = Response> + Send + 'static,
{
    let address = listener.local_addr()?;
    let handler = Arc::new(handler);
    let task = tokio::spawn(async move {
        // Connections end with the service, and no more than these are served at once.
        let mut open = JoinSet::new();
        loop {
            while open.try_join_next().is_some() {}
            if open.len() >= HTTP_CONNECTIONS_MAX {
                open.join_next().await;
            }
            match listener.accept().await {
                Ok((stream, _)) => drop(open.spawn(connection(stream, Arc::clone(&handler)))),
                // Out of sockets for now: one of ours may end soon.
                Err(_) => match open.join_next().await {
                    Some(_) => {}
                    None => tokio::time::sleep(Duration::from_millis(100)).await,
                },
            }
        }
    });
    Ok(Server { address, task })
}

async fn connection<F, R>(mut stream: TcpStream, handler: Arc<F>)
where
    F: Fn(Request) -> R + Send + Sync + 'static,
    R: Future<Output = Response> + Send + 'static,
{
    let exchange = async {
        let response = match read_message(&mut stream).await {
            Ok((head, body)) => match request(&head.first, head.headers, body) {
                Some(request) => handler(request).await,
                None => Response::error(400, "the first line is not `METHOD /path HTTP/1.1`"),
            },
            Err(error) => match error.kind() {
                io::ErrorKind::InvalidData => Response::error(400, error.to_string()),
                io::ErrorKind::FileTooLarge => Response::error(413, error.to_string()),
                // Whoever asked is gone.
                _ => return,
            },
        };
        let body = response.body.to_string();
        let head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            response.status,
            phrase(response.status),
            body.len()
        );
        // An answer that does not arrive is the asker's to ask for again.
        let _ = stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await;
        let _ = stream.shutdown().await;
        // Closing with something unread would cut off the answer on its way.
        let _ = tokio::io::copy(&mut stream.take(HTTP_DRAINED_BYTES_MAX), &mut tokio::io::sink()).await;
    };
    // A connection that takes too long is dropped.
    let _ = timeout(Duration::from_millis(HTTP_MS), exchange).await;
}

fn request(first: &str, headers: Vec<(String, String)>, body: Vec<u8>) -> Option<Request> {
    let mut words = first.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return None;
    }
    let path = target.split('?').next().unwrap_or_default().to_owned();
    Some(Request { method: method.to_owned(), path, headers, body })
}

fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        503 => "Service Unavailable",
        507 => "Insufficient Storage",
        _ => "Other",
    }
}
