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
summaries: {model: 7, temperature: 1}
provider: {}
",
        &expect![[r#""#]],
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
        &expect![[r#""#]],
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
        &expect![[r#""#]],
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
