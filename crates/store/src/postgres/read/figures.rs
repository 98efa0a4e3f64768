//! Handoffs in numbers, from the latest to the earliest: the rows in one question, then what is asked about their sessions.

use super::{Client, Conditions, Fault, all, get, parse, row_count, text};
use crate::{FigureRow, Figures, FiguresQuery, SessionFigures, Word, postgres::SPAN_MS};
use handover_core::handoff::Status;
use std::collections::{HashMap, HashSet};
use tokio_postgres::Row;

/// JSON is looked into without reading the words in it: some are not words to PostgreSQL.
const SELECT: &str = "SELECT h.no, h.session_no, h.from_agent, h.to_agent, h.status, h.opened_at, h.closed_at, \
                      (h.state::json #> '{metrics,tokens}')::text, (h.state::json #> '{metrics,cost}')::text, \
                      (h.state::json #> '{approval,digest}')::text, (h.state::json #> '{approval,approved_by}')::text \
                      FROM handoffs h";

/// The handoffs that fit, in numbers. Needs to be of one moment.
pub(crate) async fn figures(conn: &Client, query: &FiguresQuery) -> Result<Figures, Fault> {
    let rows = latest(conn, query).await?;
    let cut = rows.len() > query.limit;
    let rows = &rows[..rows.len().min(query.limit)];
    let (sessions, denied) = tokio::join!(sessions(conn, query, rows), denied(conn, rows));
    let figures = Figures { cut, ..Figures::default() };
    let (sessions, denied) = (sessions?, denied?);
    let mut walk = Walk { sessions, denied, figures, names: HashMap::new(), places: HashMap::new() };
    for row in rows {
        walk.take(row)?;
    }
    walk.figures.rows.reverse();
    Ok(walk.figures)
}

/// The rows, the latest first, and one more than are asked for where there is one.
async fn latest(conn: &Client, query: &FiguresQuery) -> Result<Vec<Row>, Fault> {
    let mut conditions = Conditions::default();
    let mut order = "h.no";
    if let Some(session) = &query.session {
        conditions.add("h.session_no = (SELECT no FROM sessions WHERE id = ?)", session.as_str().to_owned());
        order = "h.n";
    }
    if let Some(since) = query.since {
        let first = "h.no >= (SELECT min(first) FROM spans WHERE span >= ?)";
        conditions.add(first, since.0.div_euclid(SPAN_MS));
        conditions.add("h.opened_at >= ?", since.0);
    }
    let limit = conditions.value(row_count(query.limit.saturating_add(1)));
    let sql = format!("{SELECT} WHERE {} ORDER BY {order} DESC LIMIT ${limit}", conditions.all());
    conditions.rows(conn, &sql).await
}

/// A session that fits.
struct Fitting {
    id: String,
    workflow: Option<String>,
    trouble: String,
    fell_back: Vec<String>,
}

/// The sessions of these rows that fit, by number.
async fn sessions(conn: &Client, query: &FiguresQuery, rows: &[Row]) -> Result<HashMap<i64, Fitting>, Fault> {
    let numbers: HashSet<i64> = rows.iter().map(|row| get(row, 1)).collect::<Result<_, _>>()?;
    let numbers: Vec<i64> = numbers.into_iter().collect();
    let sql = "SELECT no, id, (state::json -> 'workflow')::text, (state::json #> '{flow,trouble}')::text, \
               (state::json -> 'mode')::text FROM sessions WHERE no = ANY($1) AND tenant = $2";
    let mut fitting = HashMap::new();
    let mut falling = Vec::new();
    for row in conn.query(sql, &[&numbers, &query.tenant]).await? {
        let no: i64 = get(&row, 0)?;
        let (workflow, trouble, mode) = (word(&row, 2)?, word(&row, 3)?, word(&row, 4)?);
        if query.workflow.as_ref().is_some_and(|wanted| workflow.as_ref() != Some(wanted)) {
            continue;
        }
        if mode.map_or(query.falls_back, |mode| mode == "fallback") {
            falling.push(no);
        }
        let id = get(&row, 1)?;
        fitting.insert(no, Fitting { id, workflow, trouble: trouble.unwrap_or_default(), fell_back: Vec::new() });
    }
    for (no, code) in fell_back(conn, &falling).await? {
        if let Some(session) = fitting.get_mut(&no) {
            session.fell_back.push(code);
        }
    }
    Ok(fitting)
}

