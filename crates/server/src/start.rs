//! Starting and ending: what a server is made of, and when it refuses to start.

use crate::{
    auth::Gate,
    bus::AskBus,
    commands::Commands,
    door,
    listen::{self, Listening},
    mount::Mount,
    tls::{self, TlsFiles},
};
use axum::Router;
use handover_core::{
    access::KeyId,
    limits::{BODY_MS, CLOCK_APART_MS, COMMANDS_AT_ONCE, HEAD_MS, LINGER_MS, LISTENERS_MAX, REQUEST_MS},
    refusal::{Code, HandoffError, Refusal},
};
use handover_engine::Engine;
use handover_telemetry::Metrics;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::sync::{Semaphore, watch};

/// How a server is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where it listens; port 0 takes any that is free.
    pub listen: SocketAddr,
    /// The certificate, where it speaks TLS itself.
    pub tls: Option<TlsFiles>,
    /// Whether something in front of it speaks TLS in its place, so that it may listen beyond loopback without.
    pub behind_proxy: bool,
    /// Requests per second of a key that has no rate of its own.
    pub per_second: u32,
    /// How long a client may take to send the head of a request.
    pub head: Duration,
    /// How long a client may take to send the body of a request.
    pub body: Duration,
    /// How long an answer may take.
    pub answer: Duration,
    /// Where requests are counted, and what `/metrics` tells.
    pub metrics: Metrics,
    /// What others mount beside the routes of the table.
    pub beside: Router,
    /// What others build and this server answers behind its own gate.
    pub mounts: Vec<Mount>,
    /// Who carries out commands of the command line; nobody when left out.
    pub commands: Option<Arc<dyn Commands>>,
    /// How the bus is, where there is one.
    pub bus: Option<AskBus>,
}

impl Options {
    /// At this address, with everything else as usual.
    #[must_use]
    pub fn at(listen: SocketAddr) -> Self {
        Self {
            listen,
            tls: None,
            behind_proxy: false,
            per_second: handover_core::limits::REQUESTS_PER_SECOND,
            head: Duration::from_millis(HEAD_MS),
            body: Duration::from_millis(BODY_MS),
            answer: Duration::from_millis(REQUEST_MS),
            metrics: Metrics::default(),
            beside: Router::new(),
            mounts: Vec::new(),
            commands: None,
            bus: None,
        }
    }
}

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// It would be open to everybody.
    #[error("{0} is beyond this machine, and there are no keys: everybody could do everything")]
    NoKeys(SocketAddr),
    /// Keys would travel in the clear.
    #[error("{0} is beyond this machine, and there is no TLS: keys would travel in the clear")]
    NoTls(SocketAddr),
    /// The certificate or its key cannot be used.
    #[error("TLS: {0}")]
    Tls(String),
    /// The store cannot be told that somebody answers here.
    #[error("{0}")]
    Store(#[from] HandoffError),
    /// The address cannot be listened at.
    #[error("{0} cannot be listened at: {1}")]
    Listen(SocketAddr, std::io::Error),
}

impl StartError {
    /// How to mend it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoKeys(_) => "make one with `handover keys make NAME --role admin --house`, or listen at 127.0.0.1",
            Self::NoTls(_) => {
                "give --tls-cert and --tls-key; or --behind-proxy where something in front of it speaks TLS"
            }
            Self::Tls(_) => "both files are PEM: the certificates, the server's own first, and the key of that one",
            Self::Store(_) => "the log of the database may say more",
            Self::Listen(..) => "choose another with --listen, or end whoever has it",
        }
    }
}

/// What all requests share.
pub(crate) struct State {
    pub(crate) engine: Engine,
    pub(crate) gate: Gate,
    pub(crate) metrics: Metrics,
    /// How long a client may take to send a body.
    pub(crate) body: Duration,
    /// How long an answer may take.
    pub(crate) answer: Duration,
    /// Places for listeners.
    pub(crate) listeners: Arc<Semaphore>,
    /// Who carries out commands.
    pub(crate) commands: Option<Arc<dyn Commands>>,
    /// How the bus is.
    pub(crate) bus: Option<AskBus>,
    /// Places for commands.
    pub(crate) commands_at_once: Arc<Semaphore>,
    /// Whether the server is ending: listeners and those who wait go away.
    pub(crate) ending: watch::Receiver<bool>,
}

