//! Sessions: one with all that belongs to it, the ids of a tenant's, the ends of their chains.

use super::{Fault, agent_id, all, count, digest, handoffs, page, session_id, status, text};
use crate::{ChainEnds, rows::ItemKind};
use handover_core::{
    access::Whose,
    glance::{Glance, Stands, asks},
    ids::{ArtifactId, SessionId},
    session::{Artifact, Decision, Lock, Session, Variable},
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::de::DeserializeOwned;
use std::{collections::BTreeMap, sync::Arc};

/// To whom a session belongs.
pub(crate) fn tenant(conn: &Connection, id: &SessionId) -> Result<Option<String>, Fault> {
    let mut find = conn.prepare_cached("SELECT tenant FROM sessions WHERE id = ?1")?;
    Ok(find.query_row([id.as_str()], |row| row.get(0)).optional()?)
}

/// The version of a session; 0 when there is none.
pub(crate) fn version(conn: &Connection, id: &SessionId) -> Result<u64, Fault> {
    let mut find = conn.prepare_cached("SELECT version FROM sessions WHERE id = ?1")?;
    let found = find.query_row([id.as_str()], |row| Ok(count(row, 0))).optional()?;
    found.unwrap_or(Ok(0))
}

/// To whom a session belongs and who takes part in it.
pub(crate) fn whose(conn: &Connection, id: &SessionId) -> Result<Option<Whose>, Fault> {
    let mut find = conn.prepare_cached("SELECT state FROM sessions WHERE id = ?1")?;
    let mut rows = find.query([id.as_str()])?;
    rows.next()?.map(|row| parse(text(row, 0)?)).transpose()
}

/// A session with its open handoffs, variables, artifacts, locks and decisions, all as of one moment.
pub(crate) fn session(conn: &Connection, id: &SessionId) -> Result<Option<Session>, Fault> {
    let moment = conn.unchecked_transaction()?;
    let found: Option<(i64, String)> = moment
        .prepare_cached("SELECT no, state FROM sessions WHERE id = ?1")?
        .query_row([id.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((no, state)) = found else { return Ok(None) };
    let mut session: Session = serde_json::from_str(&state)?;
    for handoff in handoffs::open(&moment, no)? {
        session.open.insert(handoff.id, Arc::new(handoff));
    }
    add_items(&moment, no, &mut session)?;
    Ok(Some(session))
}

fn add_items(conn: &Connection, no: i64, session: &mut Session) -> Result<(), Fault> {
    let mut variables: BTreeMap<String, Variable> = BTreeMap::new();
    let mut artifacts: BTreeMap<ArtifactId, Artifact> = BTreeMap::new();
    let mut locks: BTreeMap<String, Vec<Lock>> = BTreeMap::new();
    let mut decisions: Vec<Decision> = Vec::new();
    let mut find = conn.prepare_cached("SELECT kind, key, body FROM items WHERE session_no = ?1 ORDER BY kind, key")?;
    let mut rows = find.query([no])?;
    while let Some(row) = rows.next()? {
        let kind: i64 = row.get(0)?;
        let (key, body) = (text(row, 1)?, text(row, 2)?);
        if kind == ItemKind::Variable.number() {
            variables.insert(key.to_owned(), parse(body)?);
        } else if kind == ItemKind::Artifact.number() {
            let artifact: Artifact = parse(body)?;
            artifacts.insert(artifact.id, artifact);
        } else if kind == ItemKind::Lock.number() {
            locks.insert(key.to_owned(), parse(body)?);
        } else if kind == ItemKind::Decision.number() {
            decisions.push(parse(body)?);
        }
    }
    session.variables = Arc::new(variables);
    session.artifacts = Arc::new(artifacts);
    session.locks = Arc::new(locks);
    session.decisions = Arc::new(decisions);
    Ok(())
}

fn parse<T: DeserializeOwned>(body: &str) -> Result<T, Fault> {
    Ok(serde_json::from_str(body)?)
}

/// The ids of a tenant's sessions, latest first.
pub(crate) fn sessions(conn: &Connection, tenant: &str, skip: usize, limit: usize) -> Result<Vec<SessionId>, Fault> {
    let mut find =
        conn.prepare_cached("SELECT id FROM sessions WHERE tenant = ?1 ORDER BY no DESC LIMIT ?2 OFFSET ?3")?;
    let skip = i64::try_from(skip).unwrap_or(i64::MAX);
    all(find.query(params![tenant, page(limit), skip])?, |row| session_id(row, 0))
}

/// Sessions as a list shows them, as of one moment. Of a handoff only the text of one that is put off is read: it may ask.
pub(crate) fn glances(conn: &Connection, ids: &[SessionId]) -> Result<Vec<Glance>, Fault> {
    let moment = conn.unchecked_transaction()?;
    let mut find = moment.prepare_cached("SELECT no, state FROM sessions WHERE id = ?1")?;
    let mut open = moment.prepare_cached(
        "SELECT status, from_agent, to_agent, CASE status WHEN 'deferred' THEN state ELSE '' END \
         FROM handoffs WHERE session_no = ?1 AND closed_at IS NULL",
    )?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        let mut rows = find.query([id.as_str()])?;
        let Some(row) = rows.next()? else { continue };
        let mut glance: Glance = parse(text(row, 1)?)?;
        let mut rows = open.query([row.get::<_, i64>(0)?])?;
        let mut last: Option<Stands> = None;
        while let Some(row) = rows.next()? {
            let (word, from, to, put_off) = (text(row, 0)?, text(row, 1)?, text(row, 2)?, text(row, 3)?);
            // Of many in one session most stand like the one before.
            let alike = |last: &Stands| {
                last.status.word() == word && last.from_agent.as_str() == from && last.to_agent.as_str() == to
            };
            if put_off.is_empty() && last.as_ref().is_some_and(alike) {
                continue;
            }
            let (from_agent, to_agent) = (agent_id(row, 1)?, agent_id(row, 2)?);
            let stands = Stands { status: status(word)?, from_agent, to_agent, asks: asks(put_off)? };
            glance.open.insert(stands.clone());
            last = Some(stands);
        }
        found.push(glance);
    }
    Ok(found)
}

const ENDS: &str = "SELECT id, head_seq, head_hash, pruned_seq, pruned_hash FROM sessions";

fn ends(row: &Row<'_>) -> Result<ChainEnds, Fault> {
    Ok(ChainEnds {
        session: session_id(row, 0)?,
        head: (count(row, 1)?, digest(row, 2)?),
        pruned: (count(row, 3)?, digest(row, 4)?),
    })
}

/// The ends of all chains, by session id.
pub(crate) fn chains(conn: &Connection, after: Option<&SessionId>, limit: usize) -> Result<Vec<ChainEnds>, Fault> {
    let mut find = conn.prepare_cached(&format!("{ENDS} WHERE id > ?1 ORDER BY id LIMIT ?2"))?;
    all(find.query(params![after.map_or("", SessionId::as_str), page(limit)])?, ends)
}

/// The ends of one chain.
pub(crate) fn chain(conn: &Connection, session: &SessionId) -> Result<Option<ChainEnds>, Fault> {
    let mut find = conn.prepare_cached(&format!("{ENDS} WHERE id = ?1"))?;
    let mut rows = find.query([session.as_str()])?;
    rows.next()?.map(ends).transpose()
}
