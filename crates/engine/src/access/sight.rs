//! What exists for a caller: by session, and for walks over many of them.

use crate::engine::Engine;
use handover_core::{
    access::{Caller, Whose},
    handoff::Handoff,
    ids::{HandoffId, SessionId},
    limits::PAGE_MAX,
    refusal::HandoffError,
};
use handover_store::{Figures, HandoffQuery, RecordQuery, Stats, Store, StoreError, StoredRecord};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Whether a session exists for a caller, by what is known of it where somebody has looked already.
pub(crate) async fn exists_for(
    store: &dyn Store,
    caller: &Caller,
    id: &SessionId,
    known: Option<&Whose>,
) -> Result<bool, StoreError> {
    if !caller.is_restricted() {
        return Ok(store.tenant(id).await?.as_ref() == Some(&caller.tenant));
    }
    if !caller.may_open(id) {
        return Ok(false);
    }
    let found = if known.is_some() { None } else { store.whose(id).await? };
    let Some(whose) = known.or(found.as_ref()) else { return Ok(false) };
    match caller.sees_of(whose) {
        Some(sees) => Ok(sees),
        None => Ok(store.session(id).await?.is_some_and(|session| caller.sees(&session))),
    }
}

/// How many rows that are not a caller's a list passes, and whether one ended there.
#[derive(Debug)]
pub(crate) struct Look {
    rows: usize,
    ended: AtomicBool,
}

impl Look {
    /// Whether so many are too many. That is kept.
    fn ends(look: Option<&Self>, passed: usize) -> bool {
        look.is_some_and(|look| {
            let ends = passed > look.rows;
            if ends {
                look.ended.store(true, Ordering::Relaxed);
            }
            ends
        })
    }
}

/// A walk over many things, which asks once for each session.
struct Walk<'a> {
    engine: &'a Engine,
    known: HashMap<SessionId, bool>,
}

impl Walk<'_> {
    async fn sees(&mut self, id: &SessionId) -> Result<bool, HandoffError> {
        if let Some(known) = self.known.get(id) {
            return Ok(*known);
        }
        let sees = self.engine.sees(id).await?;
        self.known.insert(id.clone(), sees);
        Ok(sees)
    }
}

impl Engine {
    /// The same engine for what must be quick, such as a page: its lists of handoffs and sessions pass at most so many rows
    /// that do not exist for this caller, and leave out what lies behind them.
    #[must_use]
    pub fn looking_past(&self, rows: usize) -> Self {
        let look = Arc::new(Look { rows, ended: AtomicBool::new(false) });
        Self { look: Some(look), ..self.clone() }
    }

    /// Whether a list of this handle, or of one of its clones, ended because it had passed so many rows.
    #[must_use]
    pub fn left_out(&self) -> bool {
        self.look.as_ref().is_some_and(|look| look.ended.load(Ordering::Relaxed))
    }

    /// Whether a session exists for this caller. Reading does not wait for whoever writes in it.
    pub(crate) async fn sees(&self, id: &SessionId) -> Result<bool, HandoffError> {
        Ok(exists_for(&*self.inner.store, &self.caller, id, None).await?)
    }

