//! The way to the server. The client comes back by itself, however long the server is away.

use crate::{address::Login, settings::BusSettings, status::Status, wiring::Wiring};
use async_nats::{Client, ConnectOptions, Event, jetstream};
use handover_core::limits::{BUS_ANSWER_MS, BUS_RETRY_MS};
use handover_engine::Engine;
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

/// What every part of the bus holds.
#[derive(Clone)]
pub struct Link {
    pub engine: Engine,
    pub settings: BusSettings,
    pub client: Client,
    pub status: Arc<Status>,
    pub wiring: Wiring,
}

impl Link {
    /// JetStream, with our patience.
    pub fn streams(&self) -> jetstream::Context {
        jetstream::ContextBuilder::new()
            .timeout(Duration::from_millis(BUS_ANSWER_MS))
            .ack_timeout(Duration::from_millis(BUS_ANSWER_MS))
            .build(self.client.clone())
    }
}

/// A client that connects by itself, now or later.
pub async fn connect(settings: &BusSettings, status: &Arc<Status>) -> Result<Client, String> {
    let servers = settings.address.servers()?;
    let status = status.clone();
    let options = ConnectOptions::new()
        .name(format!("handover {}", settings.node))
        .retry_on_initial_connect()
        .max_reconnects(None)
        .connection_timeout(Duration::from_millis(BUS_ANSWER_MS))
        .request_timeout(Some(Duration::from_millis(BUS_ANSWER_MS)))
        .reconnect_delay_callback(|tries| {
            let exponent = u32::try_from(tries.min(10)).unwrap_or(10);
            Duration::from_millis((10 << exponent).min(BUS_RETRY_MS))
        })
        .event_callback(move |event| {
            heard(&status, &event);
            async {}
        });
    let options = match settings.address.login() {
        Login::Anybody => options,
        Login::Token(token) => options.token(token),
        Login::Person(name, password) => options.user_and_password(name, password),
    };
    options.connect(servers).await.map_err(|e| e.to_string())
}

fn heard(status: &Status, event: &Event) {
    match event {
        Event::Connected => {
            status.connected.store(true, Ordering::SeqCst);
            status.well();
        }
        Event::Disconnected | Event::Closed => {
            status.connected.store(false, Ordering::SeqCst);
            status.wrong("the server of the bus is away");
        }
        Event::ServerError(error) => status.wrong(&format!("the server of the bus says: {error}")),
        Event::ClientError(error) => status.wrong(&format!("the server of the bus cannot be used: {error}")),
        Event::LameDuckMode | Event::Draining | Event::SlowConsumer(_) => {}
    }
}
