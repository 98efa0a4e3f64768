//! Files that are good, and what is noted of them.

use super::{EVERYTHING, SMALL, small};
use expect_test::expect;
use handover::workflow;
use std::path::Path;

#[test]
fn everything_is_read() {
    let file = workflow::parse("flows/support.yaml", EVERYTHING).unwrap_or_else(|error| panic!("{error}"));
    let flow = &file.workflow;
    assert_eq!((file.file.as_str(), file.folder.as_path()), ("flows/support.yaml", Path::new("flows")));
    assert_eq!((flow.agents.len(), flow.states.len(), flow.rules.len()), (4, 7, 6));
    assert_eq!(flow.states["WRITING"].timeout_ms, Some(5_400_000));
    assert_eq!(flow.rules[0].id, "1.1");
    assert_eq!(flow.rules[0].trigger_state, ["SORTED"]);
    assert_eq!(flow.rules[3].retry.map(|retry| (retry.max, retry.backoff_ms, retry.factor)), Some((3, 2_000, 3)));
    assert_eq!(file.notes, []);
}

#[test]
fn what_is_read_is_the_same_when_it_is_kept() {
    for text in [EVERYTHING, SMALL] {
        let flow = workflow::parse("x", text).unwrap().workflow;
        let kept = serde_json::to_value(&flow).unwrap();
        assert_eq!(serde_json::from_value::<handover::core::workflow::Workflow>(kept).unwrap(), flow);
    }
}

#[test]
fn a_file_is_read_from_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("letters.yaml");
    std::fs::write(&path, SMALL).unwrap();
    assert_eq!(workflow::read(&path).unwrap().folder, folder.path());
    let missing = workflow::read(folder.path().join("nothing.yaml")).unwrap_err().to_string();
    assert!(missing.contains("there is no such file\n --> ") && !missing.contains(":1:1"), "{missing}");
    std::fs::write(&path, b"name: \xff").unwrap();
    assert!(workflow::read(&path).unwrap_err().to_string().contains("the byte 0xff is not UTF-8"));
}

#[test]
fn rules_that_may_both_fit_are_noted() {
    let text = small(
        "  - {id: done,",
        "  - {id: rich, from: reviewer, condition: outcome.data.price > 100, reason: Dear, next_state: DONE}\n  \
           - {id: late, from: reviewer, to: writer, condition: outcome.late, reason: Late, next_state: WRITING}\n  \
           - {id: poor, from: reviewer, to: writer, condition: outcome.data.price <= 100 && !outcome.late, reason: Cheap, next_state: WRITING}\n  \
           - {id: done,",
    );
    let notes = workflow::parse("flow.yaml", &text).unwrap_or_else(|error| panic!("{error}")).notes;
    expect![[r#"
        note: rules rich and late may both fit; the first counts
          --> flow.yaml:12:5 in rules[3]
           |
        12 |   - {id: late, from: reviewer, to: writer, condition: outcome.late, reason: Late, next_state: WRITING}
           |     ^
           = hint: put the narrower one first, or let the conditions exclude each other
    "#]]
    .assert_eq(&notes.iter().map(ToString::to_string).collect::<String>());
}
