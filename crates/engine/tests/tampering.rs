//! Somebody opens the file with a shell and changes what happened. Verifying finds it and names it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, one_done, session, user, workers};
use handover_core::{
    budget::{Budget, Limit},
    command::{Open, Write},
    policy::Budgets,
    refusal::Code,
};
use rusqlite::{Connection, params};

/// Sessions `s` (all sorts of things), `t` and `u` (a little), all sealed.
async fn busy(house: &House) {
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    for name in ["t", "u"] {
        engine.open_session(&session(name), Open::by("planner").unwrap()).await.unwrap();
        engine.say(&session(name), vec![user("hello")]).await.unwrap();
    }
    engine.say(&session("s"), vec![user("one"), user("two"), user("three")]).await.unwrap();
    let write = |name: &str| Write { name: name.into(), value: 1.into(), expected_version: None };
    engine.set(&session("s"), &common::id("planner"), vec![write("a"), write("b")]).await.unwrap();
    one_done(&engine, "s", "planner", "pilot").await;
    one_done(&engine, "s", "planner", "pilot").await;
    engine.initiate(&session("s"), common::delegation("planner", "pilot")).await.unwrap();
    engine.verify().await.unwrap();
    engine.close().await.unwrap();
}

const S: &str = "(SELECT no FROM sessions WHERE id = 's')";

fn run(conn: &Connection, sql: &str) {
    let changed = conn.execute_batch(&sql.replace("$S", S));
    changed.unwrap();
}

