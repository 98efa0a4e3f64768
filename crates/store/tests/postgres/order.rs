//! The feed never skips, whoever commits when: a position is given in the order in which commits are seen.

use crate::{
    house::{House, agent, session},
    sql::shell,
    stores,
};
use handover_core::command::{Command, Open};
use handover_store::{Commit, Hooks, Store, StoredRecord};
use std::{path::Path, sync::Arc};
use tokio::sync::mpsc;
use tokio_postgres::{Client, types::ToSql};

/// A commit with the word "slow" in its session waits at its very end, after it has its positions, while somebody holds
/// this lock.
const SLOW: &str = "
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT id FROM sessions WHERE no = NEW.session_no) LIKE 'slow%' THEN
        PERFORM pg_advisory_xact_lock_shared(7, hashtext(current_schema()));
      END IF;
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON records DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION wait()";

/// The function of a batch with numbers that are drawn from a sequence, in the order of drawing, and no common lock.
async fn draw_from_a_sequence(shell: &Client) {
    let row = shell.query_one("SELECT pg_get_functiondef('commit_v1'::regproc)", &[]).await.unwrap();
    let ours: String = row.get(0);
    let lock = "SELECT last, at, sessions INTO v_last, v_at, v_sessions FROM feed FOR UPDATE;";
    let drawn = "v_last := nextval('drawn') * 100; v_at := 0; v_sessions := v_last;";
    let end = "UPDATE feed SET last = v_last, at = coalesce(v_at, feed.at), sessions = v_sessions + v_new;";
    assert!(ours.contains(lock) && ours.contains(end), "the test does not know the function any more");
    let theirs = ours.replace(lock, drawn).replace(end, "");
    shell.batch_execute(&format!("CREATE SEQUENCE drawn; {theirs}")).await.unwrap();
}

/// A commit that opens a session, of a tenant and at a time of its own: nothing that is counted stands in its way.
fn opening(house: &mut House, name: &str) -> Commit {
    house.caller.tenant = name.to_owned();
    house.wait(3_600_000);
    let decided = house.decide(&session(name), Command::Open(Open::of(agent("ann")))).unwrap();
    house.commit_of(&session(name), &decided, None)
}

struct Reader {
    _store: Arc<dyn Store>,
    records: mpsc::UnboundedReceiver<StoredRecord>,
}

impl Reader {
    async fn of(folder: &Path) -> Self {
        let (tell, records) = mpsc::unbounded_channel();
        let on_commit = Box::new(move |_, records: &dyn Fn() -> Vec<StoredRecord>| {
            for record in records() {
                let _ = tell.send(record);
            }
        });
        let hooks = Hooks { on_commit: Some(on_commit), ..Hooks::default() };
        Self { _store: Arc::new(stores::open_postgres(folder, hooks).await), records }
    }

    /// The sessions that are heard of, up to this one.
    async fn up_to(&mut self, last: &str) -> Vec<String> {
        let mut heard: Vec<String> = Vec::new();
        while heard.last().is_none_or(|name| name != last) {
            let name = self.records.recv().await.unwrap().session_id.to_string();
            if heard.last() != Some(&name) {
                heard.push(name);
            }
        }
        heard
    }
}

/// One commit gets its positions first and is seen last, where that can be. Gives what a reader hears.
async fn heard(naive: bool) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (stores::postgres(folder.path(), None), stores::postgres(folder.path(), None));
    let mut house = House::on(one.clone());
    let commits = ["first", "slow", "quick", "last"].map(|name| opening(&mut house, name));
    let [first, slow, quick, last] = commits;
    let shell = shell(folder.path()).await;
    shell.batch_execute(SLOW).await.unwrap();
    if naive {
        draw_from_a_sequence(&shell).await;
    }
    let mut reader = Reader::of(folder.path()).await;
    one.commit(first).await.unwrap();
    let mut heard = reader.up_to("first").await;
    shell.execute("SELECT pg_advisory_lock(7, hashtext(current_schema()))", &[]).await.unwrap();
    let slow = tokio::spawn(async move { one.commit(slow).await.unwrap() });
    let held = wait_for(&shell, HELD, &[]).await;
    let other = two.clone();
    let quick = tokio::spawn(async move { other.commit(quick).await.unwrap() });
    if naive {
        quick.await.unwrap();
        heard.extend(reader.up_to("quick").await);
        free(&shell).await;
        slow.await.unwrap();
    } else {
        // It stands behind the slow one.
        wait_for(&shell, BEHIND, &[&held]).await;
        free(&shell).await;
        let (slow, quick) = (slow.await.unwrap(), quick.await.unwrap());
        assert!(slow.last() < quick.first(), "{slow:?} {quick:?}");
    }
    two.commit(last).await.unwrap();
    heard.extend(reader.up_to("last").await);
    heard
}

/// The process of the database that waits for our lock.
const HELD: &str = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = 7 \
                    AND objid = hashtext(current_schema())::oid";
/// One that waits for that one.
const BEHIND: &str =
    "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND $1 = ANY (pg_blocking_pids(pid))";

async fn wait_for(shell: &Client, sql: &str, params: &[&(dyn ToSql + Sync)]) -> i32 {
    loop {
        if let Some(row) = shell.query(sql, params).await.unwrap().first() {
            return row.get(0);
        }
        tokio::task::yield_now().await;
    }
}

async fn free(shell: &Client) {
    shell.execute("SELECT pg_advisory_unlock(7, hashtext(current_schema()))", &[]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_is_seen_late_is_not_skipped() {
    assert_eq!(heard(false).await, ["first", "slow", "quick", "last"]);
}

/// The same with numbers from a sequence: whoever reads what is after the last number that was seen misses one.
#[tokio::test(flavor = "multi_thread")]
async fn numbers_from_a_sequence_would_skip_it() {
    assert_eq!(heard(true).await, ["first", "quick", "last"]);
}
