//! Names of workflows and states are safe as names of files; and a state for failures needs no rule that leads there.

use super::{brief, refused, small};
use expect_test::expect;

#[test]
fn names_that_are_no_file_names() {
    for (name, told) in [
        ("letters", ""),
        ("letters-2.1_a", ""),
        ("übersetzung", ""),
        ("../letters", "a name cannot contain '/'"),
        ("a/b", "a name cannot contain '/'"),
        (r"a\b", r"a name cannot contain '\\'"),
        ("a b", "a name cannot contain ' '"),
        ("a:b", "a name cannot contain ':'"),
        ("..", "a name cannot begin with a dot"),
        (".hidden", "a name cannot begin with a dot"),
        ("a.", "a name cannot end with a dot"),
        ("a..b", "a name cannot contain two dots in a row"),
        (r#""a\nb""#, r"a name cannot contain '\n'"),
        (r#""a\0b""#, r"it contains '\0'"),
        (r#""""#, "it is empty"),
    ] {
        let quoted = if name.starts_with('"') { name.to_owned() } else { format!("'{name}'") };
        let expected = |line: &str| {
            let code = if told == "it is empty" { "HO0102" } else { "HO0108" };
            if told.is_empty() { "good\n".to_owned() } else { format!("{line} {code} {{}}: {told}\n") }
        };
        let as_workflow = brief(&small("name: letters", &format!("name: {quoted}")));
        assert_eq!(as_workflow, expected("1:7").replace("{}", "name"), "{name}");
        // As a state: in its own place, which is the name itself.
        let text =
            small("  DONE:", &format!("  {quoted}:")).replace("next_state: DONE", &format!("next_state: {quoted}"));
        let as_state = brief(&text);
        let place = as_state.split(' ').next().unwrap_or_default();
        assert_eq!(told.is_empty(), as_state == "good\n", "{name}: {as_state}");
        assert!(told.is_empty() || (place == "7:3" && as_state.contains(told)), "{name}: {as_state}");
    }
}

#[test]
fn they_are_shown_so() {
    refused(
        &small("name: letters", "name: ../letters")
            .replace("  DONE:", "  a/b.c:")
            .replace("state: DONE", "state: a/b.c"),
        &expect![[r#"
            error[HO0108]: a name cannot contain '/'
             --> flow.yaml:1:7 in name
              |
            1 | name: ../letters
              |       ^^^^^^^^^^
              = hint: use letters, digits, `-`, `_` and `.`; no dot at the ends, and no two in a row

            error[HO0108]: a name cannot contain '/'
             --> flow.yaml:7:3 in states.a/b.c
              |
            7 |   a/b.c: {end: completed}
              |   ^^^^^
              = hint: use letters, digits, `-`, `_` and `.`; no dot at the ends, and no two in a row
        "#]],
    );
}

#[test]
fn a_name_that_is_too_long_for_a_folder() {
    let told = brief(&small("name: letters", &format!("name: {}", "語".repeat(70))));
    assert_eq!(told, "1:7 HO0106 name: it has 210 bytes; at most 200 are allowed (WORKFLOW_NAME_BYTES_MAX)\n");
}

#[test]
fn the_state_for_failures_needs_no_rule_that_leads_there() {
    assert_eq!(brief(&small("  DONE:", "  FAILED: {end: failed}\n  DONE:")), "good\n");
    // Only one is for that.
    let text = small("  DONE:", "  FAILED: {end: failed}\n  LOST: {end: failed}\n  DONE:");
    assert_eq!(brief(&text), "8:3 HO1004 states.LOST: LOST cannot be reached\n");
}
