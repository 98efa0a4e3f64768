//! Programs as agents, through the real binary: what they may do wrong, and what happens to them and to their work.

use crate::{
    Place,
    running::{Other, workflow},
};
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

/// Far longer than anything takes here: it only ends a hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with a workflow of one agent, which is this program for `sh`.
fn place(program: &str) -> Place {
    let place = Place::new();
    workflow(&place);
    fs::write(place.path().join("clerk.sh"), program).unwrap();
    place
}

/// The session of a run, as its last line tells it.
fn run(place: &Place) -> Value {
    let output = place.output("run --json");
    let text = String::from_utf8(output.stdout).unwrap();
    let last = text.lines().last().unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    serde_json::from_str::<Value>(last).unwrap()["sessions"][0].take()
}

/// Waits until something is so that can be seen from outside.
fn until(what: &str, seen: impl Fn() -> bool) {
    let begun = Instant::now();
    while !seen() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::yield_now();
    }
}

/// The process whose number a file has, once it is written.
fn process(file: &Path) -> String {
    let number = || fs::read_to_string(file).unwrap_or_default();
    until("the program writes its number", || number().ends_with('\n'));
    number().trim().to_owned()
}

/// Whether a process goes on. One that nobody has waited for yet does not.
fn lives(process: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim_start().starts_with(['Z', 'X']))
}

#[test]
fn an_answer_that_cannot_be_read_is_told_with_what_was_expected() {
    let expected = "expected one JSON object, such as {\"data\": …}";
    let cases = [
        ("echo hello", "expected value at line 1 column 1", "it was: hello"),
        ("echo '[\"DONE\"]'", "expected a map", "it was: [\"DONE\"]"),
        ("echo '\"done\"'", "expected a map", "it was: \"done\""),
        ("echo '{\"signals\": 1}'", "unknown field `signals`", "it was: {\"signals\": 1}"),
        ("echo '{}' '{}'", "trailing characters", "it was: {} {}"),
        ("printf '\\377\\376'", "expected value", "it was: \u{fffd}\u{fffd}"),
    ];
    for (program, why, wrote) in cases {
        let session = run(&place(program));
        let notes = session["notes"].as_str().unwrap();
        assert_eq!(session["ended"], "failed", "{program}");
        for part in ["`sh` wrote no answer that can be read", why, expected, wrote] {
            assert!(notes.contains(part), "{program}: {part}: {notes}");
        }
    }
}

#[test]
fn how_a_program_ended_is_told() {
    let cases = [
        ("kill -TERM $$", "`sh` was ended by a signal: 15 (SIGTERM): it said nothing"),
        ("echo out of memory >&2; kill -KILL $$", "`sh` was ended by a signal: 9 (SIGKILL): out of memory"),
        ("echo no such client >&2; exit 3", "`sh` ended with exit status 3: no such client"),
        ("yes x | head -c 5000000", "`sh` wrote more than 4194304 bytes and was ended: it said nothing"),
    ];
    for (program, told) in cases {
        let session = run(&place(program));
        assert_eq!((&session["ended"], session["notes"].as_str()), (&"failed".into(), Some(told)), "{program}");
    }
    // What it says of its trouble is not its answer, and may be as long as it likes.
    let session = run(&place("yes trouble | head -c 5000000 >&2; echo '{\"notes\": \"all well\"}'"));
    assert_eq!((&session["ended"], &session["notes"]), (&"completed".into(), &"all well".into()));
}

/// Three agents set a lot, and the fourth is shown all of it.
const MUCH: &str = "\
name: much
agents:
  a: {run: {command: [sh, fill.sh, a]}}
  b: {run: {command: [sh, fill.sh, b]}}
  c: {run: {command: [sh, fill.sh, c]}}
  clerk: {run: {command: [sh, clerk.sh]}}
start: A
states: {A: {agent: a}, B: {agent: b}, C: {agent: c}, D: {agent: clerk}, DONE: {end: completed}}
rules:
  - {id: b, from: a, to: b, reason: More., next_state: B}
  - {id: c, from: b, to: c, reason: More., next_state: C}
  - {id: d, from: c, to: clerk, reason: Enough., next_state: D}
  - {id: done, from: clerk, reason: Done., next_state: DONE}
";

const FILL: &str = r#"
printf '{"set": {"done": true'
for n in 1 2 3 4; do
  printf ',"%s": "' $1$n; head -c 200000 /dev/zero | tr '\0' x; printf '"'
done
printf '}}'
"#;

#[test]
fn much_goes_in_while_much_comes_out() {
    // It writes its answer before it reads any of its work, and each is far more than a pipe holds.
    let place = place(
        r#"printf '{'; head -c 3000000 /dev/zero | tr '\0' ' '; wc -c > read; printf '"notes": "%s"}' $(cat read)"#,
    );
    fs::write(place.path().join("workflow.yaml"), MUCH).unwrap();
    fs::write(place.path().join("fill.sh"), FILL).unwrap();
    let session = run(&place);
    let read: usize = session["notes"].as_str().unwrap_or_default().parse().unwrap_or(0);
    assert!(read > 2_400_000, "{session}");
    assert_eq!(session["ended"], "completed");
}

#[test]
fn what_a_program_leaves_behind_ends_with_it() {
    // It holds the output open: nobody waits for that.
    let place = place("sleep 600 & echo $! > left\necho '{\"notes\": \"done\"}'");
    let session = run(&place);
    assert_eq!((&session["ended"], &session["notes"]), (&"completed".into(), &"done".into()));
    let left = process(&place.path().join("left"));
    until("what it left behind ends", || !lives(&left));
}

#[test]
fn what_has_left_the_group_is_not_waited_for() {
    let place = place(
        "setsid sh -c 'echo $$ > left; exec sleep 600' &\n\
         until test -s left; do :; done; echo '{\"notes\": \"done\"}'",
    );
    let session = run(&place);
    let ended = Command::new("kill").arg(process(&place.path().join("left"))).status().unwrap();
    assert_eq!((&session["ended"], &session["notes"]), (&"completed".into(), &"done".into()));
    assert!(ended.success(), "it lived until now");
}

#[test]
fn an_interrupt_ends_the_program_and_the_next_run_goes_on() {
    let place = place(
        "cat > work.$$; echo $$ > program\n\
         test -e again || { touch again; sleep 600 & echo $! > below; wait; }\n\
         echo '{\"notes\": \"done\"}'",
    );
    let running = Other::start(&place, "run --json --session trip");
    let (program, below) = (process(&place.path().join("program")), process(&place.path().join("below")));
    assert!(lives(&program) && lives(&below));
    let (code, lines, said) = running.interrupt();
    assert_eq!(code, Some(1));
    assert!(said.contains("interrupted; nothing is lost"), "{said}");
    let last: Value = serde_json::from_str(lines.last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["interrupted"]), (&"RUN_ENDED".into(), &true.into()));
    assert_eq!((&last["sessions"][0]["state"], &last["sessions"][0]["ended"]), (&"WORKING".into(), &Value::Null));
    until("the program ends", || !lives(&program) && !lives(&below));

    let again = place.good("run --json --session trip");
    assert!(again.contains("\"notes\":\"done\""), "{again}");
    let work = |process: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(place.path().join(format!("work.{process}"))).unwrap()).unwrap()
    };
    let second = process(&place.path().join("program"));
    // By this it knows that it has begun before.
    assert_eq!(work(&program)["handoff_id"], work(&second)["handoff_id"]);
}
