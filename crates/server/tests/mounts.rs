//! Routes that others build stand behind the gate of the server, with its bounds and its end.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use axum::{
    Extension, Router,
    body::Body,
    http::{Response, header},
    routing::{get, post},
};
use common::World;
use futures_util::stream;
use handover_core::{access::Role, limits::REQUEST_BYTES_MAX};
use handover_engine::Engine;
use handover_server::{Mount, Options};
use std::convert::Infallible;

async fn who(engine: Option<Extension<Engine>>) -> String {
    engine.map_or_else(|| "nobody".to_owned(), |Extension(engine)| engine.caller().tenant.clone())
}

async fn listens() -> Response<Body> {
    let never = stream::pending::<Result<String, Infallible>>();
    Response::builder().header(header::CONTENT_TYPE, "text/event-stream").body(Body::from_stream(never)).unwrap()
}

async fn waits() {
    std::future::pending::<()>().await;
}

async fn breaks() {
    panic!("a mistake of whoever built it");
}

async fn world() -> World {
    let keyed = Router::new()
        .route("/keyed", get(who))
        .route("/length", post(async |body: String| body.len().to_string()))
        .route("/listen", get(listens))
        .route("/wait", get(waits))
        .route("/breaks", get(breaks));
    let public = Router::new().route("/public", get(who));
    World::with(|options| Options {
        mounts: vec![Mount::keyed("/keyed", keyed), Mount::public("/public", public)],
        ..options
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn they_are_found_with_a_key_and_without_one_where_they_are_public() {
    let world = world().await;
    let open = world.ask("GET", "/public", None, None).await;
    assert_eq!((open.status, open.text.as_str()), (200, "default"), "an open server lets everybody in");
    let key = world.key("acme", Role::Viewer, &[]).await;
    for (path, key, status, text) in [
        ("/keyed", Some(key.as_str()), 200, "acme"),
        ("/public", Some(&key), 200, "acme"),
        ("/public", None, 200, "nobody"),
        ("/public", Some("ho_wrong"), 401, ""),
        ("/keyed", None, 401, ""),
    ] {
        let said = world.ask("GET", path, key, None).await;
        assert_eq!(said.status, status, "{path}");
        assert!(status != 200 || said.text == text, "{path}: {}", said.text);
        assert!(said.headers.contains_key("x-request-id"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bounds_and_mistakes_are_ours() {
    let world = world().await;
    let key = world.key("acme", Role::Viewer, &[]).await;
    let url = |path: &str| format!("{}{path}", world.server.url());
    let client = world.http.clone();
    let large = client.post(url("/length")).bearer_auth(&key).body(vec![b'x'; REQUEST_BYTES_MAX + 1]);
    let refused = large.send().await.unwrap();
    assert_eq!((refused.status().as_u16(), &refused.headers()["connection"]), (413, &"close".parse().unwrap()));
    let fits = client.post(url("/length")).bearer_auth(&key).body("four");
    let fits = fits.send().await.unwrap();
    assert!(!fits.headers().contains_key("connection"), "it can be used again");
    assert_eq!(fits.text().await.unwrap(), "4");
    let strange = client.get(url("/keyed")).bearer_auth(&key).header("origin", "https://elsewhere.example");
    assert_eq!(strange.send().await.unwrap().status(), 403);
    let own = client.get(url("/keyed")).bearer_auth(&key).header("origin", world.server.url());
    assert_eq!(own.send().await.unwrap().status(), 200);
    let broken = client.get(url("/breaks")).bearer_auth(&key).send().await.unwrap();
    assert_eq!(broken.status(), 500);
    assert!(!broken.text().await.unwrap().contains("whoever built it"));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_listens_is_sent_away_with_the_key() {
    let world = world().await;
    let admin = world.house_key().await;
    let key = world.key("acme", Role::Viewer, &[]).await;
    let url = format!("{}/listen", world.server.url());
    let mut listening = world.http.clone().get(url).bearer_auth(&key).send().await.unwrap();
    let id = handover_core::access::id_of(&key).unwrap();
    assert_eq!(world.ask("DELETE", &format!("/v1/keys/{id}"), Some(&admin), None).await.status, 200);
    assert_eq!(listening.chunk().await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_is_sent_away_with_the_key() {
    let world = world().await;
    let admin = world.house_key().await;
    let key = world.key("acme", Role::Viewer, &[]).await;
    let waiting = world.http.get(format!("{}/wait", world.server.url())).bearer_auth(&key).send();
    let id = handover_core::access::id_of(&key).unwrap();
    let revoke = async {
        assert_eq!(world.ask("DELETE", &format!("/v1/keys/{id}"), Some(&admin), None).await.status, 200);
    };
    let (said, ()) = tokio::join!(waiting, revoke);
    assert_eq!(said.unwrap().status(), 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_strays_with_a_browser_reads_a_page() {
    let world = world().await;
    let cases = [
        ("/tem", "text/html,*/*", "text/html; charset=utf-8"),
        ("/tem<script>", "text/html", "text/html; charset=utf-8"),
        ("/tem", "*/*", "application/problem+json"),
        ("/v1/tem", "text/html", "application/problem+json"),
    ];
    for (path, accepts, kind) in cases {
        let said = world.ask_with("GET", path, None, None, &[("accept", accepts)]).await;
        assert_eq!((said.status, said.headers["content-type"].to_str().unwrap()), (404, kind), "{path} {accepts}");
        assert!(!said.text.contains("<script>"), "{}", said.text);
    }
}
