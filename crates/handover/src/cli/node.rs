//! This process as a node: where its store is, how it is called, and the bus that it is on.

use super::{
    args::{Cli, Command},
    desk, door,
    exit::Stop,
};
use crate::{place::Place, settings::Settings};
use handover_bus::{Bus, Wiring};
use handover_engine::{Engine, Options};
use handover_server::{AskBus, BusHealth};
use std::sync::Arc;

impl Cli {
    /// The store that is meant: what is given here or in the environment, else what the settings say, else the usual file.
    pub(crate) fn place(&self, settings: Option<&Settings>) -> Place {
        if let Command::Verify(verify) = &self.command
            && let Some(file) = &verify.file
        {
            return Place::File(file.clone());
        }
        let file = || Place::File(self.database());
        match (&self.global.store, &self.global.db) {
            (Some(store), _) => store.clone(),
            (None, Some(_)) => file(),
            (None, None) => settings.and_then(|settings| settings.server.store.clone()).unwrap_or_else(file),
        }
    }

    /// The same for a command that does not look at the settings otherwise: mistakes in them do not keep it from looking.
    pub(crate) fn place_by_itself(&self) -> Place {
        let settings = door::config(self, None).ok().flatten();
        self.place(settings.as_ref())
    }

    /// How this process is called among others.
    pub(crate) fn node(&self, settings: Option<&Settings>) -> String {
        let said = self.global.node.clone().or_else(|| settings.and_then(|settings| settings.server.node.clone()));
        said.filter(|name| !name.trim().is_empty()).unwrap_or_else(usual_name)
    }
}

/// The machine and the number of the process.
fn usual_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("HOSTNAME").ok());
    let host = host.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    format!("{}-{}", host.unwrap_or_else(|| "node".to_owned()), std::process::id())
}

/// The desk for other terminals. A store that several processes share needs none: each terminal opens it by itself.
pub(crate) fn desk(cli: &Cli, settings: Option<&Settings>, engine: &Engine) -> desk::Desk {
    match cli.place(settings) {
        Place::File(path) => desk::serve(engine, &path),
        Place::Postgres(_) => desk::Desk::none(),
    }
}

/// Leaves the bus, with everything said on it.
pub(crate) async fn leave(bus: Option<Bus>) {
    if let Some(bus) = bus {
        bus.finish().await;
    }
}

/// How the bus is, for whoever asks the server.
pub(crate) fn asked(bus: Arc<Bus>) -> AskBus {
    AskBus::new(move || {
        let status = bus.status();
        BusHealth {
            connected: status.connected,
            publishing: status.publishing,
            lag: status.lag,
            well: status.problem.is_none(),
        }
    })
}

/// Opens an engine on a store. What is wrong with the way to a database has a hint.
pub(crate) async fn open(cli: &Cli, settings: Option<&Settings>, options: Options) -> Result<Engine, Stop> {
    let place = cli.place(settings);
    Ok(place.open(&cli.node(settings), options).await?)
}

/// Puts the engine on the bus that is named, if one is.
pub(crate) async fn bus(cli: &Cli, settings: Option<&Settings>, engine: &Engine) -> Result<Option<Bus>, Stop> {
    let said = settings.map(|settings| settings.bus.clone()).unwrap_or_default();
    let Some(mut bus) = said.of(cli.global.bus.clone(), &cli.node(settings)) else { return Ok(None) };
    bus.events |= cli.global.bus_events;
    let place = cli.place(settings);
    bus.bell = place.is_shared().then(|| place.name());
    let started = Bus::start(engine, &bus, Wiring::of(engine)).await;
    match started {
        Ok(bus) => Ok(Some(bus)),
        Err(error) => {
            engine.close().await?;
            Err(Stop::refused(error.to_string(), "see docs/guides/bus.md"))
        }
    }
}
