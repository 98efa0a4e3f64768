//! Rows as they are, for whoever copies all of them.

use super::{SqliteStore, fault::Fault};
use crate::{
    StoreError,
    copy::{Page, Value},
};
use handover_core::{
    ids::SessionId,
    limits::{COPY_PAGE_BYTES, PAGE_MAX},
};
use rusqlite::Connection;
use tokio::sync::mpsc;

impl SqliteStore {
    /// Gives every row of a question, page by page, as fast as they are taken.
    pub(crate) async fn export(
        &self,
        select: &'static str,
        house: Option<SessionId>,
        pages: mpsc::Sender<Page>,
    ) -> Result<(), StoreError> {
        self.long.scan(move |conn| export(conn, select, house.as_ref(), &pages)).await
    }
}

fn export(conn: &Connection, select: &str, house: Option<&SessionId>, pages: &mpsc::Sender<Page>) -> Result<(), Fault> {
    let mut find = conn.prepare(select)?;
    let columns = find.column_count();
    let mut rows = find.query(rusqlite::params_from_iter(house.map(SessionId::as_str)))?;
    let (mut page, mut bytes) = (Page::new(), 0);
    let send = |page: Page| pages.blocking_send(page).map_err(|_| Fault::Bad("nobody takes the rows".into()));
    while let Some(row) = rows.next()? {
        let row = (0..columns).map(|column| row.get(column)).collect::<Result<Vec<Value>, _>>()?;
        bytes += row.iter().map(size).sum::<usize>();
        page.push(row);
        if page.len() >= PAGE_MAX || bytes >= COPY_PAGE_BYTES {
            send(std::mem::take(&mut page))?;
            bytes = 0;
        }
    }
    if page.is_empty() { Ok(()) } else { send(page) }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Integer(_) | Value::Real(_) => 8,
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
    }
}
