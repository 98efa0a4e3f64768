//! What a model sees of its tools, and what comes of its mistakes.

use crate::common::{Fake, Team, calls, last_user, says, told, turns, within};
use expect_test::{Expect, expect};
use handover_agents::model::{Arguments, Ask, Call, Reply, StopReason};
use handover_core::policy::{Mode, Policy};
use serde_json::json;
use std::sync::Arc;

const TEAM: [&str; 3] = [
    "lead | | Leads | | handoff",
    "tester | testing | Runs tests | run-tests | recall",
    "librarian | books | Finds books | search | handoff",
];

/// Has a team answer one thing, and compares the answer and everything that was said.
async fn says_of(script: crate::common::Script, words: &str, policy: Option<Policy>, expected: &Expect) {
    let folder = tempfile::tempdir().unwrap();
    let team = Team::open(&folder.path().join("h.db"), &TEAM, &Fake::new(script, 100), &Arc::default()).await;
    if let Some(policy) = policy {
        team.engine.set_policy(policy).unwrap();
    }
    let answered = within(team.talk.say(words)).await.unwrap();
    expected.assert_eq(&format!("{}--\n{}", told(&answered), team.transcript().await));
}

fn broken(text: &str, name: &str) -> Reply {
    let arguments = Arguments::Broken { text: "{\"task\": ".into(), why: "EOF while parsing".into() };
    let call = Call { id: "call-broken".into(), name: name.into(), arguments };
    Reply { calls: vec![call], stop: StopReason::Tools, ..says(text) }
}

