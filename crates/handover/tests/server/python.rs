//! Agents in Python, with nothing but its standard library, while the server is killed and begins again.

use crate::place::{MARKER, Other, Place, Served, free};
use handover_client::{Client, Listening, Opening};
use handover_core::{
    agent::Profile,
    handoff::{Request, ReturnStatus},
    ids::{HandoffId, SessionId},
};
use serde_json::json;
use std::{
    io::{Read, Write},
    net::TcpStream,
    process::{Command, Stdio},
    time::Duration,
};

const LONG: Duration = Duration::from_secs(60);
const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/");

fn python(name: &str, words: &[&str]) -> Command {
    let mut command = Command::new("python3");
    command.arg(format!("{EXAMPLES}{name}")).args(words).stdin(Stdio::null());
    command.env_remove("HANDOVER_KEY").env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

async fn session(client: &Client) -> SessionId {
    client.register(&Profile::named("desk").unwrap()).await.unwrap();
    client.open_session(&Opening::by("desk").unwrap()).await.unwrap().id
}

async fn count(client: &Client, session: &SessionId, text: &str) -> HandoffId {
    let mut request = Request::delegation("desk", "counter", "Count", Duration::from_secs(600)).unwrap();
    request.task.payload = json!({ "text": text });
    client.hand_off(session, &request).await.unwrap().handoffs[0]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_does_its_work_once_although_the_server_is_killed() {
    let mut served = Served::new();
    let client = served.client();
    session(&client).await;
    let mut events = client.events(Listening { after: Some(0), ..Listening::default() });
    let mut worker = python("worker.py", &[]);
    let _worker = Other(worker.env("HANDOVER_SERVER", served.url()).spawn().unwrap());
    // It registers itself.
    let mut house = client.agents().await.unwrap();
    while !house.iter().any(|agent| agent.profile.id.as_str() == "counter") {
        house = client.agents().await.unwrap();
    }
    let mut ids = Vec::new();
    for round in 0..12_usize {
        let session = client.open_session(&Opening::by("desk").unwrap()).await.unwrap().id;
        ids.push((count(&client, &session, &"word ".repeat(round)).await, round));
        if round % 4 == 1 {
            served.kill();
            served.begin();
        }
    }
    for (id, words) in &ids {
        let returned = client.returned(*id, LONG).await.unwrap().unwrap();
        assert_eq!((returned.status, returned.result.body), (ReturnStatus::Success, json!({ "words": words })));
    }
    let mut completed = 0;
    while completed < ids.len() {
        let event = tokio::time::timeout(LONG, events.next()).await.unwrap().unwrap();
        completed += usize::from(event.kind == "TASK_COMPLETED");
    }
    for (id, _) in &ids {
        assert_eq!(client.handoff(*id).await.unwrap().attempt, 1);
    }
    let verified = Place::new(Some(&served.url())).output("verify");
    assert!(verified.status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_is_called_and_calls_back_at_the_address_of_the_server() {
    let (service, port) = Other::start({
        let mut command = python("webhook.py", &["0"]);
        command.env("COUNTER_SECRET", MARKER);
        command
    });
    let (port, address) = (port.trim().to_owned(), free());
    let place = Place::new(None);
    place.write(
        "handover.yaml",
        &format!(
            "callbacks: {{url: \"http://{address}\"}}\nagents:\n  - id: counter\n    kind: http\n    \
             url: http://127.0.0.1:{port}/work\n    secret_env: COUNTER_SECRET\n"
        ),
    );
    let mut served = Served::of(place, address);
    let client = served.client();
    let session = session(&client).await;
    for (round, text) in ["one two three", "four"].into_iter().enumerate() {
        let id = count(&client, &session, text).await;
        let returned = client.returned(id, LONG).await.unwrap().unwrap();
        let words = text.split(' ').count();
        assert_eq!(returned.result.body, json!({ "words": words }), "{returned:?}");
        if round == 0 {
            served.kill();
            served.begin();
        }
    }
    // Whoever does not know the secret is not heard.
    let mut forged = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    let head = "POST /work HTTP/1.1\r\nhost: x\r\nhandover-id: a\r\nhandover-timestamp: 1\r\nhandover-signature: v1=00";
    write!(forged, "{head}\r\ncontent-length: 2\r\n\r\n{{}}").unwrap();
    let mut answer = [0; 64];
    let read = forged.read(&mut answer).unwrap();
    assert!(String::from_utf8_lossy(&answer[..read]).contains("401"));
    drop(service);
}

#[test]
fn callbacks_without_an_address_are_for_servers() {
    let place = Place::new(None);
    place.write("handover.yaml", "callbacks: {url: \"http://127.0.0.1:1\"}\n");
    let said = place.says("keep");
    assert!(said.contains("handover serve") && said.ends_with("= Some(1)\n"), "{said}");
    place.write("handover.yaml", "callbacks: {}\n");
    let said = place.says("check handover.yaml");
    assert!(said.contains("neither `listen` nor `url` is set"), "{said}");
}
