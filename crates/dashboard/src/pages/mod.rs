//! All pages, and where they are.

mod overview;
mod sessions;
mod team;

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
        .route("/sessions", shows!(house, sessions::list))
}
