//! Pushes of remote agents: somebody says that something is new of a task. Whoever follows the task looks for itself then, so a
//! push is a bell and nothing more: what it says is believed by nobody.

use super::callbacks::{Open, Said, unknown};
use axum::{
    body::to_bytes,
    extract::{Path, Request, State},
    http::{HeaderMap, StatusCode, header},
};
use handover_core::{
    a2a::PUSH_TOKEN,
    digest::Digest,
    ids::HandoffId,
    limits::{CALLBACK_MS, REMOTE_PUSH_BYTES_MAX, REMOTE_PUSHES_MAX},
};
use parking_lot::Mutex;
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::sync::Notify;
use uuid::Uuid;

/// Who waits for pushes.
#[derive(Default)]
pub(super) struct Pushes(Mutex<HashMap<HandoffId, Arc<Bell>>>);

struct Bell {
    token: Digest,
    /// The task, once it is known.
    task: Mutex<Option<String>>,
    /// What came already.
    came: Mutex<HashSet<Digest>>,
    rings: Notify,
}

/// A place for pushes. Given up when it is dropped.
pub(crate) struct Listening {
    open: Weak<Open>,
    id: HandoffId,
    bell: Arc<Bell>,
    /// Where pushes are taken.
    pub(crate) url: String,
    /// What they must show. It is for this run alone.
    pub(crate) token: String,
}

impl Listening {
    pub(super) fn new(open: &Arc<Open>, id: HandoffId, url: String) -> Self {
        let token = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        let bell = Arc::new(Bell {
            token: Digest::of(token.as_bytes()),
            task: Mutex::default(),
            came: Mutex::default(),
            rings: Notify::new(),
        });
        open.pushes.0.lock().insert(id, bell.clone());
        Self { open: Arc::downgrade(open), id, bell, url, token }
    }

    /// From now on this task is meant.
    pub(crate) fn of_task(&self, task: &str) {
        *self.bell.task.lock() = Some(task.to_owned());
    }

    /// Until something is new.
    pub(crate) async fn rang(&self) {
        self.bell.rings.notified().await;
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(open) = self.open.upgrade() {
            let mut pushes = open.pushes.0.lock();
            // Whoever has the work by now waits for itself.
            if pushes.get(&self.id).is_some_and(|bell| Arc::ptr_eq(bell, &self.bell)) {
                pushes.remove(&self.id);
            }
        }
    }
}

/// Takes one push.
pub(super) async fn take(
    State(open): State<Arc<Open>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    request: Request,
) -> Said {
    let taken = tokio::time::timeout(Duration::from_millis(CALLBACK_MS), taken(&open, &id, &headers, request)).await;
    taken.unwrap_or_else(|_| (StatusCode::REQUEST_TIMEOUT, "it took too long; call again\n".into()))
}

async fn taken(open: &Open, id: &str, headers: &HeaderMap, request: Request) -> Said {
    let Ok(id) = id.parse::<Uuid>().map(HandoffId) else {
        return (StatusCode::NOT_FOUND, "this is no handoff\n".to_owned());
    };
    let found = open.pushes.0.lock().get(&id).cloned();
    let Some(bell) = found else { return unknown(open, id) };
    // Before anything is read: whoever shows nothing needs no room.
    if !tokens(headers).any(|token| Digest::of(token.as_bytes()).same_as(&bell.token)) {
        return (StatusCode::UNAUTHORIZED, "the token is missing or wrong\n".to_owned());
    }
    let Ok(body) = to_bytes(request.into_body(), REMOTE_PUSH_BYTES_MAX).await else {
        return (StatusCode::PAYLOAD_TOO_LARGE, format!("at most {REMOTE_PUSH_BYTES_MAX} bytes are taken\n"));
    };
    let Ok(said) = serde_json::from_slice::<Value>(&body) else {
        return (StatusCode::BAD_REQUEST, "the body is no JSON\n".to_owned());
    };
    match (bell.task.lock().as_deref(), task_of(&said)) {
        (None, _) => (StatusCode::SERVICE_UNAVAILABLE, "work is being taken up; call again\n".to_owned()),
        (Some(task), Some(told)) if task == told => rung(&bell, Digest::of(&body)),
        (Some(_), _) => (StatusCode::NOT_FOUND, "nobody waits for news of this task\n".to_owned()),
    }
}

/// The same push is taken again and changes nothing, as often as it comes.
fn rung(bell: &Bell, push: Digest) -> Said {
    let mut came = bell.came.lock();
    if came.contains(&push) {
        return (StatusCode::OK, "taken before\n".to_owned());
    }
    if came.len() >= REMOTE_PUSHES_MAX {
        let told = format!("at most {REMOTE_PUSHES_MAX} pushes are taken for one piece of work (REMOTE_PUSHES_MAX)\n");
        return (StatusCode::TOO_MANY_REQUESTS, told);
    }
    came.insert(push);
    bell.rings.notify_one();
    (StatusCode::OK, "taken\n".to_owned())
}

/// The tokens that a push shows: in the header of its own, or as whoever is let in by a key.
fn tokens(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let word = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let bearer = word(header::AUTHORIZATION.as_str()).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    word(PUSH_TOKEN).into_iter().chain(bearer)
}

/// The task that a push tells of, in the form of today or of version 0.3.
fn task_of(said: &Value) -> Option<&str> {
    let places = [
        &said["task"]["id"],
        &said["statusUpdate"]["taskId"],
        &said["artifactUpdate"]["taskId"],
        &said["message"]["taskId"],
        &said["taskId"],
        &said["id"],
    ];
    places.into_iter().find_map(Value::as_str)
}
