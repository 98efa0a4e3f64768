//! Messages that are read back by the rules of mail, not by our code.

use super::*;
use base64::{Engine as _, engine::general_purpose::STANDARD};

/// Names with values, or kinds with texts.
type Pairs = Vec<(String, String)>;

/// A message read back by the rules, not by our code: headers, and parts with their text.
pub(super) fn read_back(bytes: &[u8]) -> (Pairs, Pairs) {
    let text = std::str::from_utf8(bytes).unwrap();
    assert!(text.is_ascii() && text.ends_with("\r\n"), "{text}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    // Servers on the way may cut off spaces at the end of a line.
    assert!(text.split("\r\n").all(|line| line.len() <= 76 && !line.ends_with([' ', '\t'])), "{text}");
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
