//! Killed after each recorded step, a turn goes on and asks for nothing twice.

use crate::common::{Fake, Team, calls, last_user, says, turns, until, within};
use handover_agents::model::{Ask, Reply};
use serde_json::json;
use std::{collections::BTreeSet, path::Path, sync::Arc, sync::atomic::Ordering};

const TEAM: [&str; 3] = [
    "lead | | Leads | | handoff",
    "tester | testing | Runs tests | run-tests | handoff",
    "librarian | books | Finds books | search | handoff",
];

/// A turn with everything in it: tools beside each other, a specialist who asks another one, and a move at the end.
fn busy(name: &str, ask: &Ask) -> Reply {
    let task = |what: &str| json!({"specialist_type": what, "task": "Do your part", "reason": "It is needed"});
    match (name, turns(ask)) {
        ("lead", 0) => calls("First.", &[("handoff_to_specialist", task("testing")), ("list_specialists", json!({}))]),
        ("lead", 1) => calls("Then.", &[("handoff_to_agent", json!({"agent_name": "librarian", "message": "Go on"}))]),
        ("tester", 0) => calls("I need a book.", &[("handoff_to_specialist", task("books"))]),
        ("tester", _) => says("Green, by the book."),
        ("librarian", 0) if last_user(ask).contains("Go on") => calls("Who?", &[("list_specialists", json!({}))]),
        ("librarian", _) => says("Read Knuth."),
        _ => says("?"),
    }
}

async fn open(folder: &Path, model: &Arc<Fake>) -> Team {
    Team::open(&folder.join("h.db"), &TEAM, model, &Arc::default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_asked_twice_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let model = Fake::new(busy, 100);
    let team = open(folder.path(), &model).await;
    within(team.talk.say("Do it all")).await.unwrap();
    let whole = team.transcript().await;
    let asked = model.asked.lock().len();
    assert!(asked >= 6, "{whole}");
    for answers in 0..asked {
        let folder = tempfile::tempdir().unwrap();
        let first = Fake::new(busy, answers);
        let team = open(folder.path(), &first).await;
        tokio::select! {
            answered = team.talk.say("Do it all") => panic!("{answered:?}"),
            () = until(|| first.questions.load(Ordering::SeqCst) > answers) => {}
        }
        team.close().await;
        drop(team);
        let second = Fake::new(busy, 100);
        let team = open(folder.path(), &second).await;
        let answered = within(team.talk.resume()).await.unwrap().unwrap();
        assert_eq!(answered.text, "Read Knuth.", "killed after {answers}");
        assert_eq!(team.transcript().await, whole, "killed after {answers}");
        let (before, after) = (first.asked.lock().clone(), second.asked.lock().clone());
        let each: BTreeSet<String> = before.iter().chain(&after).map(ToString::to_string).collect();
        assert_eq!((before.len() + after.len(), each.len()), (asked, asked), "killed after {answers}");
    }
}
