//! Connections that read. Short reads run where they are asked for; long ones on threads that may block.
//! A read begins after every commit that was acknowledged, and sees them all.

use super::{fault::Fault, file};
use crate::StoreError;
use parking_lot::Mutex;
use rusqlite::Connection;
use std::{path::PathBuf, sync::Arc};
use tokio::sync::Semaphore;

/// A few connections of one kind.
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    /// At most so many at once. The first is opened now, so that trouble shows early; others when they are needed.
    pub(super) fn open(path: PathBuf, count: usize) -> Result<Arc<Self>, StoreError> {
        let first = file::reader(&path)?;
        let permits = Arc::new(Semaphore::new(count.max(1)));
        Ok(Arc::new(Self { path, idle: Mutex::new(vec![first]), permits }))
    }

    /// A short read, here and now.
    pub(super) async fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, Fault> + Send,
    ) -> Result<T, StoreError> {
        let _permit = self.permits.acquire().await.map_err(|_| StoreError::Closed)?;
        self.run(query)
    }

    /// A long read, on a thread that may block.
    pub(super) async fn scan<T: Send + 'static>(
        self: &Arc<Self>,
        query: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| StoreError::Closed)?;
        let readers = self.clone();
        let running = tokio::task::spawn_blocking(move || {
            let result = readers.run(query);
            drop(permit);
            result
        });
        running.await.map_err(|error| StoreError::Failed(format!("a read ended early: {error}")))?
    }

    fn run<T>(&self, query: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T, StoreError> {
        let idle = self.idle.lock().pop();
        let conn = match idle {
            Some(conn) => conn,
            None => file::reader(&self.path)?,
        };
        let result = query(&conn);
        if !self.permits.is_closed() {
            self.idle.lock().push(conn);
        }
        Ok(result?)
    }

    /// No more reads; connections end as soon as nobody uses them.
    pub(super) fn close(&self) {
        self.permits.close();
        self.idle.lock().clear();
    }
}
