//! A house with a dashboard, on a file of its own.

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Request, StatusCode, header},
};
use handover_core::access::{NewKey, Role};
use handover_dashboard::{Dashboard, Options};
use handover_engine::Engine;
use http_body_util::BodyExt as _;
use std::sync::Arc;
use tempfile::TempDir;
use tower::ServiceExt as _;

pub struct House {
    pub engine: Engine,
    pub router: Router,
    pub dashboard: Dashboard,
    #[expect(dead_code, reason = "the file lives as long as the house")]
    pub folder: Arc<TempDir>,
}

/// What came back.
pub struct Seen {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Seen {
    pub fn to(&self) -> &str {
        self.headers.get(header::LOCATION).map_or("", |value| value.to_str().unwrap())
    }

    /// What a form of this page carries.
    pub fn word(&self) -> String {
        let (_, rest) = self.text.split_once("name=\"word\" value=\"").expect("a form");
        rest.split('"').next().unwrap().to_owned()
    }

    /// What the form for this address carries besides what somebody fills in.
    pub fn hidden(&self, action: &str) -> Vec<(String, String)> {
        let (_, rest) = self.text.split_once(&format!("action=\"{action}\"")).expect("a form");
        let form = rest.split("</form>").next().unwrap();
        let mut all = Vec::new();
        for input in form.split("<input type=\"hidden\" ").skip(1) {
            let mut quoted = input.split('"');
            let (name, value) = (quoted.nth(1).unwrap(), quoted.nth(1).unwrap());
            all.push((name.to_owned(), value.to_owned()));
        }
        all
    }

    pub fn shows(&self, text: &str) -> &Self {
        assert!(self.text.contains(text), "{text:?} is not in:\n{}", self.text);
        self
    }

    pub fn hides(&self, text: &str) -> &Self {
        assert!(!self.text.contains(text), "{text:?} is in:\n{}", self.text);
        self
    }
}

/// Somebody with a browser.
#[derive(Clone, Default)]
pub struct Browser {
    pub cookie: String,
    pub open: Option<Engine>,
    pub counts: Option<handover_engine::Turnstile>,
}

impl House {
    pub async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::open(folder.path().join("house.db")).await.unwrap();
        let dashboard = Dashboard::open(engine.clone(), Options::default()).await.unwrap();
        let router = dashboard.router();
        Self { engine, router, dashboard, folder: Arc::new(folder) }
    }

    /// A browser in an open house: whoever mounts the pages says who asks.
    pub fn local(&self) -> Browser {
        Browser { open: Some(self.engine.clone()), ..Browser::default() }
    }

    pub async fn key(&self, role: Role) -> String {
        let new = NewKey::of(role.word(), role);
        self.engine.make_key(new).await.unwrap().1
    }

    /// A browser that signed in with a new key of this role.
    pub async fn signed_in(&self, role: Role) -> Browser {
        let key = self.key(role).await;
        self.with_key(&key).await
    }

    /// A browser that signed in with this key.
    pub async fn with_key(&self, key: &str) -> Browser {
        let seen = self.post(&Browser::default(), "/sign-in", &[("key", key)]).await;
        assert_eq!(seen.status, StatusCode::SEE_OTHER, "{}", seen.text);
        Browser { cookie: cookie_of(&seen), ..Browser::default() }
    }

    pub async fn get(&self, browser: &Browser, path: &str) -> Seen {
        self.send(browser, Request::get(path).body(Body::empty()).unwrap()).await
    }

    /// Sends a form, exactly these fields.
    pub async fn post(&self, browser: &Browser, path: &str, fields: &[(&str, &str)]) -> Seen {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = Request::post(path).header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.send(browser, request.body(Body::from(body)).unwrap()).await
    }

    /// Sends a form of this page.
    pub async fn act(&self, browser: &Browser, page: &str, path: &str, fields: &[(&str, &str)]) -> Seen {
        let word = self.get(browser, page).await.word();
        let mut all = vec![("word", word.as_str())];
        all.extend_from_slice(fields);
        self.post(browser, path, &all).await
    }

    async fn send(&self, browser: &Browser, mut request: Request<Body>) -> Seen {
        if !browser.cookie.is_empty() {
            request.headers_mut().insert(header::COOKIE, browser.cookie.parse().unwrap());
        }
        if let Some(engine) = &browser.open {
            request.extensions_mut().insert(engine.clone());
        }
        if let Some(counts) = &browser.counts {
            request.extensions_mut().insert(counts.clone());
        }
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = answer.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        has_plain_paragraphs(&text);
        Seen { status: parts.status, headers: parts.headers, text }
    }
}

pub fn cookie_of(seen: &Seen) -> String {
    let text = seen.headers.get(header::SET_COOKIE).expect("a cookie").to_str().unwrap();
    text.split(';').next().unwrap().to_owned()
}

/// A paragraph ends where a block begins, whatever the page meant: what follows would stand outside of it.
fn has_plain_paragraphs(page: &str) {
    for (at, _) in page.match_indices("<p") {
        let rest = &page[at + 2..];
        if !rest.starts_with(['>', ' ']) {
            continue;
        }
        let inside = rest.split("</p>").next().unwrap_or_default();
        for block in ["<details", "<pre", "<div", "<ul", "<ol", "<table", "<p>", "<p "] {
            assert!(!inside.contains(block), "{block} stands in a paragraph: <p{inside}");
        }
    }
}
