//! A piece of work goes from an agent in Rust to a remote agent by A2A, from there to an agent of an MCP host, and from there
//! to a person; the result comes back all the way. At each hop a process is killed, on the way there and on the way back.

use crate::place::{Other, Place, Served, told};
use handover::Engine;
use handover_agents::staff::{Staff, StaffSettings};
use handover_client::{Client, Worker, done};
use handover_core::{
    agent::{AgentKind, Profile},
    command::{Command as Does, Open},
    handoff::Request,
    ids::{HandoffId, SessionId},
};
use handover_engine::agent::{Done, agent};
use rmcp::{
    ServiceExt as _,
    model::CallToolRequestParams,
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
    time::Duration,
};

const LONG: Duration = Duration::from_secs(120);
/// Where a process of the chain finds what it needs to know.
const FILE: &str = "CHAIN_FILE";
const URL: &str = "CHAIN_URL";
const KEY: &str = "CHAIN_KEY";
const WORKS: &str = "CHAIN_WORKS";

/// This very program as one of the processes of the chain.
fn process(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([&format!("chain::{name}"), "--exact", "--nocapture"]).stdin(Stdio::null());
    command
}

/// The agent in Rust: it delegates to a remote agent that it knows by its card. It goes on where it was.
#[tokio::test(flavor = "multi_thread")]
async fn planner() {
    let (Ok(file), Ok(url)) = (std::env::var(FILE), std::env::var(URL)) else { return };
    let engine = Engine::open(&file).await.unwrap();
    let staff = Staff::new(&StaffSettings::default(), std::path::Path::new("."), &engine).await.unwrap();
    let mut remote = Profile::named("remote").unwrap().kind(AgentKind::A2a);
    remote.url = Some(url);
    remote.secret_env = Some(KEY.to_owned());
    staff.employ(&engine, remote, Value::Null).await.unwrap();
    let plans = agent(async |work| {
        let request = Request::delegation("planner", "remote", "Is this allowed?", LONG).map_err(|e| e.to_string())?;
        let back = work.delegate("ask", request).await?;
        Ok(Done::json(json!({ "planned": back.result.body })))
    });
    engine.register(Profile::named("planner").unwrap(), plans).await.unwrap();
    engine.register_profile(Profile::named("user").unwrap().kind(AgentKind::Worker)).await.unwrap();
    let session = SessionId::new("trip").unwrap();
    engine.resume_session(&session, Open::by("user").unwrap().asking("A trip")).await.unwrap();
    let request = Request::delegation("user", "planner", "Plan a trip", LONG).unwrap();
    let begun = engine.submit(&session, Does::Initiate(Box::new(request)), Some("begin")).await.unwrap();
    let back = engine.returned(begun.handoffs[0]).await.unwrap();
    println!("RESULT {}", json!({"body": back.result.body, "notes": back.notes}));
    engine.close().await.unwrap();
}

/// The agent that is reached by A2A: a worker of the other house, which lets another agent of it do the work.
#[tokio::test(flavor = "multi_thread")]
async fn front() {
    let (Ok(url), Ok(key), Ok(_)) = (std::env::var(URL), std::env::var(KEY), std::env::var(WORKS)) else { return };
    let client = Client::new(&url, Some(&key)).unwrap();
    // Whoever dies is soon missed.
    let worker = Worker::new(client.clone(), "front".parse().unwrap()).lease(Duration::from_secs(1));
    let worked = worker.run(move |taken| {
        let client = client.clone();
        async move {
            let request = Request::delegation("front", "coder", taken.task(), LONG).map_err(|e| e.to_string())?;
            let request = request.key(&format!("front-{}", taken.handoff.id));
            let answer = client.hand_off(&taken.handoff.session_id, &request).await.map_err(|e| e.to_string())?;
            println!("PASSED");
            let back = client.returned(answer.handoffs[0], LONG).await.map_err(|e| e.to_string())?;
            Ok::<_, String>(done(json!({ "the host says": back.map(|back| back.result.body) })))
        }
    });
    worked.await.unwrap();
}

/// The agent of an MCP host: it asks a person, and gives their word back. It knows nothing but what its tools tell.
#[tokio::test(flavor = "multi_thread")]
async fn coder() {
    let (Ok(url), Ok(key)) = (std::env::var(URL), std::env::var(KEY)) else { return };
    if std::env::var(FILE).is_ok() || std::env::var(WORKS).is_ok() {
        return;
    }
    // The first client of a process brings what TLS needs.
    drop(Client::new(&url, None));
    let config = StreamableHttpClientTransportConfig::with_uri(url).auth_header(key);
    let client = ().serve(StreamableHttpClientTransport::from_config(config)).await.unwrap();
    let call = async |name: &'static str, arguments: Value| {
        let arguments = arguments.as_object().cloned().unwrap();
        let request = CallToolRequestParams::new(name).with_arguments(arguments);
        let result = client.call_tool(request).await.unwrap();
        assert_ne!(result.is_error, Some(true), "{name}: {result:?}");
        result.structured_content.unwrap()
    };
    loop {
        let inbox = call("check_inbox", json!({ "wait_seconds": 5 })).await;
        let own = inbox["holding"][0]["handoff_id"].clone();
        if let Some(returned) = inbox["returns"].as_array().and_then(|all| all.first()) {
            let over = call("handoff_status", json!({ "handoff_id": returned["handoff_id"] })).await;
            let said = over["handoff"]["result"]["body"].clone();
            call("complete_handoff", json!({ "handoff_id": own, "result": { "the person says": said } })).await;
            println!("COMPLETED");
            return;
        }
        if own.is_null() && !inbox["offers"].as_array().is_none_or(Vec::is_empty) {
            call("accept_handoff", json!({})).await;
            println!("TAKEN");
        } else if own.is_string() {
            let history = call("session_history", json!({})).await;
            if !history.to_string().contains("Ask anna") {
                let asks = json!({ "task": "Ask anna: may they fly?", "to_agent": "anna", "wait_seconds": 0 });
                call("handoff_to_specialist", asks).await;
                println!("ASKED");
            }
        }
    }
}

