//! Names that nobody has: fields, agents, states, words.

use super::{refused, small};
use expect_test::expect;

#[test]
fn fields_that_do_not_exist() {
    let text = small("reason: A draft", "reason: A draft, next_sate: DONE, retry: {max: 2, backof: 2s}")
        .replace("{agent: writer}", "{agnt: writer, agent: writer, timeout_ms: 500}")
        .replace("start:", "strat: X\nstart:");
    refused(
        &text,
        &expect![[r#"
        error[HO0105]: there is no field `strat`
         --> flow.yaml:3:1 in strat
          |
        3 | strat: X
          | ^^^^^
          = hint: did you mean `start`?

        error[HO0105]: there is no field `agnt`
         --> flow.yaml:6:13 in states.WRITING.agnt
          |
        6 |   WRITING: {agnt: writer, agent: writer, timeout_ms: 500}
          |             ^^^^
          = hint: did you mean `agent`?

        error[HO0105]: there is no field `timeout_ms`
         --> flow.yaml:6:42 in states.WRITING.timeout_ms
          |
        6 |   WRITING: {agnt: writer, agent: writer, timeout_ms: 500}
          |                                          ^^^^^^^^^^
          = hint: did you mean `timeout`?

        error[HO0105]: there is no field `next_sate`
          --> flow.yaml:10:63 in rules[0].next_sate
           |
        10 |   - {id: review, from: writer, to: reviewer, reason: A draft, next_sate: DONE, retry: {max: 2, backof: 2s}, next_state:
           |                                                               ^^^^^^^^^
           = hint: did you mean `next_state`?

        error[HO0105]: there is no field `backof`
          --> flow.yaml:10:96 in rules[0].retry.backof
           |
        10 |   - {id: review, from: writer, to: reviewer, reason: A draft, next_sate: DONE, retry: {max: 2, backof: 2s}, next_state:
           |                                                                                                ^^^^^^
           = hint: did you mean `backoff`?
    "#]],
    );
}

#[test]
fn agents_and_states_that_do_not_exist() {
    let text = small("to: reviewer", "to: reveiwer")
        .replace("next_state: DONE", "next_state: FINISHED")
        .replace("start: WRITING", "start: WRITNG")
        .replace("{agent: reviewer}", "{agent: robot}")
        + "transitions: {WRITTEN: [DONE], REVIEWING: [WRITING, DOEN]}\non_error: {to: wrter, next_state: DONE_}\n";
    refused(
        &text,
        &expect![[r#"
            error[HO1003]: `WRITNG` is not among the states
             --> flow.yaml:3:8 in start
              |
            3 | start: WRITNG
              |        ^^^^^^
              = hint: did you mean `WRITING`?

            error[HO0208]: `robot` is not among the agents
             --> flow.yaml:6:22 in states.REVIEWING.agent
              |
            6 |   REVIEWING: {agent: robot}
              |                      ^^^^^
              = hint: add it under `agents`: `robot: {}`

            error[HO0208]: `reveiwer` is not among the agents
             --> flow.yaml:9:36 in rules[0].to
              |
            9 |   - {id: review, from: writer, to: reveiwer, reason: A draft, next_state: REVIEWING}
              |                                    ^^^^^^^^
              = hint: did you mean `reviewer`?

            error[HO1003]: `FINISHED` is not among the states
              --> flow.yaml:11:62 in rules[2].next_state
               |
            11 |   - {id: done, from: reviewer, reason: Approved, next_state: FINISHED}
               |                                                              ^^^^^^^^
               = hint: add it under `states`, with its `agent`

            error[HO1003]: `WRITTEN` is not among the states
              --> flow.yaml:12:15 in transitions.WRITTEN
               |
            12 | transitions: {WRITTEN: [DONE], REVIEWING: [WRITING, DOEN]}
               |               ^^^^^^^
               = hint: add it under `states`, with its `agent`

            error[HO1003]: `DOEN` is not among the states
              --> flow.yaml:12:53 in transitions.REVIEWING[1]
               |
            12 | transitions: {WRITTEN: [DONE], REVIEWING: [WRITING, DOEN]}
               |                                                     ^^^^
               = hint: did you mean `DONE`?

            error[HO0208]: `wrter` is not among the agents
              --> flow.yaml:13:16 in on_error.to
               |
            13 | on_error: {to: wrter, next_state: DONE_}
               |                ^^^^^
               = hint: did you mean `writer`?

            error[HO1003]: `DONE_` is not among the states
              --> flow.yaml:13:35 in on_error.next_state
               |
            13 | on_error: {to: wrter, next_state: DONE_}
               |                                   ^^^^^
               = hint: did you mean `DONE`?
        "#]],
    );
}

#[test]
fn words_that_do_not_exist() {
    let text = small("{end: completed}", "{end: complete}")
        .replace("reason: Approved", "reason: Approved, priority: hihg, risk: extreme")
        .replace("reviewer: {}", "reviewer: {run: {comand: [x]}, max_risk: 3}");
    refused(
        &text,
        &expect![[r#"
            error[HO0103]: `comand` is not one of builtin, command, llm, http
             --> flow.yaml:2:39 in agents.reviewer.run.comand
              |
            2 | agents: {writer: {}, reviewer: {run: {comand: [x]}, max_risk: 3}}
              |                                       ^^^^^^
              = hint: did you mean `command`?

            error[HO0103]: `3` is not one of low, medium, high
             --> flow.yaml:2:63 in agents.reviewer.max_risk
              |
            2 | agents: {writer: {}, reviewer: {run: {comand: [x]}, max_risk: 3}}
              |                                                               ^
              = hint: use one of low, medium, high

            error[HO0103]: `complete` is not one of completed, failed
             --> flow.yaml:7:15 in states.DONE.end
              |
            7 |   DONE: {end: complete}
              |               ^^^^^^^^
              = hint: did you mean `completed`?

            error[HO0103]: `hihg` is not one of critical, urgent, high, normal, low
              --> flow.yaml:11:60 in rules[2].priority
               |
            11 |   - {id: done, from: reviewer, reason: Approved, priority: hihg, risk: extreme, next_state: DONE}
               |                                                            ^^^^
               = hint: did you mean `high`?

            error[HO0103]: `extreme` is not one of low, medium, high
              --> flow.yaml:11:72 in rules[2].risk
               |
            11 |   - {id: done, from: reviewer, reason: Approved, priority: hihg, risk: extreme, next_state: DONE}
               |                                                                        ^^^^^^^
               = hint: use one of low, medium, high
        "#]],
    );
}
