//! Denials are on the record, and whoever knocks without end fills no book.

use crate::common::{House, book, workers};
use handover_core::{
    access::{KeyId, NewKey, Role},
    event::{DeniedAccess, Event},
    limits::{DENIAL_CHARS_MAX, DENIALS_KEPT_PER_MINUTE},
    refusal::Code,
};
use handover_engine::{Denied, Engine};
use std::time::Duration;

async fn denied(engine: &Engine) -> Vec<DeniedAccess> {
    let records = book(engine).await.into_iter().map(|record| record.event);
    records.filter_map(|event| if let Event::AccessDenied(denied) = event { Some(denied) } else { None }).collect()
}

fn knock(key: Option<&KeyId>) -> Denied {
    Denied { key: key.cloned(), tenant: None, what: "GET /v1/sessions".into(), why: Code::BadKey }
}

#[tokio::test]
async fn a_denial_is_recorded_and_many_are_counted() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let (key, _) = engine.make_key(NewKey::of("ci", Role::Viewer)).await.unwrap();
    let stranger: KeyId = "aaaaaaaaaaaa".parse().unwrap();
    let most = DENIALS_KEPT_PER_MINUTE as usize;
    for n in 0..most + 5 {
        // Those that nobody knows count together, whatever they call themselves.
        engine.note_denial(knock(if n % 2 == 0 { None } else { Some(&stranger) })).await.unwrap();
    }
    engine.note_denial(knock(Some(&key.id))).await.unwrap();
    let found = denied(&engine).await;
    assert_eq!(found.len(), most + 1);
    assert_eq!((found[0].key.as_ref(), found[0].why, found[0].left_out), (None, Code::BadKey, 0));
    assert_eq!((found[most].key.as_ref(), found[most].left_out), (Some(&key.id), 0));
    house.clock.advance(Duration::from_secs(60));
    engine.note_denial(knock(None)).await.unwrap();
    engine.note_denial(knock(None)).await.unwrap();
    let left_out: Vec<u64> = denied(&engine).await[most + 1..].iter().map(|denied| denied.left_out).collect();
    assert_eq!(left_out, [5, 0]);
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn what_is_recorded_is_short_and_clean() {
    let house = House::new();
    let engine = house.open().await;
    let what = format!("GET /\n{}", "x".repeat(1_000));
    let tenant = Some("acme\r".to_owned());
    engine.note_denial(Denied { key: None, tenant, what, why: Code::NotAllowed }).await.unwrap();
    let found = denied(&engine).await.remove(0);
    assert_eq!(found.what.chars().count(), DENIAL_CHARS_MAX);
    assert!(!found.what.contains('\n'));
    assert_eq!(found.tenant.as_deref(), Some("acme"));
}
