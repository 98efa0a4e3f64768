//! A client of a Handover server: hand over, work as an agent, and hear what happens, over HTTP.
//!
//! ```no_run
//! use handover_client::{Client, Opening};
//! use handover_core::handoff::Request;
//! use std::time::Duration;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new("http://127.0.0.1:7800", std::env::var("HANDOVER_KEY").ok().as_deref())?;
//! let session = client.open_session(&Opening::by("desk")?.asking("How long is this?")).await?;
//! let request = Request::delegation("desk", "counter", "Count the words", Duration::from_secs(60))?;
//! let answer = client.hand_off(&session.id, &request).await?;
//! let returned = client.returned(answer.handoffs[0], Duration::from_secs(60)).await?;
//! println!("{returned:?}");
//! # Ok(())
//! # }
//! ```
//!
//! Every write carries an `Idempotency-Key` of its own, so it is repeated without harm where the way to the server is
//! troubled: a connection that breaks, a server that restarts, `429` and `502` to `504`. The waits grow and are bounded.
//! A refusal comes back as the [`HandoffError`](handover_core::refusal::HandoffError) that the engine gave.

mod client;
mod error;
mod events;
mod lines;
mod send;
mod sse;
mod views;
mod work;
mod worker;

pub use client::Client;
pub use error::Error;
pub use events::{Event, EventContext, Events, Listening};
pub use lines::Lines;
pub use views::{Agent, Approving, Assignment, Claiming, Denying, Handoff, Me, Opening, Session, done, failed};
pub use worker::{Tally, Worker};
