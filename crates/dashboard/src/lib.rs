//! The dashboard: pages that show what is handed over, as it happens, and by which people step in.
//!
//! Pages are rendered here and need no script to be read. A little script keeps them up to date. What somebody sees and may
//! do is the engine's business: every page is made with the engine of whoever asks.

#![allow(clippy::needless_pass_by_value, reason = "parts of a page are passed on as they are made")]

mod ask;
mod assets;
mod chart;
mod fields;
mod headers;
mod live;
mod page;
mod pages;
mod parts;
mod people;
mod pulse;
mod seat;
mod sign_in;
mod told;
mod wrong;

use axum::Router;
use handover_core::{refusal::HandoffError, time::Timestamp};
use handover_engine::Engine;
use pages::audit::Verifying;
use pulse::Pulse;
use seat::Seats;
use std::sync::Arc;

/// How the dashboard is served.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Whether browsers reach it by TLS: its cookie then never travels otherwise.
    pub secure: bool,
}

/// What all pages share.
pub(crate) struct House {
    pub(crate) engine: Engine,
    pub(crate) seats: Seats,
    pub(crate) secure: bool,
    /// When it was opened.
    pub(crate) begun: Timestamp,
    pub(crate) listening: Arc<live::Listening>,
    pub(crate) verifying: Verifying,
    pub(crate) pulse: Pulse,
}

/// The dashboard of an engine.
pub struct Dashboard {
    house: Arc<House>,
}

impl Dashboard {
    /// The dashboard of this engine, which is the house's own.
    ///
    /// # Errors
    /// When the store cannot be read or written: it keeps the sign-ins; and when the engine is not the house's own.
    pub async fn open(engine: Engine, options: Options) -> Result<Self, HandoffError> {
        let seats = Seats::open(&engine).await?;
        let pulse = Pulse::start(&engine)?;
        let (listening, begun) = (Arc::default(), engine.now());
        Ok(Self {
            house: Arc::new(House {
                engine,
                seats,
                secure: options.secure,
                begun,
                listening,
                verifying: Verifying::default(),
                pulse,
            }),
        })
    }

    /// Waits until charts and other figures count everything that is on disk now.
    pub async fn caught_up(&self) {
        self.house.pulse.reaches(self.house.engine.feed_position()).await;
    }

    /// Its routes, from `/` on. Whoever mounts them puts the engine of a caller that it knows into the request's extensions;
    /// all others have to sign in.
    pub fn router(&self) -> Router {
        pages::router(&self.house)
    }
}
