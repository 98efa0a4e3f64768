//! The mistakes of a script: all of them, with their places.

use expect_test::{Expect, expect};
use handover_agents::scripted::Script;

fn check(script: &str, expected: &Expect) {
    expected.assert_eq(&Script::parse(script).unwrap_err().to_string());
}

#[test]
fn every_mistake_is_told_at_once() {
    let script = r#"
- wehn: {user: x}
  say: Hello
- when:
    user: /(/
    turn: 0
    after: x
  say: [a]
  call: {run: {}}
- when: {agent: ""}
  times: many
  say: "{{nobody}} and {{1}}"
  call:
    - a: [1]
    - {a: {}, b: {}}
    - c: {text: "{{resullt}}"}
- when: {user: x}
  fail: {status: 200, retry_after: soon}
  say: x
- when: {user: y}
  usage: {input: 1, cached: 2}
  stop: never
- when: {user: z}
  slow: 11m
  cut: 1
  stall: 1
  repeat: 2
- {when: {user: q}, fail: {message: x}}
- when:
  say: x
- just a text
"#;
    check(
        script,
        &expect![[r#"
            script:2:3: `wehn` is no key of an entry; did you mean `when`?
            script:5:11: this is no regular expression: unclosed group; mend it, or leave out the slashes to look for a text
            script:6:11: `turn` is a whole number, at least 1, not `0`; write such a number
            script:7:5: `after` is no key of `when`; use one of agent, system, model, user, turn, after_tool, result, has_tool
            script:8:8: `say` is a text, not a list; put quotes around a text that begins with a bracket, such as "{{user}}"
            script:9:9: `call` is a list, not an object; write `- tool: {argument: value}` below it
            script:10:17: `agent` is an empty text; write what to look for, or leave the key out
            script:11:10: `times` is a whole number, at least 1, not `many`; write such a number
            script:12:8: `{{nobody}}` cannot be filled in; use one of user, task, result, agent, tool, turn, model, result.some.path
            script:12:8: `{{1}}` cannot be filled in; the pattern of `user` has 0 groups
            script:14:10: the arguments of a tool are an object, not a list; write `{argument: value}`; a text is sent as it is, to try what is no JSON
            script:15:7: a call is one tool and its arguments; write `- tool: {argument: value}`
            script:16:17: `{{resullt}}` cannot be filled in; use one of user, task, result, agent, tool, turn, model, result.some.path
            script:18:18: `status` is a whole number from 400 to 599, not `200`; write such a number
            script:18:36: `retry_after` is a duration up to 600000 ms (SCRIPT_WAIT_MS_MAX), not `soon`; write `250ms`, `2s`, `1m` or a number of seconds
            script:19:8: `say` stands beside `fail`; an entry that fails says nothing: make two entries of it
            script:20:3: this entry does nothing; give it `say`, `call`, `fail`, `cut` or `stall`
            script:21:10: `cached` is more than `input`, which it is a part of; give an `input` that is no less
            script:22:9: `never` is no reason to stop; write `length` or `refused`, or leave it out
            script:24:9: `slow` is a duration up to 600000 ms (SCRIPT_WAIT_MS_MAX), not `11m`; write `250ms`, `2s`, `1m` or a number of seconds
            script:26:10: `stall` stands beside `cut`; an answer ends one way: leave one out
            script:27:11: `repeat` stands without `say`; write what is said so often
            script:28:27: `status` is missing; write `fail: {status: 429}`
            script:29:3: `when` has no value; write one after the colon, or leave it out
            script:31:3: expected an entry with keys, found a text; write `key: value`; the keys are when, times, say, repeat, call, usage, stop, slow, cut, stall, fail"#]],
    );
}

#[test]
fn what_is_no_script_at_all() {
    for (script, expected) in [
        ("", expect!["script:1:1: the script is empty; write a list of entries, such as `- say: Hello.`"]),
        ("hello", expect!["script:1:1: expected a list of entries, found a text; begin each entry with `- `"]),
        ("[]", expect!["script:1:1: there are no entries; write at least one, such as `- say: Hello.`"]),
        (
            "- say: {{user}}",
            expect![[r#"
            script:1:8: `say` is a text, not an object; put quotes around a text that begins with a bracket, such as "{{user}}"
            script:1:9: a key is a name, not an object; put quotes around a text that begins with a bracket, such as "{{user}}""#]],
        ),
        (
            "- say: \"x",
            expect![
                "script:1:8: this is no YAML: unclosed quote; look at the indentation, quotes and brackets here and in the line before"
            ],
        ),
        ("- {say: x, say: y}", expect!["script:1:12: `say` is given twice; give it once"]),
        ("- &a {say: x}\n- *a", expect!["script:2:3: an alias is not read in a script; write out what it stands for"]),
        (
            "- say: x\n---\n- say: y",
            expect!["script:2:1: a second document begins here; put all entries into one list"],
        ),
        (
            "key: x",
            expect!["script:1:1: `entries` is missing; write the entries below `entries:`, or the list of them alone"],
        ),
        (
            "models: []\nentries: []\nkey: [x]\nkeys: y",
            expect![[r#"
            script:1:9: `models` is a list of names; write `models: [one, two]`
            script:2:10: there are no entries; write at least one, such as `- say: Hello.`
            script:3:6: `key` is a text, not a list; put quotes around a text that begins with a bracket, such as "{{user}}"
            script:4:1: `keys` is no key of a script; did you mean `key`?"#]],
        ),
    ] {
        check(script, &expected);
    }
}

#[test]
fn an_entry_that_is_never_reached() {
    check(
        "- say: x\n- say: y\n- {when: {turn: 1}, say: z}",
        &expect![
            "script:2:3: this entry is never reached: the one in line 1 answers everything; move it up, or give the other one a `when` or `times`"
        ],
    );
    check(
        "- {when: {}, say: x}\n- say: y",
        &expect![
            "script:2:3: this entry is never reached: the one in line 1 answers everything; move it up, or give the other one a `when` or `times`"
        ],
    );
    assert!(Script::parse("- {times: 1, say: x}\n- {when: {turn: 1}, say: y}\n- say: z").is_ok());
}

#[test]
fn what_would_grow_without_a_bound() {
    let entries: String = "- {when: {turn: 1}, say: x}\n".repeat(1_001);
    check(
        &entries,
        &expect![
            "script:1:1: there are 1001 entries; at most 1000 are allowed (SCRIPT_ENTRIES_MAX); use several scripts"
        ],
    );
    check(
        "- {say: 0123456789abcdef, repeat: 5000000}",
        &expect!["script:1:35: `repeat` is a whole number from 1 to 4194304, not `5000000`; write such a number"],
    );
    check(
        &format!("- say: {}1{}", "[".repeat(70), "]".repeat(70)),
        &expect!["script:1:72: it is nested more than 64 levels deep (FILE_LEVELS_MAX); flatten it"],
    );
    check(
        "- {when: {user: '/\\w{1000}/'}, say: x}",
        &expect![
            "script:1:17: the regular expression takes more than 1048576 bytes (SCRIPT_PATTERN_BYTES_MAX); mend it, or leave out the slashes to look for a text"
        ],
    );
    let many = Script::parse(&"- nonsense: x\n".repeat(100)).unwrap_err();
    assert_eq!((many.mistakes.len(), many.further), (64, 36));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Script::read("no/such/script.yaml").unwrap_err().to_string();
    assert!(error.starts_with("no/such/script.yaml:1:1: the script cannot be read: "), "{error}");
}

#[test]
fn every_script_of_the_guide_can_be_read() {
    let guide = include_str!("../../../../docs/guides/scripted-model.md");
    let scripts: Vec<&str> = guide.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(scripts.len(), 3);
    for script in scripts {
        assert!(Script::parse(script).is_ok(), "{script}\n{:?}", Script::parse(script).err());
    }
}
