//! The asking side: one request, one answer, within a bounded time.

use super::{bad, read_message};
use handover_core::limits::HTTP_MS;
use serde_json::Value;
use std::{io, time::Duration};
use tokio::{io::AsyncWriteExt, net::TcpStream, time::timeout};

/// What a service answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The status, such as 200.
    pub status: u16,
    /// The body, read as JSON; null when there is none.
    pub body: Value,
}

/// Asks a service at `host:port` for something.
///
/// # Errors
/// When it cannot be reached, takes longer than `HTTP_MS`, or answers something that is no HTTP or no JSON.
pub async fn call(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> io::Result<Answer> {
    let late = |_| io::Error::new(io::ErrorKind::TimedOut, format!("no answer within {HTTP_MS} ms (HTTP_MS)"));
    timeout(Duration::from_millis(HTTP_MS), exchange(address, method, path, headers, body)).await.map_err(late)?
}

async fn exchange(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(&written(address, method, path, headers, body)?).await?;
    let (head, body) = read_message(&mut stream).await?;
    let mut words = head.first.split(' ');
    if !words.next().is_some_and(|version| version.starts_with("HTTP/1.")) {
        return Err(bad("the answer is not HTTP/1.1"));
    }
    let status = words.next().and_then(|status| status.parse().ok()).ok_or_else(|| bad("the answer has no status"))?;
    let body = match body.is_empty() {
        true => Value::Null,
        false => serde_json::from_slice(&body).map_err(|error| bad(format!("the answer is not JSON: {error}")))?,
    };
    Ok(Answer { status, body })
}

fn written(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> io::Result<Vec<u8>> {
    let body = body.map(Value::to_string).unwrap_or_default();
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}", body.len()));
    // A line break in a path or a header would begin another one.
    let lines = headers.len() + 5;
    if head.split(['\r', '\n']).filter(|line| !line.is_empty()).count() != lines || path.contains(' ') {
        return Err(bad("a path or a header holds a space or a line break"));
    }
    Ok(format!("{head}\r\n\r\n{body}").into_bytes())
}
