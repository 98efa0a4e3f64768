//! Files that are whole or not there at all, also after a crash.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

/// Writes a file as a whole: beside its place first, on disk, and only then under its name.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let part = Path::new(&part);
    // What a crash has left behind was never under its name.
    match fs::remove_file(part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(part)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(part, path)?;
    sync_folder(path)
}

/// Makes the name of a file as durable as its content.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

/// Runs something that waits for the disk where it holds up nobody else.
pub(crate) async fn off_thread<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(run).await.map_err(|error| io::Error::other(error.to_string()))
}
