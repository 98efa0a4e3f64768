//! Keys on the command line: shown once, listed without their secrets, rotated, taken back.

use crate::{Place, told};
use expect_test::{Expect, expect};
use regex::Regex;

/// What a line shows, with ids and secrets masked.
fn says(place: &Place, line: &str, expect: &Expect) {
    let shown = place.masked(&told(&place.output(line)));
    let shown = Regex::new(r"ho_[a-z0-9]{12}_[A-Za-z0-9_-]{43}").unwrap().replace_all(&shown, "SECRET").into_owned();
    let mut shown = shown;
    for id in ids(place) {
        shown = shown.replace(&id, "aaaaaaaaaaaa");
    }
    expect.assert_eq(&shown);
}

fn ids(place: &Place) -> Vec<String> {
    let keys = place.json("keys");
    keys.as_array().unwrap().iter().map(|key| key["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_key_is_made_listed_rotated_and_taken_back() {
    let place = Place::new();
    let line = "keys make 'the counter' --role agent --tenant acme --agent counter --session trip --expires 30d";
    says(
        &place,
        line,
        &expect![[r#"
            SECRET
            ! key aaaaaaaaaaaa of tenant acme: agent, for counter, session trip
            ! this is shown once; send it as `Authorization: Bearer KEY`, or set HANDOVER_KEY
        "#]],
    );
    place.good("keys make root --role admin --house");
    says(
        &place,
        "keys",
        &expect![[r#"
            KEY           NAME         ROLE   TENANT          FOR                    STANDS
            aaaaaaaaaaaa  the counter  agent  acme            counter, session trip  until 2026-01-01T00:00:00.000Z
            aaaaaaaaaaaa  root         admin  default, house  all                    valid
        "#]],
    );
    let first = ids(&place).remove(0);
    says(
        &place,
        &format!("keys rotate {first} --grace 1h"),
        &expect![[r#"
            SECRET
            ! key aaaaaaaaaaaa of tenant acme: agent, for counter, session trip
            ! this is shown once; send it as `Authorization: Bearer KEY`, or set HANDOVER_KEY
            ! the old key aaaaaaaaaaaa ends in 1 h
        "#]],
    );
    says(
        &place,
        &format!("keys revoke {first}"),
        &expect![[r#"
            aaaaaaaaaaaa is revoked: nobody comes in with it any more
        "#]],
    );
    let keys = place.json("keys list");
    let of = |field: &str| keys.as_array().unwrap().iter().map(|key| key[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("valid"), [false, true, true]);
    assert!(of("hash").iter().chain(&of("secret")).all(serde_json::Value::is_null), "{keys}");
    assert_eq!(keys[0]["replaced_by"], keys[2]["id"]);
    place.good("verify");
}

#[test]
fn the_secret_is_shown_once_and_kept_nowhere() {
    let place = Place::new();
    let made = place.json("keys make ci --role viewer");
    let secret = made["secret"].as_str().unwrap();
    let (_, random) = secret.split_at("ho_aaaaaaaaaaaa_".len());
    for entry in std::fs::read_dir(place.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(random.len()).any(|part| part == random.as_bytes()));
    }
    assert!(!place.good("keys list --json").contains(random));
}

#[test]
fn mistakes_are_told() {
    let place = Place::new();
    place.good("keys make root --role admin");
    let cases = [
        ("keys make x --role agent", "HO0101 agents: it names no agent"),
        ("keys make x --role viewer --tenant handover:house", "HO0308 tenant: handover:house is reserved"),
        ("keys make x --role viewer --expires soon", "HO0104 --expires: `soon` is no length of time"),
        ("keys make x --role viewer --per-second 0", "HO0109 per_second:"),
        ("keys make x --role root", "invalid value 'root'"),
        ("keys revoke aaaaaaaaaaaa", "HO0310 id: there is no key aaaaaaaaaaaa"),
        ("keys revoke nothing", "HO0310"),
        ("keys rotate aaaaaaaaaaaa --grace x", "HO0104 --grace:"),
    ];
    for (line, expected) in cases {
        let output = place.output(line);
        assert!(!output.status.success(), "{line}");
        let shown = told(&output);
        assert!(shown.contains(expected), "{line}\n{shown}");
    }
    assert_eq!(ids(&place).len(), 1);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn what_another_terminal_revokes_is_over_at_once_where_the_database_is_held() {
    let place = Place::new();
    let db = place.path().join("handover.db");
    let engine = handover::prelude::Engine::open(&db).await.unwrap();
    let desk = handover::cli::desk::serve(&engine, &db);
    let (place, secret) = tokio::task::spawn_blocking(move || {
        let secret = place.good("keys make ci --role viewer").trim().to_owned();
        (place, secret)
    })
    .await
    .unwrap();
    let key = engine.key_of(&secret).unwrap();
    tokio::task::spawn_blocking(move || {
        place.good(&format!("keys revoke {}", key.id));
        place
    })
    .await
    .unwrap();
    assert_eq!(engine.key_of(&secret), Err(handover::core::access::Denial::Revoked));
    drop(desk);
    engine.close().await.unwrap();
}
