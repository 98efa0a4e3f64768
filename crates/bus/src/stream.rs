//! The stream of the feed on the server: made where it is missing, and what is on it already.

use crate::{POSITION, link::Link, publisher::Trouble, subject};
use async_nats::{
    HeaderMap,
    header::NATS_MESSAGE_ID,
    jetstream::{
        self,
        context::{CreateStreamErrorKind, GetStreamErrorKind},
        stream::{Config, Info, LastRawMessageErrorKind, RawMessageErrorKind},
    },
};
use handover_core::{refusal::Code, time::Timestamp};
use handover_engine::{BusMessage, Filter, Notice};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// The stream, as it is on the server.
pub struct Stream {
    pub handle: jetstream::stream::Stream<()>,
    /// How it was when it was last looked at.
    pub info: Info,
}

/// The end of the stream: what is published goes on after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The number of the last message that ever was on it.
    pub sequence: u64,
    /// The place in the feed and the id of the last message that is on it; nothing when it is empty.
    pub last: Option<(u64, String)>,
}

impl Stream {
    /// The stream of the settings. It is made where it is missing; limits that are set are set on it.
    pub async fn open(link: &Link) -> Result<Self, Trouble> {
        let (streams, name) = (link.streams(), &link.settings.stream);
        let handle = streams.get_stream_no_info(name).await.map_err(away)?;
        let found = match streams.get_stream(name).await {
            Ok(found) => found.cached_info().clone(),
            Err(error) if matches!(error.kind(), GetStreamErrorKind::JetStream(_)) => {
                let made = streams.create_stream(config(link, Config::default())).await;
                made.map_err(|error| refused(&error.kind(), &error))?.cached_info().clone()
            }
            Err(error) => return Err(away(error)),
        };
        let wanted = config(link, found.config.clone());
        let info = if wanted == found.config {
            found
        } else {
            streams.update_stream(wanted).await.map_err(|error| refused(&error.kind(), &error))?
        };
        Ok(Self { handle, info })
    }

    /// Looks at it again. It is gone when somebody deleted it.
    pub async fn look(&mut self) -> Result<(), Trouble> {
        self.info = self.handle.get_info().await.map_err(away)?;
        Ok(())
    }

    /// Its end.
    pub async fn end(&self, link: &Link) -> Result<End, Trouble> {
        let sequence = self.info.state.last_sequence;
        let all = subject::of_feed(&link.settings.prefix);
        match self.handle.get_last_raw_message_by_subject(&all).await {
            Ok(message) => {
                let position = position(&message.headers);
                let position = position.ok_or_else(|| Trouble::Foreign(foreign(&link.settings.stream)))?;
                let id = message.headers.get(NATS_MESSAGE_ID).map(ToString::to_string).unwrap_or_default();
                Ok(End { sequence: sequence.max(message.sequence), last: Some((position, record_of(&id).to_owned())) })
            }
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(End { sequence, last: None }),
            Err(error) => Err(away(error)),
        }
    }

    /// Whether messages are missing between others. Limits take the eldest, unless there is one for each subject: somebody
    /// removed them.
    pub fn has_gap(&self) -> bool {
        self.info.state.deleted_count.unwrap_or(0) > 0 && self.info.config.max_messages_per_subject <= 0
    }

    /// Whether something is missing, before the first message or between others, that the limits of the stream do not explain:
    /// somebody purged it.
    pub async fn has_hole(&self, link: &Link) -> Result<bool, Trouble> {
        let (state, config) = (&self.info.state, &self.info.config);
        if self.has_gap() {
            return Ok(true);
        }
        // A limit is reached before it is: the last thing that went to keep it may have been the largest there is.
        let largest = u64::try_from(link.client.server_info().max_payload).unwrap_or(u64::MAX);
        let nearly = |most: i64, is: u64, one: u64| {
            u64::try_from(most).is_ok_and(|most| most > 0 && is.saturating_add(one) >= most / 10 * 9)
        };
        if state.messages == 0
            || nearly(config.max_bytes, state.bytes, largest)
            || nearly(config.max_messages, state.messages, 1)
        {
            return Ok(false);
        }
        let first = match self.handle.get_raw_message(state.first_sequence).await {
            Ok(message) => position(&message.headers),
            // It went meanwhile: the next look finds the one after it.
            Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => None,
            Err(error) => return Err(away(error)),
        };
        let Some(before) = first.and_then(|first| first.checked_sub(1)).filter(|before| *before > 0) else {
            return Ok(false);
        };
        let found = at_or_after(link, before).await?;
        Ok(found.is_some_and(|found| found.position == before && is_young(link, config.max_age, found.timestamp)))
    }
}

/// Whether a record is young enough for a stream that keeps this long. No stream lost one by age that is.
pub fn is_young(link: &Link, max_age: Duration, at: Timestamp) -> bool {
    let age = link.engine.now().0.saturating_sub(at.0);
    max_age.is_zero() || u128::try_from(age).unwrap_or(0) < max_age.as_millis()
}

/// The record at a position of the feed, or the first one after it; nothing where the store has none by now.
pub async fn at_or_after(link: &Link, position: u64) -> Result<Option<Arc<BusMessage>>, Trouble> {
    let after = position.saturating_sub(1);
    let mut feed = link.engine.subscribe_all(Filter::default(), Some(after)).map_err(|_| Trouble::Over)?;
    // What is on disk is read at once; only what is not there is waited for.
    let patience = Duration::from_millis(handover_core::limits::BUS_LOOK_MS);
    match timeout(patience, feed.next()).await {
        Ok(Ok(Some(Notice::Event(message)))) => Ok(Some(message)),
        Ok(Ok(None)) => Err(Trouble::Over),
        Ok(Ok(Some(Notice::Dropped { .. }))) | Err(_) => Ok(None),
        Ok(Err(error)) if error.has(Code::StoreNewer) => Err(Trouble::Newer(error.to_string())),
        Ok(Err(error)) => Err(Trouble::Away(format!("the feed cannot be read: {error}"))),
    }
}

/// The id of the record that a message on the stream is about. A stream that is filled again has ids with an ending.
pub fn record_of(id: &str) -> &str {
    id.split_once('~').map_or(id, |(id, _)| id)
}

pub fn away(error: impl std::fmt::Display) -> Trouble {
    Trouble::Away(format!("the server of the bus does not answer: {error}"))
}

fn refused(kind: &CreateStreamErrorKind, error: &dyn std::fmt::Display) -> Trouble {
    match kind {
        CreateStreamErrorKind::TimedOut => away(error),
        _ => Trouble::Away(format!("the stream cannot be made or changed: {error}")),
    }
}

pub fn foreign(stream: &str) -> String {
    format!(
        "the stream {stream} holds something else than the feed of this store; purge it to have it filled from this store, or \
         name another stream"
    )
}

fn position(headers: &HeaderMap) -> Option<u64> {
    headers.get(POSITION)?.as_str().parse().ok()
}

/// What the stream is to be like. What nobody says about it stays as it is.
fn config(link: &Link, found: Config) -> Config {
    let settings = &link.settings;
    let keep = &settings.keep;
    Config {
        name: settings.stream.clone(),
        subjects: vec![subject::of_feed(&settings.prefix)],
        max_age: keep.age.unwrap_or(found.max_age),
        max_bytes: keep.bytes.map_or(found.max_bytes, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
        num_replicas: keep.copies.unwrap_or(found.num_replicas),
        ..found
    }
}
