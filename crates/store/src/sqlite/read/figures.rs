//! Handoffs in numbers, in one walk from the latest to the earliest.

use super::{Fault, count, text};
use crate::{
    FigureRow, Figures, FiguresQuery, SessionFigures, Word,
    sqlite::{tally::SPAN_MS, write::int},
};
use handover_core::handoff::Status;
use rusqlite::{Connection, Row, params_from_iter, types::Value};
use std::collections::HashMap;

const SELECT: &str = "SELECT h.no, h.session_no, h.from_agent, h.to_agent, h.status, h.opened_at, h.closed_at, \
                      h.state ->> '$.metrics.tokens', h.state ->> '$.metrics.cost', \
                      h.state ->> '$.approval.digest' IS NOT NULL, h.state ->> '$.approval.approved_by' IS NOT NULL \
                      FROM handoffs h";

const SESSION: &str = "SELECT tenant, state ->> '$.workflow', coalesce(state ->> '$.flow.trouble', ''), \
                       state ->> '$.mode', id FROM sessions WHERE no = ?1";

/// The handoffs that fit, in numbers.
pub(crate) fn figures(conn: &Connection, query: &FiguresQuery) -> Result<Figures, Fault> {
    let moment = conn.unchecked_transaction()?;
    let (figures, names, known) = (Figures::default(), HashMap::new(), HashMap::new());
    let mut walk = Walk { conn: &moment, query, looked_at: 0, figures, names, known };
    let Some((sql, values)) = statement(&moment, query)? else { return Ok(walk.figures) };
    let mut find = moment.prepare_cached(&sql)?;
    let mut rows = find.query(params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        if !walk.take(row)? {
            break;
        }
    }
    walk.figures.rows.reverse();
    Ok(walk.figures)
}

/// The walk, as narrow as the indexes make it; nothing where nothing can fit.
fn statement(conn: &Connection, query: &FiguresQuery) -> Result<Option<(String, Vec<Value>)>, Fault> {
    let (mut conditions, mut values): (Vec<&str>, Vec<Value>) = (vec!["1"], Vec::new());
    let mut order = "h.no";
    if let Some(session) = &query.session {
        let Some(no) = super::session_no(conn, session)? else { return Ok(None) };
        conditions.push("h.session_no = ?");
        values.push(no.into());
        order = "h.n";
    }
    if let Some(since) = query.since {
        let mut find = conn.prepare_cached("SELECT min(first) FROM spans WHERE span >= ?1")?;
        let first: Option<i64> = find.query_row([since.0.div_euclid(SPAN_MS)], |row| row.get(0))?;
        let Some(first) = first else { return Ok(None) };
        conditions.push("h.no >= ? AND h.opened_at >= ?");
        values.extend([first.into(), since.0.into()]);
    }
    Ok(Some((format!("{SELECT} WHERE {} ORDER BY {order} DESC", conditions.join(" AND ")), values)))
}

struct Walk<'a> {
    conn: &'a Connection,
    query: &'a FiguresQuery,
    /// Rows so far, also those that did not fit: each costs a look.
    looked_at: usize,
    figures: Figures,
    names: HashMap<String, usize>,
    /// The place of each session by its number in the file; nothing where it does not fit.
    known: HashMap<i64, Option<usize>>,
}

impl Walk<'_> {
    /// Takes a row down. False when there are enough.
    fn take(&mut self, row: &Row<'_>) -> Result<bool, Fault> {
        if self.looked_at == self.query.limit {
            self.figures.cut = true;
            return Ok(false);
        }
        self.looked_at += 1;
        let Some(session) = self.session(row.get(1)?)? else { return Ok(true) };
        let word = text(row, 4)?;
        let status = Status::ALL.into_iter().find(|status| status.word() == word);
        let status = status.ok_or_else(|| Fault::Damaged(format!("a handoff cannot be {word}")))?;
        let (opened, closed): (i64, Option<i64>) = (row.get(5)?, row.get(6)?);
        let (asked, granted): (bool, bool) = (row.get(9)?, row.get(10)?);
        let figures = FigureRow {
            session,
            from: self.name(text(row, 2)?),
            to: self.name(text(row, 3)?),
            status,
            took_ms: closed.map(|closed| u64::try_from(closed - opened).unwrap_or(0)),
            tokens: row.get::<_, Option<i64>>(7)?.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(0),
            cost: row.get::<_, Option<f64>>(8)?.unwrap_or(0.0),
            approval: if asked { Some(self.word(count(row, 0)?, status, granted)?) } else { None },
        };
        self.figures.rows.push(figures);
        Ok(true)
    }

    /// What came of asking a person. Few were asked and not told yes: a look at their records costs little.
    fn word(&self, no: u64, status: Status, granted: bool) -> Result<Word, Fault> {
        if granted {
            return Ok(Word::Granted);
        }
        if !status.is_closed() {
            return Ok(Word::Awaited);
        }
        let sql = "SELECT EXISTS (SELECT 1 FROM records WHERE handoff_no = ?1 AND event_type = 'denied')";
        let denied: bool = self.conn.prepare_cached(sql)?.query_row([int(no)], |row| row.get(0))?;
        Ok(if denied { Word::Denied } else { Word::Void })
    }

    fn name(&mut self, name: &str) -> usize {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = self.figures.names.len();
        self.figures.names.push(name.to_owned());
        self.names.insert(name.to_owned(), number);
        number
    }

    /// The place of a session that fits.
    fn session(&mut self, no: i64) -> Result<Option<usize>, Fault> {
        if let Some(known) = self.known.get(&no) {
            return Ok(*known);
        }
        let conn = self.conn;
        let mut find = conn.prepare_cached(SESSION)?;
        let (tenant, workflow, trouble, mode, id): (String, Option<String>, String, Option<String>, String) =
            find.query_row([no], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?;
        let wanted = self.query.workflow.as_ref().is_none_or(|wanted| workflow.as_ref() == Some(wanted));
        if tenant != self.query.tenant || !wanted {
            self.known.insert(no, None);
            return Ok(None);
        }
        let falls_back = mode.map_or(self.query.falls_back, |mode| mode == "fallback");
        let fell_back = if falls_back { fell_back(conn, no)? } else { Vec::new() };
        let workflow = workflow.map(|name| self.name(&name));
        let place = self.figures.sessions.len();
        self.figures.sessions.push(SessionFigures { id, workflow, trouble, fell_back });
        self.known.insert(no, Some(place));
        Ok(Some(place))
    }
}

/// The codes for which a session fell back.
fn fell_back(conn: &Connection, session_no: i64) -> Result<Vec<String>, Fault> {
    let mut find = conn.prepare_cached(
        "SELECT text ->> '$.event.error.refusals[0].code' FROM records \
         WHERE session_no = ?1 AND event_type = 'fell_back'",
    )?;
    super::all(find.query([session_no])?, |row| Ok(row.get::<_, Option<String>>(0)?.unwrap_or_default()))
}
