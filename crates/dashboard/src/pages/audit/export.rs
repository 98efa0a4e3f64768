//! The download: records as JSON lines, page by page, for as long as whoever asked for it may have them.

use super::search::Search;
use crate::ask::{Answer, Ask};
use axum::{
    body::Body,
    http::{HeaderValue, Response, header},
};
use bytes::Bytes;
use futures_util::stream;
use handover_core::{
    access::Right,
    limits::PAGE_MAX,
    refusal::{Code, HandoffError, Refusal},
};
use handover_engine::RecordQuery;

struct Export {
    ask: Ask,
    query: RecordQuery,
    /// What was read and not sent yet.
    ready: Option<Bytes>,
    /// Whether more follows.
    more: bool,
}

pub(crate) async fn export(ask: Ask) -> Answer {
    ask.engine.caller().may(Right::Administer)?;
    let search = Search::read(&ask).await?;
    if search.house {
        let refusal = Refusal::new(Code::NotAllowed, "the book of the house is not downloaded here").at("book");
        return Err(refusal.hint("handover audit export, on the machine itself").into());
    }
    let query = RecordQuery { before: 0, after: 0, limit: PAGE_MAX, ..search.query };
    let mut export = Export { ask, query, ready: None, more: true };
    // The first page is read before anything is answered, so that a refusal is one.
    export.read().await?;
    let lines = stream::unfold(export, |mut export| async move {
        let next = export.next().await?;
        Some((next, export))
    });
    let mut response = Response::new(Body::from_stream(lines));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    headers
        .insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"handover-audit.jsonl\""));
    Ok(response)
}

impl Export {
    async fn read(&mut self) -> Result<(), HandoffError> {
        let (lines, next) = self.ask.engine.export_lines(self.query.clone()).await?;
        self.more = next.is_some();
        self.query.after = next.unwrap_or(self.query.after);
        let mut text = lines.join("\n");
        if !text.is_empty() {
            text.push('\n');
        }
        self.ready = Some(text.into());
        Ok(())
    }

    /// The next part; nothing at the end. An error breaks the line off, so that nobody takes a part for the whole.
    async fn next(&mut self) -> Option<Result<Bytes, HandoffError>> {
        if let Some(ready) = self.ready.take() {
            return Some(Ok(ready));
        }
        if !self.more {
            return None;
        }
        if !self.ask.may_stay() {
            self.more = false;
            return Some(Err(Refusal::new(Code::NotAllowed, "the sign-in is over").into()));
        }
        if let Err(error) = self.read().await {
            self.more = false;
            return Some(Err(error));
        }
        self.ready.take().map(Ok)
    }
}
