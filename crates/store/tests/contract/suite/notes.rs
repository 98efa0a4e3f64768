//! What rims keep for themselves stays until it is replaced or removed, and survives.

use crate::Open;

fn pair(key: &str, body: &str) -> (String, String) {
    (key.to_owned(), body.to_owned())
}

pub async fn notes_are_kept_replaced_and_removed(open: Open) {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), None);
    for (space, key, body) in [("a", "2", "two"), ("a", "1", "one"), ("b", "1", "other"), ("a", "3", "three")] {
        store.keep_note(space, key, Some(body.to_owned())).await.unwrap();
    }
    store.keep_note("a", "2", Some("two again".to_owned())).await.unwrap();
    store.keep_note("a", "3", None).await.unwrap();
    store.keep_note("a", "9", None).await.unwrap();
    assert_eq!(store.notes("a", "", 10).await.unwrap(), [pair("1", "one"), pair("2", "two again")]);
    assert_eq!(store.notes("a", "", 1).await.unwrap(), [pair("1", "one")]);
    assert_eq!(store.notes("a", "1", 10).await.unwrap(), [pair("2", "two again")]);
    store.close().await.unwrap();
    drop(store);
    let again = open(folder.path(), None);
    assert_eq!(again.notes("a", "", 10).await.unwrap(), [pair("1", "one"), pair("2", "two again")]);
    assert_eq!(again.notes("b", "", 10).await.unwrap(), [pair("1", "other")]);
}
