//! Who asks: the key of a request, what it may do, and how often.

use crate::{
    problem::Problem,
    rate::{Rates, Standing},
    table::Entry,
};
use axum::http::{HeaderMap, header};
use handover_core::{
    access::{KeyId, KeyInfo, id_of},
    command::Caller,
    limits::{BAD_KEY_ADDRESSES_MAX, BAD_KEYS_PER_SECOND, CONNECTIONS_MAX, KEY_LOOK_MS},
    refusal::{Code, Refusal},
};
use handover_engine::{Denied, Engine, Turnstile};
use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::{Duration, Instant},
};

/// Which tenant a key of the house speaks for, where it says so.
const TENANT: &str = "handover-tenant";

/// Lets callers in.
#[derive(Clone)]
pub(crate) struct Gate {
    engine: Engine,
    /// Whether the server can be reached from other machines. Without keys nobody is let in then.
    beyond: bool,
    per_second: u32,
    rates: Arc<Rates<KeyId>>,
    bad: Arc<Rates<IpAddr>>,
}

/// Whoever was let in.
pub(crate) struct Entered {
    pub(crate) engine: Engine,
    pub(crate) caller: Caller,
    pub(crate) key: Option<Arc<KeyInfo>>,
    pub(crate) standing: Option<Standing>,
}

impl Gate {
    pub(crate) fn new(engine: Engine, beyond: bool, per_second: u32) -> Self {
        let (rates, bad) = (Arc::new(Rates::new(CONNECTIONS_MAX)), Arc::new(Rates::new(BAD_KEY_ADDRESSES_MAX)));
        Self { engine, beyond, per_second, rates, bad }
    }

    /// Whether it answers without keys: on this machine alone, as long as none was made.
    pub(crate) fn is_open(&self) -> bool {
        !self.beyond && !self.engine.was_keyed()
    }

    /// Until the key that somebody came with opens nothing any more. Looked at every `KEY_LOOK_MS`.
    pub(crate) async fn ends(&self, key: Option<&KeyId>) {
        loop {
            tokio::time::sleep(Duration::from_millis(KEY_LOOK_MS)).await;
            if !self.lets(key) {
                return;
            }
        }
    }

    /// Whether somebody who came with this key, or without one, may stay. Where the first key was made meanwhile, whoever
    /// came without one has to show one.
    pub(crate) fn lets(&self, key: Option<&KeyId>) -> bool {
        key.map_or_else(|| self.is_open(), |key| self.engine.key_opens(key))
    }

    /// Who asks.
    pub(crate) async fn enter(&self, headers: &HeaderMap, peer: SocketAddr) -> Result<Entered, Problem> {
        if self.is_open() {
            check_origin(headers)?;
            let caller = for_tenant(Caller::local(), headers)?;
            let engine = self.engine.for_caller(caller.clone());
            return Ok(Entered { engine, caller, key: None, standing: None });
        }
        let key = self.key(headers, peer).await?;
        let standing = self.count(&key);
        if standing.wait.is_some() {
            return Err(too_many(standing, &format!("the key \"{}\"", key.name)));
        }
        let caller = for_tenant(key.caller(), headers)?;
        let engine = self.engine.for_caller(caller.clone());
        Ok(Entered { engine, caller, key: Some(key), standing: Some(standing) })
    }

    /// Counts a request of this key. Of several processes on one store each grants its share, so that all of them together
    /// grant no more than the key may have.
    fn count(&self, key: &KeyInfo) -> Standing {
        self.rates.take(&key.id, key.per_second.unwrap_or(self.per_second), self.sharers(), Instant::now())
    }

    /// Counts a key that is not valid.
    fn count_bad(&self, peer: SocketAddr) -> Standing {
        self.bad.take(&network(peer.ip()), BAD_KEYS_PER_SECOND, self.sharers(), Instant::now())
    }

    fn sharers(&self) -> u32 {
        u32::try_from(self.engine.serving_nodes()).unwrap_or(u32::MAX)
    }

    /// Counts for a mount that finds keys by itself, as here.
    pub(crate) fn turnstile(&self, peer: SocketAddr) -> Turnstile {
        let (gate, other) = (self.clone(), self.clone());
        let pass = move |key: &KeyInfo| gate.count(key).wait;
        let miss = move || other.count_bad(peer).wait;
        Turnstile::new(pass, miss)
    }

