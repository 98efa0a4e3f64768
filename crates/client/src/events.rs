//! What happens, live. A line that breaks is taken up again by itself, where it was left.

use crate::{
    client::Client,
    error::{self, Error},
    send::{self, Asked},
    sse::{Block, Gathered},
};
use futures_util::{Stream, stream};
use handover_core::{
    ids::{AgentId, SessionId},
    limits::{
        CLIENT_ANSWER_MS, CLIENT_BEATS_MISSED, CLIENT_TRIES_MAX, CLIENT_WAIT_MS, CLIENT_WAIT_MS_MAX, LISTENER_BEAT_MS,
    },
    time::Timestamp,
};
use reqwest::Response;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// What is wanted to be heard. Everything that is given must fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listening {
    /// Only of this session.
    pub session: Option<SessionId>,
    /// Only what this agent sends or receives.
    pub agent: Option<AgentId>,
    /// Only these types.
    pub types: Vec<String>,
    /// After this position; from now on when left out.
    pub after: Option<u64>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Event {
    /// Its id. The same event has the same id, however often it is heard.
    pub id: String,
    /// Its place in the feed.
    pub position: u64,
    /// Its type, such as `AGENT_HANDOFF` or `TASK_COMPLETED`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Who hands over.
    pub source_agent: Option<AgentId>,
    /// To whom.
    pub target_agent: Option<AgentId>,
    /// When.
    pub timestamp: Timestamp,
    /// What happened, as the record has it.
    pub payload: Value,
    /// Where it belongs.
    pub context: EventContext,
}

/// Where an event belongs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EventContext {
    /// The caller's own id for the request, where there is one; else the handoff.
    pub request_id: Option<String>,
    /// The session.
    pub session_id: SessionId,
    /// To whom the session belongs.
    pub tenant: String,
}

/// The last word of a server to a listener.
const DROPPED: &str = "DROPPED";

/// A line on which events are heard.
pub struct Events {
    client: Client,
    listening: Listening,
    line: Option<Response>,
    gathered: Gathered,
    /// The last place that was heard.
    at: Option<u64>,
    failures: u32,
}

impl Client {
    /// Hears what happens, from now on or from any place of the feed.
    #[must_use]
    pub fn events(&self, listening: Listening) -> Events {
        let at = listening.after;
        Events { client: self.clone(), listening, line: None, gathered: Gathered::default(), at, failures: 0 }
    }
}

impl Events {
    /// Gets on the line, so that nothing is missed from here on. [`Events::next`] does so by itself.
    ///
    /// # Errors
    /// When the server refuses, or cannot be reached.
    pub async fn begin(&mut self) -> Result<(), Error> {
        while self.line.is_none() || self.at.is_none() {
            if let Some(block) = self.block().await? {
                self.noted(&block);
            }
        }
        Ok(())
    }

    /// The next event, however long it takes, and however often the line breaks meanwhile.
    ///
    /// # Errors
    /// When the server refuses, or cannot be reached as often as it was tried.
    pub async fn next(&mut self) -> Result<Event, Error> {
        loop {
            let Some(block) = self.block().await? else { continue };
            self.noted(&block);
            if block.event == DROPPED {
                self.line = None;
            } else if !block.data.is_empty() {
                return serde_json::from_str(&block.data).map_err(|error| Error::Strange {
                    status: 200,
                    text: format!("{error}: {}", error::shown(block.data.as_bytes())),
                });
            }
        }
    }

    /// The same as a stream. It ends after the first error.
    pub fn into_stream(self) -> impl Stream<Item = Result<Event, Error>> {
        stream::unfold(Some(self), |events| async move {
            let mut events = events?;
            let next = events.next().await;
            let rest = next.is_ok().then_some(events);
            Some((next, rest))
        })
    }

    /// The place in the feed up to which everything was heard, where it is known.
    #[must_use]
    pub fn position(&self) -> Option<u64> {
        self.at
    }

    fn noted(&mut self, block: &Block) {
        self.at = block.id.or(self.at).or(block.from);
    }

    /// The next block; nothing when the line broke and is to be taken up again.
    async fn block(&mut self) -> Result<Option<Block>, Error> {
        if let Some(block) = self.gathered.next() {
            return Ok(Some(block));
        }
        let turn = self.client.turn();
        match self.heard().await {
            Ok(()) => self.failures = 0,
            Err(error) if error.is_passing() && self.failures + 1 < CLIENT_TRIES_MAX => {
                self.line = None;
                let wait_ms = CLIENT_WAIT_MS.saturating_mul(1 << self.failures.min(16)).min(CLIENT_WAIT_MS_MAX);
                self.failures += 1;
                if self.client.move_on(turn) {
                    tokio::time::sleep(Duration::from_millis(wait_ms)).await;
                }
            }
            Err(error) => return Err(error),
        }
        Ok(self.gathered.next())
    }

    /// Hears a few more bytes.
    async fn heard(&mut self) -> Result<(), Error> {
        let line = match &mut self.line {
            Some(line) => line,
            none => {
                self.gathered = Gathered::default();
                none.insert(connected(&self.client, &self.listening, self.at).await?)
            }
        };
        let silence = Duration::from_millis(LISTENER_BEAT_MS * CLIENT_BEATS_MISSED);
        let silent = |_| Error::Way("nothing was heard for too long".to_owned());
        let piece = tokio::time::timeout(silence, line.chunk()).await.map_err(silent)?;
        match piece.map_err(|error| error::of_way(&error))? {
            Some(piece) => self.gathered.push(&piece),
            None => Err(Error::Way("the line ended".to_owned())),
        }
    }
}

async fn connected(client: &Client, listening: &Listening, at: Option<u64>) -> Result<Response, Error> {
    let mut asked = Asked::get(["v1", "events"]);
    if let Some(session) = &listening.session {
        asked = asked.query("session", session);
    }
    if let Some(agent) = &listening.agent {
        asked = asked.query("agent", agent);
    }
    if !listening.types.is_empty() {
        asked = asked.query("types", &listening.types.join(","));
    }
    let mut request = client.prepared(&asked);
    if let Some(at) = at {
        request = request.header("last-event-id", at.to_string());
    }
    let late = |_| Error::Way("the server took too long to answer".to_owned());
    let sent = tokio::time::timeout(Duration::from_millis(CLIENT_ANSWER_MS), request.send()).await.map_err(late)?;
    let response = sent.map_err(|error| error::of_way(&error))?;
    let status = response.status();
    if status.is_success() { Ok(response) } else { Err(error::of_answer(status, &send::body(response).await?)) }
}
