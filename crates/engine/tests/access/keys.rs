//! The life of a key: made, shown once, used, rotated, over.

use crate::common::{House, book, id, session, tenant, workers};
use handover_core::{
    access::{Denial, KeyInfo, NewKey, Role},
    command::{Caller, Open},
    refusal::{Code, Family, HandoffError},
    time::Timestamp,
};
use handover_engine::Engine;
use handover_store::RecordQuery;
use std::{collections::BTreeSet, time::Duration};

async fn made(engine: &Engine, new: NewKey) -> (KeyInfo, String) {
    engine.make_key(new).await.unwrap()
}

fn viewer() -> NewKey {
    NewKey::of("ci", Role::Viewer)
}

#[tokio::test]
async fn a_key_lets_its_caller_in_with_its_scope() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    assert!(!engine.has_keys());
    let new = NewKey {
        tenant: Some("acme".into()),
        agents: Some(vec![id("pilot")]),
        sessions: Some(BTreeSet::from([session("s")])),
        per_second: Some(5),
        ..NewKey::of("the pilot", Role::Agent)
    };
    let (key, token) = made(&engine, new).await;
    assert!(engine.has_keys());
    let known = engine.key_of(&token).unwrap();
    assert_eq!((&*known, known.per_second), (&key, Some(5)));
    let expected = Caller::new(format!("the pilot ({})", key.id), "acme")
        .role(Role::Agent)
        .acting_as([id("pilot")])
        .within([session("s")]);
    assert_eq!(known.caller(), expected);
    assert_eq!(engine.keys_used().unwrap()[&key.id], engine.now());
}

#[tokio::test]
async fn what_is_no_key_lets_nobody_in_and_is_told_in_the_same_words() {
    let house = House::new();
    let engine = house.open().await;
    let (key, token) = made(&engine, NewKey { expires_at: Some(engine.now() + 1_000), ..viewer() }).await;
    let (gone, revoked) = made(&engine, viewer()).await;
    engine.revoke_key(&gone.id).await.unwrap();
    let other = token.replace(key.id.as_str(), "aaaaaaaaaaaa");
    let last = if token.ends_with('A') { 'B' } else { 'A' };
    let wrong = format!("{}{last}", &token[..token.len() - 1]);
    house.clock.advance(Duration::from_secs(1));
    let cases: [(&str, Denial); 7] = [
        ("", Denial::Malformed),
        ("ho_", Denial::Malformed),
        (key.id.as_str(), Denial::Malformed),
        (&other, Denial::Unknown),
        (&wrong, Denial::Unknown),
        (&token, Denial::Expired),
        (&revoked, Denial::Revoked),
    ];
    for (text, denial) in cases {
        assert_eq!(engine.key_of(text), Err(denial), "{text}");
        let error = HandoffError::from(denial);
        assert_eq!((error.code(), error.code().family()), (Code::BadKey, Family::Unauthenticated));
        assert_eq!(error.to_string(), "HO0311 the key is not valid");
    }
    assert!(!engine.has_keys());
}

#[tokio::test]
async fn the_old_one_ends_after_its_grace() {
    let house = House::new();
    let engine = house.open().await;
    let (first, one) = made(&engine, NewKey { tenant: Some("acme".into()), ..viewer() }).await;
    let (second, two) = engine.rotate_key(&first.id, 60_000).await.unwrap();
    assert_eq!((second.tenant.as_str(), second.role, &second.name), ("acme", Role::Viewer, &first.name));
    assert!(engine.key_of(&one).is_ok() && engine.key_of(&two).is_ok());
    assert_eq!(engine.rotate_key(&first.id, 0).await.unwrap_err().code(), Code::Closed);
    house.clock.advance(Duration::from_secs(60));
    assert_eq!(engine.key_of(&one), Err(Denial::Expired));
    let (_, three) = engine.rotate_key(&second.id, 0).await.unwrap();
    assert_eq!(engine.key_of(&two), Err(Denial::Revoked));
    assert!(engine.key_of(&three).is_ok());
}

