//! The market and its client over a real connection: quotes come by the clock, and a restart loses nothing.

use super::*;
use crate::{
    faults::{Fault, Faults, QuoteFault},
    http::{self, Server},
};
use expect_test::expect;
use handover_core::{limits::HTTP_BODY_BYTES_MAX, time::Timestamp};
use handover_engine::clock::ManualClock;
use std::{path::Path, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

fn clock() -> ManualClock {
    ManualClock::at("2026-11-16T09:00:00Z".parse::<Timestamp>().unwrap())
}

fn request(passengers: u64) -> RfpRequest {
    RfpRequest { from: "Paris".into(), to: "Nice".into(), date: "2026-11-20".into(), passengers }
}

async fn market(settings: MarketSettings, clock: &ManualClock) -> (Server, MarketClient) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = Market::open(settings, Arc::new(clock.clone())).unwrap().serve(listener).unwrap();
    let client = MarketClient::at(server.address().to_string());
    (server, client)
}

fn settings(folder: Option<&Path>, quotes: QuoteFault) -> MarketSettings {
    let faults = Faults { quotes, ..Faults::default() };
    MarketSettings { first_after_ms: 1_000, every_ms: 500, folder: folder.map(Into::into), faults }
}

#[tokio::test]
async fn quotes_come_late_and_one_by_one() {
    let clock = clock();
    let (_server, market) = market(settings(None, QuoteFault::All), &clock).await;
    let rfp = market.create("session-1", &request(4)).await.unwrap();
    assert_eq!((rfp.rfp_id.len(), rfp.quotes.len(), rfp.request.from.as_str()), (16, 0, "LBG"));
    let mut counts = Vec::new();
    for _ in 0..8 {
        clock.advance(Duration::from_millis(500));
        counts.push(market.get(&rfp.rfp_id).await.unwrap().quotes.len());
    }
    assert_eq!(counts, [0, 1, 2, 3, 4, 5, 6, 6]);
}

#[tokio::test]
async fn the_same_request_gets_the_same_quotes() {
    let clock = clock();
    let (_server, market) =
        market(MarketSettings { first_after_ms: 0, every_ms: 0, ..settings(None, QuoteFault::All) }, &clock).await;
    let rfp = market.create("one", &request(4)).await.unwrap();
    let lines: Vec<String> = rfp
        .quotes
        .iter()
        .map(|q| {
            format!(
                "{} {} {} seats {} EUR {} min, safety {}, comfort {}",
                q.operator, q.aircraft, q.seats, q.price, q.flight_minutes, q.safety_rating, q.comfort
            )
        })
        .collect();
    expect![[r#"
        Atlantic Private Challenger 350 10 seats 9000 EUR 72 min, safety 88, comfort 86
        Danube Aviation Citation CJ3+ 7 seats 5350 EUR 78 min, safety 85, comfort 66
        Lumen Jets Phenom 300E 8 seats 5600 EUR 74 min, safety 92, comfort 72
        Alpine Jets Phenom 300E 8 seats 6000 EUR 74 min, safety 97, comfort 72
        Blue Charter Citation M2 6 seats 4100 EUR 80 min, safety 82, comfort 60
        Nord Air Phenom 300E 8 seats 5650 EUR 74 min, safety 93, comfort 72"#]]
    .assert_eq(&lines.join("\n"));
    let other = market.create("two", &request(4)).await.unwrap();
    let prices = |rfp: &Rfp| rfp.quotes.iter().map(|quote| quote.price).collect::<Vec<_>>();
    assert_eq!(prices(&rfp), prices(&other));
    assert_ne!(rfp.rfp_id, other.rfp_id);
    assert!(market.create("three", &request(19)).await.unwrap().quotes.iter().all(|quote| quote.seats >= 19));
}

#[tokio::test]
async fn a_key_is_one_request_also_after_a_restart() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), clock());
    let (server, client) = market(settings(Some(folder.path()), QuoteFault::All), &clock).await;
    let first = client.create("session-1", &request(4)).await.unwrap();
    drop(server);
    clock.advance(Duration::from_millis(1_500));
    // The process ended within a line.
    let file = folder.path().join("rfps.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}{{\"rfp_id\":\"rfp-")).unwrap();
    let (server, client) = market(settings(Some(folder.path()), QuoteFault::All), &clock).await;
    let again = client.create("session-1", &request(4)).await.unwrap();
    assert_eq!((again.rfp_id.as_str(), again.quotes.len()), (first.rfp_id.as_str(), 2));
    client.create("session-2", &request(4)).await.unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 2);
    drop(server);
    let (_server, client) = market(settings(Some(folder.path()), QuoteFault::All), &clock).await;
    assert_eq!(
        client.create("session-2", &request(4)).await.unwrap().quotes.len(),
        0,
        "it began when it was asked for"
    );
    let error = client.create("session-1", &request(5)).await.unwrap_err();
    assert_eq!(error.why, "the charter market answers 409: this key was used for another request");
    assert!(!error.retryable);
}

