//! The deployment specialist: reads the Dockerfile and the file of the CI, and says what would hurt in production.

use super::{Finding, report, source};
use crate::{folder::TextFile, room::Room, words::counted};
use handover_engine::agent::{Done, Failure, Work};
use serde_json::json;

pub(super) async fn run(work: &Work, room: &Room) -> Result<Done, Failure> {
    let source = source(work, room).await?;
    let Some(docker) = source.iter().find(|file| file.name() == "Dockerfile") else {
        return Ok(Done::failed("there is no Dockerfile, so nothing can be deployed"));
    };
    let mut found = image(docker);
    let pipeline = source.iter().find(|file| matches!(file.name(), "ci.yaml" | "ci.yml"));
    found.extend(tested_first(pipeline));
    let blockers = found.iter().filter(|finding| finding.blocks).count();
    let say = match blockers {
        0 => "it can be deployed".to_owned(),
        count => format!("{} to mend before it is deployed", counted(count, "thing")),
    };
    Ok(report(found, json!({"base": base(docker), "ci": pipeline.map(|file| file.path.clone())}), &say))
}

/// The lines of a Dockerfile that say something, with their numbers, the first word in capitals.
fn lines(file: &TextFile) -> impl Iterator<Item = (usize, String, &str)> {
    file.text.lines().enumerate().filter_map(|(at, line)| {
        let (word, rest) = line.trim().split_once(' ')?;
        (!word.starts_with('#')).then(|| (at + 1, word.to_uppercase(), rest.trim()))
    })
}

fn base(file: &TextFile) -> Option<&str> {
    lines(file).find(|(_, word, _)| word == "FROM").and_then(|(_, _, rest)| rest.split_whitespace().next())
}

fn image(file: &TextFile) -> Vec<Finding> {
    let mut found = Vec::new();
    for (at, _, rest) in lines(file).filter(|(_, word, _)| word == "FROM") {
        let name = rest.split_whitespace().next().unwrap_or(rest);
        if name.ends_with(":latest") || !name.contains([':', '@']) {
            let what = format!("`{name}` is another image tomorrow; name a version");
            found.push(Finding::blocker(format!("{}:{at}", file.path), what));
        }
    }
    let says = |wanted: &str| lines(file).any(|(_, word, _)| word == wanted);
    if !says("USER") {
        found.push(Finding::blocker(&file.path, "everything runs as root; add a `USER`"));
    }
    if !says("HEALTHCHECK") {
        found.push(Finding::note(&file.path, "nobody notices when it hangs; add a `HEALTHCHECK`"));
    }
    found
}

/// Whether the CI runs the tests, and before it deploys.
fn tested_first(pipeline: Option<&TextFile>) -> Option<Finding> {
    let Some(file) = pipeline else { return Some(Finding::blocker("", "there is no CI, so nothing is tested")) };
    let find = |words: &[&str]| file.text.lines().position(|line| words.iter().any(|word| line.contains(word)));
    match (find(&["pytest", "cargo test", "npm test"]), find(&["docker push", "deploy"])) {
        (None, _) => Some(Finding::blocker(&file.path, "the CI runs no tests")),
        (Some(test), Some(deploy)) if deploy < test => {
            Some(Finding::blocker(format!("{}:{}", file.path, deploy + 1), "it is deployed before the tests have run"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn an_image_is_looked_at() {
        for (text, count) in [
            ("FROM python:3.12-slim\nUSER app\nHEALTHCHECK CMD true\n", 0),
            ("FROM python\nUSER app\nHEALTHCHECK CMD true\n", 1),
            ("from python:latest as base\n# USER app\n", 3),
            ("", 2),
        ] {
            assert_eq!(image(&file("Dockerfile", text)).len(), count, "{text}");
        }
    }

    #[test]
    fn tests_come_before_the_deployment() {
        for (text, fine) in [
            ("- run: pytest\n- run: docker push x\n", true),
            ("- run: pytest\n", true),
            ("- run: docker push x\n- run: pytest\n", false),
            ("- run: docker push x\n", false),
        ] {
            assert_eq!(tested_first(Some(&file("ci.yaml", text))).is_none(), fine, "{text}");
        }
        assert!(tested_first(None).is_some());
    }
}
