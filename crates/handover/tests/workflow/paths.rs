//! Where the work can get: states that are not reached, work that never ends, rules that never fire.

use super::{EVERYTHING, brief, refused, small};
use expect_test::expect;

#[test]
fn a_state_that_is_not_reached() {
    refused(
        &small("  DONE:", "  LOST: {agent: writer}\n  DONE:"),
        &expect![[r#"
        error[HO1004]: LOST cannot be reached
         --> flow.yaml:7:3 in states.LOST
          |
        7 |   LOST: {agent: writer}
          |   ^^^^
          = hint: add a rule or a transition that leads to it, or remove it
    "#]],
    );
}

#[test]
fn work_that_never_ends() {
    // Nothing leads on from the review; the rule before it is fine.
    let text = small("  - {id: again", "  - {id: agin")
        .lines()
        .filter(|line| !line.contains("from: reviewer"))
        .fold(String::new(), |text, line| text + line + "\n");
    refused(
        &text,
        &expect![[r#"
        error[HO1004]: from REVIEWING the work never comes to an end
         --> flow.yaml:6:3 in states.REVIEWING
          |
        6 |   REVIEWING: {agent: reviewer}
          |   ^^^^^^^^^
          = hint: add a rule `from: reviewer` that leads on, or say `end: completed` if it is the last

        error[HO1004]: DONE cannot be reached
         --> flow.yaml:7:3 in states.DONE
          |
        7 |   DONE: {end: completed}
          |   ^^^^
          = hint: add a rule or a transition that leads to it, or remove it
    "#]],
    );
    // Around and around.
    let text = small("  - {id: done, from: reviewer, reason: Approved, next_state: DONE}\n", "");
    refused(
        &text,
        &expect![[r#"
        error[HO1004]: from WRITING the work never comes to an end
         --> flow.yaml:5:3 in states.WRITING
          |
        5 |   WRITING: {agent: writer}
          |   ^^^^^^^
          = hint: add a rule `from: writer` that leads on, or say `end: completed` if it is the last

        error[HO1004]: from REVIEWING the work never comes to an end
         --> flow.yaml:6:3 in states.REVIEWING
          |
        6 |   REVIEWING: {agent: reviewer}
          |   ^^^^^^^^^
          = hint: add a rule `from: reviewer` that leads on, or say `end: completed` if it is the last

        error[HO1004]: DONE cannot be reached
         --> flow.yaml:7:3 in states.DONE
          |
        7 |   DONE: {end: completed}
          |   ^^^^
          = hint: add a rule or a transition that leads to it, or remove it
    "#]],
    );
    // A way for errors is no way for what went well.
    let text = text.replace("trigger_state: REJECTED, ", "") + "on_error: {next_state: DONE}\n";
    refused(
        &text,
        &expect![[r#"
        error[HO1004]: from WRITING the work never comes to an end
         --> flow.yaml:5:3 in states.WRITING
          |
        5 |   WRITING: {agent: writer}
          |   ^^^^^^^
          = hint: add a rule `from: writer` that leads on, or say `end: completed` if it is the last

        error[HO1004]: from REVIEWING the work never comes to an end
         --> flow.yaml:6:3 in states.REVIEWING
          |
        6 |   REVIEWING: {agent: reviewer}
          |   ^^^^^^^^^
          = hint: add a rule `from: reviewer` that leads on, or say `end: completed` if it is the last

        error[HO1004]: DONE cannot be reached
         --> flow.yaml:7:3 in states.DONE
          |
        7 |   DONE: {end: completed}
          |   ^^^^
          = hint: add a rule or a transition that leads to it, or remove it
    "#]],
    );
}

#[test]
fn work_in_a_state_of_somebody_else() {
    refused(
        &small("reason: A draft, next_state: REVIEWING", "reason: A draft"),
        &expect![[r#"
            error[HO1004]: reviewer is given work in WRITING, where its rules do not count
             --> flow.yaml:5:3 in states.WRITING
              |
            5 |   WRITING: {agent: writer}
              |   ^^^^^^^
              = hint: let the rule lead to a state of reviewer, such as `next_state: REVIEWING`

            error[HO1004]: REVIEWING cannot be reached
             --> flow.yaml:6:3 in states.REVIEWING
              |
            6 |   REVIEWING: {agent: reviewer}
              |   ^^^^^^^^^
              = hint: add a rule or a transition that leads to it, or remove it
        "#]],
    );
}

#[test]
fn a_helper_without_a_state_works_anywhere() {
    let text = small("reviewer: {}}", "reviewer: {}, helper: {}}").replace(
        "  - {id: again",
        "  - {id: help, from: writer, to: helper, trigger_state: STUCK, reason: Help}\n  \
           - {id: helped, from: helper, to: writer, reason: Go on}\n  - {id: again",
    );
    // The rule before it takes every signal.
    assert!(brief(&text).contains("rule help can never fire"), "{}", brief(&text));
    let text = text.replace("to: reviewer, reason", "to: reviewer, trigger_state: WRITING_COMPLETE, reason");
    assert_eq!(brief(&text), "good\n");
    refused(
        &text.replace("  - {id: helped, from: helper, to: writer, reason: Go on}\n", ""),
        &expect![[r#"
        error[HO1004]: helper is given work in WRITING, and from there it never comes to an end
         --> flow.yaml:5:3 in states.WRITING
          |
        5 |   WRITING: {agent: writer}
          |   ^^^^^^^
          = hint: add a rule `from: helper` that leads on
    "#]],
    );
}

#[test]
fn rules_that_never_fire() {
    let text = small(
        "  - {id: done",
        "  - {id: twice, from: reviewer, trigger_state: REJECTED, condition: outcome.ok, reason: R, next_state: DONE}\n  \
           - {id: done",
    )
    .replace("reviewer: {}}", "reviewer: {}, ghost: {}}")
        + "  - {id: boo, from: ghost, to: writer, reason: Boo, next_state: WRITING}\n  \
             - {id: rest, from: reviewer, trigger_state: [A, B], reason: R, next_state: DONE}\n";
    refused(
        &text,
        &expect![[r#"
        error[HO1004]: rule twice can never fire: rule again comes first and fits whatever comes
          --> flow.yaml:11:5 in rules[2]
           |
        11 |   - {id: twice, from: reviewer, trigger_state: REJECTED, condition: outcome.ok, reason: R, next_state: DONE}
           |     ^
           = hint: put the narrower rule first, or give the other one a condition

        error[HO1004]: rule boo can never fire: nothing is ever handed to ghost
          --> flow.yaml:13:21 in rules[4].from
           |
        13 |   - {id: boo, from: ghost, to: writer, reason: Boo, next_state: WRITING}
           |                     ^^^^^
           = hint: add a rule with `to: ghost`, or remove this one

        error[HO1004]: rule rest can never fire: rule done comes first and fits whatever comes
          --> flow.yaml:14:5 in rules[5]
           |
        14 |   - {id: rest, from: reviewer, trigger_state: [A, B], reason: R, next_state: DONE}
           |     ^
           = hint: put the narrower rule first, or give the other one a condition
    "#]],
    );
}

#[test]
fn one_that_is_used_up_lets_the_next_one_through() {
    let text = small("reason: Not yet", "reason: Not yet, retry: {max: 2}").replace(
        "  - {id: done",
        "  - {id: enough, from: reviewer, trigger_state: REJECTED, reason: Enough, next_state: DONE}\n  - {id: done",
    );
    assert_eq!(brief(&text), "good\n");
}

#[test]
fn signals_that_nobody_gives_or_hears() {
    let text = EVERYTHING.replace("[SORTED, SPAM]", "[SORTED, SPAN, UNREADABLE]");
    refused(
        &text,
        &expect![[r#"
            error[HO1004]: triage may end with SPAN, and no rule leads on from there
              --> flow.yaml:11:23 in agents.triage.signals[1]
               |
            11 |     signals: [SORTED, SPAN, UNREADABLE]
               |                       ^^^^
               = hint: add a rule `from: triage` with this `trigger_state`

            error[HO1004]: triage may end with UNREADABLE, and no rule leads on from there
              --> flow.yaml:11:29 in agents.triage.signals[2]
               |
            11 |     signals: [SORTED, SPAN, UNREADABLE]
               |                             ^^^^^^^^^^
               = hint: add a rule `from: triage` with this `trigger_state`

            error[HO1004]: rule 1.2 can never fire by SPAM: triage does not end with it
              --> flow.yaml:49:45 in rules[1].trigger_state[0]
               |
            49 |   - {id: 1.2, from: triage, trigger_state: [SPAM, SORTED, TOO_SLOW], reason: Not worth an answer., next_state: DONE}
               |                                             ^^^^
               = hint: did you mean `SPAN`?
        "#]],
    );
    // What comes by itself need not be listed.
    let text = EVERYTHING.replace("TOO_SLOW]", "TOO_SLOW, SORTING_FAILED, SORTING_COMPLETE]");
    assert_eq!(brief(&text), "good\n");
}

#[test]
fn a_start_that_is_an_end() {
    refused(
        &small("start: WRITING", "start: DONE"),
        &expect![[r#"
            error[HO1002]: DONE ends before anything begins
             --> flow.yaml:3:8 in start
              |
            3 | start: DONE
              |        ^^^^
              = hint: start in a state that has an agent
        "#]],
    );
}

#[test]
fn what_leads_where_is_told_along_with_the_rest() {
    let flow = |reviewer: &str| {
        format!(
            "name: x\nagents: {{a: {{signals: [READY, ODD]}}, b: {{at_once: 0}}}}\nstart: A\n\
             states: {{A: {{agent: a}}, B: {{agent: {reviewer}}}, L: {{agent: b}}, C: {{end: completed}}}}\nrules:\n  \
             - {{id: one, from: a, to: b, trigger_state: READY, reason: r, next_state: B}}\n  \
             - {{id: two, from: a, to: b, trigger_state: READY, reason: '', next_state: B}}\n  \
             - {{id: end, from: b, reason: r, next_state: C}}\n"
        )
    };
    expect![[r#"
        2:31 HO1004 agents.a.signals[1]: a may end with ODD, and no rule leads on from there
        2:51 HO0109 agents.b.at_once: 0 would take nothing
        4:40 HO1004 states.L: L cannot be reached
        7:5 HO1004 rules[1]: rule two can never fire: rule one comes first and fits whatever comes
        7:61 HO0102 rules[1].reason: it is empty
    "#]]
    .assert_eq(&brief(&flow("b")));
    // A way over somebody who is not there is not walked.
    expect![[r#"
        2:31 HO1004 agents.a.signals[1]: a may end with ODD, and no rule leads on from there
        2:51 HO0109 agents.b.at_once: 0 would take nothing
        4:36 HO0208 states.B.agent: `nobody` is not among the agents
        6:76 HO1002 rules[0].next_state: nobody is responsible for B, not b
        7:5 HO1004 rules[1]: rule two can never fire: rule one comes first and fits whatever comes
        7:61 HO0102 rules[1].reason: it is empty
        7:77 HO1002 rules[1].next_state: nobody is responsible for B, not b
    "#]]
    .assert_eq(&brief(&flow("nobody")));
}
