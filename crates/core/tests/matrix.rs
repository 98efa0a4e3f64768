//! Every phase against every command. The page of the reference is made from what the core really does, and compared.
//! `UPDATE_EXPECT=1` writes the page anew.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on says so")]

mod common;

use common::{Outcome, Play};
use expect_test::expect_file;
use handover_core::{
    handoff::Status,
    refusal::{Code, HandoffError},
};
use std::collections::BTreeSet;

const SCENE: &str = "agent b up=r; agent r; open s by a";
const OFFER: &str = "initiate h a->b delegation timeout=60s";

/// A phase: its title, and how a handoff comes there.
const PHASES: [(&str, &str); 12] = [
    ("awaiting_approval", "initiate h a->b delegation timeout=60s approval"),
    ("offered", OFFER),
    ("deferred", "initiate h a->b delegation timeout=60s; defer h by b 20s"),
    ("deferred, with a question", "initiate h a->b delegation timeout=60s; accept h by b as L; ask h as L"),
    ("running", "initiate h a->b delegation timeout=60s; accept h by b as L"),
    ("running, in process", "initiate h a->b delegation timeout=60s; accept h by b as L local"),
    ("running, reminded", "initiate h a->b delegation timeout=60s; accept h by b as L lease=10m; next"),
    ("completed", "initiate h a->b delegation timeout=60s; accept h by b as L; return h as L success"),
    ("failed", "initiate h a->b delegation timeout=60s; accept h by b as L; return h as L failed"),
    ("timed_out", "initiate h a->b delegation timeout=60s; accept h by b as L lease=10m; next; next"),
    ("escalated", "initiate h a->b delegation timeout=60s; accept h by b as L; escalate h as L beyond_me"),
    ("cancelled", "initiate h a->b delegation timeout=60s; cancel h by a"),
];

/// A command: its title, and the statement.
const COMMANDS: [(&str, &str); 24] = [
    ("approve", "approve h by boss"),
    ("deny", "deny h by boss"),
    ("amend", "amend h by boss task=other"),
    ("accept, by the target", "accept h by b as L"),
    ("accept, by somebody else", "accept h by c as L"),
    ("reject", "reject h by b"),
    ("defer", "defer h by b 10s"),
    ("ask", "ask h as last"),
    ("answer", "answer h by a"),
    ("heartbeat", "heartbeat h as last"),
    ("record a step", "record h as last step"),
    ("return success", "return h as last success"),
    ("return failed", "return h as last failed"),
    ("return, with an old lease", "return h as L0 success"),
    ("escalate", "escalate h as last beyond_me"),
    ("cancel, by the source", "cancel h by a"),
    ("cancel, by a stranger", "cancel h by c"),
    ("cancel, by an operator", "cancel h by ann"),
    ("redirect, to somebody else", "redirect h by ann to c"),
    ("redirect, to its agent", "redirect h by ann to b"),
    ("retry", "retry h by ann"),
    ("tick, early", "tick h"),
    ("tick, when due", "tick h"),
    ("reclaim", "reclaim h"),
];