/// A word in JSON, where there is one.
fn word(row: &Row, column: usize) -> Result<Option<String>, Fault> {
    Ok(get::<Option<&str>>(row, column)?.map(parse::<Option<String>>).transpose()?.flatten())
}

/// The codes for which sessions fell back, in order.
async fn fell_back(conn: &Client, sessions: &[i64]) -> Result<Vec<(i64, String)>, Fault> {
    let sql = "SELECT r.session_no, (r.text::json #> '{event,error,refusals,0,code}')::text FROM records r \
               JOIN sessions s ON s.no = r.session_no WHERE r.session_no = ANY($1) AND r.seq > s.pruned_seq \
               AND r.event_type = 'fell_back' ORDER BY r.session_no, r.seq";
    if sessions.is_empty() {
        return Ok(Vec::new());
    }
    all(&conn.query(sql, &[&sessions]).await?, |row| Ok((get(row, 0)?, word(row, 1)?.unwrap_or_default())))
}

/// Those of these handoffs that a person denied. Few were asked for and not told yes: a look at their records costs little.
async fn denied(conn: &Client, rows: &[Row]) -> Result<HashSet<i64>, Fault> {
    let mut open = Vec::new();
    for row in rows {
        if is_there(row, 9)? && !is_there(row, 10)? {
            open.push(get::<i64>(row, 0)?);
        }
    }
    if open.is_empty() {
        return Ok(HashSet::new());
    }
    let sql = "SELECT DISTINCT handoff_no FROM records WHERE handoff_no = ANY($1) AND event_type = 'denied'";
    Ok(all(&conn.query(sql, &[&open]).await?, |row| get(row, 0))?.into_iter().collect())
}

/// Whether JSON has something there.
fn is_there(row: &Row, column: usize) -> Result<bool, Fault> {
    Ok(get::<Option<&str>>(row, column)?.is_some_and(|found| found != "null"))
}

/// A number in JSON, where there is one.
fn number<T: serde::de::DeserializeOwned>(row: &Row, column: usize) -> Result<Option<T>, Fault> {
    Ok(get::<Option<&str>>(row, column)?.map(parse::<Option<T>>).transpose()?.flatten())
}

struct Walk {
    /// Those that fit and were not seen yet.
    sessions: HashMap<i64, Fitting>,
    denied: HashSet<i64>,
    figures: Figures,
    names: HashMap<String, usize>,
    /// The place of each session that was seen, by its number.
    places: HashMap<i64, usize>,
}

impl Walk {
    fn take(&mut self, row: &Row) -> Result<(), Fault> {
        let Some(session) = self.session(get(row, 1)?) else { return Ok(()) };
        let word = text(row, 4)?;
        let status = Status::ALL.into_iter().find(|status| status.word() == word);
        let status = status.ok_or_else(|| Fault::Damaged(format!("a handoff cannot be {word}")))?;
        let (opened, closed): (i64, Option<i64>) = (get(row, 5)?, get(row, 6)?);
        let figures = FigureRow {
            session,
            from: self.name(text(row, 2)?),
            to: self.name(text(row, 3)?),
            status,
            took_ms: closed.map(|closed| u64::try_from(closed - opened).unwrap_or(0)),
            tokens: number(row, 7)?.unwrap_or(0),
            cost: number(row, 8)?.unwrap_or(0.0),
            approval: self.approval(row, status)?,
        };
        self.figures.rows.push(figures);
        Ok(())
    }

    /// Whether a person was asked, and what came of it.
    fn approval(&self, row: &Row, status: Status) -> Result<Option<Word>, Fault> {
        if !is_there(row, 9)? {
            return Ok(None);
        }
        Ok(Some(if is_there(row, 10)? {
            Word::Granted
        } else if !status.is_closed() {
            Word::Awaited
        } else if self.denied.contains(&get(row, 0)?) {
            Word::Denied
        } else {
            Word::Void
        }))
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
    fn session(&mut self, no: i64) -> Option<usize> {
        if let Some(place) = self.places.get(&no) {
            return Some(*place);
        }
        let Fitting { id, workflow, trouble, fell_back } = self.sessions.remove(&no)?;
        let workflow = workflow.map(|name| self.name(&name));
        let place = self.figures.sessions.len();
        self.figures.sessions.push(SessionFigures { id, workflow, trouble, fell_back });
        self.places.insert(no, place);
        Some(place)
    }
}
