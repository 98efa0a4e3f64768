//! The stores that the suite is run on. A folder stands for one of them: whoever opens it again finds what was there.

use handover_store::{
    Hooks, OnCommit, Store, StoredRecord,
    postgres::{self, PostgresStore},
    sqlite::{self, SqliteStore},
};
use parking_lot::Mutex;
use std::{path::Path, sync::Arc};

/// How the suite opens a store in a folder: again and again, with whoever listens to its commits.
pub type Open = fn(&Path, Option<Heard>) -> Arc<dyn Store>;
/// What a listener has heard.
pub type Heard = Arc<Mutex<Vec<StoredRecord>>>;

fn listener(heard: Option<Heard>) -> Option<OnCommit> {
    heard.map(|heard| -> OnCommit { Box::new(move |_, records| heard.lock().extend(records())) })
}

pub fn sqlite(folder: &Path, heard: Option<Heard>) -> Arc<dyn Store> {
    let options = sqlite::Options { on_commit: listener(heard), ..sqlite::Options::default() };
    Arc::new(SqliteStore::open(&folder.join("handover.db"), options).unwrap())
}

/// In a schema of its own, whose name is kept in the folder.
pub fn postgres(folder: &Path, heard: Option<Heard>) -> Arc<dyn Store> {
    let hooks = Hooks { on_commit: listener(heard), ..Hooks::default() };
    Arc::new(waited(open_postgres(folder, hooks)))
}

/// The same, with everything that it can tell.
pub async fn open_postgres(folder: &Path, hooks: Hooks) -> PostgresStore {
    let options = postgres::Options { address: address(folder), name: "test".into(), hooks };
    PostgresStore::open(options).await.unwrap()
}

/// The address of a folder's schema.
pub fn address(folder: &Path) -> String {
    let server = std::env::var("HANDOVER_TEST_POSTGRES").unwrap_or_else(|_| {
        panic!("HANDOVER_TEST_POSTGRES is not set: `cargo xtask with-servers CMD` runs a command with it")
    });
    let file = folder.join("schema");
    let schema = std::fs::read_to_string(&file).unwrap_or_else(|_| {
        let name = format!("t{}", uuid::Uuid::new_v4().simple());
        std::fs::write(&file, &name).unwrap();
        name
    });
    let separator = if server.contains('?') { '&' } else { '?' };
    format!("{server}{separator}schema={schema}")
}

/// Waits where the suite has no way to: on a thread of its runtime, which goes on without it.
fn waited<T>(future: impl Future<Output = T>) -> T {
    tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(future))
}
