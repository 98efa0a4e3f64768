//! The text of a file.

use super::FileError;
use handover_core::{
    limits::{FILE_BYTES_MAX, SOURCE_CHARS_MAX},
    refusal::Code,
};
use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::Path,
};

/// The text of a file, not longer than it may be.
pub(crate) fn text_of(name: &str, path: &Path) -> Result<String, FileError> {
    let mut bytes = Vec::new();
    let limit = FILE_BYTES_MAX as u64 + 1;
    let opened = File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
    if let Err(error) = opened {
        if error.kind() == ErrorKind::NotFound {
            let mut missing =
                FileError::whole(name, Code::NotYaml, "there is no such file".to_owned(), "check the path");
            // No place in a file that is not there.
            missing.mistakes.iter_mut().for_each(|mistake| (mistake.line, mistake.column) = (0, 0));
            return Err(missing);
        }
        let message = format!("the file cannot be read: {error}");
        return Err(FileError::whole(name, Code::NotYaml, message, "check the path and its permissions"));
    }
    if bytes.len() > FILE_BYTES_MAX {
        let message = format!("it has more than {FILE_BYTES_MAX} bytes (FILE_BYTES_MAX)");
        return Err(FileError::whole(name, Code::TooLarge, message, "use several files"));
    }
    String::from_utf8(bytes).map_err(|error| not_utf8(name, error.as_bytes(), error.utf8_error().valid_up_to()))
}

fn not_utf8(name: &str, bytes: &[u8], valid: usize) -> FileError {
    let before = String::from_utf8_lossy(&bytes[..valid]);
    let message = format!("the byte 0x{:02x} is not UTF-8", bytes.get(valid).copied().unwrap_or_default());
    let mut error = FileError::whole(name, Code::BadText, message, "save the file as UTF-8");
    let line = before.rsplit('\n').next().unwrap_or_default();
    for mistake in &mut error.mistakes {
        mistake.line = before.matches('\n').count() + 1;
        mistake.column = line.chars().count() + 1;
        mistake.skipped = line.chars().count().saturating_sub(SOURCE_CHARS_MAX / 2);
        mistake.source = line.chars().skip(mistake.skipped).chain(['\u{fffd}']).collect();
    }
    error
}
