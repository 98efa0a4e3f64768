//! The database beside the store, as a shell would see it.

use crate::stores;
use std::path::Path;
use tokio_postgres::{Client, NoTls};

/// Connects to the schema of a folder.
pub async fn shell(folder: &Path) -> Client {
    let address = stores::address(folder);
    let (server, query) = address.split_once('?').unwrap();
    let schema = query.rsplit_once("schema=").unwrap().1;
    let (client, connection) = tokio_postgres::connect(server, NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(&format!("SET search_path TO {schema}")).await.unwrap();
    client
}
