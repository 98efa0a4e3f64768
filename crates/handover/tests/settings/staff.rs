//! How agents work, by file: providers, tools, servers, callbacks, and what agents want of them.

use super::refused;
use expect_test::expect;
use handover::settings;

#[test]
fn fields_that_are_not_there_and_values_that_cannot_be() {
    refused(
        "providers:
  a: {api: openia, base_url: http://localhost/v1}
  b: {api: openai, base-url: x}
  c: {base_url: http://localhost/v1}
  d: {api: openai, base_url: localhost, timeout_ms: 0}
tools:
  t: {description: 7, command: [x], timeout: soon}
  u: {description: Does it., command: x}
mcp:
  files: {command: x, tool: [a]}
callbacks: {listen: nowhere}
picker: {provider: a}
summaries: {provider: c, model: 7, temperature: 1}
agents:
  - {id: one, kind: llm, model: m, provider: a, tools: [t]}
provider: {}
",
        &expect![[r#"
            error[HO0103]: `openia` is not one of openai, anthropic
             --> handover.yaml:2:12 in providers.a.api
              |
            2 |   a: {api: openia, base_url: http://localhost/v1}
              |            ^^^^^^
              = hint: did you mean `openai`?

            error[HO0105]: there is no field `base-url`
             --> handover.yaml:3:20 in providers.b.base-url
              |
            3 |   b: {api: openai, base-url: x}
              |                    ^^^^^^^^
              = hint: did you mean `base_url`?

            error[HO0101]: `api` is missing
             --> handover.yaml:4:6 in providers.c
              |
            4 |   c: {base_url: http://localhost/v1}
              |      ^
              = hint: add `api: …` here

            error[HO0206]: base_url is no address: relative URL without a base
             --> handover.yaml:5:30 in providers.d.base_url
              |
            5 |   d: {api: openai, base_url: localhost, timeout_ms: 0}
              |                              ^^^^^^^^^
              = hint: Correct the field that the message names.

            error[HO0206]: timeout_ms is 0; it must be between 1 and 3600000 (MODEL_MS_MAX)
             --> handover.yaml:5:53 in providers.d.timeout_ms
              |
            5 |   d: {api: openai, base_url: localhost, timeout_ms: 0}
              |                                                     ^
              = hint: Correct the field that the message names.

            error[HO0104]: expected a length of time such as `30s`, `5m` or `24h`, found `soon`
             --> handover.yaml:7:46 in tools.t.timeout
              |
            7 |   t: {description: 7, command: [x], timeout: soon}
              |                                              ^^^^
              = hint: correct the value; the message says what is wrong with it

            error[HO0104]: expected a list, found a text
             --> handover.yaml:8:39 in tools.u.command
              |
            8 |   u: {description: Does it., command: x}
              |                                       ^
              = hint: write `[x]`, or `- ` before each entry

            error[HO0104]: expected a list, found a text
              --> handover.yaml:10:20 in mcp.files.command
               |
            10 |   files: {command: x, tool: [a]}
               |                    ^
               = hint: write `[x]`, or `- ` before each entry

            error[HO0105]: there is no field `tool`
              --> handover.yaml:10:23 in mcp.files.tool
               |
            10 |   files: {command: x, tool: [a]}
               |                       ^^^^
               = hint: did you mean `tools`?

            error[HO0104]: invalid socket address syntax
              --> handover.yaml:11:21 in callbacks.listen
               |
            11 | callbacks: {listen: nowhere}
               |                     ^^^^^^^
               = hint: correct the value; the message says what is wrong with it

            error[HO0101]: `model` is missing
              --> handover.yaml:12:9 in picker
               |
            12 | picker: {provider: a}
               |         ^
               = hint: add `model: …` here

            error[HO0105]: there is no field `temperature`
              --> handover.yaml:13:36 in summaries.temperature
               |
            13 | summaries: {provider: c, model: 7, temperature: 1}
               |                                    ^^^^^^^^^^^
               = hint: the fields are provider, model

            error[HO0105]: there is no field `provider`
              --> handover.yaml:16:1 in provider
               |
            16 | provider: {}
               | ^^^^^^^^
               = hint: did you mean `providers`?
        "#]],
    );
}

#[test]
fn what_cannot_work_is_told_at_its_place() {
    refused(
        "providers:
  a: {api: openai, base_url: ftp://localhost/v1}
  b: {api: openai, script: no-such-file.yaml}
tools:
  escalate: {description: Goes up., command: [x]}
  bad name: {description: ' ', command: []}
mcp:
  files:
    command: ['']
  web:
    url: ftp://example.org
    pass: [A]
  none: {}
callbacks: {listen: '127.0.0.1:0', url: example.org}
picker: {provider: c, model: small}
summaries: {provider: anthropci, model: small}
",
        &expect![[r#"
            error[HO0206]: base_url must begin with http:// or https:// and name a host
             --> handover.yaml:2:30 in providers.a.base_url
              |
            2 |   a: {api: openai, base_url: ftp://localhost/v1}
              |                              ^^^^^^^^^^^^^^^^^^
              = hint: Correct the field that the message names.

            error[HO0206]: no-such-file.yaml:1:1: the script cannot be read: No such file or directory (os error 2); give the path of a file that is there and is text
             --> handover.yaml:3:28 in providers.b.script
              |
            3 |   b: {api: openai, script: no-such-file.yaml}
              |                            ^^^^^^^^^^^^^^^^^
              = hint: the path is from the folder of this file

            error[HO0206]: `escalate` is the name of a tool that every agent can have
             --> handover.yaml:5:13 in tools.escalate
              |
            5 |   escalate: {description: Goes up., command: [x]}
              |             ^
              = hint: give it another name

            error[HO0206]: `bad name` cannot be a name: it contains ' '; letters, digits, `_` and `-` are allowed
             --> handover.yaml:6:13 in tools.bad name
              |
            6 |   bad name: {description: ' ', command: []}
              |             ^
              = hint: Correct the field that the message names.

            error[HO0206]: it is empty; say what the tool does and when to use it
             --> handover.yaml:6:27 in tools.bad name.description
              |
            6 |   bad name: {description: ' ', command: []}
              |                           ^^^
              = hint: Correct the field that the message names.

            error[HO0206]: it names no program; write it as a list such as [python3, tool.py]
             --> handover.yaml:6:41 in tools.bad name.command
              |
            6 |   bad name: {description: ' ', command: []}
              |                                         ^
              = hint: Correct the field that the message names.

            error[HO0206]: it names no program; write it as a list such as [python3, tool.py]
             --> handover.yaml:9:14 in mcp.files.command
              |
            9 |     command: ['']
              |              ^
              = hint: Correct the field that the message names.

            error[HO0206]: `env` and `pass` go with a `command`; an address gets `headers` and `key_env`
              --> handover.yaml:11:5 in mcp.web
               |
            11 |     url: ftp://example.org
               |     ^
               = hint: Correct the field that the message names.

            error[HO0206]: it is no address that begins with http:// or https://
              --> handover.yaml:11:10 in mcp.web.url
               |
            11 |     url: ftp://example.org
               |          ^^^^^^^^^^^^^^^^^
               = hint: Correct the field that the message names.

            error[HO0206]: it needs a `command` or a `url`
              --> handover.yaml:13:9 in mcp.none
               |
            13 |   none: {}
               |         ^
               = hint: Correct the field that the message names.

            error[HO0206]: it begins with neither http:// nor https://
              --> handover.yaml:14:41 in callbacks.url
               |
            14 | callbacks: {listen: '127.0.0.1:0', url: example.org}
               |                                         ^^^^^^^^^^^
               = hint: write how services reach this machine

            error[HO0206]: there is no provider `c`
              --> handover.yaml:15:20 in picker.provider
               |
            15 | picker: {provider: c, model: small}
               |                    ^
               = hint: did you mean `a`?

            error[HO0206]: there is no provider `anthropci`
              --> handover.yaml:16:23 in summaries.provider
               |
            16 | summaries: {provider: anthropci, model: small}
               |                       ^^^^^^^^^
               = hint: did you mean `anthropic`?
        "#]],
    );
}

#[test]
fn what_agents_want_and_nobody_has() {
    refused(
        "agents:
  - {id: one, kind: llm, model: m, provider: lokal, tools: [cont_words, handof, transfer_to_too, files, files_read]}
  - {id: two, kind: llm, model: m, provider: local, tools: [count_words, handoff, transfer_to_one, read, files_write]}
  - {id: three, kind: llm}
  - {id: four, kind: command, url: 'https://example.org'}
  - {id: five, kind: http, url: example.org}
providers: {local: {api: openai, base_url: 'http://localhost/v1'}}
tools:
  count_words: {description: Counts., command: [wc]}
mcp:
  files: {command: [files], tools: [read]}
",
        &expect![[r#"
            error[HO0206]: there is no provider `lokal`
             --> handover.yaml:2:46 in agents[0].provider
              |
            2 |   - {id: one, kind: llm, model: m, provider: lokal, tools: [cont_words, handof, transfer_to_too, files, files_read]}
              |                                              ^^^^^
              = hint: did you mean `local`?

            error[HO0206]: there is no tool `cont_words`
             --> handover.yaml:2:61 in agents[0].tools[0]
              |
            2 |   - {id: one, kind: llm, model: m, provider: lokal, tools: [cont_words, handof, transfer_to_too, files, files_read]}
              |                                                             ^^^^^^^^^^
              = hint: did you mean `count_words`?

            error[HO0206]: there is no tool `handof`
             --> handover.yaml:2:73 in agents[0].tools[1]
              |
            2 |   - {id: one, kind: llm, model: m, provider: lokal, tools: [cont_words, handof, transfer_to_too, files, files_read]}
              |                                                                         ^^^^^^
              = hint: did you mean `handoff`?

            error[HO0206]: `too` is not among the agents
             --> handover.yaml:2:81 in agents[0].tools[2]
              |
            2 |   - {id: one, kind: llm, model: m, provider: lokal, tools: [cont_words, handof, transfer_to_too, files, files_read]}
              |                                                                                 ^^^^^^^^^^^^^^^
              = hint: did you mean `two`?

            error[HO0206]: there is no tool `files_write`
             --> handover.yaml:3:106 in agents[1].tools[4]
              |
            3 |   - {id: two, kind: llm, model: m, provider: local, tools: [count_words, handoff, transfer_to_one, read, files_write]}
              |                                                                                                          ^^^^^^^^^^^
              = hint: there are count_words, files, handoff, transfer, handoff_to_specialist, handoff_to_agent, accept_handoff, list_specialists, escalate, recall, request_approval

            error[HO0206]: a model needs its name
             --> handover.yaml:4:5 in agents[2].model
              |
            4 |   - {id: three, kind: llm}
              |     ^
              = hint: add `model: NAME`

            error[HO0206]: a program needs its name
             --> handover.yaml:5:5 in agents[3].command
              |
            5 |   - {id: four, kind: command, url: 'https://example.org'}
              |     ^
              = hint: add `command: [NAME, ARGUMENT]`

            error[HO0206]: this belongs to services
             --> handover.yaml:5:36 in agents[3].url
              |
            5 |   - {id: four, kind: command, url: 'https://example.org'}
              |                                    ^^^^^^^^^^^^^^^^^^^^^
              = hint: add `kind: http`

            error[HO0206]: a service needs an address
             --> handover.yaml:6:33 in agents[4].url
              |
            6 |   - {id: five, kind: http, url: example.org}
              |                                 ^^^^^^^^^^^
              = hint: add `url: https://HOST/PATH`
        "#]],
    );
}

#[test]
fn what_a_server_offers_is_not_known_before_it_is_asked() {
    let text = "agents:
  - {id: one, kind: llm, model: m, tools: [files_anything, anything]}
mcp:
  files: {command: [files]}
";
    assert!(settings::parse("handover.yaml", text).is_ok());
}

#[test]
fn a_program_works_in_the_folder_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("handover.yaml");
    std::fs::write(
        &file,
        "agents:\n  - {id: a, kind: command, command: [x]}\n  - {id: b, kind: command, command: [x], folder: sub}\n",
    )
    .unwrap();
    let read = settings::read(&file).unwrap();
    let folders: Vec<_> = read.agents.iter().map(|agent| agent.folder.clone().unwrap()).collect();
    let expected = [folder.path().to_owned(), folder.path().join("sub")].map(|path| path.display().to_string());
    assert_eq!(folders.iter().map(|path| path.trim_end_matches('/')).collect::<Vec<_>>(), expected);
}
