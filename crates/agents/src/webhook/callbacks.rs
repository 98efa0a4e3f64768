//! Where services call back: a small server that takes the answer to one piece of work at a time, and says that it has it
//! only when it is on disk.

use super::{
    pushes::{self, Listening, Pushes},
    signature::{SIGNATURE, Secret, TIMESTAMP},
};
use axum::{
    Router,
    body::to_bytes,
    extract::{Path, Request, State},
    http::{HeaderMap, StatusCode},
    routing::post,
};
use handover_core::{
    ids::HandoffId,
    limits::{CALLBACK_MS, COMMAND_OUTPUT_BYTES_MAX},
    time::Timestamp,
};
use handover_engine::clock::Clock;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::{
    net::TcpListener,
    sync::{mpsc, oneshot},
    task::JoinHandle,
};
use uuid::Uuid;

/// Where callbacks are taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallbackSettings {
    /// The address to listen at, such as `127.0.0.1:7802`. A server takes callbacks at its own address, and needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listen: Option<SocketAddr>,
    /// How services reach it, such as `https://example.org/handover`; the address itself when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// An answer that came.
pub(super) struct Called {
    pub(super) body: String,
    kept: oneshot::Sender<()>,
}

impl Called {
    /// The answer is on disk.
    pub(super) fn confirm(self) {
        // Whoever called may have gone; it is on disk all the same.
        let _ = self.kept.send(());
    }
}

struct Expected {
    secret: Secret,
    answers: mpsc::Sender<Called>,
}

pub(super) struct Open {
    expected: Mutex<HashMap<HandoffId, Expected>>,
    pub(super) pushes: Pushes,
    clock: Arc<dyn Clock>,
    /// Until then work may be taken up whose answer comes already.
    settled_at: Timestamp,
}

/// Takes callbacks for as long as it lives.
pub struct Callbacks {
    open: Arc<Open>,
    base: String,
    /// Whoever listens, where it does so by itself.
    server: Option<JoinHandle<()>>,
}

impl Drop for Callbacks {
    fn drop(&mut self) {
        if let Some(server) = &self.server {
            server.abort();
        }
    }
}

/// A place for one answer. Given up when it is dropped.
pub(super) struct Waiting {
    open: Weak<Open>,
    id: HandoffId,
    answers: mpsc::Receiver<Called>,
    mine: mpsc::Sender<Called>,
}

impl Waiting {
    /// The answer, when it comes.
    pub(super) async fn called(&mut self) -> Option<Called> {
        self.answers.recv().await
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(open) = self.open.upgrade() {
            let mut expected = open.expected.lock();
            // Whoever has the work by now waits for itself.
            if expected.get(&self.id).is_some_and(|found| found.answers.same_channel(&self.mine)) {
                expected.remove(&self.id);
            }
        }
    }
}

impl Callbacks {
    /// Listens by itself where an address is given. Where none is, whoever serves mounts it at `url`.
    ///
    /// # Errors
    /// When the address is taken or cannot be listened at, or neither an address nor an `url` is given.
    pub async fn listen(settings: &CallbackSettings, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let listener = match settings.listen {
            Some(address) => Some(TcpListener::bind(address).await?),
            None => None,
        };
        let base = match (&settings.url, &listener) {
            (Some(url), _) => url.trim_end_matches('/').to_owned(),
            (None, Some(listener)) => format!("http://{}", listener.local_addr()?),
            (None, None) => {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "neither `listen` nor `url` is set"));
            }
        };
        let settled_at = clock.now() + CALLBACK_MS;
        let open = Arc::new(Open { expected: Mutex::default(), pushes: Pushes::default(), clock, settled_at });
        let router = routes(&open);
        let server = listener.map(|listener| {
            tokio::spawn(async move {
                // It ends with the process, or when nobody needs it any more.
                let _ = axum::serve(listener, router).await;
            })
        });
        Ok(Self { open, base, server })
    }

    /// Whether it listens by itself.
    #[must_use]
    pub fn listens(&self) -> bool {
        self.server.is_some()
    }

    /// The same place, for a server that stands beside: whatever it takes there comes here.
    pub(crate) fn router(&self) -> Router {
        routes(&self.open)
    }

    /// Where the answer to this handoff is taken.
    #[must_use]
    pub fn url_for(&self, id: HandoffId) -> String {
        format!("{}/callback/{id}", self.base)
    }

    /// A place for what is new of a task that a remote agent has for this handoff.
    pub(crate) fn listen_to(&self, id: HandoffId) -> Listening {
        Listening::new(&self.open, id, format!("{}/a2a", self.url_for(id)))
    }

    pub(super) fn expect(&self, id: HandoffId, secret: Secret) -> Waiting {
        let (sender, answers) = mpsc::channel(1);
        self.open.expected.lock().insert(id, Expected { secret, answers: sender.clone() });
        Waiting { open: Arc::downgrade(&self.open), id, answers, mine: sender }
    }
}

