//! Delivery: into a folder or to a mail server, and never the same message twice.
//!
//! A folder holds a file per message, which appears whole or not at all. A mail server cannot be asked whether it has a
//! message already, so a journal says before the delivery that it begins, and after it that it is done. A delivery that
//! has begun and of which nothing more is known is not begun again: a person has to look.

use super::{Email, SmtpError, SmtpSettings, smtp, written};
use crate::{
    faults::{Fault, FaultCounter, Strike},
    files::{off_thread, sync_folder, write_whole},
};
use handover_core::digest::Digest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Where mail goes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// Into a folder, as files that every mail program opens.
    Outbox(PathBuf),
    /// To a mail server.
    Smtp {
        /// Which one.
        server: SmtpSettings,
        /// The folder that remembers what was sent.
        journal: PathBuf,
    },
}

/// Whether a message went out now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sent {
    /// It did.
    Now,
    /// It had gone out before, so nothing was done.
    Before,
}

/// Why a message was not delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailError {
    /// What is wrong, in words.
    pub why: String,
    /// Whether another try may do better.
    pub retryable: bool,
}

/// Delivers mail.
#[derive(Debug, Clone)]
pub struct Mailer {
    delivery: Delivery,
    fault: Fault,
    counter: FaultCounter,
}

impl Mailer {
    /// A mailer that delivers in this way, with what goes wrong on purpose.
    #[must_use]
    pub fn new(delivery: Delivery, fault: Fault, counter: FaultCounter) -> Self {
        Self { delivery, fault, counter }
    }

    /// Delivers a message, unless it was delivered before.
    ///
    /// # Errors
    /// When it was not delivered, or when that is not known.
    pub async fn deliver(&self, email: &Email) -> Result<Sent, MailError> {
        match self.counter.strikes("mail", self.fault).map_err(disk)? {
            None => {}
            Some(Strike::Now) => return Err(failed("the mail server is busy", true)),
            Some(Strike::Always) => return Err(failed("the mail server refuses the recipient", false)),
        }
        let message = written(email).map_err(|why| failed(why, false))?;
        let name: String = Digest::of(email.message_id.as_bytes()).to_string().chars().take(32).collect();
        match &self.delivery {
            Delivery::Outbox(folder) => {
                let file = folder.join(format!("{name}.eml"));
                off_thread(move || put(&file, &message)).await.map_err(disk)?.map_err(disk)
            }
            Delivery::Smtp { server, journal } => {
                let entry = journal.join(format!("{name}.json"));
                self.send(server, &entry, email, &message).await
            }
        }
    }

    async fn send(
        &self,
        server: &SmtpSettings,
        entry: &Path,
        email: &Email,
        message: &[u8],
    ) -> Result<Sent, MailError> {
        match begin(entry, email).map_err(disk)? {
            Entry::New => {}
            Entry::Sent => return Ok(Sent::Before),
            Entry::Begun => return Err(failed(unsure(email, "an earlier try did not end", entry), false)),
        }
        match smtp::send(server, &email.sender, &email.recipient, message).await {
            Ok(()) => {
                let told = write_whole(entry, line("sent", email).as_bytes());
                told.map_err(|error| failed(format!("the mail is sent, but that cannot be written: {error}"), false))?;
                Ok(Sent::Now)
            }
            Err(SmtpError::NotSent { why, retryable }) => {
                fs::remove_file(entry).and_then(|()| sync_folder(entry)).map_err(disk)?;
                Err(failed(why, retryable))
            }
            Err(SmtpError::Unknown { why }) => Err(failed(unsure(email, &why, entry), false)),
        }
    }
}

fn failed(why: impl Into<String>, retryable: bool) -> MailError {
    MailError { why: why.into(), retryable }
}

fn disk(error: io::Error) -> MailError {
    failed(format!("the folder for mail cannot be used: {error}"), true)
}

fn unsure(email: &Email, why: &str, entry: &Path) -> String {
    format!(
        "it is not known whether {} has the mail ({why}); it is not sent again by itself. Ask the mail server for \
        message {}; to have it sent again remove {}",
        email.recipient,
        email.message_id,
        entry.display()
    )
}

/// Puts a message into the outbox, unless it is there.
fn put(file: &Path, message: &[u8]) -> io::Result<Sent> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    if fs::exists(file)? {
        return Ok(Sent::Before);
    }
    write_whole(file, message)?;
    Ok(Sent::Now)
}

/// What the journal knew of a message.
enum Entry {
    New,
    Begun,
    Sent,
}

/// Notes that a delivery begins, unless one has begun before.
fn begin(entry: &Path, email: &Email) -> io::Result<Entry> {
    if let Some(folder) = entry.parent() {
        fs::create_dir_all(folder)?;
    }
    match OpenOptions::new().write(true).create_new(true).open(entry) {
        Ok(mut file) => {
            file.write_all(line("sending", email).as_bytes())?;
            file.sync_all()?;
            sync_folder(entry)?;
            Ok(Entry::New)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // An entry that cannot be read was cut off when it was made: the delivery had begun.
            let known: Value = serde_json::from_slice(&fs::read(entry)?).unwrap_or_default();
            Ok(if known["state"] == "sent" { Entry::Sent } else { Entry::Begun })
        }
        Err(error) => Err(error),
    }
}

fn line(state: &str, email: &Email) -> String {
    json!({ "state": state, "message_id": email.message_id, "recipient": email.recipient }).to_string()
}
