//! Values of a type that is not the one of their field, or only look like it.

use super::refused;
use expect_test::expect;
use handover::{core::agent::AgentKind, settings};

#[test]
fn types_that_are_wrong() {
    refused(
        "agents:\n  - just a text\n  - id: [a]\n  - id: b\n    tags: one\n    capabilities: [search]\n    \
        examples: {a: b}\n    autonomy_budget: high\n    name: {first: A}\n    kind: [human]\n",
        &expect![[r#"
            error[HO0104]: expected an object, found a text
             --> handover.yaml:2:5 in agents[0]
              |
            2 |   - just a text
              |     ^^^^^^^^^^^
              = hint: write it as `name: value`; the fields are …

            error[HO0104]: expected a text, found a list
             --> handover.yaml:3:9 in agents[1].id
              |
            3 |   - id: [a]
              |         ^
              = hint: put quotes around a text with brackets or colons

            error[HO0104]: expected a list, found a text
             --> handover.yaml:5:11 in agents[2].tags
              |
            5 |     tags: one
              |           ^^^
              = hint: write `[one]`, or `- ` before each entry

            error[HO0104]: expected an object, found a text
             --> handover.yaml:6:20 in agents[2].capabilities[0]
              |
            6 |     capabilities: [search]
              |                    ^^^^^^
              = hint: write it as `name: value`; the fields are id, proficiency

            error[HO0104]: expected a list, found an object
             --> handover.yaml:7:15 in agents[2].examples
              |
            7 |     examples: {a: b}
              |               ^
              = hint: begin each entry with `- `, or write `[]` for none

            error[HO0104]: expected an object, found a text
             --> handover.yaml:8:22 in agents[2].autonomy_budget
              |
            8 |     autonomy_budget: high
              |                      ^^^^
              = hint: write it as `name: value`; the fields are max_risk

            error[HO0104]: expected a text, found an object
             --> handover.yaml:9:11 in agents[2].name
              |
            9 |     name: {first: A}
              |           ^
              = hint: put quotes around a text with brackets or colons

            error[HO0104]: expected one of local, worker, human, llm, command, http, a2a, found a list
              --> handover.yaml:10:11 in agents[2].kind
               |
            10 |     kind: [human]
               |           ^
               = hint: use one of local, worker, human, llm, command, http, a2a
        "#]],
    );
}

#[test]
fn numbers_and_truths_that_only_look_like_ones() {
    refused(
        "policy:\n  accept_ms: 010\n  lease_ms: 30_000\n  queue_ms: 1.5\n  execution_ms: \"60000\"\n  approval_ms: 30s\n\
        agents:\n  - id: a\n    accepts_handoffs: no\n    max_concurrent_tasks: -1\n    capabilities:\n      \
        - {id: x, proficiency: 0,9}\n      - {id: y, proficiency: 90%}\n      - {id: z, proficiency: .nan}\n",
        &expect![[r#"
            error[HO0104]: `010` begins with a zero, which some read as octal
             --> handover.yaml:2:14 in policy.accept_ms
              |
            2 |   accept_ms: 010
              |              ^^^
              = hint: write `10`, or put a text in quotes

            error[HO0104]: expected a whole number, found `30_000`
             --> handover.yaml:3:13 in policy.lease_ms
              |
            3 |   lease_ms: 30_000
              |             ^^^^^^
              = hint: write `30000`

            error[HO0104]: expected a whole number, found `1.5`
             --> handover.yaml:4:13 in policy.queue_ms
              |
            4 |   queue_ms: 1.5
              |             ^^^
              = hint: write digits alone, such as `30000`

            error[HO0104]: expected a whole number, found a text in quotes
             --> handover.yaml:5:17 in policy.execution_ms
              |
            5 |   execution_ms: "60000"
              |                 ^^^^^^^
              = hint: leave the quotes out

            error[HO0104]: expected a whole number, found `30s`
             --> handover.yaml:6:16 in policy.approval_ms
              |
            6 |   approval_ms: 30s
              |                ^^^
              = hint: write digits alone, such as `30000`

            error[HO0104]: expected true or false, found `no`
             --> handover.yaml:9:23 in agents[0].accepts_handoffs
              |
            9 |     accepts_handoffs: no
              |                       ^^
              = hint: write `false`

            error[HO0109]: `-1` is not between 0 and 4294967295
              --> handover.yaml:10:27 in agents[0].max_concurrent_tasks
               |
            10 |     max_concurrent_tasks: -1
               |                           ^^
               = hint: write a whole number from 0 to 4294967295

            error[HO0105]: there is no field `9`
              --> handover.yaml:12:32 in agents[0].capabilities[0].9
               |
            12 |       - {id: x, proficiency: 0,9}
               |                                ^
               = hint: the fields are id, proficiency

            error[HO0104]: expected a number, found `90%`
              --> handover.yaml:13:30 in agents[0].capabilities[1].proficiency
               |
            13 |       - {id: y, proficiency: 90%}
               |                              ^^^
               = hint: write `0.9`

            error[HO0104]: expected a number, found `.nan`
              --> handover.yaml:14:30 in agents[0].capabilities[2].proficiency
               |
            14 |       - {id: z, proficiency: .nan}
               |                              ^^^^
               = hint: write it with digits and a point, such as `0.9`
        "#]],
    );
}

#[test]
fn names_that_are_none() {
    let long = "x".repeat(129);
    refused(
        &format!(
            "policy: {{human: \"\"}}\nagents:\n  - id: two words\n  - id: {long}\n  - {{id: a, escalates_to: \"b!\"}}\n"
        ),
        &expect![[r#"
            error[HO0102]: an empty text is not a name: it is empty
             --> handover.yaml:1:17 in policy.human
              |
            1 | policy: {human: ""}
              |                 ^^
              = hint: write a name

            error[HO0108]: `two words` is not a name: it contains ' '; letters, digits, '-', '_', '.', ':' and '/' are allowed
             --> handover.yaml:3:9 in agents[0].id
              |
            3 |   - id: two words
              |         ^^^^^^^^^
              = hint: write it with those alone

            error[HO0106]: `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…` is not a name: it has 129 characters, at most 128 are allowed
             --> handover.yaml:4:9 in agents[1].id
              |
            4 |   - id: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
              |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = hint: write a shorter one

            error[HO0108]: `b!` is not a name: it contains '!'; letters, digits, '-', '_', '.', ':' and '/' are allowed
             --> handover.yaml:5:27 in agents[2].escalates_to
              |
            5 |   - {id: a, escalates_to: "b!"}
              |                           ^^^^
              = hint: write it with those alone
        "#]],
    );
}

#[test]
fn what_looks_like_another_type_is_a_text_where_a_text_is_asked_for() {
    let text = "agents:\n  - id: no\n    version: 1.10\n    name: true\n    tags: [010, on, 1e3, \"null\"]\n    kind: \"human\"\n";
    let agent = settings::parse("x", text).unwrap().agents.remove(0);
    assert_eq!((agent.id.as_str(), agent.version.as_str(), agent.name.as_str()), ("no", "1.10", "true"));
    assert_eq!(agent.tags, ["010", "on", "1e3", "null"]);
    assert_eq!(agent.kind, AgentKind::Human);
}
