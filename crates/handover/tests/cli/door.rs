//! One door, two processes: commands in one terminal while another process holds the database.

use crate::{Place, told};
use expect_test::expect;
use handover::prelude::*;
use std::{
    io::{BufRead, BufReader, Lines},
    process::{Child, ChildStdout, Command, Stdio},
};

/// A process that goes on, read line by line.
struct Other {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Other {
    fn start(place: &Place, line: &str) -> Self {
        let mut child = place.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn keep(place: &Place) -> Self {
        let mut other = Self::start(place, "keep");
        let ready = other.line();
        assert!(ready.contains("is open"), "{ready}");
        other
    }

    fn line(&mut self) -> String {
        match self.lines.next() {
            Some(line) => line.unwrap(),
            None => panic!("it ended: {}", std::io::read_to_string(self.child.stderr.take().unwrap()).unwrap()),
        }
    }

    /// Ends it as a user would, and gives how it ended.
    fn end(mut self, signal: &str) -> Option<i32> {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // Whoever has ended already cannot be ended again.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn commands_are_carried_out_by_whoever_holds_the_database() {
    let place = Place::with_team();
    let keep = Other::keep(&place);
    assert!(place.path().join("handover.db.sock").exists());
    std::fs::write(place.path().join("p.json"), "{\"seats\": 4}").unwrap();
    place.says(
        "hand-off --session trip --to anna --task Read --payload @p.json --needs-approval
         approvals
         agents show ana
         agents show ana --json
         hand-off --session trip --to anna --task Read --payload @none.json
         --config some.yaml agents
         keep",
        &expect![[r#"
            $ handover hand-off --session trip --to anna --task Read --payload @p.json --needs-approval
            aaaaaaaa  desk → anna  awaiting approval
            ! its story: handover handoffs show aaaaaaaa
            $ handover approvals
            ID        FROM → TO    RULE       ASKED    UNTIL                     TASK
            aaaaaaaa  desk → anna  asked for  anybody  2026-01-01T00:00:00.000Z  Read
            ! look: handover handoffs show aaaaaaaa   decide: handover approve aaaaaaaa, or reject aaaaaaaa
            $ handover agents show ana
            ! handover: HO0208 "ana" is not registered
            !   hint: did you mean "anna"?
            !   more: handover explain HO0208
            = 1
            $ handover agents show ana --json
            ! {"error":{"code":"HO0208","exit":1,"hint":"did you mean \"anna\"?","message":"\"ana\" is not registered","refusals":[{"code":"HO0208","hint":"did you mean \"anna\"?","message":"\"ana\" is not registered"}]}}
            = 1
            $ handover hand-off --session trip --to anna --task Read --payload @none.json
            ! handover: none.json cannot be read: No such file or directory (os error 2)
            !   hint: check the path and its permissions
            = 1
            $ handover --config some.yaml agents
            AGENT  KIND    STANDING   WORK    CAN
            anna   human   available  0 of 1  review
            bob    worker  available  0 of 1  search 0.7, review 0.4
            desk   worker  available  0 of 1
            ! the database is open in another process, which keeps its own settings; --config is not used
            $ handover keep
            ! handover: HO0802 FOLDER/handover.db is in use by process N
            !   hint: it answers commands already; there is nothing more to do
            !   more: handover explain HO0802
            = 2
        "#]],
    );
    let id = place.json("approvals")[0]["handoff"]["id"].as_str().unwrap().to_owned();
    place.says(
        &format!("approve {id}"),
        &expect![[r#"
        $ handover approve UUID
        aaaaaaaa  desk → anna  offered
    "#]],
    );
    assert_eq!(keep.end("-INT"), Some(0));
    assert!(!place.path().join("handover.db.sock").exists());
    // The one who sat at the other terminal decided.
    assert!(place.good(&format!("handoffs show {id}")).contains("carol approved it"));
}

#[test]
fn what_happens_is_watched_across_processes() {
    let place = Place::with_team();
    let keep = Other::keep(&place);
    let mut watch = Other::start(&place, "watch --after 0 --count 5");
    assert!(watch.line().contains("session opened"));
    place.good("sessions open second --by desk");
    assert!(watch.line().contains("second"));
    keep.end("-TERM");
    // Nobody holds the database now: each command has it for a moment.
    place.good("sessions open third --by desk");
    assert!(watch.line().contains("third"));
    let keep = Other::keep(&place);
    place.good("sessions open fourth --by desk");
    assert!(watch.line().contains("fourth"));
    place.good("sessions open fifth --by desk");
    assert!(watch.line().contains("fifth"));
    assert_eq!(watch.child.wait().unwrap().code(), Some(0), "it has seen as much as it wanted");
    drop(keep);
}

#[test]
fn a_killed_holder_leaves_nothing_in_the_way() {
    let place = Place::with_team();
    Other::keep(&place).end("-KILL");
    assert!(place.path().join("handover.db.sock").exists(), "it had no time to clear up");
    place.good("agents");
    let keep = Other::keep(&place);
    place.good("agents drain bob");
    assert_eq!(keep.end("-TERM"), Some(0));
    assert!(!place.path().join("handover.db.sock").exists());
}

#[test]
fn waiting_for_a_result_keeps_the_door_open() {
    let place = Place::with_team();
    let mut waiting = Other::start(&place, "hand-off --session trip --to anna --task Read --wait");
    assert!(waiting.line().contains("desk → anna  offered"));
    let id = place.json("inbox anna")[0]["id"].as_str().unwrap().to_owned();
    place.good(&format!("take {id} --as anna"));
    place.good(&format!("give-back {id} --text 'All read'"));
    assert_eq!(waiting.line(), "All read");
    assert_eq!(waiting.child.wait().unwrap().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_with_agents_answers_too() {
    let place = Place::new();
    let db = place.path().join("handover.db");
    let engine = Engine::open(&db).await.unwrap();
    engine.register_profile(Profile::named("desk").unwrap()).await.unwrap();
    let counts =
        agent(|work: Work| async move { Ok(Done::json(serde_json::json!(work.payload()["n"].as_u64().unwrap() + 1))) });
    engine.register(Profile::named("counter").unwrap().can("count"), counts).await.unwrap();
    let refused = |place: &Place| {
        let output = place.output("stats");
        (output.status.code(), told(&output))
    };
    let (place, (code, text)) = tokio::task::spawn_blocking(move || {
        let got = refused(&place);
        (place, got)
    })
    .await
    .unwrap();
    assert_eq!(code, Some(2));
    assert!(text.contains("it answers no commands"), "{text}");
    let desk = handover::cli::desk::serve(&engine, &db);
    assert_eq!(desk.trouble(), None);
    let line = "hand-off --session s --new --from desk --capability count --task Count --payload '{\"n\": 4}' --wait";
    let (place, shown) = tokio::task::spawn_blocking(move || {
        let shown = place.good(line);
        (place, shown)
    })
    .await
    .unwrap();
    assert!(shown.ends_with("completed\n5\n") || shown.ends_with("\n5\n"), "{shown}");
    desk.close().await;
    assert!(!place.path().join("handover.db.sock").exists());
    engine.close().await.unwrap();
}

#[test]
fn many_commands_at_once_take_their_turn() {
    let place = Place::with_team();
    let start =
        |i: usize| place.command(&format!("sessions open s{i} --by desk")).stderr(Stdio::piped()).spawn().unwrap();
    let children: Vec<Child> = (0..6).map(start).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
    }
    assert_eq!(place.json("sessions").as_array().unwrap().len(), 7);
}
