//! Publishes the feed to the stream: all of it, in order, each message once, by one node at a time.
//!
//! Each message says after which number of the stream it belongs. Where two nodes publish at once, or a message that was
//! given up arrives late, the server takes one and refuses all others, and whoever is refused looks where the stream ends.

use crate::{
    POSITION, TOO_LARGE,
    link::Link,
    stream::{End, Stream, at_or_after, away, foreign, is_young},
    subject,
};
use async_nats::jetstream::{
    context::{PublishAckFuture, PublishError, PublishErrorKind},
    message::PublishMessage,
};
use futures_util::FutureExt;
use handover_core::{
    limits::{BUS_BELL_MS, BUS_LOOK_MS, BUS_RETRY_MS, BUS_TURN_MS, BUS_WINDOW_BYTES_MAX, BUS_WINDOW_MAX},
    refusal::Code,
};
use handover_engine::{BusMessage, Filter, Notice, Subscription};
use serde_json::{Value, json};
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tokio::time::{Instant, sleep, timeout_at};

/// The chore that one node does for all.
const CHORE: &str = "bus";
/// Bytes that headers may take of the largest message.
const HEADERS: usize = 4 * 1024;

/// Why publishing stops for now.
#[derive(Debug)]
pub enum Trouble {
    /// The engine is closed: for good.
    Over,
    /// It is the turn of another node.
    NotOurs,
    /// The stream does not end where it was thought to: somebody else published, or a message went unheard.
    Moved,
    /// The server remembers ids of messages that are not on the stream any more.
    Remembered,
    /// The server or the stream is not there.
    Away(String),
    /// The stream is not ours to write to.
    Foreign(String),
    /// A node of a newer version has to publish what comes next.
    Newer(String),
}

/// Publishes until the engine is closed.
pub async fn run(link: Link) {
    let mut again = false;
    loop {
        let turn = (link.wiring.turn)(CHORE, BUS_TURN_MS).await;
        link.status.publishing.store(turn, Ordering::SeqCst);
        let trouble = if turn { publish(&link, again).await } else { follow(&link).await };
        again = matches!(trouble, Trouble::Remembered);
        match trouble {
            Trouble::Over => return,
            Trouble::Moved | Trouble::Remembered => sleep(Duration::from_millis(BUS_BELL_MS)).await,
            Trouble::NotOurs => sleep(Duration::from_millis(BUS_LOOK_MS)).await,
            Trouble::Newer(problem) => {
                link.status.wrong(&problem);
                // Long enough for the turn to end, so that such a node gets it.
                sleep(Duration::from_millis(2 * BUS_TURN_MS)).await;
            }
            Trouble::Away(problem) | Trouble::Foreign(problem) => {
                link.status.wrong(&problem);
                sleep(Duration::from_millis(BUS_RETRY_MS.min(BUS_LOOK_MS))).await;
            }
        }
    }
}

/// Learns how far another node has published.
async fn follow(link: &Link) -> Trouble {
    if let Ok(stream) = Stream::open(link).await
        && let Ok(End { last: Some((position, _)), .. }) = stream.end(link).await
    {
        link.status.has(position, 0);
        link.status.well();
    }
    Trouble::NotOurs
}

/// Publishes for as long as all goes well.
async fn publish(link: &Link, remembered: bool) -> Trouble {
    match Publisher::begin(link, remembered).await {
        Ok(mut publisher) => match publisher.run().await {
            Ok(never) => match never {},
            Err(trouble) => trouble,
        },
        Err(trouble) => trouble,
    }
}

/// A message with its text.
struct Written(Arc<BusMessage>, Vec<u8>);

struct Publisher<'a> {
    link: &'a Link,
    stream: Stream,
    feed: Subscription,
    /// The number of the last message on the stream.
    sequence: u64,
    /// Messages up to a position were published before: the server may remember their ids, so they get this ending.
    refill: Option<(u64, String)>,
    /// When the stream and the turn are looked at again.
    look_at: Instant,
}

impl<'a> Publisher<'a> {
    async fn begin(link: &'a Link, remembered: bool) -> Result<Self, Trouble> {
        let mut stream = Stream::open(link).await?;
        let mut end = stream.end(link).await?;
        belongs(link, &end).await?;
        if stream.has_hole(link).await? {
            // What is left of it would be in the way of what is missing before it.
            stream.handle.purge().await.map_err(away)?;
            stream.look().await?;
            end = stream.end(link).await?;
        }
        let after = end.last.as_ref().map_or(0, |(position, _)| *position);
        let refilled = remembered || (end.last.is_none() && end.sequence > 0);
        let refill = refilled.then(|| (link.engine.feed_position(), format!("~{}", end.sequence)));
        if refill.is_some() && !remembered {
            tracing::info!(stream = %link.settings.stream, "the stream was emptied, and is filled again from the store");
        }
        let feed = follow_from(link, after)?;
        link.status.has(after, 0);
        link.status.well();
        let look_at = Instant::now() + Duration::from_millis(BUS_LOOK_MS);
        Ok(Self { link, stream, feed, sequence: end.sequence, refill, look_at })
    }

    async fn run(&mut self) -> Result<std::convert::Infallible, Trouble> {
        loop {
            let window = self.window().await?;
            // Nothing waits where nothing came: everything that the feed has looked at is there, or too old.
            let through = window.last().map_or(self.feed.position(), |last| last.0.position);
            let count = window.len();
            self.send(window).await?;
            self.link.status.has(through, count);
            if Instant::now() >= self.look_at {
                self.look().await?;
            }
        }
    }

