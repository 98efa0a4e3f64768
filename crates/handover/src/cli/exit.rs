//! How a command ends: the exit codes, and what stops one before its end.

use super::words::count;
use crate::settings::FileError;
use handover_core::{
    ids::BadName,
    refusal::{Code, Family, HandoffError, Refusal},
};
use serde_json::{Value, json};

/// All went well.
pub const GOOD: u8 = 0;
/// It was refused, or what it names does not exist.
pub const REFUSED: u8 = 1;
/// Our own trouble: the disk, the database, another process.
pub const TROUBLE: u8 = 2;
/// The command line itself cannot be.
pub const USAGE: u8 = 3;

/// The exit codes in words, for the help and its page.
pub const CODES: [(u8, &str); 4] = [
    (GOOD, "all went well"),
    (REFUSED, "it was refused, or what it names does not exist"),
    (TROUBLE, "our own trouble: the disk, the database, another process"),
    (USAGE, "the command line cannot be understood"),
];

/// Why a command stops before its end.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The engine refused it, or is in trouble.
    Refused(HandoffError),
    /// A file of settings has mistakes.
    File(FileError),
    /// Something that has no code: a file that is not there, another process that does not answer.
    Plain { message: String, hint: String, exit: u8 },
    /// Nobody reads the output any more.
    Gone,
    /// All was said already.
    Said(u8),
}

impl Stop {
    /// A refusal without a code.
    pub(crate) fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Plain { message: message.into(), hint: hint.into(), exit: REFUSED }
    }

    /// Trouble without a code.
    pub(crate) fn trouble(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Plain { message: message.into(), hint: hint.into(), exit: TROUBLE }
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        match self {
            Self::Refused(error) if error.code().family() == Family::Trouble => TROUBLE,
            Self::Refused(_) | Self::File(_) => REFUSED,
            Self::Plain { exit, .. } | Self::Said(exit) => *exit,
            Self::Gone => GOOD,
        }
    }

    /// Whether the database is held by another process.
    pub(crate) fn is_in_use(&self) -> bool {
        matches!(self, Self::Refused(error) if error.has(Code::StoreInUse))
    }

    /// What is told to programs; nothing when there is nothing to tell.
    pub(crate) fn json(&self) -> Option<Value> {
        let exit = self.exit();
        let error = match self {
            Self::Refused(error) => of_engine(error, exit),
            Self::File(error) => {
                let message = format!("{} has {}", error.file, count(error.count() as u64, "mistake"));
                let mut value = of_engine(&HandoffError::from(error.clone()), exit);
                value["message"] = json!(message);
                value
            }
            Self::Plain { message, hint, .. } => json!({ "message": message, "hint": hint, "exit": exit }),
            Self::Gone | Self::Said(_) => return None,
        };
        Some(json!({ "error": error }))
    }
}

fn of_engine(error: &HandoffError, exit: u8) -> Value {
    let said = |refusal: &Refusal| match refusal.field.as_str() {
        "" => refusal.message.clone(),
        field => format!("{field}: {}", refusal.message),
    };
    let message = error.refusals.iter().map(said).collect::<Vec<_>>().join("; ");
    let hint = error.refusals.iter().map(|refusal| refusal.hint.as_str()).find(|hint| !hint.is_empty());
    json!({
        "code": error.code(),
        "message": message,
        "hint": hint.unwrap_or_else(|| error.code().mend()),
        "refusals": error.refusals,
        "exit": exit,
    })
}

impl From<HandoffError> for Stop {
    fn from(error: HandoffError) -> Self {
        Self::Refused(error)
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.into())
    }
}

impl From<BadName> for Stop {
    fn from(bad: BadName) -> Self {
        Self::Refused(bad.into())
    }
}

impl From<FileError> for Stop {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}
