//! What happens, live: server-sent events that can be taken up again where they were left.

use crate::{ask::Ask, problem::Problem, reply::Reply};
use axum::{body::Body, http::header};
use bytes::Bytes;
use futures_util::{future::BoxFuture, stream};
use handover_core::{
    ids::{AgentId, SessionId},
    limits::{LISTENER_BEAT_MS, LISTENERS_MAX},
    refusal::{Code, HandoffError, Refusal},
};
use handover_engine::{BusMessage, Filter, Notice, Subscription};
use handover_telemetry::metrics::GoingOn;
use schemars::JsonSchema;
use serde::Deserialize;
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::sync::OwnedSemaphorePermit;

/// What a listener wants to hear. Everything that is given must fit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListenQuery {
    /// Only of this session.
    #[serde(default)]
    session: Option<SessionId>,
    /// Only what this agent sends or receives.
    #[serde(default)]
    agent: Option<AgentId>,
    /// Only these types, with commas between.
    #[serde(default)]
    types: Option<String>,
    /// After this position of the feed; from now on when left out. The header `Last-Event-ID` comes first.
    #[serde(default)]
    after: Option<u64>,
}

/// A listener.
struct Listener {
    feed: Subscription,
    /// Until it may not stay any longer. One for all events: on a busy line, too, the key is looked at.
    ends: BoxFuture<'static, ()>,
    over: bool,
    _place: OwnedSemaphorePermit,
    _counted: GoingOn,
}

pub(crate) async fn listen(ask: Ask) -> Result<Reply, Problem> {
    let query: ListenQuery = ask.query()?;
    if let Some(session) = &query.session {
        ask.engine.session(session).await?;
    }
    let after = last_event(&ask)?.or(query.after);
    let types = query.types.map(|text| text.split(',').map(|word| word.trim().to_owned()).collect());
    let filter = Filter { types: types.unwrap_or_default(), agent: query.agent, session: query.session };
    let place = ask.state.listeners.clone().try_acquire_owned().map_err(|_| {
        let message = format!("there are {LISTENERS_MAX} listeners already (LISTENERS_MAX)");
        Refusal::new(Code::Overloaded, message)
    })?;
    let feed = ask.engine.subscribe(filter, after);
    // Said at once, so that whoever listens knows that it is heard, and from where on.
    let hello = format!(": from {}\nretry: 1000\n\n", feed.position());
    let counted = ask.state.metrics.sse_listener();
    let listener = Listener { feed, ends: ask.ends(), over: false, _place: place, _counted: counted };
    let events = stream::unfold((Some(hello), listener), |(hello, mut listener)| async move {
        let text = match hello {
            Some(hello) => hello,
            None => listener.next().await?,
        };
        Some((Ok::<_, Infallible>(Bytes::from(text)), (None, listener)))
    });
    let reply = Reply::typed("text/event-stream", Body::from_stream(events));
    // Proxies must not gather what is to be heard at once.
    Ok(reply.header(header::HeaderName::from_static("x-accel-buffering"), "no"))
}

/// The last event that a listener heard before it came back.
fn last_event(ask: &Ask) -> Result<Option<u64>, Problem> {
    let Some(value) = ask.headers.get("last-event-id") else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    number.map(Some).ok_or_else(|| {
        let refusal = Refusal::new(Code::BadHeader, "it is not the id of an event of this feed");
        refusal.at("Last-Event-ID").into()
    })
}

impl Listener {
    /// The next text to send; nothing when it is over.
    async fn next(&mut self) -> Option<String> {
        if self.over {
            return None;
        }
        tokio::select! {
            biased;
            () = &mut self.ends => {
                self.over = true;
                Some(ended("the server ends, or the key does; come back", self.feed.position()))
            }
            notice = self.feed.next() => Some(self.told(notice)),
            () = tokio::time::sleep(Duration::from_millis(LISTENER_BEAT_MS)) => Some(": alive\n\n".into()),
        }
    }

    fn told(&mut self, notice: Result<Option<Notice>, HandoffError>) -> String {
        match notice {
            Ok(Some(Notice::Event(message))) => event(&message),
            Ok(Some(Notice::Dropped { resume_after })) => {
                self.over = true;
                ended("too slow; come back after this position", resume_after)
            }
            Ok(None) => {
                self.over = true;
                ended("the engine ends; come back", self.feed.position())
            }
            Err(error) => {
                self.over = true;
                ended(&format!("{}", error.code()), self.feed.position())
            }
        }
    }
}

fn event(message: &Arc<BusMessage>) -> String {
    let data = serde_json::to_string(&**message).unwrap_or_default();
    format!("id: {}\nevent: {}\ndata: {data}\n\n", message.position, message.kind)
}

/// The last word to a listener: why, and where to go on.
fn ended(why: &str, resume_after: u64) -> String {
    let data = serde_json::json!({ "why": why, "resume_after": resume_after });
    format!("id: {resume_after}\nevent: DROPPED\ndata: {data}\n\n")
}
