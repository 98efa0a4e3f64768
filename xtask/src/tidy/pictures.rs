//! The pictures of the dashboard show its pages as they are: beside them stands the digest of what they were taken of. Each of
//! them is shown somewhere.

use super::Problem;
use crate::{
    run::root,
    source::{Kind, pieces},
    tree::File,
};
use handover_core::digest::Digest;
use std::fs;

/// Where the pictures are.
pub const FOLDER: &str = "docs/pictures";
/// What they were taken of.
pub const TAKEN: &str = "docs/pictures/taken-of.txt";
/// What makes the looks of a page.
const LOOKS: [&str; 8] = [
    "crates/core/src/graph/layout/",
    "crates/core/src/graph/svg/",
    "crates/dashboard/src/assets/",
    "crates/dashboard/src/chart.rs",
    "crates/dashboard/src/page.rs",
    "crates/dashboard/src/pages/",
    "crates/dashboard/src/parts/",
    "crates/dashboard/src/told.rs",
];

/// The digest of all that makes the looks of a page. Comments, tests and blanks make none.
pub fn digest(files: &[File]) -> String {
    let mut text = String::new();
    for file in files.iter().filter(|file| LOOKS.iter().any(|place| file.path.starts_with(place))) {
        text.push_str(&file.path);
        let shown = file.text.split("#[cfg(test)]").next().unwrap_or_default();
        let parts = pieces(shown).into_iter().filter(|piece| !file.is(".rs") || piece.kind != Kind::Comment);
        parts.for_each(|piece| text.extend(piece.text.chars().filter(|sign| !sign.is_whitespace())));
    }
    Digest::of(text.as_bytes()).to_string()
}

pub fn check(files: &[File]) -> Vec<Problem> {
    let taken = files.iter().find(|file| file.path == TAKEN).map_or("", |file| file.text.trim());
    let old = (taken != digest(files)).then(|| {
        Problem::new(
            TAKEN,
            0,
            "the pages changed after their pictures were taken; `cargo xtask pictures` takes them anew",
        )
    });
    old.into_iter().chain(unseen(files, &kept())).collect()
}

/// The names of the pictures that are kept.
fn kept() -> Vec<String> {
    let entries = fs::read_dir(root().join(FOLDER)).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with(".webp"));
    names.sort();
    names
}

/// Pictures that no page shows.
fn unseen(files: &[File], names: &[String]) -> Vec<Problem> {
    let papers: Vec<&File> = files.iter().filter(|file| file.is(".md")).collect();
    let hidden =
        names.iter().filter(|name| !papers.iter().any(|paper| paper.text.contains(&format!("pictures/{name}"))));
    hidden.map(|name| Problem::new(&format!("{FOLDER}/{name}"), 0, "no page shows this picture")).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::testing::file, *};

    #[test]
    fn what_is_seen_counts_and_what_is_not_does_not() {
        let page = |text: &str| digest(&[file("crates/dashboard/src/pages/team.rs", text)]);
        let first = page("//! x\nhtml! { p { \"Team\" } }");
        assert_eq!(first, page("//! y\n// Why.\nhtml! {\n    p { \"Team\" }\n}\n#[cfg(test)]\nmod tests {}"));
        assert_ne!(first, page("//! x\nhtml! { p { \"Agents\" } }"));
        assert_eq!(digest(&[]), digest(&[file("crates/engine/src/lib.rs", "//! x")]));
    }

    #[test]
    fn old_pictures_and_unseen_ones_are_told() {
        let pages = file("crates/dashboard/src/page.rs", "//! x\nhtml! { p {} }");
        let taken = |text: String| vec![pages.clone(), file(TAKEN, &text)];
        let told = |files: &[File]| check(files).iter().any(|problem| problem.path == TAKEN);
        assert!(told(&taken("0".to_owned())) && told(std::slice::from_ref(&pages)));
        assert!(!told(&taken(digest(std::slice::from_ref(&pages)) + "\n")));
        let paper = file("docs/a.md", "<img src=\"../pictures/team.webp\">");
        let names = ["team.webp".to_owned(), "lost.webp".to_owned()];
        let problems: Vec<String> = unseen(&[paper], &names).iter().map(ToString::to_string).collect();
        assert_eq!(problems, ["docs/pictures/lost.webp:1: no page shows this picture"]);
    }
}
