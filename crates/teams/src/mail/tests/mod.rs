//! Mail: a message for all tests, and a mail server that follows a script.

mod delivery;
mod message;
mod server;

use super::*;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

fn email() -> Email {
    Email {
        message_id: message_id("request-1", "desk@charter.example"),
        date: "2026-11-16T09:30:00Z".parse().unwrap(),
        sender_name: "Charter Desk".into(),
        sender: "desk@charter.example".into(),
        recipient_name: "Bjørn Østergård".into(),
        recipient: "bjorn@ostergard.example".into(),
        subject: "Three aircraft for your flight from Zürich to Málaga, and a rather long subject 飛行機".into(),
        text: format!("Dear Bjørn,\n.one dot\n..\n{}\ntrailing space \n= 100 %\n", "ü".repeat(200)),
        html: "<p>Dear Bjørn</p>".into(),
    }
}

/// The replies of a mail server in order: the greeting, and one for each command; after them it breaks off.
const REPLIES: [&str; 7] =
    ["220 hi", "250-x\r\n250 AUTH LOGIN PLAIN", "235 in", "250 ok", "250 ok", "354 go on", "250 queued"];

/// A mail server that gives these replies. What it was told comes back when it ends.
async fn server(
    stream: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    replies: Vec<String>,
) -> Vec<String> {
    let (mut stream, mut told, mut data) = (BufReader::new(stream), Vec::new(), false);
    for (at, reply) in replies.iter().enumerate() {
        if at > 0 && !listen(&mut stream, &mut told, data).await {
            return told;
        }
        data = reply == "354 go on";
        if stream.write_all(format!("{reply}\r\n").as_bytes()).await.is_err() {
            return told;
        }
    }
    if data {
        // It takes the whole message, and then breaks off.
        listen(&mut stream, &mut told, true).await;
    }
    if replies.len() == REPLIES.len() {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap_or(0);
        told.push(line);
    }
    told
}

/// Reads a command, or a whole message with its last dot. False when the other side is gone.
async fn listen(stream: &mut (impl AsyncBufReadExt + Unpin), told: &mut Vec<String>, message: bool) -> bool {
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return false;
        }
        told.push(line);
        if !message || told.last().is_some_and(|line| line == ".\r\n") {
            return true;
        }
    }
}

fn settings(port: u16) -> SmtpSettings {
    let (user, password) = (Some("desk".to_owned()), Some("secret".to_owned()));
    SmtpSettings { host: "127.0.0.1".into(), port, user, password, hello: "localhost".into(), timeout_ms: 30_000 }
}

fn replies(count: usize) -> Vec<String> {
    REPLIES.iter().take(count).map(|reply| (*reply).to_owned()).collect()
}
