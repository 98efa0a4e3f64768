//! Conversations: with a specialist who answers to the generalist, and with one who takes over.

use crate::common::{DEPLOYERS, Fake, Team, calls, last_results, last_user, says, told};
use expect_test::expect;
use handover_agents::model::Ask;
use handover_agents::model::Reply;
use serde_json::json;
use std::sync::Arc;

const PLENTY: usize = 100;

fn deploys(name: &str, ask: &Ask) -> Reply {
    match (name, last_results(ask)) {
        ("generalist", None) if last_user(ask).contains("thanks") => says("You are welcome."),
        ("generalist", None) => calls(
            "Tests first.",
            &[(
                "handoff_to_specialist",
                json!({"specialist_type": "testing", "task": "Run all tests", "reason": "Never deploy red"}),
            )],
        ),
        ("generalist", Some(results)) if results.contains("green") => calls(
            "Now the deployment.",
            &[(
                "handoff_to_specialist",
                json!({"specialist_type": "deployment specialist", "task": "Deploy to production", "reason": "Tests are green"}),
            )],
        ),
        ("generalist", Some(_)) => says("It is deployed, and all tests pass."),
        ("tester", _) => says("All 214 tests are green."),
        ("deployer", _) => says("Version 1.4 is live."),
        _ => says("?"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn results_come_back_to_the_generalist_who_reports() {
    let folder = tempfile::tempdir().unwrap();
    let mut members = DEPLOYERS;
    members[1] = "tester | testing | Runs tests | run-tests | recall";
    members[2] = "deployer | deployment | Deploys | deploy | recall";
    let team = Team::open(&folder.path().join("h.db"), &members, &Fake::new(deploys, PLENTY), &Arc::default()).await;
    let answered = team.talk.say("Deploy the app, but make sure that all tests pass first").await.unwrap();
    expect![[r#"
        generalist → tester: Never deploy red
        generalist → deployer: Tests are green
        generalist (Success, 75 tokens, 5 asks): It is deployed, and all tests pass.
    "#]]
    .assert_eq(&told(&answered));
    let answered = team.talk.say("thanks!").await.unwrap();
    expect![[r#"
        generalist (Success, 15 tokens, 1 asks): You are welcome.
    "#]]
    .assert_eq(&told(&answered));
    expect![[r#"
        user: Deploy the app, but make sure that all tests pass first
        generalist: Tests first. [handoff_to_specialist {"reason":"Never deploy red","specialist_type":"testing","task":"Run all tests"}]
          (aside) tester: All 214 tests are green.
        generalist ⟵ handoff_to_specialist: {"handoff_summary":"tester (testing specialist) ended the task with success: Run all tests","iterations":1,"notes":"","specialist_name":"tester","specialist_response":"All 214 tests are green.","status":"success"}
        generalist: Now the deployment. [handoff_to_specialist {"reason":"Tests are green","specialist_type":"deployment specialist","task":"Deploy to production"}]
          (aside) deployer: Version 1.4 is live.
        generalist ⟵ handoff_to_specialist: {"handoff_summary":"deployer (deployment specialist) ended the task with success: Deploy to production","iterations":1,"notes":"","specialist_name":"deployer","specialist_response":"Version 1.4 is live.","status":"success"}
        generalist: It is deployed, and all tests pass.
        user: thanks!
        generalist: You are welcome.
    "#]].assert_eq(&team.transcript().await);
}

fn dojo(name: &str, ask: &Ask) -> Reply {
    match name {
        "dojo" => {
            calls("Let me fetch the librarian.", &[("transfer_to_librarian", json!({"reason": "It is about books"}))])
        }
        _ if last_user(ask).contains("second") => says("Then read Erdős."),
        _ => says("Read Knuth."),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_took_over_goes_on_with_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let members = [
        "dojo | teaching | Teaches | | transfer_to_librarian",
        "librarian | books | Finds books | search | transfer_to_dojo",
    ];
    let team = Team::open(&folder.path().join("h.db"), &members, &Fake::new(dojo, PLENTY), &Arc::default()).await;
    let first = team.talk.say("Which book should I read?").await.unwrap();
    expect![[r#"
        dojo ⇒ librarian: It is about books
        librarian (Success, 30 tokens, 2 asks): Read Knuth.
    "#]]
    .assert_eq(&told(&first));
    let second = team.talk.say("And a second one?").await.unwrap();
    expect![[r#"
        librarian (Success, 15 tokens, 1 asks): Then read Erdős.
    "#]]
    .assert_eq(&told(&second));
    expect![[r#"
        user: Which book should I read?
        dojo: Let me fetch the librarian. [transfer_to_librarian {"reason":"It is about books"}]
        librarian: Read Knuth.
        user: And a second one?
        librarian: Then read Erdős.
    "#]]
    .assert_eq(&team.transcript().await);
}
