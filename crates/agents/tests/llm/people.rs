//! A model and the people above it: it asks, it hands up, and it is told when nobody is there.

use crate::common::{Fake, Team, calls, last_results, member, says, told, turns, within};
use expect_test::expect;
use handover_agents::model::{Ask, Reply};
use handover_core::{
    agent::{AgentKind, Profile},
    command::{Giving, Update},
    handoff::{Handoff, Outcome, ReturnStatus},
    ids::AgentId,
};
use serde_json::json;
use std::sync::Arc;

fn asks(_: &str, ask: &Ask) -> Reply {
    match (turns(ask), last_results(ask)) {
        (0, _) => calls(
            "May I?",
            &[("request_approval", json!({"action": "Drop the table", "reason": "It is old", "risk": "high"}))],
        ),
        (_, Some(results)) if results.contains("\"answer\"") => says("I did it."),
        _ => says("I did not do it."),
    }
}

fn escalates(_: &str, ask: &Ask) -> Reply {
    let arguments = json!({"reason": "Too risky", "options": ["yes", "no"], "context": {"table": "t"}});
    if turns(ask) == 0 { calls("Up.", &[("escalate", arguments)]) } else { says("Nobody is above me.") }
}

fn boss() -> AgentId {
    AgentId::new("boss").unwrap()
}

fn lead(above: Option<AgentId>) -> Profile {
    Profile { escalates_to: above, ..member("lead | | Leads | | handoff") }
}

fn people() -> [Profile; 2] {
    [lead(Some(boss())), Profile::of(boss()).kind(AgentKind::Human)]
}

/// What waits for the boss, once it does.
async fn waiting(team: &Team) -> Handoff {
    within(async {
        loop {
            if let Some(handoff) = team.engine.inbox(&boss(), 1).await.unwrap().pop() {
                break handoff;
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}

fn giving(status: ReturnStatus, text: &str) -> Giving {
    let result = Outcome { body: json!(text), ..Outcome::default() };
    Giving { status, result, updates: Update::default(), notes: text.to_owned(), signal: None }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_answers_a_question_and_the_model_goes_on() {
    let mut all = String::new();
    for (status, text) in [(ReturnStatus::Success, "Yes, drop it."), (ReturnStatus::Failed, "No, never.")] {
        let folder = tempfile::tempdir().unwrap();
        let team = Team::of(&folder.path().join("h.db"), &people(), &Fake::new(asks, 9), &Arc::default()).await;
        let person = async {
            let handoff = waiting(&team).await;
            assert!(handoff.request.task.description.contains("Drop the table"));
            let taken = team.engine.accept(handoff.id, &boss(), None, None).await.unwrap();
            team.engine.give_back(handoff.id, taken.lease, giving(status, text), None).await.unwrap();
        };
        let (answered, ()) = within(async { tokio::join!(team.talk.say("Clean up"), person) }).await;
        all += &format!("{}--\n{}\n", told(&answered.unwrap()), team.transcript().await);
    }
    expect![[r#"
        lead → boss: It is old
        lead (Success, 30 tokens, 2 asks): I did it.
        --
        user: Clean up
        lead: May I? [request_approval {"action":"Drop the table","reason":"It is old","risk":"high"}]
        lead ⟵ request_approval: {"answer":"Yes, drop it.","answered_by":"boss","notes":"Yes, drop it."}
        lead: I did it.

        lead → boss: It is old
        lead (Success, 30 tokens, 2 asks): I did not do it.
        --
        user: Clean up
        lead: May I? [request_approval {"action":"Drop the table","reason":"It is old","risk":"high"}]
        lead ⟵ request_approval: {"error":"nobody approved it: No, never.","hint":"do not do it; tell the user","status":"failed"}
        lead: I did not do it.

    "#]].assert_eq(&all);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_handed_up_is_answered_from_there() {
    let folder = tempfile::tempdir().unwrap();
    let team = Team::of(&folder.path().join("h.db"), &people(), &Fake::new(escalates, 9), &Arc::default()).await;
    let person = async {
        let handoff = waiting(&team).await;
        let taken = team.engine.accept(handoff.id, &boss(), None, None).await.unwrap();
        assert!(taken.brief().contains("Options: yes; no"), "{}", taken.brief());
        let answer = giving(ReturnStatus::Success, "I did it myself.");
        team.engine.give_back(handoff.id, taken.lease, answer, None).await.unwrap();
    };
    let (answered, ()) = within(async { tokio::join!(team.talk.say("Clean up"), person) }).await;
    expect![[r#"
        user → boss: the user asks
        boss (Success, 2 tokens, 0 asks): I did it myself.
        --
        user: Clean up
        lead: Up. [escalate {"context":{"table":"t"},"options":["yes","no"],"reason":"Too risky"}]
        boss: I did it myself.
    "#]]
    .assert_eq(&format!("{}--\n{}", told(&answered.unwrap()), team.transcript().await));
}

#[tokio::test(flavor = "multi_thread")]
async fn with_nobody_above_the_model_is_told_so() {
    let mut all = String::new();
    for script in [asks as crate::common::Script, escalates] {
        let folder = tempfile::tempdir().unwrap();
        let team = Team::of(&folder.path().join("h.db"), &[lead(None)], &Fake::new(script, 9), &Arc::default()).await;
        let answered = within(team.talk.say("Clean up")).await.unwrap();
        all += &format!("{}--\n{}\n", told(&answered), team.transcript().await);
    }
    expect![[r#"
        lead (Success, 30 tokens, 2 asks): I did not do it.
        --
        user: Clean up
        lead: May I? [request_approval {"action":"Drop the table","reason":"It is old","risk":"high"}]
        lead ⟵ request_approval: {"error":"there is no person above you who could approve it","hint":"do not do it; tell the user"}
        lead: I did not do it.

        lead (Success, 30 tokens, 2 asks): Nobody is above me.
        --
        user: Clean up
        lead: Up. [escalate {"context":{"table":"t"},"options":["yes","no"],"reason":"Too risky"}]
        lead ⟵ escalate: {"error":"this was refused: user->lead: HO0407 there is nobody above lead (level 0)","hint":"mend it and try again, do the task yourself, or ask the user","mistakes":[{"code":"HO0407","field":"","hint":"","message":"there is nobody above lead (level 0)"}]}
        lead: Nobody is above me.

    "#]].assert_eq(&all);
}
