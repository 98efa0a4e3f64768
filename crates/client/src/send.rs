//! One request with all its tries, bounded in time and in size.

use crate::error::{self, Error};
use handover_core::limits::{
    CLIENT_ANSWER_BYTES_MAX, CLIENT_ANSWER_MS, CLIENT_CONNECT_MS, CLIENT_IDLE_MS, CLIENT_RETRY_AFTER_MS_MAX,
    CLIENT_TRIES_MAX, CLIENT_WAIT_MS, CLIENT_WAIT_MS_MAX,
};
use reqwest::{
    Method, Response, StatusCode, Url,
    header::{self, HeaderMap, HeaderValue},
    redirect,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    fmt,
    sync::{
        Arc, Once,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use uuid::Uuid;

/// A client of one server, or of several that serve the same store. Cheap to clone: all clones share their connections.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    /// The addresses, at least one.
    bases: Arc<[Url]>,
    /// The one that answered last, counted on for each that did not.
    at: Arc<AtomicUsize>,
    tries: u32,
}

impl fmt::Debug for Client {
    /// Without the key: it is in no text that anybody may write down.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("url", &self.url()).finish_non_exhaustive()
    }
}

/// What is asked.
pub(crate) struct Asked {
    method: Method,
    path: Vec<String>,
    query: Vec<(&'static str, String)>,
    body: Option<Value>,
    key: Option<String>,
    /// How long the server is asked to wait.
    pub(crate) wait: Duration,
}

impl Asked {
    pub(crate) fn get<const N: usize>(path: [&str; N]) -> Self {
        Self::new(Method::GET, path)
    }

    /// A write, with a key of its own: repeated, it is done once.
    pub(crate) fn write<const N: usize>(method: Method, path: [&str; N], body: &impl Serialize) -> Self {
        let mut asked = Self::new(method, path);
        // What is written are our own types: they can all be.
        asked.body = Some(serde_json::to_value(body).unwrap_or_default());
        asked.key = Some(Uuid::new_v4().simple().to_string());
        asked
    }

    pub(crate) fn post<const N: usize>(path: [&str; N], body: &impl Serialize) -> Self {
        Self::write(Method::POST, path, body)
    }

    fn new<const N: usize>(method: Method, path: [&str; N]) -> Self {
        let path = path.into_iter().map(str::to_owned).collect();
        Self { method, path, query: Vec::new(), body: None, key: None, wait: Duration::ZERO }
    }

    pub(crate) fn query(mut self, name: &'static str, value: &impl ToString) -> Self {
        self.query.push((name, value.to_string()));
        self
    }

    pub(crate) fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// With the caller's own key in the place of a new one.
    pub(crate) fn key(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }
}

impl Client {
    /// A client of the server at this address, such as `https://example.org:7800`. Of several servers of one store the
    /// addresses are given with commas between them: where one is in trouble, the next one is asked, with the same
    /// idempotency key. The key is sent with every request, and never shown.
    ///
    /// # Errors
    /// When the address or the key cannot be one.
    pub fn new(url: &str, key: Option<&str>) -> Result<Self, Error> {
        let bases = url.split(',').map(|url| address(url.trim())).collect::<Result<Vec<Url>, Error>>()?;
        if key.is_some() && bases.iter().any(|base| base.scheme() == "http" && !is_here(base)) {
            let why = "a key would travel in the clear; use https://".to_owned();
            return Err(Error::Address(why));
        }
        let mut headers = HeaderMap::new();
        if let Some(key) = key {
            let bad = |_| Error::Address("the key has signs that cannot be sent".to_owned());
            let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(bad)?;
            value.set_sensitive(true);
            headers.insert(header::AUTHORIZATION, value);
        }
        provider();
        let http = reqwest::Client::builder()
            .default_headers(headers)
            // The key is for this server and for nobody else.
            .redirect(redirect::Policy::none())
            .connect_timeout(Duration::from_millis(CLIENT_CONNECT_MS))
            // Before the server hangs up by itself.
            .pool_idle_timeout(Duration::from_millis(CLIENT_IDLE_MS))
            .build()
            .map_err(|error| error::of_way(&error))?;
        Ok(Self { http, bases: bases.into(), at: Arc::default(), tries: CLIENT_TRIES_MAX })
    }

    /// The same client, which sends a request at most so many times. At least once, and at most `CLIENT_TRIES_MAX`.
    #[must_use]
    pub fn tries(mut self, tries: u32) -> Self {
        self.tries = tries.clamp(1, CLIENT_TRIES_MAX);
        self
    }

    /// The address of the server that is asked next.
    #[must_use]
    pub fn url(&self) -> &str {
        self.base().as_str()
    }

    fn base(&self) -> &Url {
        // A text without a comma is one piece: there is at least one.
        &self.bases[self.at.load(Ordering::SeqCst) % self.bases.len()]
    }

    /// Asks somebody else from now on, unless another request has found out already. Whether all were asked in vain.
    pub(crate) fn move_on(&self, asked: usize) -> bool {
        let next = asked.wrapping_add(1);
        let _ = self.at.compare_exchange(asked, next, Ordering::SeqCst, Ordering::SeqCst);
        next.is_multiple_of(self.bases.len())
    }

    /// Who is asked now, for [`Client::move_on`].
    pub(crate) fn turn(&self) -> usize {
        self.at.load(Ordering::SeqCst)
    }