/// An arrow of the picture: from, its label, to, and a story whose last statement takes it.
const ARROWS: [(&str, &str, &str, &str); 23] = [
    ("awaiting_approval", "approved", "offered", "initiate h a->b delegation timeout=60s approval; approve h by boss"),
    (
        "awaiting_approval",
        "denied, expired",
        "cancelled",
        "initiate h a->b delegation timeout=60s approval; deny h by boss",
    ),
    ("offered", "accepted", "running", "initiate h a->b delegation timeout=60s; accept h by b as L"),
    (
        "offered",
        "rejected or silent: the next candidate",
        "offered",
        "initiate h a->? delegation among=b,c timeout=60s; reject h by b",
    ),
    (
        "offered",
        "the next candidate needs approval, too",
        "awaiting_approval",
        "initiate h a->? delegation among=b,c timeout=60s approval; approve h by boss; reject h by b",
    ),
    ("offered", "nobody is left", "failed", "initiate h a->b delegation timeout=60s; reject h by b"),
    ("offered", "later", "deferred", "initiate h a->b delegation timeout=60s; defer h by b 10s"),
    ("offered", "hard deadline", "timed_out", "initiate h a->b delegation timeout=60s deadline=5s; next"),
    ("offered", "a rung that does not decide", "escalated", "initiate h a->? escalation ladder=b,r; reject h by b"),
    ("offered", "taken back", "cancelled", "initiate h a->b delegation timeout=60s; cancel h by a"),
    ("deferred", "its time comes", "offered", "initiate h a->b delegation timeout=60s; defer h by b 10s; next"),
    (
        "deferred",
        "hard deadline",
        "timed_out",
        "initiate h a->b delegation timeout=60s deadline=5s; defer h by b 10s; next",
    ),
    ("deferred", "taken back", "cancelled", "initiate h a->b delegation timeout=60s; defer h by b 10s; cancel h by a"),
    (
        "running",
        "success, partial",
        "completed",
        "initiate h a->b delegation timeout=60s; accept h by b as L; return h as L partial",
    ),
    ("running", "failed", "failed", "initiate h a->b delegation timeout=60s; accept h by b as L; return h as L failed"),
    ("running", "asks", "deferred", "initiate h a->b delegation timeout=60s; accept h by b as L; ask h as L"),
    (
        "deferred",
        "answered",
        "offered",
        "initiate h a->b delegation timeout=60s; accept h by b as L; ask h as L; answer h by a",
    ),
    (
        "deferred",
        "nobody answers: escalate",
        "escalated",
        "initiate h a->b delegation timeout=60s on=escalate; accept h by b as L; ask h as L; next",
    ),
    ("running", "lease lost", "offered", "initiate h a->b delegation timeout=60s; accept h by b as L; next"),
    (
        "running",
        "no answer after the reminder: retry",
        "deferred",
        "initiate h a->b delegation timeout=5s on=retry; accept h by b as L; next; next",
    ),
    (
        "running",
        "no answer after the reminder: fail",
        "timed_out",
        "initiate h a->b delegation timeout=5s; accept h by b as L; next; next",
    ),
    (
        "running",
        "escalated, or no answer: escalate",
        "escalated",
        "initiate h a->b delegation timeout=5s on=escalate; accept h by b as L; next; next",
    ),
    ("running", "taken back", "cancelled", "initiate h a->b delegation timeout=60s; accept h by b as L; cancel h by a"),
];

fn at(setup: &str) -> Play {
    let mut play = Play::new();
    play.run(SCENE);
    play.run(setup);
    play
}

fn status(play: &Play) -> Status {
    play.handoffs.get("h").and_then(|id| play.status(*id)).expect("a handoff h")
}

/// What a command comes to in a phase.
fn cell(setup: &str, title: &str, statement: &str, codes: &mut BTreeSet<Code>) -> String {
    let mut play = at(setup);
    if title == "tick, when due" {
        let due = play.session.as_ref().and_then(|s| s.open.get(play.handoffs.get("h")?)).and_then(|h| h.due());
        match due {
            Some(due) => play.now = due,
            None => drop(play.run("wait 10d")),
        }
    }
    let before = status(&play);
    match play.step(statement) {
        Outcome::Refused(HandoffError { refusals, .. }) => {
            codes.extend(refusals.iter().map(|refusal| refusal.code));
            refusals.iter().map(|refusal| refusal.code.text()).collect::<Vec<_>>().join(", ")
        }
        Outcome::Decided(decided) if decided.written.is_empty() => "—".into(),
        Outcome::Decided(_) if status(&play) == before => "stays".into(),
        Outcome::Decided(_) => format!("**{}**", status(&play).word()),
        Outcome::Scenery => panic!("{statement} asks nothing"),
    }
}