#[tokio::test]
async fn quotes_can_go_wrong() {
    for (fault, expected) in [
        (QuoteFault::None, (0, 0)),
        (QuoteFault::Few(2), (2, 2)),
        (QuoteFault::Withdraw(4), (6, 2)),
        (QuoteFault::Late(1), (6, 6)),
        (QuoteFault::Late(100_000), (0, 0)),
    ] {
        let clock = clock();
        let (_server, market) = market(settings(None, fault), &clock).await;
        let rfp = market.create("session-1", &request(4)).await.unwrap();
        clock.advance(Duration::from_secs(60));
        let quotes = market.get(&rfp.rfp_id).await.unwrap().quotes;
        let standing = quotes.iter().filter(|quote| quote.status == QuoteStatus::Offered).count();
        assert_eq!((quotes.len(), standing), expected, "{fault:?}");
    }
}

#[tokio::test]
async fn the_market_can_fail_at_first_and_for_good() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), clock());
    let mut failing = settings(Some(folder.path()), QuoteFault::All);
    failing.faults.market = Fault { fail_first: 2, permanently: false };
    for expected in [Some(true), Some(true), None] {
        // Each call meets a market that has just been started.
        let (_server, market) = market(failing.clone(), &clock).await;
        let outcome = market.create("session-1", &request(4)).await;
        assert_eq!(outcome.err().map(|error| error.retryable), expected);
    }
    failing.faults.market.permanently = true;
    let (server, client) = market(failing, &clock).await;
    assert!(!client.create("session-1", &request(4)).await.unwrap_err().retryable);
    drop(server);
    let gone = MarketClient::at("127.0.0.1:1");
    assert!(gone.get("x").await.unwrap_err().retryable);
}

#[tokio::test]
async fn what_cannot_be_flown_is_refused() {
    let (_server, market) = market(settings(None, QuoteFault::All), &clock()).await;
    for (from, to, date, passengers, expected) in [
        ("Pariss", "Nice", "2026-11-20", 4, "no airport is known as `Pariss`"),
        ("Paris", "LBG", "2026-11-20", 4, "a flight ends elsewhere than it begins"),
        ("Paris", "Nice", "2026-02-30", 4, "`date` must be a day such as 2026-11-20"),
        ("Paris", "Nice", "2026-11-20", 20, "1 to 19 people can fly (PASSENGERS_MAX)"),
    ] {
        let request = RfpRequest { from: from.into(), to: to.into(), date: date.into(), passengers };
        let error = market.create("x", &request).await.unwrap_err();
        assert_eq!((error.why, error.retryable), (format!("the charter market answers 422: {expected}"), false));
    }
}

#[tokio::test]
async fn bad_http_gets_an_answer_and_a_bound() {
    let (server, _) = market(settings(None, QuoteFault::All), &clock()).await;
    let large = format!("POST /rfps HTTP/1.1\r\nContent-Length: {}\r\n\r\n", HTTP_BODY_BYTES_MAX + 1);
    for (sent, status) in [
        ("GET /health HTTP/1.1\r\n\r\n", "200"),
        ("GET /nowhere HTTP/1.1\r\n\r\n", "404"),
        ("PUT /rfps HTTP/1.1\r\n\r\n", "405"),
        ("hello\r\n\r\n", "400"),
        ("POST /rfps HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", "400"),
        ("POST /rfps HTTP/1.1\r\nContent-Length: -2\r\n\r\n{}", "400"),
        ("POST /rfps HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
        ("POST /rfps HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "400 Bad Request: twice"),
        (large.as_str(), "413"),
        (&"x".repeat(20_000), "400"),
    ] {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // A server that has answered may cut off what it has not read.
        let _ = stream.read_to_end(&mut answer).await;
        let answer = String::from_utf8(answer).unwrap();
        let (status, said) = status.split_once(": ").unwrap_or((status, ""));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")) && answer.contains(said), "{sent:.60}: {answer}");
    }
    let address = server.address().to_string();
    assert!(http::call(&address, "GET", "/rfps/a b", &[], None).await.is_err());
    assert!(http::call(&address, "GET", "/health", &[("X", "y\r\nZ: 1")], None).await.is_err());
}
