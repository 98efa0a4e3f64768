//! Sessions: one with all that belongs to it, the ids of a tenant's, the ends of their chains.

use super::{
    Client, Fault, agent_id, all, count, digest, get, handoffs, page, parse, row_count, session_id, status, text,
};
use crate::{ChainEnds, rows::ItemKind};
use handover_core::{
    access::Whose,
    glance::{Glance, Stands, asks},
    ids::{ArtifactId, SessionId},
    session::{Artifact, Decision, Lock, Session, Variable},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use tokio_postgres::Row;

/// To whom a session belongs.
pub(crate) async fn tenant(conn: &Client, id: &SessionId) -> Result<Option<String>, Fault> {
    let found = conn.query_opt("SELECT tenant FROM sessions WHERE id = $1", &[&id.as_str()]).await?;
    found.map(|row| get(&row, 0)).transpose()
}

/// The version of a session; 0 when there is none.
pub(crate) async fn version(conn: &Client, id: &SessionId) -> Result<u64, Fault> {
    let found = conn.query_opt("SELECT version FROM sessions WHERE id = $1", &[&id.as_str()]).await?;
    found.map_or(Ok(0), |row| count(&row, 0))
}

/// To whom a session belongs and who takes part in it.
pub(crate) async fn whose(conn: &Client, id: &SessionId) -> Result<Option<Whose>, Fault> {
    let found = conn.query_opt("SELECT state FROM sessions WHERE id = $1", &[&id.as_str()]).await?;
    found.map(|row| parse(text(&row, 0)?)).transpose()
}

/// The session (0), its items (by their kind) and what it holds open (9), in one statement: they are of one moment, and
/// cost one way to the database and back.
const WHOLE: &str = "WITH s AS MATERIALIZED (SELECT no, state FROM sessions WHERE id = $1) \
                     SELECT 0::smallint, '', state, '' FROM s UNION ALL \
                     SELECT i.kind, i.key, i.body, '' FROM s JOIN items i ON i.session_no = s.no UNION ALL \
                     SELECT 9::smallint, '', h.state, i.text FROM s JOIN open o ON o.session_no = s.no \
                     JOIN handoffs h ON h.no = o.no CROSS JOIN LATERAL (SELECT text FROM records \
                     WHERE position = h.no AND period IN (0, period_of(h.opened_at)) OFFSET 0) i";

/// A session with its open handoffs, variables, artifacts, locks and decisions, all as of one moment.
pub(crate) async fn session(conn: &Client, id: &SessionId) -> Result<Option<Session>, Fault> {
    let rows = conn.query(WHOLE, &[&id.as_str()]).await?;
    let mut session: Option<Session> = None;
    let (mut items, mut open) = (Items::default(), Vec::new());
    for row in &rows {
        match get::<i16>(row, 0)? {
            0 => session = Some(parse(text(row, 2)?)?),
            9 => open.push(handoffs::opened(text(row, 2)?, text(row, 3)?)?),
            kind => items.add(kind.into(), text(row, 1)?, text(row, 2)?)?,
        }
    }
    let Some(mut session) = session else { return Ok(None) };
    for handoff in open {
        session.open.insert(handoff.id, Arc::new(handoff));
    }
    items.give(&mut session);
    Ok(Some(session))
}

#[derive(Default)]
struct Items {
    variables: BTreeMap<String, Variable>,
    artifacts: BTreeMap<ArtifactId, Artifact>,
    locks: BTreeMap<String, Vec<Lock>>,
    /// By their keys, which are their numbers in order.
    decisions: BTreeMap<String, Decision>,
}

impl Items {
    fn add(&mut self, kind: i64, key: &str, body: &str) -> Result<(), Fault> {
        if kind == ItemKind::Variable.number() {
            self.variables.insert(key.to_owned(), parse(body)?);
        } else if kind == ItemKind::Artifact.number() {
            let artifact: Artifact = parse(body)?;
            self.artifacts.insert(artifact.id, artifact);
        } else if kind == ItemKind::Lock.number() {
            self.locks.insert(key.to_owned(), parse(body)?);
        } else if kind == ItemKind::Decision.number() {
            self.decisions.insert(key.to_owned(), parse(body)?);
        }
        Ok(())
    }

    fn give(self, session: &mut Session) {
        session.variables = Arc::new(self.variables);
        session.artifacts = Arc::new(self.artifacts);
        session.locks = Arc::new(self.locks);
        session.decisions = Arc::new(self.decisions.into_values().collect());
    }
}

/// The ids of a tenant's sessions, latest first.
pub(crate) async fn sessions(conn: &Client, tenant: &str, skip: usize, limit: usize) -> Result<Vec<SessionId>, Fault> {
    let sql = "SELECT id FROM sessions WHERE tenant = $1 ORDER BY no DESC LIMIT $2 OFFSET $3";
    let rows = conn.query(sql, &[&tenant, &page(limit), &row_count(skip)]).await?;
    all(&rows, |row| session_id(row, 0))
}

/// The sessions (0) and what they hold open (1), in one statement: they are of one moment. Of a handoff only the text of one
/// that is put off is read: it may ask.
const GLANCES: &str = "WITH s AS MATERIALIZED (SELECT no, id, state FROM sessions WHERE id = ANY($1)) \
                       SELECT 0::smallint, id, state, '', '', '' FROM s UNION ALL \
                       SELECT DISTINCT 1::smallint, s.id, h.status, h.from_agent, h.to_agent, \
                       CASE h.status WHEN 'deferred' THEN h.state ELSE '' END \
                       FROM s JOIN open o ON o.session_no = s.no JOIN handoffs h ON h.no = o.no";

/// Sessions as a list shows them, in the order that was asked for.
pub(crate) async fn glances(conn: &Client, ids: &[SessionId]) -> Result<Vec<Glance>, Fault> {
    let names: Vec<&str> = ids.iter().map(SessionId::as_str).collect();
    let mut found: BTreeMap<SessionId, Glance> = BTreeMap::new();
    let mut open: BTreeMap<SessionId, BTreeSet<Stands>> = BTreeMap::new();
    for row in &conn.query(GLANCES, &[&names]).await? {
        let id = session_id(row, 1)?;
        if get::<i16>(row, 0)? == 0 {
            found.insert(id, parse(text(row, 2)?)?);
            continue;
        }
        open.entry(id).or_default().insert(Stands {
            status: status(text(row, 2)?)?,
            from_agent: agent_id(row, 3)?,
            to_agent: agent_id(row, 4)?,
            asks: asks(text(row, 5)?)?,
        });
    }
    let glance = |id: &SessionId| Some(Glance { open: open.remove(id).unwrap_or_default(), ..found.remove(id)? });
    Ok(ids.iter().filter_map(glance).collect())
}

const ENDS: &str = "SELECT id, head_seq, head_hash, pruned_seq, pruned_hash FROM sessions";

fn ends(row: &Row) -> Result<ChainEnds, Fault> {
    Ok(ChainEnds {
        session: session_id(row, 0)?,
        head: (count(row, 1)?, digest(row, 2)?),
        pruned: (count(row, 3)?, digest(row, 4)?),
    })
}

/// The ends of all chains, by session id.
pub(crate) async fn chains(conn: &Client, after: Option<&SessionId>, limit: usize) -> Result<Vec<ChainEnds>, Fault> {
    let sql = format!("{ENDS} WHERE id > $1 ORDER BY id LIMIT $2");
    all(&conn.query(&sql, &[&after.map_or("", SessionId::as_str), &page(limit)]).await?, ends)
}

/// The ends of one chain.
pub(crate) async fn chain(conn: &Client, session: &SessionId) -> Result<Option<ChainEnds>, Fault> {
    conn.query_opt(&format!("{ENDS} WHERE id = $1"), &[&session.as_str()]).await?.as_ref().map(ends).transpose()
}
