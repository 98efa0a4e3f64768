//! Every requirement of the specification that binds a server like this has a test that is named in `testdata/musts.txt`.

use crate::host::{BOTH, Host, engine};
use serde_json::json;
use std::{collections::BTreeSet, fs, path::Path};

const MUSTS: &str = include_str!("../../testdata/musts.txt");

/// All sources of tests that the table may name: those of this crate, and of the command line.
fn sources() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [root.join("tests/mcp"), root.join("../handover/tests/cli")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect()
}

#[test]
fn every_requirement_has_a_test_that_is_there() {
    let (sources, mut seen) = (sources(), BTreeSet::new());
    let rows = MUSTS.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    for row in rows {
        let parts: Vec<&str> = row.split(" | ").collect();
        let [revision, section, what, test] = parts.as_slice() else { panic!("four parts: {row}") };
        assert!(["both", "2025", "2026"].contains(revision), "{row}");
        assert!(what.ends_with('.') && !section.is_empty(), "{row}");
        assert!(seen.insert((*revision, *section, *what)), "twice: {row}");
        if let Some(why) = test.strip_prefix("- ") {
            assert!(why.ends_with('.') && why.len() > 10, "why not? {row}");
            continue;
        }
        let found = sources.matches(&format!("fn {test}(")).count();
        assert_eq!(found, 1, "{test}");
    }
    assert!(seen.len() > 70);
}

#[tokio::test]
async fn every_answer_is_json_rpc() {
    let (_folder, engine) = engine().await;
    for revision in BOTH {
        let mut host = Host::new(&engine, "alice", revision).await;
        // A line break in what is said stands escaped in its line: the next line is the next message.
        host.tool("say", json!({ "text": "one\ntwo" })).await;
        let told = host.tool("session_history", json!({})).await;
        assert_eq!(told["messages"].as_array().unwrap().last().unwrap()["content"], "one\ntwo");
    }
}