    async fn key(&self, headers: &HeaderMap, peer: SocketAddr) -> Result<Arc<KeyInfo>, Problem> {
        let Some(token) = token(headers) else { return Err(unknown("no key was sent")) };
        if let Ok(key) = self.engine.key_of(token) {
            return Ok(key);
        }
        // Only those who guess are slowed down: others may come from the same address.
        let tried = self.count_bad(peer);
        if tried.wait.is_some() {
            return Err(too_many(tried, "this address, with keys that are not valid,"));
        }
        // It may have been made at another node a moment ago.
        if self.engine.is_shared() && id_of(token).is_some() {
            self.engine.catch_up().await?;
        }
        self.engine.key_of(token).map_err(|_| unknown("the key is not valid"))
    }
}

/// Whether whoever was let in may use a route.
pub(crate) fn may(entered: &Entered, entry: Entry) -> Result<(), Problem> {
    match entry {
        Entry::Anybody => Ok(()),
        Entry::With(right) => Ok(entered.caller.may(right)?),
    }
}

impl Gate {
    /// Writes down that somebody was not let in, or may not do what they asked for. Nobody waits for that.
    pub(crate) fn note(&self, problem: &Problem, headers: &HeaderMap, tenant: Option<String>, what: String) {
        let why = handover_core::refusal::Code::ALL.iter().find(|code| code.text() == problem.code);
        let (Some(why), true) = (why, matches!(problem.status, 401 | 403)) else { return };
        // A key is named where its secret was shown, and by nobody who made one up.
        let key = token(headers).and_then(|token| id_of(token).filter(|_| self.engine.key_of(token).is_ok()));
        let denied = Denied { key, tenant, what, why: *why };
        let engine = self.engine.clone();
        // The store says so itself when it cannot write.
        tokio::spawn(async move { drop(engine.note_denial(denied).await) });
    }
}

/// The address, or the part of it that one household has: nobody counts all the others of theirs.
fn network(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(_) => ip,
        IpAddr::V6(ip) => {
            let [a, b, c, d, ..] = ip.segments();
            IpAddr::V6([a, b, c, d, 0, 0, 0, 0].into())
        }
    }
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = text.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

fn unknown(message: &str) -> Problem {
    Refusal::new(Code::BadKey, message).hint("send a header `authorization: Bearer ho_…`").into()
}

pub(crate) fn too_many(standing: Standing, who: &str) -> Problem {
    let seconds = standing.wait.unwrap_or_default().as_secs_f64();
    let shared = if standing.sharers > 1 { format!(", shared by {} nodes", standing.sharers) } else { String::new() };
    let message = format!("{who} may make {} requests per second{shared}; wait {seconds:.2} s", standing.limit);
    let details = serde_json::json!({ "per_second": standing.limit, "retry_after_s": seconds });
    Refusal::new(Code::RateLimited, message).details(details).into()
}

/// A caller of the house speaks for the tenant that it names.
fn for_tenant(mut caller: Caller, headers: &HeaderMap) -> Result<Caller, Problem> {
    let Some(value) = headers.get(TENANT) else { return Ok(caller) };
    let named = value.to_str().unwrap_or_default();
    if named == caller.tenant {
        return Ok(caller);
    }
    if !caller.house {
        let message = "a key of one tenant speaks for no other";
        return Err(Refusal::new(Code::NotAllowed, message).at("Handover-Tenant").into());
    }
    let fits = handover_core::ids::AgentId::new(named).is_ok() && !named.starts_with("handover:");
    if !fits {
        return Err(Refusal::new(Code::BadHeader, "it is not the name of a tenant").at("Handover-Tenant").into());
    }
    caller.tenant = named.to_owned();
    Ok(caller)
}

/// A page from elsewhere can make a browser of this machine ask: without keys it is told apart by where it comes from.
fn check_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text(header::HOST);
    if let Some(host) = host.filter(|host| !is_here(host)) {
        return Err(strange(format!("the request is for \"{}\"", tame(host))));
    }
    check_same_origin(headers)
}

/// A page of another house has no business here, with a key or without.
pub(crate) fn check_same_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let Some(origin) = text(header::ORIGIN) else { return Ok(()) };
    let bare = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    if text(header::HOST) == Some(bare) {
        return Ok(());
    }
    Err(strange(format!("the request comes from \"{}\"", tame(origin))))
}

fn strange(message: String) -> Problem {
    Refusal::new(Code::StrangeOrigin, message).into()
}

fn tame(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(80).collect()
}

/// Whether a host is this machine's own name for itself.
fn is_here(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
