//! The servers that were started for all tests together, and what to do where there are none.

use crate::Fault;

/// Says where the PostgreSQL of a run of tests is: the address of a database in which each test makes a schema of its own.
pub const POSTGRES: &str = "HANDOVER_TEST_POSTGRES";
/// Says where its nats-server is. Each test names streams and subjects of its own.
pub const NATS: &str = "HANDOVER_TEST_NATS";

/// The PostgreSQL of this run.
///
/// # Errors
/// When this run has none. It says how to get one: a test that is left out in silence proves nothing.
pub fn told_postgres() -> Result<String, Fault> {
    told(POSTGRES, "PostgreSQL")
}

/// The nats-server of this run.
///
/// # Errors
/// When this run has none. It says how to get one.
pub fn told_nats() -> Result<String, Fault> {
    told(NATS, "nats-server")
}

fn told(variable: &str, what: &str) -> Result<String, Fault> {
    let found = std::env::var(variable).ok().filter(|found| !found.is_empty());
    found.ok_or_else(|| {
        Fault(format!(
            "this test needs a {what}, and {variable} names none: run it by `cargo xtask with-servers cargo test …`"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_servers_is_told_how_to_get_them() {
        let fault = told("HANDOVER_TEST_NOTHING", "PostgreSQL").unwrap_err().to_string();
        assert!(fault.contains("a PostgreSQL") && fault.contains("cargo xtask with-servers"), "{fault}");
    }
}
