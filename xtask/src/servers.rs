//! `cargo xtask with-servers CMD…`: a PostgreSQL and a nats-server for tests, installed where they are missing, started for
//! one command, and stopped after it, whatever came of it.

use crate::{
    run::{cargo, show},
    sdk::install,
};
use handover_stand::{NATS, Nats, POSTGRES, Postgres};
use std::process::Command;

/// A PostgreSQL and a nats-server. They end when nobody holds them any more.
pub struct Servers {
    postgres: Postgres,
    nats: Nats,
}

impl Servers {
    /// Starts both. What is missing is installed from Debian.
    pub fn start() -> Result<Self, String> {
        let postgres = started("postgresql", Postgres::start)?;
        let nats = started("nats-server", Nats::start)?;
        eprintln!("servers for tests: {POSTGRES}={} {NATS}={}", postgres.url(), nats.url());
        Ok(Self { postgres, nats })
    }

    /// Says to a command where they are.
    pub fn tell(&self, command: &mut Command) {
        command.env(POSTGRES, self.postgres.url()).env(NATS, self.nats.url());
    }
}

/// Starts a server, after its package was installed where it is missing.
fn started<S>(package: &str, start: fn() -> Result<S, handover_stand::Fault>) -> Result<S, String> {
    match start() {
        Err(fault) if fault.to_string().contains(&format!("Debian package `{package}`")) => {
            install(&[package], &fault.to_string())?;
            start().map_err(|fault| fault.to_string())
        }
        outcome => outcome.map_err(|fault| fault.to_string()),
    }
}

/// `cargo xtask with-servers CMD…`.
pub fn main(args: &[&str]) -> Result<(), String> {
    let [program, rest @ ..] = args else {
        return Err(
            "with-servers takes a command, as in `cargo xtask with-servers cargo test -p handover-store`".into()
        );
    };
    let servers = Servers::start()?;
    let mut command = if *program == "cargo" { cargo(rest) } else { Command::new(program) };
    if *program != "cargo" {
        command.args(rest);
    }
    servers.tell(&mut command);
    show(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_needed_and_its_failure_is_told() {
        assert!(main(&[]).unwrap_err().contains("takes a command"));
        let said = main(&["sh", "-c", "test -n \"$HANDOVER_TEST_POSTGRES\" && test -n \"$HANDOVER_TEST_NATS\""]);
        assert_eq!(said, Ok(()));
        assert!(main(&["sh", "-c", "exit 3"]).unwrap_err().contains("exit status: 3"));
    }
}
