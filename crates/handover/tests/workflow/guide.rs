//! The guide shows workflows that can be, and what is really said of one that cannot.

use handover::workflow;

const GUIDE: &str = include_str!("../../../../docs/guides/workflows.md");

/// The blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let opening = format!("```{language}\n");
    GUIDE.split(opening.as_str()).skip(1).map(|rest| rest.split_once("```").expect("the block ends").0).collect()
}

#[test]
fn every_workflow_of_the_guide_is_good() {
    let all = blocks("yaml");
    assert!(!all.is_empty());
    for text in all {
        let file = workflow::parse("guide.yaml", text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(file.notes, [], "{text}");
    }
}

#[test]
fn the_guide_shows_what_is_said() {
    let text = blocks("yaml")[0].replacen("- id: pay-much\n    from: judge", "- id: pay-much\n    from: jugde", 1);
    let text = text.replace("task.payload.amount", "tsk.payload.amount");
    let said = workflow::parse("refunds.yaml", &text).expect_err("it is refused").to_string();
    assert_eq!(said, blocks("text")[0]);
}

#[test]
fn the_guide_names_what_conditions_see() {
    for root in handover::core::workflow::RULE_ROOTS {
        assert!(GUIDE.contains(&format!("\n| `{root}` | ")), "{root}");
    }
}