fn routes(open: &Arc<Open>) -> Router {
    let router = Router::new().route("/callback/{id}", post(take)).route("/callback/{id}/a2a", post(pushes::take));
    router.with_state(open.clone())
}

pub(super) type Said = (StatusCode, String);

/// Takes one answer.
async fn take(State(open): State<Arc<Open>>, Path(id): Path<String>, headers: HeaderMap, request: Request) -> Said {
    let taken = tokio::time::timeout(Duration::from_millis(CALLBACK_MS), taken(&open, &id, &headers, request)).await;
    taken.unwrap_or_else(|_| (StatusCode::SERVICE_UNAVAILABLE, "it took too long; call again\n".into()))
}

async fn taken(open: &Open, id: &str, headers: &HeaderMap, request: Request) -> Said {
    let Ok(id) = id.parse::<Uuid>().map(HandoffId) else {
        return (StatusCode::NOT_FOUND, "this is no handoff\n".to_owned());
    };
    let found = open.expected.lock().get(&id).map(|expected| (expected.secret.clone(), expected.answers.clone()));
    let Some((secret, answers)) = found else { return unknown(open, id) };
    let word = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    // Before anything is read: whoever signs nothing needs no room.
    if let Some(name) = [SIGNATURE, TIMESTAMP].into_iter().find(|name| word(name).is_none()) {
        return (StatusCode::UNAUTHORIZED, format!("the header `{name}` is missing\n"));
    }
    let limit = usize::try_from(COMMAND_OUTPUT_BYTES_MAX).unwrap_or(usize::MAX);
    let Ok(body) = to_bytes(request.into_body(), limit).await else {
        return (StatusCode::PAYLOAD_TOO_LARGE, format!("at most {limit} bytes are taken\n"));
    };
    if let Some(why) = secret.trouble(open.clock.now(), id, &body, word(TIMESTAMP), word(SIGNATURE)) {
        return (StatusCode::UNAUTHORIZED, format!("{why}\n"));
    }
    let Ok(body) = String::from_utf8(body.to_vec()) else {
        return (StatusCode::BAD_REQUEST, "the body is no text\n".into());
    };
    if let Err(why) = crate::assignment::read(&body) {
        return (StatusCode::BAD_REQUEST, format!("{why}\n"));
    }
    let (kept, on_disk) = oneshot::channel();
    if answers.try_send(Called { body, kept }).is_err() {
        return (StatusCode::CONFLICT, "an answer has come already\n".into());
    }
    match on_disk.await {
        Ok(()) => (StatusCode::OK, "taken\n".into()),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "it could not be kept; call again\n".into()),
    }
}

/// Nobody waits for this answer. Soon after a start that may be because the work is not taken up yet.
pub(super) fn unknown(open: &Open, id: HandoffId) -> Said {
    if open.clock.now() < open.settled_at {
        return (StatusCode::SERVICE_UNAVAILABLE, "work is being taken up; call again\n".to_owned());
    }
    (StatusCode::NOT_FOUND, format!("nobody waits for an answer to {id}\n"))
}
