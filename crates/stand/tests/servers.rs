//! Servers of one's own: they keep what they were given over a stop and a kill, and end with whoever started them.

use handover_stand::{GUARDED, Nats, Postgres, SECRET};
use std::{
    io::{BufRead, BufReader, Read},
    net::TcpStream,
    process::{Command, Stdio},
};

#[test]
fn a_postgres_keeps_what_it_has_over_a_stop_and_a_kill() {
    let mut postgres = Postgres::start().unwrap();
    postgres.sql("handover", "CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)").unwrap();
    postgres.restart().unwrap();
    postgres.sql("handover", "INSERT INTO kept VALUES (2)").unwrap();
    postgres.kill().unwrap();
    assert!(TcpStream::connect(("127.0.0.1", postgres.port())).is_err());
    assert!(postgres.sql("handover", "SELECT 1").is_err());
    postgres.start_again().unwrap();
    assert_eq!(postgres.sql("handover", "SELECT sum(n) FROM kept").unwrap(), "3");
    let settings =
        ["fsync", "shared_buffers", "max_connections"].map(|name| postgres.sql("handover", &format!("SHOW {name}")));
    assert_eq!(settings.map(Result::unwrap), ["on", "64MB", "300"]);
}

#[test]
fn somebody_is_asked_for_a_password() {
    let postgres = Postgres::start().unwrap();
    let login = |password: &str| {
        let mut psql = Command::new("psql");
        psql.args(["-qAt", "-h", "127.0.0.1", "-p", &postgres.port().to_string(), "-U", GUARDED, "-d", "handover"]);
        psql.args(["-w", "-c", "SELECT 1"]).env("PGPASSWORD", password).output().unwrap().status.success()
    };
    assert!(login(SECRET) && !login("another"));
}

#[test]
fn a_nats_server_is_killed_and_starts_again_where_it_was() {
    let mut nats = Nats::start().unwrap();
    let greeting = |nats: &Nats| {
        let mut line = String::new();
        BufReader::new(TcpStream::connect(("127.0.0.1", nats.port())).unwrap()).read_line(&mut line).unwrap();
        line
    };
    assert!(greeting(&nats).contains("\"jetstream\":true"));
    nats.kill().unwrap();
    assert!(TcpStream::connect(("127.0.0.1", nats.port())).is_err());
    nats.start_again().unwrap();
    assert!(!greeting(&nats).contains("\"auth_required\":true"));
    nats.stop().unwrap();
    let guarded = Nats::start_guarded("ada", "lovelace").unwrap();
    assert!(greeting(&guarded).contains("\"auth_required\":true"));
}

/// Not a test of its own: the process that `a_server_ends_with_a_process_that_is_killed` kills.
#[test]
fn holder() {
    if std::env::var_os("HANDOVER_STAND_HOLD").is_none() {
        return;
    }
    let (nats, postgres) = (Nats::start().unwrap(), Postgres::start().unwrap());
    println!("\nports {} {}", nats.port(), postgres.port());
    let _ = std::io::stdin().read(&mut [0]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_ends_with_a_process_that_is_killed() {
    let mut holder = Command::new(std::env::current_exe().unwrap());
    holder.args(["--exact", "holder", "--nocapture"]).env("HANDOVER_STAND_HOLD", "1");
    let mut holder = holder.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines().map(Result::unwrap);
    let ports = lines.find_map(|line| line.strip_prefix("ports ").map(str::to_owned)).unwrap();
    let ports: Vec<u16> = ports.split(' ').map(|port| port.parse().unwrap()).collect();
    let open = |port: &u16| TcpStream::connect(("127.0.0.1", *port)).is_ok();
    assert!(ports.iter().all(open), "{ports:?}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    while ports.iter().any(open) {
        std::thread::yield_now();
    }
}
