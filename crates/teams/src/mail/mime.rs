//! A message as it goes over the wire: headers in ASCII, and the text twice, as words and as HTML.

use super::{Email, is_address};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use handover_core::{digest::Digest, limits::MAIL_BYTES_MAX};

/// Bytes of text in one encoded word, so that its line stays below 76 characters.
const ENCODED_BYTES: usize = 39;
/// Characters of a header or a line of text before it is folded.
const LINE_CHARS: usize = 75;

/// The message in bytes, with CRLF at the end of each line.
///
/// # Errors
/// When an address cannot be written to, or the message is too large.
pub fn written(email: &Email) -> Result<Vec<u8>, String> {
    for (who, address) in [("sender", &email.sender), ("recipient", &email.recipient)] {
        if !is_address(address) {
            return Err(format!("the address of the {who} is `{address}`; write one such as ann@example.com"));
        }
    }
    let id: String = email.message_id.chars().filter(|c| c.is_ascii_graphic() && !"<>".contains(*c)).collect();
    // `=_` never stands in a quoted-printable text, so no line of it can be taken for the boundary.
    let boundary: String = format!("=_{}", Digest::of(id.as_bytes())).chars().take(40).collect();
    let mut out = String::new();
    header(&mut out, "From", &mailbox("From", &email.sender_name, &email.sender));
    header(&mut out, "To", &mailbox("To", &email.recipient_name, &email.recipient));
    header(&mut out, "Subject", &phrase("Subject", &email.subject, false));
    header(&mut out, "Date", &date(email));
    header(&mut out, "Message-ID", &format!("<{id}>"));
    header(&mut out, "MIME-Version", "1.0");
    header(&mut out, "Content-Type", &format!("multipart/alternative;\r\n boundary=\"{boundary}\""));
    out.push_str("\r\n");
    for (kind, text) in [("plain", &email.text), ("html", &email.html)] {
        out.push_str(&format!("--{boundary}\r\n"));
        header(&mut out, "Content-Type", &format!("text/{kind}; charset=utf-8"));
        header(&mut out, "Content-Transfer-Encoding", "quoted-printable");
        out.push_str(&format!("\r\n{}\r\n", quoted_printable(text)));
    }
    out.push_str(&format!("--{boundary}--\r\n"));
    if out.len() > MAIL_BYTES_MAX {
        return Err(format!("the mail has {} bytes; {MAIL_BYTES_MAX} are the most (MAIL_BYTES_MAX)", out.len()));
    }
    Ok(out.into_bytes())
}

fn header(out: &mut String, name: &str, value: &str) {
    out.push_str(&format!("{name}: {value}\r\n"));
}

fn date(email: &Email) -> String {
    // The range of a timestamp is checked where it is read; what is beyond it is shown as the first day.
    let time = jiff::Timestamp::from_millisecond(email.date.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    time.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string()
}

fn mailbox(header: &str, name: &str, address: &str) -> String {
    let name = phrase(header, name, true);
    match name.is_empty() {
        true => address.to_owned(),
        // An address can be as long as a line.
        false => format!("{name}\r\n <{address}>"),
    }
}

/// A text for a header. What is not plain or too long goes into encoded words.
fn phrase(header: &str, text: &str, quoted: bool) -> String {
    // A line break in a name must not begin a header.
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = text.trim();
    let plain = text.is_ascii() && header.len() + 2 + text.len() <= LINE_CHARS - 2 && !text.contains("=?");
    match (plain, quoted) {
        (true, _) if text.is_empty() => String::new(),
        (true, true) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        (true, false) => text.to_owned(),
        (false, _) => {
            let words: Vec<String> =
                chunks(text).map(|chunk| format!("=?UTF-8?B?{}?=", STANDARD.encode(chunk))).collect();
            words.join("\r\n ")
        }
    }
}

/// Pieces of a text that are short enough for one encoded word; no character is cut.
fn chunks(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.floor_char_boundary(ENCODED_BYTES);
        let (chunk, after) = rest.split_at(end);
        rest = after;
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// A text in ASCII and in short lines.
fn quoted_printable(text: &str) -> String {
    let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let mut out = String::new();
    for (at, line) in lines.enumerate() {
        if at > 0 {
            out.push_str("\r\n");
        }
        quote_line(&mut out, line.as_bytes());
    }
    out
}

fn quote_line(out: &mut String, line: &[u8]) {
    let mut width = 0;
    for (at, byte) in line.iter().enumerate() {
        let last = at + 1 == line.len();
        let bare = matches!(byte, b'!'..=b'<' | b'>'..=b'~') || (matches!(byte, b' ' | b'\t') && !last);
        let piece = if bare { char::from(*byte).to_string() } else { format!("={byte:02X}") };
        if width + piece.len() > LINE_CHARS {
            out.push_str("=\r\n");
            width = 0;
        }
        width += piece.len();
        out.push_str(&piece);
    }
}
