//! Mail: what a message is, how it is written, and how it is delivered once and never twice.

mod deliver;
mod mime;
mod smtp;

pub use deliver::{Delivery, MailError, Mailer, Sent};
pub use mime::written;
pub use smtp::{SmtpError, SmtpSettings, converse, send};

use handover_core::{digest::Digest, limits::ADDRESS_CHARS_MAX, time::Timestamp};
use serde::{Deserialize, Serialize};

/// A message to one person, in words and as a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Email {
    /// Which message it is: never two are delivered with the same id. Without angle brackets.
    pub message_id: String,
    /// When it was written.
    pub date: Timestamp,
    /// The name of who writes.
    pub sender_name: String,
    /// The address of who writes.
    pub sender: String,
    /// The name of who is written to; empty when it is not known.
    pub recipient_name: String,
    /// The address of who is written to.
    pub recipient: String,
    /// What it is about.
    pub subject: String,
    /// The message as plain text.
    pub text: String,
    /// The message as HTML.
    pub html: String,
}

/// The id of the one message of a session.
#[must_use]
pub fn message_id(session: &str, sender: &str) -> String {
    let digest: String = Digest::of(session.as_bytes()).to_string().chars().take(32).collect();
    let domain = sender.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
    format!("{digest}@{domain}")
}

/// Whether mail can be sent to this address. Only the usual form is taken: it goes into a line of a protocol.
#[must_use]
pub fn is_address(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let letter = |c: char| c.is_ascii_alphanumeric();
    let local_ok = |c: char| letter(c) || "!#$%&'*+/=?^_`{|}~.-".contains(c);
    let dots = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with('.') && !part.contains("..");
    text.len() <= ADDRESS_CHARS_MAX
        && dots(local)
        && dots(domain)
        && local.chars().all(local_ok)
        && domain.chars().all(|c| letter(c) || c == '.' || c == '-')
}

#[cfg(test)]
mod tests;
