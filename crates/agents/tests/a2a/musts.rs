//! What the specification requires of a client, each with the test that shows it.

use std::{collections::BTreeSet, path::Path};

/// A line has a section, a requirement and the name of a test, or `-` and why it does not bind us.
const MUSTS: &str = include_str!("../testdata/a2a-musts.txt");

fn sources(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            text.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_requirement_names_a_test_that_exists() {
    let mut text = String::new();
    for folder in ["tests/a2a", "src/a2a", "../core/src"] {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut text);
    }
    let mut seen = BTreeSet::new();
    for line in MUSTS.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [section, what, test] = parts.as_slice() else { panic!("not three parts: {line}") };
        assert!(seen.insert((*section, *what)), "twice: {line}");
        assert!(section.split('.').all(|number| number.parse::<u8>().is_ok()), "{section}");
        match test.strip_prefix("- ") {
            Some(why) => assert!(why.len() > 10, "{line}: why not?"),
            None => assert!(text.contains(&format!("fn {test}()")), "there is no test {test}: {line}"),
        }
    }
    assert!(seen.len() > 30);
}
