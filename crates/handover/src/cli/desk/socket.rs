//! The socket beside the database: its place, how it is made private before anybody can see it, and how it goes away.

use handover_core::digest::Digest;
use std::{
    fs, io,
    os::unix::{
        fs::{DirBuilderExt, MetadataExt, PermissionsExt},
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
};

/// The longest path that every system takes for a socket, in bytes, with the folder in which it is made.
const PATH_BYTES_MAX: usize = 90;

/// Where the socket of a database is: beside it, or where its name is too long for a socket, among temporary files.
pub(super) fn place(db: &Path) -> PathBuf {
    let whole = fs::canonicalize(db).unwrap_or_else(|_| db.to_path_buf());
    let mut name = whole.clone().into_os_string();
    name.push(".sock");
    if name.len() <= PATH_BYTES_MAX {
        return PathBuf::from(name);
    }
    let digest = Digest::of(whole.as_os_str().as_encoded_bytes()).to_string();
    std::env::temp_dir().join(format!("handover-{}.sock", digest.get(..16).unwrap_or_default()))
}

/// Makes the socket, readable and writable by its owner alone. Whatever lay there is stale: only whoever holds the
/// database gets here.
pub(super) fn make(path: &Path) -> io::Result<UnixListener> {
    let mut folder = path.as_os_str().to_owned();
    folder.push(".new");
    let folder = PathBuf::from(folder);
    // A folder of our own: nobody can reach the socket before its permissions are set.
    let _ = fs::remove_dir_all(&folder);
    fs::DirBuilder::new().mode(0o700).create(&folder)?;
    let made = make_in(&folder, path);
    let _ = fs::remove_dir_all(&folder);
    made
}

fn make_in(folder: &Path, path: &Path) -> io::Result<UnixListener> {
    let new = folder.join("s");
    let listener = UnixListener::bind(&new)?;
    fs::set_permissions(&new, fs::Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    fs::rename(&new, path)?;
    Ok(listener)
}

/// Which file it is, so that a successor's is never removed.
pub(super) fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}

/// Goes to the socket of a database; nothing when nobody answers there, or somebody else made it.
pub(super) fn go_to(db: &Path) -> Option<UnixStream> {
    let path = place(db);
    if path.starts_with(std::env::temp_dir()) && !is_trusted(&path, db) {
        return None;
    }
    UnixStream::connect(path).ok()
}

/// Whether the socket was made by the owner of the database or by this user. Beside the database that goes without
/// saying; among temporary files anybody can make one.
fn is_trusted(path: &Path, db: &Path) -> bool {
    let owner = |path: &Path| fs::metadata(path).ok().map(|data| data.uid());
    let myself = || tokio::net::UnixStream::pair().ok()?.0.peer_cred().ok().map(|me| me.uid());
    let made = owner(path);
    made.is_some() && (made == owner(db) || made == myself())
}

/// Whether somebody answers for a database.
pub(crate) fn answers(db: &Path) -> bool {
    go_to(db).is_some()
}