/// What somebody does to the file, and what is said about it: the session, the record, and a word of why.
type Case = (&'static str, fn(&Connection), &'static str, u64, &'static str);

const CASES: &[Case] = &[
    (
        "a text",
        |c| {
            run(
                c,
                "UPDATE records SET text = replace(text, 'find a jet', 'find a bus') \
        WHERE session_no = $S AND seq = 4",
            );
        },
        "s",
        4,
        "does not match its hash",
    ),
    ("a text with its hash", |c| rehash(c, 4), "s", 5, "does not follow"),
    (
        "the last text with its hash and the head",
        |c| {
            rehash(c, 10);
            head_follows(c);
        },
        "s",
        10,
        "sealed another record",
    ),
    ("a record in the middle", |c| run(c, "DELETE FROM records WHERE session_no = $S AND seq = 5"), "s", 5, "missing"),
    ("the first record", |c| run(c, "DELETE FROM records WHERE session_no = $S AND seq = 1"), "s", 1, "missing"),
    ("the last record", |c| run(c, "DELETE FROM records WHERE session_no = $S AND seq = 10"), "s", 10, "missing"),
    (
        "the last record, and the head follows",
        |c| {
            run(c, "DELETE FROM records WHERE session_no = $S AND seq = 10");
            head_follows(c);
        },
        "s",
        9,
        "not what its records say",
    ),
    ("the end of a quiet session, and everything follows", quiet_end, "t", 2, "sealed it, and it is not there"),
    (
        "the beginning, as if it had been kept long enough",
        |c| {
            run(
                c,
                "UPDATE sessions SET pruned_seq = 3, pruned_hash = \
            (SELECT hash FROM records WHERE session_no = $S AND seq = 3) WHERE id = 's'; \
            DELETE FROM records WHERE session_no = $S AND seq <= 3",
            );
        },
        "s",
        3,
        "nobody removed",
    ),
    (
        "a whole session",
        |c| {
            run(
                c,
                "DELETE FROM records WHERE session_no = (SELECT no FROM sessions WHERE id = 'u'); \
            DELETE FROM sessions WHERE id = 'u'",
            );
        },
        "u",
        2,
        "the session is gone",
    ),
    (
        "two records swapped",
        |c| {
            run(
                c,
                "UPDATE records SET seq = 99 WHERE session_no = $S AND seq = 5; \
            UPDATE records SET seq = 5 WHERE session_no = $S AND seq = 6; \
            UPDATE records SET seq = 6 WHERE session_no = $S AND seq = 99",
            );
        },
        "s",
        5,
        "does not follow",
    ),
    (
        "a record of another session",
        |c| {
            run(
                c,
                "UPDATE records SET session_no = $S, seq = 11 \
            WHERE session_no = (SELECT no FROM sessions WHERE id = 't') AND seq = 2; \
            UPDATE sessions SET head_seq = 11 WHERE id = 's'",
            );
        },
        "s",
        11,
        "does not follow",
    ),
    (
        "a message",
        |c| run(c, "UPDATE messages SET body = replace(body, 'two', 'TWO') WHERE session_no = $S AND n = 2"),
        "s",
        10,
        "conversation",
    ),
    ("a message gone", |c| run(c, "DELETE FROM messages WHERE session_no = $S AND n = 3"), "s", 10, "conversation"),
    (
        "a variable",
        |c| {
            run(
                c,
                "UPDATE items SET body = replace(body, '\"value\":1', '\"value\":2') \
        WHERE session_no = $S AND kind = 1 AND key = 'b'",
            );
        },
        "s",
        10,
        "stored session",
    ),
    ("a variable gone", |c| run(c, "DELETE FROM items WHERE session_no = $S AND key = 'a'"), "s", 10, "stored session"),
    (
        "the state of the session",
        |c| {
            run(
                c,
                "UPDATE sessions SET state = replace(state, \
        '\"active_agent\":\"planner\"', '\"active_agent\":\"pilot\"') WHERE id = 's'",
            );
        },
        "s",
        10,
        "stored session",
    ),
    (
        "the status column of a closed handoff",
        |c| {
            run(
                c,
                "UPDATE handoffs SET status = 'failed' \
        WHERE session_no = $S AND n = 1",
            );
        },
        "s",
        10,
        "listed as something else",
    ),
    (
        "the state of a closed handoff",
        |c| {
            run(
                c,
                "UPDATE handoffs SET status = 'failed', \
        state = replace(state, '\"completed\"', '\"failed\"') WHERE session_no = $S AND n = 1",
            );
        },
        "s",
        10,
        "not what its records say",
    ),
    (
        "the target column",
        |c| run(c, "UPDATE handoffs SET to_agent = 'planner' WHERE session_no = $S AND n = 2"),
        "s",
        10,
        "listed as something else",
    ),
    (
        "the tenant column",
        |c| run(c, "UPDATE handoffs SET tenant = 'other' WHERE session_no = $S AND n = 2"),
        "s",
        10,
        "listed as something else",
    ),
    (
        "whose result it is",
        |c| {
            run(
                c,
                "UPDATE handoffs SET closed_position = (SELECT closed_position FROM handoffs \
        WHERE session_no = $S AND n = 2) WHERE session_no = $S AND n = 1",
            );
        },
        "s",
        10,
        "not what its records say",
    ),
    ("a closed handoff gone", |c| run(c, "DELETE FROM handoffs WHERE session_no = $S AND n = 2"), "s", 10, "is gone"),
    (
        "an open handoff",
        |c| {
            run(
                c,
                "UPDATE handoffs SET due_at = due_at + 9000000, \
        state = json_set(state, '$.phase.until', '2099-01-01T00:00:00.000Z') WHERE session_no = $S AND n = 3",
            );
        },
        "s",
        10,
        "stored session",
    ),
    (
        "an open handoff gone",
        |c| run(c, "DELETE FROM handoffs WHERE session_no = $S AND n = 3"),
        "s",
        10,
        "stored session",
    ),
    (
        "a checkpoint",
        |c| {
            run(
                c,
                "UPDATE records SET text = replace(text, '\"seq\":10', '\"seq\":9') \
        WHERE event_type = 'sealed'",
            );
        },
        "handover:house",
        4,
        "does not match its hash",
    ),
];

/// Changes a record and makes its hash fit again.
fn rehash(conn: &Connection, seq: i64) {
    let text: String = conn
        .query_row(&format!("SELECT text FROM records WHERE session_no = {S} AND seq = ?1"), [seq], |row| row.get(0))
        .unwrap();
    let changed = text.replacen("\"caller\":\"local\"", "\"caller\":\"nobody\"", 1);
    assert_ne!(text, changed);
    let hash = handover_core::record::hash(&changed).0;
    let sql = format!("UPDATE records SET text = ?1, hash = ?2 WHERE session_no = {S} AND seq = ?3");
    assert_eq!(conn.execute(&sql, params![changed, hash, seq]).unwrap(), 1);
}

/// The session's own mark says what its last record now is.
fn head_follows(conn: &Connection) {
    let (seq, hash): (i64, [u8; 32]) = conn
        .query_row(&format!("SELECT seq, hash FROM records WHERE session_no = {S} ORDER BY seq DESC"), [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    let text = handover_core::digest::Digest(hash).to_string();
    let sql = "UPDATE sessions SET head_seq = ?1, head_hash = ?2, \
               state = json_set(state, '$.head.seq', ?1, '$.head.hash', ?3) WHERE id = 's'";
    assert_eq!(conn.execute(sql, params![seq, hash, text]).unwrap(), 1);
}

/// A session with one message is made into one with none, so well that only the checkpoint knows.
fn quiet_end(conn: &Connection) {
    let t = "(SELECT no FROM sessions WHERE id = 't')";
    let (hash, at): ([u8; 32], String) = conn
        .query_row(
            &format!("SELECT hash, json_extract(text, '$.timestamp') FROM records WHERE session_no = {t} AND seq = 1"),
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    run(
        conn,
        &format!(
            "DELETE FROM records WHERE session_no = {t} AND seq = 2; \
        DELETE FROM messages WHERE session_no = {t}"
        ),
    );
    let head = serde_json::json!({"seq": 1, "hash": handover_core::digest::Digest(hash)}).to_string();
    let mark = serde_json::to_string(&handover_core::message::Mark::default()).unwrap();
    let sql = "UPDATE sessions SET head_seq = 1, head_hash = ?1, \
               state = json_set(state, '$.head', json(?2), '$.mark', json(?3), '$.last_at', ?4, '$.watch.news', 0) WHERE id = 't'";
    assert_eq!(conn.execute(sql, params![hash, head, mark, at]).unwrap(), 1);
}

#[tokio::test]
async fn whatever_is_changed_is_found_and_named() {
    let made = House::new();
    busy(&made).await;
    for (what, change, name, seq, why) in CASES {
        let house = House::new();
        std::fs::copy(made.file(), house.file()).unwrap();
        change(&house.raw());
        let engine = house.open().await;
        let error = match engine.verify().await {
            Ok(found) => panic!("{what}: not found: {found:?}"),
            Err(error) => error,
        };
        let text = error.to_string();
        assert_eq!(error.code(), Code::BrokenChain, "{what}: {text}");
        assert!(text.contains(&format!("session {name}, record {seq}:")) && text.contains(why), "{what}: {text}");
        assert_eq!(error.refusals[0].details["session_id"], *name, "{what}");
    }
}

#[tokio::test]
async fn a_copy_that_nobody_touched_is_found_in_order() {
    let made = House::new();
    busy(&made).await;
    let house = House::new();
    std::fs::copy(made.file(), house.file()).unwrap();
    let found = house.open().await.verify().await.unwrap();
    assert_eq!((found.sessions, found.handoffs, found.messages), (4, 2, 5));
    // Twelve of the three sessions' own, and those of the house.
    assert_eq!(found.records, 10 + 2 + 2 + 4);
}

/// What somebody does to the accounts, and what is said about it.
const ACCOUNTS: [(&str, &str, &str); 4] = [
    (
        "less is set aside",
        "UPDATE ledger SET entry = json_set(entry, '$.reserved.tokens', 5) WHERE account = 'tenant default'",
        "the account \"tenant default\" has set aside 5 tokens, and the open handoffs 60 tokens",
    ),
    (
        "an account is gone",
        "DELETE FROM ledger WHERE account = 'agent pilot'",
        "the account \"agent pilot\" has set aside nothing, and the open handoffs 60 tokens",
    ),
    (
        "an account that nobody uses",
        "INSERT INTO ledger (account, entry) VALUES ('tenant other', '{\"reserved\":{\"micros\":500000}}')",
        "the account \"tenant other\" has set aside 0.5 of money, and the open handoffs nothing",
    ),
    (
        "something else is set aside as well",
        "UPDATE ledger SET entry = json_set(entry, '$.reserved.ms', 7) WHERE account = 'agent pilot'",
        "has set aside 60 tokens and 7 milliseconds, and the open handoffs 60 tokens",
    ),
];

#[tokio::test]
async fn what_is_set_aside_is_what_the_open_handoffs_hold() {
    let mut made = House::new();
    let limit = Limit { tokens: Some(100), ..Limit::default() };
    made.policy.budgets = Budgets { tenant: Some(limit), agent: Some(limit), ..Budgets::default() };
    let engine = made.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let budget = Budget { tokens: Some(60), ..Budget::default() };
    let request = common::delegation("planner", "pilot").budget(budget);
    engine.initiate(&session("s"), request).await.unwrap();
    assert_eq!(engine.verify().await.unwrap().accounts, 2);
    engine.close().await.unwrap();
    for (what, change, why) in ACCOUNTS {
        let house = House::new();
        std::fs::copy(made.file(), house.file()).unwrap();
        run(&house.raw(), change);
        let error = house.open().await.verify().await.expect_err(what);
        assert_eq!(error.code(), Code::BrokenChain, "{what}: {error}");
        assert!(error.to_string().contains(why), "{what}: {error}");
    }
}
