//! A small client for SMTP over plain TCP. It speaks no TLS: name a server on the same machine or in a network that you
//! trust. A user and a password go over the wire as they are.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use handover_core::limits::{SMTP_LINE_BYTES_MAX, SMTP_MS, SMTP_REPLY_LINES_MAX};
use serde::Deserialize;
use std::{fmt, future::Future, io, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader},
    net::TcpStream,
    time::timeout,
};

/// Which server mail goes to, and how.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmtpSettings {
    /// The name or the address of the server.
    pub host: String,
    /// Its port.
    #[serde(default = "default_port")]
    pub port: u16,
    /// The user, when the server wants one.
    #[serde(default)]
    pub user: Option<String>,
    /// The password of the user.
    #[serde(default)]
    pub password: Option<String>,
    /// The name by which this machine greets the server.
    #[serde(default = "default_hello")]
    pub hello: String,
    /// How long the server may take for each reply, in milliseconds.
    #[serde(default = "default_timeout")]
    pub timeout_ms: u64,
}

fn default_port() -> u16 {
    25
}

fn default_hello() -> String {
    "localhost".to_owned()
}

fn default_timeout() -> u64 {
    SMTP_MS
}

impl fmt::Debug for SmtpSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A password is never shown.
        write!(f, "SmtpSettings({}:{}, user {:?})", self.host, self.port, self.user)
    }
}

/// How a delivery went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SmtpError {
    /// The message was not taken. That is certain.
    NotSent {
        /// What went wrong, in words.
        why: String,
        /// Whether another try may do better.
        retryable: bool,
    },
    /// The whole message had left when the connection broke: it may have been taken or not.
    Unknown {
        /// What went wrong, in words.
        why: String,
    },
}

/// Delivers a message.
///
/// # Errors
/// When it was not taken, or when that is not known.
pub async fn send(settings: &SmtpSettings, from: &str, to: &str, message: &[u8]) -> Result<(), SmtpError> {
    let place = format!("{}:{}", settings.host, settings.port);
    let stream = within(settings, TcpStream::connect((settings.host.as_str(), settings.port))).await;
    let stream =
        stream.map_err(|error| not_sent(format!("the mail server {place} cannot be reached: {error}"), true))?;
    converse(stream, settings, from, to, message).await
}

/// Delivers a message over an open connection.
///
/// # Errors
/// When it was not taken, or when that is not known.
pub async fn converse<S>(
    stream: S,
    settings: &SmtpSettings,
    from: &str,
    to: &str,
    message: &[u8],
) -> Result<(), SmtpError>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut line = Line { stream: BufReader::new(stream), settings };
    line.expect("the greeting", 220).await?;
    let known = line.ask("EHLO", &format!("EHLO {}", settings.hello), 250).await?;
    if let (Some(user), Some(password)) = (&settings.user, &settings.password) {
        if !known.iter().any(|word| offers_plain(word)) {
            return Err(not_sent("the mail server does not offer AUTH PLAIN; leave out user and password", false));
        }
        let secret = STANDARD.encode(format!("\0{user}\0{password}"));
        line.ask("AUTH", &format!("AUTH PLAIN {secret}"), 235).await?;
    }
    line.ask("MAIL", &format!("MAIL FROM:<{from}>"), 250).await?;
    line.ask("RCPT", &format!("RCPT TO:<{to}>"), 250).await?;
    line.ask("DATA", "DATA", 354).await?;
    line.put("the message", &stuffed(message)).await?;
    // From here on nobody but the server knows whether it has the message.
    let unknown = |why: String| SmtpError::Unknown { why };
    line.put("the end", b".\r\n").await.map_err(|error| unknown(error.why()))?;
    let reply = line.reply("the end").await.map_err(|error| unknown(error.why()))?;
    accepted("the message", &reply, 250)?;
    // It is sent; a goodbye that fails changes nothing.
    let _ = line.put("QUIT", b"QUIT\r\n").await;
    Ok(())
}

impl SmtpError {
    fn why(self) -> String {
        match self {
            Self::NotSent { why, .. } | Self::Unknown { why } => why,
        }
    }
}

