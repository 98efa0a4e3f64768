//! The A2A rim of Handover: agents of other houses hand over by the Agent2Agent protocol, version 1.0, and 0.3 for older ones.
//!
//! A task is a handoff. Its id is the handoff's, its context is the session, its states are where the handoff stands. Whoever
//! mounts the routes looks at the key and puts the engine of the caller into the request's extensions; rights and sight are
//! the engine's.

mod calls;
mod cards;
mod desk;
mod follow;
mod inward;
mod list;
mod old;
mod outward;
mod place;
mod push;
mod rest;
mod rpc;
mod send;
mod sse;
mod version;
mod web;
mod who;
mod wrong;

use axum::Router;
use handover_core::{limits::A2A_PUSH_WAIT_MS, refusal::HandoffError};
use handover_engine::Engine;
use push::Pushes;
use std::{sync::Arc, time::Duration};

/// How the rim is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// The name of the house on its card.
    pub name: String,
    /// What the house does, on its card.
    pub description: String,
    /// The address by which others reach this server, such as `https://agents.example.org`. Left out, cards have the
    /// address by which they were asked for.
    pub url: Option<String>,
    /// Whether others reach it by https, where no address is given.
    pub secure: bool,
    /// Whether updates may be pushed to addresses that only this machine or its network can reach.
    pub allow_private: bool,
    /// The first wait before a push that was not taken is tried again.
    pub push_wait: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: "Handover".to_owned(),
            description: "Takes tasks and hands each one to an agent that can do it.".to_owned(),
            url: None,
            secure: false,
            allow_private: false,
            push_wait: Duration::from_millis(A2A_PUSH_WAIT_MS),
        }
    }
}

/// The rim: its routes, and whoever tells others of their tasks.
#[derive(Clone)]
pub struct Rim {
    inner: Arc<Inner>,
}

struct Inner {
    house: Engine,
    options: Options,
    pushes: Arc<Pushes>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.pushes.stop();
    }
}

impl Rim {
    /// Opens the rim on the engine of the house, and goes on telling those who wanted to be told before.
    ///
    /// # Errors
    /// When the engine is not that of the house, or the store cannot be read.
    pub async fn open(house: Engine, mut options: Options) -> Result<Self, HandoffError> {
        options.url = options.url.map(|url| url.trim_end_matches('/').to_owned());
        let pushes = Pushes::open(house.clone(), options.allow_private, options.push_wait).await?;
        Ok(Self { inner: Arc::new(Inner { house, options, pushes }) })
    }

    /// What needs a key where the server has keys: `/a2a` and all below it.
    pub fn keyed(&self) -> Router {
        web::keyed(self.inner.clone())
    }

    /// What everybody may ask for: the cards and the catalogue. With an engine in the request they show what that caller
    /// may see, without one what is public.
    pub fn public(&self) -> Router {
        web::public(self.inner.clone())
    }

    /// Stops telling. What was not told is told after the next start.
    pub fn close(&self) {
        self.inner.pushes.stop();
    }
}
