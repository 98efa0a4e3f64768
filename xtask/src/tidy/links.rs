//! Links in the papers lead to files that exist, and the README tells people to run what CI runs.

use super::Problem;
use crate::tree::File;
use std::collections::BTreeSet;

/// Every relative link of every Markdown file.
pub fn check(files: &[File]) -> Vec<Problem> {
    let known: BTreeSet<&str> = files.iter().flat_map(|file| with_folders(&file.path)).collect();
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.is(".md")) {
        for (line, target) in targets(&file.text) {
            let path = target.split('#').next().unwrap_or_default();
            if !path.is_empty() && !resolved(&file.path, path).is_some_and(|path| known.contains(path.as_str())) {
                problems.push(Problem::new(&file.path, line, format!("the link `{target}` leads nowhere")));
            }
        }
    }
    problems
}

/// The command of `.ci/run` is the one that the README names.
pub fn one_command(files: &[File]) -> Vec<Problem> {
    let text = |path: &str| files.iter().find(|file| file.path == path).map(|file| file.text.as_str());
    let (Some(script), Some(readme)) = (text(".ci/run"), text("README.md")) else {
        return vec![Problem::new("README.md", 0, "README.md and .ci/run must both exist")];
    };
    let commands: Vec<&str> = script.lines().filter_map(command).collect();
    let missing = commands.iter().filter(|command| !readme.contains(**command));
    let mut problems: Vec<Problem> = missing
        .map(|command| Problem::new("README.md", 0, format!("does not name `{command}`, which .ci/run runs")))
        .collect();
    if commands.is_empty() {
        problems.push(Problem::new(".ci/run", 0, "runs no `cargo xtask` command"));
    }
    problems
}

/// The program in the README is the example that is run, to the letter but for its first line.
pub fn one_example(files: &[File]) -> Vec<Problem> {
    const EXAMPLE: &str = "crates/handover/examples/readme.rs";
    let text = |path: &str| files.iter().find(|file| file.path == path).map(|file| file.text.as_str());
    let (Some(example), Some(readme)) = (text(EXAMPLE), text("README.md")) else {
        return vec![Problem::new("README.md", 0, format!("README.md and {EXAMPLE} must both exist"))];
    };
    let program = example.lines().skip_while(|line| line.starts_with("//!") || line.is_empty());
    let program: Vec<&str> = program.collect();
    if readme.contains(&program.join("\n")) {
        return Vec::new();
    }
    vec![Problem::new("README.md", 0, format!("shows another program than {EXAMPLE}"))]
}

fn command(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches("exec ");
    line.starts_with("cargo xtask ").then(|| line.trim_end_matches(" \"$@\""))
}

/// A path and all folders that it lies in.
fn with_folders(path: &str) -> Vec<&str> {
    let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
    folders.chain([path]).collect()
}

/// A link as a path from the root; none when it leaves the tree.
fn resolved(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.trim_end_matches('/').split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The relative links of a Markdown text with their lines. What stands in code is no link.
fn targets(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            // Every second part between backticks is code; a letter in its place keeps the link around it.
            let parts: Vec<&str> =
                line.split('`').enumerate().map(|(i, part)| if i % 2 == 0 { part } else { "x" }).collect();
            let prose = parts.concat();
            let defined =
                prose.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target.trim());
            let inline = prose.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
            let all = inline.chain(defined).filter(|target| !target.contains("://") && !target.starts_with("mailto:"));
            found.extend(all.map(|target| (at + 1, target.to_owned())));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{super::testing::said, *};

    #[test]
    fn the_readme_shows_another_program() {
        let example = "//! What it is for.\n\nfn main() {}\n";
        let tree = |readme| [("crates/handover/examples/readme.rs", example), ("README.md", readme)];
        assert_eq!(said(one_example, &tree("x\n```rust\nfn main() {}\n```\n")), [""; 0]);
        assert_eq!(said(one_example, &tree("x\n```rust\nfn main() { }\n```\n")).len(), 1);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let text = "[a](b.md) [c](../README.md#top)\n[`d`](gone.md)\n[e](https://example.com/x) [f](#here)\n[g]: lost.md\n\
            ```\n[h](in-a-fence.md)\n```\n`[i](in-code.md)` [j](../docs/)";
        let files = [("docs/a.md", text), ("docs/b.md", ""), ("README.md", "[out](../../x.md)")];
        let expected = [
            "docs/a.md:2: the link `gone.md` leads nowhere",
            "docs/a.md:4: the link `lost.md` leads nowhere",
            "README.md:1: the link `../../x.md` leads nowhere",
        ];
        assert_eq!(said(check, &files), expected);
    }

    #[test]
    fn the_readme_names_what_ci_runs() {
        let script = (".ci/run", "set -e\nexec cargo xtask test \"$@\"\n");
        assert_eq!(said(one_command, &[script, ("README.md", "Run `cargo xtask test`.")]), [""; 0]);
        let expected = "README.md:1: does not name `cargo xtask test`, which .ci/run runs";
        assert_eq!(said(one_command, &[script, ("README.md", "Run `cargo test`.")]), [expected]);
        assert_eq!(
            said(one_command, &[(".ci/run", "true"), ("README.md", "")]),
            [".ci/run:1: runs no `cargo xtask` command"]
        );
        assert_eq!(said(one_command, &[script]).len(), 1);
    }
}
