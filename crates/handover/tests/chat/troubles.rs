//! What goes wrong with models and their words, and how it is mended.

use crate::place::{Place, told};
use expect_test::expect;

const TEAM: &str = "
providers: {main: {api: openai, script: script.yaml}}
agents:
  - {id: generalist, kind: llm, model: m, tools: [handoff_to_specialist]}
  - {id: tester, kind: llm, model: m, specialization: testing, capabilities: [{id: run-tests}], tools: [recall]}
";

fn place(script: &str) -> Place {
    Place::of(TEAM, script)
}

const SAY: [&str; 4] = ["chat", "team", "--say", "Test it"];

#[test]
fn a_specialist_that_there_is_not() {
    let place = place(
        "
- {when: {agent: generalist, after_tool: handoff_to_specialist}, say: Nobody here knows marketing.}
- when: {agent: generalist}
  call: [handoff_to_specialist: {specialist_type: marketing, task: Sell it, reason: Not my field}]
",
    );
    place.says(
        &SAY,
        &expect![[r#"
        generalist › Nobody here knows marketing.
        ! generalist listens. End with Ctrl-D; the same command goes on later.
        !   a handoff to tester seems due: what the user last said fits tester at 0.88 and generalist at 0.00
    "#]],
    );
    expect![[r#"
        user: Test it
        generalist:  [handoff_to_specialist {"reason":"Not my field","specialist_type":"marketing","task":"Sell it"}]
        generalist ⟵ handoff_to_specialist: {"available":["run-tests","testing"],"error":"no specialist found for capability: marketing","hint":"use one of these, do the task yourself, or ask the user for guidance"}
        generalist: Nobody here knows marketing.
    "#]].assert_eq(&place.transcript("chat"));
}

const MENDS: &str = r#"
- {when: {agent: tester}, say: All green.}
- {when: {agent: generalist, after_tool: handoff_to_specialist, result: All green}, say: It is tested.}
- when: {agent: generalist, after_tool: handoff_to_specialist, result: /do not fit|no field/}
  call: [handoff_to_specialist: {specialist_type: Testing Specialist, task: Run the tests, reason: Not my field}]
- when: {agent: generalist, after_tool: handoff_to_specialist}
  call: [handoff_to_specialist: {specialist: testing, task: 7}]
- {when: {agent: generalist, user: again}, say: It was green.}
- when: {agent: generalist}
  call: [handoff_to_specialist: '{"specialist_type": ']
"#;

/// Arguments that are no JSON, then such that do not fit, then good ones. The conversation goes on with all of it in view.
#[test]
fn arguments_that_the_model_mends() {
    let place = place(MENDS);
    place.says(
        &SAY,
        &expect![[r#"
          · generalist → tester: Not my field
        generalist › It is tested.
        ! generalist listens. End with Ctrl-D; the same command goes on later.
    "#]],
    );
    place.says(
        &["chat", "team", "--say", "Say it again"],
        &expect![[r#"
        generalist › It was green.
        ! generalist listens. End with Ctrl-D; the same command goes on later.
    "#]],
    );
    expect![[r#"
        user: Test it
        generalist:  [handoff_to_specialist "{\"specialist_type\": "]
        generalist ⟵ handoff_to_specialist: {"error":"the arguments are no JSON: EOF while parsing a value at line 1 column 20","hint":"call the tool again with arguments that fit its schema"}
        generalist:  [handoff_to_specialist {"specialist":"testing","task":7}]
        generalist ⟵ handoff_to_specialist: {"error":"the arguments do not fit","hint":"mend them and call again","mistakes":["specialist_type: it is missing","reason: it is missing","specialist: there is no such field","task: it is number, string is needed"]}
        generalist:  [handoff_to_specialist {"reason":"Not my field","specialist_type":"Testing Specialist","task":"Run the tests"}]
          tester: All green.
        generalist ⟵ handoff_to_specialist: {"handoff_summary":"success after 1 iteration","specialist_name":"tester","specialist_response":"All green."}
        generalist: It is tested.
        user: Say it again
        generalist: It was green.
    "#]].assert_eq(&place.transcript("chat"));
}

#[test]
fn arguments_that_the_model_mends_through_the_other_interface() {
    let place = place(MENDS);
    place.change("team/handover.yaml", "api: openai", "api: anthropic");
    place.says(
        &SAY,
        &expect![[r#"
          · generalist → tester: Not my field
        generalist › It is tested.
        ! generalist listens. End with Ctrl-D; the same command goes on later.
    "#]],
    );
    place.says(
        &["chat", "team", "--say", "Say it again"],
        &expect![[r#"
        generalist › It was green.
        ! generalist listens. End with Ctrl-D; the same command goes on later.
    "#]],
    );
}

#[test]
fn a_tool_that_there_is_not() {
    let place = place(
        "
- {when: {agent: generalist, after_tool: handof_to_specialist}, say: \"{{result}}\"}
- {when: {agent: generalist}, call: [handof_to_specialist: {}]}
",
    );
    place.says(&SAY, &expect![[r#"
        generalist › The tool failed: {"error":"there is no tool handof_to_specialist","hint":"use handoff_to_specialist"}
        ! generalist listens. End with Ctrl-D; the same command goes on later.
        !   a handoff to tester seems due: what the user last said fits tester at 0.88 and generalist at 0.00
    "#]]);
}

#[test]
fn what_passes_by() {
    for fault in
        ["fail: {status: 429, retry_after: 0}", "fail: {status: 529, retry_after: 0}", "say: one two three, cut: 2"]
    {
        let place = place(&format!("- {{when: {{agent: generalist}}, times: 1, {fault}}}\n- {{say: Here I am.}}\n"));
        let shown = told(&place.run(&SAY));
        assert!(shown.starts_with("generalist › Here I am.\n"), "{fault}: {shown}");
    }
}

#[test]
fn what_does_not_pass_by() {
    let place = place(
        "
- {when: {user: refuse}, say: I will not., stop: refused}
- {when: {user: long}, say: Once upon a time, stop: length}
- {when: {user: key}, fail: {status: 401, message: Incorrect key}}
",
    );
    for (text, expect) in [
        (
            "Please refuse",
            expect![[r#"
            generalist could not answer: the model declined: I will not.
            ! generalist listens. End with Ctrl-D; the same command goes on later.
            = 1
        "#]],
        ),
        (
            "A long story",
            expect![[r#"
            generalist › Once upon a time
            ! generalist listens. End with Ctrl-D; the same command goes on later.
            !   (the answer was cut at its longest)
        "#]],
        ),
        (
            "Try the key",
            expect![[r#"
            generalist could not answer: 127.0.0.1: the provider says (401, invalid_api_key): Incorrect key (the key comes from OPENAI_API_KEY)
            ! generalist listens. End with Ctrl-D; the same command goes on later.
            = 1
        "#]],
        ),
        (
            "No entry for this",
            expect![[r#"
            generalist could not answer: 127.0.0.1: the provider says (400, invalid_request_error): no entry of the script answers this: agent "generalist", model "m", user "No entry for this", turn 1, after tools []
            ! generalist listens. End with Ctrl-D; the same command goes on later.
            = 1
        "#]],
        ),
    ] {
        place.says(&["chat", "team", "--session", text.split(' ').next().unwrap(), "--say", text], &expect);
    }
}

/// A specialist that fails is no end of the conversation: whoever asked reports.
#[test]
fn a_specialist_that_fails() {
    let place = place(
        "
- {when: {agent: tester}, fail: {status: 400, message: No such thing}}
- {when: {agent: generalist, after_tool: handoff_to_specialist}, say: \"{{result}}\"}
- when: {agent: generalist}
  call: [handoff_to_specialist: {specialist_type: tester, task: Run the tests, reason: Not my field}]
",
    );
    place.says(&SAY, &expect![[r#"
          · generalist → tester: Not my field
        generalist › The tool failed: {"error":"the handoff to tester came to nothing (failure): 127.0.0.1: the provider says (400, invalid_request_error): No such thing","hint":"do it yourself, try somebody else, or ask the user","specialist_response":null}
        ! generalist listens. End with Ctrl-D; the same command goes on later.
    "#]]);
}
