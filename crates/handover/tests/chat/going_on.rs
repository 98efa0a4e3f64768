//! A conversation over several processes, from a pipe, and interrupted.

use crate::place::{Place, told};
use expect_test::expect;
use std::{
    io::Write,
    process::{Child, Output, Stdio},
    time::{Duration, Instant},
};

const TEAM: &str = "
providers: {main: {api: openai, script: script.yaml}}
agents:
  - {id: anna, kind: llm, model: m, tools: [recall]}
";

const COUNTS: &str = r#"
- {when: {user: "/my name is (\\w+)/"}, say: "Hello {{1}}, this is answer {{turn}}."}
- {say: "You said “{{task}}” first; this is answer {{turn}}."}
"#;

#[test]
fn a_second_process_goes_on() {
    let place = Place::of(TEAM, COUNTS);
    place.says(
        &["chat", "team", "--session", "a", "--say", "My name is Carol"],
        &expect![[r#"
        anna › Hello Carol, this is answer 1.
        ! anna listens. End with Ctrl-D; the same command goes on later.
    "#]],
    );
    place.says(
        &["chat", "team", "--session", "a", "--say", "What did I say?"],
        &expect![[r#"
        anna › You said “My name is Carol” first; this is answer 2.
        ! anna listens. End with Ctrl-D; the same command goes on later.
    "#]],
    );
    place.says(
        &["chat", "team", "--session", "b", "--say", "What did I say?"],
        &expect![[r#"
        anna › You said “What did I say?” first; this is answer 1.
        ! anna listens. End with Ctrl-D; the same command goes on later.
    "#]],
    );
    expect![[r#"
        user: My name is Carol
        anna: Hello Carol, this is answer 1.
        user: What did I say?
        anna: You said “My name is Carol” first; this is answer 2.
    "#]]
    .assert_eq(&place.transcript("a"));
}

fn typed(place: &Place, args: &[&str], text: &[u8]) -> Output {
    let mut command = place.command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    // Whoever quits reads no further.
    let _ = process.stdin.take().unwrap().write_all(text);
    process.wait_with_output().unwrap()
}

#[test]
fn from_a_pipe() {
    let place = Place::of(TEAM, COUNTS);
    let shown = |text: &[u8]| told(&typed(&place, &["chat", "team"], text));
    expect![[r#"
        anna › Hello Carol, this is answer 1.
        anna › You said “My name is Carol” first; this is answer 2.
        ! anna listens. End with Ctrl-D; the same command goes on later.
    "#]]
    .assert_eq(&shown(b"My name is Carol\n\n   \nWhat now?"));
    expect![[r#"
        anna › Hello Dora, this is answer 3.
        ! anna listens. End with Ctrl-D; the same command goes on later.
    "#]]
    .assert_eq(&shown(b"  My name is Dora  \n/quit\nThis is not said.\n"));
    expect![[r#"
        ! anna listens. End with Ctrl-D; the same command goes on later.
    "#]]
    .assert_eq(&shown(b""));
    let mut long = vec![b'a'; 70_000];
    long.push(b'\n');
    expect![[r#"
        ! anna listens. End with Ctrl-D; the same command goes on later.
        ! handover: what was typed cannot be read: a line has 65536 bytes or more (CHAT_LINE_BYTES_MAX); say it in parts
        = 1
    "#]]
    .assert_eq(&shown(&long));
    expect![[r#"
        ! anna listens. End with Ctrl-D; the same command goes on later.
        ! handover: what was typed cannot be read: stream did not contain valid UTF-8
        = 1
    "#]]
    .assert_eq(&shown(b"\xff\xfe\n"));
    expect![[r#"
        user: My name is Carol
        anna: Hello Carol, this is answer 1.
        user: What now?
        anna: You said “My name is Carol” first; this is answer 2.
        user: My name is Dora
        anna: Hello Dora, this is answer 3.
    "#]]
    .assert_eq(&place.transcript("chat"));
}

const STALLS: &str = r#"
- {when: {user: wait}, times: 1, stall: 0}
- {say: "I answer “{{user}}”, for the first time."}
"#;

const PATIENCE: Duration = Duration::from_secs(60);

fn until(seen: impl Fn() -> bool) {
    let begun = Instant::now();
    while !seen() {
        assert!(begun.elapsed() < PATIENCE, "it never came");
        std::thread::yield_now();
    }
}

fn interrupted(process: Child) -> Output {
    let sent = std::process::Command::new("kill").arg("-INT").arg(process.id().to_string()).status().unwrap();
    assert!(sent.success());
    process.wait_with_output().unwrap()
}

/// Ctrl-C while a model thinks: nothing is lost, and the question goes on.
#[test]
fn interrupted_it_goes_on() {
    let place = Place::of(TEAM, STALLS);
    let server = crate::killed::Model::serve(STALLS);
    let chat = |text| {
        let mut command = place.command(&["chat", "team", "--say", text]);
        command.env("OPENAI_BASE_URL", server.url()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let process = chat("Please wait").spawn().unwrap();
    until(|| server.asked().len() == 1);
    expect![[r#"
        ! anna listens. End with Ctrl-D; the same command goes on later.
        ! handover: interrupted; what was said is kept
        !   hint: go on with: handover chat team --session chat
        = 1
    "#]]
    .assert_eq(&told(&interrupted(process)));
    // The same words again are the same question; other words come after it.
    expect![[r#"
        anna › I answer “Please wait”, for the first time.
        ! anna listens. End with Ctrl-D; the same command goes on later.
    "#]]
    .assert_eq(&told(&chat("Please wait").output().unwrap()));
    expect![[r#"
        anna › I answer “Thank you”, for the first time.
        ! anna listens. End with Ctrl-D; the same command goes on later.
    "#]]
    .assert_eq(&told(&chat("Thank you").output().unwrap()));
    expect![[r#"
        user: Please wait
        anna: I answer “Please wait”, for the first time.
        user: Thank you
        anna: I answer “Thank you”, for the first time.
    "#]]
    .assert_eq(&place.transcript("chat"));
}
