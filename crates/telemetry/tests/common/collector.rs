//! A collector that answers as a test says, and keeps what it was sent.

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::IntoResponse,
};
use parking_lot::Mutex;
use serde_json::Value;
use std::{collections::VecDeque, sync::Arc, time::Duration};

/// A message that came.
#[derive(Debug, Clone)]
pub struct Message {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
    pub answered: u16,
}

#[derive(Default)]
struct Inner {
    answers: Mutex<VecDeque<u16>>,
    came: Mutex<Vec<Message>>,
}

/// A collector on a port of its own.
pub struct Collector {
    inner: Arc<Inner>,
    pub address: String,
}

impl Collector {
    /// Answers messages with traces so, one after the other, and all further ones with 200.
    pub async fn answering(answers: impl IntoIterator<Item = u16>) -> Self {
        let inner = Arc::new(Inner { answers: Mutex::new(answers.into_iter().collect()), came: Mutex::default() });
        let app = Router::new().fallback(take).with_state(inner.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { inner, address }
    }

    /// The messages to one path.
    pub fn messages(&self, path: &str) -> Vec<Message> {
        self.inner.came.lock().iter().filter(|message| message.path == path).cloned().collect()
    }

    /// The names of all spans that it took.
    pub fn names(&self) -> Vec<String> {
        let taken = self.messages("/v1/traces").into_iter().filter(|message| message.answered == 200);
        let spans = taken
            .flat_map(|message| message.body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone());
        spans.map(|span| span["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Moves the clock until so many messages came to a path.
    pub async fn came(&self, clock: &handover_engine::clock::ManualClock, path: &str, count: usize) {
        let coming = async {
            while self.messages(path).len() < count {
                clock.advance(Duration::from_millis(100));
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), coming).await.unwrap();
    }
}

async fn take(State(inner): State<Arc<Inner>>, uri: Uri, headers: HeaderMap, body: String) -> impl IntoResponse {
    let path = uri.path().to_owned();
    let answered = if path == "/v1/traces" { inner.answers.lock().pop_front().unwrap_or(200) } else { 200 };
    let body = serde_json::from_str(&body).unwrap();
    inner.came.lock().push(Message { path, headers, body, answered });
    StatusCode::from_u16(answered).unwrap()
}
