//! Stores by address: two nodes on one database, terminals beside them, and what is said when something is wrong.

use crate::place::{Place, SECRET, Serving, told};
use handover_stand::{GUARDED, Postgres, free_port};
use serde_json::json;
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

/// A process that ends with the test.
struct Ending(Child);

impl Drop for Ending {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

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

/// What a server says to a key about its rate: how much is left here, and whether it was let in.
fn asks(server: &Serving, key: &str) -> (u16, String) {
    let address = server.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET /v1/me HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    let status = said.split(' ').nth(1).unwrap().parse().unwrap();
    let left = said.lines().find_map(|line| line.strip_prefix("ratelimit-remaining: "));
    (status, left.map_or_else(|| said.clone(), str::to_owned))
}

#[test]
fn nodes_that_serve_share_the_rate_of_a_key_and_terminals_take_none_of_it() {
    let place = Place::new();
    let (left, right) = (place.serve("left", &[]), place.serve("right", &[]));
    let key = |name: &str, per_second: &str| {
        let made = place.json(&["keys", "make", name, "--role", "viewer", "--per-second", per_second]);
        made["secret"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
    };
    let (many, few) = (key("many", "20"), key("few", "1"));
    // A terminal that stays is a process on the store, and serves nobody.
    let mut watching = place.command(&["watch", "--after", "0", "--json"]);
    let watching = watching.env("HANDOVER_STORE", &place.store).stdout(Stdio::piped()).spawn().unwrap();
    let watching = Ending(watching);
    let known = |server: &Serving| {
        let said = place.command(&["health", &server.url, "--json"]).output().unwrap();
        serde_json::from_slice::<serde_json::Value>(&said.stdout).unwrap()["nodes"].as_u64()
    };
    for server in [&left, &right] {
        let begun = Instant::now();
        while known(server) < Some(3) {
            assert!(begun.elapsed() < Duration::from_secs(60), "the three are not known: {:?}", known(server));
        }
    }
    // Two seconds of half the rate, less the one that asks.
    for server in [&left, &right] {
        assert_eq!(asks(server, &many), (200, "19".to_owned()));
    }
    // Half a request per second: one at each at once, and then none for a while.
    for server in [&left, &right] {
        assert_eq!(asks(server, &few), (200, "0".to_owned()));
        // It would be two seconds until the next one; on a busy machine they may pass.
        let (_, said) = (0..5).map(|_| asks(server, &few)).find(|(status, _)| *status == 429).unwrap();
        assert!(said.contains("1 requests per second, shared by 2 nodes"), "{said}");
    }
    drop(watching);
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