    fn walk(&self) -> Walk<'_> {
        Walk { engine: self, known: HashMap::new() }
    }

    /// The sessions that exist for this caller, the latest first. After so many that do not, no more are looked for.
    pub(crate) async fn sessions_seen(
        &self,
        skip: usize,
        limit: usize,
        hidden_max: usize,
    ) -> Result<Vec<SessionId>, HandoffError> {
        let (mut found, mut at, mut passed, mut hidden) = (Vec::new(), 0, 0, 0);
        loop {
            let page = self.inner.store.sessions(&self.caller.tenant, at, PAGE_MAX).await?;
            at += page.len();
            let full = page.len() == PAGE_MAX;
            for id in page {
                // Those that are skipped cost as much as those that are hidden.
                let cost = hidden + passed.min(skip);
                if found.len() == limit || hidden > hidden_max || Look::ends(self.look.as_deref(), cost) {
                    return Ok(found);
                }
                if !self.sees(&id).await? {
                    hidden += 1;
                    continue;
                }
                passed += 1;
                if passed > skip {
                    found.push(id);
                }
            }
            if !full {
                return Ok(found);
            }
        }
    }

    /// Handoffs of the sessions that exist for this caller: a full page as long as there are so many.
    pub(crate) async fn handoffs_seen(&self, mut query: HandoffQuery) -> Result<Vec<Handoff>, HandoffError> {
        let (limit, mut walk, mut found) = (query.limit.min(PAGE_MAX), self.walk(), Vec::new());
        let mut hidden = 0;
        loop {
            let page = self.inner.store.handoffs(&query).await?;
            let last = page.last().map(|last| (last.id, last.n)).filter(|_| page.len() == limit);
            for handoff in page {
                if found.len() == limit || Look::ends(self.look.as_deref(), hidden) {
                    return Ok(found);
                }
                if walk.sees(&handoff.session_id).await? {
                    found.push(handoff);
                } else {
                    hidden += 1;
                }
            }
            let Some((last, n)) = last.filter(|_| found.len() < limit) else { return Ok(found) };
            query.after = if query.session.is_some() { n } else { self.number_of(last).await? };
        }
    }

    /// Handoffs by their ids, of the sessions that exist for this caller.
    pub(crate) async fn ids_seen(&self, ids: Vec<HandoffId>) -> Result<Vec<HandoffId>, HandoffError> {
        let mut found = Vec::new();
        for id in ids {
            if self.find(id).await.is_ok() {
                found.push(id);
            }
        }
        Ok(found)
    }

    /// Records of the sessions that exist for this caller: a full page as long as there are so many.
    pub(crate) async fn records_seen(&self, mut query: RecordQuery) -> Result<Vec<StoredRecord>, HandoffError> {
        let (limit, mut walk, mut found) = (query.limit.min(PAGE_MAX), self.walk(), Vec::new());
        loop {
            let page = self.inner.store.records(&query).await?;
            let full = page.len() == limit && limit > 0;
            for record in page {
                let end = if query.latest_first { &mut query.before } else { &mut query.after };
                *end = record.position;
                if found.len() < limit && walk.sees(&record.session_id).await? {
                    found.push(record);
                }
            }
            if !full || found.len() == limit {
                return Ok(found);
            }
        }
    }

    /// The figures of the sessions that exist for this caller.
    pub(crate) async fn figures_seen(&self, mut figures: Figures) -> Result<Figures, HandoffError> {
        let mut places = Vec::new();
        let mut kept = Vec::new();
        for session in figures.sessions {
            let seen = match SessionId::new(&session.id) {
                Ok(id) => self.sees(&id).await?,
                Err(_) => false,
            };
            places.push(seen.then_some(kept.len()));
            kept.extend(seen.then_some(session));
        }
        figures.sessions = kept;
        figures.rows.retain_mut(|row| match places.get(row.session).copied().flatten() {
            Some(place) => {
                row.session = place;
                true
            }
            None => false,
        });
        // Names that nobody speaks of any more say nothing.
        Ok(figures)
    }

    /// Plain counts over the sessions that exist for this caller. Records are not counted.
    pub(crate) async fn stats_seen(&self) -> Result<Stats, HandoffError> {
        let report = self.stats_of(crate::StatsQuery::default()).await?;
        let sent = |figures: &crate::AgentStats| handover_store::SentReceived {
            sent: figures.sent,
            received: figures.received,
        };
        let by_agent = report.handoffs_by_agent.iter().map(|(agent, figures)| (agent.clone(), sent(figures)));
        Ok(Stats {
            total_handoffs: report.total_handoffs,
            pending_handoffs: report.pending_handoffs,
            handoffs_by_agent: by_agent.filter(|(_, figures)| figures.sent + figures.received > 0).collect(),
            by_status: report.by_status,
            sessions: report.sessions,
            records: 0,
        })
    }
}
