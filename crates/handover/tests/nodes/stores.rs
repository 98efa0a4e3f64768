//! Stores by address: two nodes on one database, terminals beside them, and what is said when something is wrong.

use crate::place::{Place, SECRET, told};
use handover_stand::{GUARDED, Postgres, free_port};
use serde_json::json;

#[test]
fn two_nodes_and_terminals_work_on_one_database() {
    let place = Place::new();
    let (left, right) = (place.serve("left", &[]), place.serve("right", &[]));
    assert!(!left.said.contains("handover@"), "{}", left.said);
    place.json(&["agents", "register", "--name", "desk", "--kind", "worker"]);
    place.json(&["agents", "register", "--name", "smith", "--kind", "worker"]);
    let made =
        place.json(&["hand-off", "--new", "--session", "s1", "--from", "desk", "--to", "smith", "--task", "forge"]);
    let nodes = place.json(&["nodes"]);
    let mut names: Vec<&str> = nodes.as_array().unwrap().iter().map(|node| node["name"].as_str().unwrap()).collect();
    names.retain(|name| ["left", "right"].contains(name));
    names.sort_unstable();
    assert_eq!(names, ["left", "right"]);
    for server in [&left, &right] {
        let output = place.command(&["sessions", "--server", &server.url, "--json"]).output().unwrap();
        let sessions: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(sessions.to_string().contains("\"s1\""), "{sessions} {made}");
    }
    let health = place.command(&["health", &left.url, "--json"]).output().unwrap();
    let health: serde_json::Value = serde_json::from_slice(&health.stdout).unwrap();
    assert_eq!((&health["store"], &health["status"]), (&json!("postgres"), &json!("ok")));
    let watched = place.output(&["watch", "--after", "0", "--count", "1", "--json"]);
    assert!(watched.status.success(), "{}", told(&watched));
    assert!(!place.path().join("handover.db").exists());
}

#[test]
fn a_key_that_was_made_at_one_node_opens_the_other_at_once() {
    let place = Place::new();
    let (left, right) = (place.serve("left", &[]), place.serve("right", &[]));
    let made = place.json(&["keys", "make", "boss", "--role", "admin", "--house"]);
    let boss = made["secret"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    let with = |server: &str, key: &str, words: &[&str]| {
        let output =
            place.command(&[words, &["--server", server, "--json"]].concat()).env("HANDOVER_KEY", key).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{words:?}: {}", told(&output));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    for n in 0..10 {
        let (at, other) = if n % 2 == 0 { (&left, &right) } else { (&right, &left) };
        let made = with(&at.url, &boss, &["keys", "make", &format!("k{n}"), "--role", "viewer"]);
        with(&other.url, made["secret"].as_str().unwrap(), &["sessions"]);
    }
}

#[test]
fn what_is_wrong_with_a_store_is_told_with_a_code_and_without_the_password() {
    let place = Place::new();
    let port = free_port().unwrap();
    let postgres = Postgres::start().unwrap();
    let at =
        |user: &str, database: &str| format!("postgres://{user}:{SECRET}@127.0.0.1:{}/{database}", postgres.port());
    for (store, code, hint) in [
        (at(GUARDED, "handover"), "HO0807", "password"),
        (at("handover", "nothing"), "HO0807", "createdb"),
        (format!("postgres://handover:{SECRET}@127.0.0.1:{port}/handover"), "HO0808", "server runs"),
    ] {
        let output = place.command(&["sessions"]).env("HANDOVER_STORE", &store).output().unwrap();
        let said = told(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(code) && said.contains(hint) && !said.contains(SECRET), "{said}");
    }
    // A schema that only newer versions can work with.
    let store = at("handover", "handover");
    let run = |words: &[&str]| place.command(words).env("HANDOVER_STORE", &store).output().unwrap();
    let made = run(&["agents", "register", "--name", "desk", "--kind", "worker"]);
    assert!(made.status.success(), "{}", told(&made));
    postgres.sql("handover", "UPDATE handover.schema_version SET version = 99, oldest = 99").unwrap();
    let said = told(&run(&["sessions"]));
    assert!(said.contains("HO0803") && said.contains("version 99") && !said.contains(SECRET), "{said}");
    let output = place.command(&["sessions", "--store", &format!("mysql://ann:{SECRET}@db/x")]).output().unwrap();
    let said = told(&output);
    assert!(output.status.code() == Some(3) && said.contains("is no store"), "{said}");
}

#[test]
fn a_file_may_be_named_by_each_flag_and_by_the_settings() {
    let place = Place::new();
    let register = ["agents", "register", "--name", "desk", "--kind", "worker"];
    let run = |more: &[&str]| {
        let output = place.command(&[&register[..], more].concat()).output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
    };
    run(&["--store", "one.db"]);
    run(&["--db", "two.db"]);
    std::fs::write(place.path().join("handover.yaml"), "server: {store: three.db}\n").unwrap();
    run(&[]);
    let look = place.command(&["agents", "--json"]).output().unwrap();
    assert!(look.status.success(), "{}", told(&look));
    for name in ["one.db", "two.db", "three.db"] {
        assert!(place.path().join(name).exists(), "{name}");
    }
    assert!(!place.path().join("handover.db").exists());
}
