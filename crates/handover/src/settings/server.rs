//! How the engine is served: `server` of `handover.yaml`.

use crate::place::Place;
use serde::Deserialize;
use std::{net::SocketAddr, path::PathBuf};

/// How the engine is served. Flags and the environment come first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerSettings {
    /// Where to listen, such as `127.0.0.1:7800`.
    pub listen: Option<SocketAddr>,
    /// The store: a file, or `postgres://…`, which any number of nodes share.
    pub store: Option<Place>,
    /// How this process is called among the nodes of a store.
    pub node: Option<String>,
    /// The certificate, where it speaks TLS itself.
    pub tls: Option<TlsSettings>,
    /// Whether something in front of it speaks TLS.
    pub behind_proxy: Option<bool>,
    /// Requests per second of a key that has no rate of its own.
    pub per_second: Option<std::num::NonZeroU32>,
    /// What is written to the log: `error`, `warn`, `info`, `debug` or `off`.
    pub log: Option<String>,
    /// How the log is written: `text` or `json`.
    pub log_form: Option<String>,
}

/// Where the certificate and its key are, as PEM.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsSettings {
    /// The certificates, the server's own first.
    pub cert: PathBuf,
    /// The key.
    pub key: PathBuf,
}
