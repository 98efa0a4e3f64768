//! The socket itself: who may reach it, and what it says to lines that are no request.

use crate::Place;
use handover::prelude::*;
use std::{
    io::{BufRead, BufReader, Write},
    os::unix::{fs::PermissionsExt, net::UnixStream},
    path::Path,
};

/// An engine in this process, and its desk.
async fn open(place: &Place) -> (Engine, handover::cli::desk::Desk) {
    let db = place.path().join("handover.db");
    let engine = Engine::open(&db).await.unwrap();
    let desk = handover::cli::desk::serve(&engine, &db);
    (engine, desk)
}

/// What comes back to a line, as text.
fn ask(path: &Path, line: &str) -> Vec<String> {
    let mut stream = UnixStream::connect(path).unwrap();
    stream.write_all(line.as_bytes()).unwrap();
    stream.write_all(b"\n").unwrap();
    BufReader::new(stream).lines().map_while(Result::ok).collect()
}

fn request(version: &str, args: &str) -> String {
    let look = "{\"width\": null, \"colour\": false, \"terminal\": false, \"progress\": false, \"json\": false}";
    format!(
        "{{\"version\": \"{version}\", \"args\": {args}, \"folder\": \"/\", \"user\": \"carol\", \"look\": {look}}}"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_is_answered_in_pieces_and_with_an_end() {
    let place = Place::new();
    let (engine, desk) = open(&place).await;
    let path = desk.path().unwrap().to_path_buf();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let version = env!("CARGO_PKG_VERSION");
    let cases = [
        (request(version, "[\"explain\"]"), "{\"exit\":1}"),
        (request(version, "[\"keep\"]"), "{\"exit\":1}"),
        (request(version, "[\"stats\"]"), "{\"exit\":0}"),
        (request(version, "[\"frob\"]"), "{\"exit\":3}"),
        (request("0.0.0", "[\"stats\"]"), "{\"exit\":2}"),
        ("{}".to_owned(), "{\"exit\":2}"),
        ("no json".to_owned(), "{\"exit\":2}"),
        (String::new(), "{\"exit\":2}"),
    ];
    let answers = tokio::task::spawn_blocking(move || cases.map(|(line, end)| (ask(&path, &line), line, end)));
    for (answer, line, end) in answers.await.unwrap() {
        assert_eq!(answer.last().map(String::as_str), Some(end), "{line}: {answer:?}");
        assert!(answer.len() > 1, "{line}: {answer:?}");
    }
    drop(desk);
    engine.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_too_long_is_refused() {
    let place = Place::new();
    let (engine, desk) = open(&place).await;
    let path = desk.path().unwrap().to_path_buf();
    let answer = tokio::task::spawn_blocking(move || {
        let mut stream = UnixStream::connect(path).unwrap();
        stream.write_all(&vec![b'x'; handover::core::limits::DESK_LINE_BYTES_MAX]).unwrap();
        BufReader::new(stream).lines().map_while(Result::ok).collect::<Vec<_>>()
    });
    assert!(answer.await.unwrap()[0].contains("DESK_LINE_BYTES_MAX"));
    drop(desk);
    engine.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_too_many_is_told_so() {
    let place = Place::new();
    let (engine, desk) = open(&place).await;
    let path = desk.path().unwrap().to_path_buf();
    let answer = tokio::task::spawn_blocking(move || {
        // They are let in, in the order in which they came, and say nothing.
        let held: Vec<UnixStream> =
            (0..handover::core::limits::DESK_CONNECTIONS_MAX).map(|_| UnixStream::connect(&path).unwrap()).collect();
        let output = place.output("stats");
        drop(held);
        (output.status.code(), crate::told(&output))
    });
    let (code, text) = answer.await.unwrap();
    assert_eq!(code, Some(2));
    assert!(text.contains("DESK_CONNECTIONS_MAX"), "{text}");
    drop(desk);
    engine.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_path_has_its_socket_elsewhere() {
    let place = Place::new();
    let folder = place.path().join("a-rather-long-name-of-a-folder".repeat(4));
    std::fs::create_dir(&folder).unwrap();
    let db = folder.join("handover.db");
    let engine = Engine::open(&db).await.unwrap();
    let desk = handover::cli::desk::serve(&engine, &db);
    assert_eq!(desk.trouble(), None);
    let path = desk.path().unwrap().to_path_buf();
    assert!(!path.starts_with(&folder) && path.exists());
    let line = format!("--db {} stats", db.display());
    tokio::task::spawn_blocking(move || place.good(&line)).await.unwrap();
    drop(desk);
    assert!(!path.exists());
    engine.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_beginning_of_an_id_is_enough_among_many_and_several_are_listed() {
    let place = Place::with_team();
    let db = place.path().join("handover.db");
    let engine = Engine::open_with(&db, Options { sync: false, ..Options::default() }).await.unwrap();
    let desk = handover::cli::desk::serve(&engine, &db);
    let mut ids = Vec::new();
    // So many that two of them begin with the same four characters, and that they are more than a page.
    for session in 0..300 {
        let name = SessionId::new(format!("s-{session}")).unwrap();
        engine.open_session(&name, Open::by("desk").unwrap()).await.unwrap();
        for n in 0..5 {
            let request = Request::delegation("desk", "bob", &format!("{n}"), Duration::from_secs(3_600)).unwrap();
            ids.push(engine.initiate(&name, request).await.unwrap().handoffs[0].to_string());
        }
    }
    let first = ids[0].clone();
    ids.sort_unstable();
    let same = ids.windows(2).find(|pair| pair[0][..4] == pair[1][..4]).unwrap().to_vec();
    let asked = tokio::task::spawn_blocking(move || {
        let shown = place.json(&format!("handoffs show {}", &first[..18]));
        assert_eq!(shown["handoff"]["id"], first.as_str());
        let told = crate::told(&place.output(&format!("handoffs show {}", &same[0][..4])));
        assert!(told.contains(&format!("handoffs begin with {}", &same[0][..4])), "{told}");
        assert!(told.contains(&same[0]) && told.contains(&same[1]) && told.ends_with("= 1\n"), "{told}");
        place
    });
    let _place = asked.await.unwrap();
    drop(desk);
    engine.close().await.unwrap();
}
