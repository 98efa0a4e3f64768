//! The analyzer: scores a plan by fixed criteria, says why, and what to look for where it is not good enough.

use super::{
    left,
    pack::{self, Gap},
    plan::Plan,
    question, round,
};
use crate::{
    room::{Room, ended},
    shelf::{Passage, terms},
    words::counted,
};
use handover_core::session::ArtifactType;
use handover_engine::agent::{Done, Failure, Work};
use serde::Serialize;
use serde_json::{Value, json};
use std::{collections::BTreeSet, fmt::Write as _};

/// What a plan can reach by each criterion; 100 in all.
const SOURCES: usize = 20;
const VERSIONS: usize = 20;
const COVERAGE: usize = 30;
const RISKS: usize = 15;
const TESTS: usize = 15;

/// How a plan does by one criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Mark {
    name: &'static str,
    points: usize,
    of: usize,
    reason: String,
    #[serde(skip)]
    look_for: String,
}

pub(super) async fn run(work: &Work, room: &Room) -> Result<Done, Failure> {
    let (question, round) = (question(work), round(work));
    let plan = work.payload().get("plan").cloned().unwrap_or(Value::Null);
    let plan: Plan = serde_json::from_value(plan).map_err(|error| format!("the plan cannot be read: {error}"))?;
    let marks = marks(&question, &plan, &pack::passages(work.payload()));
    let score: usize = marks.iter().map(|mark| mark.points).sum();
    let path = room.write(work, &format!("ValidationReport-{round}.md"), document(&question, score, &marks)).await?;
    let missing: Vec<Gap> = marks.iter().filter_map(Mark::gap).collect();
    let named: Vec<&str> = missing.iter().map(|gap| gap.criterion.as_str()).collect();
    let say = match named.as_slice() {
        [] => format!("{score} of 100; nothing is missing"),
        named => format!("{score} of 100; missing: {}", named.join(", ")),
    };
    let data = json!({
        "quality_score": score, "criteria": marks, "missing": missing, "validation_report": path, "round": round,
    });
    let done = ended(work, "ANALYSIS_COMPLETE", data, say).score(f64::from(u32::try_from(score).unwrap_or(0)));
    Ok(done.update(left(2, ArtifactType::ReviewComment, &path, "Validation report")))
}

impl Mark {
    fn gap(&self) -> Option<Gap> {
        let gap = || Gap { criterion: self.name.to_owned(), look_for: self.look_for.clone() };
        (self.points < self.of).then(gap)
    }
}

fn marks(question: &str, plan: &Plan, passages: &[Passage]) -> Vec<Mark> {
    let cited: Vec<Passage> = passages.iter().filter(|passage| plan.cites(&passage.id)).cloned().collect();
    vec![
        sources(question, &cited),
        listed("versions", VERSIONS, &plan.versions, "version release supported"),
        coverage(question, &cited),
        listed("risks", RISKS, &plan.risks, "risk danger stampede stale"),
        listed("tests", TESTS, &plan.tests, "test testing assert"),
    ]
}

/// One document is half of what it should be.
fn sources(question: &str, cited: &[Passage]) -> Mark {
    let count = pack::sources(cited);
    let points = SOURCES * count.min(2) / 2;
    let reason = format!("the steps cite {}", counted(count, "document"));
    Mark { name: "sources", points, of: SOURCES, reason, look_for: question.to_owned() }
}

/// Something of this sort is there, or it is not.
fn listed(name: &'static str, of: usize, entries: &[String], look_for: &str) -> Mark {
    let (points, reason) = match entries.len() {
        0 => (0, format!("no {name} are named")),
        count => (of, format!("{name} named: {count}")),
    };
    Mark { name, points, of, reason, look_for: look_for.to_owned() }
}

/// The share of the question's words that are met in what is cited.
fn coverage(question: &str, cited: &[Passage]) -> Mark {
    let wanted: BTreeSet<String> = terms(question).into_iter().collect();
    let met: BTreeSet<String> = cited.iter().flat_map(Passage::terms).collect();
    let left: Vec<&str> = wanted.difference(&met).map(String::as_str).collect();
    let points = COVERAGE * (wanted.len() - left.len()) / wanted.len().max(1);
    let reason = match left.as_slice() {
        [] => "every word of the question is met".to_owned(),
        left => format!("nothing is said about {}", left.join(", ")),
    };
    Mark { name: "coverage", points, of: COVERAGE, reason, look_for: left.join(" ") }
}

fn document(question: &str, score: usize, marks: &[Mark]) -> String {
    let mut out = format!("# Validation report\n\nQuestion: {question}\n\nQuality score: {score} of 100\n\n");
    for mark in marks {
        let _ = writeln!(out, "- {}: {} of {}, {}", mark.name, mark.points, mark.of, mark.reason);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::research::plan::Step;
    use expect_test::expect;

    #[test]
    fn a_plan_is_scored_with_reasons() {
        let passage = |source: &str, text: &str| Passage {
            id: format!("{source}#1"),
            source: source.to_owned(),
            heading: "Keys".to_owned(),
            text: text.to_owned(),
        };
        let passages = [passage("a.md", "A key has a time."), passage("b.md", "Nobody cites this of caches.")];
        let steps = vec![Step { text: "x".to_owned(), cites: vec!["a.md#1".to_owned()] }];
        let plan = Plan { steps, risks: vec!["x".to_owned()], ..Plan::default() };
        expect![[r"
            # Validation report

            Question: Which keys does a cache have?

            Quality score: 35 of 100

            - sources: 10 of 20, the steps cite 1 document
            - versions: 0 of 20, no versions are named
            - coverage: 10 of 30, nothing is said about cach, hav
            - risks: 15 of 15, risks named: 1
            - tests: 0 of 15, no tests are named
        "]]
        .assert_eq(&document(
            "Which keys does a cache have?",
            35,
            &marks("Which keys does a cache have?", &plan, &passages),
        ));
    }
}