    /// The next messages as they are written; none when it is time to look at the stream.
    async fn window(&mut self) -> Result<Vec<Written>, Trouble> {
        let (mut window, mut bytes) = (Vec::new(), 0);
        let Ok(first) = timeout_at(self.look_at, self.feed.next()).await else { return Ok(window) };
        let mut next = Some(first);
        let max_age = self.stream.info.config.max_age;
        while let Some(heard) = next {
            match heard {
                Ok(Some(Notice::Event(message))) => {
                    // What the stream would not keep any more is not published again.
                    if is_young(self.link, max_age, message.timestamp) {
                        let text = serde_json::to_vec(&*message).unwrap_or_default();
                        bytes += text.len();
                        window.push(Written(message, text));
                    }
                }
                // It was too slow: everything is on disk, and it goes on where it was.
                Ok(Some(Notice::Dropped { resume_after })) => self.feed = follow_from(self.link, resume_after)?,
                Ok(None) => return Err(Trouble::Over),
                Err(error) if error.has(Code::StoreNewer) => return Err(Trouble::Newer(error.to_string())),
                Err(error) => return Err(Trouble::Away(format!("the feed cannot be read: {error}"))),
            }
            if window.len() >= BUS_WINDOW_MAX || bytes >= BUS_WINDOW_BYTES_MAX {
                break;
            }
            next = self.feed.next().now_or_never();
        }
        Ok(window)
    }

    /// Publishes messages in order, and waits until the server has all of them.
    async fn send(&mut self, window: Vec<Written>) -> Result<(), Trouble> {
        let streams = self.link.streams();
        let mut answers: Vec<PublishAckFuture> = Vec::with_capacity(window.len());
        for (written, after) in window.into_iter().zip(self.sequence..) {
            let (subject, publish) = self.message(written, after);
            answers.push(streams.send_publish(subject, publish).await.map_err(|error| self.not_taken(&error))?);
        }
        for answer in answers {
            let taken = answer.await.map_err(|error| self.not_taken(&error))?;
            if taken.duplicate {
                return Err(Trouble::Remembered);
            }
            self.sequence += 1;
            if taken.sequence != self.sequence {
                return Err(Trouble::Moved);
            }
        }
        Ok(())
    }

    fn not_taken(&self, error: &PublishError) -> Trouble {
        match error.kind() {
            PublishErrorKind::WrongLastSequence | PublishErrorKind::WrongLastMessageId => Trouble::Moved,
            PublishErrorKind::StreamNotFound => {
                Trouble::Away(format!("the stream {} is gone", self.link.settings.stream))
            }
            _ => away(error),
        }
    }

    /// A message as it goes out, after this number of the stream.
    fn message(&self, Written(message, text): Written, after: u64) -> (String, PublishMessage) {
        let most = self.link.client.server_info().max_payload.saturating_sub(HEADERS);
        let publish = PublishMessage::build()
            .message_id(self.id(&message))
            .expected_last_sequence(after)
            .header(POSITION, message.position.to_string());
        let publish = if text.len() > most {
            publish.header(TOO_LARGE, text.len().to_string()).payload(without_content(&message).into())
        } else {
            publish.payload(text.into())
        };
        (subject::of_message(&self.link.settings.prefix, &message), publish)
    }

    fn id(&self, message: &BusMessage) -> String {
        let ending = self.refill.as_ref().filter(|(until, _)| message.position <= *until);
        format!("{}{}", message.id, ending.map_or("", |(_, ending)| ending))
    }

    /// Looks whether the stream is as it was left, and whether it is still our turn.
    async fn look(&mut self) -> Result<(), Trouble> {
        self.look_at = Instant::now() + Duration::from_millis(BUS_LOOK_MS);
        if !(self.link.wiring.turn)(CHORE, BUS_TURN_MS).await {
            return Err(Trouble::NotOurs);
        }
        let first = self.stream.info.state.first_sequence;
        self.stream.look().await?;
        let state = &self.stream.info.state;
        let emptied = state.messages == 0 && self.sequence > 0;
        if state.last_sequence != self.sequence || emptied && self.had_young().await? {
            return Err(Trouble::Moved);
        }
        if (state.first_sequence != first || self.stream.has_gap()) && self.stream.has_hole(self.link).await? {
            return Err(Trouble::Moved);
        }
        self.link.status.well();
        Ok(())
    }

    /// Whether the last message is one that the stream would have kept.
    async fn had_young(&self) -> Result<bool, Trouble> {
        let last = at_or_after(self.link, self.feed.position().max(1)).await?;
        let max_age = self.stream.info.config.max_age;
        Ok(last.is_some_and(|last| is_young(self.link, max_age, last.timestamp)))
    }
}

fn follow_from(link: &Link, after: u64) -> Result<Subscription, Trouble> {
    link.engine.subscribe_all(Filter::default(), Some(after)).map_err(|_| Trouble::Over)
}

/// Whether the stream holds the feed of this very store: its last message is what the store has at that position.
async fn belongs(link: &Link, end: &End) -> Result<(), Trouble> {
    let Some((position, id)) = &end.last else { return Ok(()) };
    match at_or_after(link, *position).await? {
        Some(found) if found.position == *position && found.id != *id => {
            Err(Trouble::Foreign(foreign(&link.settings.stream)))
        }
        // What the stream has may have been removed from the store since.
        Some(_) => Ok(()),
        None => Err(Trouble::Foreign(format!(
            "the stream {} is ahead of the store: {}",
            link.settings.stream,
            foreign(&link.settings.stream)
        ))),
    }
}

/// A message that is too large for the bus: everything but its content, which a server of ours tells.
fn without_content(message: &BusMessage) -> Vec<u8> {
    let mut value = serde_json::to_value(message).unwrap_or(Value::Null);
    value["payload"] = json!(null);
    value.to_string().into_bytes()
}
