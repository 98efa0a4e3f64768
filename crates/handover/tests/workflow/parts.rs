//! Parts that cannot be: wrong types, wrong bounds, parts that contradict each other. One hides no other.

use super::{brief, refused, small};
use expect_test::{Expect, expect};

fn told(text: &str, expect: &Expect) {
    expect.assert_eq(&brief(text));
}

#[test]
fn a_bad_rule_hides_no_other() {
    let text = "name: x\nagents: {a: , b: {}}\nstart: A\nstates: {A: {agent: a}, B: {agent: b}, C: {end: completed}}\nrules:\n  \
        - {from: a, to: nobody}\n  \
        - just a text\n  \
        - {id: [1], from: b, reason: {}, next_state: D}\n  \
        - {id: x, from: b, to: {}, reason: fine, next_state: A, trigger_state: {a: 1}}\n  \
        - {id: y, from: b, reason: fine, next_state: A, retry: {max: many}}\n  \
        - {id: y, from: b, reason: '', next_state: C, payload: {required: text}}\n";
    told(
        text,
        &expect![[r#"
            6:5 HO0101 rules[0]: `id` is missing
            6:5 HO0101 rules[0]: `reason` is missing
            6:19 HO0208 rules[0].to: `nobody` is not among the agents
            7:5 HO0104 rules[1]: expected an object, found a text
            8:10 HO0104 rules[2].id: expected a text, found a list
            8:32 HO0104 rules[2].reason: expected a text, found an object
            8:48 HO1003 rules[2].next_state: `D` is not among the states
            9:26 HO0104 rules[3].to: expected a text, found an object
            9:74 HO0104 rules[3].trigger_state: expected a name or a list of names, found map
            10:48 HO1002 rules[4].next_state: nobody goes on in A
            10:64 HO0104 rules[4].retry.max: expected a whole number, found `many`
            11:10 HO0209 rules[5].id: two rules have the id `y`: in line 10 and in line 11
            11:30 HO0102 rules[5].reason: it is empty
            11:69 HO0104 rules[5].payload.required: expected a list, found a text
        "#]],
    );
}

#[test]
fn a_bad_state_hides_no_other() {
    let text = "name: x\nagents: {a: {}}\nstart: A\nstates:\n  A: {agent: a b, timeout: soon}\n  B: a\n  C:\n  \
        D: {end: over}\n  E: {agent: a, timeout: 5, on_timeout: LATE}\n  F: {agent: a, on_timeout: LATE, timeout: 0s}\n  \
        G: {agent: a, timeout: 999d}\n  H: {agent: a, on_timeout: LATE}\ntransitions: {D: [A], A: B}\n\
        rules: [{id: 1, from: a, reason: r, next_state: D}]\n";
    told(
        text,
        &expect![[r#"
        5:14 HO0108 states.A.agent: `a b` is not a name: it contains ' '; letters, digits, '-', '_', '.', ':' and '/' are allowed
        5:28 HO0104 states.A.timeout: expected a length of time such as `30s`, `5m` or `24h`, found `soon`
        6:6 HO0104 states.B: expected an object, found a text
        7:3 HO1002 states.C: nobody is responsible for `C`
        8:12 HO0103 states.D.end: `over` is not one of completed, failed
        9:26 HO0104 states.E.timeout: `5` has no unit; write `5ms` or `5s`
        10:44 HO0109 states.F.timeout: 0ms is not between 1ms and 400d (WAIT_MS_MAX)
        11:26 HO0109 states.G.timeout: 999d is not between 1ms and 400d (WAIT_MS_MAX)
        12:29 HO1002 states.H.on_timeout: `H` has no time that could run out
        13:26 HO0104 transitions.A: expected a list, found a text
    "#]],
    );
}

#[test]
fn a_file_that_is_no_workflow() {
    for (text, expect) in [
        (
            "",
            expect![[r#"
            1:1 HO0102 : the file is empty
        "#]],
        ),
        (
            "- a\n- b\n",
            expect![[r#"
                1:1 HO0104 : expected the fields of a workflow, found something else
            "#]],
        ),
        (
            "name: x\n",
            expect![[r#"
            1:1 HO0101 : `start` is missing
            1:1 HO0101 : `agents` is missing
            1:1 HO0101 : `states` is missing
            1:1 HO0101 : `rules` is missing
        "#]],
        ),
        (
            "name:\nagents: [a]\nstates: 7\nstart: A\nrules: {a: 1}\n",
            expect![[r#"
            1:1 HO0101 name: `name` has no value
            2:9 HO0104 agents: expected an object: each agent by its name
            3:9 HO0104 states: expected an object: each state by its name
            5:8 HO0104 rules: expected a list of rules
        "#]],
        ),
        (
            "name: x\nagents: {a: {}}\nstates: {A: {agent: a}}\nstart: [A]\nrules: []\nevents: [{}, {on: x}]\n",
            expect![[r#"
            4:8 HO0104 start: expected a text, found a list
            6:10 HO0101 events[0]: `on` is missing
        "#]],
        ),
    ] {
        told(text, &expect);
    }
}

#[test]
fn agents_that_cannot_be() {
    let text = small(
        "{writer: {}, reviewer: {}}",
        "{writer: {at_once: 0, run: {command: []}, signals: [A, A, '']}, reviewer: {run: {builtin: x, command: [y]}, capabilities: x}, 'a b': {}}",
    );
    told(
        &text,
        &expect![[r#"
            2:28 HO0109 agents.writer.at_once: 0 would take nothing
            2:36 HO0102 agents.writer.run: it names nothing to run
            2:64 HO0209 agents.writer.signals[1]: `A` is named twice
            2:67 HO0102 agents.writer.signals[2]: it is empty
            2:89 HO0104 agents.reviewer.run: expected one of builtin, command, llm, http, found an object
            2:131 HO0104 agents.reviewer.capabilities: expected a list, found a text
            2:135 HO0108 agents.a b: `a b` is not a name: it contains ' '; letters, digits, '-', '_', '.', ':' and '/' are allowed
        "#]],
    );
}

#[test]
fn payloads_and_retries_that_cannot_be() {
    let text = small(
        "reason: A draft",
        "reason: A draft, retry: {max: 0, backoff: 500d, factor: 0}, payload: {required: [a, a, ''], optional: [b], set: {b: 1}, \
         schema: {type: objekt, properties: {a: {mininum: 1}}, pattern: '(', required: a}}",
    )
    .replace("reason: Not yet", "reason: Not yet, retry: {max: 5000, backoff: 3}, payload: [a]")
        + "limits: {chain: 1, time: 0s, agents: 99, cost: -1, handoffs: x}\nevents: [{on: '', condition: event.}]\n";
    told(
        &text,
        &expect![[r#"
            9:76 HO0109 rules[0].retry.max: 0 is not between 1 and 1000
            9:88 HO0109 rules[0].retry.backoff: 500d is not between 1ms and 400d (WAIT_MS_MAX)
            9:102 HO0109 rules[0].retry.factor: 0 is not between 1 and 100
            9:130 HO0209 rules[0].payload.required[1]: `a` is named twice
            9:133 HO0102 rules[0].payload.required[2]: it is empty
            9:149 HO0209 rules[0].payload.optional[0]: `b` is named twice
            9:181 HO1002 rules[0].payload.schema.type: it is one of null, boolean, integer, number, string, array, object, or a list of these
            9:215 HO1002 rules[0].payload.schema.properties.a.mininum: the keyword is not understood; did you mean `minimum`?
            9:229 HO1002 rules[0].payload.schema.pattern: it is no regular expression, or takes more than SCHEMA_PATTERN_BYTES_MAX
            9:244 HO1002 rules[0].payload.schema.required: it is a list of names
            10:100 HO0109 rules[1].retry.max: 5000 is not between 1 and 1000
            10:115 HO0104 rules[1].retry.backoff: `3` has no unit; write `3ms` or `3s`
            10:128 HO0104 rules[1].payload: expected an object, found a list
            12:17 HO0109 limits.chain: a chain has at least 2 agents
            12:26 HO0109 limits.time: 0ms is not between 1ms and 400d (WAIT_MS_MAX)
            12:38 HO0106 limits.agents: there are 99; at most 64 are allowed (WATCH_AGENTS_MAX)
            12:48 HO0109 limits.cost: -1 is not 0 or more
            12:62 HO0104 limits.handoffs: expected a whole number, found `x`
            13:15 HO0102 events[0].on: it is empty
            13:36 HO0715 events[0].condition: it ends too early after `.`
        "#]],
    );
}

#[test]
fn parts_that_contradict_each_other() {
    let text = small("to: reviewer", "to: writer")
        .replace("to: writer, trigger_state", "to: reviewer, trigger_state")
        .replace("reason: Approved, next_state: DONE", "reason: Approved, next_state: WRITING")
        .replace("  DONE: {end: completed}", "  DONE: {end: completed}\n  IDLE: {about: nobody}")
        + "transitions: {DONE: [WRITING]}\n";
    refused(
        &text,
        &expect![[r#"
            error[HO1004]: writer is given work in REVIEWING, where its rules do not count
             --> flow.yaml:6:3 in states.REVIEWING
              |
            6 |   REVIEWING: {agent: reviewer}
              |   ^^^^^^^^^
              = hint: let the rule lead to a state of writer, such as `next_state: WRITING`

            error[HO1004]: DONE cannot be reached
             --> flow.yaml:7:3 in states.DONE
              |
            7 |   DONE: {end: completed}
              |   ^^^^
              = hint: add a rule or a transition that leads to it, or remove it

            error[HO1002]: nobody is responsible for `IDLE`
             --> flow.yaml:8:3 in states.IDLE
              |
            8 |   IDLE: {about: nobody}
              |   ^^^^
              = hint: give it an `agent`, or say `end: completed` or `end: failed`

            error[HO1004]: IDLE cannot be reached
             --> flow.yaml:8:3 in states.IDLE
              |
            8 |   IDLE: {about: nobody}
              |   ^^^^
              = hint: add a rule or a transition that leads to it, or remove it

            error[HO0110]: writer would hand over to itself
              --> flow.yaml:10:36 in rules[0].to
               |
            10 |   - {id: review, from: writer, to: writer, reason: A draft, next_state: REVIEWING}
               |                                    ^^^^^^
               = hint: let the agent move the state itself; see `transitions`

            error[HO1002]: reviewer is responsible for REVIEWING, not writer
              --> flow.yaml:10:73 in rules[0].next_state
               |
            10 |   - {id: review, from: writer, to: writer, reason: A draft, next_state: REVIEWING}
               |                                                                         ^^^^^^^^^
               = hint: hand over to reviewer, or lead to a state of writer

            error[HO0110]: reviewer would hand over to itself
              --> flow.yaml:11:37 in rules[1].to
               |
            11 |   - {id: again, from: reviewer, to: reviewer, trigger_state: REJECTED, reason: Not yet, next_state: WRITING}
               |                                     ^^^^^^^^
               = hint: let the agent move the state itself; see `transitions`

            error[HO1002]: writer is responsible for WRITING, not reviewer
              --> flow.yaml:11:101 in rules[1].next_state
               |
            11 |   - {id: again, from: reviewer, to: reviewer, trigger_state: REJECTED, reason: Not yet, next_state: WRITING}
               |                                                                                                     ^^^^^^^
               = hint: hand over to writer, or lead to a state of reviewer

            error[HO1002]: nobody goes on in WRITING
              --> flow.yaml:12:62 in rules[2].next_state
               |
            12 |   - {id: done, from: reviewer, reason: Approved, next_state: WRITING}
               |                                                              ^^^^^^^
               = hint: say `to: writer`, or lead to a state that ends the workflow

            error[HO1002]: `DONE` ends the workflow; nothing follows it
              --> flow.yaml:13:15 in transitions.DONE
               |
            13 | transitions: {DONE: [WRITING]}
               |               ^^^^
               = hint: remove this transition, or the `end` of the state
        "#]],
    );
}

#[test]
fn two_rules_with_one_id() {
    told(
        &small("id: again", "id: review"),
        &expect![[r#"
            10:10 HO0209 rules[1].id: two rules have the id `review`: in line 9 and in line 10
        "#]],
    );
}
