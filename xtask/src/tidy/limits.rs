//! Every bound in `limits.rs` bounds something: a name that nobody uses is a promise that nobody keeps.

use super::Problem;
use crate::{
    docs::limits::{SOURCE, SOURCES, parse},
    source::{Kind, has_word, lines},
    tree::File,
};

pub fn check(files: &[File]) -> Vec<Problem> {
    if !files.iter().any(|file| file.path == SOURCE) {
        return vec![Problem::new(SOURCE, 0, "is missing")];
    }
    let others = files.iter().filter(|file| file.is(".rs") && !SOURCES.contains(&file.path.as_str()));
    let code: Vec<&str> = others.flat_map(|file| lines(&file.text, Kind::Code)).map(|(_, line)| line).collect();
    let sources = files.iter().filter(|file| SOURCES.contains(&file.path.as_str()));
    sources.flat_map(|source| unused(source, &code)).collect()
}

/// The bounds of a file that nobody uses.
fn unused(source: &File, code: &[&str]) -> Vec<Problem> {
    let limits = match parse(&source.text) {
        Ok(limits) => limits,
        Err(why) => return vec![Problem::new(&source.path, 0, why)],
    };
    let unused = limits.iter().filter(|limit| !code.iter().any(|line| has_word(line, &limit.name)));
    unused.map(|limit| Problem::new(&source.path, limit.line, format!("{} bounds nothing yet", limit.name))).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::testing::said, *};

    #[test]
    fn a_limit_that_nobody_uses_is_found() {
        let limits =
            "//! x\n\n/// Rows.\npub const PAGE_MAX: usize = 9;\n/// Locks.\npub const LOCKS_MAX: usize = 9;\n";
        let user = "use limits::PAGE_MAX; // and LOCKS_MAX some day\nlet x = \"LOCKS_MAX\";";
        assert_eq!(
            said(check, &[(SOURCE, limits), ("a.rs", user)]),
            [format!("{SOURCE}:6: LOCKS_MAX bounds nothing yet")]
        );
    }
}
