//! The files of the project: what git tracks or would track, or without git all that is not a build product.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// One text file: its path from the root, with forward slashes, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub path: String,
    pub text: String,
}

impl File {
    /// Whether the name ends like this.
    pub fn is(&self, ending: &str) -> bool {
        self.path.ends_with(ending)
    }
}

/// All text files under the root, in order.
pub fn files(root: &Path) -> Result<Vec<File>, String> {
    let mut paths = match tracked(root) {
        Some(paths) => paths,
        None => walked(root, root).map_err(|e| format!("{}: {e}", root.display()))?,
    };
    paths.sort();
    paths.dedup();
    let mut files = Vec::new();
    for path in paths {
        match fs::read(root.join(&path)) {
            Ok(bytes) => files.extend(String::from_utf8(bytes).ok().map(|text| File { path, text })),
            // Removed from the work tree but not yet from the index.
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(format!("{path}: {e}")),
        }
    }
    Ok(files)
}

fn tracked(root: &Path) -> Option<Vec<String>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = git.current_dir(root).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let paths: Vec<String> = text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    (output.status.success() && !paths.is_empty()).then_some(paths)
}

fn walked(root: &Path, folder: &Path) -> io::Result<Vec<String>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path: PathBuf = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(name.as_str(), "target" | ".git" | "logs") {
                paths.extend(walked(root, &path)?);
            }
        } else if let Ok(inner) = path.strip_prefix(root) {
            paths.push(inner.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_git_build_products_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("target/debug")).unwrap();
        fs::create_dir_all(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("target/debug/x.rs"), "x").unwrap();
        fs::write(folder.path().join("src/lib.rs"), "//! x").unwrap();
        fs::write(folder.path().join("src/picture.png"), [0xff, 0xfe]).unwrap();
        let found = files(folder.path()).unwrap();
        assert_eq!(found, [File { path: "src/lib.rs".into(), text: "//! x".into() }]);
    }
}
