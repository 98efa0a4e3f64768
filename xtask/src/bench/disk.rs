//! The physical limit: how often this disk can make a page durable.

use std::{
    fs::File,
    io::{Seek, SeekFrom, Write},
    path::Path,
    time::{Duration, Instant},
};

const PAGE: usize = 4096;
/// The file wraps here, as a write-ahead log does: its length is settled and a sync writes data only.
const PAGES: u64 = 4_096;

/// A file that pages are written to.
pub(super) struct Disk {
    file: File,
    next: u64,
}

impl Disk {
    pub(super) fn open(folder: &Path) -> Result<Self, String> {
        let trouble = |error: std::io::Error| format!("the disk cannot be measured: {error}");
        let mut file = File::create(folder.join("sync-probe")).map_err(trouble)?;
        for _ in 0..PAGES {
            file.write_all(&[1; PAGE]).map_err(trouble)?;
        }
        file.sync_all().map_err(trouble)?;
        Ok(Self { file, next: 0 })
    }

    /// Writes one page and syncs it.
    pub(super) fn sync(&mut self) -> Result<Duration, String> {
        let start = Instant::now();
        let written = self
            .file
            .seek(SeekFrom::Start((self.next % PAGES) * PAGE as u64))
            .and_then(|_| self.file.write_all(&[2; PAGE]))
            .and_then(|()| self.file.sync_data());
        written.map_err(|error| format!("the disk cannot be measured: {error}"))?;
        self.next += 1;
        Ok(start.elapsed())
    }

    /// Syncs per second, over this time.
    pub(super) fn rate(&mut self, time: Duration) -> Result<f64, String> {
        let start = Instant::now();
        let mut count = 0.0;
        while start.elapsed() < time {
            self.sync()?;
            count += 1.0;
        }
        Ok(count / start.elapsed().as_secs_f64())
    }
}