fn not_sent(why: impl Into<String>, retryable: bool) -> SmtpError {
    SmtpError::NotSent { why: why.into(), retryable }
}

fn offers_plain(line: &str) -> bool {
    let line = line.to_ascii_uppercase();
    let mut words = line.split([' ', '=']);
    words.next() == Some("AUTH") && words.any(|word| word == "PLAIN")
}

/// The message with a second dot before each line that begins with one, and a line break at its end.
fn stuffed(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len() + 64);
    for line in message.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b".") {
            out.push(b'.');
        }
        out.extend_from_slice(line);
    }
    if !out.ends_with(b"\r\n") {
        out.extend_from_slice(b"\r\n");
    }
    out
}

/// A reply: its code and the text of its lines.
struct Reply {
    code: u16,
    lines: Vec<String>,
}

fn accepted(what: &str, reply: &Reply, wanted: u16) -> Result<(), SmtpError> {
    // 251 takes the mail too, and hands it on.
    if reply.code == wanted || (wanted == 250 && reply.code == 251) {
        return Ok(());
    }
    let why = format!("the mail server answers {what} with {} {}", reply.code, reply.lines.join(" "));
    Err(not_sent(why.trim_end(), (400..500).contains(&reply.code)))
}

/// A connection on which one side asks and the other replies.
struct Line<'a, S> {
    stream: BufReader<S>,
    settings: &'a SmtpSettings,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Line<'_, S> {
    async fn ask(&mut self, what: &str, command: &str, wanted: u16) -> Result<Vec<String>, SmtpError> {
        self.put(what, format!("{command}\r\n").as_bytes()).await?;
        self.expect(what, wanted).await
    }

    async fn expect(&mut self, what: &str, wanted: u16) -> Result<Vec<String>, SmtpError> {
        let reply = self.reply(what).await?;
        accepted(what, &reply, wanted)?;
        Ok(reply.lines)
    }

    async fn put(&mut self, what: &str, bytes: &[u8]) -> Result<(), SmtpError> {
        let stream = self.stream.get_mut();
        let sent = within(self.settings, async { stream.write_all(bytes).await.map(|()| stream) }).await;
        let flushed = match sent {
            Ok(stream) => within(self.settings, stream.flush()).await,
            Err(error) => Err(error),
        };
        flushed.map_err(|error| not_sent(format!("the mail server does not take {what}: {error}"), true))
    }

    async fn reply(&mut self, what: &str) -> Result<Reply, SmtpError> {
        let settings = self.settings;
        let read = within(settings, self.read_reply()).await;
        read.map_err(|error| not_sent(format!("the mail server does not answer {what}: {error}"), true))
    }

    async fn read_reply(&mut self) -> io::Result<Reply> {
        let mut lines = Vec::new();
        for _ in 0..SMTP_REPLY_LINES_MAX {
            let mut line = Vec::new();
            let most = u64::try_from(SMTP_LINE_BYTES_MAX).unwrap_or(u64::MAX);
            (&mut self.stream).take(most).read_until(b'\n', &mut line).await?;
            if !line.ends_with(b"\n") {
                let why = if line.len() < SMTP_LINE_BYTES_MAX { "the connection ended" } else { "a line is too long" };
                return Err(io::Error::other(why));
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end();
            let code = line.get(..3).and_then(|code| code.parse().ok());
            let code = code.ok_or_else(|| io::Error::other("a line without a code"))?;
            lines.push(line.get(4..).unwrap_or_default().to_owned());
            if line.as_bytes().get(3) != Some(&b'-') {
                return Ok(Reply { code, lines });
            }
        }
        Err(io::Error::other(format!("more than {SMTP_REPLY_LINES_MAX} lines (SMTP_REPLY_LINES_MAX)")))
    }
}

async fn within<T>(settings: &SmtpSettings, doing: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    let ms = settings.timeout_ms;
    match timeout(Duration::from_millis(ms), doing).await {
        Ok(done) => done,
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, format!("nothing within {ms} ms"))),
    }
}
