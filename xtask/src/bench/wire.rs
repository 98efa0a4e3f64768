//! A client that costs as little as one can: HTTP/1.1 over one connection, one request at a time.

use super::load::text;
use serde_json::Value;
use std::net::SocketAddr;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

/// A connection that is kept.
pub(super) struct Wire {
    stream: BufReader<TcpStream>,
    host: SocketAddr,
    key: Option<String>,
    line: Vec<u8>,
    body: Vec<u8>,
}

impl Wire {
    pub(super) async fn open(host: SocketAddr, key: Option<&str>) -> Result<Self, String> {
        let stream = TcpStream::connect(host).await.map_err(text)?;
        stream.set_nodelay(true).map_err(text)?;
        let stream = BufReader::with_capacity(4 * 1024, stream);
        Ok(Self { stream, host, key: key.map(str::to_owned), line: Vec::new(), body: Vec::new() })
    }

    fn head(&self, method: &str, path: &str, bytes: usize) -> String {
        let key = self.key.as_ref().map(|key| format!("authorization: Bearer {key}\r\n")).unwrap_or_default();
        let host = self.host;
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\n{key}content-type: application/json\r\ncontent-length: {bytes}\r\n\r\n"
        )
    }

    /// Asks and gives the body of the answer. Anything but a success is an error.
    pub(super) async fn ask(&mut self, method: &str, path: &str, body: &[u8]) -> Result<&[u8], String> {
        let mut request = self.head(method, path, body.len()).into_bytes();
        request.extend_from_slice(body);
        self.stream.get_mut().write_all(&request).await.map_err(text)?;
        let (status, bytes) = self.answered().await?;
        self.body.resize(bytes, 0);
        self.stream.read_exact(&mut self.body).await.map_err(text)?;
        if (200..300).contains(&status) {
            return Ok(&self.body);
        }
        Err(format!("{method} {path}: {status} {}", String::from_utf8_lossy(&self.body)))
    }

    /// The same, read as JSON.
    pub(super) async fn json(&mut self, method: &str, path: &str, body: &[u8]) -> Result<Value, String> {
        serde_json::from_slice(self.ask(method, path, body).await?).map_err(text)
    }

    /// Begins to listen to this session, and gives the connection to be held.
    pub(super) async fn listen(mut self, path: &str) -> Result<BufReader<TcpStream>, String> {
        let request = self.head("GET", path, 0);
        self.stream.get_mut().write_all(request.as_bytes()).await.map_err(text)?;
        match self.answered().await?.0 {
            200 => Ok(self.stream),
            status => Err(format!("{path}: {status}")),
        }
    }

    /// The status, and how long the body is.
    async fn answered(&mut self) -> Result<(u16, usize), String> {
        let (mut status, mut bytes) = (0, 0);
        loop {
            self.line.clear();
            if self.stream.read_until(b'\n', &mut self.line).await.map_err(text)? == 0 {
                return Err("the server went away".into());
            }
            let line = std::str::from_utf8(&self.line).map_err(text)?.trim_end();
            if line.is_empty() {
                return Ok((status, bytes));
            }
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest.get(..3).and_then(|digits| digits.parse().ok()).unwrap_or(0);
            } else if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                bytes = value.trim().parse().map_err(text)?;
            }
        }
    }
}
