//! The dojo: a conversation that goes there and back, and in which each one sees what was said.

use crate::house::{House, all_fired};
use expect_test::expect;
use serde_json::json;

const FILE: &str = "dojo/workflow.yaml";

#[tokio::test]
async fn the_conversation_goes_there_and_back_twice() {
    let house = House::of(FILE);
    let input = house.input("input.json");
    let run = house.run(input).await;
    expect![[r#"
        THINKING -> THINKING: dojo
        THINKING -> SEARCHING by 1.1 on NEEDS_REFERENCE: librarian
        SEARCHING -> THINKING by 2.1 on REFERENCE_FOUND: dojo
        THINKING -> DEBUGGING by 1.2 on NEEDS_DEBUGGING: debugger
        DEBUGGING -> THINKING by 3.1 on FAULT_FOUND: dojo
        THINKING -> COMPLETED by 1.3 on ANSWERED"#]]
    .assert_eq(&run.states().await.join("\n"));
    expect![[r#"
        Sequential desk > dojo: language question snippet
        Sequential below 1 desk > dojo > librarian: language question snippet
        Sequential below 2 desk > dojo > librarian > dojo: language question reference snippet
        Sequential below 3 desk > dojo > librarian > dojo > debugger: language question reference snippet
        Sequential below 4 desk > dojo > librarian > dojo > debugger > dojo: diagnosis language question reference snippet"#]].assert_eq(&run.history().await.join("\n"));
    expect![[r#"
        user: What is a trailing comma, and why does my file not load?
        dojo: Let me have that looked up first.
        librarian: A trailing comma stands after the last entry of a list or an object. JSON does not allow it, though many programming languages do. (json.md#2)
        dojo: Now let somebody look at the snippet.
        debugger: Line 3, `"port": 8080,`: trailing comma; remove the comma before the closing bracket.
        dojo: A trailing comma stands after the last entry of a list or an object. JSON does not allow it, though many programming languages do. (json.md#2) Line 3, `"port": 8080,`: trailing comma; remove the comma before the closing bracket."#]].assert_eq(&run.said().await.join("\n"));
    let mut seen = Vec::new();
    for handoff in run.engine.get_handoff_history(&run.id).await.unwrap() {
        let view = run.engine.view(handoff.id, None).await.unwrap();
        let shown: Vec<String> = view.items.iter().map(|item| item.n.to_string()).collect();
        seen.push(format!("{} sees {} messages: {}.", handoff.to_agent, shown.len(), shown.join(" ")));
    }
    expect![[r#"
        dojo sees 0 messages: .
        librarian sees 2 messages: 1 2.
        dojo sees 3 messages: 1 2 3.
        debugger sees 4 messages: 1 2 3 4.
        dojo sees 5 messages: 1 2 3 4 5."#]]
    .assert_eq(&seen.join("\n"));
}

#[tokio::test]
async fn every_rule_counts_somewhere() {
    let inputs = [
        House::of(FILE).input("input.json"),
        json!({"question": "Hello"}),
        json!({"question": "What is a quokka?"}),
        json!({"question": "It does not run", "snippet": "let a = 1\nprint a"}),
        json!({"question": "It does not run", "snippet": "DISPLAY X", "language": "cobol"}),
    ];
    let mut runs = Vec::new();
    for input in inputs {
        runs.push(House::of(FILE).run(input).await);
    }
    all_fired(&runs).await;
    let mut told = Vec::new();
    for run in &runs[1..] {
        told.push(run.said().await.join(" / "));
    }
    expect![[r#"
        user: Hello / dojo: Ask what something is, or show me a snippet that does not work.
        user: What is a quokka? / dojo: Let me have that looked up first. / librarian: The notes say nothing about that. / dojo: The notes say nothing about that.
        user: It does not run / dojo: Now let somebody look at the snippet. / debugger: I find no fault in the snippet. / dojo: I find no fault in the snippet.
        user: It does not run / dojo: Now let somebody look at the snippet. / debugger: I cannot check it: nobody here reads "cobol"; known are json and let. / dojo: I cannot check it: nobody here reads "cobol"; known are json and let."#]].assert_eq(&told.join("\n"));
}
