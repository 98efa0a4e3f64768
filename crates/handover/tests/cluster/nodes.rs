//! A house of several nodes: its database, its bus, and a way from each node to the database that can be cut.

use handover_client::Client;
use handover_stand::{Nats, Postgres, Proxy};
use std::{
    io::{BufRead, BufReader},
    net::{SocketAddr, TcpListener},
    process::{Child, Command, Output, Stdio},
};
use tempfile::TempDir;

/// Pieces of work that the clerk takes at once.
pub const CLERK_AT_ONCE: usize = 2;
/// Nothing limits how often anything is handed over. The clerk lives in the nodes, and takes so many pieces at once over all
/// of them.
pub const SETTINGS: &str = r#"
policy:
  limits: {handoffs: 4294967295, escalations: 4294967295, chain: 4294967295}
  loops: {repeats_within: 0, idle_rounds: 0, pair_per_minute: 0}
  breaker: {failures: 0}
  accept_ms: 600000
agents:
  - {id: planner, kind: worker}
  - id: clerk
    kind: command
    command: [sh, -c, "cat > work.$$; rm work.$$; echo '{\"text\": \"filed\"}'"]
    max_concurrent_tasks: 2
"#;

/// One node.
pub struct Node {
    pub name: String,
    pub address: SocketAddr,
    pub way: Proxy,
    running: Option<Child>,
}

/// All of them.
pub struct House {
    pub postgres: Postgres,
    pub nats: Nats,
    pub nodes: Vec<Node>,
    folder: TempDir,
}

impl House {
    pub fn of(count: usize) -> Self {
        let (postgres, nats) = (Postgres::start().unwrap(), Nats::start().unwrap());
        // A server that is set to lose what is new when it dies: a node says for itself that it wants better.
        for sql in [
            "ALTER ROLE handover SET synchronous_commit = off",
            "ALTER SYSTEM SET wal_writer_delay = '10s'",
            "SELECT pg_reload_conf()",
        ] {
            postgres.sql("postgres", sql).unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("handover.yaml"), SETTINGS).unwrap();
        let mut house = Self { postgres, nats, nodes: Vec::new(), folder };
        for number in 0..count {
            let way = Proxy::to(&format!("127.0.0.1:{}", house.postgres.port())).unwrap();
            house.nodes.push(Node { name: format!("n{number}"), address: free(), way, running: None });
            house.begin(number);
        }
        house
    }

    /// A command of this house, at the database itself.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_handover"));
        command.args(words).current_dir(self.folder.path()).stdin(Stdio::null());
        for name in ["HANDOVER_DB", "HANDOVER_SERVER", "HANDOVER_KEY", "HANDOVER_BUS"] {
            command.env_remove(name);
        }
        command.env("HANDOVER_STORE", self.postgres.url());
        command
    }

    pub fn output(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Starts a node, and waits until it serves.
    pub fn begin(&mut self, number: usize) {
        let node = &self.nodes[number];
        let store = self.postgres.url_by("127.0.0.1", node.way.port());
        let (listen, bus) = (node.address.to_string(), self.nats.url());
        let mut command = self.command(&["serve", "--json", "--log", "error", "--listen", &listen]);
        command.args(["--node", &node.name, "--bus", &bus]).env("HANDOVER_STORE", store).stdout(Stdio::piped());
        let mut running = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(running.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains(&listen), "{} did not begin: {line}", self.nodes[number].name);
        self.nodes[number].running = Some(running);
    }

    /// A client of all nodes, which begins with this one.
    pub fn client(&self, first: usize) -> Client {
        let urls = (0..self.nodes.len()).map(|n| self.nodes[(first + n) % self.nodes.len()].address);
        let urls: Vec<String> = urls.map(|address| format!("http://{address}")).collect();
        Client::new(&urls.join(","), None).unwrap()
    }

    /// A client of one node alone.
    pub fn client_of(&self, node: usize) -> Client {
        Client::new(&format!("http://{}", self.nodes[node].address), None).unwrap()
    }

    /// How many handoffs the database takes to be open.
    pub fn open(&self) -> usize {
        self.postgres.sql("handover", "SELECT count(*) FROM handover.open").unwrap().trim().parse().unwrap()
    }

    /// How many nodes of this name the database takes to be there.
    pub fn there(&self, name: &str) -> usize {
        let asked = format!("SELECT count(*) FROM handover.nodes WHERE name = '{name}' AND NOT fenced");
        self.postgres.sql("handover", &asked).unwrap().trim().parse().unwrap()
    }
}

impl Node {
    /// Without a word, as when the power fails.
    pub fn kill(&mut self) {
        if let Some(mut running) = self.running.take() {
            running.kill().unwrap();
            running.wait().unwrap();
        }
    }

    pub fn pause(&self) {
        self.signal("-STOP");
    }

    pub fn wake(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let running = self.running.as_ref().unwrap();
        let sent = Command::new("kill").args([signal, &running.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}

/// An address that nobody listens at.
fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}
