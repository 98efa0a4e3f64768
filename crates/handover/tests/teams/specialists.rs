//! The generalist and its specialists: found by what they can do, one below the other, and all of it in the history.

use crate::house::{House, all_fired};
use expect_test::expect;
use serde_json::json;

const FILE: &str = "specialists/workflow.yaml";

#[tokio::test]
async fn a_chain_of_specialists_comes_back_to_the_generalist() {
    let house = House::of(FILE);
    let input = house.input("input.json");
    let run = house.run(input).await;
    expect![[r#"
        UNDERSTANDING -> UNDERSTANDING: generalist
        UNDERSTANDING -> CONSULTING, moved
        CONSULTING -> ANSWERING, moved
        ANSWERING -> NOT_READY by 1.2 on ANSWERED"#]]
    .assert_eq(&run.states().await.join("\n"));
    expect![[r#"
        Sequential desk > generalist: project request
        Delegation below 1 desk > generalist > test-specialist: project
        Delegation below 2 desk > generalist > test-specialist > security-specialist: functions project
        Delegation below 1 desk > generalist > deployment-specialist: project"#]]
    .assert_eq(&run.history().await.join("\n"));
    expect![[r#"
        {
          "blockers": [
            "Dockerfile: everything runs as root; add a `USER`",
            "Dockerfile:1: `python:latest` is another image tomorrow; name a version",
            "ci.yaml:3: it is deployed before the tests have run",
            "src/report.py:7: column uses `eval`, which runs any text as code",
            "tests/test_orders.py:8: test_total_of_nothing asserts nothing"
          ],
          "consulted": [
            {
              "agent": "test-specialist",
              "capability": "testing",
              "summary": "3 of 4 functions have no test"
            },
            {
              "agent": "deployment-specialist",
              "capability": "deployment",
              "summary": "3 things to mend before it is deployed"
            }
          ],
          "notes": [
            "Dockerfile: nobody notices when it hangs; add a `HEALTHCHECK`",
            "src/orders.py:8: discount has no test",
            "src/report.py:10: header has no test",
            "src/report.py:6: column has no test"
          ],
          "ready": false
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&run.result().await).unwrap());
    expect!["generalist: It is not ready: 5 things to mend first. Dockerfile: everything runs as root; add a `USER`; Dockerfile:1: `python:latest` is another image tomorrow; name a version; ci.yaml:3: it is deployed before the tests have run; src/report.py:7: column uses `eval`, which runs any text as code; tests/test_orders.py:8: test_total_of_nothing asserts nothing."].assert_eq(&run.said().await.join("\n"));
    let all = run.engine.get_handoff_history(&run.id).await.unwrap();
    assert!(all.iter().skip(1).all(|handoff| handoff.request.capability.is_some()));
    assert!(all.iter().all(|handoff| handoff.request.original_request.contains("production")));
}

#[tokio::test]
async fn another_one_with_the_capability_takes_over() {
    let house = House::of(FILE).saying("  security-specialist:\n", "  auditor:\n");
    let run = house.run(json!({"request": "Audit it"})).await;
    assert_eq!(run.result().await["consulted"][0]["agent"], "auditor");
}

#[tokio::test]
async fn every_rule_counts_somewhere() {
    let ask = |request: &str, project: &str| json!({"request": request, "project": project});
    let runs = [
        House::of(FILE).run(ask("Test it, audit it and deploy it", "projects/shop-mended")).await,
        House::of(FILE).run(ask("Are there secrets in it?", "projects/shop")).await,
        House::of(FILE).run(ask("What is for lunch?", "projects/shop")).await,
        House::of(FILE).saying("[deployment]", "[decoration]").run(ask("Deploy it", "projects/shop")).await,
        House::of(FILE).without("specialists/projects/shop/Dockerfile").run(ask("Deploy it", "projects/shop")).await,
    ];
    all_fired(&runs).await;
    expect![[r#"{"blockers":[],"consulted":[{"agent":"test-specialist","capability":"testing","summary":"1 of 4 functions have no test"},{"agent":"security-specialist","capability":"security","summary":"0 risky things in the project"},{"agent":"deployment-specialist","capability":"deployment","summary":"it can be deployed"}],"notes":["src/report.py:12: header has no test"],"ready":true}"#]].assert_eq(&runs[0].result().await.to_string());
    expect![[r#"{"capability":"deployment","error_message":"nobody here knows about deployment"}"#]]
        .assert_eq(&runs[3].result().await.to_string());
    expect![[r#"{"capability":"deployment","error_message":"deployment-specialist could not answer: there is no Dockerfile, so nothing can be deployed"}"#]].assert_eq(&runs[4].result().await.to_string());
}

#[tokio::test]
async fn a_project_outside_of_the_folder_is_not_read() {
    let run = House::of(FILE).run(json!({"request": "Audit it", "project": "../../secrets"})).await;
    expect![[r#"{"capability":"security","error_message":"security-specialist could not answer: \"../../secrets\" is not a path within the folder of the workflow"}"#]].assert_eq(&run.result().await.to_string());
}
