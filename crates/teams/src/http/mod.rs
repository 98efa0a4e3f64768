//! A small HTTP/1.1: one exchange per connection, bodies of a known length, and a bound on everything.
//!
//! It is for services that ship with a team and talk over the same machine. It knows neither TLS nor chunks.

mod client;
mod server;

pub use client::{Answer, call};
pub use server::{Request, Response, Server, serve};

use handover_core::limits::{HTTP_BODY_BYTES_MAX, HTTP_HEAD_BYTES_MAX};
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The first line and the headers of a message.
struct Head {
    first: String,
    headers: Vec<(String, String)>,
}

impl Head {
    fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }

    /// How long the body is. A length that could be read in two ways is none.
    fn length(&self) -> io::Result<usize> {
        if self.get("transfer-encoding").is_some() {
            return Err(bad("a body in chunks is not read; send `Content-Length`"));
        }
        let lengths = self.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let lengths: Vec<&str> = lengths.map(|(_, value)| value.as_str()).collect();
        match lengths[..] {
            [] => Ok(0),
            [length] if length.bytes().all(|byte| byte.is_ascii_digit()) => {
                length.parse().map_err(|_| bad("`Content-Length` is not a number"))
            }
            [_] => Err(bad("`Content-Length` is not a number")),
            _ => Err(bad("`Content-Length` is there twice")),
        }
    }
}

/// Reads a message: its head, and a body of the length that the head names.
async fn read_message(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<(Head, Vec<u8>)> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = find(&bytes, b"\r\n\r\n") {
            break at;
        }
        if bytes.len() > HTTP_HEAD_BYTES_MAX {
            return Err(bad(format!("the head is larger than {HTTP_HEAD_BYTES_MAX} bytes (HTTP_HEAD_BYTES_MAX)")));
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the connection ended within the head"));
        }
    };
    let head = parse_head(&bytes[..end])?;
    let mut body = bytes.split_off(end + 4);
    let length = head.length()?;
    if length > HTTP_BODY_BYTES_MAX {
        let say = format!(
            "the body has {length} bytes; {HTTP_BODY_BYTES_MAX} are the most that is read (HTTP_BODY_BYTES_MAX)"
        );
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, say));
    }
    if body.len() < length {
        let have = body.len();
        body.resize(length, 0);
        stream.read_exact(&mut body[have..]).await?;
    }
    body.truncate(length);
    Ok((head, body))
}

fn parse_head(bytes: &[u8]) -> io::Result<Head> {
    let text = std::str::from_utf8(bytes).map_err(|_| bad("the head is not UTF-8"))?;
    let mut lines = text.split("\r\n");
    let first = lines.next().unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    for line in lines {
        let (name, value) = line.split_once(':').ok_or_else(|| bad("a header has no colon"))?;
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(bad("the name of a header is not a word"));
        }
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    Ok(Head { first, headers })
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn bad(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.into())
}
