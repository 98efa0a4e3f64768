//! A mail server that breaks off, refuses or falls silent at every stage.

use super::*;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use tokio::io::{AsyncReadExt, DuplexStream};

async fn talk(replies: Vec<String>, message: &[u8]) -> (Result<(), SmtpError>, Vec<String>) {
    let (ours, theirs): (DuplexStream, DuplexStream) = tokio::io::duplex(64 * 1024);
    let server = tokio::spawn(super::server(theirs, replies));
    let outcome = converse(ours, &settings(25), "a@x.example", "b@y.example", message).await;
    (outcome, server.await.unwrap())
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
async fn a_connection_that_breaks_at_the_last_dot_leaves_it_unknown() {
    // The pipe is full with the end of the message, so the dot waits until the server has read it all and is gone.
    let (ours, theirs) = tokio::io::duplex(8);
    let message = b"12345678".repeat(4).into_iter().chain(*b"123456\r\n").collect::<Vec<u8>>();
    let length = message.len();
    let server = tokio::spawn(async move {
        let mut stream = BufReader::new(theirs);
        for (at, reply) in replies(6).iter().enumerate() {
            if at > 0 {
                stream.read_line(&mut String::new()).await.unwrap();
            }
            stream.write_all(format!("{reply}\r\n").as_bytes()).await.unwrap();
        }
        stream.read_exact(&mut vec![0; length]).await.unwrap();
    });
    let outcome = converse(ours, &settings(25), "a@x.example", "b@y.example", &message).await;
    assert_eq!(word(&outcome), "unknown", "{outcome:?}");
    assert!(matches!(outcome, Err(SmtpError::Unknown { why }) if why.contains("does not take the end")));
    server.await.unwrap();
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

#[test]
fn a_password_is_not_shown() {
    assert!(!format!("{:?}", settings(25)).contains("secret"));
    let yaml = "smtp: {server: {host: mail.example, user: a, password: b}, journal: sent}";
    let delivery: Delivery = serde_saphyr::from_str(yaml).unwrap();
    assert!(matches!(delivery, Delivery::Smtp { server, .. } if server.port == 25 && server.timeout_ms == 60_000));
}