fn mends(name: &str, ask: &Ask) -> Reply {
    let one = |text: &str, arguments| calls(text, &[("handoff_to_specialist", arguments)]);
    match (name, turns(ask)) {
        ("tester", _) => says("All green."),
        (_, 0) => one("A.", json!({"specialist_type": "plumbing", "task": "Test", "reason": "Safe"})),
        (_, 1) => one("B.", json!({"specialist_type": "testing", "why": 7})),
        (_, 2) => broken("C.", "handoff_to_specialist"),
        (_, 3) => calls("D.", &[("hand_off_to_specialist", json!({}))]),
        (_, 4) => one("E.", json!({"specialist_type": "lead", "task": "Test", "reason": "Safe"})),
        (_, 5) => one("F.", json!({"specialist_type": "Testing Specialist", "task": "Test", "reason": "Safe"})),
        _ => says("It is tested."),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_come_back_as_results_that_a_model_can_mend() {
    says_of(mends, "Test it", None, &expect![[r#"
        lead → tester: Safe
        lead (Success, 120 tokens, 8 asks): It is tested.
        --
        user: Test it
        lead: A. [handoff_to_specialist {"reason":"Safe","specialist_type":"plumbing","task":"Test"}]
        lead ⟵ handoff_to_specialist: {"available":["books","run-tests","search","testing"],"error":"no specialist found for capability: plumbing","hint":"use one of these, do the task yourself, or ask the user for guidance"}
        lead: B. [handoff_to_specialist {"specialist_type":"testing","why":7}]
        lead ⟵ handoff_to_specialist: {"error":"the arguments do not fit","hint":"mend them and call again","mistakes":["task: it is missing","reason: it is missing","why: there is no such field"]}
        lead: C. [handoff_to_specialist "{\"task\": "]
        lead ⟵ handoff_to_specialist: {"error":"EOF while parsing","hint":"call the tool again with arguments that fit its schema"}
        lead: D. [hand_off_to_specialist {}]
        lead ⟵ hand_off_to_specialist: {"error":"there is no tool hand_off_to_specialist","hint":"use handoff_to_specialist"}
        lead: E. [handoff_to_specialist {"reason":"Safe","specialist_type":"lead","task":"Test"}]
        lead ⟵ handoff_to_specialist: {"error":"this was refused: lead->lead: HO0110 to_agent: lead is both","hint":"mend it and try again, do the task yourself, or ask the user","mistakes":[{"code":"HO0110","field":"to_agent","hint":"","message":"lead is both"}]}
        lead: F. [handoff_to_specialist {"reason":"Safe","specialist_type":"Testing Specialist","task":"Test"}]
          (aside) tester: All green.
        lead ⟵ handoff_to_specialist: {"handoff_summary":"success after 1 iteration","specialist_name":"tester","specialist_response":"All green."}
        lead: It is tested.
    "#]]).await;
}

fn at_once(name: &str, ask: &Ask) -> Reply {
    let task = |what: &str, task: &str| json!({"specialist_type": what, "task": task, "reason": "It is needed", "context": {"version": 3}});
    match (name, turns(ask), last_user(ask).contains("move")) {
        ("lead", 0, true) => calls(
            "All at once.",
            &[
                ("handoff_to_agent", json!({"agent_name": "librarian", "message": "Find a book"})),
                ("list_specialists", json!({})),
                ("handoff_to_specialist", task("testing", "Test one")),
            ],
        ),
        ("lead", 0, false) => calls(
            "Two at once.",
            &[
                ("handoff_to_specialist", task("testing", "Test one")),
                ("handoff_to_specialist", task("books", "Find two")),
            ],
        ),
        ("lead", _, _) => says("Both are done."),
        ("tester", ..) => says("Green."),
        _ => says("Read Knuth."),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_beside_a_move_is_done_before_it() {
    says_of(at_once, "Do all and move", None, &expect![[r#"
        lead → tester: It is needed
        lead ⇒ librarian: Find a book
        librarian (Success, 45 tokens, 3 asks): Read Knuth.
        --
        user: Do all and move
        lead: All at once. [handoff_to_agent {"agent_name":"librarian","message":"Find a book"}] [list_specialists {}] [handoff_to_specialist {"context":{"version":3},"reason":"It is needed","specialist_type":"testing","task":"Test one"}]
        lead ⟵ list_specialists: {"not_listed":0,"specialists":[{"capabilities":["search"],"description":"Finds books","examples":[],"has_room":true,"is_a_person":false,"name":"librarian","specialization":"books"},{"capabilities":["run-tests"],"description":"Runs tests","examples":[],"has_room":true,"is_a_person":false,"name":"tester","specialization":"testing"}]}
          (aside) tester: Green.
        lead ⟵ handoff_to_specialist: {"handoff_summary":"success after 1 iteration","specialist_name":"tester","specialist_response":"Green."}
        librarian: Read Knuth.
    "#]]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn several_are_asked_in_one_reply() {
    says_of(at_once, "Do both", None, &expect![[r#"
        lead → tester: It is needed
        lead → librarian: It is needed
        lead (Success, 60 tokens, 4 asks): Both are done.
        --
        user: Do both
        lead: Two at once. [handoff_to_specialist {"context":{"version":3},"reason":"It is needed","specialist_type":"testing","task":"Test one"}] [handoff_to_specialist {"context":{"version":3},"reason":"It is needed","specialist_type":"books","task":"Find two"}]
          (aside) tester: Green.
        lead ⟵ handoff_to_specialist: {"handoff_summary":"success after 1 iteration","specialist_name":"tester","specialist_response":"Green."}
          (aside) librarian: Read Knuth.
        lead ⟵ handoff_to_specialist: {"handoff_summary":"success after 1 iteration","specialist_name":"librarian","specialist_response":"Read Knuth."}
        lead: Both are done.
    "#]]).await;
}

fn alone(name: &str, ask: &Ask) -> Reply {
    match (name, turns(ask)) {
        ("lead", 0) => {
            calls("I move.", &[("handoff_to_agent", json!({"agent_name": "librarian", "message": "Go on"}))])
        }
        ("lead", 1) => {
            calls("Or to whom?", &[("handoff_to_agent", json!({"agent_name": "libraian", "message": "Go"}))])
        }
        ("lead", 2) => calls("To me?", &[("handoff_to_agent", json!({"agent_name": "lead", "message": "Go"}))]),
        _ => says("Then I do it myself."),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_that_a_guard_refuses_comes_back_as_a_result() {
    let policy = Policy { mode: Mode::Independent, ..Policy::default() };
    says_of(alone, "Move on", Some(policy), &expect![[r#"
        lead (Success, 60 tokens, 4 asks): Then I do it myself.
        --
        user: Move on
        lead: I move. [handoff_to_agent {"agent_name":"librarian","message":"Go on"}]
        lead ⟵ handoff_to_agent: {"error":"this was refused: lead->librarian: HO0710 type: the mode is independent: each agent works alone","hint":"mend it and try again, do the task yourself, or ask the user","mistakes":[{"code":"HO0710","field":"type","hint":"","message":"the mode is independent: each agent works alone"}]}
        lead: Or to whom? [handoff_to_agent {"agent_name":"libraian","message":"Go"}]
        lead ⟵ handoff_to_agent: {"error":"there is no agent libraian","hint":"did you mean librarian?"}
        lead: To me? [handoff_to_agent {"agent_name":"lead","message":"Go"}]
        lead ⟵ handoff_to_agent: {"error":"that is you","hint":"go on yourself"}
        lead: Then I do it myself.
    "#]]).await;
}

fn looks(name: &str, ask: &Ask) -> Reply {
    match (name, turns(ask)) {
        ("lead", 0) => calls(
            "Who is there?",
            &[
                ("list_specialists", json!({})),
                ("list_specialists", json!({"query": "find a good book"})),
                ("recall", json!({"first": 1, "last": 1})),
                ("recall", json!({"first": 0, "last": "x"})),
                ("recall", json!({"first": 90, "last": 99})),
            ],
        ),
        ("lead", 1) => calls(
            "Ask.",
            &[("handoff_to_specialist", json!({"specialist_type": "librarian", "task": "Find", "reason": "Books"}))],
        ),
        ("librarian", 0) => calls(
            "What is asked of me?",
            &[
                ("accept_handoff", json!({"note": "I will look"})),
                ("handoff_to_agent", json!({"agent_name": "tester", "message": "You do it"})),
            ],
        ),
        _ => says("Read Knuth."),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_looks_around() {
    let folder = tempfile::tempdir().unwrap();
    let team = Team::open(&folder.path().join("h.db"), &TEAM, &Fake::new(looks, 100), &Arc::default()).await;
    within(team.talk.say("What should I read?")).await.unwrap();
    let text = team.transcript().await;
    let start = text.find("\"handoff_id\":\"").unwrap() + 14;
    expect![[r#"
        user: What should I read?
        lead: Who is there? [list_specialists {}] [list_specialists {"query":"find a good book"}] [recall {"first":1,"last":1}] [recall {"first":0,"last":"x"}] [recall {"first":90,"last":99}]
        lead ⟵ list_specialists: {"not_listed":0,"specialists":[{"capabilities":["search"],"description":"Finds books","examples":[],"has_room":true,"is_a_person":false,"name":"librarian","specialization":"books"},{"capabilities":["run-tests"],"description":"Runs tests","examples":[],"has_room":true,"is_a_person":false,"name":"tester","specialization":"testing"}]}
        lead ⟵ list_specialists: {"ranked_for":"find a good book","specialists":[{"capabilities":["search"],"description":"Finds books","examples":[],"has_room":true,"is_a_person":false,"name":"librarian","specialization":"books"}]}
        lead ⟵ recall: {"messages":[],"note":"you were shown these from the beginning"}
        lead ⟵ recall: {"error":"the arguments do not fit","hint":"mend them and call again","mistakes":["first: 0 is not at least 1","last: it is string, integer is needed"]}
        lead ⟵ recall: {"error":"this was refused: HO0109 first: 90 to 1 is no range of the 1 messages at hand","hint":"mend it and try again, do the task yourself, or ask the user","mistakes":[{"code":"HO0109","field":"first","hint":"","message":"90 to 1 is no range of the 1 messages at hand"}]}
        lead: Ask. [handoff_to_specialist {"reason":"Books","specialist_type":"librarian","task":"Find"}]
          (aside) librarian: What is asked of me? [accept_handoff {"note":"I will look"}] [handoff_to_agent {"agent_name":"tester","message":"You do it"}]
          (aside) librarian ⟵ accept_handoff: {"accepted":true,"deadline":"2027-01-15T08:10:00.000Z","from":"lead","handoff_id":"ID","priority":"normal","reason":"Books","risk_level":"low","task":"Find"}
          (aside) librarian ⟵ handoff_to_agent: {"error":"you work on a delegated task, and its result must come from you","hint":"use handoff_to_specialist, or answer with what you have"}
          (aside) librarian: Read Knuth.
        lead ⟵ handoff_to_specialist: {"handoff_summary":"success after 2 iterations","specialist_name":"librarian","specialist_response":"Read Knuth."}
        lead: Read Knuth.
    "#]].assert_eq(&text.replace(&text[start..start + 36], "ID"));
}
