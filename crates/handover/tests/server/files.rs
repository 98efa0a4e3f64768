//! No argument reaches a file of the server, and nothing of its environment comes back.

use crate::place::{MARKER, Served};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What stands in files of the server.
const INSIDE: &str = "words-of-the-server";

fn errand(args: &[&str], files: &Value) -> Value {
    let look = json!({ "colour": false, "terminal": false, "progress": false, "json": false });
    let version = env!("CARGO_PKG_VERSION");
    json!({ "version": version, "args": args, "user": "mallory", "look": look, "files": files })
}

async fn answer(served: &Served, errand: &Value) -> (String, Option<u64>) {
    let mut lines = served.client().command(errand).await.unwrap();
    let (mut text, mut exit) = (String::new(), None);
    while let Some(line) = lines.next().await.unwrap() {
        let frame: Value = serde_json::from_str(&line).unwrap();
        exit = frame["exit"].as_u64().or(exit);
        text += &line;
    }
    (text, exit)
}

fn names(served: &Served) -> BTreeSet<String> {
    let listed = std::fs::read_dir(served.place.path()).unwrap();
    // The database comes and goes with its log.
    let names = listed.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| !name.starts_with("handover.db")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_argument_reaches_a_file_of_the_server() {
    let served = Served::new();
    for name in ["secret.json", "secret.yaml", "workflow.yaml", "handover.yaml", "secret.db"] {
        served.place.write(name, INSIDE);
    }
    for line in ["agents register --name desk", "sessions open trip --by desk", "agents register --name bob"] {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(answer(&served, &errand(&words, &json!({}))).await.1, Some(0), "{line}");
    }
    let before = names(&served);
    let inside = |name: &str| served.place.path().join(name).display().to_string();
    let (folder, json_file, yaml_file) = (inside(""), inside("secret.json"), inside("secret.yaml"));
    let script = format!("providers:\n  x: {{api: openai, script: {json_file}}}\nagents: []\n");
    let program = "agents:\n  - {id: x, kind: command, command: [ls]}\n";
    let one = "{\"id\": \"x\", \"kind\": \"command\", \"command\": [\"ls\"]}";
    let sent = json!({ "script.yaml": script, "program.yaml": program, "program.json": one });
    let lines = [
        format!("agents register {json_file}"),
        format!("agents register {yaml_file}"),
        "agents register secret.json".into(),
        "agents register ./secret.yaml".into(),
        "agents register program.yaml".into(),
        "agents register program.json".into(),
        format!("agents register --name x --kind llm --model m --instructions @{json_file}"),
        "agents register --name x --kind command -- ls".into(),
        format!("agents register --name x --kind command --folder {folder} -- ls"),
        format!("hand-off --session trip --to bob --task x --payload @{json_file}"),
        format!("hand-off --session trip --request @{json_file}"),
        format!("approve 00000000 --payload @{json_file}"),
        format!("approve 00000000 --edit @{json_file}"),
        format!("give-back 00000000 --answer @{json_file}"),
        format!("give-back 00000000 --result @{json_file}"),
        format!("audit verify {json_file}"),
        format!("check {yaml_file}"),
        format!("check {folder}"),
        format!("graph {yaml_file}"),
        format!("graph {folder}"),
        format!("run {folder}"),
        format!("chat {folder}"),
        format!("init {folder}/new"),
        format!("demo {folder}/new.db"),
        format!("scripted-model {yaml_file}"),
        format!("verify {folder}/secret.db"),
        "keep".into(),
        "serve --listen 127.0.0.1:0".into(),
        "health".into(),
        "completions bash".into(),
    ];
    for line in &lines {
        let words: Vec<&str> = line.split(' ').collect();
        let (text, exit) = answer(&served, &errand(&words, &sent)).await;
        assert!(!text.contains(INSIDE), "{line}: {text}");
        assert!(matches!(exit, Some(1 | 3)), "{line}: {text}");
        assert_eq!(names(&served), before, "{line}");
    }
    // These do something, and none of it is on the disk of the server.
    for line in [
        format!("audit export {folder}/out"),
        format!("graph --form svg --output {folder}/out.svg"),
        format!("stats --db {folder}/other.db"),
        format!("stats --config {yaml_file}"),
        "agents register script.yaml".into(),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let (text, exit) = answer(&served, &errand(&words, &sent)).await;
        assert!(!text.contains(INSIDE) && exit == Some(0), "{line}: {text}");
        assert_eq!(names(&served), before, "{line}");
    }
    let agents = served.client().agents().await.unwrap();
    assert!(agents.iter().all(|agent| agent.profile.id.as_str() != "x"), "{agents:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_the_environment_comes_back() {
    let served = Served::new();
    for line in ["--help", "serve --help", "help agents", "stats", "--server-key", "stats --server-key", "frob", ""] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (text, _) = answer(&served, &errand(&words, &json!({}))).await;
        assert!(!text.contains(MARKER), "{line}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_errand_is_refused() {
    let served = Served::new();
    let mut other = errand(&["stats"], &json!({}));
    other["version"] = json!("0.0.1");
    let (text, exit) = answer(&served, &other).await;
    assert!(text.contains("the server is version") && exit == Some(2), "{text}");
    let many = vec!["x"; 1_001];
    for (wrong, expected) in [
        (json!({}), "version"),
        (json!([]), "HO"),
        (json!({ "version": 1 }), "version"),
        (errand(&many, &json!({})), "COMMAND_ARGUMENTS_MAX"),
        (errand(&["stats"], &json!({ "a": 1 })), "files"),
    ] {
        let Err(error) = served.client().command(&wrong).await else { panic!("{wrong} is no errand") };
        assert!(error.refusal().is_some() && error.to_string().contains(expected), "{wrong}: {error}");
    }
}
