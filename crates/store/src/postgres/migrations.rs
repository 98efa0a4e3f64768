//! The schema and its versions. Each version is applied once, in one transaction with its number, by whoever comes first;
//! processes that start at the same time wait for each other.
//!
//! A version only adds: a function that changes gets another name. So processes of the version before go on while a newer
//! one brings its own. `oldest` is the oldest version that can still work here.

use super::{address::Address, connect::Client, fault::Fault};
use crate::StoreError;

/// The files of each version.
const VERSIONS: &[&[&str]] = &[&[
    include_str!("migrations/0001_first.sql"),
    include_str!("migrations/0001_partitions.sql"),
    include_str!("migrations/0001_ledger.sql"),
    include_str!("migrations/0001_commit.sql"),
]];

/// The oldest version that can still work on what this one writes.
const OLDEST: i32 = 1;

/// What marks a schema as ours.
const MARK: &str = "CREATE TABLE IF NOT EXISTS schema_version (one boolean PRIMARY KEY DEFAULT true CHECK (one), \
                    version integer NOT NULL, oldest integer NOT NULL); \
                    INSERT INTO schema_version (version, oldest) VALUES (0, 0) ON CONFLICT DO NOTHING";

/// Brings the schema to the current version, or finds that a newer one is there that we can work with.
///
/// # Errors
/// `Newer` when only newer versions can work here.
pub(super) async fn apply(client: &Client, address: &Address) -> Result<(), StoreError> {
    let mine = i32::try_from(VERSIONS.len()).unwrap_or(i32::MAX);
    loop {
        let (version, oldest) = step(client, address).await?;
        if oldest > mine {
            return Err(StoreError::Newer(format!(
                "the schema \"{}\" is of version {version}, and this program knows version {mine}: it needs a newer one",
                address.schema
            )));
        }
        if version >= mine {
            return Ok(());
        }
    }
}

/// Applies the next version, where there is one, alone with it. Gives the version and the oldest one that can work with it.
async fn step(client: &Client, address: &Address) -> Result<(i32, i32), Fault> {
    let stepped = try_step(client, address).await;
    if stepped.is_err() {
        // Whatever was open is over. A connection that broke has no more use anyway.
        let _ = client.batch("ROLLBACK").await;
    }
    stepped
}

async fn try_step(client: &Client, address: &Address) -> Result<(i32, i32), Fault> {
    let schema = address.quoted_schema();
    client.batch("BEGIN").await?;
    let lock = "SELECT pg_advisory_xact_lock(hashtext('handover schema'), hashtext($1))";
    client.query(lock, &[&address.schema]).await?;
    if client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", &[&address.schema]).await?.is_empty() {
        client.batch(&format!("CREATE SCHEMA {schema}")).await?;
    }
    if client.query("SELECT 1 WHERE to_regclass('schema_version') IS NOT NULL", &[]).await?.is_empty() {
        client.batch(MARK).await?;
    }
    let row = client.query_one("SELECT version, oldest FROM schema_version", &[]).await?;
    let (version, oldest): (i32, i32) = (row.try_get(0)?, row.try_get(1)?);
    let next = usize::try_from(version).ok().and_then(|have| VERSIONS.get(have));
    let Some(files) = next.filter(|_| oldest <= version) else {
        client.batch("COMMIT").await?;
        return Ok((version, oldest));
    };
    for sql in *files {
        client.batch(sql).await?;
    }
    let (version, oldest) = reached(version + 1);
    client.batch(&format!("UPDATE schema_version SET version = {version}, oldest = {oldest}; COMMIT")).await?;
    Ok((version, oldest))
}

/// What is noted with a version. On the way to the last one nobody is shut out by what is still to come, or the next step
/// would be none.
fn reached(version: i32) -> (i32, i32) {
    (version, OLDEST.min(version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_leaves_a_schema_that_the_next_one_takes() {
        let last = i32::try_from(VERSIONS.len()).unwrap();
        for version in 1..=last {
            let (noted, oldest) = reached(version);
            assert!(noted == version && oldest <= version, "{version}: {oldest}");
        }
        assert!((1..=last).contains(&OLDEST) && reached(last).1 == OLDEST);
    }
}
