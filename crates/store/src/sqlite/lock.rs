//! One process at a time: a lock on a file beside the database, with the number of the process that holds it.

use crate::StoreError;
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    path::{Path, PathBuf},
};

/// Held for as long as this lives. The file stays: removing it would let two processes lock two files of one name.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

/// Whether somebody has or had the database open.
pub(super) fn exists(database: &Path) -> bool {
    beside(database, ".lock").exists()
}

/// Takes the lock of a database.
pub(super) fn take(database: &Path) -> Result<Lock, StoreError> {
    let path = beside(database, ".lock");
    let failed = |error: std::io::Error| StoreError::Failed(format!("{} cannot be opened: {error}", path.display()));
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(in_use(database, &mut file)),
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    let write = |file: &mut File| {
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{}", std::process::id())
    };
    write(&mut file).map_err(failed)?;
    Ok(Lock { _file: file })
}

fn in_use(database: &Path, file: &mut File) -> StoreError {
    let mut text = String::new();
    // The number is a courtesy: who cannot read it still learns that the file is in use.
    let read = file.take(32).read_to_string(&mut text);
    let holder = match (read, text.trim().parse::<u32>()) {
        (Ok(_), Ok(pid)) if pid == std::process::id() => format!("this process ({pid})"),
        (Ok(_), Ok(pid)) => format!("process {pid}"),
        (Ok(_) | Err(_), _) => "another process".to_owned(),
    };
    StoreError::InUse(format!("{} is in use by {holder}", database.display()))
}

/// The path with something appended to its last part.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