impl State {
    /// Until whoever came with this key, or without one, may not stay any longer: the server ends, or their key does.
    pub(crate) async fn leaves(&self, key: Option<&KeyId>) {
        tokio::select! {
            () = self.ends() => {}
            () = self.gate.ends(key) => {}
        }
    }

    /// Until whoever waits for something long is sent away, and why: at once with their key; with the server a little later,
    /// so that what is in flight is answered.
    pub(crate) async fn sent_away(&self, key: Option<&KeyId>) -> Refusal {
        tokio::select! {
            refusal = self.ended() => refusal,
            () = self.gate.ends(key) => Refusal::new(Code::BadKey, "the key is not valid any more"),
        }
    }

    /// Until the server has ended for whoever waits for something long.
    pub(crate) async fn ended(&self) -> Refusal {
        self.ends().await;
        tokio::time::sleep(Duration::from_millis(LINGER_MS)).await;
        Refusal::new(Code::ShuttingDown, "the server ends; ask again when it is back")
    }

    /// Until the server ends.
    pub(crate) async fn ends(&self) {
        let mut ending = self.ending.clone();
        // Whoever could say so is gone: it has ended.
        let _ = ending.wait_for(|ends| *ends).await;
    }
}

/// A server that answers.
pub struct Server {
    address: SocketAddr,
    open: bool,
    tls: bool,
    ending: watch::Sender<bool>,
    listening: Listening,
}

impl Server {
    /// Starts to answer on this engine.
    ///
    /// # Errors
    /// When the address cannot be had, it would not be safe, or the store cannot be told.
    pub async fn start(engine: Engine, options: Options) -> Result<Self, StartError> {
        // Whatever stands in front of it may be reached from anywhere.
        let beyond = !options.listen.ip().is_loopback() || options.behind_proxy;
        if beyond && !engine.has_keys() {
            return Err(StartError::NoKeys(options.listen));
        }
        if beyond && options.tls.is_none() && !options.behind_proxy {
            return Err(StartError::NoTls(options.listen));
        }
        let acceptor = options.tls.as_ref().map(tls::acceptor).transpose()?;
        listen::more_files();
        let bound = listen::bind(options.listen).await;
        let (listener, address) = bound.map_err(|error| StartError::Listen(options.listen, error))?;
        engine.serve().await?;
        let apart_ms = engine.clock_apart_ms();
        if apart_ms.unsigned_abs() > CLOCK_APART_MS {
            tracing::warn!(
                apart_ms,
                "the clock of this machine and that of the database are apart: times in this log are not those of the trail; set both by NTP"
            );
        }
        let (ending, ends) = watch::channel(false);
        let gate = Gate::new(engine.clone(), beyond, options.per_second);
        let open = gate.is_open();
        let listeners = Arc::new(Semaphore::new(LISTENERS_MAX));
        let state = Arc::new(State {
            engine,
            gate,
            metrics: options.metrics,
            bus: options.bus,
            body: options.body,
            answer: options.answer,
            listeners,
            commands: options.commands,
            commands_at_once: Arc::new(Semaphore::new(COMMANDS_AT_ONCE)),
            ending: ends.clone(),
        });
        let router = door::router(&state, options.beside, options.mounts);
        let tls = acceptor.is_some();
        let listening = Listening::begin(listener, acceptor, router, options.head, ends);
        Ok(Self { address, open, tls, ending, listening })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address for people and programs of this machine.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.tls { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Whether it answered without keys when it started.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Lets nobody in any more, finishes what is in flight, and ends. At most `DRAIN_MS`.
    pub async fn close(self) {
        // Nobody listening is fine.
        let _ = self.ending.send(true);
        self.listening.end().await;
    }
}
