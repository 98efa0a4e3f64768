//! Where the database is: `postgres://user:password@host:port/database?schema=…&sslmode=…`.

use super::tls::{self, Tls};
use crate::StoreError;
use handover_core::limits::{STORE_AWAY_MS, STORE_CONNECT_MS, STORE_SILENT_MS};
use std::{str::FromStr, time::Duration};
use tokio_postgres::{
    Config,
    config::{SslMode, TargetSessionAttrs},
};

/// The schema where nothing else is said.
const SCHEMA: &str = "handover";
/// Longest name that PostgreSQL knows, in bytes.
const NAME_BYTES_MAX: usize = 63;
/// How often a database that is silent is asked whether it is there, before its connection is taken for broken.
const SILENT_TRIES: u32 = 3;

/// Where the database is, and in which of its schemas we are.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) schema: String,
    pub(super) tls: Tls,
}

impl Address {
    /// Reads a URL. What is ours in it is `schema`, `sslmode` (disable, prefer, require, verify-full) and `sslrootcert`.
    pub(super) fn read(url: &str, name: &str) -> Result<Self, StoreError> {
        let (front, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut schema, mut mode, mut roots) = (SCHEMA.to_owned(), "prefer".to_owned(), None);
        let mut rest = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            match key {
                "schema" => schema = plain(value)?,
                "sslmode" => mode = plain(value)?,
                "sslrootcert" => roots = Some(plain(value)?),
                _ => rest.push(pair),
            }
        }
        check_schema(&schema)?;
        let url = if rest.is_empty() { front.to_owned() } else { format!("{front}?{}", rest.join("&")) };
        let mut config = Config::from_str(&url).map_err(|error| bad(&super::fault::words(&error)))?;
        let (ssl, tls) = match mode.as_str() {
            "disable" => (SslMode::Disable, Tls::none()),
            "prefer" => (SslMode::Prefer, tls::unchecked()?),
            "require" => (SslMode::Require, tls::unchecked()?),
            "verify-ca" | "verify-full" => (SslMode::Require, tls::checked(roots.as_deref())?),
            other => return Err(bad(&format!("sslmode is disable, prefer, require or verify-full, not \"{other}\""))),
        };
        // Within the time of one try each of several hosts gets its turn.
        let turns = u32::try_from(config.get_hosts().len()).unwrap_or(1).max(1);
        config.ssl_mode(ssl).connect_timeout(Duration::from_millis(STORE_CONNECT_MS) / turns);
        // A database that falls silent with nothing of ours on its way is found by asking whether it is there.
        config.tcp_user_timeout(Duration::from_millis(STORE_AWAY_MS));
        config.keepalives_idle(Duration::from_millis(STORE_SILENT_MS));
        config.keepalives_interval(Duration::from_millis(STORE_SILENT_MS)).keepalives_retries(SILENT_TRIES);
        if config.get_hosts().len() > 1 {
            // Of several, the one that takes writes.
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        config.application_name(format!("handover {name}"));
        Ok(Self { config, schema, tls })
    }

    /// The schema as SQL writes a name.
    pub(super) fn quoted_schema(&self) -> String {
        format!("\"{}\"", self.schema)
    }

    /// The channel on which processes tell each other that something was written.
    pub(super) fn channel(&self) -> String {
        let mut channel = format!("handover_{}", self.schema);
        channel.truncate(NAME_BYTES_MAX);
        channel
    }
}

fn bad(why: &str) -> StoreError {
    StoreError::Failed(format!("the address of the database cannot be used: {why}"))
}

/// A schema's name goes into statements as it is: nothing but small letters, digits and `_`.
fn check_schema(schema: &str) -> Result<(), StoreError> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if schema.is_empty() || schema.len() > NAME_BYTES_MAX - "handover_".len() || !schema.chars().all(fits) {
        return Err(bad(&format!("the schema \"{schema}\" is not a name of small letters, digits and '_'")));
    }
    Ok(())
}

/// A value of the query, without its `%xx`.
fn plain(value: &str) -> Result<String, StoreError> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next(), rest.next()].map(|digit| digit.and_then(|digit| char::from(digit).to_digit(16)));
            let [Some(high), Some(low)] = digits else { return Err(bad("a '%' without two digits")) };
            bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).map_err(|_| bad("its query is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_is_taken_out_of_the_query() {
        let url = "postgres://ann:s%40cret@db.local:5433/work?schema=t_1&sslmode=disable&connect_timeout=3";
        let address = Address::read(url, "one").unwrap();
        assert_eq!((address.schema.as_str(), address.config.get_user()), ("t_1", Some("ann")));
        assert_eq!(address.config.get_password(), Some(b"s@cret".as_slice()));
        assert_eq!(address.config.get_ssl_mode(), SslMode::Disable);
        assert_eq!(address.channel(), "handover_t_1");
        let usual = Address::read("postgres://db.local/work", "one").unwrap();
        assert_eq!((usual.schema.as_str(), usual.config.get_ssl_mode()), ("handover", SslMode::Prefer));
    }

    #[test]
    fn what_cannot_be_is_refused_in_words() {
        for (url, why) in [
            ("postgres://db.local/work?schema=a%22b", "small letters"),
            ("postgres://db.local/work?schema=", "small letters"),
            ("postgres://db.local/work?sslmode=maybe", "verify-full"),
            ("postgres://db.local/work?schema=%zz", "two digits"),
            ("mysql://db.local/work", "address"),
        ] {
            let error = Address::read(url, "one").err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(why), "{url}: {error}");
        }
    }
}
