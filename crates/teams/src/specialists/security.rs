//! The security specialist: looks for secrets and for calls that do what a stranger says.

use super::{Finding, report, source};
use crate::{
    code::{self, Function},
    folder::TextFile,
    room::Room,
    words::counted,
};
use handover_engine::agent::{Done, Failure, Work};
use serde_json::{Value, json};

/// Calls that run or trust what came from outside, and why not to.
const RISKY: [(&str, &str); 6] = [
    ("eval(", "runs any text as code"),
    ("exec(", "runs any text as code"),
    ("os.system(", "runs any text as a command"),
    ("shell=True", "runs any text as a command"),
    ("pickle.loads(", "runs code that is hidden in data"),
    ("verify=False", "trusts any server"),
];
/// Parts of names that hold secrets.
const SECRET: [&str; 5] = ["password", "secret", "token", "api_key", "private_key"];

pub(super) async fn run(work: &Work, room: &Room) -> Result<Done, Failure> {
    let source = source(work, room).await?;
    // A question about some functions is answered for these alone.
    let asked: Option<Vec<Function>> =
        work.payload().get("functions").and_then(|all: &Value| serde_json::from_value(all.clone()).ok());
    let mut found: Vec<Finding> = source.iter().flat_map(|file| risky(file, asked.as_deref())).collect();
    if asked.is_none() {
        found.extend(source.iter().flat_map(secrets));
    }
    let place = if asked.is_some() { "these functions" } else { "the project" };
    let say = format!("{} in {place}", counted(found.len(), "risky thing"));
    Ok(report(found, json!({"files": source.len()}), &say))
}

/// Risky calls of a file, in these functions or in all.
fn risky(file: &TextFile, asked: Option<&[Function]>) -> Vec<Finding> {
    let functions = code::functions(&file.path, &file.text);
    let mut found = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        let within = code::around(&functions, at + 1);
        if asked.is_some_and(|asked| within.is_none_or(|function| !asked.contains(function))) {
            continue;
        }
        for (call, why) in RISKY.iter().filter(|(call, _)| called(line, call)) {
            let name = within.map_or("the top of the file", |function| function.name.as_str());
            let what = format!("{name} uses `{}`, which {why}", call.trim_end_matches('('));
            found.push(Finding::blocker(format!("{}:{}", file.path, at + 1), what));
        }
    }
    found
}

/// Whether a line calls this, and not something whose name only ends so.
fn called(line: &str, call: &str) -> bool {
    let line = line.split('#').next().unwrap_or(line);
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    line.match_indices(call).any(|(at, _)| !line[..at].ends_with(part))
}

/// Names that are given a secret in plain text. The secret itself is not repeated.
fn secrets(file: &TextFile) -> Vec<Finding> {
    let lines = file.text.lines().enumerate();
    let found = lines.filter_map(|(at, line)| {
        let (name, value) = line.split_once('=').or_else(|| line.split_once(": "))?;
        let name = name.trim().trim_start_matches("ENV ").trim().to_lowercase();
        let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let quoted = value.trim().trim_end_matches(',');
        let text = quoted.starts_with(['"', '\'']) && quoted.len() > 2 && !quoted.contains("${");
        let secret = plain && text && SECRET.iter().any(|part| name.contains(part));
        secret.then(|| {
            Finding::blocker(format!("{}:{}", file.path, at + 1), format!("`{name}` holds a secret in plain text"))
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> TextFile {
        TextFile { path: "a.py".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn risky_calls_are_found_and_namesakes_are_not() {
        for (line, count) in [
            ("eval(text)", 1),
            ("x = eval(text) + eval(more)", 1),
            ("retrieval(text)", 0),
            ("model.eval()", 0),
            ("# eval(text)", 0),
            ("run(words, shell=True)", 1),
        ] {
            assert_eq!(risky(&file(line), None).len(), count, "{line}");
        }
    }

    #[test]
    fn only_the_functions_of_the_question_are_looked_at() {
        let file = file("def a():\n    eval(x)\n\ndef b():\n    exec(y)\n");
        let asked = vec![Function { name: "b".to_owned(), file: "a.py".to_owned(), line: 4 }];
        let found = risky(&file, Some(&asked));
        assert_eq!(found, [Finding::blocker("a.py:5", "b uses `exec`, which runs any text as code")]);
    }

    #[test]
    fn a_secret_is_told_by_its_name_alone() {
        for (line, count) in [
            ("PASSWORD = \"letmein\"", 1),
            ("api_key: 'abc',", 1),
            ("password = os.environ[\"PASSWORD\"]", 0),
            ("token = \"\"", 0),
            ("if password == \"x\":", 0),
            ("ENV DB_PASSWORD=\"hunter2\"", 1),
        ] {
            let found = secrets(&file(line));
            assert_eq!(found.len(), count, "{line}");
            assert!(found.iter().all(|found| !found.what.contains("letmein")), "{found:?}");
        }
    }
}
