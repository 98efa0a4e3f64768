//! What the tests of tools share.

use handover_agents::{
    model::{Arguments, Call},
    tool::{CallContext, Times, ToolOutcome, ToolSettings, Toolbox, Tools},
};
use handover_core::ids::{AgentId, HandoffId, SessionId};
use serde_json::{Value, json};
use std::{path::PathBuf, time::Duration};
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, TcpStream},
    time::timeout,
};

/// Nothing in these tests takes so long unless it hangs.
const HANGS: Duration = Duration::from_secs(60);

/// A deadline that is under test.
pub const SHORT: Duration = Duration::from_millis(200);

pub fn servers() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/tools/servers")
}

pub fn context(number: u64) -> CallContext {
    let handoff: HandoffId = "6f2c8f0e-5b1d-4c6e-9a53-0d6c3d1f7a11".parse().expect("an id");
    let session = SessionId::new("s-1").expect("a name");
    CallContext::new(session, handoff, AgentId::new("helper").expect("a name"), "call-1", number)
}

pub fn call(name: &str, arguments: Value) -> Call {
    Call { id: "call-1".into(), name: name.into(), arguments: Arguments::Read(arguments) }
}

pub async fn called(toolbox: &Toolbox, name: &str, arguments: Value) -> ToolOutcome {
    within(toolbox.call(&call(name, arguments), &context(1))).await
}

pub fn settings(given: Value) -> ToolSettings {
    serde_json::from_value(given).expect("settings")
}

pub fn tools(given: Value, times: Times) -> Tools {
    Tools::with_times(&settings(given), &servers(), times).unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
}

pub fn short_start() -> Times {
    Times { start: SHORT, ..patient() }
}

/// Time for slow machines; a server that was lost is tried again at once.
pub fn patient() -> Times {
    Times { start: HANGS, list: HANGS, rest: Duration::ZERO, grace: SHORT }
}

pub async fn boxed(tools: &Tools, names: &[&str]) -> Toolbox {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    within(tools.toolbox(&names)).await
}

pub fn names(toolbox: &Toolbox) -> Vec<String> {
    toolbox.specs().into_iter().map(|spec| spec.name).collect()
}

/// One server that is a program of these tests.
pub fn server(file: &str, more: Value) -> Value {
    let mut server = json!({"command": ["python3", "-B", "-S", "-E", file]});
    for (name, value) in more.as_object().into_iter().flatten() {
        server[name] = value.clone();
    }
    json!({"mcp": {"it": server}})
}

pub async fn within<T>(work: impl Future<Output = T>) -> T {
    timeout(HANGS, work).await.expect("it hangs")
}

/// Where processes of a test connect to. A connection ends when all that hold it have ended.
pub struct Living {
    listener: TcpListener,
}

impl Living {
    pub async fn new() -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port().to_string();
        (Self { listener }, port)
    }

    pub async fn begun(&self) -> TcpStream {
        within(self.listener.accept()).await.expect("a connection").0
    }
}

pub async fn ended(mut process: TcpStream) {
    let mut rest = Vec::new();
    // A connection that is reset has ended as well.
    let _ = within(process.read_to_end(&mut rest)).await;
}
