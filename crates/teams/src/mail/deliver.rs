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
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
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
    /// Messages that are being delivered at this moment.
    busy: Arc<Mutex<BTreeSet<String>>>,
}

/// The sole right to deliver a message, for as long as it lives.
struct Claim {
    name: String,
    busy: Arc<Mutex<BTreeSet<String>>>,
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.busy.lock().remove(&self.name);
    }
}

impl Mailer {
    /// A mailer that delivers in this way, with what goes wrong on purpose.
    #[must_use]
    pub fn new(delivery: Delivery, fault: Fault, counter: FaultCounter) -> Self {
        Self { delivery, fault, counter, busy: Arc::default() }
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
        let claim = self.claim(name.clone())?;
        match &self.delivery {
            Delivery::Outbox(folder) => {
                let file = folder.join(format!("{name}.eml"));
                // The claim goes with the file: whoever asked may be gone before it is written.
                let put = move || {
                    let put = put(&file, &message);
                    drop(claim);
                    put
                };
                off_thread(put).await.map_err(disk)?.map_err(disk)
            }
            Delivery::Smtp { server, journal } => {
                let entry = journal.join(format!("{name}.json"));
                send_once(server, &entry, email, &message).await
            }
        }
    }

    fn claim(&self, name: String) -> Result<Claim, MailError> {
        if !self.busy.lock().insert(name.clone()) {
            return Err(failed("the same mail is being delivered at this moment", true));
        }
        Ok(Claim { name, busy: Arc::clone(&self.busy) })
    }
}

/// Sends a message to a server, unless the journal says that this was done or begun before.
async fn send_once(server: &SmtpSettings, entry: &Path, email: &Email, message: &[u8]) -> Result<Sent, MailError> {
    let (path, begun) = (entry.to_owned(), line("sending", email));
    match off_thread(move || begin(&path, &begun)).await.map_err(disk)?.map_err(disk)? {
        Entry::New => {}
        Entry::Sent => return Ok(Sent::Before),
        Entry::Begun => return Err(failed(unsure(email, "an earlier try did not end", entry), false)),
    }
    let path = entry.to_owned();
    match smtp::send(server, &email.sender, &email.recipient, message).await {
        Ok(()) => {
            let sent = line("sent", email);
            // The mail is out. Without this note the entry stays as it began, and nothing is ever sent again.
            let _ = off_thread(move || write_whole(&path, sent.as_bytes())).await;
            Ok(Sent::Now)
        }
        Err(SmtpError::NotSent { why, retryable }) => {
            let forget = move || fs::remove_file(&path).and_then(|()| sync_folder(&path));
            off_thread(forget).await.map_err(disk)?.map_err(disk)?;
            Err(failed(why, retryable))
        }
        Err(SmtpError::Unknown { why }) => Err(failed(unsure(email, &why, entry), false)),
    }
}

fn failed(why: impl Into<String>, retryable: bool) -> MailError {
    MailError { why: why.into(), retryable }
}

#[allow(clippy::needless_pass_by_value, reason = "`map_err` gives it away")]
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
fn begin(entry: &Path, begun: &str) -> io::Result<Entry> {
    if let Some(folder) = entry.parent() {
        fs::create_dir_all(folder)?;
    }
    match OpenOptions::new().write(true).create_new(true).open(entry) {
        Ok(mut file) => {
            let noted =
                file.write_all(begun.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| sync_folder(entry));
            if noted.is_err() {
                // Nothing is sent yet, so nothing has begun.
                fs::remove_file(entry)?;
            }
            noted.map(|()| Entry::New)
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
