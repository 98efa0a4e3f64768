//! The view for whoever reads the file with plain SQL.

use crate::house::{House, delegation};
use handover_store::sqlite::{Options, SqliteStore};
use serde_json::Value;
use std::sync::Arc;

#[tokio::test]
async fn a_handoff_has_the_conversation_up_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.db");
    let mut house = House::on(Arc::new(SqliteStore::open(&path, Options::default()).unwrap()));
    let id = house.open("one").await;
    house.say(&id, "first").await;
    house.say(&id, "second \"quoted\"").await;
    let mut request = delegation("ann", "bob");
    request.reason = "it is the specialist's".into();
    request.user_intent = "to be served".into();
    request.trace_id = Some("trace-7".into());
    let handoff = house.initiate(&id, request).await;
    house.say(&id, "too late for it").await;
    let plain = house.initiate(&id, delegation("ann", "cleo")).await;

    // While the store is open and writing, as a shell would.
    let conn = rusqlite::Connection::open(&path).unwrap();
    let mut find = conn.prepare("SELECT * FROM agent_handoffs ORDER BY created_at, id").unwrap();
    let expected = [
        "id",
        "session_id",
        "from_agent",
        "to_agent",
        "reason",
        "conversation_history",
        "harness_trace_id",
        "user_intent",
        "created_at",
    ];
    assert!(find.column_names().eq(expected));
    let rows: Vec<Vec<Option<String>>> =
        find.query_map([], |row| (0..9).map(|column| row.get(column)).collect()).unwrap().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2);
    let text = |row: usize, column: usize| rows[row][column].as_deref().unwrap();
    assert_eq!(text(0, 0), handoff.to_string());
    assert_eq!((text(0, 1), text(0, 2), text(0, 3)), ("one", "ann", "bob"));
    assert_eq!((text(0, 4), text(0, 6)), ("it is the specialist's", "trace-7"));
    assert_eq!((text(0, 7), text(0, 8)), ("to be served", "2023-11-14T22:13:20.000Z"));
    let history: Value = serde_json::from_str(text(0, 5)).unwrap();
    let said: Vec<&str> = history.as_array().unwrap().iter().map(|m| m["content"].as_str().unwrap()).collect();
    assert_eq!(said, ["first", "second \"quoted\""]);
    assert_eq!(history[0]["role"], "user");
    assert_eq!(history[0]["agent"], "ann");
    assert_eq!(history[0]["timestamp"], "2023-11-14T22:13:20.000Z");
    assert_eq!(text(1, 0), plain.to_string());
    assert_eq!(rows[1][6], None);
    assert_eq!(serde_json::from_str::<Value>(text(1, 5)).unwrap().as_array().unwrap().len(), 3);
}
