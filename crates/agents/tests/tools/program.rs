//! Programs that do what they should not: every one comes to an end, within its bounds.

use crate::common::{Living, SHORT, ended, within};
use handover_agents::program::{Bounds, Program, Ran, Status, run};
use std::{path::PathBuf, time::Duration};
use tokio::io::AsyncReadExt;

const OUT: usize = 100_000;
const ERR: usize = 1_000;

fn shell(script: &str) -> Program {
    words(&["sh", "-c", script])
}

fn python(script: &str) -> Program {
    words(&["python3", "-S", "-E", "-c", script])
}

fn words(words: &[&str]) -> Program {
    Program { words: words.iter().map(|word| (*word).to_owned()).collect(), ..Program::default() }
}

/// Bounds with a time that a test never gets to.
fn bounds() -> Bounds {
    Bounds { time: Duration::from_secs(60), grace: SHORT / 2, out_bytes: OUT, err_bytes: ERR }
}

async fn ran(program: &Program, input: &[u8], bounds: Bounds) -> Ran {
    within(run(program, input.to_vec(), &bounds)).await.expect("a start")
}

/// Holds a connection to the test as long as it or one of its children lives.
fn holding(port: &str, then: &str) -> String {
    format!(
        "import os, signal, socket, sys, time\nheld = socket.create_connection(('127.0.0.1', {port}))\nos.set_inheritable(held.fileno(), True)\n{then}"
    )
}

#[tokio::test]
async fn what_programs_write_is_kept_within_bounds() {
    let (ok, long) = (Status::Exit(0), vec![b'x'; 1_000_000]);
    let table: Vec<(Program, &[u8], Status, &str, &str)> = vec![
        (shell("true"), b"", ok, "", ""),
        (shell("cat"), b"hello", ok, "hello", ""),
        (shell("true"), &long, ok, "", ""),
        (shell("exec <&-; echo closed"), &long, ok, "closed\n", ""),
        (shell("echo no >&2; exit 3"), b"", Status::Exit(3), "", "no\n"),
        (shell("kill -9 $$"), b"", Status::Signal(9), "", ""),
        (shell("printf '\\377\\376ok'"), b"", ok, "\u{fffd}\u{fffd}ok", ""),
        (shell("sleep 1000 & echo left one behind"), b"", ok, "left one behind\n", ""),
        (shell("sleep 1000 >/dev/null 2>&1 <&- & echo left one behind"), b"", ok, "left one behind\n", ""),
        (python("import sys\nsys.stderr.write('x' * 99000)\nprint(len(sys.stdin.read()))"), &long, ok, "1000000\n", ""),
        (
            python(
                "import os\nif os.fork() == 0:\n os.setsid()\n os.execvp('sleep', ['sleep', '5'])\nprint('left its group')",
            ),
            b"",
            ok,
            "left its group\n",
            "",
        ),
    ];
    for (program, input, status, out, err) in table {
        let ran = ran(&program, input, bounds()).await;
        assert_eq!((ran.status, ran.out.as_str(), ran.cut), (status, out, false), "{:?}", program.words);
        assert!(ran.err.ends_with(err) && ran.err.len() <= ERR, "{:?}: {}", program.words, ran.err);
    }
}

#[tokio::test]
async fn a_program_that_writes_without_end_is_ended() {
    let table = [
        shell("yes"),
        shell("trap '' TERM PIPE; while :; do echo y; done 2>/dev/null"),
        shell("yes & yes & yes & wait"),
        shell("head -c 100001 /dev/zero"),
    ];
    for program in table {
        let ran = ran(&program, b"", bounds()).await;
        assert_eq!((ran.status, ran.out.len(), ran.cut), (Status::Output, OUT, true), "{:?}", program.words);
        let told = ran.trouble(&program, &bounds()).expect("trouble");
        assert_eq!(told, "`sh` wrote more than 100000 bytes and was ended: it said nothing");
    }
    let exact = ran(&shell("head -c 100000 /dev/zero"), b"", bounds()).await;
    assert_eq!((exact.status, exact.out.len(), exact.cut), (Status::Exit(0), OUT, false));
}