    /// Asks and reads the answer; nothing where there is none.
    pub(crate) async fn ask<T: DeserializeOwned>(&self, asked: &Asked) -> Result<Option<T>, Error> {
        let mut wait_ms = CLIENT_WAIT_MS;
        let mut tries = 1;
        loop {
            let turn = self.turn();
            let (error, after) = match self.once(asked).await {
                Ok((StatusCode::NO_CONTENT, _)) => return Ok(None),
                Ok((status, body)) => return read(status, &body).map(Some),
                Err(tried) => tried,
            };
            let too_long = after.is_some_and(|after| after > CLIENT_RETRY_AFTER_MS_MAX);
            if tries >= self.tries || too_long || !error.is_passing() {
                return Err(error);
            }
            tries += 1;
            if self.move_on(turn) {
                tokio::time::sleep(Duration::from_millis(after.unwrap_or(wait_ms))).await;
                wait_ms = wait_ms.saturating_mul(2).min(CLIENT_WAIT_MS_MAX);
            }
        }
    }

    /// The same, where there always is an answer.
    pub(crate) async fn answer<T: DeserializeOwned>(&self, asked: &Asked) -> Result<T, Error> {
        let strange = || Error::Strange { status: 204, text: String::new() };
        self.ask(asked).await?.ok_or_else(strange)
    }

    async fn once(&self, asked: &Asked) -> Result<(StatusCode, Vec<u8>), (Error, Option<u64>)> {
        let within = asked.wait + Duration::from_millis(CLIENT_ANSWER_MS);
        let sent = self.prepared(asked).timeout(within).send().await;
        let response = sent.map_err(|error| (error::of_way(&error), None))?;
        let (status, after) = (response.status(), retry_after(response.headers()));
        let body = body(response).await.map_err(|error| (error, None))?;
        if status.is_success() { Ok((status, body)) } else { Err((error::of_answer(status, &body), after)) }
    }

    /// The request as it is sent, without a bound in time.
    pub(crate) fn prepared(&self, asked: &Asked) -> reqwest::RequestBuilder {
        let mut url = self.base().clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(&asked.path);
        }
        if !asked.query.is_empty() {
            url.query_pairs_mut().extend_pairs(asked.query.iter().map(|(name, value)| (*name, value)));
        }
        let mut request = self.http.request(asked.method.clone(), url);
        if let Some(key) = &asked.key {
            request = request.header("idempotency-key", key);
        }
        match &asked.body {
            Some(body) => request.header(header::CONTENT_TYPE, "application/json").body(body.to_string()),
            None => request,
        }
    }
}

fn read<T: DeserializeOwned>(status: StatusCode, body: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(body).map_err(|error| {
        let text = format!("{error}: {}", error::shown(body));
        Error::Strange { status: status.as_u16(), text }
    })
}

/// The body of an answer, not longer than it may be.
pub(crate) async fn body(mut response: Response) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| error::of_way(&error))? {
        if body.len() + piece.len() > CLIENT_ANSWER_BYTES_MAX {
            return Err(Error::TooLarge { max: CLIENT_ANSWER_BYTES_MAX, name: "CLIENT_ANSWER_BYTES_MAX" });
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// How long the server asks to wait, in milliseconds.
fn retry_after(headers: &HeaderMap) -> Option<u64> {
    let seconds: u64 = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(seconds.saturating_mul(1_000))
}

/// The address of a server. What is said of a wrong one shows nothing of it but its form: it may hold a password.
fn address(text: &str) -> Result<Url, Error> {
    let wrong = |why: String| Error::Address(format!("this is no address of a server: {why}"));
    let url = Url::parse(text).map_err(|error| wrong(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("it begins with neither http:// nor https://".to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("it holds a name or a password; a key is given apart".to_owned()));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("it ends with ? or #".to_owned()));
    }
    Ok(url)
}

/// Whether an address is this machine's own.
fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Makes `ring` what encrypted connections are made with, unless this process has chosen already.
fn provider() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_of_a_server() {
        for (text, fits) in [
            ("http://127.0.0.1:7800", true),
            ("https://example.org/handover/", true),
            ("127.0.0.1:7800", false),
            ("ftp://example.org", false),
            ("http://ann:secret@example.org", false),
            ("http://example.org?a=1", false),
            ("", false),
            ("http://127.0.0.1:1,http://127.0.0.1:2", true),
            ("http://127.0.0.1:1,", false),
        ] {
            let said = Client::new(text, None).map(|_| ()).map_err(|error| error.to_string());
            assert_eq!(said.is_ok(), fits, "{text}: {said:?}");
            assert!(!format!("{said:?}").contains("secret"));
        }
        assert!(Client::new("http://127.0.0.1:1", Some("a\nb")).is_err());
    }

    #[test]
    fn of_several_the_next_one_is_asked_once_one_is_in_trouble() {
        let client = Client::new("http://127.0.0.1:1, http://127.0.0.1:2", None).unwrap();
        let turn = client.turn();
        assert!(!client.move_on(turn), "there is one more to ask");
        assert!(!client.clone().move_on(turn), "whoever was in trouble with the same one changes nothing");
        assert_eq!(client.url(), "http://127.0.0.1:2/");
        assert!(client.move_on(client.turn()), "all were asked");
        assert_eq!(client.url(), "http://127.0.0.1:1/");
    }

    #[test]
    fn names_in_a_path_stay_names() {
        let client = Client::new("http://127.0.0.1:7800/under/", Some("ho_secret")).unwrap();
        let asked = Asked::get(["v1", "sessions", "a/b?c", "handoffs"]).query("limit", &3);
        let request = client.prepared(&asked).build().unwrap();
        assert_eq!(request.url().as_str(), "http://127.0.0.1:7800/under/v1/sessions/a%2Fb%3Fc/handoffs?limit=3");
        assert!(!format!("{client:?}{:?}", request.headers()).contains("ho_secret"));
    }
}
