//! Events that others publish: each hands work over once, however often it is delivered.
//!
//! They wait on a stream until what they bring about is on disk. One that is wrong is refused for good, with a note in the
//! log; one that cannot be taken for now is tried again.

use crate::{link::Link, subject};
use async_nats::{
    header::NATS_MESSAGE_ID,
    jetstream::{
        AckKind, Message,
        consumer::{AckPolicy, PullConsumer, pull},
        stream::{Config, RetentionPolicy},
    },
};
use futures_util::{StreamExt, TryStreamExt};
use handover_core::{
    access::Role,
    command::Caller,
    ids::SessionId,
    limits::{BUS_EVENT_DOUBLINGS_MAX, BUS_EVENT_MS, BUS_EVENTS_MAX, BUS_RETRY_MS, KEY_CHARS_MAX},
    refusal::{Code, HandoffError},
};
use handover_engine::OutsideEvent;
use serde::Deserialize;
use serde_json::Value;
use std::{sync::atomic::Ordering, time::Duration};
use tokio::time::sleep;

/// The consumer that all nodes share: each event goes to one of them.
const CONSUMER: &str = "handover";

/// What somebody publishes. The subject says the tenant and the type.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    /// The same id twice is the same event. Left out: the message id of NATS, else the place on the stream.
    #[serde(default)]
    id: Option<String>,
    /// May be said again; must be that of the subject.
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    data: Value,
    #[serde(default)]
    session_id: Option<SessionId>,
}

/// What becomes of an event.
enum Taken {
    Done,
    /// It is wrong, and will be.
    Wrong(String),
    /// It cannot be taken for now.
    Later(String),
}

/// Takes events until the engine is closed.
pub async fn run(link: Link) {
    while !link.engine.is_closing() {
        if let Err(problem) = take_all(&link).await {
            link.status.wrong(&format!("events from outside cannot be taken: {problem}"));
        }
        sleep(Duration::from_millis(BUS_RETRY_MS)).await;
    }
}

async fn take_all(link: &Link) -> Result<(), async_nats::Error> {
    let (consumer, made) = consumer(link).await?;
    let stream = consumer.stream().max_messages_per_batch(BUS_EVENTS_MAX).messages().await?;
    let mut messages = stream.map_err(async_nats::Error::from);
    while let Some(message) = messages.next().await {
        let message = message?;
        let outcome = match event(link, &message, made) {
            Ok((tenant, event)) => raise(link, &tenant, event).await,
            Err(why) => Taken::Wrong(why),
        };
        answer(link, &message, outcome).await?;
    }
    Ok(())
}

/// The consumer, and since when its stream has been there: places on another stream of the same name are others.
async fn consumer(link: &Link) -> Result<(PullConsumer, i128), async_nats::Error> {
    let settings = &link.settings;
    let config = Config {
        name: settings.events_stream(),
        subjects: vec![subject::of_events(&settings.prefix)],
        retention: RetentionPolicy::WorkQueue,
        num_replicas: settings.keep.copies.unwrap_or(1),
        ..Config::default()
    };
    let stream = link.streams().get_or_create_stream(config).await?;
    let made = stream.cached_info().created.unix_timestamp_nanos();
    let config = pull::Config {
        durable_name: Some(CONSUMER.to_owned()),
        ack_policy: AckPolicy::Explicit,
        ack_wait: Duration::from_millis(BUS_EVENT_MS),
        ..pull::Config::default()
    };
    Ok((stream.get_or_create_consumer(CONSUMER, config).await?, made))
}

/// What a message says, and to whom it belongs.
fn event(link: &Link, message: &Message, made: i128) -> Result<(String, OutsideEvent), String> {
    let (tenant, kind) = subject::of_event(&link.settings.prefix, &message.subject)
        .filter(|(tenant, kind)| !tenant.is_empty() && !kind.is_empty())
        .ok_or("its subject is not <prefix>.events.<tenant>.<type>")?;
    let said: Published = serde_json::from_slice(&message.payload).map_err(|e| format!("it cannot be read: {e}"))?;
    if said.kind.as_ref().is_some_and(|said| *said != kind) {
        return Err("its type is another one than that of its subject".to_owned());
    }
    let header = || message.headers.as_ref()?.get(NATS_MESSAGE_ID).map(ToString::to_string);
    let place = || message.info().map(|info| format!("nats/{made}/{}", info.stream_sequence));
    let id = match said.id.or_else(header) {
        Some(id) => id,
        None => place().map_err(|e| e.to_string())?,
    };
    if id.trim().is_empty() || id.chars().count() > KEY_CHARS_MAX {
        return Err(format!("its id is empty or has more than {KEY_CHARS_MAX} characters"));
    }
    Ok((tenant, OutsideEvent { id, kind, data: said.data, session_id: said.session_id }))
}

async fn raise(link: &Link, tenant: &str, event: OutsideEvent) -> Taken {
    let caller = Caller::new("bus", tenant).role(Role::Operator);
    match link.engine.for_caller(caller).raise(event).await {
        Ok(_) => Taken::Done,
        Err(error) if passes(&error) => Taken::Later(error.to_string()),
        Err(error) => Taken::Wrong(error.to_string()),
    }
}

/// Whether the same event may be taken a while later.
fn passes(error: &HandoffError) -> bool {
    let ours = [
        Code::StoreAway,
        Code::StoreNewer,
        Code::StoreStopped,
        Code::StoreFailed,
        Code::Overloaded,
        Code::ShuttingDown,
    ];
    error.refusals.iter().all(|refusal| refusal.code.is_temporary() || ours.contains(&refusal.code))
}

async fn answer(link: &Link, message: &Message, outcome: Taken) -> Result<(), async_nats::Error> {
    let tries = message.info().map_or(1, |info| info.delivered);
    match outcome {
        Taken::Done => {
            link.status.events.fetch_add(1, Ordering::Relaxed);
            message.ack().await
        }
        // It is not the event's fault, however long it takes.
        Taken::Later(why) => {
            tracing::info!(subject = %message.subject, tries, "an event from outside is tried again later: {why}");
            let doubled = BUS_RETRY_MS << tries.clamp(1, BUS_EVENT_DOUBLINGS_MAX);
            let wait = Duration::from_millis(doubled);
            message.ack_with(AckKind::Nak(Some(wait))).await
        }
        Taken::Wrong(why) => {
            link.status.refused.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(subject = %message.subject, "an event from outside is refused: {why}");
            message.ack_with(AckKind::Term).await
        }
    }
}
