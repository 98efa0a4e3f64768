//! Files with fields and words that are not those of agents and policies.

use super::refused;
use expect_test::expect;
use handover::{core::agent::Risk, settings};

#[test]
fn something_else_at_the_top() {
    refused(
        "- id: a\n",
        &expect![[r#"
        error[HO0104]: expected the fields `policy` and `agents`, found something else
         --> handover.yaml:1:1
          |
        1 | - id: a
          | ^
          = hint: put `agents:` before the list
    "#]],
    );
    refused(
        "agents\n",
        &expect![[r#"
        error[HO0104]: expected the fields `policy` and `agents`, found something else
         --> handover.yaml:1:1
          |
        1 | agents
          | ^^^^^^
          = hint: put `agents:` before the list
    "#]],
    );
    refused(
        "agent:\n  - id: a\nfoo: 1\n",
        &expect![[r#"
            error[HO0105]: there is no field `agent`
             --> handover.yaml:1:1 in agent
              |
            1 | agent:
              | ^^^^^
              = hint: did you mean `agents`?

            error[HO0105]: there is no field `foo`
             --> handover.yaml:3:1 in foo
              |
            3 | foo: 1
              | ^^^
              = hint: the fields are …
        "#]],
    );
    refused(
        "agents: {a: {}}\npolicy: strict\n",
        &expect![[r#"
            error[HO0104]: expected a list of agents
             --> handover.yaml:1:9 in agents
              |
            1 | agents: {a: {}}
              |         ^
              = hint: begin each agent with `- id: …`

            error[HO0104]: expected an object, found a text
             --> handover.yaml:2:9 in policy
              |
            2 | policy: strict
              |         ^^^^^^
              = hint: write it as `name: value`; the fields are …
        "#]],
    );
}

#[test]
fn fields_that_nothing_reads() {
    refused(
        "policy: {acept_ms: 5, colour: red}\nagents:\n  - id: a\n    capabilites: []\n    \
        capabilities: [{id: x, proficency: 0.9}]\n    autonomy_budget: {max_risk: low, max_cost: 1}\n",
        &expect![[r#"
            error[HO0105]: there is no field `acept_ms`
             --> handover.yaml:1:10 in policy.acept_ms
              |
            1 | policy: {acept_ms: 5, colour: red}
              |          ^^^^^^^^
              = hint: did you mean `accept_ms`?

            error[HO0105]: there is no field `colour`
             --> handover.yaml:1:23 in policy.colour
              |
            1 | policy: {acept_ms: 5, colour: red}
              |                       ^^^^^^
              = hint: the fields are …

            error[HO0105]: there is no field `capabilites`
             --> handover.yaml:4:5 in agents[0].capabilites
              |
            4 |     capabilites: []
              |     ^^^^^^^^^^^
              = hint: did you mean `capabilities`?

            error[HO0105]: there is no field `proficency`
             --> handover.yaml:5:28 in agents[0].capabilities[0].proficency
              |
            5 |     capabilities: [{id: x, proficency: 0.9}]
              |                            ^^^^^^^^^^
              = hint: did you mean `proficiency`?

            error[HO0105]: there is no field `max_cost`
             --> handover.yaml:6:38 in agents[0].autonomy_budget.max_cost
              |
            6 |     autonomy_budget: {max_risk: low, max_cost: 1}
              |                                      ^^^^^^^^
              = hint: the fields are max_risk
        "#]],
    );
}

#[test]
fn fields_that_are_missing() {
    refused(
        "agents:\n  - name: A\n  - id:\n  - id: c\n    capabilities: [{proficiency: 0.5}, {}]\n    autonomy_budget: {}\n",
        &expect![[r#"
            error[HO0101]: `id` is missing
             --> handover.yaml:2:5 in agents[0]
              |
            2 |   - name: A
              |     ^
              = hint: add `id: …` here

            error[HO0101]: `id` has no value
             --> handover.yaml:3:5 in agents[1].id
              |
            3 |   - id:
              |     ^^
              = hint: write one after the colon

            error[HO0101]: `id` is missing
             --> handover.yaml:5:20 in agents[2].capabilities[0]
              |
            5 |     capabilities: [{proficiency: 0.5}, {}]
              |                    ^
              = hint: add `id: …` here

            error[HO0101]: `id` is missing
             --> handover.yaml:5:40 in agents[2].capabilities[1]
              |
            5 |     capabilities: [{proficiency: 0.5}, {}]
              |                                        ^
              = hint: add `id: …` here

            error[HO0101]: `max_risk` is missing
             --> handover.yaml:6:22 in agents[2].autonomy_budget
              |
            6 |     autonomy_budget: {}
              |                      ^
              = hint: add `max_risk: …` here
        "#]],
    );
}

#[test]
fn words_that_are_none_of_the_allowed_ones() {
    refused(
        "policy:\n  approval_from_risk: hgh\nagents:\n  - {id: a, kind: robot, autonomy_budget: {max_risk: Low}}\n",
        &expect![[r#"
            error[HO0103]: `hgh` is not one of low, medium, high
             --> handover.yaml:2:23 in policy.approval_from_risk
              |
            2 |   approval_from_risk: hgh
              |                       ^^^
              = hint: did you mean `high`?

            error[HO0103]: `robot` is not one of local, worker, human, llm, command, http, a2a
             --> handover.yaml:4:19 in agents[0].kind
              |
            4 |   - {id: a, kind: robot, autonomy_budget: {max_risk: Low}}
              |                   ^^^^^
              = hint: use one of local, worker, human, llm, command, http, a2a

            error[HO0103]: `Low` is not one of low, medium, high
             --> handover.yaml:4:54 in agents[0].autonomy_budget.max_risk
              |
            4 |   - {id: a, kind: robot, autonomy_budget: {max_risk: Low}}
              |                                                      ^^^
              = hint: did you mean `low`?
        "#]],
    );
}

#[test]
fn a_field_without_a_value_has_its_default() {
    let text = "policy:\n  human:\n  lease_ms: ~\nagents:\n  - id: a\n    capabilities:\n    escalates_to: null\n    autonomy_budget:\n";
    let settings = settings::parse("x", text).unwrap();
    assert_eq!(settings.policy, Some(handover::core::policy::Policy::default()));
    assert_eq!(settings.agents[0].autonomy_budget.max_risk, Risk::High);
    for text in ["agents:\n", "policy:\n", "policy: {}\nagents: []\n"] {
        assert_eq!(settings::parse("x", text).unwrap().agents.len(), 0, "{text}");
    }
}

#[test]
fn an_alias_stands_for_its_value() {
    let text =
        "agents:\n  - id: a\n    capabilities: &all [{id: x, proficiency: 0x1}]\n  - id: b\n    capabilities: *all\n";
    let settings = settings::parse("x", text).unwrap();
    assert_eq!(settings.agents[0].capabilities, settings.agents[1].capabilities);
    // What is wrong with it is wrong once, where it is written.
    refused(
        &text.replace("0x1", "7"),
        &expect![[r#"
            error[HO0109]: 7 is not between 0 and 1
             --> handover.yaml:3:46 in agents[0].capabilities[0].proficiency
              |
            3 |     capabilities: &all [{id: x, proficiency: 7}]
              |                                              ^
              = hint: use a number from 0 to 1
        "#]],
    );
}
