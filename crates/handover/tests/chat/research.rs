//! The research team with models as its members: the rules are the same, and a plan below 80 goes back.

use crate::place::{Place, told};
use expect_test::expect;
use regex::Regex;
use std::fs;

const TEAM: &str = "research/llm";

/// Who handed over to whom by which rule, and how it ended.
fn story(shown: &str) -> String {
    let line = Regex::new(r"(?m)^.*(→ .*rule \d.\d|· .*⇒.*|■ .*)").unwrap();
    let spaces = Regex::new(" {2,}").unwrap();
    let lines: Vec<String> =
        line.captures_iter(shown).map(|found| spaces.replace_all(&found[1], "  ").into()).collect();
    lines.join("\n")
}

#[test]
fn a_plan_that_is_not_good_enough_goes_back() {
    let place = Place::with("research");
    let output = place.run(&["run", TEAM]);
    assert!(output.status.success(), "{}", told(&output));
    expect![[r#"
        → implementation-planner  rule 1.1
        · RESEARCHING ⇒ PLANNING
        → analyzer  rule 2.1
        · PLANNING ⇒ ANALYZING
        → docs-researcher  rule 3.1
        · ANALYZING ⇒ RESEARCHING
        → implementation-planner  rule 1.1
        · RESEARCHING ⇒ PLANNING
        → analyzer  rule 2.1
        · PLANNING ⇒ ANALYZING
        → code-implementer  rule 3.2
        · ANALYZING ⇒ IMPLEMENTING
        ■ IMPLEMENTING ⇒ COMPLETED  done"#]]
    .assert_eq(&story(&String::from_utf8(output.stdout).unwrap()));
    let written = fs::read_dir(place.path().join("research/llm/written")).unwrap().next().unwrap().unwrap();
    let code = fs::read_to_string(written.path().join("cache.py")).unwrap();
    assert!(code.contains("def cached_page") && code.contains("ex=seconds"), "{code}");
}

/// A plan that never gets good enough goes back twice, and the workflow fails.
#[test]
fn after_two_tries_it_fails() {
    let place = Place::with("research");
    place.change("research/llm/script.yaml", "quality_score: 100", "quality_score: 79");
    let output = place.run(&["run", TEAM]);
    assert_eq!(output.status.code(), Some(1));
    expect![[r#"
        → implementation-planner  rule 1.1
        · RESEARCHING ⇒ PLANNING
        → analyzer  rule 2.1
        · PLANNING ⇒ ANALYZING
        → docs-researcher  rule 3.1
        · ANALYZING ⇒ RESEARCHING
        → implementation-planner  rule 1.1
        · RESEARCHING ⇒ PLANNING
        → analyzer  rule 2.1
        · PLANNING ⇒ ANALYZING
        → docs-researcher  rule 3.1
        · ANALYZING ⇒ RESEARCHING
        → implementation-planner  rule 1.1
        · RESEARCHING ⇒ PLANNING
        → analyzer  rule 2.1
        · PLANNING ⇒ ANALYZING
        ■ ANALYZING ⇒ FAILED"#]]
    .assert_eq(&story(&String::from_utf8(output.stdout).unwrap()));
}

/// What the rules refuse, a model is told, and mends it.
#[test]
fn a_step_that_ends_without_what_it_needs_is_mended() {
    let place = Place::with("research");
    place.change(
        "research/llm/script.yaml",
        "# The second round",
        "- {when: {agent: analyzer}, times: 1, call: [finish_step: {signal: ANALYSIS_COMPLETE, data: {score: 50}}]}\n# The second round",
    );
    let output = place.run(&["run", TEAM]);
    assert!(output.status.success(), "{}", told(&output));
    let refused: Vec<String> = place
        .transcript(&session(&place))
        .lines()
        .filter(|line| line.contains("analyzer ⟵ finish_step"))
        .map(str::to_owned)
        .collect();
    expect![[r#"  analyzer ⟵ finish_step: {"error":"this was refused: implementation-planner->analyzer: HO1005 signal: analyzer ended ANALYZING with ANALYSIS_COMPLETE, and no rule fits: rule 3.1: its condition gave no answer: `outcome.data` has no key `quality_score`; it has `score` (line 1, column 14); if it may be missing, write `has(outcome.data.quality_score) && …`; rule 3.2: its condition gave no answer: `outcome.data` has no key `quality_score`; it has `score` (line 1, column 14); if it may be missing, write `has(outcome.data.quality_score) && …`; rule 3.3: `has(outcome.data.quality_score)` does not hold (signals that lead on: ANALYSIS_COMPLETE)","hint":"mend it and try again, do the task yourself, or ask the user","mistakes":[{"code":"HO1005","field":"signal","hint":"signals that lead on: ANALYSIS_COMPLETE","message":"analyzer ended ANALYZING with ANALYSIS_COMPLETE, and no rule fits: rule 3.1: its condition gave no answer: `outcome.data` has no key `quality_score`; it has `score` (line 1, column 14); if it may be missing, write `has(outcome.data.quality_score) && …`; rule 3.2: its condition gave no answer: `outcome.data` has no key `quality_score`; it has `score` (line 1, column 14); if it may be missing, write `has(outcome.data.quality_score) && …`; rule 3.3: `has(outcome.data.quality_score)` does not hold"}]}"#]].assert_eq(&refused.join("\n"));
}

fn session(place: &Place) -> String {
    let listed: serde_json::Value =
        serde_json::from_slice(&place.run(&["sessions", "--json"]).stdout).expect("a list of sessions");
    listed[0]["id"].as_str().expect("an id").to_owned()
}
