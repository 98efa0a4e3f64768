//! All pages, and where they are.

mod approvals;
pub(crate) mod audit;
mod experiments;
mod handoff;
mod handoffs;
mod inbox;
mod overview;
mod session;
mod sessions;
mod team;
mod workflows;

use crate::{House, ask, assets, live, sign_in};
use axum::{
    Router,
    extract::{RawPathParams, Request},
    routing::{MethodRouter, any, get, post},
};
use std::sync::Arc;

/// A page to be read.
macro_rules! shows {
    ($house:expr, $handler:path) => {{
        let house: Arc<House> = $house.clone();
        get(move |params: RawPathParams, request: Request| async move {
            ask::answer(house.clone(), params, request, $handler).await
        })
    }};
}

/// A form that is sent.
macro_rules! takes {
    ($house:expr, $handler:path) => {{
        let house: Arc<House> = $house.clone();
        post(move |params: RawPathParams, request: Request| async move {
            ask::answer(house.clone(), params, request, $handler).await
        })
    }};
}

/// Every route of the dashboard.
pub(crate) fn router(house: &Arc<House>) -> Router {
    let at_door = house.clone();
    let door: MethodRouter = any(move |request: Request| sign_in::door(at_door.clone(), request));
    Router::new()
        .route("/assets/app.css", get(assets::style))
        .route("/assets/app.js", get(assets::script))
        .route("/sign-in", door)
        .route("/sign-out", takes!(house, sign_in::out))
        .route("/live", shows!(house, live::listen))
        .route("/", shows!(house, overview::show))
        .route("/team", shows!(house, team::list))
        .route("/team/{agent}", shows!(house, team::show))
        .route("/team/{agent}/breaker", takes!(house, team::breaker))
        .route("/team/{agent}/standing", takes!(house, team::standing))
        .route("/workflows", shows!(house, workflows::list))
        .route("/workflows/{workflow}", shows!(house, workflows::show))
        .route("/experiments", shows!(house, experiments::list))
        .route("/sessions", shows!(house, sessions::list))
        .route("/approvals", shows!(house, approvals::list))
        .route("/approvals/{handoff}", takes!(house, approvals::decide))
        .route("/audit", shows!(house, audit::list))
        .route("/audit/export", shows!(house, audit::export))
        .route("/audit/verify", takes!(house, audit::begin_verify))
        .route("/inbox", shows!(house, inbox::list))
        .route("/inbox/returns", takes!(house, inbox::note))
        .route("/inbox/returns/all", takes!(house, inbox::note_all))
        .route("/inbox/{handoff}/take", takes!(house, inbox::take))
        .route("/inbox/{handoff}/decline", takes!(house, inbox::decline))
        .route("/inbox/{handoff}/defer", takes!(house, inbox::defer))
        .route("/inbox/{handoff}/keep", takes!(house, inbox::keep))
        .route("/inbox/{handoff}/ask", takes!(house, inbox::ask_back))
        .route("/inbox/{handoff}/give-back", takes!(house, inbox::give_back))
        .route("/inbox/{handoff}/answer", takes!(house, inbox::answer))
        .route("/sessions/{session}", shows!(house, session::show))
        .route("/sessions/{session}/say", takes!(house, session::step_in::say))
        .route("/sessions/{session}/hand-over", takes!(house, session::step_in::give))
        .route("/sessions/{session}/end", takes!(house, session::step_in::over))
        .route("/handoffs", shows!(house, handoffs::list))
        .route("/handoffs/{handoff}", shows!(house, handoff::show))
        .route("/handoffs/{handoff}/redirect", takes!(house, handoff::redirect))
        .route("/handoffs/{handoff}/retry", takes!(house, handoff::retry))
        .route("/handoffs/{handoff}/cancel", takes!(house, handoff::cancel))
}
