//! The test specialist: counts functions without a test, looks at the tests there are, and asks about the risk of the rest.

use super::{Finding, PART, findings, is_test, project, report, source};
use crate::{
    code::{self, Function},
    folder::TextFile,
    room::Room,
};
use handover_core::handoff::{Request, ReturnStatus};
use handover_engine::agent::{Done, Failure, Work};
use serde_json::json;

pub(super) async fn run(work: &Work, room: &Room) -> Result<Done, Failure> {
    let source = source(work, room).await?;
    let (tests, rest): (Vec<&TextFile>, Vec<&TextFile>) = source.iter().partition(|file| is_test(file));
    let functions: Vec<Function> = rest.iter().flat_map(|file| code::functions(&file.path, &file.text)).collect();
    if functions.is_empty() {
        return Ok(Done::failed("there is no function in the project that could be tested"));
    }
    let untested: Vec<Function> = functions.iter().filter(|it| !mentioned(&it.name, &tests)).cloned().collect();
    let mut found: Vec<Finding> = tests.iter().flat_map(|file| without_assertion(file)).collect();
    let named =
        untested.iter().map(|it| Finding::note(format!("{}:{}", it.file, it.line), format!("{} has no test", it.name)));
    found.extend(named);
    found.extend(risks(work, room, &untested).await?);
    let say = format!("{} of {} functions have no test", untested.len(), functions.len());
    let facts = json!({"functions": functions.len(), "untested": untested.len(), "test_files": tests.len()});
    Ok(report(found, facts, &say))
}

/// One question to whoever knows about security: whether code that nothing tests is risky.
async fn risks(work: &Work, room: &Room, untested: &[Function]) -> Result<Vec<Finding>, Failure> {
    if untested.is_empty() {
        return Ok(Vec::new());
    }
    let from = work.handoff().to_agent.as_str();
    let task = format!("Is any of these {} functions risky? Nothing tests them", untested.len());
    let mut request = Request::delegation_by(from, "security", &task, PART)?
        .because("Code that nothing tests must not be risky")
        .payload(json!({"project": project(work, room)?, "functions": untested}));
    request.original_request.clone_from(&work.handoff().request.original_request);
    let answer = work.delegate("risks", request).await?;
    Ok(match answer.status {
        ReturnStatus::Success | ReturnStatus::Partial => findings(&answer.result.body),
        _ => vec![Finding::blocker("", format!("nobody could say whether it is risky: {}", answer.notes))],
    })
}

/// Whether a test names a function.
fn mentioned(name: &str, tests: &[&TextFile]) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    tests.iter().any(|file| file.text.split(|c: char| !part(c)).any(|word| word == name))
}

/// Tests that could never fail.
fn without_assertion(file: &TextFile) -> Vec<Finding> {
    let all = code::functions(&file.path, &file.text);
    let lines: Vec<&str> = file.text.lines().collect();
    let mut found = Vec::new();
    for (n, test) in all.iter().enumerate().filter(|(_, it)| it.name.starts_with("test")) {
        let end = all.get(n + 1).map_or(lines.len(), |next| next.line - 1);
        if !lines[test.line - 1..end].iter().any(|line| line.contains("assert")) {
            found.push(Finding::blocker(
                format!("{}:{}", file.path, test.line),
                format!("{} asserts nothing", test.name),
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_names_whole_words() {
        let file =
            TextFile { path: "tests/test_a.py".to_owned(), text: "def test_total():\n    assert total(1)".to_owned() };
        for (name, expected) in [("total", true), ("tota", false), ("test_total", true), ("subtotal", false)] {
            assert_eq!(mentioned(name, &[&file]), expected, "{name}");
        }
    }

    #[test]
    fn a_test_that_asserts_nothing_is_found() {
        let text = "def test_a():\n    run()\n\ndef helper():\n    pass\n\ndef test_b():\n    assert run()\n";
        let file = TextFile { path: "tests/t.py".to_owned(), text: text.to_owned() };
        assert_eq!(without_assertion(&file), [Finding::blocker("tests/t.py:1", "test_a asserts nothing")]);
    }
}
