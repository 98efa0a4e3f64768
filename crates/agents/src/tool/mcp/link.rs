//! A connection to an MCP server. It ends with this: a server that is a program is ended with all that it started.

use super::{
    http::{Bounded, header},
    watch::{TooLarge, Watched},
};
use crate::{
    program::{Group, Program, Tail, last_words},
    tool::{McpSettings, beginning},
};
use handover_core::limits::{MCP_ERROR_BYTES_SHOWN, MCP_LAST_WORDS_MS, MCP_MESSAGE_BYTES_MAX, PROGRAM_ERR_BYTES_KEPT};
use rmcp::{
    ClientHandler, ServiceExt,
    model::{ClientCapabilities, ClientConfig, Implementation},
    service::{ClientInitializeError, NotificationContext, Peer, RoleClient, RunningService, ServiceError},
    transport::{
        StreamableHttpClientTransport, async_rw::AsyncRwTransport,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{process::Child, sync::Mutex, task::JoinSet, time::timeout};

/// What we are to a server.
struct Client(Arc<AtomicBool>);

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("handover", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), us)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.store(true, Ordering::Release);
    }
}

/// A connection.
pub(super) struct Link {
    service: Mutex<RunningService<RoleClient, Client>>,
    peer: Peer<RoleClient>,
    process: Option<Process>,
    changed: Arc<AtomicBool>,
    pub(super) too_large: TooLarge,
}

/// A server that is a program.
struct Process {
    // The group first: it is ended while its first program is still known.
    group: Group,
    child: Mutex<Child>,
    err: Tail,
    reading: Mutex<JoinSet<()>>,
}

impl Process {
    /// The end of what it said of its trouble.
    async fn last_words(&self) -> String {
        let mut reading = self.reading.lock().await;
        // When it is gone its last words are on their way; when it is not they need not be waited for.
        let _ = timeout(Duration::from_millis(MCP_LAST_WORDS_MS), reading.join_next()).await;
        last_words(&self.err.text())
    }
}

impl Link {
    /// Starts or calls a server.
    pub(super) async fn open(settings: &McpSettings, program: &Program, time: Duration) -> Result<Self, String> {
        match &settings.url {
            Some(url) => Self::call(settings, url, time).await,
            None => Self::start(program, time).await,
        }
    }

    async fn start(program: &Program, time: Duration) -> Result<Self, String> {
        let (mut child, group) = program.start().map_err(|error| error.to_string())?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the program has no pipes".to_owned());
        };
        let err = Tail::new(PROGRAM_ERR_BYTES_KEPT);
        let mut reading = JoinSet::new();
        reading.spawn(err.clone().read(child.stderr.take()));
        let process = Process { group, child: Mutex::new(child), err, reading: Mutex::new(reading) };
        let too_large = TooLarge::default();
        let stdout = Watched::new(stdout, MCP_MESSAGE_BYTES_MAX, Arc::clone(&too_large));
        let transport = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MCP_MESSAGE_BYTES_MAX);
        let changed = Arc::new(AtomicBool::new(false));
        let opened = timeout(time, Client(Arc::clone(&changed)).serve(transport)).await;
        match greeted(opened, time) {
            Ok(service) => Ok(Self::of(service, Some(process), changed, too_large)),
            Err(why) => Err(format!("{why}; its last words: {}", process.last_words().await)),
        }
    }

    async fn call(settings: &McpSettings, url: &str, time: Duration) -> Result<Self, String> {
        let address = reqwest::Url::parse(url).map_err(|error| format!("it has no address: {error}"))?;
        let too_large = TooLarge::default();
        let client = Bounded::new(&address, Arc::clone(&too_large))?;
        let mut config = StreamableHttpClientTransportConfig::with_uri(url);
        let headers = settings.headers.iter().map(|(name, value)| header(name, value));
        config = config.custom_headers(headers.collect::<Result<_, _>>()?).control_request_timeout(time);
        if let Some(name) = &settings.key_env {
            let key = std::env::var(name).map_err(|_| format!("the variable {name} with its key is not set"))?;
            config = config.auth_header(key);
        }
        let changed = Arc::new(AtomicBool::new(false));
        let transport = StreamableHttpClientTransport::with_client(client, config);
        let opened = timeout(time, Client(Arc::clone(&changed)).serve(transport)).await;
        Ok(Self::of(greeted(opened, time)?, None, changed, too_large))
    }

    fn of(
        service: RunningService<RoleClient, Client>,
        process: Option<Process>,
        changed: Arc<AtomicBool>,
        too_large: TooLarge,
    ) -> Self {
        let peer = service.peer().clone();
        Self { service: Mutex::new(service), peer, process, changed, too_large }
    }

    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        &self.peer
    }

    pub(super) fn is_open(&self) -> bool {
        !self.peer.is_transport_closed()
    }

    /// Whether the server said that its tools are others now. Asked once, it is forgotten.
    pub(super) fn has_changed(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }

    /// Whether what could not be sent did not arrive. A pipe that is closed takes nothing; a network may have.
    pub(super) fn is_pipe(&self) -> bool {
        self.process.is_some()
    }

    /// The end of what the server said of its trouble, when it is a program.
    pub(super) async fn last_words(&self) -> Option<String> {
        match &self.process {
            Some(process) => Some(process.last_words().await),
            None => None,
        }
    }

    /// Lets a server end by itself: its input is closed, then it is told, then it is ended.
    pub(super) async fn close(&self, grace: Duration) {
        let _ = self.service.lock().await.close_with_timeout(grace).await;
        let Some(process) = &self.process else { return };
        let mut child = process.child.lock().await;
        if timeout(grace, child.wait()).await.is_err() {
            process.group.terminate();
            let _ = timeout(grace, child.wait()).await;
        }
        process.group.kill();
        let _ = timeout(grace, child.wait()).await;
    }
}

type Opened = Result<RunningService<RoleClient, Client>, ClientInitializeError>;

fn greeted(
    opened: Result<Opened, tokio::time::error::Elapsed>,
    time: Duration,
) -> Result<RunningService<RoleClient, Client>, String> {
    match opened {
        Ok(Ok(service)) => Ok(service),
        Ok(Err(ClientInitializeError::ConnectionClosed(_))) => Err("it ended before it greeted".to_owned()),
        Ok(Err(error)) if error.is_authorization_required() => {
            Err(format!("it wants a key, or another one (see `key_env` and `headers`): {}", of_greeting(&error)))
        }
        Ok(Err(error)) => Err(of_greeting(&error)),
        Err(_) => Err(format!("it did not greet within {} ms", time.as_millis())),
    }
}

/// What went wrong with a greeting, without the names of types that its error holds.
fn of_greeting(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => in_words(error.error.as_ref()),
        error => in_words(error),
    }
}

/// What went wrong with a call, the same way.
pub(super) fn of_call(error: &ServiceError) -> String {
    match error {
        ServiceError::TransportSend(error) => in_words(error.error.as_ref()),
        error => in_words(error),
    }
}

/// An error with what is behind it, in bounds.
pub(super) fn in_words(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut behind = error.source();
    while let Some(error) = behind {
        let more = error.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        behind = error.source();
    }
    beginning(&words, MCP_ERROR_BYTES_SHOWN).to_owned()
}
