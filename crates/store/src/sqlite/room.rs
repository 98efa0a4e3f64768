//! Room in the log: space that is written before it is needed. A sync that makes a file longer has to write down its new
//! length as well, which takes several times as long; a sync within settled space writes data alone.
//!
//! Only the writing thread does this, and only behind the end of the file, where no frame is: SQLite takes what is there
//! for the rest of an older log and never reads it.

use std::{
    fs::{File, OpenOptions},
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// Space that is made at once, in bytes.
const PIECE: u64 = 4 * 1024 * 1024;
/// The first piece, for a store that writes little, in bytes.
const FIRST: u64 = 1024 * 1024;
/// With less than this left, more is made, in bytes.
const LOW: u64 = 768 * 1024;
/// A log of this length is started anew before it needs more, in bytes.
const ENOUGH: u64 = 48 * 1024 * 1024;
/// A page and its header in the log, in bytes.
const FRAME: u64 = 4_096 + 24;

pub(super) struct Room {
    log: PathBuf,
}

impl Room {
    pub(super) fn of(database: &Path) -> Self {
        let mut log = database.as_os_str().to_owned();
        log.push("-wal");
        Self { log: log.into() }
    }

    /// Whether little is left behind so many pages, and the log may still grow.
    pub(super) fn is_low(&self, pages: i64) -> bool {
        let used = u64::try_from(pages).unwrap_or(0) * FRAME;
        let length = std::fs::metadata(&self.log).map_or(ENOUGH, |data| data.len());
        length < ENOUGH && length.saturating_sub(used) < LOW
    }

    /// Makes more. Nobody else may write meanwhile. A full disk is no harm here: the commit that needs the space meets
    /// it itself. A sync that fails is: nobody knows then what the disk holds.
    ///
    /// # Errors
    /// When the sync fails.
    pub(super) fn make(&self) -> std::io::Result<()> {
        match self.extend() {
            Ok(file) => file.sync_all(),
            Err(_) => Ok(()),
        }
    }

    fn extend(&self) -> std::io::Result<File> {
        let mut file = OpenOptions::new().write(true).open(&self.log)?;
        let length = file.metadata()?.len();
        let piece = if length < FIRST { FIRST } else { PIECE };
        file.seek(SeekFrom::Start(length))?;
        let zeros = [0; 64 * 1024];
        for _ in 0..piece / zeros.len() as u64 {
            file.write_all(&zeros)?;
        }
        Ok(file)
    }
}