#[tokio::test]
async fn keys_survive_a_restart_and_their_secrets_are_in_no_file() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let (key, token) = made(&engine, viewer()).await;
    let (gone, revoked) = made(&engine, viewer()).await;
    engine.revoke_key(&gone.id).await.unwrap();
    let (_, rotated) = engine.rotate_key(&key.id, 1_000_000).await.unwrap();
    let query = || RecordQuery { limit: 999, ..RecordQuery::default() };
    engine.export(house.folder.path(), "all", query()).await.unwrap();
    let owner = engine.for_caller(Caller::new("owner", "handover:house").of_house());
    owner.export(house.folder.path(), "house", query()).await.unwrap();
    engine.close().await.unwrap();
    let engine = house.open().await;
    assert!(engine.key_of(&token).is_ok() && engine.key_of(&rotated).is_ok());
    assert_eq!(engine.key_of(&revoked), Err(Denial::Revoked));
    assert_eq!(engine.keys().await.unwrap().len(), 3);
    for secret in [&token, &revoked, &rotated] {
        let random = secret.rsplit_once(&secret[..16]).unwrap().1.as_bytes();
        for file in files(house.folder.path()) {
            let bytes = std::fs::read(&file).unwrap();
            assert!(!bytes.windows(random.len()).any(|part| part == random), "{}", file.display());
        }
    }
    let told = format!("{:?}", book(&engine).await);
    assert!(told.contains(key.id.as_str()), "what is made is on the record");
    engine.verify().await.unwrap();
}

fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    assert!(!found.is_empty());
    found
}

#[tokio::test]
async fn an_administrator_of_a_tenant_has_keys_of_that_tenant_alone() {
    let house = House::new();
    let engine = house.open().await;
    let (acme, beta) = (tenant(&engine, "acme"), tenant(&engine, "beta"));
    let (key, _) = made(&acme, viewer()).await;
    assert_eq!(key.tenant, "acme");
    let (of_house, _) = made(&engine, NewKey { tenant: Some("acme".into()), house: true, ..viewer() }).await;
    for (new, at) in [
        (NewKey { tenant: Some("beta".into()), ..viewer() }, Code::NotAllowed),
        (NewKey { house: true, ..viewer() }, Code::NotAllowed),
        (NewKey::of("bot", Role::Agent), Code::MissingField),
        (NewKey { expires_at: Some(Timestamp(0)), ..viewer() }, Code::OutOfRange),
    ] {
        assert_eq!(acme.make_key(new).await.unwrap_err().code(), at);
    }
    for (by, of) in [(&beta, &key), (&acme, &of_house)] {
        assert_eq!(by.revoke_key(&of.id).await.unwrap_err().code(), Code::UnknownKey);
        assert_eq!(by.rotate_key(&of.id, 0).await.unwrap_err().code(), Code::UnknownKey);
    }
    assert_eq!(acme.keys().await.unwrap(), std::slice::from_ref(&key));
    assert!(beta.keys().await.unwrap().is_empty());
    // Bound to less than a tenant, nobody makes a key for more.
    let bound = engine.for_caller(Caller::new("x", "acme").within([session("s")]));
    assert_eq!(bound.make_key(viewer()).await.unwrap_err().code(), Code::NotAllowed);
    let bound = engine.for_caller(Caller::new("x", "acme").acting_as([id("bot")]));
    assert_eq!(bound.make_key(viewer()).await.unwrap_err().code(), Code::NotYourAgent);
    assert_eq!(acme.revoke_key(&key.id).await.unwrap().revoked_at, Some(engine.now()));
}

#[tokio::test]
async fn what_a_key_opens_is_what_its_caller_sees() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let (_, token) = made(&engine, NewKey { tenant: Some("acme".into()), ..NewKey::of("ops", Role::Operator) }).await;
    let ops = engine.for_caller(engine.key_of(&token).unwrap().caller());
    ops.open_session(&session("theirs"), Open::by("planner").unwrap()).await.unwrap();
    assert_eq!(engine.session(&session("theirs")).await.unwrap_err().code(), Code::UnknownSession);
    assert_eq!(ops.sessions(0, 9).await.unwrap(), [session("theirs")]);
    assert_eq!(ops.remove_agent(&id("pilot")).await.unwrap_err().code(), Code::NotAllowed);
}