/// A process whose lines are read one by one.
struct Speaking {
    _process: Other,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Speaking {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { _process: Other(child), lines }
    }

    /// The rest of the first line that begins so.
    fn says(&mut self, word: &str) -> String {
        let found = self.lines.find_map(|line| line.ok()?.strip_prefix(word).map(str::to_owned));
        found.unwrap_or_else(|| panic!("it ended before it said {word}"))
    }
}

fn key(served: &Served, admin: Option<&str>, words: &str) -> String {
    let mut command = served.place.command(&format!("keys make {words}"));
    if let Some(admin) = admin {
        command.env("HANDOVER_SERVER", served.url()).env("HANDOVER_KEY", admin);
    }
    let output = command.output().unwrap();
    let text = told(&output);
    text.split_whitespace().find(|word| word.starts_with("ho_")).unwrap_or_else(|| panic!("{text}")).to_owned()
}

/// Looks again until something is there: there is nothing to await across processes.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = std::time::Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < LONG, "never: {what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_comes_back_all_the_way_although_a_process_dies_at_each_hop() {
    let mut served = Served::new();
    let admin = key(&served, None, "admin --role admin --house");
    served.kill();
    served.begin();
    let admin_client = Client::new(&served.url(), Some(&admin)).unwrap();
    for name in ["front", "coder", "anna", "house"] {
        let kind = if name == "anna" { AgentKind::Human } else { AgentKind::Worker };
        admin_client.register(&Profile::named(name).unwrap().kind(kind)).await.unwrap();
    }
    let bound = |name: &str| key(&served, Some(&admin), &format!("{name} --role agent --agent {name}"));
    let keys = ["coder", "anna", "house", "front"].map(bound);
    let house = served.url();
    let (card, mcp) = (format!("{house}/a2a/agents/front"), format!("{house}/mcp"));
    let here = Place::new(None);
    let file = here.path().join("planner.db");
    let planner = || {
        let mut command = process("planner");
        command.env(FILE, &file).env(URL, &card).env(KEY, &keys[2]);
        Speaking::start(command)
    };
    let coder = || {
        let mut command = process("coder");
        command.env_remove(FILE).env(URL, &mcp).env(KEY, &keys[0]);
        Speaking::start(command)
    };
    let front = || {
        let mut command = process("front");
        command.env_remove(FILE).env(URL, &house).env(KEY, &keys[3]).env(WORKS, "1");
        Speaking::start(command)
    };
    // The first hop: the work is there, and whoever sent it dies.
    let sender = planner();
    let to_front = until("the work arrives", || handed_to(&served, &admin, "front"));
    drop(sender);
    let sender = planner();
    // The second hop: it is passed on, and whoever did that dies.
    let mut passing = front();
    passing.says("PASSED");
    drop(passing);
    let mut passing = front();
    passing.says("PASSED");
    let to_coder = until("it is passed on", || handed_to(&served, &admin, "coder"));
    // The third hop: the agent of the host takes it, and the server dies.
    let mut host = coder();
    host.says("TAKEN");
    served.kill();
    served.begin();
    drop(host);
    // The fourth hop: the person is asked, and the host dies.
    let mut host = coder();
    host.says("ASKED");
    drop(host);
    let to_anna = until("anna is asked", || handed_to(&served, &admin, "anna"));
    let mut host = coder();
    for line in [format!("take {to_anna} --as anna"), format!("give-back {to_anna} --text 'Yes, after ten.'")] {
        let mut command = served.place.command(&line);
        let output = command.env("HANDOVER_SERVER", served.url()).env("HANDOVER_KEY", &keys[1]).output().unwrap();
        assert!(output.status.success(), "{line}\n{}", told(&output));
    }
    // On the way back the server dies once more, and whoever waits for it at the other end.
    served.kill();
    served.begin();
    host.says("COMPLETED");
    drop(sender);
    let mut sender = planner();
    let result = sender.says("RESULT ");
    assert!(result.contains("Yes, after ten."), "{result}");
    // Once each, whoever died: the same work, in the same attempt.
    for (agent, id) in [("front", to_front), ("coder", to_coder), ("anna", to_anna)] {
        assert_eq!(handed_to(&served, &admin, agent), Some(id));
        assert_eq!(admin_client.handoff(id).await.unwrap().attempt, 1);
    }
    let verified =
        served.place.command("verify").env("HANDOVER_SERVER", served.url()).env("HANDOVER_KEY", &admin).output();
    assert!(verified.unwrap().status.success());
    assert!(here.output(&format!("verify --db {}", file.display())).status.success());
}

/// The one handoff to this agent; more than one is a mistake.
fn handed_to(served: &Served, admin: &str, agent: &str) -> Option<HandoffId> {
    let mut command = served.place.command("handoffs --json");
    let output = command.env("HANDOVER_SERVER", served.url()).env("HANDOVER_KEY", admin).output().unwrap();
    assert!(output.status.success(), "{}", told(&output));
    let all: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let found: Vec<&Value> = all.iter().filter(|handoff| handoff["to_agent"] == agent).collect();
    assert!(found.len() <= 1, "{found:?}");
    found.first().map(|handoff| handoff["id"].as_str().unwrap().parse().unwrap())
}