#[tokio::test]
async fn a_program_that_is_told_to_end_may_say_something() {
    let script = "import signal, sys\ndef end(*_):\n sys.stderr.write('good bye')\n sys.stderr.flush()\n sys.exit(0)\nsignal.signal(signal.SIGTERM, end)\nsys.stdout.write('x' * 100001)\nsys.stdout.flush()\nsignal.pause()";
    let ran = ran(&python(script), b"", Bounds { grace: Duration::from_secs(60), ..bounds() }).await;
    assert_eq!((ran.status, ran.err.as_str()), (Status::Output, "good bye"));
}

#[tokio::test]
async fn a_program_that_never_ends_is_ended_at_its_deadline() {
    let table = [
        shell("sleep 1000"),
        shell("trap '' TERM; while :; do sleep 1000; done"),
        shell("cat >/dev/null; exec >&- 2>&- <&-; sleep 1000"),
        shell("for i in 1 2 3 4 5; do (trap '' TERM; sleep 1000) & done; wait"),
        python("import signal\nsignal.pause()"),
    ];
    let short = Bounds { time: SHORT, ..bounds() };
    for program in table {
        let ran = ran(&program, b"", short).await;
        assert_eq!((ran.status, ran.out.as_str()), (Status::Time, ""), "{:?}", program.words);
        let told = ran.trouble(&program, &short).expect("trouble");
        assert!(told.contains("did not end within 200 ms and was ended"), "{told}");
    }
}

#[tokio::test]
async fn nothing_of_a_program_is_left() {
    let family = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nfor _ in range(5):\n if os.fork() == 0: break\n";
    let table = [
        // At its end, at its bound, and whoever ignores that it is told to end.
        ("if os.fork(): sys.exit(0)\nsignal.pause()".to_owned(), Status::Exit(0)),
        (format!("{family}while True: print('x' * 1000)"), Status::Output),
    ];
    for (script, status) in table {
        let (living, port) = Living::new().await;
        let program = python(&holding(&port, &script));
        let ran = ran(&program, b"", bounds()).await;
        assert_eq!(ran.status, status, "{script}: {}", ran.err);
        ended(living.begun().await).await;
    }
}

#[tokio::test]
async fn a_run_that_is_dropped_ends_its_program() {
    let (living, port) = Living::new().await;
    let program = python(&holding(&port, "os.fork()\nheld.send(b'x')\nsignal.pause()"));
    let running = tokio::spawn(async move { run(&program, Vec::new(), &bounds()).await });
    let mut process = living.begun().await;
    // Both of them are there.
    within(process.read_exact(&mut [0; 2])).await.expect("two processes");
    running.abort();
    ended(process).await;
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_told_with_its_place() {
    let here = |folder: &str, program: &[&str]| Program { folder: PathBuf::from(folder), ..words(program) };
    let table = [
        (here("/", &["no-such-program"]), "`no-such-program` cannot be started in `/`: No such file or directory"),
        (here("/", &["/"]), "`/` cannot be started in `/`: Permission denied"),
        (here("/no/such", &["true"]), "`true` cannot be started: there is no folder `/no/such`"),
        (here("/", &[]), "there is no program to run"),
        (here("/", &["a\0b"]), "`a\0b` cannot be started in `/`: nul byte found"),
    ];
    for (program, expected) in table {
        let error = run(&program, Vec::new(), &bounds()).await.expect_err("no start").to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[tokio::test]
async fn a_program_gets_no_variables_but_those_that_are_listed() {
    // Cargo sets variables of its own for every test.
    let mut program = shell("echo ${CARGO_PKG_NAME-none} ${CARGO_MANIFEST_DIR:+some} ${PATH:+path} $OWN");
    program.environment.set.insert("OWN".to_owned(), "own".to_owned());
    assert_eq!(ran(&program, b"", bounds()).await.out, "none path own\n");
    program.environment.pass = vec!["CARGO_PKG_*".to_owned()];
    assert_eq!(ran(&program, b"", bounds()).await.out, "handover-agents path own\n");
}
