//! Agents that cannot be as the file says, alone or together.

use super::refused;
use expect_test::expect;
use handover::{
    core::ids::AgentId,
    settings::{self, FileError},
    {Code, HandoffError},
};

#[test]
fn two_agents_with_one_id() {
    refused(
        "agents:\n  - id: a\n  - id: b\n  - {id: a, kind: robot}\n  - id: \"a\"\n",
        &expect![[r#"
            error[HO0209]: two agents have the id `a`: in line 2 and in line 4
             --> handover.yaml:4:10 in agents[2].id
              |
            4 |   - {id: a, kind: robot}
              |          ^
              = hint: Give one of the two another id, or remove it.

            error[HO0103]: `robot` is not one of local, worker, human, llm, command, http, a2a
             --> handover.yaml:4:19 in agents[2].kind
              |
            4 |   - {id: a, kind: robot}
              |                   ^^^^^
              = hint: use one of local, worker, human, llm, command, http, a2a

            error[HO0209]: two agents have the id `a`: in line 2 and in line 5
             --> handover.yaml:5:9 in agents[3].id
              |
            5 |   - id: "a"
              |         ^^^
              = hint: Give one of the two another id, or remove it.
        "#]],
    );
}

#[test]
fn escalation_in_circles() {
    refused(
        "agents:\n  - {id: x, escalates_to: b}\n  - {id: a, escalates_to: b}\n  - {id: b, escalates_to: c}\n  \
        - {id: c, escalates_to: a}\n  - {id: self, escalates_to: self}\n",
        &expect![[r#"
            error[HO0206]: escalation goes in a circle: a -> b -> c -> a
             --> handover.yaml:3:27 in agents[1].escalates_to
              |
            3 |   - {id: a, escalates_to: b}
              |                           ^
              = hint: let one of them escalate to somebody outside of the circle, or to nobody

            error[HO0206]: escalation goes in a circle: self -> self
             --> handover.yaml:6:30 in agents[4].escalates_to
              |
            6 |   - {id: self, escalates_to: self}
              |                              ^^^^
              = hint: let one of them escalate to somebody outside of the circle, or to nobody
        "#]],
    );
}

#[test]
fn a_long_circle() {
    let agent = |i: usize| format!("  - {{id: a{i}, escalates_to: a{}}}\n", (i + 1) % 100);
    let text = format!("agents:\n{}", (0..100).map(agent).collect::<String>());
    let error = settings::parse("x", &text).unwrap_err();
    assert_eq!(error.mistakes.len(), 1);
    assert!(error.mistakes[0].message.starts_with("escalation goes in a circle: a0 -> a1 -> "), "{error}");
}

#[test]
fn somebody_who_is_not_there() {
    refused(
        "policy:\n  human: opps\nagents:\n  - {id: ops, kind: human}\n  - {id: a, escalates_to: nobody}\n  \
        - {id: b, escalates_to: op}\n",
        &expect![[r#"
            error[HO0208]: `opps` is not among the agents
             --> handover.yaml:2:10 in policy.human
              |
            2 |   human: opps
              |          ^^^^
              = hint: did you mean `ops`?

            error[HO0208]: `nobody` is not among the agents
             --> handover.yaml:5:27 in agents[1].escalates_to
              |
            5 |   - {id: a, escalates_to: nobody}
              |                           ^^^^^^
              = hint: add an agent with `id: nobody`

            error[HO0208]: `op` is not among the agents
             --> handover.yaml:6:27 in agents[2].escalates_to
              |
            6 |   - {id: b, escalates_to: op}
              |                           ^^
              = hint: did you mean `ops`?
        "#]],
    );
}

#[test]
fn rules_for_approvals_about_somebody_who_is_not_there() {
    let text = "policy:\n  approvals:\n    - {name: x, when: {to: [a, bb], from: [ab]}}\n    - name: y\n      when:\n        \
                from: [nobody]\nagents:\n  - {id: a}\n  - {id: bbb}\n";
    refused(
        text,
        &expect![[r#"
        error[HO0208]: `bb` is not among the agents
         --> handover.yaml:3:32 in policy.approvals[0].when.to[1]
          |
        3 |     - {name: x, when: {to: [a, bb], from: [ab]}}
          |                                ^^
          = hint: did you mean `bbb`?

        error[HO0208]: `ab` is not among the agents
         --> handover.yaml:3:44 in policy.approvals[0].when.from[0]
          |
        3 |     - {name: x, when: {to: [a, bb], from: [ab]}}
          |                                            ^^
          = hint: did you mean `a`?

        error[HO0208]: `nobody` is not among the agents
         --> handover.yaml:6:16 in policy.approvals[1].when.from[0]
          |
        6 |         from: [nobody]
          |                ^^^^^^
          = hint: add an agent with `id: nobody`
    "#]],
    );
    let known = ["bb", "ab", "nobody"].map(|id| AgentId::new(id).unwrap());
    assert_eq!(settings::parse_with("x", text, &known).unwrap().agents.len(), 2);
}

#[test]
fn an_agent_that_is_wrong_otherwise_is_still_somebody() {
    refused(
        "policy: {human: ops}\nagents:\n  - {id: ops, kind: person}\n  - {id: a, escalates_to: ops}\n",
        &expect![[r#"
            error[HO0103]: `person` is not one of local, worker, human, llm, command, http, a2a
             --> handover.yaml:3:21 in agents[0].kind
              |
            3 |   - {id: ops, kind: person}
              |                     ^^^^^^
              = hint: use one of local, worker, human, llm, command, http, a2a
        "#]],
    );
}

#[test]
fn whom_the_engine_knows_may_be_named() {
    let text = "policy: {human: ops}\nagents:\n  - {id: a, escalates_to: ops}\n";
    let known = [AgentId::new("ops").unwrap()];
    assert_eq!(settings::parse_with("x", text, &known).unwrap().agents.len(), 1);
    assert_eq!(settings::parse("x", text).unwrap_err().mistakes.len(), 2);
}

#[test]
fn values_that_cannot_be() {
    refused(
        "policy:\n  accept_ms: 0\n  lease_ms: 99999999999999\nagents:\n  - id: a\n    max_concurrent_tasks: 0\n    \
        max_execution_ms: 0\n    tags: [fine, \"bad\\0\"]\n    capabilities:\n      - {id: x, proficiency: 1.5}\n      \
        - {id: y, proficency: 2}\n      - nothing\n      - {id: \"\", proficiency: -0.1}\n",
        &expect![[r#"
            error[HO0109]: 0 ms is not between 1 and 34560000000 (WAIT_MS_MAX)
             --> handover.yaml:2:14 in policy.accept_ms
              |
            2 |   accept_ms: 0
              |              ^
              = hint: use 1 to 34560000000 ms

            error[HO0109]: 99999999999999 ms is not between 1 and 34560000000 (WAIT_MS_MAX)
             --> handover.yaml:3:13 in policy.lease_ms
              |
            3 |   lease_ms: 99999999999999
              |             ^^^^^^^^^^^^^^
              = hint: use 1 to 34560000000 ms

            error[HO0206]: 0 leaves no room for even one task
             --> handover.yaml:6:27 in agents[0].max_concurrent_tasks
              |
            6 |     max_concurrent_tasks: 0
              |                           ^
              = hint: use accepts_handoffs: false to take none

            error[HO0109]: 0 ms is not between 1 and 34560000000 (WAIT_MS_MAX)
             --> handover.yaml:7:23 in agents[0].max_execution_ms
              |
            7 |     max_execution_ms: 0
              |                       ^
              = hint: use 1 to 34560000000 ms

            error[HO0108]: it contains '\0'
             --> handover.yaml:8:18 in agents[0].tags[1]
              |
            8 |     tags: [fine, "bad\0"]
              |                  ^^^^^^^
              = hint: Remove the character that the message shows.

            error[HO0109]: 1.5 is not between 0 and 1
              --> handover.yaml:10:30 in agents[0].capabilities[0].proficiency
               |
            10 |       - {id: x, proficiency: 1.5}
               |                              ^^^
               = hint: use a number from 0 to 1

            error[HO0105]: there is no field `proficency`
              --> handover.yaml:11:17 in agents[0].capabilities[1].proficency
               |
            11 |       - {id: y, proficency: 2}
               |                 ^^^^^^^^^^
               = hint: did you mean `proficiency`?

            error[HO0104]: expected an object, found a text
              --> handover.yaml:12:9 in agents[0].capabilities[2]
               |
            12 |       - nothing
               |         ^^^^^^^
               = hint: write it as `name: value`; the fields are id, proficiency

            error[HO0102]: it is empty
              --> handover.yaml:13:14 in agents[0].capabilities[3].id
               |
            13 |       - {id: "", proficiency: -0.1}
               |              ^^
               = hint: Say in a few words what belongs there. The next agent and the audit trail depend on it.

            error[HO0109]: -0.1 is not between 0 and 1
              --> handover.yaml:13:31 in agents[0].capabilities[3].proficiency
               |
            13 |       - {id: "", proficiency: -0.1}
               |                               ^^^^
               = hint: use a number from 0 to 1
        "#]],
    );
}

#[test]
fn an_agent_without_a_name_has_its_other_mistakes_too() {
    refused(
        "agents:\n  - id: \"a b\"\n    max_concurrent_tasks: 0\n    escalates_to: c\n  - {name: B, max_execution_ms: 0}\n",
        &expect![[r#"
            error[HO0108]: `a b` is not a name: it contains ' '; letters, digits, '-', '_', '.', ':' and '/' are allowed
             --> handover.yaml:2:9 in agents[0].id
              |
            2 |   - id: "a b"
              |         ^^^^^
              = hint: write it with those alone

            error[HO0206]: 0 leaves no room for even one task
             --> handover.yaml:3:27 in agents[0].max_concurrent_tasks
              |
            3 |     max_concurrent_tasks: 0
              |                           ^
              = hint: use accepts_handoffs: false to take none

            error[HO0208]: `c` is not among the agents
             --> handover.yaml:4:19 in agents[0].escalates_to
              |
            4 |     escalates_to: c
              |                   ^
              = hint: add an agent with `id: c`

            error[HO0101]: `id` is missing
             --> handover.yaml:5:5 in agents[1]
              |
            5 |   - {name: B, max_execution_ms: 0}
              |     ^
              = hint: add `id: …` here

            error[HO0109]: 0 ms is not between 1 and 34560000000 (WAIT_MS_MAX)
             --> handover.yaml:5:33 in agents[1].max_execution_ms
              |
            5 |   - {name: B, max_execution_ms: 0}
              |                                 ^
              = hint: use 1 to 34560000000 ms
        "#]],
    );
}

#[test]
fn more_mistakes_than_anybody_reads_are_counted() {
    let text = format!("agents:\n{}", "  - {id: a, kind: robot}\n".repeat(100));
    let error = settings::parse("x", &text).unwrap_err();
    assert_eq!((error.mistakes.len(), error.further > 0), (64, true));
    assert!(error.to_string().ends_with("further mistakes are not listed\n"));
}

#[test]
fn a_library_gets_the_stable_codes() {
    let text = "agents:\n  - {id: a, kind: robot}\n  - {id: a, escalates_to: b}\n";
    let error: FileError = settings::parse("team.yaml", text).unwrap_err();
    let error = HandoffError::from(error);
    let codes: Vec<Code> = error.refusals.iter().map(|refusal| refusal.code).collect();
    assert_eq!(codes, [Code::UnknownValue, Code::DuplicateId, Code::UnknownAgent]);
    expect!["HO0103 agents[0].kind: `robot` is not one of local, worker, human, llm, command, http, a2a, at team.yaml:2:19 (use one of local, worker, human, llm, command, http, a2a)"].assert_eq(&error.refusals[0].to_string());
    assert_eq!(error.refusals[0].details["line"], 2);
}
