//! Folders with texts that a team reads: bounded, in a fixed order, and never outside of their place.

use handover_core::limits::{FOLDER_DEPTH_MAX, FOLDER_FILE_BYTES_MAX, FOLDER_FILES_MAX};
use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

/// A file of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextFile {
    /// Where it is, seen from the folder, with `/` between the names.
    pub(crate) path: String,
    /// What it says.
    pub(crate) text: String,
}

impl TextFile {
    /// The name without its folders.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// All files of a folder and of the folders in it, by name. Links are not followed: they may lead anywhere.
pub(crate) fn read(folder: &Path) -> io::Result<Vec<TextFile>> {
    let mut files = Vec::new();
    walk(folder, "", 0, &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn walk(folder: &Path, before: &str, depth: usize, files: &mut Vec<TextFile>) -> io::Result<()> {
    if depth > FOLDER_DEPTH_MAX {
        let message = format!("{before} is more than {FOLDER_DEPTH_MAX} folders deep (FOLDER_DEPTH_MAX)");
        return Err(io::Error::other(message));
    }
    for entry in fs::read_dir(folder).map_err(|error| told(folder, &error))? {
        let entry = entry?;
        let path = format!("{before}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            walk(&entry.path(), &format!("{path}/"), depth + 1, files)?;
        } else if kind.is_file() {
            if files.len() >= FOLDER_FILES_MAX {
                let message = format!("{} has more than {FOLDER_FILES_MAX} files (FOLDER_FILES_MAX)", folder.display());
                return Err(io::Error::other(message));
            }
            files.push(TextFile { path, text: text(&entry.path(), entry.metadata()?.len())? });
        }
    }
    Ok(())
}

fn text(path: &Path, bytes: u64) -> io::Result<String> {
    if bytes > FOLDER_FILE_BYTES_MAX {
        let message = format!("{} has {bytes} bytes; at most {FOLDER_FILE_BYTES_MAX} are read", path.display());
        return Err(io::Error::other(format!("{message} (FOLDER_FILE_BYTES_MAX)")));
    }
    let bytes = fs::read(path).map_err(|error| told(path, &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn told(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// A path that somebody gave, within a folder. One that would leave it is refused.
pub(crate) fn inside(folder: &Path, path: &str) -> io::Result<PathBuf> {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.trim().is_empty() || !Path::new(path).components().all(plain) {
        let message = format!("{path:?} is not a path within the folder of the workflow");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(folder.join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read_in_order_with_what_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        for (path, text) in [("c.md", "see"), ("b/z.md", "zed"), ("a.md", "ay")] {
            fs::write(folder.path().join(path), text).unwrap();
        }
        let read: Vec<_> = read(folder.path()).unwrap().into_iter().map(|file| (file.path, file.text)).collect();
        let expected = [("a.md", "ay"), ("b/z.md", "zed"), ("c.md", "see")];
        assert_eq!(read, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
    }

    #[test]
    fn too_much_is_told_by_the_name_of_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("big"), vec![b'x'; usize::try_from(FOLDER_FILE_BYTES_MAX).unwrap() + 1]).unwrap();
        assert!(read(folder.path()).unwrap_err().to_string().contains("FOLDER_FILE_BYTES_MAX"));
        let folder = tempfile::tempdir().unwrap();
        let deep = (0..=FOLDER_DEPTH_MAX).fold(folder.path().to_owned(), |path, _| path.join("d"));
        fs::create_dir_all(deep).unwrap();
        assert!(read(folder.path()).unwrap_err().to_string().contains("FOLDER_DEPTH_MAX"));
        assert!(read(&folder.path().join("none")).unwrap_err().to_string().contains("none"));
    }

    #[test]
    fn a_path_never_leaves_its_folder() {
        for (path, fits) in
            [("a", true), ("./a/b", true), ("a/../b", false), ("..", false), ("/etc/passwd", false), (" ", false)]
        {
            assert_eq!(inside(Path::new("home"), path).is_ok(), fits, "{path}");
        }
    }
}
