//! Months that are long over go as a whole; what still lives in them stays.

use crate::{
    house::{DAY, House, delegation},
    sql::shell,
    stores,
    whole::{all_records, check},
};
use handover_core::{event::Event, ids::SessionId};
use handover_store::Retention;
use std::path::Path;

const PERIODS: Retention = Retention { active_ms: 30 * DAY, completed_ms: 90 * DAY, escalation_ms: 180 * DAY };

async fn months(folder: &Path) -> Vec<String> {
    let sql = "SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
               WHERE i.inhparent = 'records'::regclass AND c.relname ~ '_2023' ORDER BY 1";
    shell(folder).await.query(sql, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

async fn rows(folder: &Path, sql: &str) -> i64 {
    shell(folder).await.query_one(sql, &[]).await.unwrap().get(0)
}

/// Removes all that can be, and asks once more, as whoever keeps the house does.
async fn retain(house: &mut House) {
    let parts = house.store.prunable(PERIODS, house.now, 100).await.unwrap();
    for part in &parts {
        house.records.retain(|_, record| record.0 != part.session || record.1 > part.through);
        house.handoffs.retain(|_, handoff| handoff.session_id != part.session);
        house.waiting.retain(|of, _| house.handoffs.keys().any(|id| id.0 == *of));
        house.sessions.remove(&part.session);
    }
    assert!(!parts.is_empty());
    house.prune(parts).await.unwrap();
    assert_eq!(house.store.prunable(PERIODS, house.now, 100).await.unwrap(), vec![]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_month_goes_and_what_lives_in_it_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(stores::postgres(folder.path(), None));
    house.note(vec![Event::Pruned { heads: Vec::new(), records: 0 }], Vec::new()).await;
    let (over, goes_on) = (house.open("over").await, house.open("goes_on").await);
    for id in [&over, &goes_on] {
        house.say(id, "words").await;
        house.whole(id, "ann", "bob").await;
    }
    let open = house.initiate(&goes_on, delegation("ann", "cleo")).await;
    house.end(&over).await;
    house.wait(30 * DAY);
    house.say(&goes_on, "in another month").await;
    assert_eq!(months(folder.path()).await, ["records_202311", "records_202312"]);

    // The month was over 90 days ago at the beginning of March.
    house.now = handover_core::time::Timestamp(crate::house::START) + 95 * DAY;
    retain(&mut house).await;
    assert_eq!(months(folder.path()).await.len(), 2, "the whole month has to be over for so long");
    house.wait(20 * DAY);
    assert_eq!(house.store.prunable(PERIODS, house.now, 100).await.unwrap(), vec![]);
    assert_eq!(months(folder.path()).await, ["records_202312"]);
    let gone = "SELECT count(*) FROM records WHERE session_no = (SELECT no FROM sessions WHERE id = 'over')";
    assert_eq!(rows(folder.path(), gone).await, 0);
    check_kept(&house, &goes_on).await;
    assert!(house.store.session(&goes_on).await.unwrap().unwrap().open.contains_key(&open));

    // It goes on in the middle of what was moved, and ends one day, too.
    house.whole(&goes_on, "ann", "dan").await;
    check_kept(&house, &goes_on).await;
    let cancel = handover_core::command::Command::Cancel { handoff: open, by: "ann".into(), reason: "no".into() };
    house.run(&goes_on, cancel).await.unwrap();
    house.end(&goes_on).await;
    house.wait(200 * DAY);
    retain(&mut house).await;
    assert_eq!(months(folder.path()).await, Vec::<String>::new());
    let kept =
        "SELECT count(*) FROM records_kept r JOIN sessions s ON s.no = r.session_no WHERE s.id IN ('over', 'goes_on')";
    assert_eq!(rows(folder.path(), kept).await, 0);
    assert_eq!(rows(folder.path(), "SELECT count(*) FROM messages").await, 0);
    assert_eq!(all_records(&*house.store).await, house.records, "the book of the house loses nothing");
}

async fn check_kept(house: &House, id: &SessionId) {
    assert_eq!(all_records(&*house.store).await, house.records);
    assert_eq!(house.store.session(id).await.unwrap().as_ref(), house.sessions.get(id));
    assert_eq!(house.store.messages(id, 1, 99).await.unwrap(), house.messages[id]);
    for (id, handoff) in &house.handoffs {
        assert_eq!(house.store.handoff(*id).await.unwrap().as_ref(), Some(&**handoff));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handoff_over_the_turn_of_a_month_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::on(stores::postgres(folder.path(), None));
    // One millisecond before December, and after it.
    house.now = handover_core::time::Timestamp(1_701_388_799_999);
    let id = house.open("one").await;
    let handoff = house.initiate(&id, delegation("ann", "bob")).await;
    house.wait(1);
    let lease = house.accept(&id, handoff, "bob").await;
    house.give(&id, handoff, lease).await;
    check(&house).await;
    let sql = "SELECT count(DISTINCT period) FROM records WHERE period IN (202311, 202312)";
    assert_eq!(rows(folder.path(), sql).await, 2);
}
