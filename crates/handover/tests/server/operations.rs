//! What operators rely on: the order of settings, the log, the end, and commands with the rights of a key.

use crate::place::{Other, Place, free, told};
use handover::core::{
    agent::{AgentKind, Profile},
    ids::AgentId,
};
use handover_client::{Claiming, Client};
use serde_json::{Value, json};
use std::{
    fs::File,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    process::{Command, Stdio},
};

/// Where a server says that it listens.
fn url_of(line: &str) -> String {
    let said: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    said["url"].as_str().unwrap().to_owned()
}

#[test]
fn flags_come_before_the_environment_and_that_before_the_file() {
    let place = Place::new(None);
    let [by_file, by_variable, by_flag]: [SocketAddr; 3] = std::array::from_fn(|_| free());
    place.write("handover.yaml", &format!("server: {{listen: \"{by_file}\", log: error}}\n"));
    for (variable, flag, expected) in [
        (None, String::new(), by_file),
        (Some(by_variable), String::new(), by_variable),
        (Some(by_variable), format!("--listen {by_flag}"), by_flag),
    ] {
        let mut command = place.command(&format!("serve --json {flag}"));
        if let Some(variable) = variable {
            command.env("HANDOVER_LISTEN", variable.to_string());
        }
        let (_running, line) = Other::start(command);
        assert_eq!(url_of(&line), format!("http://{expected}"));
    }
    for (line, word) in [
        ("serve --per-second 0", "--per-second"),
        ("serve --listen nowhere", "--listen"),
        ("serve --log loud", "loud"),
        ("serve --listen 0.0.0.0:0", "there are no keys"),
        ("serve --behind-proxy", "there are no keys"),
        ("serve --tls-cert cert.pem", "--tls-key"),
    ] {
        let output = place.output(line);
        let shown = told(&output);
        assert!(!output.status.success() && shown.contains(word), "{line}: {shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_is_sent_away_and_the_end_is_a_good_one() {
    let place = Place::new(None);
    let (mut running, line) = Other::start(place.command(&format!("serve --json --log error --listen {}", free())));
    let client = Client::new(&url_of(&line), None).unwrap().tries(1);
    client.register(&Profile::named("counter").unwrap().kind(AgentKind::Worker)).await.unwrap();
    let agent = AgentId::new("counter").unwrap();
    let claiming = Claiming { wait_ms: 60_000, ..Claiming::default() };
    let waits = {
        let (client, agent) = (client.clone(), agent.clone());
        tokio::spawn(async move { client.claim(&agent, &claiming).await })
    };
    // It is heard when somebody waits: the server counts what is in flight, this request and the other.
    loop {
        let shown = client_text(&url_of(&line), "/metrics");
        if shown.lines().any(|line| line.starts_with("handover_http_requests_in_flight 2")) {
            break;
        }
        tokio::task::yield_now().await;
    }
    let ended = Command::new("kill").args(["-TERM", &running.0.id().to_string()]).status().unwrap();
    assert!(ended.success());
    assert_eq!(waits.await.unwrap().unwrap(), None, "it is answered, and not cut off");
    assert!(running.0.wait().unwrap().success());
    let verified = place.output("verify");
    assert!(verified.status.success(), "{}", told(&verified));
}

/// What a plain request is answered.
fn client_text(url: &str, path: &str) -> String {
    let output = Command::new("python3")
        .args(["-c", "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"])
        .arg(format!("{url}{path}"))
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn commands_have_the_rights_of_the_key_and_the_log_has_no_secrets() {
    let place = Place::new(None);
    place.output("agents register --name desk --kind worker");
    place.output("sessions open trip --by desk --asking 'the words of a client'");
    let made = |role: &str| place.json(&format!("keys make me --role {role}"))["secret"].as_str().unwrap().to_owned();
    let (viewer, operator) = (made("viewer"), made("operator"));
    let log = place.path().join("log");
    let mut command = place.command(&format!("serve --json --log debug --log-form json --listen {}", free()));
    command.stderr(Stdio::from(File::create(&log).unwrap()));
    let (_running, line) = Other::start(command);
    let away = Place::new(Some(&url_of(&line)));
    let run = |key: &str, line: &str| {
        let output = away.command(line).env("HANDOVER_KEY", key).output().unwrap();
        (output.status.code(), told(&output))
    };
    let (code, shown) = run(&viewer, "sessions");
    assert!(code == Some(0) && shown.contains("trip"), "{shown}");
    let (code, shown) = run(&viewer, "sessions open other --by desk");
    assert!(code == Some(1) && shown.contains("HO0309"), "{shown}");
    let (code, shown) = run(&viewer, "audit export out");
    assert!(code == Some(1) && shown.contains("HO0309"), "{shown}");
    let (code, shown) = run(&operator, "sessions open other --by desk --asking 'the words of another'");
    assert_eq!(code, Some(0), "{shown}");
    let (code, shown) = run(&operator, "keys make x --role admin");
    assert!(code == Some(1) && shown.contains("HO0309"), "{shown}");
    let (code, shown) = run("ho_nobody", "sessions");
    assert!(code == Some(1) && shown.contains("HO0311"), "{shown}");
    let mut text = String::new();
    File::open(&log).unwrap().read_to_string(&mut text).unwrap();
    for secret in [&viewer[20..], &operator[20..], "the words of", "ho_nobody"] {
        assert!(!text.contains(secret), "{secret} is in the log: {text}");
    }
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let told = lines.iter().filter(|line| line["route"] == json!("/v1/commands"));
    assert!(told.clone().count() >= 5 && told.clone().all(|line| line["request_id"].is_string()), "{text}");
}

/// The status of a call of a tool by this name of the server.
fn called_as(address: SocketAddr, host: &str, key: &str) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": "check_inbox", "arguments": {}, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\n\
         mcp-name: check_inbox\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut line = TcpStream::connect(address).unwrap();
    line.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut answer = String::new();
    line.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

/// A page can make a browser call this machine by another name. That a key is asked for is no reason to answer.
#[test]
fn hosts_of_agents_call_the_server_by_its_own_names() {
    let place = Place::new(None);
    place.output("agents register --name alice --kind worker");
    let key = place.json("keys make alice --role agent --agent alice")["secret"].as_str().unwrap().to_owned();
    place.write("handover.yaml", "a2a: {url: \"https://house.example:8443/a2a\"}\n");
    for (flag, names) in [
        (
            "",
            vec![
                ("127.0.0.1", "200"),
                ("localhost:7800", "200"),
                ("house.example:8443", "200"),
                ("evil.example", "403"),
                ("house.example.evil.example", "403"),
            ],
        ),
        ("--behind-proxy", vec![("evil.example", "200")]),
    ] {
        let address = free();
        let command = place.command(&format!("serve --json --log error --listen {address} {flag}"));
        let (_running, _) = Other::start(command);
        for (name, status) in names {
            assert_eq!(called_as(address, name, &key), status, "{flag} {name}");
        }
    }
}
