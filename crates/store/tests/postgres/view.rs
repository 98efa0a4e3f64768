//! The view for whoever reads the database with plain SQL.

use crate::{
    house::{House, delegation},
    sql::shell,
    stores,
};
use tokio_postgres::types::Type;
use uuid::Uuid;

#[tokio::test(flavor = "multi_thread")]
async fn a_handoff_has_the_conversation_up_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(stores::postgres(folder.path(), None));
    let id = house.open("one").await;
    house.say(&id, "first").await;
    house.say(&id, "second \"quoted\" \\u0000").await;
    let mut request = delegation("ann", "bob");
    request.reason = "it is the specialist's".into();
    request.user_intent = "to be served".into();
    request.trace_id = Some("trace-7".into());
    let handoff = house.initiate(&id, request).await;
    house.say(&id, "too late for it").await;
    let plain = house.initiate(&id, delegation("ann", "cleo")).await;

    let client = shell(folder.path()).await;
    let found = client.prepare("SELECT * FROM agent_handoffs ORDER BY created_at, id").await.unwrap();
    let columns: Vec<_> = found.columns().iter().map(|column| (column.name(), column.type_().clone())).collect();
    let expected = [
        ("id", Type::UUID),
        ("session_id", Type::TEXT),
        ("from_agent", Type::TEXT),
        ("to_agent", Type::TEXT),
        ("reason", Type::TEXT),
        ("conversation_history", Type::JSONB),
        ("harness_trace_id", Type::TEXT),
        ("user_intent", Type::TEXT),
        ("created_at", Type::TIMESTAMPTZ),
    ];
    assert_eq!(columns, expected);
    let text = "SELECT id, session_id, from_agent, to_agent, reason, conversation_history -> 0 ->> 'content', \
                conversation_history -> 1 ->> 'content', jsonb_array_length(conversation_history), harness_trace_id, \
                user_intent, created_at = '2023-11-14 22:13:20Z', conversation_history -> 0 ->> 'timestamp', \
                conversation_history -> 0 ? 'at' FROM agent_handoffs ORDER BY created_at, id";
    let rows = client.query(text, &[]).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.get::<_, Uuid>(0)).collect::<Vec<_>>(), [handoff.0, plain.0]);
    let words = |column: usize| rows[0].get::<_, &str>(column);
    assert_eq!((words(1), words(2), words(3)), ("one", "ann", "bob"));
    assert_eq!((words(4), words(5)), ("it is the specialist's", "first"));
    assert_eq!(words(6), "second \"quoted\" \\u0000");
    assert_eq!((words(8), words(9), words(11)), ("trace-7", "to be served", "2023-11-14T22:13:20.000Z"));
    assert!(rows[0].get::<_, bool>(10) && !rows[0].get::<_, bool>(12));
    assert_eq!((rows[0].get::<_, i32>(7), rows[1].get::<_, i32>(7)), (2, 3));
    assert_eq!(rows[1].get::<_, Option<&str>>(8), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_jsonb_cannot_hold_is_shown_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let _store = stores::postgres(folder.path(), None);
    let client = shell(folder.path()).await;
    let body = r#"{"a":"\u0000 and \\u0000 and \\\u0000"}"#;
    let shown: String = client.query_one("SELECT shown($1) ->> 'a'", &[&body]).await.unwrap().get(0);
    assert_eq!(shown, "\u{fffd} and \\u0000 and \\\u{fffd}");
}