fn matrix(codes: &mut BTreeSet<Code>) -> String {
    let mut table = String::from("| |");
    for (title, _) in PHASES {
        table += &format!(" {} |", title.replace('_', " "));
    }
    table += &format!("\n|---|{}\n", "---|".repeat(PHASES.len()));
    for (title, statement) in COMMANDS {
        table += &format!("| {title} |");
        for (_, setup) in PHASES {
            table += &format!(" {} |", cell(setup, title, statement, codes));
        }
        table.push('\n');
    }
    table
}

fn picture() -> String {
    let mut lines = vec![
        "stateDiagram-v2".to_owned(),
        "    [*] --> offered: initiated".into(),
        "    [*] --> awaiting_approval: a person must agree".into(),
    ];
    for (from, label, to, _) in ARROWS {
        lines.push(format!("    {from} --> {to}: {}", label.replace(':', ",")));
    }
    for status in Status::ALL.iter().filter(|status| status.is_closed()) {
        lines.push(format!("    {} --> [*]", status.word()));
    }
    lines.join("\n")
}

#[test]
fn every_arrow_of_the_picture_is_one() {
    for (from, label, to, story) in ARROWS {
        let (setup, last) = story.rsplit_once(';').expect("two statements");
        let mut play = at(setup);
        assert_eq!(status(&play).word(), from, "{label}");
        let lines = play.run(last);
        assert_eq!(status(&play).word(), to, "{label}: {lines:?}");
    }
}

#[test]
fn every_phase_is_where_it_says() {
    for (title, setup) in PHASES {
        let word = title.split(',').next().unwrap_or_default();
        assert_eq!(status(&at(setup)).word(), word, "{title}");
    }
}

#[test]
fn the_picture_has_every_arrow_of_the_matrix() {
    for (_, setup) in PHASES {
        for (title, statement) in COMMANDS {
            let mut play = at(setup);
            let before = status(&play);
            if title == "tick, when due" {
                play.run("wait 5m");
            }
            play.step(statement);
            let after = status(&play);
            let drawn = ARROWS.iter().any(|(from, _, to, _)| *from == before.word() && *to == after.word());
            assert!(before == after || drawn, "{} -> {} is not drawn", before.word(), after.word());
        }
    }
}

#[test]
fn the_page_says_what_the_core_does() {
    let mut codes = BTreeSet::new();
    let table = matrix(&mut codes);
    let legend: Vec<String> =
        codes.iter().map(|code| format!("| [{code}](../errors/{code}.md) | {} |", code.title())).collect();
    let page = format!(
        "{INTRODUCTION}\n```mermaid\n{}\n```\n\n{MATRIX}\n{table}\n{LEGEND}\n{}\n",
        picture(),
        legend.join("\n")
    );
    expect_file!["../../../docs/reference/lifecycle.md"].assert_eq(&page);
}

const INTRODUCTION: &str = "\
# The lifecycle of a handoff

<!-- Made by crates/core/tests/matrix.rs from what the core does. Change it there. -->

A handoff is offered to an agent, which takes it, turns it down or asks for time. Whoever takes it gets a lease; the
lease fences every later write, so that nobody works on a task that was given to somebody else meanwhile. The work ends
with a result, a failure, a step up the ladder or a cancellation, and whoever waits for it is told exactly once.

Every open handoff has a time at which something must happen. When it comes, a *tick* makes it happen: an offer that
nobody answered goes to the next candidate, a lease that was not renewed is void, a deadline is followed first by a
reminder and then by what the request says (`on_timeout`). A tick that comes early or late does nothing.
";

const MATRIX: &str = "\
## Every command in every phase

The handoff is a delegation from `a` to `b`, with a timeout, with no other candidate, and with somebody above `b`.
A bold word is where the handoff stands afterwards; *stays* means that something was recorded and the phase is the same
(a tick that is due while the work runs in process reminds the holder); — means that nothing happened; a code is a
refusal, which changes nothing. A running handoff that is *in process* is held by the engine's own process, so that its
lease needs no renewal and a restart reclaims it. A retry of a handoff that is over begins a new one with the same request,
and the old one stays as it is.
";

const LEGEND: &str = "\
## The refusals above

| code | meaning |
|---|---|";
