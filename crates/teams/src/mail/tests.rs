//! Messages that are read back, a mail server that breaks off at every stage, and deliveries that happen once.

use super::*;
use crate::faults::{Fault, FaultCounter};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use std::path::Path;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

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

/// Names with values, or kinds with texts.
type Pairs = Vec<(String, String)>;

/// A message read back by the rules, not by our code: headers, and parts with their text.
fn read_back(bytes: &[u8]) -> (Pairs, Pairs) {
    let text = std::str::from_utf8(bytes).unwrap();
    assert!(text.is_ascii() && text.ends_with("\r\n"), "{text}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    assert!(text.split("\r\n").all(|line| line.len() <= 76), "{text}");
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let headers = headers(head);
    let kind = &headers.iter().find(|(name, _)| name == "Content-Type").unwrap().1;
    let boundary = kind.split('"').nth(1).unwrap();
    let mut parts: Vec<&str> = body.split(&format!("--{boundary}")).collect();
    assert_eq!((parts.remove(0), parts.pop()), ("", Some("--\r\n")));
    let parts = parts.into_iter().map(|part| {
        let (head, body) = part.strip_prefix("\r\n").unwrap().split_once("\r\n\r\n").unwrap();
        (self::headers(head).remove(0).1, unquoted(body.strip_suffix("\r\n").unwrap()))
    });
    (headers, parts.collect())
}

fn headers(head: &str) -> Pairs {
    let unfolded = head.replace("?=\r\n =?", "?==?").replace("\r\n ", " ");
    let one = |line: &str| {
        let (name, mut rest) = line.split_once(": ").unwrap();
        let mut value = String::new();
        let mut bytes = Vec::new();
        while let Some((before, after)) = rest.split_once("=?UTF-8?B?") {
            value.push_str(before);
            let (word, after) = after.split_once("?=").unwrap();
            bytes = STANDARD.decode(word).unwrap();
            value.push_str(std::str::from_utf8(&bytes).unwrap());
            rest = after;
        }
        drop(bytes);
        (name.to_owned(), value + rest)
    };
    unfolded.split("\r\n").map(one).collect()
}

fn unquoted(text: &str) -> String {
    let joined = text.replace("=\r\n", "").replace("\r\n", "\n");
    let (mut bytes, mut rest) = (Vec::new(), joined.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first == b'=' {
            let code = std::str::from_utf8(&rest[..2]).unwrap();
            bytes.push(u8::from_str_radix(code, 16).unwrap());
            rest = &rest[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_message_is_read_back_as_it_was() {
    let email = email();
    let (headers, parts) = read_back(&written(&email).unwrap());
    let get = |name: &str| headers.iter().find(|(known, _)| known == name).unwrap().1.clone();
    assert_eq!(get("From"), "\"Charter Desk\" <desk@charter.example>");
    assert_eq!(get("To"), "Bjørn Østergård <bjorn@ostergard.example>");
    assert_eq!(get("Subject"), email.subject);
    assert_eq!(get("Date"), "Mon, 16 Nov 2026 09:30:00 +0000");
    assert_eq!(get("Message-ID"), format!("<{}>", email.message_id));
    let expected = [("text/plain; charset=utf-8", &email.text), ("text/html; charset=utf-8", &email.html)];
    assert_eq!(parts, expected.map(|(kind, text)| (kind.to_owned(), text.clone())));
}

#[test]
fn a_name_cannot_begin_a_header() {
    let email = Email {
        recipient_name: "Eve\"\r\nBcc: all@example.com".into(),
        subject: "Hi\nX-Spam: no =?UTF-8?B?eA==?=".into(),
        ..email()
    };
    let (headers, _) = read_back(&written(&email).unwrap());
    let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type"]);
    assert_eq!(headers[1].1, "\"Eve\\\"  Bcc: all@example.com\" <bjorn@ostergard.example>");
    assert_eq!(headers[2].1, "Hi X-Spam: no =?UTF-8?B?eA==?=");
}

#[test]
fn only_usual_addresses_are_taken() {
    for good in ["a@b", "jane.miller@example.com", "o'neill+x@a-b.example"] {
        assert!(is_address(good), "{good}");
    }
    let long = format!("{}@example.com", "a".repeat(250));
    for bad in
        ["", "@", "a@", "@b", "a b@c.example", "a@b@c", "a@b>\r\nRCPT TO:<c@d", "ä@b.example", ".a@b", "a@b..c", &long]
    {
        assert!(!is_address(bad), "{bad}");
        let wrong = Email { recipient: bad.into(), ..email() };
        assert!(written(&wrong).unwrap_err().starts_with("the address of the recipient is"));
    }
    let large = Email { text: "x".repeat(handover_core::limits::MAIL_BYTES_MAX), ..email() };
    assert!(written(&large).unwrap_err().contains("MAIL_BYTES_MAX"));
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

async fn talk(replies: Vec<String>, message: &[u8]) -> (Result<(), SmtpError>, Vec<String>) {
    let (ours, theirs): (DuplexStream, DuplexStream) = tokio::io::duplex(64 * 1024);
    let server = tokio::spawn(server(theirs, replies));
    let outcome = converse(ours, &settings(25), "a@x.example", "b@y.example", message).await;
    (outcome, server.await.unwrap())
}

fn replies(count: usize) -> Vec<String> {
    REPLIES.iter().take(count).map(|reply| (*reply).to_owned()).collect()
}

#[tokio::test]
async fn a_message_is_delivered_with_dots_stuffed() {
    let (outcome, told) = talk(replies(7), b"Subject: x\r\n\r\n.one\r\n..\r\nend").await;
    assert_eq!(outcome, Ok(()));
    let secret = STANDARD.encode("\0desk\0secret");
    let auth = format!("AUTH PLAIN {secret}\r\n");
    let expected = [
        "EHLO localhost\r\n",
        &auth,
        "MAIL FROM:<a@x.example>\r\n",
        "RCPT TO:<b@y.example>\r\n",
        "DATA\r\n",
        "Subject: x\r\n",
        "\r\n",
        "..one\r\n",
        "...\r\n",
        "end\r\n",
        ".\r\n",
        "QUIT\r\n",
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_connection_may_break_at_every_stage() {
    for count in 0..7 {
        let (outcome, _) = talk(replies(count), b"x\r\n").await;
        let expected = match count {
            // The whole message had left, and no word came back.
            6 => "unknown",
            _ => "not sent, again",
        };
        assert_eq!(word(&outcome), expected, "after {count} replies: {outcome:?}");
    }
    // Broken off within the message: whatever is made of it, it is not taken for sent.
    let mut cut = replies(6);
    cut[5] = "354 cut".to_owned();
    let (outcome, _) = talk(cut, &b"x\r\n".repeat(100_000)).await;
    assert_eq!(word(&outcome), "not sent, again");
}

#[tokio::test]
async fn a_refusal_says_whether_to_try_again() {
    for at in 0..7 {
        for (reply, expected) in [("451 later", "not sent, again"), ("550 no", "not sent, never"), ("hm", "")] {
            let mut replies = replies(at + 1);
            replies[at] = reply.to_owned();
            let (outcome, _) = talk(replies, b"x\r\n").await;
            // A reply without a code is as good as none.
            let unread = if at == 6 { "unknown" } else { "not sent, again" };
            let expected = if expected.is_empty() { unread } else { expected };
            assert_eq!(word(&outcome), expected, "{reply} at {at}: {outcome:?}");
        }
    }
    let mut plain = replies(7);
    plain[1] = "250 AUTH LOGIN".to_owned();
    assert_eq!(word(&talk(plain, b"x").await.0), "not sent, never");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_silent_or_talks_too_much_is_left() {
    let (ours, theirs) = tokio::io::duplex(64);
    let outcome = converse(ours, &settings(25), "a@x.example", "b@y.example", b"x").await;
    assert!(matches!(&outcome, Err(SmtpError::NotSent { why, retryable: true }) if why.contains("30000 ms")));
    drop(theirs);
    for endless in ["220-x\r\n".repeat(100), "2".repeat(5_000)] {
        let (outcome, _) = talk(vec![endless], b"x").await;
        assert_eq!(word(&outcome), "not sent, again");
    }
}

fn word(outcome: &Result<(), SmtpError>) -> &'static str {
    match outcome {
        Ok(()) => "sent",
        Err(SmtpError::NotSent { retryable: true, .. }) => "not sent, again",
        Err(SmtpError::NotSent { .. }) => "not sent, never",
        Err(SmtpError::Unknown { .. }) => "unknown",
    }
}

fn mailer(delivery: Delivery) -> Mailer {
    Mailer::new(delivery, Fault::default(), FaultCounter::default())
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn the_outbox_holds_a_message_once() {
    let folder = tempfile::tempdir().unwrap();
    let outbox = folder.path().join("outbox");
    let mailer = mailer(Delivery::Outbox(outbox.clone()));
    assert_eq!(mailer.deliver(&email()).await, Ok(Sent::Now));
    let [name] = &files(&outbox)[..] else { panic!("one file") };
    let before = std::fs::read(outbox.join(name)).unwrap();
    read_back(&before);
    let other = Email { text: "Another text with the same id.".into(), ..email() };
    assert_eq!(mailer.deliver(&other).await, Ok(Sent::Before));
    assert_eq!(std::fs::read(outbox.join(name)).unwrap(), before);
    // What a crash left half written is no mail, and does not stand in the way.
    std::fs::rename(outbox.join(name), outbox.join(format!("{name}.part"))).unwrap();
    assert_eq!(mailer.deliver(&other).await, Ok(Sent::Now));
    assert_eq!(&files(&outbox)[..], std::slice::from_ref(name));
}

#[tokio::test]
async fn many_at_once_make_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let mailer = mailer(Delivery::Outbox(folder.path().into()));
    let tries: Vec<_> = (0..16)
        .map(|_| {
            let mailer = mailer.clone();
            tokio::spawn(async move { mailer.deliver(&email()).await })
        })
        .collect();
    let mut now = 0;
    for one in tries {
        match one.await.unwrap() {
            Ok(Sent::Now) => now += 1,
            Ok(Sent::Before) => {}
            Err(error) => assert!(error.retryable && error.why.contains("at this moment"), "{}", error.why),
        }
    }
    assert_eq!((now, files(folder.path()).len()), (1, 1));
}

/// A mail server on a port of its own that takes one connection for each list of replies.
async fn listening(scripts: Vec<Vec<String>>) -> (u16, JoinHandle<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let task = tokio::spawn(async move {
        let mut taken = 0;
        for script in scripts {
            let (stream, _): (TcpStream, _) = listener.accept().await.unwrap();
            taken += usize::from(server(stream, script).await.iter().any(|line| line == ".\r\n"));
        }
        taken
    });
    (port, task)
}

#[tokio::test]
async fn the_journal_sends_once_and_never_blindly() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal");
    // Broken off before the message: again. Then sent. A third connection would never be taken.
    let (port, taken) = listening(vec![replies(4), replies(7)]).await;
    let mailer = mailer(Delivery::Smtp { server: settings(port), journal: journal.clone() });
    assert!(mailer.deliver(&email()).await.unwrap_err().retryable);
    assert_eq!(files(&journal), [""; 0]);
    assert_eq!(mailer.deliver(&email()).await, Ok(Sent::Now));
    assert_eq!(taken.await.unwrap(), 1);
    assert_eq!(mailer.deliver(&email()).await, Ok(Sent::Before));
}

#[tokio::test]
async fn what_may_have_been_sent_is_left_to_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let (port, taken) = listening(vec![replies(6)]).await;
    let mailer = mailer(Delivery::Smtp { server: settings(port), journal: folder.path().into() });
    for why in ["does not answer the end", "an earlier try did not end", "an earlier try did not end"] {
        let error = mailer.deliver(&email()).await.unwrap_err();
        assert!(!error.retryable && error.why.contains(why), "{}", error.why);
        assert!(error.why.starts_with("it is not known whether bjorn@ostergard.example has the mail"));
        // An entry that was cut off counts as begun.
        std::fs::write(folder.path().join(&files(folder.path())[0]), b"").unwrap();
    }
    assert_eq!(taken.await.unwrap(), 1);
}

#[tokio::test]
async fn delivery_can_fail_on_purpose() {
    let folder = tempfile::tempdir().unwrap();
    let fault = |fail_first, permanently| {
        let delivery = Delivery::Outbox(folder.path().into());
        Mailer::new(delivery, Fault { fail_first, permanently }, FaultCounter::default())
    };
    assert!(!fault(0, true).deliver(&email()).await.unwrap_err().retryable);
    let mailer = fault(1, false);
    assert!(mailer.deliver(&email()).await.unwrap_err().retryable);
    assert_eq!(mailer.deliver(&email()).await, Ok(Sent::Now));
}

#[test]
fn a_password_is_not_shown() {
    assert!(!format!("{:?}", settings(25)).contains("secret"));
    let yaml = "smtp: {server: {host: mail.example, user: a, password: b}, journal: sent}";
    let delivery: Delivery = serde_saphyr::from_str(yaml).unwrap();
    assert!(matches!(delivery, Delivery::Smtp { server, .. } if server.port == 25 && server.timeout_ms == 60_000));
}
